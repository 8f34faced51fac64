"""`lynxden arena`: compare bots. The command itself is `arena/command.py`; here it gets its progress bar."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

from lynxden.arena.command import exit_code, lines_of_progress, run
from lynxden.arena.contest import Contest
from lynxden.cli.style import complain, errors
from lynxden.cli.warm import say_if_compiling
from lynxden.games.errors import LynxdenError
from lynxden.games.registry import get_game


def arena(context: typer.Context) -> None:
    """Compare bots: every pair, in every seat, with the same cards."""
    try:
        code = run(context.args, "lynxden arena", _bar if errors.is_terminal else lines_of_progress)
    except LynxdenError as error:
        complain(str(error))
        code = exit_code(error)
    raise typer.Exit(code)


@contextmanager
def _bar(contest: Contest, done: int) -> Iterator[Callable[[int], Any]]:
    say_if_compiling(get_game(contest.game))
    with Progress(
        "{task.description}",
        BarColumn(),
        MofNCompleteColumn(),
        "games",
        TimeElapsedColumn(),
        "left:",
        TimeRemainingColumn(),
        console=errors,
        transient=True,
    ) as bar:
        name = f"{get_game(contest.game).title} {contest.edition}"
        task = bar.add_task(name, total=contest.games, completed=done)
        yield lambda games: bar.advance(task, games)
