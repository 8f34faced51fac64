"""The opponents that people choose from, the same in every game, from gentle to strong."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lynxden.bots.beginner import Beginner
from lynxden.bots.brains import has_brain
from lynxden.bots.core import Choice, Limit
from lynxden.bots.deep import Deep
from lynxden.bots.registry import BotKind, register
from lynxden.bots.search import Search
from lynxden.games.core import View

SHADOW_MS = 700
INSTINCT = 0.8
"""How often a kitten does not think."""


class Kitten:
    """A beginner who has begun to think: now and then it does what looks good, which is not always the best.

    Then it plays by the short-sighted weights of the heuristic, with mistakes, and without a memory of the
    cards that were seen to go into the other hands.
    """

    def __init__(self) -> None:
        self._beginner = Beginner()

    def choose(self, view: View, limit: Limit, rng: np.random.Generator) -> Choice:
        if rng.random() < INSTINCT:
            return self._beginner.choose(view, limit, rng)
        records = view.kernel_form()
        records["known"] = 0
        return weighed(view, records, view.game.heuristic.CARELESS, rng)


class Hunter:
    """Plays by the heuristic, and errs where actions are close."""

    def choose(self, view: View, limit: Limit, rng: np.random.Generator) -> Choice:  # noqa: ARG002
        return weighed(view, view.kernel_form(), view.game.heuristic.FALLIBLE, rng)


def weighed(view: View, records: Any, weights: NDArray[np.int64], rng: np.random.Generator) -> Choice:
    """What the heuristic likes best with these weights."""
    luck = rng.integers(2**64, dtype=np.uint64)
    number = view.game.kernels.weighed_choice(records, 0, weights, luck)
    return Choice(view.game.action_of(records, number))


class Lynx(Search):
    """So few playouts that it is as strong on every machine; the time is for slow ones."""

    def __init__(self) -> None:
        super().__init__(ms=900, sims=150, clear=4.0)


class Shadow:
    """The strongest that decides within a second: networks that look ahead, or the search without them."""

    def __init__(self) -> None:
        self._deep = Deep(ms=SHADOW_MS)
        self._search = Search(ms=SHADOW_MS)

    def choose(self, view: View, limit: Limit, rng: np.random.Generator) -> Choice:
        return (self._deep if has_brain(view.game.name) else self._search).choose(view, limit, rng)


KITTEN = register(
    BotKind(
        "kitten", "Kitten", "Plays for fun: sees what lies in front of it, and forgets the rest.", Kitten, 1
    )
)
HUNTER = register(
    BotKind("hunter", "Hunter", "Knows the rules of thumb, and errs now and then.", Hunter, 2, quick=True)
)
LYNX = register(BotKind("lynx", "Lynx", "Thinks ahead, and seldom errs.", Lynx, 3))
SHADOW = register(BotKind("shadow", "Shadow", "Takes its time, and forgives nothing.", Shadow, 4))
