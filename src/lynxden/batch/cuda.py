"""Batches on a CUDA device: the same kernels, one thread a game.

Needs the extra `lynxden[cuda]` and a device. Arrays stay on the device; they carry the CUDA array
interface, so PyTorch, CuPy and JAX can read them without a copy.
"""

from functools import cache
from typing import Any

import numba
import numpy as np
from numpy.typing import DTypeLike, NDArray

from lynxden.games.core import Game
from lynxden.games.errors import OptionsError
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


LONG = {"playout", "play", "deal_lane", "challenge", "begin"}
"""Jobs that touch a game so often that it pays to copy it."""


@cache
def cuda_kernel(game: str, job: str) -> Any:
    """A job of `games/_kernels.py` for CUDA, one thread a game.

    A long job works on a copy in local memory, which the threads of a warp read side by side: three times as
    fast as a record in global memory, once the copy is paid for.
    """
    cuda = load_cuda()
    body = getattr(get_game(game).kernels, job)
    record = numba.from_dtype(get_game(game).record_type)

    def short(games, args):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        if i < len(games):
            body(games[i], i, *args)

    def long(games, args):  # type: ignore[no-untyped-def]
        i = cuda.grid(1)
        if i < len(games):
            mine = cuda.local.array(1, record)
            mine[0] = games[i]
            body(mine[0], i, *args)
            games[i] = mine[0]

    return cuda.jit(long if job in LONG else short)


class Cuda:
    """Runs a job of `games/_kernels.py` over all games."""

    def __init__(self, game: Game) -> None:
        self._cuda = load_cuda()
        self._game = game.name

    def zeros(self, shape: tuple[int, ...], dtype: DTypeLike) -> Any:
        return self._cuda.to_device(np.zeros(shape, dtype))

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> Any:
        """An array that holds anything."""
        return self._cuda.device_array(shape, np.dtype(dtype))

    def put(self, array: Any) -> Any:
        """An array where the kernels can reach it."""
        return array if self._cuda.is_cuda_array(array) else self._cuda.to_device(np.ascontiguousarray(array))

    def get(self, array: Any) -> NDArray[Any]:
        """An array where Python can reach it."""
        return np.asarray(array.copy_to_host())

    def raw(self, records: Any) -> Any:
        """The same memory as rows of bytes."""
        shape = len(records), records.dtype.itemsize
        array = self._cuda.cudadrv.devicearray.DeviceNDArray
        return array(shape, (shape[1], 1), np.dtype(np.uint8), gpu_data=records.gpu_data)

    def run(self, job: str, games: Any, *args: Any) -> None:
        """Do a job for every game; the caller waits only when it reads something back."""
        blocks = (len(games) + THREADS - 1) // THREADS
        cuda_kernel(self._game, job)[blocks, THREADS](games, args)
