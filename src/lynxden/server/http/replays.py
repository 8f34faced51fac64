"""A finished game step by step, so that a page can show it without knowing any rules."""

from __future__ import annotations

import asyncio
import gzip
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import blake2b
from typing import Any, cast

import msgspec
from litestar import Response, get
from msgspec import Struct

from lynxden import __version__
from lynxden.games.core import OPEN, Event, Outcome, Position
from lynxden.records import positions, read_record
from lynxden.records.record import Record
from lynxden.server.errors import Code, Refusal
from lynxden.server.http.common import Asked, Path, live_of, problems
from lynxden.server.store import games
from lynxden.server.table.projections import FinishedGame

MOST_STEPS = 2000
"""Steps that are told; games among people have some three hundred at most."""
SECONDS = 600
"""How long a browser need not ask again. A finished game never changes, but a newer server may tell it
differently."""
LEVEL = 5
"""How hard the answer is packed: to a twentieth, in a millisecond."""

_threads = ThreadPoolExecutor(2, "replay")
"""A replay takes some 50 ms to make. Threads of their own keep the games that are being played from waiting,
and two are enough to keep a rush of replays from taking the whole machine."""


class ReplayStep(Struct, frozen=True):
    """The game after an action; the first step is the deal."""

    public: dict[str, Any]
    """What everybody sees, as the socket tells it in `game.public`."""
    hands: tuple[tuple[str, ...], ...]
    """The cards of each seat."""
    seat: int | None = None
    """Who acted; None for the deal."""
    action: str = ""
    """What they did, as a record writes it."""
    events: tuple[Event, ...] = ()
    """What came of it, with nothing hidden."""


class ReplayPart(Struct, frozen=True):
    """Cards that count alike, and what they are worth together."""

    name: str
    cards: int
    points: int


class Replay(Struct, frozen=True):
    """A finished game, all cards open."""

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


@get("/api/records/{game:str}/replay", responses=problems(400, 404))
async def replay(request: Asked, game: Path) -> Response[Replay]:
    """A finished game step by step, with everything that lay on the table and in the hands."""
    found = await live_of(request).context.store.read(games.get, game)
    if found is None:
        raise Refusal(Code.NOT_FOUND, f"there is no finished game {game}")
    tag = _tag(found)
    headers = {"ETag": tag, "Cache-Control": f"private, max-age={SECONDS}", "Vary": "Accept-Encoding"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(cast(Any, None), status_code=304, headers=headers)
    packed = _takes_gzip(request.headers.get("accept-encoding", ""))
    if packed:
        headers["Content-Encoding"] = "gzip"
    body = await asyncio.get_running_loop().run_in_executor(_threads, _body, found, packed)
    return Response(cast(Any, body), media_type="application/json", headers=headers)


def _tag(found: FinishedGame) -> str:
    """Names the answer: the same game told by the same program has the same."""
    told = msgspec.json.encode([__version__, found.id, found.record, found.players])
    return f'W/"{blake2b(told, digest_size=12).hexdigest()}"'


def _takes_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header allows gzip."""
    for part in accepted.lower().split(","):
        name, _, weight = part.partition(";")
        if name.strip() in ("gzip", "*"):
            return weight.replace(" ", "").rstrip("0.") != "q="
    return False


def _body(found: FinishedGame, packed: bool) -> bytes:
    body = msgspec.json.encode(tell(found))
    return gzip.compress(body, LEVEL, mtime=0) if packed else body


def tell(found: FinishedGame) -> Replay:
    """Play the record once more, and note everything."""
    record = replace(read_record(found.record), legal=None, actors=None)  # checked when it came
    steps: list[ReplayStep] = []
    position: Position | None = None
    for number, after in enumerate(positions(record)):
        if number <= MOST_STEPS:
            steps.append(_step(record, number, None if position is None else position.seat, after))
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


def _step(record: Record, number: int, seat: int | None, after: Position) -> ReplayStep:
    return ReplayStep(
        public=after.game.snapshot.public(after.view(None)),
        hands=after.game.snapshot.revealed(after).hands,
        seat=seat,
        action=record.actions[number - 1] if number else "",
        events=after.events(OPEN),
    )


HANDLERS = [replay]
