"""What a bot is, and the list of them."""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from lynxden.games.core import Action, View
from lynxden.games.errors import OptionsError


class Bot(Protocol):
    """Something that decides.

    The view holds all that the seat may know, what is known of other hands included, so a bot needs no
    memory of its own.
    """

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        """One of `view.legal_actions`."""


BOTS: dict[str, Callable[[], Bot]] = {}
"""How to make each bot, by name."""


def get_bot(name: str) -> Bot:
    if name not in BOTS:
        raise OptionsError(f"there is no bot '{name}'; bots: {', '.join(sorted(BOTS))}")
    return BOTS[name]()
