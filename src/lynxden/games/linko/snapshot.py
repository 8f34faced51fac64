"""What is seen of a game of Linko as plain data: values that can be sent as JSON.

`public` is the same for everybody, so one message serves a whole table; `private` is what one seat sees
besides. Seats are counted from 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from lynxden.games.core import Records, blank
from lynxden.games.errors import OptionsError
from lynxden.games.jit import kernel
from lynxden.games.linko import rules
from lynxden.games.linko.actions import TABLE
from lynxden.games.linko.cards import NAMES
from lynxden.games.linko.position import LinkoPosition, LinkoView, layer_of, victim_of
from lynxden.games.linko.why import Why, why

# --- The values -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Player:
    """What everybody sees of a player."""

    hand_size: int
    layers: tuple[tuple[str, ...], ...]
    """The sets on the table, the oldest first, each its cards; the last one can be snatched."""
    known: tuple[str, ...]
    """Cards that everybody knows to be in the hand."""
    score: int
    """The points if the game ended now."""


@dataclass(frozen=True)
class Public:
    """What everybody at the table sees."""

    seat: int | None
    """Who decides now, or None when the game is over."""
    active: int
    """Whose turn it is; in some decisions another seat is asked."""
    decision: str
    """Which kind of decision is due: a name from `rules.PHASES`."""
    over: bool
    deck_size: int
    display: tuple[tuple[str, ...], ...]
    """The six slots from the left, each the cards that lie in it; an empty slot has none."""
    discards: tuple[str, ...]
    row: tuple[str, ...]
    """The virtual player's cards (duel)."""
    victim: int | None
    """Whose layer was snatched, while it is decided what becomes of it or cards are owed for it."""
    snatched: tuple[str, ...]
    """The cards of that layer, while it is decided what becomes of them."""
    beaten: tuple[str, ...]
    """The values of the row that can be snatched, while one is chosen (duel)."""
    owed: int
    """Cards that the deciding seat still has to draw."""
    turns_left: int | None
    """In how many turns the game ends, the present one included, if none of them brings progress: no card
    drawn, none discarded. None unless they are few."""
    players: tuple[Player, ...]
    """By seat."""


@dataclass(frozen=True)
class Snatches:
    """What a play would snatch. The last card of a hand snatches nothing: it ends the game."""

    action: str
    """The play, one of the legal actions."""
    values: tuple[str, ...]
    """The values of the row that it beats (duel): one of them is snatched, before anything else."""
    seats: tuple[int, ...]
    """Whose top layers it beats, in the order in which they are snatched, unless the cards run out before."""


@dataclass(frozen=True)
class Private:
    """What a seat sees besides."""

    seat: int
    hand: tuple[str, ...]
    legal: tuple[str, ...]
    """What the seat may do now, as text; nothing unless it decides."""
    snatches: tuple[Snatches, ...]
    """The legal plays that snatch anything, in the same order."""
    why: tuple[Why, ...]
    """Why everything else on the table cannot be chosen."""


@dataclass(frozen=True)
class Revealed:
    """What was hidden, for when the game is over."""

    hands: tuple[tuple[str, ...], ...]
    """By seat."""
    deck: tuple[str, ...]
    """The top card first."""


@dataclass(frozen=True)
class Part:
    """Cards that count alike, and what they are worth together."""

    name: str
    """Where they are: "table" or "hand"."""
    cards: int
    points: int


# --- Making them ------------------------------------------------------------------------------------


def public(view: LinkoView) -> Public:
    """What everybody sees. Whose view it is makes no difference; a spectator's will do."""
    records = view.kernel_form()
    phase = records["phase"].item()
    players = _players(view, records)
    victim: int | None = None
    snatched: tuple[str, ...] = ()
    beaten: tuple[str, ...] = ()
    if phase in (rules.TAKE, rules.RECLAIM, rules.DRAW):
        victim = victim_of(records, 0)
        if phase != rules.DRAW:
            snatched = players[victim].layers[-1]
    elif phase == rules.SNATCH:
        beaten = tuple([NAMES[number - rules.SNATCHES + 1] for number in view.game.legal_numbers(records)])
    return Public(
        seat=None if phase == rules.OVER else records["actor"].item(),
        active=records["active"].item(),
        decision=rules.PHASES[phase],
        over=phase == rules.OVER,
        deck_size=records["deck_size"].item(),
        display=_display(records),
        discards=_cards(records["discards"].item()),
        row=_cards(records["row"].item()),
        victim=victim,
        snatched=snatched,
        beaten=beaten,
        owed=records["owed"].item() if phase == rules.DRAW else 0,
        turns_left=_turns_left(records),
        players=players,
    )


def private(view: LinkoView) -> Private:
    """What only the viewer sees, and what the viewer may do."""
    seat = view.viewer
    if seat is None:
        raise OptionsError("a spectator sees nothing besides: ask for a seat's view")
    records = view.kernel_form()
    hand = _cards(records["hands"][0, seat].item())
    if not view.to_move:
        return Private(seat, hand, (), (), why(view, records, []))
    numbers = view.game.legal_numbers(records)
    legal = tuple([_TEXTS[number] or str(view.game.action_of(records, number)) for number in numbers])
    snatches = _snatches(records, numbers) if records["phase"].item() == rules.PLAY else ()
    return Private(seat, hand, legal, snatches, why(view, records, numbers))


