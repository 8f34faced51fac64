"""How much of anything one person, connection or address may ask for."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

Monotonic = Callable[[], float]


class Bucket:
    """So many a second over time, and a few at once."""

    __slots__ = ("_at", "_burst", "_clock", "_left", "_rate")

    def __init__(self, rate: float, burst: float, clock: Monotonic = time.monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._left = burst
        self._clock = clock
        self._at = clock()

    def take(self) -> bool:
        """Whether there is one left; then it is used."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Buckets:
    """One bucket for each key, for as many keys as were used lately; a rate of 0 means no limit."""

    def __init__(
        self, rate: float, burst: float, size: int = 10_000, clock: Monotonic = time.monotonic
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._size = size
        self._clock = clock
        self._found: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, key: str) -> bool:
        if self._rate <= 0:
            return True
        bucket = self._found.pop(key, None) or Bucket(self._rate, self._burst, self._clock)
        self._found[key] = bucket
        if len(self._found) > self._size:
            self._found.popitem(last=False)
        return bucket.take()
