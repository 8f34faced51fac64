"""Plays any legal action, each as likely as any other."""

import numpy as np

from lynxden.games.core import Action, View


class Random:
    def choose(self, view: View, rng: np.random.Generator) -> Action:
        actions = view.legal_actions
        return actions[int(rng.integers(len(actions)))]
