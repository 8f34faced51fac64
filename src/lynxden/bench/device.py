"""The figures on a CUDA device, and the proof that it plays the same games as the processor."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from lynxden.batch import Batch
from lynxden.batch.challenge import Challenge, Look
from lynxden.bench.figures import Figure
from lynxden.games.registry import get_game

GAMES = 262_144
FEWER = (16_384, 32_768, 65_536)
"""Other numbers of games for the figure with observations: learners differ."""
PARTS = ("random_actions", "greedy_actions", "legal_masks", "observations", "hidden", "actors")
DEAL_EVERY = 8
"""Random steps between two deals; a game that is over waits for the next one, and is not counted."""


def cuda_figures(name: str, games: int = GAMES) -> Iterator[Figure]:
    """Whole playouts and lock-step, after the check that both devices agree."""
    same = agreement(name) + agreement_of_learners(name)
    yield Figure(name, "CUDA agrees with the processor", same, "decisions compared", "all equal")
    from lynxden.batch.cuda import load_cuda

    cuda = load_cuda()
    batch = Batch(name, games, seed=1, device="cuda")

    def chosen() -> None:
        batch.step(batch.random_actions(), check=False)
        batch.deal_finished()

    yield Figure(name, f"CUDA playouts, {games} games", _playouts(batch, cuda), "decisions/s")
    yield Figure(
        name, f"CUDA lock-step, random steps, {games} games", _random_steps(batch, cuda), "decisions/s"
    )
    yield Figure(
        name, f"CUDA lock-step, chosen actions, {games} games", _lock_step(batch, cuda, chosen), "decisions/s"
    )
    for size in (*FEWER, games):
        yield _observed(name, size, cuda)


def _observed(name: str, games: int, cuda: Any) -> Figure:
    """What a learner asks for, without the learner."""
    batch = Batch(name, games, seed=1, device="cuda")

    def step() -> None:
        batch.turn(batch.random_actions(), check=False)

    what = f"CUDA lock-step, observations, masks and chosen actions, {games} games"
    return Figure(name, what, _lock_step(batch, cuda, step), "decisions/s")


def _playouts(batch: Batch, cuda: Any, rounds: int = 7) -> int:
    rates = []
    batch.playout()
    for _ in range(rounds):
        batch.deal()
        cuda.synchronize()
        began = time.perf_counter()
        decisions = batch.playout()
        cuda.synchronize()
        spent = time.perf_counter() - began
        rates.append(int(decisions.copy_to_host().sum(dtype=np.int64)) / spent)
    return round(float(np.median(rates)))


def _random_steps(batch: Batch, cuda: Any, rounds: int = 7, steps: int = 200) -> int:
    """Every game makes one decision a step; finished ones wait for the next deal and are not counted."""
    rates = []
    batch.deal()
    for _ in range(rounds + 1):
        before = int(batch.random_step().copy_to_host().sum())
        cuda.synchronize()
        began = time.perf_counter()
        for step in range(steps):
            batch.random_step()
            if step % DEAL_EVERY == DEAL_EVERY - 1:
                batch.deal_finished()
        cuda.synchronize()
        spent = time.perf_counter() - began
        made = int(batch.random_step().copy_to_host().sum()) - before
        rates.append(made / spent * steps / (steps + 1))  # the last step was for the count alone
    return round(float(np.median(rates[1:])))


def _lock_step(batch: Batch, cuda: Any, step: Callable[[], None], rounds: int = 7, steps: int = 200) -> int:
    """Every game makes one decision a step; finished games are dealt anew, so none is ever idle."""
    rates = []
    batch.deal()
    for _ in range(rounds + 1):
        cuda.synchronize()
        began = time.perf_counter()
        for _ in range(steps):
            step()
        cuda.synchronize()
        rates.append(steps * batch.size / (time.perf_counter() - began))
    return round(float(np.median(rates[1:])))


def agreement(name: str, games: int = 4096) -> int:
    """Play the same games on both devices, every edition and player count; how many decisions agreed."""
    compared = 0
    for edition, options in get_game(name).editions.items():
        for players in options.player_counts:
            pair = [
                Batch(name, games, edition=edition, players=players, seed=7, device=device)
                for device in ("cpu", "cuda")
            ]
            for _ in range(40):
                for part in PARTS:
                    cpu, gpu = (getattr(batch, part)() for batch in pair)
                    _check(np.array_equal(cpu, gpu.copy_to_host()), f"{part} differ in {edition}, {players}")
                for batch in pair:
                    batch.step(batch.random_actions())
                compared += games
            for batch in pair:
                batch.deal_finished()
                batch.random_step()
            cpu, gpu = (batch.playout() for batch in pair)
            _check(np.array_equal(cpu, gpu.copy_to_host()), f"lengths differ in {edition}, {players}")
            compared += int(cpu.sum())
            left, right = (batch.records for batch in pair)
            _check(left.tobytes() == right.copy_to_host().tobytes(), f"games differ in {edition}, {players}")
            for batch in pair:
                batch.deal()
            cpu, gpu = (batch.play(["greedy"] * players, cap=2000).actions for batch in pair)
            _check(np.array_equal(cpu, gpu), f"greedy differs in {edition}, {players}")
    return compared


def agreement_of_learners(name: str, games: int = 2048, turns: int = 60) -> int:
    """The same for what learners use: whole turns, alone and against the greedy bot, with mixed tables."""
    kinds = [(edition, n) for edition, o in get_game(name).editions.items() for n in o.player_counts]
    tables = [kinds[i % len(kinds)] for i in range(games)]
    compared = 0
    pair = [Batch(name, games, tables=tables, seed=7, device=device) for device in ("cpu", "cuda")]
    for _ in range(turns):
        cpu, gpu = (batch.turn(batch.random_actions()) for batch in pair)
        for field, left, right in zip(cpu._fields, cpu, gpu, strict=True):
            _check(np.array_equal(left, right.copy_to_host()), f"{field} of a turn differ")
        compared += games
    luck = np.random.default_rng(3).integers(2**64, size=games, dtype=np.uint64)
    for batch in pair:
        batch.imagine(luck.copy())
        batch.exchange(luck.copy())
    left, right = (batch.records for batch in pair)
    _check(left.tobytes() == right.copy_to_host().tobytes(), "imagined games differ")
    bots = [None] + ["greedy"] * (pair[0].players - 1)
    challenges = [Challenge(batch, bots) for batch in pair]
    looks = [challenge.begin(11) for challenge in challenges]
    for _ in range(turns):
        for what, left, right in zip(Look._fields, *looks, strict=True):
            _check(np.array_equal(left, right.copy_to_host()), f"{what} against the greedy bot differ")
        actions = np.asarray(looks[0].masks).argmax(axis=1)
        looks = [challenge.turn(actions).look for challenge in challenges]
        compared += games
    return compared


def _check(agrees: bool, otherwise: str) -> None:
    if not agrees:
        raise AssertionError(f"CUDA and the processor disagree: {otherwise}")


if __name__ == "__main__":  # a machine with a device may lack the command line's packages
    import json
    import sys

    for argument in sys.argv[1:]:
        for figure in cuda_figures(argument):
            sys.stdout.write(json.dumps(figure.to_dict()) + "\n")
            sys.stdout.flush()
