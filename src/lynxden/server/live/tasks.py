"""Work that goes on beside requests, and ends when the server stops."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from lynxden.server.live.clock import Clock

Task = Coroutine[Any, Any, None]


class Tasks:
    """The tasks of one server."""

    def __init__(self, log: logging.Logger, clock: Clock) -> None:
        self.closing = False
        """The server stops: nothing new is begun."""
        self._log = log
        self._clock = clock
        self._pauses: set[asyncio.Event] = set()
        """What ends each pause."""
        self._running: set[asyncio.Task[None]] = set()

    def spawn(self, work: Task) -> None:
        """Do something beside what goes on, unless the server stops."""
        if self.closing:
            work.close()
            return
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._log.error("a task failed", exc_info=task.exception())

    def later(self, seconds: float, make: Callable[..., Task], *args: Any) -> None:
        """Do something in a while, unless the server stops before."""

        async def wait() -> None:
            if await self.pause(seconds):
                await make(*args)

        self.spawn(wait())

    async def pause(self, seconds: float) -> bool:
        """Wait; whether the server goes on."""
        if self.closing:
            return False
        over = asyncio.Event()
        self._pauses.add(over)
        timer = self._clock.call_later(seconds, over.set)
        try:
            await over.wait()
        finally:
            timer.cancel()
            self._pauses.discard(over)
        return not self.closing

    def stop(self) -> None:
        """Begin nothing new, and end every pause."""
        self.closing = True
        for over in self._pauses:
            over.set()

    async def finish(self, seconds: float) -> None:
        """Give what is under way so much time, then end it."""
        work = [*self._running]
        if work:
            await asyncio.wait(work, timeout=seconds)
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
