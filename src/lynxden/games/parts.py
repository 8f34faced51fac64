"""What each module of a game's folder must have, as types.

A game's `__init__.py` hands its modules to `core.make_game`. A type checker holds each of them against the
class of that name below and says which members are missing or of another kind; `missing` does the same when
the game is imported, for those who use no type checker. `P` and `V` are the game's own positions and views.

Compiled functions take a single game record, which has no type of its own here: Numba infers it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lynxden.games.core import Action, Event, Options, Position, Records, View
    from lynxden.games.drawing import Line
    from lynxden.games.moments import Measure

# Constants of a module are read, never set, so they are properties here: their names are in capitals.
# ruff: noqa: N802

P = TypeVar("P", bound="Position")
V = TypeVar("V", bound="View")
P_contra = TypeVar("P_contra", bound="Position", contravariant=True)
V_contra = TypeVar("V_contra", bound="View", contravariant=True)

# --- Compiled ---------------------------------------------------------------------------------------


class RulesPart(Protocol):
    """`rules.py`: the game record and the rules. Nothing else decides what is legal."""

    @property
    def VERSION(self) -> int:
        """Raised when a rule changes such that a recorded game could be read differently; 1 at first."""

    @property
    def RECORD(self) -> np.dtype[Any]:
        """The type of the game record, made by `jit.record`."""

    @property
    def ACTIONS(self) -> int:
        """How many action numbers there are: 0 to ACTIONS - 1."""

    @property
    def PHASES(self) -> Sequence[str]:
        """The kinds of decision in words, by number; that of a game that has ended too."""

    @property
    def OVER(self) -> int:
        """The phase of a game that has ended."""

    @property
    def REASONS(self) -> Sequence[str]:
        """Why a game ended, by number; the first is empty, for a game that goes on."""

    @property
    def LONGEST(self) -> int | None:
        """No game has more decisions than this; None if there is no such bound."""

    @property
    def SCORES(self) -> tuple[int, int]:
        """No score is below the first or above the second, at the end or before it."""

    def deal(self, game: Any, options: int, players: int, starter: int, seed: Any, /) -> Any:
        """Shuffle a full deck and set up the table, whatever the record held before."""

    def lay_out(self, game: Any, options: int, players: int, starter: int, /) -> Any:
        """Set up the table from the deck that lies in the record."""

    def legal_after(self, game: Any, number: int, /) -> Any:
        """The lowest legal action above a number, or -1: the one generator."""

    def legal_count(self, game: Any, /) -> Any:
        """How many actions are legal."""

    def legal_at(self, game: Any, index: int, /) -> Any:
        """The index-th legal action, counted from 0."""

    def legal_mask(self, game: Any, row: Any, /) -> Any:
        """Write a 1 for each legal action and a 0 for every other."""

    def apply(self, game: Any, action: int, /) -> Any:
        """Carry out a legal action, up to the next decision or the end."""

    def score(self, game: Any, seat: int, /) -> Any:
        """The points of a seat if the game ended now."""

    def is_winner(self, game: Any, seat: int, /) -> Any:
        """Whether a seat has won, once the game is over."""


class ViewPart(Protocol):
    """`view.py`: what a seat may know."""

    def look(self, game: Any, seat: int, view: Any, /) -> Any:
        """Fill an empty record with what a seat may know; -1 is a spectator."""


class SamplePart(Protocol):
    """`sample.py`: a full game that fits a view."""

    def redeal(self, game: Any, seat: int, rng: Any, /) -> Any:
        """Turn a view into a full game, every hidden deal that fits equally likely."""


class EncodePart(Protocol):
    """`encode.py`: a view as numbers."""

    @property
    def FIELDS(self) -> Mapping[str, int]:
        """The parts of an observation in order, and how many bytes each has."""

    @property
    def SIZE(self) -> int:
        """The bytes of an observation."""

    @property
    def WORDS(self) -> int:
        """The same in words of eight bytes."""

    def observe(self, game: Any, seat: int, out: Any, /) -> Any:
        """Write `WORDS` words that describe the game to a seat."""

    @property
    def HIDDEN_WORDS(self) -> int:
        """The words that all hands take."""

    def reveal(self, game: Any, seat: int, out: Any, /) -> Any:
        """Write all hands, from the seat's own to the left: for the judge that a learner has, no player."""


class HeuristicPart(Protocol):
    """`heuristic.py`: quick judgement for the greedy bot and for playouts."""

    @property
    def WEIGHTS(self) -> NDArray[np.int64]:
        """What the judgement depends on: the best that are known. What they mean is the game's own affair."""

    @property
    def PLAYOUTS(self) -> NDArray[np.int64]:
        """The same for playouts, with some luck: a search must not count on one answer."""

    @property
    def FALLIBLE(self) -> NDArray[np.int64]:
        """The same for a player who knows the game and errs now and then."""

    @property
    def CARELESS(self) -> NDArray[np.int64]:
        """The same for a player who is short-sighted and easily misled, as beginners are."""

    def choose(self, game: Any, weights: Any, rng: Any, /) -> Any:
        """The number of the action that the deciding seat should take; `WEIGHTS` leave nothing to luck."""


