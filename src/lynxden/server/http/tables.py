"""Tables: create, list, join, start, leave, rematch."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Annotated

from litestar import get, post, put
from litestar.params import JSONBody, Parameter
from msgspec import Meta, Struct, field

from lynxden import bots
from lynxden.games.registry import GAMES, get_game
from lynxden.server import protocol
from lynxden.server.errors import Code, Refusal
from lynxden.server.http.common import Asked, Path, asker, live_of, problems
from lynxden.server.http.guard import address
from lynxden.server.live.actor import LiveTable
from lynxden.server.live.context import Context
from lynxden.server.live.lobby import row_of
from lynxden.server.live.server import LiveServer
from lynxden.server.store import tables as stored
from lynxden.server.store.guests import Guest
from lynxden.server.table import characters, commands, entries, plans
from lynxden.server.table.plans import MOST_ROUNDS, Clock, Plan, SeatPlan, Speed
from lynxden.server.table.state import Phase, TableState, first_state

Word = Annotated[str, Meta(max_length=40)]
Invite = Annotated[str, Meta(max_length=64)]


class EditionInfo(Struct, frozen=True):
    name: str
    players: tuple[int, ...]


class GameInfo(Struct, frozen=True):
    name: str
    title: str
    editions: tuple[EditionInfo, ...]
    guide: bool = False
    """Whether there is a guided first game (`POST /api/guide`)."""


class BotInfo(Struct, frozen=True):
    """A bot that can have a seat."""

    name: str
    title: str
    description: str
    """What it is like, in English."""
    level: int | None
    """Its place among the opponents that are offered to people, 1 is the gentlest; null for all others."""
    games: tuple[str, ...]
    """Which games it plays."""


class Offer(Struct, frozen=True):
    """What this server offers."""

    games: tuple[GameInfo, ...]
    bots: tuple[BotInfo, ...]
    """The opponents for people first, from gentle to strong."""
    phrases: tuple[str, ...]
    """Quick phrases for chat."""


class Listed(Struct, frozen=True):
    tables: tuple[protocol.Row, ...]


class ClockChoice(Clock, frozen=True, forbid_unknown_fields=True):
    """How much time people have."""


class SeatChoice(SeatPlan, frozen=True, forbid_unknown_fields=True):
    """Who may take a seat."""


class NewTable(Struct, frozen=True, forbid_unknown_fields=True):
    """A new table. The guest who makes it takes the first seat that is not a bot's."""

    game: Word = "linko"
    edition: Word = ""
    """Empty for the game's first edition."""
    seats: Annotated[list[SeatChoice], Meta(min_length=2, max_length=5)] = field(default_factory=list)
    """All seats, the host's included; if left out, open seats for the usual number of players."""
    public: bool = False
    spectators: bool = True
    clock: ClockChoice = ClockChoice()
    rounds: Annotated[int, Meta(ge=0, le=MOST_ROUNDS)] = 0
    """How often each player starts in the match; 0 for a single game."""
    speed: Speed = "normal"


class PlayNow(Struct, frozen=True, forbid_unknown_fields=True):
    """A table against bots, started at once."""

    game: Word = "linko"
    edition: Word = ""
    bots: Annotated[list[Word], Meta(max_length=4)] = field(default_factory=list)
    """One for each opponent, by a name from `GET /api/games`; if left out, `hunter` on every other seat."""
    players: Annotated[int, Meta(ge=0, le=5)] = 0
    """The number of players if `bots` is left out; 0 for the usual number."""
    clock: ClockChoice = ClockChoice()
    rounds: Annotated[int, Meta(ge=0, le=MOST_ROUNDS)] = 0
    speed: Speed = "normal"
    spectators: bool = True


class GuidedGame(Struct, frozen=True, forbid_unknown_fields=True):
    """A guided first game."""

    game: Word = "linko"
    speed: Speed = "normal"


class Made(Struct, frozen=True):
    """A table that was made."""

    id: str
    invite: str
    """The secret of its invitation link."""
    path: str
    """The path of the invitation link on this server; browsers never send what follows `#`."""


class Join(Struct, frozen=True, forbid_unknown_fields=True):
    seat: Annotated[int, Meta(ge=0, le=4)] | None = None
    """Counted from 0; if left out, the first that is free."""
    invite: Invite = ""


