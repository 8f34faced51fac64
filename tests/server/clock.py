"""Clocks for tests: one that stands still until it is moved, and one whose wall time is told."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

from lynxden.server.live.clock import Clock, Timer
from lynxden.server.live.server import LiveServer

SECOND = 1_000_000
ROUNDS = 10
"""Of the event loop, until what was woken has begun to work."""


@dataclass(order=True)
class FakeTimer:
    at: int
    number: int
    callback: Callable[[], object] = field(compare=False)
    cancelled: bool = field(default=False, compare=False)

    def cancel(self) -> None:
        self.cancelled = True


class FakeClock(Clock):
    """Stands still until somebody moves it. `serving` makes it wait for what the server does meanwhile."""

    def __init__(self, wall: int = 1_800_000_000_000) -> None:
        self._passed = 1000 * SECOND
        """Monotonic time, in microseconds: whole numbers add up."""
        self._wall = wall - 1_000_000
        """Milliseconds that wall time is ahead of it."""
        self._timers: list[FakeTimer] = []
        self._count = 0
        self._servers: list[LiveServer] = []

    def now(self) -> int:
        return self._wall + self._passed // 1000

    def monotonic(self) -> float:
        return self._passed / SECOND

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Timer:
        if seconds <= 0:  # now is now
            return asyncio.get_running_loop().call_soon(callback)
        self._count += 1
        timer = FakeTimer(self._passed + round(seconds * SECOND), self._count, callback)
        heapq.heappush(self._timers, timer)
        return timer

    def minds(self, server: LiveServer) -> None:
        """Wait for what a server does before time goes on."""
        self._servers.append(server)

    async def advance(self, seconds: float) -> None:
        """Let time pass. What falls due happens in its order, and is done before anything later does."""
        end = self._passed + round(seconds * SECOND)
        await self.settle()
        while self._timers and self._timers[0].at <= end:
            self._passed = self._timers[0].at
            while self._timers and self._timers[0].at == self._passed:  # at the same moment
                timer = heapq.heappop(self._timers)
                if not timer.cancelled:
                    timer.callback()
            await self.settle()
        self._passed = end

    async def settle(self) -> None:
        """Until the servers do nothing but wait. What somebody has just sent them may not be there yet."""
        while True:
            for _ in range(ROUNDS):
                await asyncio.sleep(0)
            if all(map(_at_rest, self._servers)):
                return
            await asyncio.sleep(0.001)

    def set_wall(self, seconds: float) -> None:
        """Somebody sets the wall clock, forward or back; nothing that waits is touched by it."""
        self._wall += round(seconds * 1000)


def _at_rest(server: LiveServer) -> bool:
    tasks = server.context.tasks
    busy = any(table.busy for table in server.tables.loaded.values())
    return len(tasks._running) == len(tasks._pauses) and not busy


class ToldClock(Clock):
    """The system's clock, but for the wall time."""

    def __init__(self, wall: Callable[[], int]) -> None:
        self._wall = wall

    def now(self) -> int:
        return self._wall()
