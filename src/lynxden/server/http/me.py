"""The guest who asks: identity, name, devices, bots, games, and whom they have muted."""

from __future__ import annotations

from typing import Annotated, Literal

from litestar import Response, delete, get, patch, post, put
from litestar.datastructures import Cookie
from litestar.params import JSONBody, Parameter
from msgspec import Meta, Struct

from lynxden.server import forgetting, ratings, sanitize
from lynxden.server.errors import Code, Refusal
from lynxden.server.http.common import (
    Asked,
    Path,
    asker,
    finished_game,
    live_of,
    nobody,
    problems,
    session_of,
)
from lynxden.server.http.cookies import carried, cookies_for, no_cookies
from lynxden.server.http.guard import address
from lynxden.server.http.tables import Listed
from lynxden.server.ids import is_id
from lynxden.server.live import identity
from lynxden.server.live.lobby import row_of
from lynxden.server.live.server import LiveServer
from lynxden.server.store import games, guests, tables
from lynxden.server.store.guests import Guest, Session
from lynxden.server.table import commands
from lynxden.server.table.projections import Result

Name = Annotated[str, Meta(max_length=200, description="Up to 24 visible characters.")]
MOST_GAMES = 50
MOST_SESSIONS = 100


class NewName(Struct, frozen=True, forbid_unknown_fields=True):
    name: Name


class FirstVisit(Struct, frozen=True, forbid_unknown_fields=True):
    name: Name = ""
    """The name that others see; empty for a generated one."""


class Me(Struct, frozen=True):
    id: str
    """Public: others see it."""
    name: str
    kind: str
    """`person` or `bot`."""
    link: bool
    """Whether a personal link is valid."""


class Link(Struct, frozen=True):
    path: str
    """To be opened on another device; what follows `#` is the secret. Sent once, and never again."""


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    secret: Annotated[str, Meta(min_length=1, max_length=100)]
    """What follows `#` in a personal link."""


class Removed(Struct, frozen=True):
    count: int


class SessionOf(Struct, frozen=True):
    """A browser or a program that is signed in."""

    id: str
    """For `DELETE /api/me/sessions/{session}`; it is no token."""
    device: str
    """Browser and system, as far as they were known when it was signed in; may be empty."""
    created_at: int
    """When it was signed in."""
    seen_at: int
    """When it was last used, give or take an hour."""
    here: bool
    """It is the one that asks."""


class Bot(Struct, frozen=True):
    id: str
    name: str


class NewBot(Struct, frozen=True):
    id: str
    name: str
    token: str
    """For the header `Authorization: Bearer …`. Sent once, and never again."""


Short = Annotated[str, Parameter(max_length=80)]
"""A text of a query."""
ResultOf = Annotated[Literal["", "won", "lost"], Parameter(description="Only games won, or only games lost.")]


class RatingOf(Struct, frozen=True):
    game: str
    edition: str
    rating: int
    """The number that is shown: a newcomer has 1000, and average players rise to about 1700."""
    mu: float
    sigma: float
    games: int


class PlayerOf(Struct, frozen=True):
    seat: int
    name: str
    score: int
    won: bool
    guest: str = ""
    own: bool = True
    """False if a bot made a fifth of their decisions or more: then the game is not rated for them."""
    rating_before: int | None = None
    """Their rating before the game; null if the game did not change it."""
    rating: int | None = None
    """Their rating after it."""


class GameOf(Struct, frozen=True):
    id: str
    game: str
    edition: str
    finished_at: int
    players: tuple[PlayerOf, ...]
    rated: bool
    imported: bool
    private: bool = False
    """Only those who played it can see it."""


def game_of(result: Result) -> GameOf:
    return GameOf(
        id=result.id,
        game=result.game,
        edition=result.edition,
        finished_at=result.finished_at,
        players=tuple(
            PlayerOf(p.seat, p.name, p.score, p.won, p.guest or "", p.own, p.rating_before, p.rating)
            for p in result.players
        ),
        rated=result.rated,
        imported=result.table_id is None,
        private=result.private,
    )


def ratings_of(found: dict[tuple[str, str], ratings.Rating]) -> list[RatingOf]:
    return [
        RatingOf(game, edition, ratings.shown(rating), rating.mu, rating.sigma, rating.games)
        for (game, edition), rating in sorted(found.items())
    ]


async def _me(live: LiveServer, guest: Guest) -> Me:
    return Me(guest.id, guest.name, guest.kind, await live.context.store.read(guests.has_link, guest.id))


