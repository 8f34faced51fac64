"""What every game offers: positions, views, actions, events, outcomes.

A game is a folder of modules with fixed names (`docs/adding-a-game.md`). `Game` ties them together;
everything above this package works through `Game`, `Position` and `View` and never asks which game
it has.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import index
from types import ModuleType
from typing import Any, ClassVar, Protocol, Self, SupportsIndex, cast

import numpy as np
from numpy.typing import NDArray

from lynxden.games.deals import check_cards, load_deck
from lynxden.games.drawing import Line, plain, seat_names
from lynxden.games.errors import GameError, IllegalAction, MalformedAction, OptionsError, OutOfTurn
from lynxden.games.guide import Guide
from lynxden.games.jit import specialise
from lynxden.games.moments import Measure
from lynxden.games.parts import (
    ActionsPart,
    AnySnapshot,
    CardsPart,
    DealsPart,
    EncodePart,
    EventsPart,
    HeuristicPart,
    Kernels,
    OptionsPart,
    P,
    PicturePart,
    RulesPart,
    SamplePart,
    SnapshotPart,
    V,
    ViewPart,
    WhyPart,
    missing,
)
from lynxden.games.reduced import Size

Records = NDArray[Any]
"""An array of game records; a position holds an array of one."""

SPECTATOR = -1
OPEN = -2
"""A viewer of events from whom nothing is hidden."""


def blank(dtype: np.dtype[Any]) -> Records:
    """One empty record; several times quicker than `np.zeros` for a type with many fields."""
    return np.ndarray(1, dtype, bytearray(dtype.itemsize))


def whole_seed(seed: SupportsIndex) -> np.uint64:
    """Any whole number as a seed of 64 bits."""
    try:
        return np.uint64(index(seed) % 2**64)
    except TypeError as error:
        raise OptionsError(f"a seed is a whole number, not {seed!r}") from error


def copy_of(records: Records) -> Records:
    return np.ndarray(1, records.dtype, bytearray(records.tobytes()))


class Fields:
    """A record's fields as attributes, each read once; `np.record` itself takes ten times as long."""

    def __init__(self, records: Records) -> None:
        self.records = records
        """The same for compiled functions: an array of one, which is quicker to hand over than `record`."""

    @property
    def record(self) -> Any:
        """The same for compiled functions that take a record."""
        return self.records[0]

    def __getattr__(self, name: str) -> Any:
        value = self.records[name][0]
        setattr(self, name, value)
        return value


# --- Small values -----------------------------------------------------------------------------------


class Action(Protocol):
    """A choice. Hashable, comparable, and `parse(str(action)) == action`."""

    def __str__(self) -> str: ...
    def __hash__(self) -> int: ...


class Options(Protocol):
    """The rules that differ between editions, as one frozen value."""

    @property
    def flags(self) -> int:
        """The options as the number that the rules read."""

    @property
    def player_counts(self) -> range: ...


@dataclass(frozen=True)
class Outcome:
    """How a game ended."""

    reason: str
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    """The seats that won, rising; several if they share the win."""


@dataclass(frozen=True)
class Event:
    """One thing that happened, as one viewer saw it."""

    kind: str
    """What happened; each game's `events.PHRASES` lists its kinds."""
    seat: int | None = None
    """Who did it."""
    other: int | None = None
    """Whom it befell."""
    cards: tuple[str, ...] = ()
    """The cards in question, empty if this viewer may not see them."""
    count: int = 0
    """How many, where cards are unseen or do not matter."""
    place: int = 0
    """Where on the table, counted from 1, if that matters."""

    def text(self, phrases: Mapping[str, str], names: Sequence[str]) -> str:
        """The event in words, with the players' names."""
        cards = " ".join(self.cards)
        return phrases[self.kind].format(
            seat="" if self.seat is None else names[self.seat],
            other="" if self.other is None else names[self.other],
            cards=cards,
            count=self.count,
            place=self.place,
            plural="" if self.count == 1 else "s",
        )


# --- What is seen, and what is --------------------------------------------------------------------


