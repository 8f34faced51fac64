"""How much has been played here: counted at most once a minute, however many ask."""

from __future__ import annotations

from lynxden.server.live.context import Context
from lynxden.server.live.kept import Kept
from lynxden.server.store import games, tables
from lynxden.server.store.core import Tx

SECONDS = 60.0
"""How old the figures may be."""

Counts = tuple[dict[tuple[str, str], int], dict[str, int]]


class Statistics:
    """The figures of one server's database."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._kept = Kept(self._count, SECONDS)

    async def get(self) -> Counts:
        """Finished games by game and edition; tables by phase."""
        return await self._kept.get()

    async def _count(self) -> Counts:
        return await self._context.store.read(_counts)


def _counts(tx: Tx) -> Counts:
    return games.counts(tx), tables.count_by_state(tx)
