"""What it costs to play otherwise: three copies of a network against one with a habit."""

from collections.abc import Callable

import numpy as np

from tools.strategy.log import PLAYERS, Numbers, bound_seat, play
from tools.strategy.tables import Row, Table, one

Habit = Callable[[Numbers, Numbers], Numbers]
"""From records and legal actions (one row a game) to the actions that the habit allows; none: no matter."""


def only(*numbers: int) -> Habit:
    """One of these actions, whenever that is legal."""

    def allowed(records: Numbers, legal: Numbers) -> Numbers:  # noqa: ARG001
        chosen = np.zeros_like(legal)
        chosen[:, list(numbers)] = legal[:, list(numbers)]
        return chosen

    return allowed


def compare(game: str, habits: dict[str, Habit], games: int, seed: int) -> Table:
    """How often one player wins with each habit."""
    every = np.arange(games)
    seat = bound_seat(every)
    rows = []
    for name, habit in {"as the network plays": None, **habits}.items():
        log = play(game, games, seed, ("actor",), habit)
        points = log.scores[every, seat]
        lead = points - (log.scores.sum(axis=1) - points) / (PLAYERS - 1)
        rows.append(Row(name, [one(100 * log.wins[every, seat]), one(lead)], ".1"))
    return Table("one player of four", ("wins of 100", "points more than the others"), rows)
