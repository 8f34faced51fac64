"""Batches on a CUDA device: the same kernels, one thread a game.

Needs the extra `lynxden[cuda]` and a device. Arrays stay on the device; they carry the CUDA array
interface, so PyTorch, CuPy and JAX can read them without a copy.
"""

from collections.abc import Callable
from functools import cache
from numbers import Number
from typing import Any
from weakref import finalize

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


MANY_ACTIONS = 256
"""With more actions than these, masks are written by many threads a game."""

FEW = 2**32 - 2**10
"""With fewer threads than these, 32 bits can count them, those of the last block included."""

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


def words_of(actions: int) -> int:
    """The words of eight bytes that a mask takes."""
    return -(-actions // 8)


@cache
def mask_kernel(game: str, number: Any) -> Any:
    """The masks of all games, a thread for every eight actions.

    One thread a game would write single bytes far from those of its neighbours: with many actions that takes
    several times as long. Threads are counted in numbers of the kind `number`; 32 bits are divided sooner.
    """
    cuda = load_cuda()
    kernels: Any = get_game(game).kernels
    mask_word = kernels.mask_word
    words = number(words_of(get_game(game).action_count))

    def write(games, out):  # type: ignore[no-untyped-def]
        place = number(cuda.grid(1))
        i = place // words
        if i < len(games):
            word = place - i * words
            out[i, word] = mask_word(games[i], np.int64(word))

    return cuda.jit(write)


class Cuda:
    """Runs a job of `games/_kernels.py` over all games."""

    def __init__(self, game: Game) -> None:
        self._cuda = load_cuda()
        self._game = game.name
        self._apart = game.action_count > MANY_ACTIONS
        self._no_masks = self.zeros((0, 0), np.uint8)
        self._launches: dict[str, Launch] = {}

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

    def masks(self, games: int, actions: int) -> Any:
        """An array for the masks of all games; its rows begin at whole words."""
        return self.empty((games, 8 * words_of(actions)), np.uint8)[:, :actions]

    def masks_beside(self, masks: Any) -> Any:
        """What a job gets that steps and looks: no place for masks, if those are written after it."""
        return self._no_masks if self._apart else masks

    def masks_after(self, games: Any, masks: Any) -> None:
        """After such a job, write what it could not."""
        if self._apart:
            self.write_masks(games, masks)

    def write_masks(self, games: Any, masks: Any) -> None:
        if not self._apart:
            self.run("mask", games, masks)
            return

        def prepare() -> tuple[Any, int, tuple[Any, ...]]:
            words = words_of(masks.shape[1])
            array = self._cuda.cudadrv.devicearray.DeviceNDArray
            whole = array((len(masks), words), (8 * words, 8), np.dtype(np.int64), gpu_data=masks.gpu_data)
            threads = len(games) * words
            number = np.uint32 if threads < FEW else np.uint64
            return mask_kernel(self._game, number), threads, (games, whole)

        self._launch("mask", (games, masks), prepare)

    def run(self, job: str, games: Any, *args: Any) -> None:
        """Do a job for every game; the caller waits only when it reads something back."""
        self._launch(job, (games, *args), lambda: (cuda_kernel(self._game, job), len(games), (games, args)))

    def _launch(
        self, job: str, given: tuple[Any, ...], prepare: Callable[[], tuple[Any, int, tuple[Any, ...]]]
    ) -> None:
        last = self._launches.get(job)
        if last is None or not last.repeats(given):
            last = self._launches[job] = Launch(self._cuda, given, *prepare())
        last()


class Launch:
    """A kernel with its arguments, which is quicker to launch again.

    The first time Numba looks at every argument, 50 to 100 µs for a job with many. From the second time on a
    graph is launched that the driver has kept.
    """

    def __init__(self, cuda: Any, given: tuple[Any, ...], kernel: Any, threads: int, args: Any) -> None:
        self._cuda = cuda
        self._given = given
        self._kernel = kernel
        self._blocks = (threads + THREADS - 1) // THREADS
        self._args = args
        self._new = True
        self._graph: Any = None

    def repeats(self, given: tuple[Any, ...]) -> bool:
        """Whether this is the same again: the same arrays, and equal numbers."""
        return all(
            new is old or (isinstance(new, Number) and new == old)
            for new, old in zip(given, self._given, strict=True)
        )

    def __call__(self) -> None:
        if self._new:
            self._new = False
            self._kernel[self._blocks, THREADS](*self._args)
            return
        if self._graph is None:
            self._graph = self._record()
        _driver("cuGraphLaunch", self._graph, 0)

    def _record(self) -> Any:
        """The launch as a graph: it is caught on a stream of its own instead of being done."""
        from cuda.bindings.driver import CUstreamCaptureMode

        stream = self._cuda.stream()
        relaxed = CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
        _driver("cuStreamBeginCapture", int(stream), relaxed)
        self._kernel[self._blocks, THREADS, stream](*self._args)
        graph = _driver("cuStreamEndCapture", int(stream))
        ready = _driver("cuGraphInstantiate", graph, 0)
        _driver("cuGraphDestroy", graph)
        finalize(self, _driver, "cuGraphExecDestroy", ready).atexit = False
        return ready


def _driver(name: str, *args: Any) -> Any:
    """Call a function of the CUDA driver; an error if it says so."""
    from cuda.bindings import driver

    error, *found = getattr(driver, name)(*args)
    if error != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(f"{name}: {error}")
    return found[0] if found else None
