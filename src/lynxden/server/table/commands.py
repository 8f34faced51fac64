"""What may be done at a table. A command returns the entries to be written, or refuses; it changes nothing.

`state` is the present state of the table; `at` is the present time. Whether an *action* is
legal is not decided here but by the rules, when the entry is applied.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from lynxden.games.core import Position
from lynxden.server.errors import Code, Refusal
from lynxden.server.table import entries
from lynxden.server.table.characters import Casting
from lynxden.server.table.plans import Plan, SeatPlan
from lynxden.server.table.state import TableState

Entries = Sequence[entries.Entry]
Command = Callable[[TableState], Entries]
"""From the present state to the entries to be written; may refuse."""


class Dealing(NamedTuple):
    """What is left to luck when a game begins."""

    start: Position
    record: str
    """The id that its record will have."""
    luck: str = ""
    """Where the bots' luck comes from in this game; sent to nobody."""


Dealer = Callable[[TableState], Dealing]
"""Deals the next game of a table's match."""


class Repeated(Exception):
    """An action that was stored before under the same id."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def carry_out(state: TableState, command: Command) -> tuple[list[entries.Entry], list[TableState]]:
    """What a command writes, and the table after each entry; nothing of it is stored yet."""
    if state.read_only:
        raise Refusal(Code.READ_ONLY, "this table was played by another version: it can only be looked at")
    written: list[entries.Entry] = []
    states: list[TableState] = []
    for entry in command(state):
        state = state.after(entry)
        states.append(state)
        ended = isinstance(entry, entries.Acted) and state.ended
        written.append(replace(entry, outcome=state.outcome) if ended else entry)
    return written, states


# --- Before the start -----------------------------------------------------------------------------------


def check_not_removed(state: TableState, guest: str) -> None:
    """Refuse somebody whom the host has removed."""
    if guest in state.removed:
        raise Refusal(Code.REMOVED, "the host has removed you from this table: choose another one")


def may_enter(state: TableState, guest: str, invite: str) -> bool:
    """Whether a guest may know this table: it is public, or they belong to it, or have the link."""
    return (
        state.plan.public
        or guest == state.host
        or any(guest in (seat.guest, seat.reserved, seat.next_guest) for seat in state.seats)
        or (invite != "" and invite == state.invite)
    )


def no_table(table: str) -> Refusal:
    """The refusal for a table that does not exist, and for one that the guest may not know."""
    return Refusal(Code.NOT_FOUND, f"there is no table {table}, or it needs its invitation link")


def sit(
    state: TableState,
    guest: str,
    name: str,
    program: bool,
    seat: int | None,
    invite: str,
    at: int,
    deal: Dealer,
) -> Entries:
    """Take a seat: the one asked for, or the first that is free for this person. A full table starts.

    Anybody with the invitation can also have the seat of a bot: at once between games and before the start of
    a rematch, from the next game on while one is played, and in the rematch when the table is over.
    """
    if not may_enter(state, guest, invite):
        raise no_table(state.id)
    check_not_removed(state, guest)
    if state.seat_of(guest) is not None:
        return ()  # already there
    if state.waiting_of(guest) is not None:
        return ()  # they have asked before
    if state.phase == "closed":
        raise Refusal(Code.SEAT_TAKEN, "this table is closed: make another one, or join one")
    if state.rematch:
        raise Refusal(Code.SEAT_TAKEN, f"this table is over; they play again at table {state.rematch}")
    if state.plan.guide and guest != state.host:
        raise Refusal(Code.SEAT_TAKEN, "a guided game is for one person: start one of your own")
    seat = _chosen(state, guest, seat, invite)
    if state.phase != "open" and not state.between:
        return [entries.Waits(at, seat, guest, name, program)]
    sat = entries.Sat(at, seat, guest, name, program)
    after = state.after(sat)
    if state.phase == "open" and not any(s.free for s in after.seats):
        return [sat, dealt(after, at, deal)]
    return [sat]


Use = Literal["seated", "waiting", "sit", "wait", "watch", "none"]
"""What an invitation is good for: its holder sits there or waits already; or can sit down, wait for the next
game, or watch; or none of it."""


def use_of(state: TableState, guest: str, invite: str) -> Use:
    """What somebody could do at this table now."""
    if not may_enter(state, guest, invite):
        raise no_table(state.id)
    check_not_removed(state, guest)
    if state.seat_of(guest) is not None:
        return "seated"
    if state.waiting_of(guest) is not None:
        return "waiting"
    if state.phase != "closed" and not state.rematch and not state.plan.guide:
        with suppress(Refusal):
            _chosen(state, guest, None, invite)
            return "sit" if state.phase == "open" or state.between else "wait"
    return "watch" if state.spectators else "none"


def _chosen(state: TableState, guest: str, seat: int | None, invite: str) -> int:
    """The seat that somebody asks for, or the best that they can have."""
    numbers = range(len(state.seats))
    if seat is not None and seat not in numbers:
        raise Refusal(Code.OPTIONS, f"there is no seat {seat}: seats are 0 to {len(state.seats) - 1}")
    free = [number for number in numbers if _free_for(state, number, guest, invite)]
    free.sort(key=lambda number: state.seats[number].reserved != guest)
    bots = [number for number in numbers if _from_bot(state, number, guest, invite)]
    found = [*free, *bots] if seat is None else [number for number in (*free, *bots) if number == seat]
    if found:
        return found[0]
    if seat is not None:
        raise Refusal(Code.SEAT_TAKEN, f"seat {seat} is not free for you")
    if state.phase == "open":
        raise Refusal(Code.SEAT_TAKEN, "there is no free seat for you at this table")
    raise Refusal(
        Code.SEAT_TAKEN, "this table has started: with its invitation you can have the seat of a bot, if any"
    )


def _free_for(state: TableState, number: int, guest: str, invite: str) -> bool:
    seat = state.seats[number]
    if not seat.free:
        return False
    if seat.reserved is not None:
        return seat.reserved == guest
    return seat.kind == "open" or invite == state.invite or guest == state.host


def _from_bot(state: TableState, number: int, guest: str, invite: str) -> bool:
    """Whether somebody can have the seat of a bot; a host who plans one has a reason, a rematch goes on."""
    if state.phase == "open" and not state.evening:
        return False
    seat = state.seats[number]
    invited = invite == state.invite or guest in (state.host, seat.guest)
    return seat.by_bot and not seat.next_guest and invited


def leave(state: TableState, guest: str, at: int, bot: str) -> Entries:
    """Leave the table: before the start the seat is free again, later a bot has it for good.

    Somebody who waits for the next game waits no longer.
    """
    waiting = state.waiting_of(guest)
    if waiting is not None:
        return [entries.Waits(at, waiting)]
    seat = own_seat(state, guest)
    if state.phase == "open":
        stood = entries.Stood(at, seat)
        if guest == state.host:
            return [stood, entries.Closed(at, "host")]
        return [stood]
    if state.phase != "running":
        return ()
    quit_ = entries.Quit(at, seat, bot)
    # Nobody is left to play for: bots do not go on among themselves, but for a game that counts.
    on = state.rated or state.after(quit_).people
    return [quit_] if on else [quit_, entries.Closed(at, "empty")]


def start(state: TableState, guest: str, at: int, bot: str, deal: Dealer, cast: Casting) -> Entries:
    """Start now, with bots in the empty seats."""
    only_host(state, guest)
    if state.phase != "open":
        raise Refusal(Code.NOT_RUNNING, "this table has already started")
    if state.seat_of(guest) is None:
        raise Refusal(Code.NO_SEAT, "take a seat before you start the table")
    empty = [number for number, seat in enumerate(state.seats) if seat.free]
    names = cast(len(empty), state.names)
    filled = [entries.Filled(at, number, bot, name) for number, name in zip(empty, names, strict=True)]
    for entry in filled:
        state = state.after(entry)
    return [*filled, dealt(state, at, deal)]


def dealt(state: TableState, at: int, deal: Dealer) -> entries.Dealt:
    """The next game of the match."""
    position, record, luck = deal(state)
    cards: dict[str, Any] = state.game.deal_of(position)
    return entries.Dealt(at, position.active, cards, record, luck)


def next_game(state: TableState, at: int, deal: Dealer, unwelcome: Collection[str] = frozenset()) -> Entries:
    """The next game of the match, for which some may have waited; `unwelcome` are those who wait in vain."""
    sat = [
        entries.Waits(at, number)
        if seat.next_guest in unwelcome
        else entries.Sat(at, number, seat.next_guest, seat.next_name, seat.next_program)
        for number, seat in enumerate(state.seats)
        if seat.next_guest
    ]
    for entry in sat:
        state = state.after(entry)
    return [*sat, dealt(state, at, deal)]


# --- During the game ------------------------------------------------------------------------------------


def act(
    state: TableState, guest: str, action: str, key: str, seen: int, at: int, took: int | None = None
) -> Entries:
    """A decision that took so many milliseconds. A person who decides takes the seat back from a bot."""
    seat = own_seat(state, guest)
    known = state.entry_of(seat, key)
    if known is not None:
        raise Repeated(known)
    if state.deciding is None:
        raise Refusal(Code.NOT_RUNNING, "there is no game to act in: " + _why_no_game(state))
    if state.paused:
        raise Refusal(Code.PAUSED, "the game is paused: it goes on when the host says so")
    if seen > state.last and seat == state.deciding:
        raise Refusal(Code.STALE, f"event {seen} has not happened: the table is at {state.last}")
    if seen < state.changed:
        raise Refusal(
            Code.STALE, f"the game has gone on: you had seen event {seen}, it is at {state.changed}"
        )
    written = str(state.game.parse(action))  # as the game writes it, however it was spelled
    if state.plan.clock.kind != "bank":
        took = None
    elif took is not None:
        took += state.spent
    if state.seats[seat].stand_in:  # the decision begins with the coming back
        return [entries.Back(at, seat), entries.Acted(at, seat, written, "player", key)]
    return [entries.Acted(at, seat, written, "player", key, took=took)]


def _why_no_game(state: TableState) -> str:
    return {
        "open": "the table has not started",
        "running": "the next game of the match has not been dealt yet",
        "over": "the table is over",
        "closed": "the table is closed",
    }[state.phase]


def back(state: TableState, guest: str, at: int) -> Entries:
    """Take the seat back from the bot that fills in."""
    seat = own_seat(state, guest)
    return [entries.Back(at, seat)] if state.seats[seat].stand_in and state.phase == "running" else ()


def ready(state: TableState, guest: str, at: int) -> Entries:
    """Want the next game of the match."""
    seat = own_seat(state, guest)
    if not state.between:
        raise Refusal(Code.NOT_RUNNING, "no next game is waited for")
    return () if state.seats[seat].ready else [entries.Ready(at, seat)]


def rename(state: TableState, guest: str, name: str, at: int) -> Entries:
    """A person's new name, while the table is not over."""
    seat = state.seat_of(guest)
    if seat is None or state.phase in ("over", "closed") or state.seats[seat].name == name:
        return ()
    return [entries.Renamed(at, seat, name)]


