"""What a bot is: something that decides from what a seat sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from lynxden.games.core import Action, View

Number = TypeVar("Number", int, float)


@dataclass(frozen=True)
class Limit:
    """How long a bot may think. It stops at whichever comes first; its own parameters may stop it earlier."""

    seconds: float | None = None
    simulations: int | None = None

    def stricter(self, other: Limit) -> Limit:
        """The smaller of both bounds, each for itself."""
        return Limit(_smaller(self.seconds, other.seconds), _smaller(self.simulations, other.simulations))


NO_LIMIT = Limit()


@dataclass(frozen=True)
class Candidate:
    """An action that a bot looked at."""

    action: Action
    value: float
    """What the bot expects of it for its seat, in the bot's own measure; more is better."""
    error: float = 0.0
    """The standard error of the value."""
    simulations: int = 0


@dataclass(frozen=True)
class Choice:
    """A decision and what was found on the way to it."""

    action: Action
    candidates: tuple[Candidate, ...] = ()
    """What was considered, the best first; empty if the bot does not compare."""
    simulations: int = 0
    seconds: float = 0.0


class Bot(Protocol):
    """Something that decides.

    The view holds all that the seat may know, what is known of other hands included, so a bot needs no
    memory of its own: one instance may play many seats and games. All luck comes from `rng`, so the same
    view, limit in simulations and generator give the same choice.
    """

    def choose(self, view: View, limit: Limit, rng: np.random.Generator) -> Choice:
        """A choice whose action is one of `view.legal_actions`."""


def _smaller(a: Number | None, b: Number | None) -> Number | None:
    return b if a is None else a if b is None else min(a, b)
