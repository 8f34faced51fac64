"""What a table's log amounts to. `TableState.after` takes one entry; reading a log is taking them all.

Nothing here does input or output or looks at a clock: the same log gives the same state on every server.
Entries have been checked before they were written; `after` trusts them, except that actions go through
the rules again.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from lynxden.games.core import Game, Position
from lynxden.games.match import Match
from lynxden.games.registry import get_game
from lynxden.records.record import Record, result_of
from lynxden.server import log

Phase = Literal["open", "running", "over", "closed"]


@dataclass(frozen=True, slots=True)
class Seat:
    """A place at the table and who has it."""

    kind: Literal["open", "invited", "person", "bot"]
    guest: str | None = None
    name: str = ""
    bot: str = ""
    """The bot that plays here: for a bot's seat, or since a person left for good."""
    program: bool = False
    """A bot that plays through the protocol; it counts as no person."""
    reserved: str | None = None
    """A rematch: for whom the seat is kept."""
    servers: frozenset[str] = frozenset()
    """Where the person is connected."""
    gone_at: int = 0
    """Since when the person is not connected."""
    stand_in: str = ""
    """Why a bot sits in for the person; empty if none does."""
    quit: bool = False
    """The person left for good."""
    bank: int = 0
    """Milliseconds left, where there is a bank."""
    ready: bool = False

    @property
    def free(self) -> bool:
        return self.kind in ("open", "invited")

    @property
    def here(self) -> bool:
        return bool(self.servers)

    @property
    def playing(self) -> bool:
        """A person (or a program) has this seat and has not left for good."""
        return self.kind == "person" and not self.quit

    @property
    def decides(self) -> bool:
        """The person is asked, not a bot in their place."""
        return self.playing and not self.stand_in