class GameState(ABC):
    """A record read by people: what is common to a full position and to one seat's view of it.

    The record is never changed after it was made; every action makes a new one.
    """

    __slots__ = ("_legal", "_records")
    game: ClassVar[Game]

    def __init__(self, records: Records) -> None:
        self._records = records
        self._legal: tuple[Action, ...] | None = None

    @property
    def _record(self) -> Any:
        return self._records[0]

    def _field(self, name: str) -> int:
        """One number of the record; ten times quicker than `_record.name`."""
        return self._records[name].item()  # type: ignore[no-any-return]

    def _at(self, name: str, seat: int) -> Any:
        """What a field of the record holds for a seat."""
        if not 0 <= seat < self.players:
            raise OptionsError(f"there is no seat {seat}: seats are 0 to {self.players - 1}")
        return self._records[name][0, seat]

    @property
    def players(self) -> int:
        return self._field("players")

    @property
    def options(self) -> Options:
        return self.game.options_of(self._field("options"))

    @property
    def edition(self) -> str | None:
        """The name of the edition; None for house rules, and for a reduced deck."""
        return self.game.edition_of(self.options)

    @property
    def kind(self) -> str:
        """The edition in words, house rules and reduced decks included."""
        return self.game.kind_of(self.options)

    @property
    def over(self) -> bool:
        return self._field("phase") == self.game.over

    @property
    def seat(self) -> int | None:
        """Who decides now, or None when the game is over."""
        return None if self.over else self._field("actor")

    @property
    def active(self) -> int:
        """Whose turn it is; in some decisions another seat is asked."""
        return self._field("active")

    @property
    def decision(self) -> str:
        """Which kind of decision is due: a name from the game's `rules.PHASES`."""
        return self.game.phases[self._field("phase")]

    @property
    def deck_size(self) -> int:
        """How many cards are left in the deck."""
        return self._field("deck_size")

    @property
    @abstractmethod
    def hand_sizes(self) -> tuple[int, ...]:
        """How many cards each seat holds."""

    @abstractmethod
    def known(self, seat: int) -> tuple[str, ...]:
        """Cards that everybody knows to be in a hand."""

    @property
    def scores(self) -> tuple[int, ...]:
        """The points each seat would have if the game ended now."""
        out = np.zeros(self.players, np.int64)
        self.game.kernels.scores(self._records, 0, out)
        return tuple(out.tolist())

    @property
    def outcome(self) -> Outcome | None:
        """The result, or None while the game goes on."""
        if not self.over:
            return None
        won = self.game.kernels.winners(self._records[0])
        return Outcome(
            reason=self.game.reasons[self._field("reason")],
            scores=self.scores,
            winners=tuple(seat for seat in range(self.players) if won >> seat & 1),
        )

    def _names(self, names: Sequence[str] | None) -> Sequence[str]:
        """The players' names, or "Player 1", "Player 2" and so on."""
        if names is None:
            return seat_names(self.players)
        if len(names) != self.players:
            raise OptionsError(f"{len(names)} names for {self.players} players")
        return names

    def kernel_form(self) -> Records:
        """A copy of the record, as an array of one, for bots that are compiled."""
        return copy_of(self._records)

    @classmethod
    def _read(cls, record: bytes) -> Records:
        """A record from its bytes."""
        return np.ndarray(1, cls.game.record_type, bytearray(record))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._records.tobytes() == other._records.tobytes()

    def __hash__(self) -> int:
        return hash(self._records.tobytes())


