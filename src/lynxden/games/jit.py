"""The one decorator for rule functions, and the random numbers that kernels use.

A function marked `@kernel` is ordinary Python. Numba compiles it for the processor at its first call;
the same function may be called from a CUDA kernel; and with `NUMBA_DISABLE_JIT=1` it runs as it
stands, under a debugger if you like, as it does while `interpret` says so, until the compiled code is there.
Three habits keep all of that possible:

- no allocation, no exceptions, no strings: kernels edit a game record in place and return numbers;
- fields are signed, and small ones (below 128) are read through `int(...)` before doing larger sums;
- random numbers are a 64-bit state that is handed in and handed back.
"""

import hashlib
import importlib.util
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import llvmlite.binding
import numba
import numpy as np
from numba.core.registry import CPUDispatcher

F = TypeVar("F", bound=Callable[..., Any])

config: Any = numba.config
_njit: Any = numba.njit
_dispatcher: Any = CPUDispatcher
"""What Numba makes of a function: it chooses the code to run by the types of the arguments."""

COMPILED = not config.DISABLE_JIT
"""False when `NUMBA_DISABLE_JIT=1` asked for plain Python."""

if not COMPILED:  # the random numbers below overflow on purpose
    np.seterr(over="ignore")


def interpret(wanted: bool) -> None:
    """Run the kernels of this process as plain Python from now on, or no longer.

    Nothing has to be compiled then: a game can be played at once, if a hundred times slower. It concerns
    calls from Python; whatever is compiled calls compiled functions.
    """
    if not COMPILED or wanted == interpreting():
        return
    if wanted:
        warnings.filterwarnings("ignore", "overflow encountered in scalar", RuntimeWarning)  # meant, as above
        _dispatcher.__call__ = _as_it_stands
    else:
        del _dispatcher.__call__


@contextmanager
def interpreted(wanted: bool = True) -> Generator[None, None, None]:
    """Run kernels as plain Python meanwhile: quicker for a game or two than to compile the rules first."""
    before = interpreting()
    interpret(wanted or before)
    try:
        yield
    finally:
        interpret(before)


def interpreting() -> bool:
    """Whether kernels run as plain Python at the moment, although they could be compiled."""
    return "__call__" in vars(_dispatcher)


def _as_it_stands(kernel: Any, *args: Any) -> Any:
    return kernel.py_func(*args)