class Kernels(Protocol):
    """`games/_kernels.py`, made for one game: what Python calls of it. Batches call the rest by name."""

    def deal(self, games: Records, i: int, options: int, players: int, starter: int, seed: Any, /) -> Any: ...
    def lay_out(self, games: Records, i: int, options: int, players: int, starter: int, /) -> Any: ...
    def legal_numbers(self, games: Records, i: int, out: Any, /) -> int: ...
    def is_legal(self, game: Any, number: int, /) -> bool: ...
    def step_and_list(self, games: Records, i: int, number: int, out: Any, /) -> int: ...
    def step_copy(self, games: Records, i: int, number: int, out: Records, j: int, /) -> int: ...
    def look(self, games: Records, i: int, seat: int, views: Records, j: int, /) -> Any: ...
    def redeal(self, views: Records, i: int, seat: int, out: Records, j: int, rng: Any, /) -> Any: ...
    def scores(self, games: Records, i: int, out: Any, /) -> Any: ...
    def winners(self, game: Any, /) -> int: ...
    def greedy_choice(self, games: Records, i: int, /) -> int: ...
    def weighed_choice(self, games: Records, i: int, weights: Any, rng: Any, /) -> int: ...
    def search_many(
        self,
        views: Records,
        start: int,
        stop: int,
        seat: int | None,
        seed: Any,
        first: int,
        actions: Any,
        weights: Any,
        cap: int,
        worlds: Records,
        values: Any,
        /,
    ) -> Any: ...
    def play_weighed_many(
        self, games: Records, start: int, stop: int, weights: Any, cap: int, streams: Any, /
    ) -> Any: ...
    def observe(self, games: Records, i: int, seat: int, out: Any, /) -> Any: ...


# --- For people ---------------------------------------------------------------------------------------


class OptionsPart(Protocol):
    """`options.py`: the editions."""

    @property
    def EDITIONS(self) -> Mapping[str, Options]:
        """The options of each edition by its name; the first is the default."""

    @property
    def EARLIER(self) -> Mapping[int, Mapping[str, Options]]:
        """The same by earlier versions of the rules, as far as those can still be played."""

    def options_of(self, flags: int, /) -> Options:
        """The options that the rules read as a number."""


class CardsPart(Protocol):
    """`cards.py`: cards as text."""

    @property
    def DECK(self) -> tuple[str, ...]:
        """Every card of the game."""

    @property
    def CODES(self) -> Mapping[str, int]:
        """The number of each card by its name."""


class ActionsPart(Protocol):
    """`actions.py`: actions as values, text and numbers."""

    @property
    def TABLE(self) -> Sequence[Action | None]:
        """The action of each number; None where what a number means depends on the position."""

    @property
    def LONGEST_TEXT(self) -> int:
        """No action has a text of more characters."""

    def parse(self, text: str, /) -> Action:
        """The action that a text means; `MalformedAction` if it means none."""

    def action_of(self, records: Records, number: int, /) -> Action:
        """The action that a number means in a position."""

    def number_of(self, records: Records, action: Action, /) -> int:
        """The number of an action in a position; -1 if it has none there."""


class DealsPart(Protocol[P]):
    """`deals.py`: deals as game records hold them."""

    def deal_of(self, position: P, /) -> dict[str, Any]:
        """The deal of a game about to start."""

    def read_deal(self, options: Options, starter: int, deal: Any, /) -> P:
        """The reverse, strictly: `SetupError` unless it is a deal of this game."""


class EventsPart(Protocol):
    """`events.py`: what just happened."""

    @property
    def PHRASES(self) -> Mapping[str, str]:
        """Every kind of event, in words."""

    @property
    def MOMENTS(self) -> Mapping[str, Measure]:
        """What is worth remembering of a game, and how it is measured."""

    def events_between(self, before: Any, number: int, after: Any, viewer: int | None, /) -> list[Event]:
        """What an action brought about, as a viewer saw it; from the records before and after it."""


class PicturePart(Protocol[P_contra, V_contra]):
    """`picture.py`: the table as text."""

    def picture(self, table: P_contra | V_contra, names: Sequence[str], /) -> list[Line]:
        """The table line by line."""


# --- Plain data, to be sent -----------------------------------------------------------------------------


class PlayerForm(Protocol):
    """What everybody sees of a player, in every game."""

    @property
    def hand_size(self) -> int: ...
    @property
    def known(self) -> tuple[str, ...]:
        """Cards that everybody knows to be in the hand."""

    @property
    def score(self) -> int:
        """The points if the game ended now."""