class Position(GameState):
    """A game at one moment, with every card. Positions are values: `apply` makes a new one.

    >>> position = lynxden.new("linko", edition="classic", players=4, seed=1)
    >>> position = position.apply(position.legal_actions[0])
    """

    __slots__ = ("_before", "_compared", "_number")

    def __init__(self, records: Records, before: Records | None = None, number: int = -1) -> None:
        super().__init__(records)
        self._before = before
        self._number = number
        self._compared: tuple[Fields, Fields] | None = None

    @property
    def legal_numbers(self) -> list[int]:
        """The legal actions as numbers, rising."""
        return self.game.legal_numbers(self._records)

    @property
    def legal_actions(self) -> tuple[Action, ...]:
        """Everything the deciding seat may do, in a fixed order; empty when the game is over."""
        if self._legal is None:
            self._legal = self.game.legal_actions(self._records)
        return self._legal

    def is_legal(self, action: Action) -> bool:
        number = self.game.number_of(self._records, action)
        return number >= 0 and bool(self.game.kernels.is_legal(self._records[0], number))

    def apply(self, action: Action | str, seat: int | None = None) -> Self:
        """The position after an action, given as a value or as text.

        With `seat`, an action by anyone but the deciding seat is refused as out of turn.
        """
        if isinstance(action, str):
            action = self.game.parse(action)
        if seat is not None and seat != self.seat and not self.over:
            raise OutOfTurn(f"seat {seat} cannot act: seat {self.seat} has to decide ({self.decision})")
        try:
            number = self.game.number_of(self._records, action)
        except TypeError as error:  # not even hashable
            raise MalformedAction(f"{action!r} is no action of {self.game.title}") from error
        after = blank(self._records.dtype)
        if number < 0 or self.game.kernels.step_copy(self._records, 0, number, after, 0) < 0:
            raise IllegalAction(self._refusal(action))
        return type(self)(after, self._records, number)

    def _refusal(self, action: Action) -> str:
        if self.over:
            return f"'{action}' is not legal: the game is over"
        texts = [str(legal) for legal in self.legal_actions]
        shown = ", ".join(texts[:8]) + (f", … ({len(texts)} in all)" if len(texts) > 8 else "")
        return f"'{action}' is not legal: seat {self.seat} has to decide ({self.decision}): {shown}"

    def view(self, seat: int | None) -> View:
        """What a seat may see; None for a spectator."""
        if seat is not None and (type(seat) is not int or not 0 <= seat < self.players):
            raise OptionsError(f"there is no seat {seat!r}: seats are 0 to {self.players - 1}")
        records = blank(self._records.dtype)
        viewer = SPECTATOR if seat is None else seat
        self.game.kernels.look(self._records, 0, viewer, records, 0)
        return self.game.view_type(records, seat)

    def events(self, seat: int | None = None) -> tuple[Event, ...]:
        """What the last action brought about, as a seat saw it; None for a spectator.

        `OPEN` is for replays: everything is shown, hidden cards too.
        """
        if self._before is None:
            return ()
        if self._compared is None:
            self._compared = Fields(self._before), Fields(self._records)
        before, after = self._compared
        return tuple(self.game.events_between(before, self._number, after, seat))

    def describe_events(self, seat: int | None = None, names: Sequence[str] | None = None) -> list[str]:
        """The same in words."""
        names = self._names(names)
        return [event.text(self.game.phrases, names) for event in self.events(seat)]

    @abstractmethod
    def hand(self, seat: int) -> tuple[str, ...]:
        """The cards that a seat holds."""

    @property
    @abstractmethod
    def deck(self) -> tuple[str, ...]:
        """The deck, top card first."""

    @abstractmethod
    def all_cards(self) -> Counter[str]:
        """Every card of the game, wherever it lies; each game knows its own places."""

    def loop(self) -> Loop:
        """The game as something to be stepped in place by action numbers, for speed."""
        return Loop(self.game, copy_of(self._records))

    def copy(self) -> Self:
        """An equal position. Positions never change, so this is rarely needed."""
        return type(self)(copy_of(self._records), self._before, self._number)

    def __reduce__(self) -> tuple[Any, ...]:
        """The record, the one before it and the action between them: events can be described later."""
        before = None if self._before is None else self._before.tobytes()
        return self._restored, (self._records.tobytes(), before, self._number)

    @classmethod
    def _restored(cls, record: bytes, before: bytes | None, number: int) -> Self:
        return cls(cls._read(record), None if before is None else cls._read(before), number)

    def picture(self, names: Sequence[str] | None = None) -> list[Line]:
        """The table with all hands open, line by line."""
        return self.game.picture(self, self._names(names))

    def __str__(self) -> str:
        return plain(self.picture())

    def __repr__(self) -> str:
        state = "over" if self.over else f"seat {self.seat} to {self.decision}"
        return f"<{self.game.title}, {self.kind}, {self.players} players, {state}>"


