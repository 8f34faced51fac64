"""Observations as ones and zeros: each byte becomes steps, a one for each step that it reaches.

A count of three with the steps 1, 2, 4 is 1 1 0. Networks learn from that far more quickly than from the
counts themselves, and the first layer of a network becomes a sum of rows, one for each byte that is not
small. Which steps a byte needs is found out by playing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lynxden.batch import Batch
from lynxden.bots.weights import Arrays, expanded
from lynxden.games.core import Game
from lynxden.train.config import LEVELS, every_table

RARE = 1e-4
"""A step that is reached, or missed, less often than this is left out."""
ROUNDS = 400

MORE = 8
"""Bytes after an observation and all hands, for the critic alone. The first is 1 where `greedy` has the other
seats: who the others are makes a difference to what a position is worth. The rest keeps rows aligned."""

Code = tuple[NDArray[np.int16], NDArray[np.int8]]
"""The byte and the least value of each step, in the order of the bytes."""


def find_code(game: str, *, hidden: bool, levels: int = LEVELS) -> Code:
    """Play every edition with every number of players, half by the heuristic and half at random, and look."""
    tables = every_table(game)
    batch = Batch(game, 16 * len(tables), tables=tables * 16, seed=0, threads=1)
    greedy = np.arange(batch.size) // len(tables) % 2 == 0
    counts = np.zeros((0, 256), np.int64)
    for step in range(ROUNDS):
        if step % 4 == 0:
            seen = batch.observations()
            if hidden:
                seen = np.concatenate([seen, batch.hidden()], axis=1)
            if not len(counts):
                counts = np.zeros((seen.shape[1], 256), np.int64)
            rows = np.broadcast_to(np.arange(seen.shape[1]), seen.shape)
            np.add.at(counts, (rows, seen.astype(np.int64) + 128), 1)
        batch.step(np.where(greedy, batch.greedy_actions(), batch.random_actions()), check=False)
        batch.deal_finished()
    places: list[int] = []
    steps: list[int] = []
    for place, row in enumerate(counts):
        reached = row[::-1].cumsum()[::-1] / row.sum()
        useful = [v for v in range(1, 256) if row[v] and RARE < reached[v] < 1 - RARE]
        if len(useful) > levels:
            useful = [useful[at] for at in np.linspace(0, len(useful) - 1, levels).round().astype(int)]
        places += [place] * len(useful)
        steps += [value - 128 for value in useful]
    return np.array(places, np.int16), np.array(steps, np.int8)


def place_of_others(game: Game) -> int:
    """The byte that says who has the other seats."""
    return game.observation_size + 8 * game.encode.HIDDEN_WORDS


def told_of_others(critic: Arrays, game: Game) -> Arrays:
    """A critic that reads that byte; one that did not judges as before."""
    place = place_of_others(game)
    if place in critic["places"]:
        return critic
    first = critic["in.weight"]
    return critic | {
        "places": np.append(critic["places"], critic["places"].dtype.type(place)),
        "steps": np.append(critic["steps"], critic["steps"].dtype.type(1)),
        "in.weight": np.concatenate([first, np.zeros((len(first), 1), first.dtype)], axis=1),
    }


def for_bots(critic: Arrays, game: Game) -> Arrays:
    """The critic without it: bots look ahead among players like themselves, where it is 0."""
    kept = critic["places"] != place_of_others(game)
    return critic | {
        "places": critic["places"][kept],
        "steps": critic["steps"][kept],
        "in.weight": critic["in.weight"][:, kept],
    }


def refined(network: Arrays, code: Code) -> Arrays:
    """The network with all steps of a code; those that it did not have count for nothing as yet."""
    had = set(zip(network["places"].tolist(), network["steps"].tolist(), strict=True))
    new = [step for step in zip(code[0].tolist(), code[1].tolist(), strict=True) if step not in had]
    places, steps = (np.array([step[part] for step in new], np.int64) for part in (0, 1))
    plain = expanded(network)
    first = plain["in.weight"]
    return plain | {
        "places": np.concatenate([network["places"], places.astype(network["places"].dtype)]),
        "steps": np.concatenate([network["steps"], steps.astype(network["steps"].dtype)]),
        "in.weight": np.concatenate([first, np.zeros((len(first), len(new)), first.dtype)], axis=1),
    }


def thinned(network: Arrays, reached: NDArray[np.float32], rare: float) -> Arrays:
    """The network without steps that are reached, or missed, less often than `rare`.

    It judges positions without them as before: what is hardly ever missed is taken over by the bias.
    """
    kept = (reached >= rare) & (reached <= 1 - rare)
    always = expanded(network)["in.weight"][:, reached > 1 - rare]
    return network | {
        "places": network["places"][kept],
        "steps": network["steps"][kept],
        "in.weight": network["in.weight"][:, kept],
        "in.bias": network["in.bias"] + always.sum(axis=1),
    }
