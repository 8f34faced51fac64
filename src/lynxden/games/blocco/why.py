"""Why a place of the table cannot be chosen: a player who asks for a card sees which rule is in the way.

What is legal the rules decide. Here the legal actions are given, and every place that none of them uses gets
one reason: the condition that it fails. All of it is made from the view of one seat.
"""

from __future__ import annotations

from dataclasses import dataclass

from lynxden.games.blocco import rules
from lynxden.games.blocco.actions import From, number_of
from lynxden.games.blocco.cards import CODES
from lynxden.games.blocco.position import BloccoView
from lynxden.games.core import Records


@dataclass(frozen=True)
class Why:
    """Why some places cannot be chosen now. A place that is not named, here or in another, can be."""

    places: tuple[str, ...]
    """`row:1` to `row:8`, `colour:1a` to `colour:4a` (own cards), `pile` (the own blocking pile), and while a
    giver is picked `seat:0` … (another player); `*` is every place."""
    code: str
    """The reason, for programs."""
    seat: int | None = None
    """Whom the reason names, if anybody."""
    count: int = 0
    """How many cards it speaks of."""


MEANINGS = {
    "over": "The game is over.",
    "wait": "{seat} has to decide.",
    "row-empty": "There is no row at this place.",
    "none": "There is no card of this colour in the hand.",
    "incomplete": "For a group of this colour {count} more card{plural} would be needed.",
    "blocked": "{seat} blocks this colour.",
    "pile-empty": "There is no blocking pile to score.",
    "pick-first": "The bonus comes first: pick who gives.",
    "fewer-cards": "Another player has more cards in hand: only those with the most give.",
    "give-first": "The bonus comes first: give {seat} {count} card{plural}.",
}
"""Every code, in words."""

_ALL = ("*",)
_ROWS = tuple([f"row:{place + 1}" for place in range(rules.PLACES)])
_COLOURS = {code: f"colour:{name}" for name, code in CODES.items()}
_PILE = ("pile",)
_OVER = (Why(_ALL, "over"),)
_WAIT = tuple([(Why(_ALL, "wait", seat),) for seat in range(rules.SEATS)])
_NO_PILE = Why(_PILE, "pile-empty")
_PICK = Why((*_ROWS, *_COLOURS.values(), *_PILE), "pick-first")
_ONE_GROUP = (rules.BLOCKS + rules.FIRST_LAY).tolist()
"""The action that lays the fewest cards of a colour: if it is not legal, none of that colour is."""


def why(view: BloccoView, records: Records, numbers: list[int]) -> tuple[Why, ...]:
    """Why the viewer cannot choose what no legal action uses. `numbers` are the legal actions."""
    phase = records["phase"].item()
    if phase == rules.OVER:
        return _OVER
    actor = records["actor"].item()
    if not view.to_move:
        return _WAIT[actor]
    legal = set(numbers)
    if phase == rules.ACT:
        return (
            *_no_row(legal),
            *_no_lay(records, actor, legal),
            *(() if rules.SCORE in legal else (_NO_PILE,)),
        )
    if phase == rules.FROM:
        return (_PICK, *_no_giver(records, actor, legal))
    first = Why((*_ROWS, *_PILE), "give-first", records["active"].item(), records["owed"].item())
    return (first, *_no_gift(legal))


def _no_row(legal: set[int]) -> list[Why]:
    empty = tuple([name for place, name in enumerate(_ROWS) if rules.TAKES + place not in legal])
    return [Why(empty, "row-empty")] if empty else []


def _no_lay(records: Records, seat: int, legal: set[int]) -> list[Why]:
    """Colours that cannot be laid: none in hand, on top of somebody else's pile, or too few for a group."""
    hand = records["hands"][0, seat].item()
    tops = records["top"].tolist()[0]
    none, found = [], []
    for colour, place in _COLOURS.items():
        if _ONE_GROUP[colour] in legal:
            continue
        held = hand >> 8 * colour & 127
        if not held:
            none.append(place)
            continue
        blocker = next((other for other, top in enumerate(tops) if top == colour and other != seat), None)
        if blocker is not None:
            found.append(Why((place,), "blocked", blocker))
        else:
            found.append(Why((place,), "incomplete", count=rules.NUMBERS[colour - 1] - held))
    return [Why(tuple(none), "none"), *found] if none else found


def _no_giver(records: Records, seat: int, legal: set[int]) -> list[Why]:
    others = [other for other in range(records["players"].item()) if other != seat]
    fewer = tuple([f"seat:{other}" for other in others if number_of(records, From(other)) not in legal])
    return [Why(fewer, "fewer-cards")] if fewer else []


def _no_gift(legal: set[int]) -> list[Why]:
    none = tuple([name for colour, name in _COLOURS.items() if rules.GIVES + colour - 1 not in legal])
    return [Why(none, "none")] if none else []
