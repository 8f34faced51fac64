"""A guided first game: a prepared deal that is really played, and what everybody would like to do in it.

The rules decide about every action as in any other game; a guide only wishes. What it wishes follows from the
view of a seat alone, so that it goes on with what is true at the table, whatever was played before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lynxden.games.core import View

LEARNER = 0
"""The seat of the learner, who begins."""


@dataclass(frozen=True)
class Guide:
    """What a game's `guide.py` offers."""

    edition: str
    players: int
    deal: dict[str, Any]
    """As in a game record; `Game.read_deal` checks it."""
    wishes: Callable[[Any], Sequence[str]]
    """From a seat's view to texts of actions, best first. Some may not be legal, and there may be none."""

    def wish(self, view: View) -> str:
        """What the viewer would like to do now; empty if it is not their decision, or nothing is wished."""
        if not view.to_move:
            return ""
        legal = {str(action) for action in view.legal_actions}
        return next((wish for wish in self.wishes(view) if wish in legal), "")


def rest_of(deck: Sequence[str], used: Sequence[str]) -> list[str]:
    """The cards of a deck that are not used yet, well mixed, in the same order every time."""
    left = Counter(deck)
    left.subtract(used)
    cards = [card for card in dict.fromkeys(deck) for _ in range(left[card])]
    return [card for first in range(7) for card in cards[first::7]]
