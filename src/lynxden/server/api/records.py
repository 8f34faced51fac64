"""Finished games: their records, and what they add up to."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import msgspec
from litestar import Response, get, post
from litestar.params import JSONBody, Parameter
from msgspec import Struct

from lynxden.games.registry import get_game
from lynxden.records import RecordError, read_record, verify
from lynxden.server import ratings, text
from lynxden.server.api.common import Asked, Path, asker, hub_of, problems
from lynxden.server.api.me import GameOf, RatingOf, game_of, games_page, ratings_of
from lynxden.server.errors import Code, Refusal
from lynxden.server.protocol import NAME_LENGTH
from lynxden.server.store import games, guests, tables

MOST_STANDINGS = 100
MOST_RECORD = 64 * 1024
"""Characters of an imported record that are kept: a long game has a tenth of that."""


class Imported(Struct, frozen=True):
    id: str
    path: str
    """Where it can be seen, below this server's address."""


class Profile(Struct, frozen=True):
    """What everybody may know of somebody."""

    id: str
    name: str
    kind: str
    ratings: list[RatingOf]


class Standing(Struct, frozen=True):
    place: int
    id: str
    name: str
    rating: int
    games: int


class Count(Struct, frozen=True):
    game: str
    edition: str
    finished: int


class Statistics(Struct, frozen=True):
    games: list[Count]
    """Games finished here."""
    tables: dict[str, int]
    """Tables by phase."""


@get("/api/records/{game:str}", responses=problems(400, 404), media_type="application/json")
async def record(
    request: Asked, game: Path, download: Annotated[bool, Parameter(description="As a file.")] = False
) -> Response[Any]:
    """The record of a finished game. Anybody who knows the id may have it."""
    found = await hub_of(request).store.read(games.get, game)
    if found is None:
        raise Refusal(Code.NOT_FOUND, f"there is no finished game {game}")
    headers = (
        {"Content-Disposition": f'attachment; filename="{found.game}-{found.id}.jsonl"'} if download else {}
    )
    return Response(msgspec.Raw(found.record.encode()), headers=headers, media_type="application/json")


@get("/api/records/{game:str}/result", responses=problems(400, 404))
async def result(request: Asked, game: Path) -> GameOf:
    """Who played a finished game, and how it ended."""
    found = await hub_of(request).store.read(games.get, game)
    if found is None:
        raise Refusal(Code.NOT_FOUND, f"there is no finished game {game}")
    return game_of(found)


@post("/api/records", responses=problems(400, 401, 403, 413))
async def import_record(request: Asked, data: JSONBody[dict[str, Any]]) -> Imported:
    """Bring a game that was played elsewhere. It is checked by the rules, to the last card."""
    hub, guest = hub_of(request), await asker(request)
    try:
        found = read_record(msgspec.json.encode(data))
        verify(found)
    except RecordError as error:
        raise Refusal(Code.RECORD, str(error)) from error
    if found.result is None or "scores" not in found.result:
        raise Refusal(Code.RECORD, "only finished games can be imported; this one has no result")
    scores, winners = found.result["scores"], found.result["winners"]
    found = replace(found, seats=tuple(_name(seat, name) for seat, name in enumerate(found.seats)))
    record = found.to_json()
    if len(record) > MOST_RECORD:
        raise Refusal(Code.TOO_LARGE, f"a record has at most {MOST_RECORD} characters, not {len(record)}")
    finished = games.Finished(
        id=hub.make_id(),
        table_id=None,
        round=1,
        game=found.game,
        edition=found.edition,
        record=record,
        finished_at=hub.now(),
        players=tuple(
            games.Player(seat, None, name, scores[seat], seat in winners)
            for seat, name in enumerate(found.seats)
        ),
        rated=False,
        imported_by=guest.id,
    )
    await hub.store.write(games.add_imported, finished)
    return Imported(finished.id, f"/g/{finished.id}")


def _name(seat: int, name: str) -> str:
    """A player's name in a record from elsewhere, as one of ours could be."""
    return text.tidy(name)[:NAME_LENGTH].strip() or f"Player {seat + 1}"


@get("/api/players/{player:str}", responses=problems(400, 404))
async def profile(request: Asked, player: Path) -> Profile:
    """Somebody's name and ratings."""
    hub = hub_of(request)
    guest = await hub.store.read(guests.get, player)
    if guest is None:
        raise Refusal(Code.NOT_FOUND, "there is no such person")
    found = ratings_of(await hub.store.read(games.ratings_of, player))
    return Profile(guest.id, guest.name, guest.kind, found)


@get("/api/players/{player:str}/games", responses=problems(400, 404))
async def games_of(
    request: Asked, player: Path, before: Annotated[str, Parameter(max_length=80)] = ""
) -> list[GameOf]:
    """Somebody's finished games, newest first, fifty at a time."""
    hub = hub_of(request)
    if await hub.store.read(guests.get, player) is None:
        raise Refusal(Code.NOT_FOUND, "there is no such person")
    return await games_page(hub, player, before)


@get("/api/ladder/{game:str}/{edition:str}", responses=problems(400, 404))
async def ladder(request: Asked, game: Path, edition: Path) -> list[Standing]:
    """The best of an edition, among people with at least five rated games."""
    get_game(game).choose_options(edition)
    rows = await hub_of(request).store.read(games.ladder, game, edition, MOST_STANDINGS)
    return [
        Standing(place, row.guest, row.name, ratings.shown(row.rating), row.rating.games)
        for place, row in enumerate(rows, 1)
    ]


@get("/api/statistics", responses=problems())
async def statistics(request: Asked) -> Statistics:
    """What has been played on this server."""
    hub = hub_of(request)
    counts = await hub.store.read(games.counts)
    found = [Count(game, edition, number) for (game, edition), number in sorted(counts.items())]
    return Statistics(found, await hub.store.read(tables.count_by_state))


HANDLERS = [record, result, import_record, profile, games_of, ladder, statistics]
