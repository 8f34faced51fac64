"""The state of a table, as it follows from its log. `TableState.after` applies one entry.

Nothing here does input or output or reads a clock: the same log gives the same state on every server.
Entries were checked before they were written; `after` trusts them, except that actions go through
the rules again. Nothing is decided here either: what a version of the program decided is in the entry.

A log that this version cannot follow by its own rules (another version of a game's rules, a game or an
edition that it does not have, an entry of a kind that it does not know) is read as far as possible without
them: who sits there, what was played, how finished games ended. The table is then `read_only`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from lynxden.games.core import Game, Outcome, Position
from lynxden.games.errors import LynxdenError, OptionsError
from lynxden.games.guide import Guide
from lynxden.games.match import Match, Tally
from lynxden.games.registry import get_game
from lynxden.records.record import Record
from lynxden.server.table import entries, evening
from lynxden.server.table.chain import Chain
from lynxden.server.table.plans import Plan

Phase = Literal["open", "running", "over", "closed"]
BOT_SHARE = 5
"""A seat at which a bot made one decision of so many or more is not rated."""
ReadOnly = Literal["", "rules", "entries"]
"""Why nobody can act here: other rules than this version's; entries of a kind that it does not know."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat at the table, and who has it."""

    kind: Literal["open", "invited", "person", "bot"]
    guest: str | None = None
    name: str = ""
    bot: str = ""
    """The bot that plays here: for a bot's seat, while it fills in, or since a person left for good."""
    program: bool = False
    """A bot that plays through the protocol."""
    reserved: str | None = None
    """A rematch: for whom the seat is reserved."""
    kept: str = ""
    """Their name."""
    next_guest: str = ""
    """Who will have this bot's seat from the next game on."""
    next_name: str = ""
    next_program: bool = False
    servers: frozenset[str] = frozenset()
    """The servers to which the person is connected."""
    gone_at: int = 0
    """Since when the person is not connected."""
    stand_in: str = ""
    """Why a bot fills in for the person; empty if none does."""
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
        """A guest has this seat and has not left for good."""
        return self.kind == "person" and not self.quit

    @property
    def by_bot(self) -> bool:
        """A bot has this seat for good."""
        return self.kind == "bot" or self.quit

    @property
    def decides(self) -> bool:
        """The person is asked, not a bot in their place."""
        return self.playing and not self.stand_in


_NOBODY = {"next_guest": "", "next_name": "", "next_program": False}


