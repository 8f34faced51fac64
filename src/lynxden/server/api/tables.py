"""Tables: make, find, join, start, leave, play again."""

from __future__ import annotations

from typing import Annotated

from litestar import get, post, put
from litestar.params import JSONBody, Parameter
from msgspec import Meta, Struct, field

from lynxden.bots import BOTS
from lynxden.games.registry import GAMES
from lynxden.server import characters, log, plans, protocol, seats, tell
from lynxden.server.api.common import Asked, Path, asker, hub_of, problems
from lynxden.server.errors import Code, Refusal
from lynxden.server.hub import Hub
from lynxden.server.log import Clock, SeatPlan
from lynxden.server.plans import MOST_ROUNDS, Speed
from lynxden.server.state import first_state
from lynxden.server.store import tables as stored
from lynxden.server.store.guests import Guest
from lynxden.server.table import Table

Word = Annotated[str, Meta(max_length=40)]
Invite = Annotated[str, Meta(max_length=64)]


class EditionInfo(Struct, frozen=True):
    name: str
    players: tuple[int, ...]


class GameInfo(Struct, frozen=True):
    name: str
    title: str
    editions: tuple[EditionInfo, ...]


class Offer(Struct, frozen=True):
    """What can be played here."""

    games: tuple[GameInfo, ...]
    bots: tuple[str, ...]
    phrases: tuple[str, ...]
    """Quick phrases for chat."""


class Listed(Struct, frozen=True):
    tables: tuple[protocol.Row, ...]


class NewTable(Struct, frozen=True, forbid_unknown_fields=True):
    """A table to be made. Whoever makes it takes the first seat that is not a bot's."""

    game: Word = "linko"
    edition: Word = ""
    """Empty for the game's first edition."""
    seats: Annotated[list[SeatPlan], Meta(min_length=2, max_length=5)] = field(default_factory=list)
    """Everybody's places, the host's included; left out: as many open seats as is usual."""
    public: bool = False
    spectators: bool = True
    clock: Clock = Clock()
    rounds: Annotated[int, Meta(ge=0, le=MOST_ROUNDS)] = 0
    """How often each player starts in the match; 0 for a single game."""
    speed: Speed = "normal"


class PlayNow(Struct, frozen=True, forbid_unknown_fields=True):
    """A table against bots, started at once."""

    game: Word = "linko"
    edition: Word = ""
    bots: Annotated[list[Word], Meta(max_length=4)] = field(default_factory=list)
    """One for each opponent; left out: as many of the first bot as is usual."""
    players: Annotated[int, Meta(ge=0, le=5)] = 0
    """How many sit there if `bots` is left out; 0 for the usual number."""
    clock: Clock = Clock()
    rounds: Annotated[int, Meta(ge=0, le=MOST_ROUNDS)] = 0
    speed: Speed = "normal"
    spectators: bool = True


class Made(Struct, frozen=True):
    """A table that was made."""

    id: str
    invite: str
    """The secret of its invitation link."""
    path: str
    """The invitation link, below this server's address."""


class Join(Struct, frozen=True, forbid_unknown_fields=True):
    seat: Annotated[int, Meta(ge=0, le=4)] | None = None
    """Counted from 0; left out: the first that is free."""
    invite: Invite = ""


class Start(Struct, frozen=True, forbid_unknown_fields=True):
    bot: Word = "greedy"
    """For the empty seats."""


class Spectators(Struct, frozen=True, forbid_unknown_fields=True):
    open: bool


class Seated(Struct, frozen=True):
    """Where somebody sits now, and the last event of the table."""

    number: int
    seat: int | None


@get("/api/games", responses=problems())
async def offer() -> Offer:
    """The games, editions and bots that this server has."""
    games = tuple(
        GameInfo(
            game.name,
            game.title,
            tuple(EditionInfo(name, tuple(options.player_counts)) for name, options in game.editions.items()),
        )
        for game in GAMES.values()
    )
    return Offer(games, tuple(BOTS), protocol.PHRASES)


@get("/api/tables", responses=problems())
async def listed(request: Asked) -> Listed:
    """The public tables that wait for players, newest first. The socket tells the same live."""
    return Listed(await hub_of(request).lobby.rows())


@post("/api/tables", responses=problems(400, 401, 403, 413))
async def create(request: Asked, data: JSONBody[NewTable]) -> Made:
    """Make a table and sit down at it."""
    hub, guest = hub_of(request), await asker(request)
    plan = plans.plan(
        data.game, data.edition, data.seats, data.public, data.spectators, data.clock, data.rounds, data.speed
    )
    return await _create(hub, guest, plan)


@post("/api/play", responses=problems(400, 401, 403, 413))
async def play_now(request: Asked, data: JSONBody[PlayNow]) -> Made:
    """Play against bots at once: the table is made and started in one go."""
    hub, guest = hub_of(request), await asker(request)
    opponents = data.bots or plans.usual_bots(data.game, data.edition, data.players)
    places = (SeatPlan("invited"), *(SeatPlan("bot", bot) for bot in opponents))
    plan = plans.plan(
        data.game, data.edition, places, False, data.spectators, data.clock, data.rounds, data.speed
    )
    return await _create(hub, guest, plan)


async def _create(hub: Hub, guest: Guest, plan: log.Plan) -> Made:
    async with hub.turn(guest.id):
        await check_room(hub, guest)
        now = hub.now()
        names = characters.for_plan(plan.seats, (guest.name,), hub.cast)
        first = log.Created(now, by=guest.id, plan=plan, invite=hub.make_id(), names=names)
        state = first_state("-", first)
        sat = seats.sit(state, guest.id, guest.name, guest.kind == "bot", None, first.invite, now, hub.deal)
        return made(await hub.create(first, *sat))


