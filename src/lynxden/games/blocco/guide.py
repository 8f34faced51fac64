"""The guided first game of Blocco: after four turns the learner has met every action, and plays to the end.

If the learner does as proposed: a row is taken and makes a group of light blue, which is laid; it is scored,
and the player with the most cards gives two; blue is collected, and blocked by somebody else before it can be
laid; that one scores, and the learner has to give; blue is free again. After that the others take long rows,
so that the deck is soon used up; rows leave gaps, and the fifth ends the game (`tests/test_guides.py`).
"""

from __future__ import annotations

from collections import Counter

from lynxden.games.blocco import rules
from lynxden.games.blocco.cards import DECK, NAMES
from lynxden.games.blocco.position import BloccoView
from lynxden.games.guide import LEARNER, Guide, rest_of

HANDS = ("2a 1b", "2b 1a", "4a 4a")
ROWS = "3a 4a 2a 3b 1a 4a 4a 3b"
DECK_TOP = """
3b 2b 3a
3b 1a 2b
3a 2b 4a
4a 3a 3b
1b 3b 1b
3b 4a 3a
"""
"""Three cards for each take."""
OPENING = 72
"""While the deck has more cards than this, the others collect what they want; then they take long rows."""
SIZES = dict(zip(NAMES[1:], rules.NUMBERS, strict=True))
WANTED: tuple[dict[str, int], ...] = ({}, {"1a": 3, "2b": 2}, {"4a": 4})
"""What the others collect before they lay any of it, in the order in which they lay it."""
MANY = 4
"""With so many cards in hand, the learner is advised to lay even a single one."""
HEAP = 8
"""So many cards the others lay at once later on, or score."""


def wishes(view: BloccoView) -> list[str]:
    if view.viewer == LEARNER:
        return _learner(view)
    return _other(view, WANTED[view.viewer or 0]) if view.deck_size > OPENING else _hurried(view)


def _learner(view: BloccoView) -> list[str]:
    held = Counter(view.hand)
    # Given away first: what is furthest from a group.
    gifts = [f"give {card}" for card in sorted(held, key=lambda card: (held[card] / SIZES[card], card))]
    groups = sorted(
        ((count // SIZES[card] * SIZES[card], card) for card, count in held.items()), reverse=True
    )
    lays = [f"block {card} {cards // SIZES[card]}" for cards, card in groups if cards > 1]
    small = [f"block {card} 1" for cards, card in groups if cards == 1 and len(view.hand) > MANY]
    givers = [f"from {seat + 1}" for seat in range(view.players)]
    rows = [place for place in range(rules.PLACES) if view.rows[place]]
    if view.deck_size == 0:
        # The end is near: lay, then score, and take as few cards as possible.
        rows.sort(key=lambda place: (len(view.rows[place]), place))
        lays = [f"block {card} {cards // SIZES[card]}" for cards, card in groups if cards]
        first = lays if view.actions_left == 2 else []
        return [*gifts, *givers, *first, "score", *lays, *(f"take {place + 1}" for place in rows)]
    rows.sort(key=lambda place: (-_grouped(held + Counter(view.rows[place])), place))
    score = ["score"] if view.actions_left == 2 and _bonus(view) else []
    return [*gifts, *givers, *score, *lays, *small, *(f"take {place + 1}" for place in rows)]


def _other(view: BloccoView, wanted: dict[str, int]) -> list[str]:
    held, top = Counter(view.hand), view.top(view.viewer or 0)
    gifts = [f"give {card}" for card in sorted(held, key=lambda card: (card in wanted, card))]
    last = [*wanted][-1]
    score = ["score"] if len(wanted) > 1 and top == last and view.actions_left == 2 and _bonus(view) else []
    ready = top in wanted or all(held[card] >= count for card, count in wanted.items())
    lays = [f"block {card} {held[card] // SIZES[card]}" for card in wanted] if ready else []
    rows = sorted(
        (place for place in range(rules.PLACES) if view.rows[place]),
        key=lambda place: _worth(view.rows[place], wanted),
        reverse=True,
    )
    return [*gifts, *score, *lays, *(f"take {place + 1}" for place in rows)]


def _hurried(view: BloccoView) -> list[str]:
    """Long rows, and now and then a heap of one colour: the deck is soon used up."""
    held = Counter(view.hand)
    most = held.most_common()
    gifts = [f"give {card}" for card, _ in reversed(most)]
    givers = [f"from {seat + 1}" for seat in range(view.players)]
    heaps = [f"block {card} {count // SIZES[card]}" for card, count in most if count >= HEAP]
    laid = sum(len(lay.cards) for lay in view.pile(view.viewer or 0))
    score = ["score"] if laid >= HEAP and view.actions_left == 1 else []
    rows = sorted(
        (place for place in range(rules.PLACES) if view.rows[place]),
        key=lambda place: (-len(view.rows[place]), place),
    )
    return [*gifts, *givers, *score, *heaps, *(f"take {place + 1}" for place in rows)]


def _worth(row: tuple[str, ...], wanted: dict[str, int]) -> tuple[int, int]:
    """How good a row is: many wanted cards, and few others."""
    good = sum(card in wanted for card in row)
    return good, good - len(row)


def _bonus(view: BloccoView) -> bool:
    """Whether somebody else holds more cards, and would have to give."""
    return max(view.hand_sizes) > len(view.hand)


def _grouped(held: Counter[str]) -> int:
    """Cards that are part of a whole group."""
    return sum(count // SIZES[card] * SIZES[card] for card, count in held.items())


_used = [*(card for hand in HANDS for card in hand.split()), *ROWS.split(), *DECK_TOP.split()]
GUIDE = Guide(
    edition="standard",
    players=len(HANDS),
    deal={
        "hands": [hand.split() for hand in HANDS],
        "rows": ROWS.split(),
        "deck": [*DECK_TOP.split(), *rest_of(DECK, _used)],
    },
    wishes=wishes,
)
