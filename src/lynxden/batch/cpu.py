"""Batches on the processor: compiled loops over slices of the arrays, one slice a thread."""

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lynxden.games.core import Game
from lynxden.games.errors import OptionsError
from lynxden.games.jit import COMPILED


class Cpu:
    """Runs a job of `games/_kernels.py` over all games; kernels release Python's lock, so threads help."""

    def __init__(self, game: Game, threads: int | None) -> None:
        if threads is not None and threads < 1:
            raise OptionsError(f"a batch needs at least one thread, not {threads}")
        self._kernels = game.kernels
        self._threads = (threads or os.cpu_count() or 1) if COMPILED else 1
        self._pool = ThreadPoolExecutor(self._threads) if self._threads > 1 else None

    def zeros(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        return np.zeros(shape, dtype)

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """An array that holds anything."""
        return np.empty(shape, dtype)

    def put(self, array: NDArray[Any]) -> NDArray[Any]:
        """An array where the kernels can reach it."""
        return np.ascontiguousarray(array)

    def get(self, array: Any) -> NDArray[Any]:
        """An array where Python can reach it."""
        return np.asarray(array)

    def masks(self, games: int, actions: int) -> NDArray[np.uint8]:
        """An array for the masks of all games."""
        return self.empty((games, actions), np.uint8)

    def masks_beside(self, masks: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """What a job gets that steps and looks: it writes the masks itself."""
        return masks

    def masks_after(self, games: NDArray[Any], masks: NDArray[np.uint8]) -> None:
        """After such a job nothing is left to do."""

    def write_masks(self, games: NDArray[Any], masks: NDArray[np.uint8]) -> None:
        self.run("mask", games, masks)

    def raw(self, records: NDArray[Any]) -> NDArray[np.uint8]:
        """The same memory as rows of bytes."""
        return records.view(np.uint8).reshape(len(records), records.dtype.itemsize)

    def run(self, job: str, games: NDArray[Any], *args: Any) -> None:
        """Do a job for every game."""
        kernel = getattr(self._kernels, f"{job}_many")
        count = len(games)
        if self._pool is None or count < 64 * self._threads:
            kernel(games, 0, count, *args)
            return
        edges = [count * part // self._threads for part in range(self._threads + 1)]
        parts = pairwise(edges)
        for done in [self._pool.submit(kernel, games, start, stop, *args) for start, stop in parts]:
            done.result()