class Invited(Struct, frozen=True, forbid_unknown_fields=True):
    invite: Invite = ""


class Invitation(Struct, frozen=True):
    """What an invitation is good for at this moment."""

    game: str
    edition: str
    phase: Phase
    host: str
    """The host's name; empty if they do not sit there any more."""
    use: commands.Use
    """I sit there or wait for the next game; or I can sit down, wait or watch; or none of it."""
    rematch: str = ""
    """The table where they play again, with the same invitation."""


class Start(Struct, frozen=True, forbid_unknown_fields=True):
    bot: Word = plans.USUAL_BOT
    """For the empty seats: a name from `GET /api/games`."""


class Remove(Struct, frozen=True, forbid_unknown_fields=True):
    guest: Annotated[str, Meta(min_length=1, max_length=64)]
    """The public id of the person, as `guest` of their seat."""


class Spectators(Struct, frozen=True, forbid_unknown_fields=True):
    open: bool


class Seated(Struct, frozen=True):
    """The guest's seat, and the number of the table's last event."""

    number: int
    seat: int | None


@get("/api/games", responses=problems())
async def offer() -> Offer:
    """The games, editions, bots and quick phrases of this server."""
    games = tuple(
        GameInfo(
            game.name,
            game.title,
            tuple(EditionInfo(name, tuple(options.player_counts)) for name, options in game.editions.items()),
            game.guide is not None,
        )
        for game in GAMES.values()
    )
    offered = tuple(
        BotInfo(kind.name, kind.title, kind.description, kind.level, tuple(filter(kind.plays, GAMES)))
        for kind in bots.kinds()
    )
    return Offer(games, offered, protocol.PHRASES)


@get("/api/tables", responses=problems())
async def listed(request: Asked) -> Listed:
    """The public tables that wait for players: hosts take turns, newest first. The socket sends them live."""
    return Listed(await live_of(request).lobby.rows())


@post("/api/tables", responses=problems(400, 401, 403, 413))
async def create(request: Asked, data: JSONBody[NewTable]) -> Made:
    """Make a table and take a seat there."""
    live, guest = live_of(request), await asker(request)
    plan = plans.make_plan(
        data.game, data.edition, data.seats, data.public, data.spectators, data.clock, data.rounds, data.speed
    )
    return await _create(live, guest, plan, address(request.scope))


@post("/api/play", responses=problems(400, 401, 403, 413))
async def play_now(request: Asked, data: JSONBody[PlayNow]) -> Made:
    """Play against bots at once: make and start a table."""
    live, guest = live_of(request), await asker(request)
    opponents = data.bots or plans.usual_bots(data.game, data.edition, data.players)
    places = (SeatPlan("invited"), *(SeatPlan("bot", bot) for bot in opponents))
    plan = plans.make_plan(
        data.game, data.edition, places, False, data.spectators, data.clock, data.rounds, data.speed
    )
    return await _create(live, guest, plan, address(request.scope))


@post("/api/guide", responses=problems(400, 401, 403, 413))
async def guide(request: Asked, data: JSONBody[GuidedGame]) -> Made:
    """Begin a guided first game: a prepared deal against bots. It is not listed, kept or rated.

    It begins anew each time; one that was not finished is given up.
    """
    live, guest = live_of(request), await asker(request)
    plan = plans.guide_plan(data.game, data.speed)
    for row in await live.context.store.read(stored.of_guest, guest.id, ("running",), 100):
        if row_of(row).guide:
            await _leave(live, guest, await live.tables.get(row.id))
    return await _create(live, guest, plan, address(request.scope))


async def _create(live: LiveServer, guest: Guest, plan: Plan, where: str) -> Made:
    context = live.context
    origin = await live.origins.of(where) if plan.public else ""
    async with live.people.turn(guest.id), live.people.turn(origin) if origin else nullcontext():
        await check_room(live, guest)
        if plan.public:
            await check_lobby(live, guest, origin)
        now = context.now()
        first = entries.Created(
            now,
            by=guest.id,
            plan=plan,
            invite=context.make_id(),
            names=characters.for_plan(plan.seats, (guest.name,), context.cast),
            rules=get_game(plan.game).rules_version,
        )
        state, program = first_state("-", first), guest.kind == "bot"
        sat = commands.sit(state, guest.id, guest.name, program, None, first.invite, now, context.next_game)
        return made(await live.tables.create(first, *sat, origin=origin))


