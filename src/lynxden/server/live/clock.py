"""The time, and waiting for it. Everything live asks one `Clock`, so that a test can have its own.

There are two times. *Wall time* is stored and sent; all servers share it, and somebody may set it.
*Monotonic* time is for waiting: it never goes back and never jumps. Limits of work that really takes its time
(a call in another process, a socket that is being closed) are not set by this clock.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import Protocol


class Timer(Protocol):
    """A call that is still to come."""

    def cancel(self) -> None:
        """Let it not come."""


class Clock:
    """The system's clocks, and the event loop's timers."""

    def now(self) -> int:
        """Wall time: milliseconds since 1970."""
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        """Seconds since some moment."""
        return time.monotonic()

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Timer:
        """Call something in a while, by monotonic time."""
        return asyncio.get_running_loop().call_later(seconds, callback)


class Moments:
    """How long ago some moments of a log were, whatever has been done to the wall clock since.

    A moment counts from when its entry was taken here. Of moments before that only the wall time is known;
    they count by it, but never as later than now.
    """

    def __init__(self, clock: Clock, moments: Iterable[int]) -> None:
        self._clock = clock
        now, monotonic = clock.now(), clock.monotonic()
        self._found = {at: monotonic - max(0, now - at) / 1000 for at in moments}
        """The wall time of each moment, and its monotonic time."""

    def note(self, at: int, kept: Iterable[int]) -> None:
        """A moment is now, by its entry; of all moments these are still needed."""
        self._found[at] = self._clock.monotonic()
        self._found = {moment: self._found[moment] for moment in kept}

    def since(self, at: int) -> int:
        """Milliseconds since a moment."""
        return round((self._clock.monotonic() - self._found[at]) * 1000)
