"""Plays what its network likes best: a policy that learned by self-play, in a fraction of a millisecond."""

from __future__ import annotations

import numpy as np

from lynxden.bots.brains import brain_of, trained
from lynxden.bots.core import Candidate, Choice, Limit
from lynxden.bots.registry import BotKind, register
from lynxden.games.core import View

SHOWN = 8
"""Actions that a choice lists."""


class Neural:
    """Does what a trained network likes best, at once."""

    def choose(self, view: View, limit: Limit, rng: np.random.Generator) -> Choice:  # noqa: ARG002
        game, records = view.game, view.kernel_form()
        numbers = np.array(game.legal_numbers(records))
        chances = brain_of(game.name).chances(view.observation(), numbers)
        order = np.argsort(-chances, kind="stable")[:SHOWN]
        candidates = tuple(
            Candidate(game.action_of(records, int(numbers[place])), float(chances[place])) for place in order
        )
        return Choice(candidates[0].action, candidates)


NEURAL = register(
    BotKind(
        "neural",
        "Neural",
        "A network that learned the game by playing against itself; decides at once.",
        Neural,
        games=trained(),
    )
)
