"""Lays as many cards as possible, and does anything else at random: what people do in their first game."""

import numpy as np

from lynxden.bots.core import Choice, Limit
from lynxden.bots.registry import BotKind, register
from lynxden.games.core import View


class Beginner:
    """Sees its own hand and the table, and forgets everything else."""

    def choose(self, view: View, limit: Limit, rng: np.random.Generator) -> Choice:  # noqa: ARG002
        actions = view.legal_actions
        assert view.viewer is not None
        position = view.sample(rng)  # whatever the others hold: it is about the own hand
        left = [position.apply(action).hand_sizes[view.viewer] for action in actions]
        fewest = min(left)
        if fewest < view.hand_sizes[view.viewer]:
            actions = tuple(action for action, size in zip(actions, left, strict=True) if size == fewest)
        return Choice(actions[int(rng.integers(len(actions)))])


BEGINNER = register(
    BotKind("beginner", "Beginner", "Lays as many cards as possible, and knows no more.", Beginner)
)