def revealed(position: LinkoPosition) -> Revealed:
    """All hands and the deck."""
    hands = tuple(position.hand(seat) for seat in range(position.players))
    return Revealed(hands, position.deck)


def breakdown(position: LinkoPosition) -> tuple[tuple[Part, ...], ...]:
    """How each seat's score comes about: the points of its parts add up to it."""
    records = position.kernel_form()
    count = position.players
    on_table = records["table_size"][0, :count].tolist()
    in_hand = records["hand_size"][0, :count].tolist()
    return tuple(
        (Part("table", laid, laid), Part("hand", held, -held))
        for laid, held in zip(on_table, in_hand, strict=True)
    )


# --- Their parts ------------------------------------------------------------------------------------

_TEXTS = tuple(None if action is None else str(action) for action in TABLE)
"""The text of each action number; None for groups, which depend on the display."""

_RUNS = tuple(tuple((name,) * count for count in range(16)) for name in NAMES)
"""So many of a card, by its number and how many."""


def _cards(heap: int) -> tuple[str, ...]:
    """The same as `cards.names`, in less than half the time: many are read for every message."""
    found: list[str] = []
    for runs in _RUNS:
        if heap & 15:
            found += runs[heap & 15]
        heap >>= 4
    return tuple(found)


@cache  # there are some hundred layers in all
def _layer(packed: int) -> tuple[str, ...]:
    return layer_of(packed).cards


WARNING = 10
"""So many turns before the end for want of progress it is announced."""


def _turns_left(records: Records) -> int | None:
    left = rules.QUIET_TURNS - records["quiet"].item()
    endless = records["options"].item() & rules.ENDLESS or records["phase"].item() == rules.OVER
    return None if endless or left > WARNING else left


def _players(view: LinkoView, records: Records) -> tuple[Player, ...]:
    scores = view.scores
    count = len(scores)
    sizes = records["hand_size"].tolist()[0]
    layer_counts = records["layer_count"].tolist()[0]
    known = records["known"].tolist()[0]
    layers = records["layers"][0, :count, : max(layer_counts)].tolist()
    return tuple(
        [
            Player(
                hand_size=sizes[seat],
                layers=tuple([_layer(packed) for packed in layers[seat][: layer_counts[seat]]]),
                known=_cards(known[seat]),
                score=scores[seat],
            )
            for seat in range(count)
        ]
    )


def _display(records: Records) -> tuple[tuple[str, ...], ...]:
    """The six slots: first cards, and with groups (duel) those that lie on them."""
    slots = records["slots"].item()
    found = [_RUNS[slots >> 4 * slot & 15][slots >> 4 * slot & 15 > 0] for slot in range(rules.SLOTS)]
    sizes = records["pile_sizes"].item()
    if sizes:
        piles = records["piles"][0].tolist()
        for slot, pile in enumerate(piles):
            found[slot] += tuple([NAMES[card] for card in pile[: sizes >> 4 * slot & 15]])
    return tuple(found)


def _snatches(records: Records, numbers: list[int]) -> tuple[Snatches, ...]:
    """What each legal play would snatch."""
    values = np.zeros(len(numbers), np.int64)
    seats = np.zeros((len(numbers), rules.SEATS), np.int64)
    _try_plays(records, 0, np.array(numbers), blank(records.dtype), values, seats)
    found: list[Snatches] = []
    for number, beaten, row in zip(numbers, values.tolist(), seats.tolist(), strict=True):
        count = row[-1]
        if beaten or count:
            text = str(_TEXTS[number])
            of_row = tuple([NAMES[value] for value in range(1, rules.VALUES) if beaten >> value & 1])
            found.append(Snatches(text, of_row, tuple(row[:count])))
    return tuple(found)


@kernel
def _try_plays(views: Any, i: int, numbers: Any, trial: Any, values: Any, seats: Any) -> None:
    """Make each play on a copy, and see what the rules do about it.

    A play needs nothing that a view hides. What becomes of a snatched layer does not matter to the next
    opponent, so the comparison is simply carried on. For each play, `values` gets a set of bits, and
    `seats` the victims in order, with their number in the last place.
    """
    for play in range(len(numbers)):
        trial[0] = views[i]
        game = trial[0]
        rules.play(game, numbers[play])
        if game.phase == rules.SNATCH:
            number = rules.legal_after(game, -1)
            while number >= 0:
                values[play] |= 1 << (number - rules.SNATCHES + 1)
                number = rules.legal_after(game, number)
            rules.compare_next(game)
        while game.phase == rules.TAKE:
            seats[play, seats[play, rules.SEATS - 1]] = rules.victim(game)
            seats[play, rules.SEATS - 1] += 1
            rules.compare_next(game)
