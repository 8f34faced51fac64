"""Compiles what the tests need, once, before they are spread over processes that would each compile it.

`python -m tests.warm` does it too. A second time takes a few seconds: everything is there.
"""

import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from lynxden.batch import Batch, Challenge
from lynxden.games.registry import GAMES, register
from tests.tiny import TINY


def batch(name: str) -> None:
    """Everything that a batch of games can do."""
    some = Batch(name, 4, seed=1, threads=1)
    for look in (some.observations, some.legal_masks, some.hidden, some.actors):
        look()
    some.step(some.greedy_actions())
    some.step(some.legal_masks().argmax(axis=1))
    some.random_step()
    some.imagine(np.arange(4, dtype=np.uint64))
    some.playout()
    some.results()
    some.deal_finished()
    some.play(["greedy", *["random"] * (some.players - 1)])


def turns(name: str) -> None:
    some = Batch(name, 4, seed=1, threads=1)
    some.turn(some.random_actions())
    some.turn(some.legal_masks().argmax(axis=1))  # which are larger numbers


def challenge(name: str) -> None:
    some = Challenge(Batch(name, 4, threads=1), [None, *["greedy"] * (Batch(name, 1).players - 1)])
    some.turn(some.begin(seed=1).masks.argmax(axis=1))


PARTS = [(part, name) for part in (challenge, turns, batch) for name in (*GAMES, TINY.name)]


def main() -> None:
    subprocess.run([sys.executable, "-m", "lynxden", "warm"], check=True)
    register(TINY)
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("fork")) as pool:
        for done in [pool.submit(part, name) for part, name in PARTS]:
            done.result()


if __name__ == "__main__":
    main()
