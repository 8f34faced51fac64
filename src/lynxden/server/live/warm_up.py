"""Loading (at the first start: compiling) the rules of all games, so that nobody waits for them later.

    python -m lynxden.server.live.warm_up      (started by a server, to compile what is needed later)

What there is to load comes in parts. A server opens its port when those of `PLAY` are there: people can play
then, with each other and with the bots that need no search. The others, `LATER`, are compiled beside it at
the very first start, and loaded with the rest at every other.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import lynxden.bots
from lynxden.bots import Limit, get_bot, levels
from lynxden.games.core import OPEN, Game
from lynxden.games.jit import note_of, only_process
from lynxden.games.registry import GAMES

ENOUGH = Limit(simulations=500)
"""For a bot that looks ahead to try every action that it has at first."""
FIRST = ("random", "greedy", "kitten", "hunter")
"""Bots that need nothing of `LATER`."""
NICE = 10
"""What is compiled beside a server leaves the processor to it."""

Part = tuple[str, str]
"""The name of a game, and what of it."""
Report = Callable[[Part, int, int], None]
"""Gets a part that is compiled, how many are now, and how many there are to be."""


def _table(game: Game) -> None:
    """Everything that a server asks for while a game is played."""
    rng = np.random.default_rng(1)
    position = game.new(seed=1)
    while position.seat is not None:
        view = position.view(position.seat)
        game.snapshot.public(position.view(None))
        game.snapshot.private(view)
        position = position.apply(view.legal_actions[rng.integers(len(view.legal_actions))])
        position.events(None)
        position.events(OPEN)
    assert position.outcome is not None
    game.snapshot.breakdown(position)
    game.snapshot.revealed(position)
    fresh = game.new(seed=1)
    game.read_deal(fresh.options, 0, game.deal_of(fresh))


def _first_bots(game: Game) -> None:
    """The bots that need no search; a kitten imagines what the others hold, if not at every decision."""
    game.new(seed=1).view(0).sample(np.random.default_rng(1))
    _ask(game, FIRST)


def _other_bots(game: Game) -> None:
    """Every other bot that people can choose."""
    _ask(game, [kind.name for kind in levels(game.name) if kind.name not in FIRST])


def _ask(game: Game, bots: Iterable[str]) -> None:
    fresh = game.new(seed=1)
    for bot in bots:
        get_bot(bot).choose(fresh.view(fresh.seat), ENOUGH, np.random.default_rng(1))


WHAT: dict[str, Callable[[Game], None]] = {
    "bots": _first_bots,
    "table": _table,
    "search": _other_bots,
}
PLAY = ("bots", "table")
LATER = ("search",)
EVERYTHING = PLAY + LATER


def warm_up(what: Sequence[str] = EVERYTHING) -> None:
    """Load parts of every game."""
    for game in GAMES.values():
        for each in what:
            _load((game.name, each))


def _load(part: Part) -> Part:
    game, what = part
    WHAT[what](GAMES[game])
    note = _note(part)
    if note is not None:
        with suppress(OSError):
            note.touch()
    return part


def _note(part: Part) -> Path | None:
    game, what = part
    return note_of(_folder(GAMES[game].rules), what, _folder(lynxden.bots))


def _folder(module: Any) -> Path:
    return Path(module.__file__).parent


def missing(what: Sequence[str] = EVERYTHING) -> list[Part]:
    """Parts that are still to be compiled and can be kept; one after the other may take half a minute."""
    parts = [(game, each) for each in what for game in GAMES]
    return [part for part in parts if (note := _note(part)) is not None and not note.exists()]


def prepare(what: Sequence[str], report: Report) -> None:
    """Compile what is missing, in as many processes as there are processors; nothing is loaded here.

    If one of them is killed, by the system for want of memory say, the rest is compiled when it is loaded.
    """
    parts = missing(what)
    if not parts or not hasattr(os, "fork"):
        return
    # Forked, since they need everything that this process has imported. It has no threads of its own yet.
    processes = min(_processors(), len(parts))
    with (
        suppress(BrokenProcessPool),
        ProcessPoolExecutor(processes, multiprocessing.get_context("fork")) as pool,
    ):
        futures = [pool.submit(_load, part) for part in parts]
        for done, future in enumerate(as_completed(futures), 1):
            report(future.result(), done, len(parts))


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _compile_everything() -> None:
    """Compile what is missing, unless another process does: servers that are killed leave theirs at work."""
    os.nice(NICE)
    note = _note((next(iter(GAMES)), LATER[0]))
    if note is not None:
        with only_process(note.parent, "compiling"):
            prepare(EVERYTHING, lambda *_: None)


if __name__ == "__main__":
    _compile_everything()