@dataclass(slots=True)
class TableState:
    """A table at one moment."""

    id: str
    plan: log.Plan
    host: str
    invite: str
    seats: tuple[Seat, ...]
    created_at: int
    updated_at: int
    match: Match
    phase: Phase = "open"
    last: int = 1
    """The number of the last entry."""
    spectators: bool = True
    rematch: str = ""
    """The table where the same people play again."""
    position: Position | None = None
    """The present game, or the one that has just ended; None before the start."""
    dealt: int = 0
    """The number of the entry with which the present game began."""
    deal: dict[str, Any] = field(default_factory=dict)
    actions: tuple[str, ...] = ()
    """The actions of the present game."""
    changed: int = 0
    """The number of the last entry that changed the game: a deal or an action."""
    decided_at: int = 0
    """When the present decision began, or the last game ended."""
    ids: dict[str, int] = field(default_factory=dict)
    """The entry of each action that came with an id (seat and id, space between)."""

    @property
    def game(self) -> Game:
        return self.match.game

    @property
    def round(self) -> int:
        """The present game's number in the match, counted from 1; 0 before the start."""
        if self.position is None:
            return 0
        return len(self.match.outcomes) + (not self.position.over)

    @property
    def deciding(self) -> int | None:
        """The seat whose decision the game waits for."""
        if self.phase != "running" or self.position is None:
            return None
        return self.position.seat

    @property
    def between(self) -> bool:
        """A game of the match is over, and another will follow."""
        return self.phase == "running" and self.position is not None and self.position.over

    @property
    def listed(self) -> bool:
        """Whether the lobby shows the table: public, and not yet started."""
        return self.plan.public and self.phase == "open"

    @property
    def people(self) -> list[int]:
        """The seats of persons who have not left for good."""
        return [number for number, seat in enumerate(self.seats) if seat.playing]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(seat.name for seat in self.seats)

    @property
    def rated(self) -> bool:
        """Only games among people count."""
        return all(seat.kind == "person" and not seat.program for seat in self.seats)

    def seat_of(self, guest: str) -> int | None:
        """Where somebody sits; a person who left for good sits nowhere."""
        for number, seat in enumerate(self.seats):
            if seat.guest == guest and seat.playing:
                return number
        return None

    def record(self) -> Record:
        """The present game as a record. Holds every card: for finished games alone."""
        assert self.position is not None
        outcome = self.position.outcome
        starter = (self.match.next_starter - (outcome is not None)) % len(self.seats)
        return Record(
            game=self.plan.game,
            edition=self.plan.edition,
            seats=self.names,
            starter=starter,
            deal=self.deal,
            actions=self.actions,
            result=result_of(outcome) if outcome else None,
        )

    def after(self, entry: log.Entry) -> TableState:
        """The table after one more entry. The old state stays as it was."""
        new = copy.copy(self)
        new.last += 1
        new.updated_at = entry.at
        match entry:
            case log.Acted():
                new._act(entry)
            case log.Dealt():
                new._deal(entry)
            case log.Sat():
                new._seat(entry.seat, kind="person", guest=entry.guest, name=entry.name, reserved=None,
                          program=entry.program, gone_at=entry.at)  # fmt: skip
            case log.Stood():
                kind = self.plan.seats[entry.seat].kind
                new._seat(entry.seat, kind=kind, guest=None, name="", program=False, servers=frozenset())
            case log.Filled():
                name = entry.name or bot_name(entry.bot, entry.seat)
                new._seat(entry.seat, kind="bot", bot=entry.bot, name=name)
            case log.Renamed():
                new._seat(entry.seat, name=entry.name)
            case log.StoodIn():
                out = {"bank": 0} if entry.why == "time" else {}
                new._seat(entry.seat, stand_in=entry.why, **out)
            case log.Back():
                new._seat(entry.seat, stand_in="")
                if new.deciding == entry.seat:
                    new._start_decision(entry.at)
            case log.Quit():
                new._seat(entry.seat, quit=True, bot="greedy", stand_in="", servers=frozenset())
            case log.Came():
                new._seat(entry.seat, servers=self.seats[entry.seat].servers | {entry.server})
            case log.Gone():
                left = self.seats[entry.seat].servers - {entry.server}
                new._seat(entry.seat, servers=left, gone_at=entry.at)
            case log.Ready():
                new._seat(entry.seat, ready=True)
            case log.Resumed():
                new.decided_at = entry.at
            case log.Watching():
                new.spectators = entry.open
            case log.Rematched():
                new.rematch = entry.table
            case log.Closed():
                new.phase = "closed"
            case _:
                raise AssertionError(f"entry {new.last} of table {self.id} is out of place: {entry}")
        return new

    def _seat(self, number: int, **changes: Any) -> None:
        self.seats = (
            *self.seats[:number],
            replace(self.seats[number], **changes),
            *self.seats[number + 1 :],
        )

    def _deal(self, entry: log.Dealt) -> None:
        self.phase = "running"
        self.position = self.game.read_deal(self.match.options, entry.starter, entry.deal)
        self.deal = entry.deal
        self.actions = ()
        self.dealt = self.changed = self.last
        bank = self.plan.clock.seconds * 1000 if self.plan.clock.kind == "bank" else 0
        self.seats = tuple(replace(seat, ready=False, bank=bank) for seat in self.seats)
        self._start_decision(entry.at)

    def _act(self, entry: log.Acted) -> None:
        assert self.position is not None
        self._spend(entry)
        self.position = self.position.apply(entry.action, entry.seat)
        self.actions = (*self.actions, entry.action)
        self.changed = self.last
        if entry.id:
            self.ids = {**self.ids, f"{entry.seat} {entry.id}": self.last}
        outcome = self.position.outcome
        if outcome is None:
            self._start_decision(entry.at)
        else:
            self.decided_at = entry.at
            self.match = self.match.add(outcome)
            if self.match.over:
                self.phase = "over"

    def _spend(self, entry: log.Acted) -> None:
        """Take the time of a decision off the player's bank."""
        if self.plan.clock.kind == "bank" and entry.by == "player":
            left = self.seats[entry.seat].bank - (entry.at - self.decided_at)
            self._seat(entry.seat, bank=max(0, left))

    def _start_decision(self, at: int) -> None:
        """The next decision begins; with a bank, its player gets the increment."""
        self.decided_at = at
        clock, deciding = self.plan.clock, self.deciding
        if clock.kind == "bank" and deciding is not None and self.seats[deciding].decides:
            self._seat(deciding, bank=self.seats[deciding].bank + clock.increment * 1000)


def bot_name(bot: str, seat: int) -> str:
    """What a bot is called whose log does not say so: seats are counted from 1 for people."""
    return f"{bot.capitalize()} {seat + 1}"


def first_state(table: str, entry: log.Created) -> TableState:
    """The table after its first entry."""
    plan = entry.plan
    game = get_game(plan.game)
    reserved = entry.reserved or (None,) * len(plan.seats)
    names = entry.names or ("",) * len(plan.seats)
    seats = tuple(
        Seat(kind="bot", bot=seat.bot, name=names[number] or bot_name(seat.bot, number))
        if seat.kind == "bot"
        else Seat(kind=seat.kind, reserved=reserved[number])
        for number, seat in enumerate(plan.seats)
    )
    return TableState(
        id=table,
        plan=plan,
        host=entry.by,
        invite=entry.invite,
        seats=seats,
        created_at=entry.at,
        updated_at=entry.at,
        match=Match.of(game, plan.edition, len(seats), plan.rounds, entry.starter),
        spectators=plan.spectators,
    )


def read_log(table: str, bodies: Iterable[str]) -> TableState:
    """A table's state from its whole log."""
    entries = map(log.decode, bodies)
    first = next(entries)
    assert isinstance(first, log.Created)
    state = first_state(table, first)
    for entry in entries:
        state = state.after(entry)
    return state