@dataclass(slots=True)
class TableState:
    """A table at one moment."""

    id: str
    plan: Plan
    host: str
    invite: str
    seats: tuple[Seat, ...]
    created_at: int
    updated_at: int
    reserved: tuple[str | None, ...]
    """A rematch: for whom each seat is reserved while the table is open."""
    match: Tally
    """A `Match` unless the table's rules are not known."""
    bots: tuple[str, ...] = ()
    """The names of the bots that the plan has, by seat."""
    kept: tuple[str, ...] = ()
    """A rematch: the names of those for whom seats are reserved."""
    evening: evening.Evening = ()
    """Who has won how much at this table, and at those of which it is a rematch."""
    paused: bool = False
    """The game is stopped for a while."""
    spent: int = 0
    """Milliseconds that the present decision took before the last pause."""
    rules: int = entries.FIRST_RULES
    """The version of the game's rules."""
    read_only: ReadOnly = ""
    phase: Phase = "open"
    last: int = 1
    """The number of the last entry."""
    spectators: bool = True
    rematch: str = ""
    """The table where the same people play again."""
    removed: frozenset[str] = frozenset()
    """Whom the host removed: they do not come back."""
    closed: str = ""
    """Why the table was closed; empty if it was not."""
    closed_text: str = ""
    """The same in an administrator's words."""
    position: Position | None = None
    """The present game, or the one that has just ended; None before the start, and if its rules are not
    known."""
    record_id: str = ""
    """The id of the present game's record; the same on every server."""
    dealt: int = 0
    """The number of the entry with which the present game began; 0 before the start."""
    ended: bool = False
    """The present game is over."""
    start: Position | None = None
    """The deal of the present game."""
    actions: Chain[str] = field(default_factory=Chain)
    """The actions of the present game."""
    own_decisions: tuple[int, ...] = ()
    """How many decisions of the present game people made themselves, by seat."""
    bot_decisions: tuple[int, ...] = ()
    """How many bots made, by seat."""
    luck: str = ""
    """Where the bots' luck comes from in the present game; never to be sent."""
    changed: int = 0
    """The number of the last entry that changed the game: a deal or an action."""
    decided_at: int = 0
    """When the present decision began, or the last game ended."""
    ids: Chain[tuple[int, str, int]] = field(default_factory=Chain)
    """Seat, id and entry of each action of the present game that came with an id."""
    ids_before: Chain[tuple[int, str, int]] = field(default_factory=Chain)
    """The same of the game before."""

    @property
    def playable(self) -> Match:
        """The match with its rules; only for a table that is not read-only."""
        assert isinstance(self.match, Match), f"the rules of table {self.id} are not known"
        return self.match

    @property
    def game(self) -> Game:
        return self.playable.game

    @property
    def guide(self) -> Guide | None:
        """What is wished at a table that is a guided first game."""
        return self.game.guide if self.plan.guide else None

    @property
    def round(self) -> int:
        """The present game's number in the match, counted from 1; 0 before the start."""
        return len(self.match.outcomes) + (not self.ended) if self.dealt else 0

    @property
    def deciding(self) -> int | None:
        """The seat whose decision the game waits for."""
        if self.phase != "running" or self.position is None:
            return None
        return self.position.seat

    @property
    def between(self) -> bool:
        """A game of the match is over, and another will follow."""
        return self.phase == "running" and self.ended

    @property
    def settled(self) -> bool:
        """Nothing that people or servers do changes the table any more."""
        return self.phase in ("over", "closed") or self.read_only != ""

    @property
    def listed(self) -> bool:
        """Whether the lobby shows the table: public, and not yet started."""
        return self.plan.public and self.phase == "open"

    @property
    def private(self) -> bool:
        """Nobody but those who sit there can see what is played."""
        return not self.plan.public and not self.spectators

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

    def counts_for(self, seat: int) -> bool:
        """Whether a person played the present game: bots made less than a fifth of the seat's decisions."""
        by_bots = self.bot_decisions[seat]
        return self.seats[seat].kind == "person" and (
            BOT_SHARE * by_bots < by_bots + self.own_decisions[seat] or not by_bots
        )

    def seat_of(self, guest: str) -> int | None:
        """Where somebody sits; a person who left for good sits nowhere."""
        for number, seat in enumerate(self.seats):
            if seat.guest == guest and seat.playing:
                return number
        return None

    def waiting_of(self, guest: str) -> int | None:
        """The seat that somebody will have from the next game on."""
        for number, seat in enumerate(self.seats):
            if guest and seat.next_guest == guest:
                return number
        return None

    def entry_of(self, seat: int, key: str) -> int | None:
        """The entry of the action that a seat sent under an id, in this game or in the one before."""
        for ids in (self.ids, self.ids_before):
            for other, known, number in reversed(ids):
                if (other, known) == (seat, key):
                    return number
        return None

    @property
    def outcome(self) -> Outcome | None:
        """How the present game ended; None while it goes on."""
        return self.match.outcomes[-1] if self.ended else None

    def record(self) -> Record:
        """The present game as a record. Holds every card: for finished games alone."""
        assert self.start is not None
        return Record.of(self.start, self.names, tuple(self.actions), self.outcome)

    def after(self, entry: entries.Entry) -> TableState:
        """The table after one more entry. The old state stays as it was."""
        new = self._copy()
        new.last += 1
        new.updated_at = entry.at
        match entry:
            case entries.Acted():
                new._act(entry)
            case entries.Dealt():
                new._deal(entry)
            case entries.Sat():
                new._seat(entry.seat, kind="person", guest=entry.guest, name=entry.name, reserved=None,
                          program=entry.program, gone_at=entry.at, bot="", quit=False, stand_in="",
                          servers=frozenset(), kept="", **_NOBODY)  # fmt: skip
            case entries.Stood():
                new._stand_up(entry)
            case entries.Waits():
                new._wait(entry)
            case entries.Filled():
                new._seat(entry.seat, kind="bot", bot=entry.bot, name=entry.name, kept="")
            case entries.Renamed():
                new._seat(entry.seat, name=entry.name)
            case entries.Paused() | entries.Continued():
                new._pause(entry)
            case entries.StoodIn():
                out = {"bank": 0} if entry.why == "time" else {}
                new._seat(entry.seat, stand_in=entry.why, bot=entry.bot, **out)
            case entries.Back():
                new._come_back(entry)
            case entries.Quit():
                new._seat(entry.seat, quit=True, bot=entry.bot, stand_in="", servers=frozenset())
            case entries.Came():
                new._seat(entry.seat, servers=self.seats[entry.seat].servers | {entry.server})
            case entries.Gone():
                new._seat(
                    entry.seat, servers=self.seats[entry.seat].servers - {entry.server}, gone_at=entry.at
                )
            case entries.Ready():
                new._seat(entry.seat, ready=True)
            case entries.Resumed():
                new.decided_at, new.spent = entry.at, 0
            case entries.Watching():
                new.spectators = entry.open
            case entries.Rematched():
                new.rematch = entry.table
            case entries.Closed():
                new.phase = "closed"
                new.closed, new.closed_text = entry.why, entry.text
            case entries.Unknown():
                new.read_only = "entries"
            case _:
                raise AssertionError(f"entry {new.last} of table {self.id} is out of place: {entry}")
        return new

    def _copy(self) -> TableState:
        """The same as `copy.copy`, which takes four times as long."""
        new = object.__new__(TableState)
        for name in _NAMES:
            setattr(new, name, getattr(self, name))
        return new

    def _seat(self, number: int, **changes: Any) -> None:
        self.seats = (
            *self.seats[:number],
            replace(self.seats[number], **changes),
            *self.seats[number + 1 :],
        )

    def _stand_up(self, entry: entries.Stood) -> None:
        """A seat is as it was planned: free, or a bot's."""
        plan, reserved = self.plan.seats[entry.seat], self.reserved[entry.seat]
        bot = plan.kind == "bot"
        reserved = None if reserved == entry.removed else reserved
        self._seat(
            entry.seat,
            kind=plan.kind,
            guest=None,
            bot=plan.bot if bot else "",
            name=self.bots[entry.seat] if bot else "",
            program=False,
            servers=frozenset(),
            reserved=reserved,
            kept=self.kept[entry.seat] if reserved else "",
        )
        if entry.removed:
            self.removed |= {entry.removed}

    def _wait(self, entry: entries.Waits) -> None:
        self._seat(entry.seat, next_guest=entry.guest, next_name=entry.name, next_program=entry.program)
        if entry.removed:
            self.removed |= {entry.removed}

    def _pause(self, entry: entries.Paused | entries.Continued) -> None:
        """Clocks stand still from one to the other, also those of people who are away."""
        self.paused, self.decided_at = isinstance(entry, entries.Paused), entry.at
        if isinstance(entry, entries.Paused):
            self.spent += entry.spent
        else:
            self.seats = tuple(seat if seat.here else replace(seat, gone_at=entry.at) for seat in self.seats)

    def _come_back(self, entry: entries.Back) -> None:
        self._seat(entry.seat, stand_in="", bot="")
        if self.deciding == entry.seat:
            self._start_decision(entry.at)

    def _deal(self, entry: entries.Dealt) -> None:
        self.phase = "running"
        if isinstance(self.match, Match):
            self.position = self.match.game.read_deal(self.match.options, entry.starter, entry.deal)
        self.start = self.position
        self.luck = entry.luck
        self.actions = Chain()
        self.own_decisions = self.bot_decisions = (0,) * len(self.seats)
        self.ids, self.ids_before = Chain(), self.ids
        self.ended = False
        self.dealt = self.changed = self.last
        self.record_id = entry.record or f"{self.id}-{self.round}"  # as version 0.1 called it
        bank = self.plan.clock.seconds * 1000 if self.plan.clock.kind == "bank" else 0
        self.seats = tuple(replace(seat, ready=False, bank=bank) for seat in self.seats)
        self._start_decision(entry.at)

    def _act(self, entry: entries.Acted) -> None:
        self._spend(entry)
        if entry.by == "player":
            self.own_decisions = _one_more(self.own_decisions, entry.seat)
        else:
            self.bot_decisions = _one_more(self.bot_decisions, entry.seat)
        self.actions = self.actions.add(entry.action)
        self.changed = self.last
        if entry.id:
            self.ids = self.ids.add((entry.seat, entry.id, self.last))
        outcome = entry.outcome
        if self.position is not None:
            self.position = self.position.apply(entry.action, entry.seat)
            if outcome is None:
                outcome = self.position.outcome
            elif outcome != self.position.outcome:
                self._forget_rules()  # these are not the rules by which it was played
        if outcome is None:
            self._start_decision(entry.at)
        else:
            self._end(outcome, entry.at)

    def _end(self, outcome: Outcome, at: int) -> None:
        """The present game is over, and perhaps the match."""
        self.ended = True
        self.decided_at, self.spent = at, 0
        self.match = self.match.add(outcome)
        players = [(seat.guest or "", seat.name) for seat in self.seats]
        self.evening = evening.add(self.evening, players, outcome)
        if self.match.over:
            self.phase = "over"

    def _forget_rules(self) -> None:
        self.read_only = "rules"
        self.position = None
        self.match = Tally(
            players=self.match.players,
            rounds=self.match.rounds,
            starter=self.match.starter,
            outcomes=self.match.outcomes,
        )

    def _spend(self, entry: entries.Acted) -> None:
        """Take the time of a decision off the player's bank."""
        if self.plan.clock.kind == "bank" and entry.by == "player":
            took = entry.at - self.decided_at if entry.took is None else entry.took
            self._seat(entry.seat, bank=max(0, self.seats[entry.seat].bank - took))

    def _start_decision(self, at: int) -> None:
        """The next decision begins; with a bank, its player gets the increment."""
        self.decided_at, self.spent = at, 0
        clock, deciding = self.plan.clock, self.deciding
        if clock.kind == "bank" and deciding is not None and self.seats[deciding].decides:
            self._seat(deciding, bank=self.seats[deciding].bank + clock.increment * 1000)