def pause(state: TableState, guest: str, at: int, spent: int = 0) -> Entries:
    """Stop the game for a while; the present decision has taken so many milliseconds since it began."""
    _check_pauser(state, guest)
    if state.phase != "running":
        raise Refusal(Code.NOT_RUNNING, "only a game that is being played can be paused")
    spent = spent if state.deciding is not None and state.plan.clock.kind != "none" else 0
    return () if state.paused else [entries.Paused(at, state.seat_of(guest), spent)]


def go_on(state: TableState, guest: str, at: int) -> Entries:
    """Go on after a pause."""
    _check_pauser(state, guest)
    return [entries.Continued(at, state.seat_of(guest))] if state.paused else ()


def _check_pauser(state: TableState, guest: str) -> None:
    """The host may pause a game and go on; while the host is away, anybody who plays."""
    if guest == state.host:
        return
    own_seat(state, guest)
    host = state.seat_of(state.host)
    if host is not None and state.seats[host].here:
        raise Refusal(
            Code.NOT_HOST, "the host pauses the game, and goes on; others can while the host is away"
        )


# --- The host -------------------------------------------------------------------------------------------


def watching(state: TableState, guest: str, open_: bool, at: int) -> Entries:
    """Open the table to spectators, or close it."""
    only_host(state, guest)
    return () if state.spectators == open_ else [entries.Watching(at, open_)]