class PublicForm(Protocol):
    """What everybody at the table sees, in every game."""

    @property
    def seat(self) -> int | None:
        """Who decides now, or None when the game is over."""

    @property
    def active(self) -> int:
        """Whose turn it is."""

    @property
    def decision(self) -> str:
        """Which kind of decision is due: a name from `rules.PHASES`."""

    @property
    def over(self) -> bool: ...
    @property
    def deck_size(self) -> int: ...
    @property
    def players(self) -> Sequence[PlayerForm]:
        """By seat."""


class WhyForm(Protocol):
    """Why some places cannot be chosen, in every game."""

    @property
    def places(self) -> tuple[str, ...]:
        """`*` is every place; the other names are the game's own."""

    @property
    def code(self) -> str:
        """The reason: one of `why.MEANINGS`."""

    @property
    def seat(self) -> int | None:
        """Whom the reason names, if anybody."""

    @property
    def count(self) -> int:
        """How many cards it speaks of."""


class PrivateForm(Protocol):
    """What a seat sees besides, in every game."""

    @property
    def seat(self) -> int: ...
    @property
    def hand(self) -> tuple[str, ...]: ...
    @property
    def legal(self) -> tuple[str, ...]:
        """What the seat may do now, as text; nothing unless it decides."""

    @property
    def why(self) -> Sequence[WhyForm]:
        """Why everything else on the table cannot be chosen."""


class RevealedForm(Protocol):
    """What was hidden, for when the game is over, in every game."""

    @property
    def hands(self) -> tuple[tuple[str, ...], ...]:
        """By seat."""

    @property
    def deck(self) -> tuple[str, ...]:
        """The top card first."""


class PartForm(Protocol):
    """A part of a seat's score, in every game."""

    @property
    def name(self) -> str: ...
    @property
    def cards(self) -> int: ...
    @property
    def points(self) -> int: ...


class SnapshotPart(Protocol[P_contra, V_contra]):
    """`snapshot.py`: a view as plain data, and the dataclasses that hold it."""

    @property
    def Public(self) -> type[PublicForm]: ...
    @property
    def Private(self) -> type[PrivateForm]: ...
    @property
    def Revealed(self) -> type[RevealedForm]: ...
    @property
    def Part(self) -> type[PartForm]: ...

    def public(self, view: V_contra, /) -> PublicForm:
        """What everybody sees, whose view it may be."""

    def private(self, view: V_contra, /) -> PrivateForm:
        """What only the viewer sees, and what the viewer may do."""

    def revealed(self, position: P_contra, /) -> RevealedForm:
        """All that was hidden."""

    def breakdown(self, position: P_contra, /) -> Sequence[Sequence[PartForm]]:
        """How each seat's score comes about: the points of its parts add up to it."""


class AnySnapshot(Protocol):
    """The same for those who do not know the game: its values have the fields above, and others besides."""

    @property
    def Public(self) -> type[Any]: ...
    @property
    def Private(self) -> type[Any]: ...
    @property
    def Revealed(self) -> type[Any]: ...
    @property
    def Part(self) -> type[Any]: ...

    def public(self, view: Any, /) -> Any: ...
    def private(self, view: Any, /) -> Any: ...
    def revealed(self, position: Any, /) -> Any: ...
    def breakdown(self, position: Any, /) -> Any: ...


class WhyPart(Protocol[V_contra]):
    """`why.py`: why a place of the table cannot be chosen."""

    @property
    def MEANINGS(self) -> Mapping[str, str]:
        """Every code, in words."""

    @property
    def Why(self) -> type[WhyForm]: ...

    def why(self, view: V_contra, records: Records, numbers: list[int], /) -> Sequence[WhyForm]:
        """Why the viewer cannot choose what no legal action uses; `numbers` are the legal actions."""


# --- The same at run time -------------------------------------------------------------------------------

PARTS: dict[str, type] = {
    "actions": ActionsPart,
    "cards": CardsPart,
    "deals": DealsPart,
    "encode": EncodePart,
    "events": EventsPart,
    "heuristic": HeuristicPart,
    "options": OptionsPart,
    "picture": PicturePart,
    "rules": RulesPart,
    "sample": SamplePart,
    "snapshot": SnapshotPart,
    "view": ViewPart,
    "why": WhyPart,
}
"""The modules that every game's folder has, besides `position`."""

FIELDS = ("options", "players", "active", "actor", "phase", "reason", "deck", "deck_size")
"""The fields of a game record that shared code reads."""


def missing(modules: Mapping[str, ModuleType]) -> list[str]:
    """What the modules of a game lack, as `module.name`; nothing if all is well."""
    lacking = [
        f"{module.__name__}.{name}"
        for part, module in modules.items()
        for name in vars(PARTS[part])
        if not name.startswith("_") and not hasattr(module, name)
    ]
    rules = modules["rules"]
    known = getattr(getattr(rules, "RECORD", None), "names", None)
    if known is not None:
        lacking += [f"{rules.__name__}.RECORD['{field}']" for field in FIELDS if field not in known]
    return lacking
