"""Finished games: their records, ratings and statistics."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import Response, delete, get, post
from litestar.params import JSONBody, Parameter
from msgspec import Struct

from lynxden.games.registry import get_game
from lynxden.server import ratings
from lynxden.server.errors import Code, Refusal
from lynxden.server.http.common import Asked, Path, asker, asker_or_nobody, finished_game, live_of, problems
from lynxden.server.http.me import GameOf, RatingOf, ResultOf, Short, game_of, games_page, ratings_of
from lynxden.server.imports import Fault, check_import
from lynxden.server.store import games, guests
from lynxden.server.table.projections import FinishedGame

MOST_STANDINGS = 100
MOST_POINTS = 500
MOST_OPPONENTS = 50
MOST_RECORD = 64 * 1024
"""Bytes of a record that can be imported; that of a long game has a tenth of them."""
IMPORT_LIMIT = 5.0
"""Seconds that the check of a record may take; the longest takes a tenth of one."""


class Imported(Struct, frozen=True):
    id: str
    path: str
    """The path of its page on this server."""


class Profile(Struct, frozen=True):
    """What is public about a guest."""

    id: str
    name: str
    kind: str
    ratings: list[RatingOf]


class ShareOf(Struct, frozen=True):
    """How often somebody won an edition with so many players."""

    game: str
    edition: str
    players: int
    games: int
    won: int


class PointOf(Struct, frozen=True):
    """A rating before and after a game."""

    game: str
    edition: str
    at: int
    before: int
    rating: int


class OpponentOf(Struct, frozen=True):
    id: str
    name: str
    games: int


class CareerOf(Struct, frozen=True):
    """What somebody's games say about them; private ones are counted for themselves alone."""

    shares: list[ShareOf]
    history: list[PointOf]
    """The last 500 rated games, oldest first."""
    opponents: list[OpponentOf]
    """The 50 whom they met most often."""


class Standing(Struct, frozen=True):
    place: int
    id: str
    name: str
    rating: int
    games: int


@get("/api/records/{game:str}", responses=problems(400, 404), media_type="application/json")
async def record(
    request: Asked, game: Path, download: Annotated[bool, Parameter(description="As a file.")] = False
) -> Response[Any]:
    """The record of a finished game. Anyone who knows the id may read it; a private one, those who played."""
    found = await finished_game(request, game)
    headers = (
        {"Content-Disposition": f'attachment; filename="{found.game}-{found.id}.jsonl"'} if download else {}
    )
    return Response(msgspec.Raw(found.record.encode()), headers=headers, media_type="application/json")


@get("/api/records/{game:str}/result", responses=problems(400, 404))
async def result(request: Asked, game: Path) -> GameOf:
    """Who played a finished game, and how it ended."""
    return game_of(await finished_game(request, game))


@post("/api/records", responses=problems(400, 401, 403, 409, 413), request_max_body_size=MOST_RECORD)
async def import_record(request: Asked, data: JSONBody[dict[str, Any]]) -> Imported:  # noqa: ARG001
    """Import a game that was played elsewhere. The whole record is verified by the rules."""
    live, guest = live_of(request), await asker(request)
    most = live.context.settings.imports_per_guest
    if most:  # before the work; when it is stored, it is counted again
        await live.context.store.write(games.check_imports, guest.id, most)
    body = await request.body()
    found = await live.jobs.run("import", check_import, body, owner=guest.id, limit=IMPORT_LIMIT)
    if isinstance(found, Fault):
        raise Refusal(Code.RECORD, found.text, decision=found.decision)
    finished = FinishedGame(
        id=live.context.make_id(),
        table_id=None,
        round=1,
        game=found.game,
        edition=found.edition,
        record=found.record,
        finished_at=live.context.now(),
        players=found.players,
        rated=False,
        imported_by=guest.id,
    )
    await live.context.store.write(games.add_imported, finished, most)
    return Imported(finished.id, f"/g/{finished.id}")


@delete("/api/records/{game:str}", responses=problems(400, 401, 403, 404))
async def delete_import(request: Asked, game: Path) -> None:
    """Delete a game that I have imported, or a bot of mine. Games that were played here stay."""
    live, guest = live_of(request), await asker(request)
    found = await live.context.store.read(games.get, game)
    own = {guest.id, *(bot.id for bot in await live.context.store.read(guests.bots_of, guest.id))}
    if found is None or found.imported_by not in own:
        raise Refusal(
            Code.NOT_FOUND, f"you have not imported a game {game}; games that were played here stay"
        )
    await live.context.store.write(games.delete, game, live.context.now())


@get("/api/players/{player:str}", responses=problems(400, 404))
async def profile(request: Asked, player: Path) -> Profile:
    """A guest's name and ratings."""
    guest = await _guest(request, player)
    found = ratings_of(await live_of(request).context.store.read(games.ratings_of, player))
    return Profile(guest.id, guest.name, guest.kind, found)


async def _guest(request: Asked, player: str) -> guests.Guest:
    found = await live_of(request).context.store.read(guests.get, player)
    if found is None:
        raise Refusal(Code.NOT_FOUND, "there is no such person")
    return found


@get("/api/players/{player:str}/games", responses=problems(400, 404))
async def games_of(
    request: Asked,
    player: Path,
    before: Short = "",
    game: Short = "",
    edition: Short = "",
    result: ResultOf = "",
    opponent: Short = "",
) -> list[GameOf]:
    """A guest's finished games, newest first, fifty at a time; private ones for those who played them.

    They can be chosen by game, edition, result and the id of an opponent.
    """
    await _guest(request, player)
    wanted = games.Wanted(game, edition, result, opponent)
    return await games_page(request, player, before, await asker_or_nobody(request), wanted)


@get("/api/players/{player:str}/statistics", responses=problems(400, 404))
async def career(request: Asked, player: Path) -> CareerOf:
    """A guest's share of wins, ratings over time, and whom they met."""
    await _guest(request, player)
    viewer = await asker_or_nobody(request)
    found = await live_of(request).context.store.read(
        games.career, player, viewer.id if viewer else None, MOST_POINTS, MOST_OPPONENTS
    )
    return CareerOf(
        [ShareOf(each.game, each.edition, each.players, each.games, each.won) for each in found.shares],
        [PointOf(each.game, each.edition, each.at, each.before, each.rating) for each in found.history],
        [OpponentOf(each.guest, each.name, each.games) for each in found.opponents],
    )


@get("/api/ladder/{game:str}/{edition:str}", responses=problems(400, 404))
async def ladder(request: Asked, game: Path, edition: Path) -> list[Standing]:
    """The best of an edition, among people with at least five rated games."""
    get_game(game).choose_options(edition)
    rows = await live_of(request).context.store.read(games.ladder, game, edition, MOST_STANDINGS)
    return [
        Standing(place, row.guest, row.name, ratings.shown(row.rating), row.rating.games)
        for place, row in enumerate(rows, 1)
    ]


HANDLERS = [record, result, import_record, delete_import, profile, games_of, career, ladder]
