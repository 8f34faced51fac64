"""Plays what the game's own heuristic likes best (`games/<game>/heuristic.py`); leaves nothing to luck."""

import numpy as np

from lynxden.games.core import Action, View


class Greedy:
    def choose(self, view: View, rng: np.random.Generator) -> Action:  # noqa: ARG002
        records = view.kernel_form()
        return view.game.action_of(records, view.game.kernels.greedy_choice(records, 0))
