"""Batches on a CUDA device: the same kernels, one thread a game.

Needs the extra `lynxden[cuda]` and a device. Arrays stay on the device; they carry the CUDA array
interface, so PyTorch, CuPy and JAX can read them without a copy.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lynxden.games.core import Game, OptionsError
from lynxden.games.registry import get_game

THREADS = 128
"""Threads a block."""


def load_cuda() -> Any:
    """Numba's CUDA module, or a clear error."""
    # Some releases of numba-cuda import names that NumPy has dropped since.
    for name, now in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
        if not hasattr(np, name):
            setattr(np, name, getattr(np, now))
    try:
        from numba import cuda
    except ImportError as error:
        raise OptionsError(f"CUDA needs the extra lynxden[cuda]: {error}") from error
    if not cuda.is_available():
        raise OptionsError("no CUDA device was found; use device='cpu'")
    return cuda


@cache
def kernels(name: str) -> dict[str, Any]:
    """The kernels of a game for CUDA. Each thread does what the processor does for a slice of one game."""
    cuda = load_cuda()
    many = get_game(name).kernels
    deal_many, deal_finished_many = many.deal_many, many.deal_finished_many
    step_many, random_many, actors_many = many.step_many, many.random_many, many.actors_many
    masks_many, observe_many, results_many = many.masks_many, many.observe_many, many.results_many
    playout_many, play_many = many.playout_many, many.play_many

    def deal(games, options, players, starters, seed, first, rounds, streams):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        if i < len(games):
            deal_many(games, i, i + 1, options, players, starters, seed, first, rounds, streams)

    def deal_finished(games, options, players, starters, seed, first, rounds, streams):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        if i < len(games):
            deal_finished_many(games, i, i + 1, options, players, starters, seed, first, rounds, streams)

    def step(games, actions, faults):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        if i < len(games):
            step_many(games, i, i + 1, actions, faults)

    def random(games, streams, actions):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        if i < len(games):
            random_many(games, i, i + 1, streams, actions)

    def actors(games, out):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        if i < len(games):
            actors_many(games, i, i + 1, out)

    def masks(games, out):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        if i < len(games):
            masks_many(games, i, i + 1, out)

    def observe(games, out):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        if i < len(games):
            observe_many(games, i, i + 1, out)

    def results(games, points, won, reasons):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        if i < len(games):
            results_many(games, i, i + 1, points, won, reasons)

    def playout(games, streams, cap, decisions):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        if i < len(games):
            playout_many(games, i, i + 1, streams, cap, decisions)

    def play(games, streams, bots, cap, log, actors, decisions):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        if i < len(games):
            play_many(games, i, i + 1, streams, bots, cap, log, actors, decisions)

    found: list[Callable[..., None]] = [
        deal, deal_finished, step, random, actors, masks, observe, results, playout, play,
    ]  # fmt: skip
    return {f"{function.__name__}_many": cuda.jit(function) for function in found}


class Cuda:
    """Runs the kernels whose names end in `_many`, one thread a game."""

    def __init__(self, game: Game) -> None:
        self._cuda = load_cuda()
        self._kernels = kernels(game.name)

    def zeros(self, shape: tuple[int, ...], dtype: DTypeLike) -> Any:
        return self._cuda.to_device(np.zeros(shape, dtype))

    def put(self, array: Any) -> Any:
        """An array where the kernels can reach it."""
        return array if self._cuda.is_cuda_array(array) else self._cuda.to_device(np.ascontiguousarray(array))

    def get(self, array: Any) -> NDArray[Any]:
        """An array where Python can reach it."""
        return np.asarray(array.copy_to_host())

    def run(self, name: str, games: Any, *args: Any) -> None:
        """Run a kernel over all games; the caller waits only when it reads something back."""
        blocks = (len(games) + THREADS - 1) // THREADS
        self._kernels[name][blocks, THREADS](games, *args)
