"""What a worker does: play some games of a contest, wherever it runs.

Every game depends on the set-up and on its own number alone. The luck of a bot belongs to the seed, the deal,
the rotation, the seat and the decision; it is the same whatever other bots there are.
"""

from __future__ import annotations

import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, Self

import numpy as np

from lynxden.arena.contest import Bout, Chunk, Contest
from lynxden.arena.playing import BotError, Finished, Overrun, alarm, deal, play, record_of
from lynxden.arena.times import Times
from lynxden.bots import NO_LIMIT, Limit, get_bot
from lynxden.games.core import Outcome

TRUNCATED = "truncated"
"""The reason of a game that the cap stopped."""
WARM_UP = 600.0
"""Seconds after which a bot with a limit is stopped while it warms up; compiling takes minutes at worst."""


@dataclass(frozen=True)
class Ending:
    """How one game ended."""

    scores: list[int]
    winners: list[int]
    reason: str
    decisions: int


@dataclass
class Part:
    """The games of a chunk."""

    chunk: Chunk
    endings: list[Ending] = field(default_factory=list)
    seconds: float = 0.0
    """How long they took, with everything around them."""
    compiled: float = 0.0
    """How long they took inside compiled code."""
    times: dict[str, Times] = field(default_factory=lambda: defaultdict(Times))
    """The times of single decisions, by bot; compiled games have none."""
    records: list[dict[str, Any]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        chunk = self.chunk
        found: dict[str, Any] = {
            "bout": chunk.bout,
            "first": chunk.first,
            "games": [[each.scores, each.winners, each.reason, each.decisions] for each in self.endings],
            "seconds": self.seconds,
        }
        if self.compiled:
            found["compiled"] = self.compiled
        if self.times:
            found["times"] = {bot: times.as_dict() for bot, times in self.times.items()}
        if self.records:
            found["records"] = self.records
        return found

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Self:
        endings = [Ending(*each) for each in found["games"]]
        times = {bot: Times.from_dict(each) for bot, each in found.get("times", {}).items()}
        chunk = Chunk(found["bout"], found["first"], len(endings))
        compiled = found.get("compiled", 0.0)
        return cls(chunk, endings, found["seconds"], compiled, times, found.get("records", []))


@dataclass(frozen=True)
class Failure:
    """A chunk that could not be played to the end: what is wrong, and the record of the game so far."""

    chunk: Chunk
    game: int
    """The number of the game in its bout."""
    message: str
    record: str


def play_chunk(contest: Contest, chunk: Chunk) -> Part | Failure:
    """Play the games of a chunk. A bot's fault is an answer, not an exception, so that it travels well."""
    warm_up(contest)
    bout = contest.bouts[chunk.bout]
    part = Part(chunk)
    began = time.perf_counter()
    if bout.compiled:
        _play_compiled(contest, bout, part)
    else:
        for number in range(chunk.first, chunk.first + chunk.games):
            try:
                _play_in_python(contest, bout, number, part)
            except BotError as error:
                return _failure(contest, bout, chunk, number, error)
    part.seconds = time.perf_counter() - began
    return part


def _failure(contest: Contest, bout: Bout, chunk: Chunk, number: int, error: BotError) -> Failure:
    where = (
        f"{contest.game} {contest.edition}, {bout.alone} alone against {bout.many}, "
        f"deal {number // contest.players}, seat {error.seat}, decision {error.decision}"
    )
    return Failure(chunk, number, f"bot '{error.bot}' {error.fault} ({where})", error.record)


@cache
def warm_up(contest: Contest) -> None:
    """Load, or compile, what the bots need, once a process and outside of their time."""
    table = deal(contest.game, contest.edition, contest.players, contest.seed, range(1))
    position = table.position(0)
    for bot in contest.bots:
        # A bot that fails here fails again in a game, where it is noted.
        with suppress(Exception, Overrun), alarm(None if contest.limit is None else WARM_UP):
            view = position.view(position.seat)
            get_bot(bot).choose(view, NO_LIMIT, np.random.default_rng(0))
    for bout in contest.bouts:
        if bout.compiled:
            table.play(bout.bots(contest.players, 0), contest.cap, luck=1)


def luck_of(contest: Contest, number: int, seat: int, decision: int) -> np.random.Generator:
    """The luck of one decision."""
    which, rotation = divmod(number, contest.players)
    return np.random.default_rng([contest.seed % 2**64, which, rotation, seat, decision])


def _play_in_python(contest: Contest, bout: Bout, number: int, part: Part) -> None:
    which, rotation = divmod(number, contest.players)
    start = deal(
        contest.game, contest.edition, contest.players, contest.seed, range(which, which + 1)
    ).position(0)
    bots = bout.bots(contest.players, rotation)
    limit = NO_LIMIT if contest.limit is None else Limit(contest.limit)
    times = part.times
    luck = partial(luck_of, contest, number)
    finished = play(start, bots, contest.cap, luck, limit, lambda bot, seconds: times[bot].add(seconds))
    outcome = finished.outcome or Outcome("", finished.last.scores, ())
    scores, winners = list(outcome.scores), list(outcome.winners)
    part.endings.append(_ending(scores, winners, outcome.reason, len(finished.numbers)))
    if contest.records:
        part.records.append(_record(contest, bout, number, finished))


def _play_compiled(contest: Contest, bout: Bout, part: Part) -> None:
    """Bots that are kernels play whole games without Python; a chunk of theirs has whole deals."""
    players, chunk = contest.players, part.chunk
    deals = range(chunk.first // players, (chunk.first + chunk.games) // players)
    endings: dict[int, Ending] = {}
    records: dict[int, dict[str, Any]] = {}
    for rotation in range(players):
        batch = deal(contest.game, contest.edition, players, contest.seed, deals)
        starts = [batch.position(index) for index in range(len(deals))] if contest.records else []
        began = time.perf_counter()
        played = batch.play(bout.bots(players, rotation), contest.cap, luck=rotation + 1)
        part.compiled += time.perf_counter() - began
        results = batch.results()
        columns = (results.scores.tolist(), results.winners.tolist(), played.decisions.tolist())
        for index, (which, scores, won, decisions) in enumerate(zip(deals, *columns, strict=True)):
            number = which * players + rotation
            winners = [seat for seat in range(players) if won[seat]]
            endings[number] = _ending(scores, winners, results.reasons[index], decisions)
            if contest.records:
                numbers = played.actions[index, :decisions].tolist()
                finished = Finished(starts[index], numbers, batch.position(index))
                records[number] = _record(contest, bout, number, finished)
    part.endings += [endings[number] for number in sorted(endings)]
    part.records += [records[number] for number in sorted(records)]


def _ending(scores: list[int], winners: list[int], reason: str, decisions: int) -> Ending:
    """A game without a reason was stopped by the cap: it is scored as it stands."""
    if reason:
        return Ending(scores, winners, reason, decisions)
    best = max(scores)
    return Ending(scores, [seat for seat, score in enumerate(scores) if score == best], TRUNCATED, decisions)


def _record(contest: Contest, bout: Bout, number: int, finished: Finished) -> dict[str, Any]:
    which, rotation = divmod(number, contest.players)
    name = f"{contest.seed}-{contest.bouts.index(bout)}-{which}-{rotation}"
    bots = bout.bots(contest.players, rotation)
    extra = {"id": name, "deal_number": which, "rotation": rotation}
    return record_of(finished.start, finished.numbers, finished.outcome, bots, extra=extra).to_dict()
