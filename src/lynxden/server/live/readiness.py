"""Whether a server can do its work: its database keeps what is written, and it is not about to stop."""

from __future__ import annotations

import asyncio

from lynxden.server.live.context import Context
from lynxden.server.live.kept import Kept

SECONDS = 1.0
"""How old an answer may be."""
PATIENCE = 5.0
"""Seconds after which a database that has not answered counts as one that does not."""


class Readiness:
    """Asked as often as anybody likes; the database is asked once a second at most."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._kept = Kept(self._writes, SECONDS)
        self._logged = ""

    async def trouble(self) -> str:
        """Why the server is not ready; an empty text if it is."""
        if self._context.tasks.closing:
            return "stopping"
        if self._context.store.closed:
            return "the database is closed"
        try:
            return await asyncio.wait_for(self._kept.get(), PATIENCE)
        except TimeoutError:
            return "the database does not answer"

    async def _writes(self) -> str:
        """Write something. What went wrong is logged once, and not sent to strangers."""
        try:
            await self._context.store.check()
        except Exception as error:
            if self._logged != str(error):
                self._logged = str(error)
                self._context.log.error("not ready: the database keeps nothing: %s", error)
            return "the database does not answer"
        self._logged = ""
        return ""
