"""A thread that writes for everybody: what waits at the same moment is written together.

An error refers to the frames that it came through. What is there for each job must not refer to the error
when it is raised, or both would be kept until somebody searches for cycles (`live/garbage.py`).
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

MOST_TOGETHER = 500
"""Writes in one transaction at most, so that none waits long for the others."""
PAUSE = 0.008
"""Seconds from one transaction to the next, if many write: a commit costs as much as several writes."""
RESULTS_AT_ONCE = 8
"""Results that the event loop takes before it does other work."""


@dataclass(slots=True)
class Job:
    """A write that somebody waits for, and what came of it."""

    work: Any
    future: asyncio.Future[Any] | None
    result: Any = None
    error: BaseException | None = None

    def resolve(self) -> None:
        """Tell the caller what came of it, and forget that."""
        future, error = self.future, self.error
        self.future = self.error = None
        if future is None or future.done():  # the caller no longer waits
            return
        if error is None:
            future.set_result(self.result)
        elif isinstance(error, StopIteration):  # no future accepts it
            future.set_exception(RuntimeError(repr(error)))
        else:
            future.set_exception(error)


def together(jobs: Sequence[Job]) -> dict[Callable[..., Any], list[Job]]:
    """Jobs whose work is a function of many items and one of these, by the function."""
    groups: dict[Callable[..., Any], list[Job]] = {}
    for job in jobs:
        groups.setdefault(job.work[0], []).append(job)
    return groups


def share(group: Sequence[Job], results: Sequence[Any]) -> None:
    """Give each job of a group its result."""
    for job, result in zip(group, results, strict=True):
        job.result = result


class Gathering:
    """Takes all jobs that wait, has them done at once, and then resolves their futures."""

    def __init__(self, name: str, do: Callable[[list[Job]], None], pause: float = 0.0) -> None:
        self._pause = pause
        self._do = do
        """Does all jobs: sets the result or the error of each, and never raises."""
        self._loop = asyncio.get_running_loop()
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    async def add(self, work: Any) -> Any:
        """The result of a job."""
        future: asyncio.Future[Any] = self._loop.create_future()
        self._jobs.put(Job(work, future))
        try:
            return await future
        finally:
            del future  # it refers to the error, and the error to this frame

    def finish(self) -> None:
        """Wait until everything that was added is done; not to be called on the event loop."""
        if self._thread.ident is not None:
            self._jobs.put(None)
            self._thread.join()

    def _run(self) -> None:
        goes_on, began, many = True, 0.0, False
        while goes_on:
            jobs: list[Job] = []
            job = self._jobs.get()
            if many:  # a single write does not wait
                time.sleep(max(0.0, began + self._pause - time.monotonic()))
            began = time.monotonic()
            while job is not None:
                jobs.append(job)
                if len(jobs) == MOST_TOGETHER:
                    break
                try:
                    job = self._jobs.get_nowait()
                except Empty:
                    break
            goes_on, many = job is not None, len(jobs) > 1
            if jobs:
                self._do(jobs)
                with contextlib.suppress(RuntimeError):  # the event loop has ended, and with it the callers
                    self._loop.call_soon_threadsafe(_resolve, self._loop, jobs)


def _resolve(loop: asyncio.AbstractEventLoop, jobs: list[Job]) -> None:
    """Hands over a few results at a time, so that what all the callers do then does not hold up others."""
    if len(jobs) > RESULTS_AT_ONCE:
        loop.call_soon(_resolve, loop, jobs[RESULTS_AT_ONCE:])
    for job in jobs[:RESULTS_AT_ONCE]:
        job.resolve()
