"""Play many games between bots, on several processes, and sum them up.

Game n of a simulation depends on the seed and on n alone, so neither the number of workers nor the size of
a chunk changes any game.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lynxden.arena.playing import deal, play, record_of
from lynxden.arena.workers import finished, fresh_workers
from lynxden.batch import CAP, KERNEL_BOTS, MOST_DECISIONS, Batch
from lynxden.bots import check_bot
from lynxden.games.core import Options, Outcome, Position
from lynxden.games.errors import OptionsError
from lynxden.games.registry import get_game

CHUNK = 100
"""Games that a worker plays before it reports."""


@dataclass(frozen=True)
class Simulation:
    """What to play."""

    game: str
    edition: str | Options
    """By name, or as options: those of a reduced deck."""
    players: int
    games: int
    seed: int
    bots: tuple[str, ...]
    """One bot a seat."""
    cap: int = CAP
    """Decisions after which a game is stopped and counted as truncated."""
    legal: bool = False
    """Whether records list the legal actions and who decided."""

    def __post_init__(self) -> None:
        game = get_game(self.game)
        options = game.choose_options(self.edition)
        game.check_players(options, self.players, 0)
        if len(self.bots) != self.players:
            raise OptionsError(f"{self.players} players need as many bots, not {len(self.bots)}")
        for bot in self.bots:
            check_bot(bot, self.game, game.edition_of(game.whole(options)))
        if self.games < 1:
            raise OptionsError(f"there must be at least one game, not {self.games}")
        if not 1 <= self.cap <= MOST_DECISIONS:
            raise OptionsError(f"the cap must be from 1 to {MOST_DECISIONS} decisions, not {self.cap}")

    def chunks(self) -> Iterator[range]:
        """The games in parts; small ones, if each game may be long."""
        size = max(1, min(CHUNK, MOST_DECISIONS // self.cap))
        for first in range(0, self.games, size):
            yield range(first, min(first + size, self.games))


@dataclass
class Summary:
    """What came of it."""

    players: int
    games: int = 0
    decisions: int = 0
    shortest: int = 0
    longest: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    points: list[int] = field(default_factory=list)
    """Points by seat, all finished games together."""
    shares: list[float] = field(default_factory=list)
    """Wins by seat; a shared win counts in parts."""
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.points = self.points or [0] * self.players
        self.shares = self.shares or [0.0] * self.players

    @property
    def finished(self) -> int:
        return self.games - self.reasons["truncated"]

    def count(self, decisions: int, outcome: Outcome | None) -> None:
        """Add a game; no outcome means that the cap stopped it."""
        self.shortest = min(self.shortest, decisions) if self.games else decisions
        self.longest = max(self.longest, decisions)
        self.games += 1
        self.decisions += decisions
        self.reasons["truncated" if outcome is None else outcome.reason] += 1
        if outcome is not None:
            for seat, score in enumerate(outcome.scores):
                self.points[seat] += score
            for seat in outcome.winners:
                self.shares[seat] += 1 / len(outcome.winners)

    def add(self, other: "Summary") -> None:
        self.shortest = min(self.shortest, other.shortest) if self.games else other.shortest
        self.longest = max(self.longest, other.longest)
        self.games += other.games
        self.decisions += other.decisions
        self.reasons += other.reasons
        self.points = [a + b for a, b in zip(self.points, other.points, strict=True)]
        self.shares = [a + b for a, b in zip(self.shares, other.shares, strict=True)]


def run(
    simulation: Simulation,
    workers: int = 1,
    write: Callable[[str], Any] | None = None,
    progress: Callable[[int], Any] | None = None,
) -> Summary:
    """Play all games. `write` gets each record as a line of JSON, in order; `progress` the games done."""
    if workers < 1:
        raise OptionsError(f"there must be at least one worker, not {workers}")
    summary = Summary(simulation.players)
    play_chunk(simulation, range(1), False)  # compile, or load what was compiled, outside the clock
    began = time.perf_counter()
    with closing(_parts(simulation, workers, write is not None)) as parts:
        for part, lines in parts:
            summary.add(part)
            for line in lines:
                assert write is not None
                write(line)
            if progress is not None:
                progress(part.games)
    summary.seconds = time.perf_counter() - began
    return summary


def _parts(simulation: Simulation, workers: int, records: bool) -> Generator[tuple[Summary, list[str]]]:
    """The chunks in order, a few of them ahead of time if there are several workers."""
    if workers == 1:
        yield from (play_chunk(simulation, chunk, records) for chunk in simulation.chunks())
        return
    with fresh_workers(workers, get_game(simulation.game).position_type) as pool:
        ahead: deque[Future[tuple[Summary, list[str]]]] = deque()
        for chunk in simulation.chunks():
            ahead.append(pool.submit(play_chunk, simulation, chunk, records))
            if len(ahead) > 4 * workers:
                yield _next(ahead)
        while ahead:
            yield _next(ahead)


def _next(ahead: deque[Future[tuple[Summary, list[str]]]]) -> tuple[Summary, list[str]]:
    finished([ahead[0]])
    return ahead.popleft().result()


def play_chunk(simulation: Simulation, games: range, records: bool) -> tuple[Summary, list[str]]:
    """Play some of the games; their summary, and their records if they are wanted."""
    chosen = _play_compiled if set(simulation.bots) <= set(KERNEL_BOTS) else _play_in_python
    summary = Summary(simulation.players)
    lines: list[str] = []
    for number, start, numbers, outcome in chosen(simulation, games):
        summary.count(len(numbers), outcome)
        if records:
            extra = {"id": f"{simulation.seed}-{number}"}
            found = record_of(start, numbers, outcome, simulation.bots, legal=simulation.legal, extra=extra)
            lines.append(found.to_json())
    return summary, lines


Game = tuple[int, Position, list[int], Outcome | None]
"""A game that was played: its number, its start, its action numbers, how it ended."""


def _deal(simulation: Simulation, games: range) -> Batch:
    return deal(simulation.game, simulation.edition, simulation.players, simulation.seed, games)


def _play_compiled(simulation: Simulation, games: range) -> Iterator[Game]:
    """Bots that are kernels play whole games without Python."""
    batch = _deal(simulation, games)
    starts = [batch.position(index) for index in range(len(games))]
    played = batch.play(simulation.bots, simulation.cap)
    for index, number in enumerate(games):
        numbers = played.actions[index, : played.decisions[index]].tolist()
        yield number, starts[index], numbers, batch.position(index).outcome


def _play_in_python(simulation: Simulation, games: range) -> Iterator[Game]:
    """Any bots, one decision at a time."""
    batch = _deal(simulation, games)
    for index, number in enumerate(games):
        rng = np.random.default_rng([simulation.seed % 2**64, number])
        played = play(batch.position(index), simulation.bots, simulation.cap, lambda *_, rng=rng: rng)
        yield number, played.start, played.numbers, played.outcome
