"""Plays what the game's own heuristic likes best (`games/<game>/heuristic.py`); leaves nothing to luck."""

import numpy as np

from lynxden.bots.core import Choice, Limit
from lynxden.bots.registry import BotKind, register
from lynxden.games.core import View


class Greedy:
    """Does what the heuristic of the game likes best, at once."""

    def choose(self, view: View, limit: Limit, rng: np.random.Generator) -> Choice:  # noqa: ARG002
        records = view.kernel_form()
        return Choice(view.game.action_of(records, view.game.kernels.greedy_choice(records, 0)))


GREEDY = register(BotKind("greedy", "Greedy", "Plays by rules of thumb, at once.", Greedy, quick=True))
