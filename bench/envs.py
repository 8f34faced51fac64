"""What Gymnasium's vector environment costs beside the batch that it wraps, in the same run and in turns.

    python bench/envs.py --seconds 20

Both step the same number of games with observations and legal masks; actions are chosen alike on both sides,
from the masks by compiled code, and are not counted.
"""

import json
import platform
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Annotated

import numpy as np
import typer

from lynxden.batch import Batch, Challenge
from lynxden.envs.gymnasium import ManyTablesEnv

ROUNDS = 9


def batch_turns(game: str, games: int) -> Callable[[int], float]:
    """`Batch.turn`: every seat is the caller's."""
    batch = Batch(game, games, players=4, seed=1, starters=np.arange(games) % 4)

    def measure(steps: int) -> float:
        spent = 0.0
        for _ in range(steps):
            actions = batch.random_actions()
            began = time.perf_counter()
            turn = batch.turn(actions)
            spent += time.perf_counter() - began
            assert turn.masks.shape[0] == games
        return spent / steps

    return measure


def challenge_turns(game: str, games: int, bot: str) -> Callable[[int], float]:
    """`Challenge.turn`: one seat is the caller's, bots have the others."""
    batch = Batch(game, games, players=4, seed=1, starters=np.arange(games) % 4)
    challenge = Challenge(batch, [None, bot, bot, bot])
    challenge.begin(1)

    def measure(steps: int) -> float:
        spent = 0.0
        for _ in range(steps):
            actions = batch.random_actions()
            began = time.perf_counter()
            answer = challenge.turn(actions)
            spent += time.perf_counter() - began
            assert answer.look.masks.shape[0] == games
        return spent / steps

    return measure


def env_steps(game: str, games: int, bot: str | None) -> Callable[[int], float]:
    """`step` of the environment, as a learner calls it."""
    env = ManyTablesEnv(game, games, players=4, opponents=bot)
    env.reset(seed=1)

    def measure(steps: int) -> float:
        spent = 0.0
        for _ in range(steps):
            actions = env.batch.random_actions()
            began = time.perf_counter()
            seen, *_ = env.step(actions)
            spent += time.perf_counter() - began
            assert seen["action_mask"].shape[0] == games
        return spent / steps

    return measure


def main(
    seconds: Annotated[float, typer.Option(help="How long to measure each pair.")] = 20,
    games: Annotated[int, typer.Option(help="Games in a batch.")] = 4096,
) -> None:
    """Measure what the environment costs beside the bare batch."""
    found = []
    for game in ("linko", "blocco"):
        for bot in (None, "random", "greedy"):
            bare = batch_turns(game, games) if bot is None else challenge_turns(game, games, bot)
            env = env_steps(game, games, bot)
            steps = max(5, round(seconds / 2 / ROUNDS / max(bare(20), env(20))))
            pairs = [(bare(steps), env(steps)) for _ in range(ROUNDS)]
            row = {
                "game": game,
                "opponents": bot or "none: all seats are the caller's",
                "batch ms": round(1000 * median(pair[0] for pair in pairs), 3),
                "environment ms": round(1000 * median(pair[1] for pair in pairs), 3),
                "ratio": round(median(pair[1] / pair[0] for pair in pairs), 2),
                "million steps a second": round(games / median(pair[1] for pair in pairs) / 1e6, 2),
            }
            found.append(row)
            print(*(f"{name} {value}" for name, value in row.items()), sep="   ")
    about = {"date": time.strftime("%Y-%m-%d"), "python": platform.python_version(), "command": sys.argv}
    print(json.dumps({**about, "games": games, "found": found}))


if __name__ == "__main__":
    typer.run(main)