_NAMES = tuple(each.name for each in fields(TableState))


def _one_more(counts: tuple[int, ...], seat: int) -> tuple[int, ...]:
    return (*counts[:seat], counts[seat] + 1, *counts[seat + 1 :])


def first_state(table: str, entry: entries.Created) -> TableState:
    """The table after its first entry."""
    plan = entry.plan
    reserved = entry.reserved or (None,) * len(plan.seats)
    names = entry.names or ("",) * len(plan.seats)
    kept = entry.kept or ("",) * len(plan.seats)
    seats = tuple(
        Seat(kind="bot", bot=seat.bot, name=names[number])
        if seat.kind == "bot"
        else Seat(kind=seat.kind, reserved=reserved[number], kept=kept[number])
        for number, seat in enumerate(plan.seats)
    )
    match = _match(entry)
    return TableState(
        id=table,
        plan=plan,
        host=entry.by,
        invite=entry.invite,
        seats=seats,
        created_at=entry.at,
        updated_at=entry.at,
        reserved=reserved,
        match=match or Tally(players=len(seats), rounds=plan.rounds, starter=entry.starter),
        rules=entry.rules,
        read_only="" if match else "rules",
        spectators=plan.spectators,
        bots=names,
        kept=kept,
        evening=entry.evening,
        removed=frozenset(entry.removed),
    )