def made(table: Table) -> Made:
    state = table.state
    return Made(state.id, state.invite, f"/t/{state.id}?i={state.invite}")


async def check_room(hub: Hub, guest: Guest) -> None:
    """Nobody may fill the server with tables."""
    most = hub.settings.tables_per_guest
    if not most:
        return
    own = await hub.store.read(stored.of_guest, guest.id, ("open", "running"), most)
    if len(own) >= most:
        raise Refusal(Code.TOO_MUCH, f"you sit at {most} tables that are not over: finish or leave one first")


async def known(hub: Hub, guest: Guest, table: str) -> Table:
    """A table that somebody may know; a private one does not exist for strangers."""
    found = await hub.table(table)
    if not seats.may_enter(found.state, guest.id, ""):
        raise seats.no_table(table)
    return found


@get("/api/tables/{table:str}", responses=problems(400, 401, 403, 404))
async def show(
    request: Asked, table: Path, invite: Annotated[str, Parameter(max_length=64)] = ""
) -> protocol.Table:
    """A table as I may see it: the same as the socket's answer to `watch`."""
    hub, guest = hub_of(request), await asker(request)
    found = await hub.table(table)
    if hub.shared:
        await found.catch_up()
    found.check_watcher(guest.id, invite)
    state = found.state
    seat = state.seat_of(guest.id)
    teller = tell.Teller(state, hub.now())
    return protocol.Table(state.last, teller.info(seat, guest.id), seat, teller.game(seat))


@post("/api/tables/{table:str}/join", status_code=200, responses=problems(400, 401, 403, 404, 409, 413))
async def join(request: Asked, table: Path, data: JSONBody[Join]) -> Seated:
    """Take a seat. When all seats are taken, the game starts."""
    hub, guest = hub_of(request), await asker(request)
    found = await hub.table(table)
    async with hub.turn(guest.id):
        if found.state.seat_of(guest.id) is None:
            await check_room(hub, guest)
        state = await found.change(
            lambda state: seats.sit(
                state, guest.id, guest.name, guest.kind == "bot", data.seat, data.invite, hub.now(), hub.deal
            )
        )
    return Seated(state.last, state.seat_of(guest.id))


@post("/api/tables/{table:str}/leave", status_code=200, responses=problems(400, 401, 403, 404, 409))
async def leave(request: Asked, table: Path) -> Seated:
    """Leave: before the start the seat is free again, later a bot has it for good.

    A table that has not started is closed when its host leaves.
    """
    hub, guest = hub_of(request), await asker(request)
    found = await known(hub, guest, table)
    state = await found.change(lambda state: seats.leave(state, guest.id, hub.now()))
    return Seated(state.last, state.seat_of(guest.id))


@post("/api/tables/{table:str}/start", status_code=200, responses=problems(400, 401, 403, 404, 409, 413))
async def start(request: Asked, table: Path, data: JSONBody[Start]) -> Seated:
    """Start now, with bots in the empty seats (host)."""
    hub, guest = hub_of(request), await asker(request)
    plans.check_bot(data.bot)
    found = await known(hub, guest, table)
    state = await found.change(
        lambda state: seats.start(state, guest.id, hub.now(), data.bot, hub.deal, hub.cast)
    )
    return Seated(state.last, state.seat_of(guest.id))


@post("/api/tables/{table:str}/close", status_code=200, responses=problems(400, 401, 403, 404, 409))
async def close(request: Asked, table: Path) -> Seated:
    """Give the table up before the start (host)."""
    hub, guest = hub_of(request), await asker(request)
    found = await known(hub, guest, table)
    state = await found.change(lambda state: seats.close(state, guest.id, hub.now()))
    return Seated(state.last, state.seat_of(guest.id))


@put("/api/tables/{table:str}/spectators", responses=problems(400, 401, 403, 404, 409, 413))
async def spectators(request: Asked, table: Path, data: JSONBody[Spectators]) -> Seated:
    """Open the table to spectators, or close it (host)."""
    hub, guest = hub_of(request), await asker(request)
    found = await known(hub, guest, table)
    state = await found.change(lambda state: seats.watching(state, guest.id, data.open, hub.now()))
    return Seated(state.last, state.seat_of(guest.id))


@post("/api/tables/{table:str}/rematch", status_code=200, responses=problems(400, 401, 403, 404, 409))
async def rematch(request: Asked, table: Path) -> Made:
    """Play again with the same people and options; the start moves on.

    The first to ask makes the new table, everybody else who asks joins it. It starts when all are there.
    """
    hub, guest = hub_of(request), await asker(request)
    old = await known(hub, guest, table)
    seats.own_seat(old.state, guest.id)
    if not old.state.rematch:
        await check_room(hub, guest)
        first = seats.rematch(old.state, guest.id, hub.now(), hub.make_id())
        new = await hub.create(first)
        state = await old.change(
            lambda state: () if state.rematch else [log.Rematched(hub.now(), new.state.id)]
        )
        if state.rematch != new.state.id:  # somebody asked at the same moment
            await new.change(lambda state: seats.close(state, guest.id, hub.now()))
    found = await hub.table(old.state.rematch)
    await found.change(
        lambda state: seats.sit(
            state, guest.id, guest.name, guest.kind == "bot", None, "", hub.now(), hub.deal
        )
    )
    return made(found)


HANDLERS = [offer, listed, create, play_now, show, join, leave, start, close, spectators, rematch]
