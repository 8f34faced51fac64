"""How late the event loop is: everything that anybody waits for waits at least as long.

A timer is due every few milliseconds, on a fixed grid. What is measured is how much later it is called. If
the loop is held up for long, the moments that passed meanwhile count as well, each with its own lateness:
so a share of the samples is a share of the time, and one long wait cannot hide as a single sample.
"""

from __future__ import annotations

import asyncio
import time

from prometheus_client import Histogram

STEP = 0.010
"""Seconds between two samples."""
MOST_AT_ONCE = 1000
"""Samples that one wait makes at most, if the whole machine slept for example."""


class Lateness:
    """Samples how late the event loop is, as long as it runs."""

    def __init__(self, late: Histogram) -> None:
        self._late = late
        self._due = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._due = time.perf_counter()
        self._tick()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tick(self) -> None:
        now = time.perf_counter()
        late = max(0.0, now - self._due)  # timers are exact to a millisecond, and may be early by that
        passed = int(late / STEP)
        for number in range(min(passed, MOST_AT_ONCE) + 1):
            self._late.observe(late - number * STEP)
        self._due += (passed + 1) * STEP
        self._timer = asyncio.get_running_loop().call_later(max(0.0, self._due - now), self._tick)
