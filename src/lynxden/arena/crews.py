"""Who plays the games of an arena: this process, several of them, or a Ray cluster.

A crew yields the parts as they are finished, in any order; which games they hold does not depend on it.
"""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any

from lynxden.arena.contest import Chunk, Contest
from lynxden.arena.work import Failure, Part, play_chunk
from lynxden.arena.workers import finished, fresh_workers
from lynxden.games.core import Position
from lynxden.games.errors import LynxdenError, OptionsError
from lynxden.games.registry import get_game, learn

AHEAD = 2
"""Chunks for each worker that are handed out at a time: one is played, the next one waits at hand."""
SETBACKS = 5
"""So often in a row workers may die before anything is finished; then something is wrong with the games."""

Parts = Iterator[Part | Failure]


class CrewError(LynxdenError):
    """The workers could not do it."""


def alone(contest: Contest, chunks: Iterable[Chunk]) -> Parts:
    """All games in this process."""
    return (play_chunk(contest, chunk) for chunk in chunks)


def processes(contest: Contest, chunks: Iterable[Chunk], workers: int) -> Parts:
    """Fresh processes of this machine. If one is killed, what it was playing is played again."""
    todo = deque(chunks)
    setbacks = 0
    while todo:
        running: dict[Future[Part | Failure], Chunk] = {}
        try:
            with fresh_workers(workers, get_game(contest.game).position_type) as pool:
                while todo or running:
                    while todo and len(running) < AHEAD * workers:
                        chunk = todo.popleft()
                        running[pool.submit(play_chunk, contest, chunk)] = chunk
                    found = [(future, future.result()) for future in finished(running)]
                    for future, _result in found:
                        del running[future]
                    setbacks = 0
                    yield from sorted(
                        (result for _, result in found), key=lambda each: isinstance(each, Failure)
                    )
        except BrokenProcessPool as error:
            setbacks += 1
            if setbacks > SETBACKS:
                raise CrewError(
                    f"{setbacks} times in a row a worker died; is there enough memory?"
                ) from error
            todo.extendleft(reversed(running.values()))


def cluster(contest: Contest, chunks: Iterable[Chunk], address: str | None, workers: int | None) -> Parts:
    """A Ray cluster: the one at `address`, or one of this machine alone with so many workers.

    If a worker or a machine is lost, Ray has another one play its games again.
    """
    ray = load_ray()
    os.environ.setdefault(
        "RAY_USAGE_STATS_ENABLED", "0"
    )  # nothing is sent to others unless somebody wants it
    where: dict[str, Any] = (
        {"address": address}
        if address
        else {
            "address": "local",
            "num_cpus": workers,
            "include_dashboard": False,
        }
    )
    try:
        ray.init(**where, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        raise CrewError(f"cannot use the Ray cluster at {address or 'this machine'}: {error}") from error
    try:
        remote = ray.remote(max_retries=SETBACKS, num_cpus=1)(_play_remotely)
        send = partial(remote.remote, contest, get_game(contest.game).position_type)
        room = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        todo = deque(chunks)
        running: list[Any] = []
        while todo or running:
            while todo and len(running) < room:
                running.append(send(todo.popleft()))
            done, running = ray.wait(running)
            try:
                yield from ray.get(done)
            except ray.exceptions.WorkerCrashedError as error:
                raise CrewError(f"workers died {SETBACKS + 1} times over the same games") from error
            except ray.exceptions.RayError as error:
                raise CrewError(f"the Ray cluster failed: {error}") from error
    finally:
        ray.shutdown()


def load_ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise OptionsError("--ray needs the extra lynxden[ray]: pip install 'lynxden[ray]'") from error
    return ray


def _play_remotely(contest: Contest, game: type[Position], chunk: Chunk) -> Part | Failure:
    learn((game,))
    return play_chunk(contest, chunk)
