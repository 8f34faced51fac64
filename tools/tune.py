"""Better weights for a game's heuristic, found by letting slightly different players compete.

    python -m tools.tune linko --minutes 20

One weight at a time is changed. One player with the change meets players without it, in every edition and
number of players, each deal once from every seat. If the change wins more than its share twice, with fresh
deals, it stays, and the next change has to beat it. The weights are printed; write them into `heuristic.py`.
"""

import argparse
import sys
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lynxden.batch import CAP, Batch
from lynxden.games.core import Game
from lynxden.games.registry import get_game

Weights = NDArray[np.int64]

SURE = 2.0
"""Standard errors by which a change must win, twice."""


@dataclass(frozen=True)
class Advantage:
    """What a player wins beyond an equal share, in parts of that share, and the standard error of it."""

    mean: float
    error: float

    @property
    def sure(self) -> bool:
        return self.mean > SURE * self.error


def variants(game: Game) -> list[tuple[str, int]]:
    return [(name, players) for name, options in game.editions.items() for players in options.player_counts]


def compete(game: Game, one: Weights, others: Weights, deals: int, seed: int) -> Advantage:
    """One player against others who are all alike, in every variant of the game."""
    means, errors = [], []
    for edition, players in variants(game):
        shares = np.zeros(deals)
        for seat in range(players):
            weights = np.tile(others, (players, 1))
            weights[seat] = one
            shares += won(game, edition, players, weights, deals, seed)[:, seat]
        means.append(shares.mean() - 1)
        errors.append(shares.std() / np.sqrt(deals))
    return Advantage(float(np.mean(means)), float(np.linalg.norm(errors) / len(errors)))


def won(
    game: Game, edition: str, players: int, weights: Weights, deals: int, seed: int
) -> NDArray[np.float64]:
    """The share of the win that each seat has in each game."""
    batch = Batch(
        game.name, deals, edition=edition, players=players, seed=seed, starters=np.arange(deals) % players
    )
    game.kernels.play_weighed_many(batch.records, 0, deals, weights, CAP, np.arange(deals, dtype=np.uint64))
    winners = batch.results().winners
    shares: NDArray[np.float64] = winners / np.maximum(1, winners.sum(axis=1, keepdims=True))
    return shares


def tune(game: Game, weights: Weights, minutes: float, deals: int, seed: int) -> Weights:
    """Change one weight after the other, again and again, in steps that shrink where they do not help."""
    rng = np.random.default_rng(seed)
    end = time.monotonic() + 60 * minutes
    steps = np.maximum(1, np.abs(weights) // 3)
    steps[weights == 0] = 10
    steps[0] = 0  # luck does not help
    while time.monotonic() < end and steps.any():
        for place in rng.permutation(np.flatnonzero(steps)):
            better = improved(game, weights, place, int(steps[place]), deals, rng)
            if better is None:
                steps[place] //= 2
            else:
                weights = better
                steps[place] = steps[place] * 3 // 2 + 1
                print(place, weights.tolist(), flush=True)  # noqa: T201
            if time.monotonic() > end:
                break
    return weights


def improved(
    game: Game, weights: Weights, place: int, step: int, deals: int, rng: np.random.Generator
) -> Weights | None:
    for direction in (step, -step):
        changed = weights.copy()
        changed[place] += direction
        seeds = rng.integers(2**32, size=2).tolist()
        if all(compete(game, changed, weights, deals, seed).sure for seed in seeds):
            return changed
    return None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument(
        "--deals", type=int, default=400, help="for each change, edition and number of players"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--weights", help="where to start, instead of the present weights: numbers and commas"
    )
    arguments = parser.parse_args()
    game = get_game(arguments.game)
    present = game.heuristic.WEIGHTS
    start = np.array([int(n) for n in arguments.weights.split(",")]) if arguments.weights else present
    found = tune(game, start, arguments.minutes, arguments.deals, arguments.seed)
    final = compete(game, found, present, 10 * arguments.deals, arguments.seed + 1)
    print(found.tolist())  # noqa: T201
    print(f"{final.mean:+.1%} ± {1.96 * final.error:.1%} more wins than the present weights")  # noqa: T201


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("stopped; better weights, if any were found, are printed above", file=sys.stderr)  # noqa: T201
        sys.exit(130)
