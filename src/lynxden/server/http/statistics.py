"""Statistics of a server."""

from __future__ import annotations

from litestar import get
from msgspec import Struct

from lynxden.server.http.common import Asked, live_of, problems


class Count(Struct, frozen=True):
    game: str
    edition: str
    finished: int


class Statistics(Struct, frozen=True):
    games: list[Count]
    """Games finished here."""
    tables: dict[str, int]
    """Tables by phase."""


@get("/api/statistics", responses=problems())
async def statistics(request: Asked) -> Statistics:
    """What has been played on this server, as of the last minute."""
    finished, tables = await live_of(request).statistics.get()
    found = [Count(game, edition, number) for (game, edition), number in sorted(finished.items())]
    return Statistics(found, tables)


HANDLERS = [statistics]
