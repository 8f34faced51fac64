"""Processes of this machine that play games for another one."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

from lynxden.games.core import Position
from lynxden.games.registry import learn

LOOK = 0.5
"""Seconds between two looks whether somebody has pressed Ctrl-C."""

T = TypeVar("T")


@contextmanager
def fresh_workers(count: int, game: type[Position]) -> Iterator[ProcessPoolExecutor]:
    """Fresh processes; if the block is left early, they give up what they play, which nobody waits for."""
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), _start, (game,))
    try:
        with _no_interruption():
            for _ in range(count):
                pool.submit(os.getpid)  # each of these starts a process
        yield pool
    except BaseException:
        for child in set(multiprocessing.active_children()) - before:
            child.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def finished(running: Iterable[Future[T]]) -> set[Future[T]]:
    """Wait for work that is done, and return it.

    Python would not hear a Ctrl-C that comes just as it begins to wait, so it never waits for long.
    """
    while not (done := wait(running, LOOK, FIRST_COMPLETED).done):
        pass
    return done


@contextmanager
def _no_interruption() -> Iterator[None]:
    """A Ctrl-C waits for the end of the block: a worker that is half started would complain about it."""
    if threading.current_thread() is not threading.main_thread():  # others are never interrupted
        yield
        return
    came: list[int] = []
    usual = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if came:
        signal.raise_signal(came[0])


def _start(game: type[Position]) -> None:
    """A worker is a fresh process, which has not registered what others have; it ends with its parent."""
    learn((game,))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes: the parent sees to it
    parent = multiprocessing.parent_process()
    if parent is not None:

        def follow() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=follow, daemon=True).start()
