"""Observations as ones and zeros: each byte becomes steps, a one for each step that it reaches.

A count of three with the steps 1, 2, 4 is 1 1 0. Networks learn from that far more quickly than from the
counts themselves, and the first layer of a network becomes a sum of rows, one for each byte that is not
small. Which steps a byte needs is found out by playing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lynxden.batch import Batch
from lynxden.train.config import every_table

LEVELS = 16
"""The most steps of one byte."""
RARE = 1e-4
"""A step that is reached, or missed, less often than this is left out."""
ROUNDS = 400

Code = tuple[NDArray[np.int16], NDArray[np.int8]]
"""The byte and the least value of each step, in the order of the bytes."""


def find_code(game: str, *, hidden: bool) -> Code:
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
        if len(useful) > LEVELS:
            useful = [useful[at] for at in np.linspace(0, len(useful) - 1, LEVELS).round().astype(int)]
        places += [place] * len(useful)
        steps += [value - 128 for value in useful]
    return np.array(places, np.int16), np.array(steps, np.int8)
