"""A finished game step by step, so that a page can show it without knowing any rules.

It is told as somebody saw it, and what they saw is decided where it is in live play: cards come from
`position.view` and `position.events`, their form from the game's snapshot. Only whoever asks for everything
is told what lies beside that.
"""

from __future__ import annotations

import asyncio
import gzip
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import blake2b
from typing import Annotated, Any, cast

import msgspec
from litestar import Response, get
from litestar.params import Parameter
from msgspec import Struct

from lynxden import __version__
from lynxden.games.core import OPEN, Event, Outcome, Position
from lynxden.records import positions, read_record
from lynxden.server.api.common import Asked, Path, hub_of, problems
from lynxden.server.errors import Code, Refusal
from lynxden.server.store import games

MOST_STEPS = 2000
"""Steps that are told; games among people have some three hundred at most."""
SECONDS = 600
"""How long a browser need not ask again. A finished game never changes, but a newer server may tell it
differently."""
LEVEL = 5
"""How hard the answer is packed: to a twentieth, in a millisecond."""

SPECTATOR = "spectator"
"""Names the viewer who has no seat."""

Viewer = int | None
"""Who looks on: a seat, None for a spectator, `OPEN` for somebody from whom nothing is hidden."""

# --- What is told -----------------------------------------------------------------------------------------


class ReplayStep(Struct, frozen=True):
    """The game after an action; the first step is the deal."""

    public: dict[str, Any]
    """What everybody sees, as the socket tells it in `game.public`."""
    own: dict[str, Any] | None = None
    """What the viewer saw besides, as the socket told it in `game.own`, but without what they could do or
    why not (`legal` and `why` are empty): nothing is decided any more. None unless the viewer has a seat."""
    hands: tuple[tuple[str, ...], ...] | None = None
    """The cards of each seat; None unless all cards are open."""
    seat: int | None = None
    """Who acted; None for the deal."""
    action: str = ""
    """What they did, as a record writes it. Empty unless all cards are open: it may name a card that others
    did not see."""
    events: tuple[Event, ...] = ()
    """What came of it, as the viewer was told."""


class ReplayPart(Struct, frozen=True):
    """Cards that count alike, and what they are worth together."""

    name: str
    cards: int
    points: int


class Replay(Struct, frozen=True):
    """A finished game, as one viewer saw it or with all cards open."""

    id: str
    game: str
    edition: str
    names: tuple[str, ...]
    """The players, by seat."""
    guests: tuple[str, ...]
    """Their ids; empty for bots of the server, for people who were forgotten, and in games from elsewhere."""
    finished_at: int
    imported: bool
    """Played elsewhere, and brought here later."""
    outcome: Outcome
    breakdown: tuple[tuple[ReplayPart, ...], ...]
    """How each seat's score comes about: the points add up to it."""
    steps: tuple[ReplayStep, ...]
    left_out: int
    """Steps at the end that are not told, because the game is far too long."""


# --- The game once more -----------------------------------------------------------------------------------
#
# Values in, values out, and nothing of the server: this can be done in any thread or process.


def told(found: games.Finished, viewer: Viewer, packed: bool) -> bytes:
    """The answer as it is sent; `packed` with gzip."""
    body = msgspec.json.encode(tell(found, viewer))
    return gzip.compress(body, LEVEL, mtime=0) if packed else body


def tell(found: games.Finished, viewer: Viewer) -> Replay:
    """Play the record once more, and note what the viewer sees."""
    record = replace(read_record(found.record), legal=None, actors=None)  # checked when it came
    steps: list[ReplayStep] = []
    position: Position | None = None
    for number, after in enumerate(positions(record)):
        if number <= MOST_STEPS:
            action = record.actions[number - 1] if number else ""
            steps.append(_step(None if position is None else position.seat, action, after, viewer))
        position = after
    assert position is not None
    assert position.outcome is not None, "an unfinished game was kept"
    return Replay(
        id=found.id,
        game=found.game,
        edition=found.edition,
        names=tuple(player.name for player in found.players),
        guests=tuple(player.guest or "" for player in found.players),
        finished_at=found.finished_at,
        imported=found.table_id is None,
        outcome=position.outcome,
        breakdown=position.game.snapshot.breakdown(position),
        steps=tuple(steps),
        left_out=max(0, len(record.actions) - MOST_STEPS),
    )


def _step(seat: int | None, action: str, after: Position, viewer: Viewer) -> ReplayStep:
    snapshot = after.game.snapshot
    public, events = snapshot.public(after.view(None)), after.events(viewer)
    if viewer == OPEN:
        return ReplayStep(public, None, snapshot.revealed(after).hands, seat, action, events)
    own = None if viewer is None else replace(snapshot.private(after.view(viewer)), legal=(), why=())
    return ReplayStep(public, own, seat=seat, events=events)


# --- The request ------------------------------------------------------------------------------------------

_threads = ThreadPoolExecutor(2, "replay")
"""A replay takes some 50 ms to make. Threads of their own keep the games that are being played from waiting,
and two are enough to keep a rush of replays from taking the whole machine."""


@get("/api/records/{game:str}/replay", responses=problems(400, 404))
async def replay(
    request: Asked,
    game: Path,
    viewer: Annotated[
        str | None,
        Parameter(description="A seat, counted from 0, or `spectator`; all cards are open without it."),
    ] = None,
) -> Response[Replay]:
    """A finished game step by step: as a seat saw it, as a spectator did, or with all cards open."""
    found = await hub_of(request).store.read(games.get, game)
    if found is None:
        raise Refusal(Code.NOT_FOUND, f"there is no finished game {game}")
    chosen = viewer_of(viewer, len(found.players))
    tag = _tag(found, chosen)
    headers = {"ETag": tag, "Cache-Control": f"private, max-age={SECONDS}", "Vary": "Accept-Encoding"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(cast(Any, None), status_code=304, headers=headers)
    packed = _takes_gzip(request.headers.get("accept-encoding", ""))
    if packed:
        headers["Content-Encoding"] = "gzip"
    body = await asyncio.get_running_loop().run_in_executor(_threads, told, found, chosen, packed)
    return Response(cast(Any, body), media_type="application/json", headers=headers)


def viewer_of(text: str | None, players: int) -> Viewer:
    """Who is meant; what cannot be is refused."""
    if text is None:
        return OPEN
    if text == SPECTATOR:
        return None
    seats = [str(seat) for seat in range(players)]
    if text not in seats:
        raise Refusal(Code.OPTIONS, f"viewer must be a seat from 0 to {players - 1}, or {SPECTATOR}")
    return seats.index(text)


def _tag(found: games.Finished, viewer: Viewer) -> str:
    """Names the answer: the same game told by the same program to the same viewer has the same."""
    what = msgspec.json.encode([__version__, found.id, found.record, found.players, viewer])
    return f'W/"{blake2b(what, digest_size=12).hexdigest()}"'


def _takes_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header allows gzip."""
    for part in accepted.lower().split(","):
        name, _, weight = part.partition(";")
        if name.strip() in ("gzip", "*"):
            return weight.replace(" ", "").rstrip("0.") != "q="
    return False


HANDLERS = [replay]