def made(table: LiveTable) -> Made:
    state = table.state
    return Made(state.id, state.invite, f"/t/{state.id}#i={state.invite}")


async def check_room(live: LiveServer, guest: Guest) -> None:
    """Refuse a guest who has too many tables."""
    most = live.context.settings.tables_per_guest
    if not most:
        return
    own = await live.context.store.read(stored.of_guest, guest.id, ("open", "running"), most)
    if len(own) >= most:
        raise Refusal(Code.TOO_MUCH, f"you sit at {most} tables that are not over: finish or leave one first")


async def check_lobby(live: LiveServer, guest: Guest, origin: str) -> None:
    """Refuse a guest who has too many tables in the lobby, or whose network address has."""
    settings = live.context.settings
    own, there = await live.context.store.read(stored.count_listed, guest.id, origin)
    if 0 < settings.open_tables_per_guest <= own:
        raise Refusal(
            Code.TOO_MUCH,
            f"{own} public tables of yours wait for players: start or close one first, or make a private one",
        )
    if 0 < settings.open_tables_per_address <= there:
        raise Refusal(
            Code.TOO_MUCH,
            f"{there} public tables from your network address wait for players: join one, or make a private "
            "one",
        )


async def known(live: LiveServer, guest: Guest, table: str) -> LiveTable:
    """A table that a guest may know; for others a private one does not exist."""
    found = await live.tables.get(table)
    if not commands.may_enter(found.state, guest.id, ""):
        raise commands.no_table(table)
    return found


@get("/api/tables/{table:str}", responses=problems(400, 401, 403, 404))
async def show(
    request: Asked, table: Path, invite: Annotated[str, Parameter(max_length=64)] = ""
) -> protocol.TableNow:
    """A table as I may see it: the socket's answer to `watch`, without chat and missed events.

    A proxy may log addresses, and with it `invite`; the socket takes the invitation in a message.
    """
    live, guest = live_of(request), await asker(request)
    found = await live.tables.get(table)
    if live.context.shared:
        await found.catch_up()
    found.check_watcher(guest.id, invite)
    state = found.state
    seat = state.seat_of(guest.id)
    seen = found.as_seen()
    return protocol.TableNow(state.last, seen.info(seat, guest.id), seat, seen.game(seat))


@post("/api/tables/{table:str}/invitation", status_code=200, responses=problems(400, 401, 403, 404, 413))
async def invitation(request: Asked, table: Path, data: JSONBody[Invited]) -> Invitation:
    """What I can do at a table with its invitation, even if it is closed to spectators. Changes nothing."""
    live, guest = live_of(request), await asker(request)
    found = await live.tables.get(table)
    if live.context.shared:
        await found.catch_up()
    state = found.state
    use = commands.use_of(state, guest.id, data.invite)
    host = state.seat_of(state.host)
    name = "" if host is None else state.seats[host].name
    return Invitation(state.plan.game, state.plan.edition, state.phase, name, use, state.rematch)


@post("/api/tables/{table:str}/join", status_code=200, responses=problems(400, 401, 403, 404, 409, 413))
async def join(request: Asked, table: Path, data: JSONBody[Join]) -> Seated:
    """Take a seat. When all seats are taken, the game starts.

    With the invitation also that of a bot: at once between games of a match and before a rematch starts;
    while a game is played, and when the table is over, from the next game on. Then `seat` is null, and
    `next_guest` of the table's seat is the guest.
    """
    live, guest = live_of(request), await asker(request)
    context = live.context
    found = await live.tables.get(table)
    async with live.people.turn(guest.id):
        if found.state.seat_of(guest.id) is None:
            await check_room(live, guest)
        state = await found.change(_sit(context, guest, data.seat, data.invite))
    return Seated(state.last, state.seat_of(guest.id))


def _sit(context: Context, guest: Guest, seat: int | None, invite: str) -> commands.Command:
    program = guest.kind == "bot"
    return lambda state: commands.sit(
        state, guest.id, guest.name, program, seat, invite, context.now(), context.next_game
    )


@post("/api/tables/{table:str}/leave", status_code=200, responses=problems(400, 401, 403, 404, 409))
async def leave(request: Asked, table: Path) -> Seated:
    """Leave: before the start the seat is free again, later a bot has it for good.

    A table that has not started is closed when its host leaves.
    """
    live, guest = live_of(request), await asker(request)
    state = await _leave(live, guest, await known(live, guest, table))
    return Seated(state.last, state.seat_of(guest.id))