def _match(entry: entries.Created) -> Match | None:
    """The match with its rules; None if this version does not have them."""
    plan = entry.plan
    try:
        game = get_game(plan.game)
        options = game.choose_options(plan.edition, entry.rules)
        return Match.of(game, options, len(plan.seats), plan.rounds, entry.starter)
    except OptionsError:
        return None


class BrokenLog(Exception):
    """A log that cannot be what this program wrote. It is a fault of the server's, never of the client."""

    def __init__(self, number: int, why: object, table: str = "") -> None:
        super().__init__(f"the log {f'of table {table} ' * bool(table)}is broken, entry {number}: {why}")


WRONG = (LynxdenError, AssertionError, LookupError, TypeError, ValueError)
"""What the reading of a broken entry may raise."""


def follow(state: TableState, body: str) -> tuple[entries.AnyEntry, TableState]:
    """The next entry of a stored log, and the table after it; `BrokenLog` if it cannot be read."""
    try:
        entry = entries.decode(body)
        return entry, state.after(entry)
    except WRONG as error:
        raise BrokenLog(state.last + 1, error, state.id) from error


def read_log(table: str, bodies: Iterable[str]) -> TableState:
    """A table's state from its whole log; `BrokenLog` if it cannot be read."""
    stored = iter(bodies)
    try:
        first = entries.decode(next(stored, ""))
        if not isinstance(first, entries.Created):
            raise ValueError("a log begins with 'created'")
        state = first_state(table, first)
    except WRONG as error:
        raise BrokenLog(1, error, table) from error
    for body in stored:
        _, state = follow(state, body)
    return state
