"""Replays of finished games."""

from __future__ import annotations

from hashlib import blake2b
from typing import Annotated, Any, cast

import msgspec
from litestar import Response, get
from litestar.params import Parameter

from lynxden import __version__
from lynxden.games.core import OPEN
from lynxden.server.compression import takes_gzip
from lynxden.server.errors import Code, Refusal
from lynxden.server.http.common import Asked, Path, finished_game, live_of, problems
from lynxden.server.http.guard import address
from lynxden.server.replays import MomentOf, Replay, Viewer, moments_of, replay_json
from lynxden.server.table.projections import FinishedGame

SECONDS = 600
"""How long a browser may keep an answer. A finished game never changes, but a newer server may describe it
differently."""
LIMIT = 10.0
"""Seconds that a replay may take; a long one takes a tenth of one."""
SPECTATOR = "spectator"
"""The value of `viewer` for a spectator."""


@get("/api/records/{game:str}/moments", responses=problems(400, 404))
async def moments(request: Asked, game: Path) -> list[MomentOf]:
    """The best moments of a finished game: the largest set, the most cards snatched in a turn, and such."""
    found = await finished_game(request, game)
    owner = address(request.scope)
    return await live_of(request).jobs.run("replay", moments_of, found, owner=owner, limit=LIMIT)


@get("/api/records/{game:str}/replay", responses=problems(400, 404, 409))
async def replay(
    request: Asked,
    game: Path,
    viewer: Annotated[
        str | None,
        Parameter(description="A seat, counted from 0, or `spectator`; all cards are open without it."),
    ] = None,
) -> Response[Replay]:
    """A finished game step by step: as a seat saw it, as a spectator did, or with all cards open."""
    live = live_of(request)
    found = await finished_game(request, game)
    chosen = viewer_of(viewer, len(found.players))
    tag = _tag(found, chosen)
    # Who may see a private game is asked each time: the same browser may be somebody else's meanwhile.
    keep = "no-cache" if found.private else f"max-age={SECONDS}"
    headers = {"ETag": tag, "Cache-Control": f"private, {keep}", "Vary": "Accept-Encoding"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(cast(Any, None), status_code=304, headers=headers)
    packed = takes_gzip(request.headers.get("accept-encoding", ""))
    if packed:
        headers["Content-Encoding"] = "gzip"
    owner = address(request.scope)
    body = await live.jobs.run("replay", replay_json, found, chosen, packed, owner=owner, limit=LIMIT)
    if body is None:
        raise Refusal(Code.READ_ONLY, "this game was played by rules that this server does not have")
    return Response(cast(Any, body), media_type="application/json", headers=headers)


def viewer_of(text: str | None, players: int) -> Viewer:
    """The viewer that a request names; anything else is refused."""
    if text is None:
        return OPEN
    if text == SPECTATOR:
        return None
    seats = [str(seat) for seat in range(players)]
    if text not in seats:
        raise Refusal(Code.OPTIONS, f"viewer must be a seat from 0 to {players - 1}, or {SPECTATOR}")
    return seats.index(text)


def _tag(found: FinishedGame, viewer: Viewer) -> str:
    """The same for the same game, viewer and version of the program."""
    what = msgspec.json.encode([__version__, found.id, found.record, found.players, viewer])
    return f'W/"{blake2b(what, digest_size=12).hexdigest()}"'


HANDLERS = [moments, replay]