async def _leave(live: LiveServer, guest: Guest, table: LiveTable) -> TableState:
    now = live.context.now
    return await table.change(lambda state: commands.leave(state, guest.id, now(), plans.USUAL_BOT))


@post("/api/tables/{table:str}/start", status_code=200, responses=problems(400, 401, 403, 404, 409, 413))
async def start(request: Asked, table: Path, data: JSONBody[Start]) -> Seated:
    """Start now, with bots in the empty seats (host)."""
    live, guest = live_of(request), await asker(request)
    context = live.context
    found = await known(live, guest, table)
    plans.check_bot(data.bot, found.state.plan.game, found.state.plan.edition)
    state = await found.change(
        lambda state: commands.start(
            state, guest.id, context.now(), data.bot, context.next_game, context.cast
        )
    )
    return Seated(state.last, state.seat_of(guest.id))


@post("/api/tables/{table:str}/close", status_code=200, responses=problems(400, 401, 403, 404, 409))
async def close(request: Asked, table: Path) -> Seated:
    """Close the table before the start (host)."""
    live, guest = live_of(request), await asker(request)
    context = live.context
    found = await known(live, guest, table)
    state = await found.change(lambda state: commands.close(state, guest.id, context.now()))
    return Seated(state.last, state.seat_of(guest.id))


@post("/api/tables/{table:str}/remove", status_code=200, responses=problems(400, 401, 403, 404, 409, 413))
async def remove(request: Asked, table: Path, data: JSONBody[Remove]) -> Seated:
    """Remove somebody who has not started to play (host). They are notified, and cannot come back.

    Before the start that is anybody who sits at the table, later anybody who waits for the next game.
    """
    live, guest = live_of(request), await asker(request)
    context = live.context
    found = await known(live, guest, table)
    state = await found.change(lambda state: commands.remove(state, guest.id, data.guest, context.now()))
    return Seated(state.last, state.seat_of(guest.id))


@post("/api/tables/{table:str}/pause", status_code=200, responses=problems(400, 401, 403, 404, 409))
async def pause(request: Asked, table: Path) -> Seated:
    """Pause the game (host; while the host is away, anybody who plays). It goes on by itself after a day."""
    live, guest = live_of(request), await asker(request)
    found = await known(live, guest, table)
    state = await found.pause(guest.id)
    return Seated(state.last, state.seat_of(guest.id))


@post("/api/tables/{table:str}/continue", status_code=200, responses=problems(400, 401, 403, 404, 409))
async def go_on(request: Asked, table: Path) -> Seated:
    """Go on after a pause (host; while the host is away, anybody who plays)."""
    live, guest = live_of(request), await asker(request)
    context = live.context
    found = await known(live, guest, table)
    state = await found.change(lambda state: commands.go_on(state, guest.id, context.now()))
    return Seated(state.last, state.seat_of(guest.id))


@put("/api/tables/{table:str}/spectators", responses=problems(400, 401, 403, 404, 409, 413))
async def spectators(request: Asked, table: Path, data: JSONBody[Spectators]) -> Seated:
    """Open the table to spectators, or close it (host)."""
    live, guest = live_of(request), await asker(request)
    context = live.context
    found = await known(live, guest, table)
    state = await found.change(lambda state: commands.watching(state, guest.id, data.open, context.now()))
    return Seated(state.last, state.seat_of(guest.id))


@post("/api/tables/{table:str}/rematch", status_code=200, responses=problems(400, 401, 403, 404, 409))
async def rematch(request: Asked, table: Path) -> Made:
    """Play again with the same people and options; the start moves on.

    The first to ask makes the new table, everybody else who asks joins it. It starts when all are there.
    """
    live, guest = live_of(request), await asker(request)
    context = live.context
    old = await known(live, guest, table)
    commands.own_seat(old.state, guest.id)
    if not old.state.rematch:
        await check_room(live, guest)
    found = await live.tables.rematch(old, guest)
    await found.change(_sit(context, guest, None, ""))
    return made(found)


HANDLERS = [
    offer, listed, create, play_now, guide, show, invitation, join, leave, start, close, remove, pause, go_on,
    spectators, rematch,
]  # fmt: skip
