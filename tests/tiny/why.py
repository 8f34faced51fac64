"""Why a place of the table of Tiny cannot be chosen."""

from __future__ import annotations

from dataclasses import dataclass

from lynxden.games.core import Records
from tests.tiny import rules
from tests.tiny.cards import CODES
from tests.tiny.position import TinyView


@dataclass(frozen=True)
class Why:
    """Why some places cannot be chosen now."""

    places: tuple[str, ...]
    """`card:1` to `card:4` (own cards), `offered`; `*` is every place."""
    code: str
    seat: int | None = None
    count: int = 0


MEANINGS = {
    "over": "The game is over.",
    "wait": "{seat} has to decide.",
    "none": "There is no such card in the hand.",
    "offer-first": "A card is offered first.",
    "answer-first": "The card that {seat} offers comes first: take it, or refuse it.",
}


def why(view: TinyView, records: Records, numbers: list[int]) -> tuple[Why, ...]:
    """Why the viewer cannot choose what no legal action uses."""
    if view.over:
        return (Why(("*",), "over"),)
    if not view.to_move:
        return (Why(("*",), "wait", view.seat),)
    if view.decision == "answer":
        return (Why(tuple(f"card:{card}" for card in CODES), "answer-first", view.active),)
    none = tuple(f"card:{card}" for card, code in CODES.items() if rules.OFFERS + code - 1 not in numbers)
    return (Why(("offered",), "offer-first"), *((Why(none, "none"),) if none else ()))