class View(GameState):
    """What one seat, or a spectator, may know of a position; built by naming what is visible."""

    __slots__ = ("viewer",)

    def __init__(self, records: Records, viewer: int | None) -> None:
        super().__init__(records)
        self.viewer = viewer
        """Whose view this is; None for a spectator."""

    @property
    @abstractmethod
    def hand(self) -> tuple[str, ...]:
        """The viewer's own hand; a spectator has none."""

    @property
    def to_move(self) -> bool:
        """Whether the viewer is the one who decides."""
        return self.viewer is not None and self.viewer == self.seat

    @property
    def legal_actions(self) -> tuple[Action, ...]:
        """What the viewer may do now; nothing unless it is their decision."""
        if self._legal is None:
            self._legal = self.game.legal_actions(self._records) if self.to_move else ()
        return self._legal

    def sample(self, rng: np.random.Generator) -> Position:
        """A full position that fits this view, uniformly over what is unseen.

        Where cards were given away unseen, each gift is drawn blindly from what it can have been made of.
        """
        records = blank(self._records.dtype)
        viewer = SPECTATOR if self.viewer is None else self.viewer
        seed = rng.integers(2**64, dtype=np.uint64)
        self.game.kernels.redeal(self._records, 0, viewer, records, 0, seed)
        return self.game.position_type(records)

    def observation(self) -> NDArray[np.int8]:
        """The view as numbers for a network; only a player has one."""
        if self.viewer is None:
            raise OptionsError("a spectator has no observation: ask for a seat's view")
        out = np.zeros(self.game.observation_size // 8, np.int64)
        self.game.kernels.observe(self._records, 0, self.viewer, out)
        return out.view(np.int8)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._restored, (self._records.tobytes(), self.viewer)

    @classmethod
    def _restored(cls, record: bytes, viewer: int | None) -> Self:
        return cls(cls._read(record), viewer)

    def picture(self, names: Sequence[str] | None = None) -> list[Line]:
        """The table as the viewer sees it, line by line."""
        return self.game.picture(self, self._names(names))

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) and isinstance(other, View) and self.viewer == other.viewer

    def __hash__(self) -> int:
        return super().__hash__() ^ hash(self.viewer)

    def __str__(self) -> str:
        return plain(self.picture())

    def __repr__(self) -> str:
        who = "spectator" if self.viewer is None else f"seat {self.viewer}"
        return f"<{self.game.title}, {self.kind}, as {who} sees it>"


