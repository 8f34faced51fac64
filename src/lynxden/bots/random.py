"""Plays any legal action, each as likely as any other."""

import numpy as np

from lynxden.bots.core import Choice, Limit
from lynxden.bots.registry import BotKind, register
from lynxden.games.core import View


class Random:
    """Takes any legal action, each as likely as any other."""

    def choose(self, view: View, limit: Limit, rng: np.random.Generator) -> Choice:  # noqa: ARG002
        actions = view.legal_actions
        return Choice(actions[int(rng.integers(len(actions)))])


RANDOM = register(BotKind("random", "Random", "Plays anything that is allowed.", Random, quick=True))
