"""An answer that is worked out once and given to everybody who asks within some seconds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """What a function found lately. However many ask, it runs once at a time."""

    def __init__(
        self,
        find: Callable[[], Awaitable[T]],
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._find = find
        self._seconds = seconds
        self._clock = clock
        self._task: asyncio.Task[T] | None = None
        self._until = 0.0

    async def get(self) -> T:
        """The answer, at most so many seconds old. If it cannot be found, those who wait get the error."""
        task = self._task
        if task is None or (task.done() and self._clock() >= self._until):
            task = self._task = asyncio.create_task(self._work())
        try:
            return await asyncio.shield(task)  # a caller that gives up does not take it from others
        finally:
            del task  # it refers to the error, if there was one, and the error to this frame

    async def _work(self) -> T:
        self._until = 0.0  # an error is not kept
        found = await self._find()
        self._until = self._clock() + self._seconds
        return found
