"""The networks that come with the package, one file for each game, read when they are first needed."""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lynxden.bots.network import Floats, Network
from lynxden.bots.weights import check_game, read_weights
from lynxden.games.core import Game
from lynxden.games.errors import LynxdenError, OptionsError
from lynxden.games.registry import get_game

FOLDER = Path(__file__).with_name("trained")


class Brain:
    """The networks of a game."""

    def __init__(self, game: Game, path: Path) -> None:
        weights = read_weights(path)
        check_game(weights, game, str(path))
        inputs, actions = game.observation_size, game.action_count
        hidden = 8 * game.encode.HIDDEN_WORDS
        self.policy = Network(weights.part("policy"), inputs, actions)
        """What to do, from an observation."""
        self.reflex = Network(weights.part("reflex"), inputs, actions)
        """The same, quicker and less well: for playouts."""
        seats = len(weights.part("critic")["out.bias"])
        self.critic = Network(weights.part("critic"), inputs + hidden, seats)
        """What a full game is worth to each seat, from the deciding one to the left."""
        self.belief: Network | None = None
        """How much likelier hands are than chance has them, as a logarithm; networks may come without it."""
        if weights.holds("belief"):
            self.belief = Network(weights.part("belief"), inputs + hidden, 1)
        self.margin = float(weights.about.get("margin", "0.02"))
        """What a point of difference to the best other player is worth, in wins."""

    def chances(self, seen: NDArray[np.int8], actions: NDArray[np.int64]) -> Floats:
        """How likely the policy takes each of these actions, the legal ones."""
        logits = self.policy.one(seen, actions)
        chances: Floats = np.exp(logits - logits.max())
        chances /= chances.sum()
        return chances


def file_of(game: str) -> Path:
    return FOLDER / f"{game}.safetensors"


@cache
def brain_of(game: str) -> Brain:
    """The networks of a game; `WeightsError` if they are broken."""
    path = file_of(game)
    if not path.exists():
        raise OptionsError(f"there is no network for {get_game(game).title}: {path} is missing")
    return Brain(get_game(game), path)


@cache
def has_brain(game: str) -> bool:
    """Whether the networks of a game can be used; if they are broken, a warning says so, once."""
    try:
        brain_of(game)
    except LynxdenError as error:
        if game in trained():
            logging.getLogger(__name__).warning("bots play without networks: %s", error)
        return False
    return True


def trained() -> frozenset[str]:
    """The games that there are networks for."""
    return frozenset(path.stem for path in FOLDER.glob("*.safetensors"))
