"""What all environments share: which table is played at, and what a game is worth to its players."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lynxden.games.core import Game, Loop, Options, Outcome
from lynxden.games.errors import OptionsError
from lynxden.games.registry import get_game

REWARDS = ("points", "win", "margin")
"""What a player gets at the end: the points; the share of the win; the points above the best other player."""


class Table:
    """A game, an edition, a number of players, and what counts."""

    def __init__(
        self,
        game: str,
        edition: str | Options | None = None,
        players: int | None = None,
        reward: str = "points",
    ) -> None:
        self.game: Game = get_game(game)
        self.options = self.game.choose_options(edition)
        self.players = self.game.check_players(self.options, players, 0)
        if reward not in REWARDS:
            raise OptionsError(f"there is no reward '{reward}': use {', '.join(REWARDS)}")
        self.reward = reward

    def deal(self, seed: int, starter: int = 0) -> Loop:
        """A game to be stepped in place."""
        return self.game.new(self.options, self.players, seed, starter=starter).loop()

    def rewards(self, scores: NDArray[Any], winners: NDArray[Any]) -> NDArray[np.float64]:
        """What finished games are worth, by seat; the last axis is that of the seats."""
        points = np.asarray(scores, np.float64)
        if self.reward == "win":
            won = np.asarray(winners, np.float64)
            shares: NDArray[np.float64] = won / np.maximum(won.sum(axis=-1, keepdims=True), 1)
            return shares
        if self.reward == "margin":
            falling = -np.sort(-points, axis=-1)
            best, second = falling[..., :1], falling[..., 1:2]
            alone = points == best  # of several who are best, the second is the best other
            return points - np.where(alone, second, best)
        return points

    def rewards_of(self, outcome: Outcome) -> list[float]:
        """The same for one game."""
        won = [seat in outcome.winners for seat in range(self.players)]
        return self.rewards(np.array(outcome.scores), np.array(won)).tolist()  # type: ignore[no-any-return]

    @property
    def reward_bounds(self) -> tuple[float, float]:
        """No reward is below the first or above the second."""
        low, high = self.game.score_bounds
        if self.reward == "win":
            return 0.0, 1.0
        if self.reward == "margin":
            return float(low - high), float(high - low)
        return float(low), float(high)


def check_mode(mode: str | None, modes: Sequence[str]) -> None:
    if mode is not None and mode not in modes:
        raise OptionsError(f"there is no render mode '{mode}': use {', '.join(modes)}")
