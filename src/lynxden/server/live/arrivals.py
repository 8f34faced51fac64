"""People who are on their way to a table: bots let them in first.

After a restart everybody comes back at once, and the event loop is busy for some seconds. What bots do then
can wait; people see nothing until they are in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager, suppress

FEW = 8
"""So many may be on their way without a bot's waiting for them."""
PATIENCE = 1.5
"""Seconds for which a bot waits at most, however many come."""


class Arrivals:
    """Counts those who are on their way."""

    def __init__(self) -> None:
        self._count = 0
        self._few = asyncio.Event()
        self._few.set()

    @contextmanager
    def one(self) -> Generator[None, None, None]:
        """Somebody is on their way, as long as this lasts."""
        self._count += 1
        if self._count > FEW:
            self._few.clear()
        try:
            yield
        finally:
            self._count -= 1
            if self._count <= FEW:
                self._few.set()

    async def pass_by(self) -> None:
        """Wait until few are on their way, but not for long."""
        if not self._few.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE):
                    await self._few.wait()
