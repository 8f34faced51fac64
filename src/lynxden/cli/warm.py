"""`lynxden warm`: compile everything now, instead of at the first start."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from lynxden.cli.style import console, errors
from lynxden.games.core import Game
from lynxden.games.jit import is_new

if TYPE_CHECKING:
    from lynxden.server.live.warm_up import Part, Report

WORDS = {"table": "the rules", "bots": "the bots", "search": "the bots that look ahead"}


def warm() -> None:
    """Compile the rules and the bots of all games for this machine.

    Otherwise the first start does it. For images and packages: run it as the user who will run the server,
    with the same HOME or XDG_CACHE_HOME; the compiled code lies there, in the folder lynxden.
    """
    from lynxden.server.live.warm_up import EVERYTHING, missing, prepare, warm_up  # heavy

    began = time.monotonic()
    with compiling(missing()) as report:
        prepare(EVERYTHING, report)
    warm_up()  # where nothing can be compiled beside this process; else a check that everything is there
    if missing():
        console.print("Everything was compiled, but could not be kept: is the cache folder writable?")
    else:
        console.print(f"Everything is compiled ({time.monotonic() - began:.0f} s).")


def say_if_compiling(game: Game) -> None:
    """A word to somebody who is about to wait for the compiler, and would not know what for."""
    rules: Any = game.rules
    if is_new(Path(rules.__file__).parent):
        errors.print(f"Compiling the rules of {game.title}, once: this takes a moment.", style="quiet")


@contextmanager
def compiling(parts: Sequence[Part]) -> Iterator[Report]:
    """Show what is compiled: a bar in a terminal, lines elsewhere; nothing if there is nothing to do."""
    from lynxden.games.registry import GAMES

    def name(part: Part) -> str:
        game, what = part
        return f"{GAMES[game].title}: {WORDS.get(what, what)}"

    if not errors.is_terminal:
        if parts:
            errors.print("Compiling the rules, once: this takes a while.", soft_wrap=True)

        def line(part: Part, done: int, total: int) -> None:
            errors.print(f"Compiled {done} of {total}, {name(part)}", markup=False, soft_wrap=True)

        yield line
        return
    with Progress(
        TextColumn("[progress.description]{task.description}"),
        BarColumn(),
        TextColumn("{task.completed} of {task.total}"),
        TimeElapsedColumn(),
        console=errors,
        transient=True,
        auto_refresh=False,  # by a thread, and what compiles is a fork of this process
    ) as progress:
        task = progress.add_task("Compiling the rules, once", total=len(parts), visible=bool(parts))
        progress.refresh()

        def advance(part: Part, done: int, total: int) -> None:
            description = f"Compiled {name(part)}"
            progress.update(task, description=description, completed=done, total=total, refresh=True)

        yield advance