@post("/api/me", status_code=200, responses=problems(400, 403, 413))
async def arrive(request: Asked, data: JSONBody[FirstVisit]) -> Response[Me]:
    """Get an identity: a guest keeps theirs, anyone else becomes a new guest. It is set as a cookie."""
    live = live_of(request)
    session = await session_of(request)
    if session is not None:
        return Response(await _me(live, session.guest), cookies=_cookies_again(request))
    name = sanitize.name(data.name) if data.name else identity.guest_name()
    if not request.app.state.newcomers.take(address(request.scope)):
        raise Refusal(Code.TOO_MUCH, "too many new guests from your address; wait a while")
    guest, token = await identity.create(live.context, name, _device(request))
    return Response(Me(guest.id, guest.name, guest.kind, False), cookies=_cookies(request, token))


@get("/api/me", responses=problems(401))
async def me(request: Asked) -> Response[Me]:
    """Who I am."""
    live, session = live_of(request), await _session(request)
    await live.context.store.write(guests.touch, session.token, live.context.now())
    return Response(await _me(live, session.guest), cookies=_cookies_again(request))


async def _session(request: Asked) -> Session:
    """The session of the guest who asks; refused without an identity."""
    found = await session_of(request)
    if found is None:
        raise nobody()
    return found


def _device(request: Asked) -> str:
    return sanitize.device(request.headers.get("user-agent", ""))


def _cookies(request: Asked, token: str) -> list[Cookie]:
    return cookies_for(token, carried(request.scope["headers"]), live_of(request).context.settings.secure)


def _cookies_again(request: Asked) -> list[Cookie]:
    """The cookie again, so that it lasts as long as it is used, and has the right name."""
    found = carried(request.scope["headers"])
    return [] if found.token is None or found.bearer is not None else _cookies(request, found.token)


@patch("/api/me", responses=problems(400, 401, 403, 413))
async def rename(request: Asked, data: JSONBody[NewName]) -> Me:
    """Change the name; also at once at tables that are not over."""
    live, guest = live_of(request), await asker(request)
    name = sanitize.name(data.name)
    await live.context.store.write(guests.rename, guest.id, name)
    for row in await live.context.store.read(tables.of_guest, guest.id, ("open", "running"), 100):
        await live.tables.change(
            row.id, lambda state: commands.rename(state, guest.id, name, live.context.now())
        )
    live.people.renamed(guest.id, name)
    return await _me(live, Guest(guest.id, name, guest.kind, guest.owner))


@delete("/api/me", responses=problems(401, 403))
async def forget(request: Asked) -> None:
    """Be forgotten: leave every table, and delete the identity with its links, bots and ratings.

    Finished games stay, without the id.
    """
    live, guest = live_of(request), await asker(request)
    await _forget(live, guest.id)


async def _forget(live: LiveServer, guest: str) -> None:
    context = live.context
    for gone in await forgetting.forget(context.store, guest, context.now, live.tables.change):
        await live.people.sign_out(gone)


@post("/api/me/link", responses=problems(401, 403))
async def make_link(request: Asked) -> Link:
    """A personal link that carries this identity to another device; an older one no longer works."""
    live, here = live_of(request), await _session(request)
    if here.guest.kind != "person":
        raise Refusal(Code.OPTIONS, "a bot has a token, and no personal link")
    secret = await identity.new_link(live.context, here)
    if secret is None:
        raise nobody()
    return Link(f"/me#{secret}")


@delete("/api/me/link", responses=problems(401, 403))
async def revoke_link(request: Asked) -> None:
    """Revoke the personal link. Devices that have used it keep the identity; see `/api/me/devices`."""
    live, guest = live_of(request), await asker(request)
    await live.context.store.write(guests.drop_link, guest.id)


@post("/api/me/claim", status_code=200, responses=problems(400, 401, 403, 413))
async def claim(request: Asked, data: JSONBody[Claim]) -> Response[Me]:
    """Use the identity of a personal link on this device."""
    live = live_of(request)
    guest, token = await identity.claim(live.context, live.people, data.secret, _device(request))
    return Response(await _me(live, guest), cookies=_cookies(request, token))


@delete("/api/me/devices", status_code=200, responses=problems(401, 403))
async def other_devices(request: Asked) -> Removed:
    """Take the identity away from every other device, and revoke the personal link."""
    live, here = live_of(request), await _session(request)
    count = await live.context.store.write(guests.sign_out_others, here.guest.id, here.token)
    if count is None:
        raise nobody()
    await live.people.sign_out(here.guest.id, keep=here.token)
    return Removed(count)


@get("/api/me/sessions", responses=problems(401))
async def my_sessions(request: Asked) -> list[SessionOf]:
    """The browsers and programs that are signed in as me: this one first, then the one that was used last."""
    live, here = live_of(request), await _session(request)
    since = identity.valid_since(live.context)
    found = await live.context.store.read(guests.sessions_of, here.guest.id, here.token, since, MOST_SESSIONS)
    return [
        SessionOf(each.id, each.device, each.created_at, each.seen_at, each.token == here.token)
        for each in found
    ]