class Loop:
    """One game stepped in place by action numbers: the quick way from Python.

    >>> loop = lynxden.new("linko", seed=1).loop()
    >>> while not loop.over:
    ...     loop.step(random.choice(loop.legal()))
    """

    __slots__ = ("_buffer", "_count", "_game", "_records", "_step")

    def __init__(self, game: Game, records: Records) -> None:
        self._game = game
        self._records = records
        self._buffer = np.empty(game.action_count, np.int64)
        self._count: int = game.kernels.legal_numbers(records, 0, self._buffer)
        self._step = game.kernels.step_and_list

    @property
    def over(self) -> bool:
        return self._count == 0

    @property
    def seat(self) -> int | None:
        """Who decides now, or None when the game is over."""
        return None if self.over else self._records["actor"].item()

    def legal(self) -> list[int]:
        """The legal action numbers, rising; none when the game is over."""
        return self._buffer[: self._count].tolist()  # type: ignore[no-any-return]

    def legal_actions(self) -> tuple[Action, ...]:
        """The same as values."""
        return tuple([self.action(number) for number in self.legal()])

    def action(self, number: int) -> Action:
        """What a number means now."""
        if not 0 <= number < self._game.action_count:
            raise OptionsError(f"there is no action {number}: numbers are below {self._game.action_count}")
        return self._game.action_of(self._records, number)

    def step(self, number: int) -> None:
        """Carry out an action; an illegal one is refused and changes nothing."""
        count: int = self._step(self._records, 0, number, self._buffer)
        if count < 0:
            raise IllegalAction(f"action {number} is not legal now; legal are {self.legal()}")
        self._count = count

    def mask(self) -> NDArray[np.int8]:
        """A one for each legal action number, zeros elsewhere."""
        out = np.zeros(self._game.action_count, np.int8)
        out[self._buffer[: self._count]] = 1
        return out

    def observation(self, seat: int) -> NDArray[np.int8]:
        """What a seat may know, as numbers for a network; the same as its view's."""
        if not 0 <= seat < self._records["players"].item():
            raise OptionsError(f"there is no seat {seat}: seats are from 0")
        out = np.zeros(self._game.observation_size // 8, np.int64)
        self._game.kernels.observe(self._records, 0, seat, out)
        return out.view(np.int8)

    def position(self) -> Position:
        """The position reached, as a value."""
        return self._game.position_type(copy_of(self._records))


# --- The game itself --------------------------------------------------------------------------------

_NAME = re.compile(r"[a-z][a-z0-9_]*")
"""Names of games are parts of addresses, of records and of names of files."""


@dataclass(frozen=True, eq=False)
class Game:
    """What a game's modules offer, under fixed names; `make_game` gathers it."""

    name: str
    title: str
    editions: Mapping[str, Options]
    earlier: Mapping[int, Mapping[str, Options]]
    """The editions as earlier versions of the rules had them, by version."""
    rules: RulesPart
    """The compiled rules: record, deal, legal actions, apply, outcome."""
    encode: EncodePart
    """Views as numbers."""
    heuristic: HeuristicPart
    """Quick judgement: what players weigh."""
    snapshot: AnySnapshot
    """Views as plain data, to be sent elsewhere."""
    why: WhyPart[Any]
    """Why a place cannot be chosen: part of what a seat is sent."""
    kernels: Kernels
    """`games/_kernels.py`, specialised for this game."""
    parse: Callable[[str], Action]
    """Text to action; `MalformedAction` if it is none."""
    number_of: Callable[[Records, Action], int]
    """The number of an action in a position, -1 if it has none there."""
    action_table: Sequence[Action | None]
    """The action of each number that means the same in all positions."""
    action_of: Callable[[Records, int], Action]
    """The action that a number means in a position."""
    longest_action_text: int
    """No action has a text of more characters."""
    options_of: Callable[[int], Options]
    position_type: type[Position]
    view_type: type[View]
    events_between: Callable[[Any, int, Any, int | None], list[Event]]
    phrases: Mapping[str, str]
    moments: Mapping[str, Measure]
    """What is worth remembering of a game; see `games/moments.py`."""
    picture: Callable[[Any, Sequence[str]], list[Line]]
    deck: tuple[str, ...]
    """Every card of the game."""
    deal_of: Callable[[Any], dict[str, Any]]
    """The deal of a game about to start, as a game record holds it."""
    read_deal: Callable[[Options, int, Any], Position]
    """The reverse, strictly: `SetupError` unless it is a deal of this game."""
    codes: Mapping[str, int]
    """The number of each card by its name."""
    sizes: Mapping[str, Size]
    """What a reduced deck of this game can have fewer of; nothing, if the game offers none."""
    deck_of: Callable[[Any], tuple[str, ...]]
    """Every card of a game with certain options: `deck`, unless it is reduced."""
    guide: Guide | None = None
    """The guided first game, if there is one."""

    # What programs need to know about a game before they play it.

    @property
    def action_count(self) -> int:
        """How many action numbers there are: 0 to `action_count` - 1."""
        return self.rules.ACTIONS

    @property
    def observation_size(self) -> int:
        """The length of an observation in bytes, a multiple of eight."""
        return self.encode.SIZE

    @property
    def observation_fields(self) -> Mapping[str, int]:
        """The parts of an observation in order, and the length of each."""
        return self.encode.FIELDS

    @property
    def longest_game(self) -> int | None:
        """No game has more decisions than this; None if there is no such bound."""
        return self.rules.LONGEST

    @property
    def score_bounds(self) -> tuple[int, int]:
        """No score is below the first or above the second, at the end or before it."""
        return self.rules.SCORES

    @property
    def phases(self) -> Sequence[str]:
        """The kinds of decision in words, by the number that the record has; the last is no decision."""
        return self.rules.PHASES

    @property
    def reasons(self) -> Sequence[str]:
        """Why a game can end, by the number that the record has; the first is empty: it goes on."""
        return self.rules.REASONS

    @property
    def record_type(self) -> np.dtype[Any]:
        """The type of the game record."""
        return self.rules.RECORD

    @property
    def over(self) -> int:
        """The phase of a game that has ended."""
        return self.rules.OVER

    @property
    def rules_version(self) -> int:
        """The version of the rules that new games are played by; records name it."""
        return self.rules.VERSION

    def knows_rules(self, version: int) -> bool:
        """Whether games that were played by this version of the rules can be replayed here."""
        return version == self.rules_version or version in self.earlier

    def rules_of(self, options: Options) -> int:
        """The version of the rules that has these options."""
        options = self.whole(options)
        for version, editions in self.earlier.items():
            if options in editions.values():
                return version
        return self.rules_version

    def choose_options(self, edition: str | Options | None, rules: int | None = None) -> Options:
        """Options by edition name (default: the first edition), or as they are given.

        `rules` is the version of the rules, if it is not the present one.
        """
        if rules is not None and not self.knows_rules(rules):
            known = ", ".join(map(str, (*self.earlier, self.rules_version)))
            raise OptionsError(f"version {rules} of the rules of {self.title} is not known; known: {known}")
        if edition is None:
            edition = next(iter(self.editions))
        if not isinstance(edition, str):
            if type(edition) not in {type(preset) for preset in self.editions.values()}:
                raise OptionsError(f"{edition!r} are no options of {self.title}")
            return edition
        if edition not in self.editions:
            known = ", ".join(self.editions)
            raise OptionsError(f"{self.title} has no edition '{edition}'; editions: {known}")
        return self.earlier.get(rules or 0, self.editions)[edition]

    def edition_of(self, options: Options) -> str | None:
        """The name of the edition that has these options."""
        for editions in (self.editions, *self.earlier.values()):
            for name, preset in editions.items():
                if preset == options:
                    return name
        return None

    def kind_of(self, options: Options) -> str:
        """The edition in words."""
        name = self.edition_of(self.whole(options)) or "house rules"
        return f"{name}, reduced" if self.reduction(options) else name

    def reduce(self, edition: str | Options | None = None, /, **sizes: int) -> Options:
        """The options of an edition with a reduced deck: `sizes` says what there is fewer of."""
        options = self.choose_options(edition)
        for name in sizes:
            if name not in self.sizes:
                known = ", ".join(self.sizes) or "none"
                raise OptionsError(f"{self.title} has no size {name[:40]!r} to reduce; sizes: {known}")
        return cast(Options, replace(cast(Any, options), **sizes)) if sizes else options

    def reduction(self, options: Options) -> dict[str, int]:
        """What a reduced deck has fewer of; nothing for the whole game."""
        return {
            name: getattr(options, name)
            for name, size in self.sizes.items()
            if getattr(options, name) != size.whole
        }

    def whole(self, options: Options) -> Options:
        """The same options with the whole deck."""
        return self.reduce(options, **{name: self.sizes[name].whole for name in self.reduction(options)})

    def default_players(self, options: Options) -> int:
        """Four if the edition allows it, else as many as it does allow."""
        counts = options.player_counts
        return 4 if 4 in counts else counts[-1]

    def check_players(self, options: Options, players: int | None, starter: int) -> int:
        """A player count that the options allow, with a start player among them."""
        if players is None:
            players = self.default_players(options)
        counts = options.player_counts
        if players not in counts:
            allowed = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
            name = self.edition_of(options) or "with these options"
            raise OptionsError(f"{self.title} {name} is for {allowed} players, not {players}")
        if not 0 <= starter < players:
            raise OptionsError(f"there is no seat {starter} to start: seats are 0 to {players - 1}")
        return players

    def new(
        self,
        edition: str | Options | None = None,
        players: int | None = None,
        seed: int | None = None,
        deck: Sequence[str] | str | None = None,
        starter: int = 0,
    ) -> Position:
        """Deal a game, from a seed or from an explicit deck (top card first)."""
        options = self.choose_options(edition)
        players = self.check_players(options, players, starter)
        records = blank(self.record_type)
        if deck is None:
            if seed is None:
                raise OptionsError("a new game needs a seed (any whole number) or a deck")
            self.kernels.deal(records, 0, options.flags, players, starter, whole_seed(seed))
        elif seed is not None:
            raise OptionsError("a new game is dealt from a seed or from a deck, not from both")
        else:
            cards = deck.split() if isinstance(deck, str) else list(deck)
            check_cards(cards, self.deck_of(options), "the deck")
            load_deck(records[0], [self.codes[card] for card in cards])
            self.kernels.lay_out(records, 0, options.flags, players, starter)
        return self.position_type(records)

    def legal_numbers(self, records: Records) -> list[int]:
        buffer = np.empty(self.rules.ACTIONS, np.int64)
        count = self.kernels.legal_numbers(records, 0, buffer)
        return buffer[:count].tolist()  # type: ignore[no-any-return]

    def legal_actions(self, records: Records) -> tuple[Action, ...]:
        table = self.action_table
        return tuple([table[n] or self.action_of(records, n) for n in self.legal_numbers(records)])


def make_game(
    package: str,
    title: str,
    position_type: type[P],
    view_type: type[V],
    *,
    actions: ActionsPart,
    cards: CardsPart,
    deals: DealsPart[P],
    encode: EncodePart,
    events: EventsPart,
    heuristic: HeuristicPart,
    options: OptionsPart,
    picture: PicturePart[P, V],
    rules: RulesPart,
    sample: SamplePart,
    snapshot: SnapshotPart[P, V],
    view: ViewPart,
    why: WhyPart[V],
    guide: Guide | None = None,
) -> Game:
    """The one instance of a game, from the modules of its folder; `package` is the name of that folder.

    A type checker says what a module lacks. Without one, `GameError` does.
    """
    name = package.rpartition(".")[2]
    if not _NAME.fullmatch(name):
        raise GameError(f"a game's name is small letters, digits and underscores, not {name!r}")
    modules = {
        "actions": actions, "cards": cards, "deals": deals, "encode": encode, "events": events,
        "heuristic": heuristic, "options": options, "picture": picture, "rules": rules, "sample": sample,
        "snapshot": snapshot, "view": view, "why": why,
    }  # fmt: skip
    found = {part: cast(ModuleType, module) for part, module in modules.items()}
    lacking = missing(found)
    if lacking:
        raise GameError(f"the game '{name}' lacks {', '.join(lacking)}; games/parts.py says what they are")
    compiled = {part: found[part] for part in ("rules", "view", "sample", "encode", "heuristic")}
    game = Game(
        name=name,
        title=title,
        editions=options.EDITIONS,
        earlier=options.EARLIER,
        rules=rules,
        encode=encode,
        heuristic=heuristic,
        snapshot=snapshot,
        why=why,
        kernels=cast(Kernels, specialise("_kernels.py", f"{package}._kernels", **compiled)),
        parse=actions.parse,
        number_of=actions.number_of,
        action_table=actions.TABLE,
        action_of=actions.action_of,
        longest_action_text=actions.LONGEST_TEXT,
        options_of=options.options_of,
        position_type=position_type,
        view_type=view_type,
        events_between=events.events_between,
        phrases=events.PHRASES,
        moments=events.MOMENTS,
        picture=picture.picture,
        deck=cards.DECK,
        deal_of=deals.deal_of,
        read_deal=deals.read_deal,
        codes=cards.CODES,
        sizes=getattr(options, "SIZES", {}),
        deck_of=getattr(cards, "deck_of", lambda _: cards.DECK),
        guide=guide,
    )
    position_type.game = view_type.game = game
    return game