def close(state: TableState, guest: str, at: int) -> Entries:
    """Give the table up before the start."""
    only_host(state, guest)
    if state.phase == "closed":
        return ()
    if state.phase != "open":
        raise Refusal(Code.NOT_RUNNING, "a table that has started is not closed, but left")
    return [entries.Closed(at, "host")]


def remove(state: TableState, host: str, guest: str, at: int) -> Entries:
    """Remove somebody who has not started to play; they cannot come back."""
    only_host(state, host)
    if guest in state.removed:
        return ()
    waiting = state.waiting_of(guest)
    if waiting is not None:
        return [entries.Waits(at, waiting, removed=guest)]
    if state.phase != "open":
        raise Refusal(
            Code.NOT_RUNNING, "people are removed before the start; a table that has started plays on"
        )
    if guest == host:
        raise Refusal(Code.OPTIONS, "you cannot remove yourself: leave the table, and it is closed")
    seat = state.seat_of(guest)
    if seat is None:
        raise Refusal(Code.NO_SEAT, "this person does not sit at the table: name somebody who does")
    return [entries.Stood(at, seat, removed=guest)]


def close_by_admin(state: TableState, text: str, at: int) -> Entries:
    """An administrator closes a table, whatever goes on there."""
    if state.phase == "closed":
        return ()
    if state.phase == "over":
        raise Refusal(Code.NOT_RUNNING, "the table is over: there is nothing to close")
    return [entries.Closed(at, "admin", text)]


