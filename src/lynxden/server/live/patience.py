"""Waiting for the database when a server starts: it may be about to start, too, or be restarted just then."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from lynxden.games.errors import LynxdenError
from lynxden.server.store.core import StoreUnavailable, Unreachable

SECONDS = 60.0
"""For which a server waits."""
PAUSE = 1.0
"""Seconds from one attempt to the next."""

T = TypeVar("T")


async def patiently(attempt: Callable[[], Awaitable[T]], log: logging.Logger) -> T:
    """What an attempt returns that needs the database. Without that it is made again, for a while."""
    now = asyncio.get_running_loop().time
    until, warned = now() + SECONDS, False
    while True:
        try:
            return await attempt()
        except (StoreUnavailable, Unreachable) as error:
            if now() + PAUSE > until:
                raise LynxdenError(
                    f"{error}; the server waited for it for {SECONDS:g} seconds: "
                    "see that the database runs, and that its address is right (LYNXDEN_DATABASE)"
                ) from None
            if not warned:
                log.warning("the server waits for its database, %g seconds at most: %s", SECONDS, error)
                warned = True
        await asyncio.sleep(PAUSE)
