"""Helpers that the tests of every game share."""

import random
from collections.abc import Iterator

import pytest

from lynxden.games.core import Game, Position
from lynxden.games.registry import GAMES
from tests.tiny import TINY

EVERY = {**GAMES, TINY.name: TINY}
"""Every game of the package by name, and one from outside; `conftest.py` registers it where a test has it."""

VARIANTS = [
    pytest.param(game, edition, players, id=f"{game.name}-{edition}-{players}")
    for game in EVERY.values()
    for edition, options in game.editions.items()
    for players in options.player_counts
]
"""Every game in every edition with every number of players."""

CAP = 3000


def random_game(game: Game, edition: str, players: int, seed: int) -> Iterator[Position]:
    """Every position of a random game, the deal first; stops at the end or a cap."""
    rng = random.Random(seed)
    position = game.new(edition, players, seed=seed, starter=seed % players)
    yield position
    for _ in range(CAP):
        if position.over:
            return
        position = position.apply(rng.choice(position.legal_actions))
        yield position


def walk(position: Position, steps: int) -> Position:
    """A fixed walk through a game: neither the first nor the last legal action, but always the same."""
    for step in range(steps):
        actions = position.legal_actions
        if not actions:
            return position
        position = position.apply(actions[(7 * step + 3) % len(actions)])
    return position