@delete("/api/me/sessions/{session:str}", status_code=204, responses=problems(400, 401, 403, 404))
async def end_session(request: Asked, session: Path) -> Response[None]:
    """Sign one of them out: its token is no longer valid, and its sockets are closed. A link stays valid."""
    live, here = live_of(request), await _session(request)
    ended = await live.people.end_session(here, session)
    if ended is None:
        raise Refusal(Code.NOT_FOUND, "you have no such session")
    found = carried(request.scope["headers"])
    mine = ended == here.token and found.bearer is None
    return Response(None, cookies=no_cookies(found, live.context.settings.secure) if mine else None)


@get("/api/me/tables", responses=problems(401))
async def my_tables(request: Asked) -> Listed:
    """The open and running tables where I sit, the last changed first, but no guided games."""
    live, guest = live_of(request), await asker(request)
    rows = await live.context.store.read(tables.of_guest, guest.id, ("open", "running"), 100)
    return Listed(tuple(row for row in map(row_of, rows) if not row.guide))


@get("/api/me/games", responses=problems(400, 401, 404))
async def my_games(
    request: Asked,
    before: Short = "",
    game: Short = "",
    edition: Short = "",
    result: ResultOf = "",
    opponent: Short = "",
) -> list[GameOf]:
    """My finished games, newest first, fifty at a time; `before` is the last game of the page before."""
    guest = await asker(request)
    return await games_page(request, guest.id, before, guest, games.Wanted(game, edition, result, opponent))


async def games_page(
    request: Asked, guest: str, before: str, viewer: Guest | None, wanted: games.Wanted
) -> list[GameOf]:
    """A guest's games after another, as far as a viewer may see them."""
    start = None
    if before:
        if not is_id(before):
            raise Refusal(Code.NOT_FOUND, "there is no such game")
        last = await finished_game(request, before)
        start = last.finished_at, last.id
    found = await live_of(request).context.store.read(
        games.of_guest, guest, viewer.id if viewer else None, MOST_GAMES, start, wanted
    )
    return [game_of(each) for each in found]


@get("/api/me/ratings", responses=problems(401))
async def my_ratings(request: Asked) -> list[RatingOf]:
    """My ratings: per game and edition, from games among people only."""
    live, guest = live_of(request), await asker(request)
    return ratings_of(await live.context.store.read(games.ratings_of, guest.id))


@get("/api/me/bots", responses=problems(401))
async def my_bots(request: Asked) -> list[Bot]:
    """The bots that I have made."""
    live, guest = live_of(request), await asker(request)
    return [Bot(bot.id, bot.name) for bot in await live.context.store.read(guests.bots_of, guest.id)]


@post("/api/me/bots", responses=problems(400, 401, 403, 413))
async def make_bot(request: Asked, data: JSONBody[NewName]) -> NewBot:
    """An identity and a token for a bot of mine; see `docs/protocol.md` for how it plays."""
    live, guest = live_of(request), await asker(request)
    bot, token = await identity.create_bot(live.context, live.people, guest, sanitize.name(data.name))
    return NewBot(bot.id, bot.name, token)


@delete("/api/me/bots/{bot:str}", responses=problems(400, 401, 403, 404))
async def delete_bot(request: Asked, bot: Path) -> None:
    """Delete a bot of mine; its token is no longer valid."""
    live, guest = live_of(request), await asker(request)
    if bot not in {found.id for found in await live.context.store.read(guests.bots_of, guest.id)}:
        raise Refusal(Code.NOT_FOUND, "you have no such bot")
    await _forget(live, bot)


@get("/api/me/mutes", responses=problems(401))
async def my_mutes(request: Asked) -> list[str]:
    """The public ids of people whom I have muted."""
    live, guest = live_of(request), await asker(request)
    return sorted(await live.context.store.read(guests.muted_by, guest.id))


@put("/api/me/mutes/{guest:str}", status_code=204, responses=problems(400, 401, 403, 404))
async def mute(request: Asked, guest: Path) -> None:
    """Mute somebody: their chat is no longer sent to me."""
    live, me = live_of(request), await asker(request)
    if guest == me.id:
        raise Refusal(Code.OPTIONS, "you cannot mute yourself")
    if await live.context.store.read(guests.get, guest) is None:
        raise Refusal(Code.NOT_FOUND, "there is no such person")
    await live.context.store.write(guests.mute, me.id, guest)
    await live.people.mute_everywhere(me.id)


@delete("/api/me/mutes/{guest:str}", responses=problems(400, 401, 403))
async def unmute(request: Asked, guest: Path) -> None:
    """No longer mute somebody."""
    live, me = live_of(request), await asker(request)
    await live.context.store.write(guests.unmute, me.id, guest)
    await live.people.mute_everywhere(me.id)


HANDLERS = [
    arrive, me, rename, forget, make_link, revoke_link, claim, other_devices, my_sessions, end_session,
    my_tables, my_games, my_ratings, my_bots, make_bot, delete_bot, my_mutes, mute, unmute,
]  # fmt: skip
