"""The networks that come with the package, one file for each game, read when they are first needed."""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lynxden.bots.network import Floats, Network
from lynxden.bots.threads import one_thread
from lynxden.bots.weights import check_game, read_weights
from lynxden.games.core import Game
from lynxden.games.errors import LynxdenError, OptionsError
from lynxden.games.registry import get_game

FOLDER = Path(__file__).with_name("trained")

CANDIDATES = 4
LIKELY = 0.005
"""Actions that the policy gives less of a chance are not looked at any further."""
SURE = 0.99
"""Where it is surer than this of one action, that is done at once."""
WORLDS = 4
"""Worlds in which actions are carried out to see where they lead: what is drawn on the way is chance."""


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
        self.afterstate: Network | None = None
        """What a position is worth to a seat that has just acted, in tenths of a win, by what it sees;
        networks may come without it."""
        self.trust = 0.0
        """What the logarithm of the policy's chances counts beside that."""
        if weights.holds("afterstate"):
            part = weights.part("afterstate")
            self.afterstate = Network(part, inputs, 1)
            self.trust = float(part["trust"][0])
        self.margin = float(weights.about.get("margin", "0.02"))
        """What a point of difference to the best other player is worth, in wins."""

    def chances(self, seen: NDArray[np.int8], actions: NDArray[np.int64]) -> Floats:
        """How likely the policy takes each of these actions, the legal ones."""
        logits = self.policy.one(seen, actions)
        chances: Floats = np.exp(logits - logits.max())
        chances /= chances.sum()
        return chances

    def candidates(
        self, game: Game, records: Any, actions: NDArray[np.int64], chances: Floats, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """The places of the actions that are worth a thought, the best first; one where it is sure."""
        few = likeliest(chances)
        if self.afterstate is None or len(few) == 1:
            return few
        worth = self.afterstates(game, records, actions[few], rng) + self.trust * np.log(chances[few])
        return few[np.argsort(-worth, kind="stable")]

    def afterstates(
        self, game: Game, records: Any, actions: NDArray[np.int64], rng: np.random.Generator
    ) -> Floats:
        """What the positions are worth that actions lead to, by what the seat sees there."""
        assert self.afterstate is not None
        kernels: Any = game.kernels
        fan = len(actions)
        worlds = np.repeat(records, WORLDS)
        kernels.imagine_many(worlds, 0, WORLDS, rng.integers(2**64, size=WORLDS, dtype=np.uint64))
        table = np.repeat(worlds, fan)
        seats = table["actor"].astype(np.int64)
        kernels.step_many(table, 0, len(table), np.tile(actions, WORLDS), np.zeros(0, np.int8))
        words = np.zeros((len(table), game.encode.WORDS), np.int64)
        kernels.seen_from_many(table, 0, len(table), seats, words)
        with one_thread():
            found: Floats = self.afterstate.many(words.view(np.int8)).reshape(WORLDS, fan).mean(axis=0)
        return found


def likeliest(chances: Floats) -> NDArray[np.int64]:
    """The places of a policy's likeliest actions; that of one alone where it is sure."""
    order = np.argsort(-chances, kind="stable")[:CANDIDATES]
    return order[:1] if chances[order[0]] >= SURE else order[chances[order] >= LIKELY]


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
