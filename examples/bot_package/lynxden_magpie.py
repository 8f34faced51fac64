"""A bot in a package of its own: `pip install` it beside Lynxden, and `magpie` is known everywhere."""

import numpy as np

from lynxden.bots import BotKind, Candidate, Choice, Limit, Parameter
from lynxden.games.core import View


class Magpie:
    """Takes the action after which it would have most points, on average over some worlds."""

    def __init__(self, worlds: int = 4) -> None:
        self._worlds = worlds

    def choose(self, view: View, limit: Limit, rng: np.random.Generator) -> Choice:
        seat = view.viewer
        assert seat is not None
        worlds = [view.sample(rng) for _ in range(min(self._worlds, limit.simulations or self._worlds))]
        found = [
            Candidate(action, float(np.mean([world.apply(action).scores[seat] for world in worlds])))
            for action in view.legal_actions
        ]
        found.sort(key=lambda candidate: -candidate.value)
        return Choice(found[0].action, tuple(found), len(worlds) * len(found))


MAGPIE = BotKind(
    "magpie",
    "Magpie",
    "Grabs whatever brings points at once.",
    Magpie,
    parameters={"worlds": Parameter(1, 1000, "worlds to look at")},
)