@cache
def _cache_folder(game: Path) -> str | None:
    """Where a game's compiled code is kept: a folder named after the sources it is compiled from.

    Numba notices a change in the file of a function, but not in the files of the functions it calls.
    A folder for each state of the sources makes stale code impossible. None if nothing can be kept here.
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return given
    shared = Path(__file__).parent
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version}".encode())
    for source in sorted({*shared.glob("*.py"), *game.glob("*.py")}):
        stat = source.stat()
        digest.update(f"{source} {stat.st_mtime_ns} {stat.st_size}\n".encode())
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lynxden"
    folder = base / f"{game.name}-{digest.hexdigest()[:16]}"
    if not folder.exists():
        _forget(base, game.name)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            return None
    return str(folder)


def _forget(base: Path, game: str, keep: int = 5) -> None:
    """Remove the compiled code of sources that have long changed."""
    with suppress(OSError):  # another process may be at it too
        for old in sorted(base.glob(f"{game}-*"), key=lambda folder: folder.stat().st_mtime)[:-keep]:
            shutil.rmtree(old, ignore_errors=True)


def _folder_of_game(function: Callable[..., Any]) -> Path:
    """The folder of the rules that a kernel calls; its own, if it is one of them."""
    rules = function.__globals__.get("rules")
    return Path(rules.__file__ if rules else function.__code__.co_filename).parent


def kernel(function: F) -> F:
    """Compile a rule function at its first call, and keep the compiled code for the next process.

    It becomes part of its callers: a call costs more than most rules, above all where arrays are handed over.
    """
    return _compile(function, inline=True)


def outlined_kernel(function: F) -> F:
    """The same for work that is seldom done: its callers stay small."""
    return _compile(function, inline=False)


def _compile(function: F, *, inline: bool) -> F:
    folder = _cache_folder(_folder_of_game(function))
    before = config.CACHE_DIR
    config.CACHE_DIR = folder or before
    try:
        # Said in both cases: otherwise a function follows whichever caller is compiled first.
        compiled: F = _njit(
            function, cache=folder is not None, nogil=True, error_model="numpy", forceinline=inline
        )
    finally:
        config.CACHE_DIR = before  # other users of Numba keep their own
    if COMPILED and folder is not None:
        _save_in_turn(compiled, Path(folder))
    return compiled


def _save_in_turn(dispatcher: Any, folder: Path) -> None:
    """Let one process at a time save compiled code in a folder.

    Numba reads an index, adds to it and writes it back. Of two processes at once, one would undo what the
    other has added, and both would save different code under the same name. Reading needs no lock: a file
    appears whole, and an index may be old.
    """
    save = dispatcher._cache.save_overload

    def save_alone(*args: Any) -> None:
        with only_process(folder, "saving"):
            save(*args)

    dispatcher._cache.save_overload = save_alone


@contextmanager
def only_process(folder: Path, what: str) -> Generator[None, None, None]:
    """Wait until no other process does something in a folder, and keep others from it."""
    if sys.platform == "win32":  # where nothing compiles in several processes
        yield
        return
    import fcntl

    try:
        handle = os.open(folder / f".{what}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:  # then nothing can be saved there, either
        yield
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def note_of(game: Path, what: str, *others: Path) -> Path | None:
    """The file that says that some code of a game is compiled for this processor; None if none can be kept.

    `game` is the folder of its rules, `others` are folders with sources that matter too. It only helps to
    plan: if it is wrong, something is compiled later than it could have been.
    """
    folder = _cache_folder(game) if COMPILED else None
    if folder is None:
        return None
    machine = f"{llvmlite.binding.get_host_cpu_name()} {llvmlite.binding.get_host_cpu_features().flatten()}"
    digest = hashlib.sha256(machine.encode())
    for other in others:
        digest.update(str(_cache_folder(other)).encode())
    return Path(folder) / f"{what}-{digest.hexdigest()[:16]}.ready"


def is_new(game: Path) -> bool:
    """Whether nothing of a game, by the folder of its rules, has been compiled and kept yet."""
    folder = _cache_folder(game) if COMPILED else None
    return folder is not None and not any(Path(folder).rglob("*.nbc"))


def record(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """The type of a game record: fixed size, aligned (CUDA insists), zero when new."""
    return np.dtype((np.record, np.dtype(fields, align=True)))


def specialise(template: str, name: str, **parts: ModuleType) -> ModuleType:
    """Load `template`, a file of kernels that call `rules`, `encode`, …, once more for one game.

    Each game gets its own copy under its own module name (`name`, in full: it may lie in any package), so
    that Numba compiles and caches direct calls to that game's rules.
    """
    path = Path(__file__).with_name(template)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    vars(module).update(parts)
    sys.modules[module.__name__] = module  # Numba's cache looks the module up by name
    spec.loader.exec_module(module)
    return module


# Random numbers: splitmix64. The state only ever grows by a constant, the output is a hash of it.

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_LOW_32 = np.uint64(0xFFFFFFFF)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@kernel
def advance(rng: np.uint64) -> np.uint64:
    """The next state of a random stream."""
    return np.uint64(rng + _STEP)


@kernel
def bits(rng: np.uint64) -> np.uint64:
    """The 64 random bits that belong to a state."""
    z = np.uint64((rng ^ (rng >> _30)) * _MIX_1)
    z = np.uint64((z ^ (z >> _27)) * _MIX_2)
    return np.uint64(z ^ (z >> _31))


@kernel
def below(rng: np.uint64, n: int) -> np.int64:
    """A whole number from 0 to n - 1, evenly (to one part in 2**32 / n), for this state."""
    return np.int64(((bits(rng) & _LOW_32) * np.uint64(n)) >> _32)


@kernel
def stream(seed: np.uint64, index: int) -> np.uint64:
    """The start of the index-th of many independent streams that grow from one seed."""
    return bits(np.uint64(bits(np.uint64(seed + _STEP)) + np.uint64(index) * _MIX_1))


@kernel
def shuffle_deck(game: Any, rng: np.uint64) -> None:
    """Bring the deck of a record into a random order, every order equally likely (Fisher-Yates)."""
    for last in range(int(game.deck_size) - 1, 0, -1):
        rng = advance(rng)
        other = below(rng, last + 1)
        card = int(game.deck[last])
        game.deck[last] = game.deck[other]
        game.deck[other] = card


@kernel
def draw_top(game: Any) -> int:
    """Take the top card off the deck of a record."""
    top = int(game.deck_size) - 1
    game.deck_size = top
    card = int(game.deck[top])
    game.deck[top] = 0
    return card


# Sets of small numbers as the bits of one.


@kernel
def count_bits(members: int) -> int:
    """How many numbers (below 32) a set of bits holds; without a loop, which processors like."""
    members -= (members >> 1) & 0x55555555
    members = (members & 0x33333333) + ((members >> 2) & 0x33333333)
    members = (members + (members >> 4)) & 0x0F0F0F0F
    return ((members * 0x01010101) & 0xFFFFFFFF) >> 24


@kernel
def nth_bit(members: int, n: int) -> int:
    """The n-th smallest number, counted from 0, of a set of bits."""
    for _ in range(n):
        members &= members - 1
    return count_bits((members & -members) - 1)


@kernel
def bytes_of_nibbles(packed: int) -> int:
    """Eight counts of four bits each, in the lower half of a word, as a word of eight bytes."""
    packed &= 0xFFFFFFFF
    packed = (packed | packed << 16) & 0x0000FFFF0000FFFF
    packed = (packed | packed << 8) & 0x00FF00FF00FF00FF
    return (packed | packed << 4) & 0x0F0F0F0F0F0F0F0F
