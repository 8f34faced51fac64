"""What is seen of a game of Blocco as plain data: values that can be sent as JSON.

`public` is the same for everybody, so one message serves a whole table; `private` is what one seat sees
besides. Seats are counted from 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from lynxden.games.blocco import rules
from lynxden.games.blocco.actions import TABLE, action_of, giver_of
from lynxden.games.blocco.cards import NAMES
from lynxden.games.blocco.position import BloccoPosition, BloccoView, lay_of
from lynxden.games.blocco.view import fewest
from lynxden.games.blocco.why import Why, why
from lynxden.games.core import Records
from lynxden.games.errors import OptionsError
from lynxden.games.jit import kernel

# --- The values -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lay:
    """Groups of one colour that were laid together on a blocking pile."""

    colour: str
    groups: int
    cards: tuple[str, ...]


@dataclass(frozen=True)
class Player:
    """What everybody sees of a player."""

    hand_size: int
    pile: tuple[Lay, ...]
    """The blocking pile, bottom first."""
    top: str | None
    """The colour on top of it, which nobody else may lay; None without a pile."""
    score_size: int
    """The cards in the score pile."""
    known: tuple[str, ...]
    """Cards that everybody knows to be in the hand."""
    doubtful: tuple[str, ...]
    """Cards that everybody saw going into the hand, and that are still there or were given away since."""
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
    rows: tuple[tuple[str, ...], ...]
    """The eight places from place 1, each the cards of its row; an empty place has none."""
    actions_left: int
    """How many actions the active player has left in this turn, the one being decided included."""
    last_action: bool
    """Whether five places are empty, so that the game ends with the action being decided."""
    givers: tuple[int, ...]
    """Who may be picked to give or, once that is settled, who gives; nobody if no gift is due."""
    receiver: int | None
    """Who is given cards; None if no gift is due."""
    owed: int
    """Cards that are still to be given."""
    players: tuple[Player, ...]
    """By seat."""


@dataclass(frozen=True)
class Private:
    """What a seat sees besides."""

    seat: int
    hand: tuple[str, ...]
    given: tuple[str, ...]
    """The cards that the seat has given away so far."""
    legal: tuple[str, ...]
    """What the seat may do now, as text; nothing unless it decides."""
    why: tuple[Why, ...]
    """Why everything else on the table cannot be chosen."""


@dataclass(frozen=True)
class Revealed:
    """What was hidden, for when the game is over."""

    hands: tuple[tuple[str, ...], ...]
    """By seat."""
    given: tuple[tuple[str, ...], ...]
    """The cards that each seat has given away."""
    deck: tuple[str, ...]
    """The top card first."""


@dataclass(frozen=True)
class Part:
    """Cards that count alike, and what they are worth together."""

    name: str
    """Where they are: "score pile", "hand" or "blocking pile"."""
    cards: int
    points: int


# --- Making them ------------------------------------------------------------------------------------


def public(view: BloccoView) -> Public:
    """What everybody sees. Whose view it is makes no difference; a spectator's will do."""
    records = view.kernel_form()
    phase = records["phase"].item()
    active = records["active"].item()
    left = records["left"].item()
    over = phase == rules.OVER
    givers: tuple[int, ...] = ()
    if phase == rules.FROM:
        givers = tuple([giver_of(records, number) for number in view.game.legal_numbers(records)])
    elif phase == rules.GIVE:
        givers = (records["actor"].item(),)
    return Public(
        seat=None if over else records["actor"].item(),
        active=active,
        decision=rules.PHASES[phase],
        over=over,
        deck_size=records["deck_size"].item(),
        rows=tuple([_cards(row) for row in records["rows"].tolist()[0]]),
        actions_left=left,
        last_action=left == 1 and records["empty"].item() >= rules.LAST_EMPTY,
        givers=givers,
        receiver=active if givers else None,
        owed=records["owed"].item(),
        players=_players(view, records),
    )


def private(view: BloccoView) -> Private:
    """What only the viewer sees, and what the viewer may do."""
    seat = view.viewer
    if seat is None:
        raise OptionsError("a spectator sees nothing besides: ask for a seat's view")
    records = view.kernel_form()
    numbers = view.game.legal_numbers(records) if view.to_move else []
    return Private(
        seat=seat,
        hand=_cards(records["hands"][0, seat].item()),
        given=_cards(records["given"][0, seat].item()),
        legal=tuple([_TEXTS[number] or str(action_of(records, number)) for number in numbers]),
        why=why(view, records, numbers),
    )


def revealed(position: BloccoPosition) -> Revealed:
    """All hands, all gifts and the deck."""
    seats = range(position.players)
    return Revealed(
        hands=tuple(position.hand(seat) for seat in seats),
        given=tuple(position.given(seat) for seat in seats),
        deck=position.deck,
    )


def breakdown(position: BloccoPosition) -> tuple[tuple[Part, ...], ...]:
    """How each seat's score comes about: the points of its parts add up to it."""
    piles = position.kernel_form()["pile_size"].tolist()[0]
    return tuple(
        (Part("score pile", scored, scored), Part("hand", held, -held), Part("blocking pile", piles[seat], 0))
        for seat, (scored, held) in enumerate(zip(position.score_sizes, position.hand_sizes, strict=True))
    )


# --- Their parts ------------------------------------------------------------------------------------

_TEXTS = tuple(None if action is None else str(action) for action in TABLE)
"""The text of each action number; None for seats to the left of the active player."""

_RUNS = tuple(tuple((name,) * count for count in range(128)) for name in NAMES[1:])
"""So many cards of a colour, by its number and how many."""


def _cards(heap: int) -> tuple[str, ...]:
    """The same as `cards.names`, in less than half the time: many are read for every message."""
    found: list[str] = []
    for runs in _RUNS:
        heap >>= 8
        if heap & 127:
            found += runs[heap & 127]
    return tuple(found)


@cache  # there are 58 in all
def _lay(packed: int) -> Lay:
    lay = lay_of(packed)
    return Lay(lay.colour, lay.groups, lay.cards)


def _players(view: BloccoView, records: Records) -> tuple[Player, ...]:
    scores = view.scores
    count = len(scores)
    hands = records["hands"].tolist()[0]
    lay_counts = records["lay_count"].tolist()[0]
    lays = records["lays"][0, :count, : max(lay_counts)].tolist()
    tops = records["top"].tolist()[0]
    score_sizes = records["score_size"].tolist()[0]
    known = records["known"].tolist()[0]
    doubtful = np.zeros(count, np.int64)
    _doubtful(records, 0, doubtful)
    in_doubt = doubtful.tolist()
    return tuple(
        [
            Player(
                hand_size=hands[seat] & 127,  # whatever else the view shows of it
                pile=tuple([_lay(packed) for packed in lays[seat][: lay_counts[seat]]]),
                top=NAMES[tops[seat]] or None,
                score_size=score_sizes[seat],
                known=_cards(known[seat]),
                doubtful=_cards(in_doubt[seat]),
                score=scores[seat],
            )
            for seat in range(count)
        ]
    )


@kernel
def _doubtful(views: Any, i: int, out: Any) -> None:
    """`BloccoView.doubtful` of all seats, as heaps: what a hand may hold of a colour beyond what is known."""
    game = views[i]
    for seat in range(game.players):
        for colour in range(1, rules.COLOURS + 1):
            others = fewest(game, seat, colour, int(game.unknown[seat]), True)
            most = rules.size(game.hands[seat]) - others
            out[seat] += rules.cards(colour, max(0, most - rules.held(game.known[seat], colour)))
