"""Play a contest to its end, whatever interrupts it, and say what came of it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lynxden.arena import crews
from lynxden.arena.contest import Contest
from lynxden.arena.journal import Journal
from lynxden.arena.results import Results
from lynxden.arena.work import Failure
from lynxden.games.errors import LynxdenError, OptionsError


class ContestError(LynxdenError):
    """A bot failed. Finished games are kept; `record` is the file with the game that was broken off."""

    def __init__(self, message: str, record: Path) -> None:
        super().__init__(f"{message}; the game so far is in {record}")
        self.record = record


@dataclass(frozen=True)
class Crew:
    """Who plays: `workers` processes, or Ray."""

    workers: int = 1
    ray: bool = False
    address: str | None = None
    """The address of a Ray cluster; None: one of this machine alone."""

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise OptionsError(f"there must be at least one worker, not {self.workers}")

    def play(self, contest: Contest, results: Results) -> crews.Parts:
        """What is missing."""
        chunks = [chunk for chunk in contest.chunks() if results.missing(chunk)]
        if not chunks:
            return iter(())
        if self.ray:
            return crews.cluster(contest, chunks, self.address, self.workers)
        if self.workers == 1:
            return crews.alone(contest, chunks)
        return crews.processes(contest, chunks, self.workers)


Watch = Callable[[Contest, int], AbstractContextManager[Callable[[int], Any]]]
"""Shows how far it is: gets the contest and the games done before, returns what is called with more."""


def _unwatched(contest: Contest, done: int) -> AbstractContextManager[Callable[[int], Any]]:  # noqa: ARG001
    return nullcontext(lambda _games: None)


def compete(
    contest: Contest, crew: Crew | None = None, out: Path | None = None, watch: Watch = _unwatched
) -> Results:
    """Play all games. With a folder, finished games are kept there, and only what is missing is played."""
    crew = crew or Crew()
    if contest.records and out is None:
        raise OptionsError("records need a folder: say --out DIR too")
    if crew.ray:
        crews.load_ray()
    results = Results(contest)
    with Journal(out, contest) if out else nullcontext() as journal:
        for kept in journal.parts() if journal else ():
            results.add(kept)
        with watch(contest, results.done) as report:
            parts = crew.play(contest, results)
            try:
                for part in parts:
                    if isinstance(part, Failure):
                        raise _failed(contest, part, out)
                    if journal:
                        journal.add(part)
                    results.add(part)
                    report(len(part.endings))
            finally:
                if hasattr(parts, "close"):
                    parts.close()
    return results


def _failed(contest: Contest, failure: Failure, out: Path | None) -> ContestError:
    """Write down the game that a bot broke off."""
    bout, (deal, rotation) = failure.chunk.bout, divmod(failure.game, contest.players)
    name = f"failed-{bout}-{deal}-{rotation}"
    if out is None:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", prefix=f"lynxden-{name}-", suffix=".jsonl", delete=False
        ) as file:
            file.write(failure.record + "\n")
            return ContestError(failure.message, Path(file.name))
    path = out / f"{name}.jsonl"
    path.write_text(failure.record + "\n", encoding="utf-8")
    return ContestError(failure.message, path)
