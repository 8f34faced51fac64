"""Why a place of the table cannot be chosen: a player who asks for a card sees which rule is in the way.

What is legal the rules decide. Here the legal actions are given, and every place that none of them uses gets
one reason: the condition that it fails. All of it is made from the view of one seat.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lynxden.games.core import Fields, Records
from lynxden.games.linko import rules
from lynxden.games.linko.actions import slot_cards
from lynxden.games.linko.cards import NAMES
from lynxden.games.linko.position import LinkoView, victim_of


@dataclass(frozen=True)
class Why:
    """Why some places cannot be chosen now. A place that is not named, here or in another, can be."""

    places: tuple[str, ...]
    """`hand` (all own cards), `deck`, `slot:0` to `slot:5` from the left, `row:7` (a value of the virtual
    player's row); `*` is every place."""
    code: str
    """The reason, for programs."""
    seat: int | None = None
    """Whom the reason names, if anybody."""
    count: int = 0
    """How many cards it speaks of."""


MEANINGS = {
    "over": "The game is over.",
    "wait": "{seat} has to decide.",
    "play-first": "Cards are laid from the hand now; nobody draws before that.",
    "row-play": "A set of the row is snatched by playing as many cards of higher value.",
    "take-first": "The {count} card{plural} snatched from {seat} come first: take them, or leave them.",
    "reclaim-first": "The set that {seat} snatched comes first: reclaim it, or discard it.",
    "snatch-first": "A set of the row comes first: choose which one to snatch.",
    "row-size": "This set of the row has not as many cards as the set that was played: {count}.",
    "row-value": "This set of the row is not lower than the set that was played.",
    "draw-first": "The draw comes first: {count} card{plural}.",
    "optional-first": "The optional draw comes first: draw a card, or pass.",
    "deck-empty": "The deck is empty.",
    "slot-empty": "The slot is empty.",
}
"""Every code, in words."""

_ALL = ("*",)
_SLOTS = tuple([f"slot:{slot}" for slot in range(rules.SLOTS)])
_OVER = (Why(_ALL, "over"),)
_WAIT = tuple([(Why(_ALL, "wait", seat),) for seat in range(rules.SEATS)])
_PLAY = Why(("deck", *_SLOTS), "play-first")
_SNATCH = Why(("hand", "deck", *_SLOTS), "snatch-first")


def why(view: LinkoView, records: Records, numbers: list[int]) -> tuple[Why, ...]:
    """Why the viewer cannot choose what no legal action uses. `numbers` are the legal actions."""
    phase = records["phase"].item()
    if phase == rules.OVER:
        return _OVER
    if not view.to_move:
        return _WAIT[records["actor"].item()]
    if phase == rules.TAKE:
        victim = victim_of(records, 0)
        return (Why(_ALL, "take-first", victim, _top_size(records, victim)),)
    if phase == rules.RECLAIM:
        return (Why(_ALL, "reclaim-first", records["active"].item()),)
    row = _sets(records["row"].item())
    if phase == rules.PLAY:
        return (_PLAY, Why(_row(row), "row-play")) if row else (_PLAY,)
    if phase == rules.SNATCH:
        return (_SNATCH, *_not_beaten(records, row, numbers))
    if phase == rules.DRAW:
        first = Why(("hand", *_row(row)), "draw-first", count=records["owed"].item())
    else:
        first = Why(("hand", *_row(row)), "optional-first")
    return (first, *_nothing_to_draw(records, numbers))


def _sets(row: int) -> dict[str, int]:
    """The values of the row (duel), and how many cards it has of each."""
    if not row:
        return {}
    return {NAMES[value]: row >> 4 * value & 15 for value in range(1, rules.VALUES) if row >> 4 * value & 15}


def _row(values: Iterable[str]) -> tuple[str, ...]:
    return tuple([f"row:{value}" for value in values])


def _top_size(records: Records, seat: int) -> int:
    """The number of cards in a player's last set."""
    size: int = rules.layer_size(records["tops"][0, seat].item())
    return size


def _not_beaten(records: Records, row: dict[str, int], numbers: list[int]) -> list[Why]:
    """Sets of the row that the played set does not beat: it has not as many cards, or is no higher."""
    size = _top_size(records, records["active"].item())
    left = [value for value in row if rules.SNATCHES + int(value) - 1 not in numbers]
    found = []
    if other_size := [value for value in left if row[value] != size]:
        found.append(Why(_row(other_size), "row-size", count=size))
    if as_many := [value for value in left if row[value] == size]:
        found.append(Why(_row(as_many), "row-value"))
    return found


def _nothing_to_draw(records: Records, numbers: list[int]) -> list[Why]:
    """Only what is not there cannot be drawn."""
    found = []
    if rules.DRAW_DECK not in numbers:
        found.append(Why(("deck",), "deck-empty"))
    record = Fields(records)
    if empty := tuple([_SLOTS[slot] for slot in range(rules.SLOTS) if not slot_cards(record, slot)]):
        found.append(Why(empty, "slot-empty"))
    return found
