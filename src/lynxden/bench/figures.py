"""The figures on the processor."""

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import cycle
from statistics import median
from typing import Any

import numpy as np

from lynxden.batch import Batch
from lynxden.bench.peers import Peer, find_peers
from lynxden.bots import NO_LIMIT, Search, get_bot
from lynxden.games.registry import get_game

ROUNDS = 5
"""Each figure and its peer are measured in turn, this often; the median counts."""


@dataclass(frozen=True)
class Figure:
    """One measured number."""

    game: str
    what: str
    value: float
    unit: str
    target: str = ""
    peer: str | None = None
    peer_value: float | None = None
    ratio: float | None = None

    def to_dict(self) -> dict[str, Any]:
        return {key: value for key, value in asdict(self).items() if value not in (None, "")}


def rate(work: Callable[[], int], seconds: float) -> float:
    """Decisions a second: `work` does some and says how many."""
    done = 0
    began = time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        done += work()
    return done / spent


def beside_peer(
    work: Callable[[], int], peer: Peer | None, seconds: float
) -> tuple[float, float | None, float | None]:
    """Our rate, the peer's, and the ratio, measured in turn so that a busy machine slows both."""
    work()
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(rate(work, seconds / ROUNDS))
        if peer is not None:
            theirs.append(rate(peer.work, seconds / ROUNDS))
    if peer is None:
        return median(ours), None, None
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    return median(ours), median(theirs), round(median(ratios), 2)


def cpu_figures(name: str, seconds: float) -> Iterator[Figure]:
    """All figures of one game that need no device."""
    peers = find_peers()
    inside, loop = peers.get("inside"), peers.get("loop")

    def figure(what: str, target: str, work: Callable[[], int], peer: Peer | None) -> Figure:
        value, other, ratio = beside_peer(work, peer, seconds)
        return Figure(
            name, what, round(value), "decisions/s", target,
            peer.name if peer else None, round(other) if other else None, ratio,
        )  # fmt: skip

    yield figure("random playouts, one core", "10 x peer", playouts(name), inside)
    yield figure("Python loop, action numbers", "2 x peer", number_loop(name), loop)
    yield figure("Python loop, values and new positions", "100,000", value_loop(name), None)
    yield figure("batch with observations and masks, one core", "3 x peer", observed_batch(name), inside)
    yield figure("greedy against greedy, one core", "500,000 (2 us)", greedy_games(name), None)
    for threads in (1, 2):
        value, _, _ = beside_peer(searching(name, threads), None, seconds)
        yield Figure(name, f"search, {threads} thread{'s'[: threads - 1]}", round(value), "playouts/s")
    size = get_game(name).record_type.itemsize
    yield Figure(name, "game record", size, "bytes", "at most 2,048")
    yield Figure(name, "import and first legal move", round(import_time(name), 3), "s", "at most 1")


def playouts(name: str) -> Callable[[], int]:
    """Whole random games, deal included."""
    batch = Batch(name, 512, seed=1, threads=1)

    def work() -> int:
        batch.deal()
        return int(batch.playout().sum())

    return work


def number_loop(name: str) -> Callable[[], int]:
    """One game at a time from Python: legal numbers, step in place; deal included."""
    game = get_game(name)
    seeds = iter(range(10**9))
    choice = random.Random(1).choice

    def work() -> int:
        loop = game.new(seed=next(seeds)).loop()
        done = 0
        while numbers := loop.legal():
            loop.step(choice(numbers))
            done += 1
        return done

    return work


def value_loop(name: str) -> Callable[[], int]:
    """One game at a time from Python: actions as values, a new position each time."""
    game = get_game(name)
    seeds = iter(range(10**9))
    choice = random.Random(1).choice

    def work() -> int:
        position = game.new(seed=next(seeds))
        done = 0
        while actions := position.legal_actions:
            position = position.apply(choice(actions))
            done += 1
        return done

    return work


def observed_batch(name: str) -> Callable[[], int]:
    """Lock-step at random, with an observation and a legal mask written for every decision.

    Finished games are dealt anew every eighth step; until then they wait, and are not counted.
    """
    batch = Batch(name, 512, seed=1, threads=1)

    def work() -> int:
        before = int(batch.random_step().sum())
        for step in range(39):
            batch.observations()
            batch.legal_masks()
            made = batch.random_step()
            if step % 8 == 7:
                batch.deal_finished()
        return int(made.sum()) - before

    return work


def greedy_games(name: str) -> Callable[[], int]:
    """Whole games between greedy bots, deal included."""
    batch = Batch(name, 64, seed=1, threads=1)

    def work() -> int:
        batch.deal()
        return int(batch.play(["greedy"] * batch.players).decisions.sum())

    return work


def searching(name: str, threads: int) -> Callable[[], int]:
    """The searching bot at the decisions of a greedy game, from the first to the last."""
    game = get_game(name)
    position = game.new(seed=1)
    views, greedy = [], get_bot("greedy")
    while position.seat is not None:
        view = position.view(position.seat)
        views.append(view)
        position = position.apply(greedy.choose(view, NO_LIMIT, np.random.default_rng(1)).action)
    bot = Search(sims=500, threads=threads)
    rng = np.random.default_rng(1)
    following = cycle(views)

    def work() -> int:
        return bot.choose(next(following), NO_LIMIT, rng).simulations

    return work


def import_time(name: str) -> float:
    """A new process that imports the package and lists the first legal moves, compiled code at hand."""
    code = f"import lynxden; assert lynxden.new({name!r}, seed=1).legal_actions"
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 (our own code)
        times.append(time.perf_counter() - began)
    return median(times)