def only_host(state: TableState, guest: str) -> None:
    if guest != state.host:
        raise Refusal(Code.NOT_HOST, "only the host of the table may do that")


def own_seat(state: TableState, guest: str) -> int:
    seat = state.seat_of(guest)
    if seat is None:
        raise Refusal(Code.NO_SEAT, "you do not sit at this table")
    return seat


# --- The next table -------------------------------------------------------------------------------------


def rematch(
    state: TableState, guest: str, at: int, unwelcome: Collection[str] = frozenset()
) -> entries.Created:
    """The first entry of a table where the same people and bots play again; the start moves on.

    Those who have waited for it have a bot's seat, but for the `unwelcome`. The invitation stays the same.
    """
    own_seat(state, guest)
    if state.phase != "over":
        raise Refusal(Code.NOT_RUNNING, "a rematch follows when the table is over")
    plan = state.plan
    waiting = ["" if seat.next_guest in unwelcome else seat.next_guest for seat in state.seats]
    bots = [seat.kind == "bot" and not next_ for seat, next_ in zip(state.seats, waiting, strict=True)]
    seats = tuple(
        SeatPlan("bot", seat.bot) if bot else SeatPlan("invited")
        for seat, bot in zip(state.seats, bots, strict=True)
    )
    names = tuple(seat.name if bot else "" for seat, bot in zip(state.seats, bots, strict=True))
    kept = [
        (next_, seat.next_name) if next_ else (seat.guest, seat.name) if seat.playing else (None, "")
        for seat, next_ in zip(state.seats, waiting, strict=True)
    ]
    return entries.Created(
        at,
        by=guest,
        plan=Plan(
            plan.game, plan.edition, seats, plan.public, state.spectators, plan.clock, plan.rounds, plan.speed
        ),
        invite=state.invite,
        starter=state.match.next_starter,
        reserved=tuple(person for person, _ in kept),
        kept=tuple(name for _, name in kept),
        evening=state.evening,
        removed=tuple(sorted(state.removed)),
        names=names if any(names) else (),
        rules=state.game.rules_version,
    )
