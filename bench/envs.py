"""What Gymnasium's vector environment costs beside the batch that it wraps, in the same run and in turns.

    python bench/envs.py --seconds 20

Both step the same number of games with observations and legal masks, one step of the one after one of the
other; the medians count. Actions are chosen at random on both sides, and the choice is not timed.
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


def batch_turns(game: str, games: int, threads: int) -> Callable[[], float]:
    """`Batch.turn`: every seat is the caller's."""
    batch = Batch(game, games, players=4, seed=1, starters=np.arange(games) % 4, threads=threads)

    def measure() -> float:
        actions = batch.random_actions()
        began = time.process_time()
        turn = batch.turn(actions)
        spent = time.process_time() - began
        assert turn.masks.shape[0] == games
        return spent

    return measure


def challenge_turns(game: str, games: int, threads: int, bot: str) -> Callable[[], float]:
    """`Challenge.turn`: one seat is the caller's, bots have the others."""
    batch = Batch(game, games, players=4, seed=1, starters=np.arange(games) % 4, threads=threads)
    challenge = Challenge(batch, [None, bot, bot, bot])
    challenge.begin(1)

    def measure() -> float:
        actions = batch.random_actions()
        began = time.process_time()
        answer = challenge.turn(actions)
        spent = time.process_time() - began
        assert answer.look.masks.shape[0] == games
        return spent

    return measure


def env_steps(game: str, games: int, threads: int, bot: str | None) -> Callable[[], float]:
    """`step` of the environment, as a learner calls it: the arrays of the step before are still in use."""
    env = ManyTablesEnv(game, games, players=4, opponents=bot, threads=threads)
    kept = [env.reset(seed=1)[0]]

    def measure() -> float:
        actions = env.batch.random_actions()
        began = time.process_time()
        seen, *_ = env.step(actions)
        spent = time.process_time() - began
        kept[0] = seen
        return spent

    return measure


def main(
    seconds: Annotated[float, typer.Option(help="How long to measure each pair.")] = 20,
    games: Annotated[int, typer.Option(help="Games in a batch.")] = 4096,
    threads: Annotated[int, typer.Option(help="Threads of a batch.")] = 1,
) -> None:
    """Measure what the environment costs beside the bare batch."""
    found = []
    for game in ("linko", "blocco"):
        for bot in (None, "random", "greedy"):
            if bot is None:
                bare = batch_turns(game, games, threads)
            else:
                bare = challenge_turns(game, games, threads, bot)
            env = env_steps(game, games, threads, bot)
            for _ in range(20):
                bare(), env()
            pairs = []
            ends = time.perf_counter() + seconds
            while time.perf_counter() < ends:
                pairs.append((bare(), env()))
            theirs, ours = (median(times) for times in zip(*pairs, strict=True))
            row = {
                "game": game,
                "opponents": bot or "none",
                "batch ms": round(1000 * theirs, 3),
                "environment ms": round(1000 * ours, 3),
                "ratio": round(ours / theirs, 2),
                "million steps a second": round(games / ours / 1e6, 2),
                "pairs": len(pairs),
            }
            found.append(row)
            print(*(f"{name} {value}" for name, value in row.items()), sep="   ")
    about = {"date": time.strftime("%Y-%m-%d"), "python": platform.python_version(), "command": sys.argv}
    print(json.dumps({**about, "games": games, "threads": threads, "found": found}))


if __name__ == "__main__":
    typer.run(main)
