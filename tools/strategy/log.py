"""Games between copies of a network, with every decision."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lynxden.batch import Batch
from lynxden.bots.brains import brain_of

PLAYERS = 4

Numbers = NDArray[Any]


@dataclass(frozen=True)
class Log:
    """Row i of `before`, `action` and `game` is decision i; those of one game are in their order."""

    before: dict[str, Numbers]
    """Fields of the record, as they were when it was decided."""
    action: Numbers
    game: Numbers
    starter: Numbers
    """Who began, by game."""
    scores: Numbers
    """By game and seat."""
    wins: Numbers
    """The share of the win, by game and seat."""
    reasons: Numbers
    """Why each game ended."""
    final: Numbers
    """The records of the games at their ends."""

    @property
    def actor(self) -> Numbers:
        """Who decided."""
        return self.before["actor"]

    @property
    def place(self) -> Numbers:
        """The place of each seat in the order of play, by game and seat."""
        return (np.arange(PLAYERS)[None] - self.starter[:, None]) % PLAYERS


def bound_seat(game: Numbers) -> Numbers:
    """Who has a habit, by the number of the game: every seat, in every place of the order of play."""
    return game // PLAYERS % PLAYERS


def play(
    game: str,
    games: int,
    seed: int,
    fields: Sequence[str],
    habit: Callable[[Numbers, Numbers], Numbers] | None = None,
) -> Log:
    """Play that many games to their ends, and keep these fields of the record for each decision.

    With a habit (`habits.py`), one player of each game (`bound_seat`) does what the network likes best among
    the actions that it allows.
    """
    starter = np.arange(games) % PLAYERS
    batch = Batch(game, games, players=PLAYERS, seed=seed, starters=starter, threads=1)
    policy = brain_of(game).policy
    kept: dict[str, list[Numbers]] = {field: [] for field in fields}
    taken: list[Numbers] = []
    lanes: list[Numbers] = []
    while True:
        alive = np.flatnonzero(batch.actors() >= 0)
        if not alive.size:
            break
        logits = policy.many(batch.observations()[alive])
        legal = batch.legal_masks()[alive] > 0
        if habit is not None:
            allowed = habit(batch.records[alive], legal)
            bound = (batch.records["actor"][alive] == bound_seat(alive)) & allowed.any(axis=1)
            legal[bound] = allowed[bound]
        chosen = np.where(legal, logits, -np.inf).argmax(axis=1)
        for field in fields:
            kept[field].append(batch.records[field][alive])
        taken.append(chosen)
        lanes.append(alive)
        actions = np.zeros(games, np.int64)
        actions[alive] = chosen
        batch.step(actions, check=False)
    lane = np.concatenate(lanes)
    order = np.argsort(lane, kind="stable")
    results = batch.results()
    return Log(
        {field: np.concatenate(parts)[order] for field, parts in kept.items()},
        np.concatenate(taken)[order],
        lane[order],
        starter,
        results.scores,
        results.winners / results.winners.sum(axis=1, keepdims=True),
        np.array(results.reasons),
        batch.records.copy(),
    )
