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
        game, records, brain = view.game, view.kernel_form(), brain_of(view.game.name)
        numbers = np.array(game.legal_numbers(records))
        chances = brain.chances(view.observation(), numbers)
        first = brain.candidates(game, records, numbers, chances, rng).tolist()
        others = [place for place in np.argsort(-chances, kind="stable").tolist() if place not in first]
        order = [*first, *others][:SHOWN]
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
