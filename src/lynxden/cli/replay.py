"""`lynxden replay`: show a recorded game in the terminal."""

from pathlib import Path
from typing import Annotated

import typer

from lynxden.cli.style import ask, check_file, complain, console, show
from lynxden.games.core import OPEN, Position
from lynxden.games.errors import OptionsError
from lynxden.games.jit import interpreted
from lynxden.records import Fault, Record, RecordError, read_records
from lynxden.records.replay import start, steps


def replay(
    file: Annotated[Path, typer.Argument(help="A file of records (JSON Lines).")],
    game: Annotated[int, typer.Option(help="Which record of the file, counted from 1.")] = 1,
    step: Annotated[bool, typer.Option("--step", help="Wait for Enter after each decision.")] = False,
) -> None:
    """Show a recorded game: what happened at each decision, and the table at start and end."""
    record = _find(file, game)
    with interpreted():
        _replay(record, game, step)


def _replay(record: Record, game: int, step: bool) -> None:
    try:
        position = start(record)
        show(position.picture(record.seats))
        for found in steps(record):
            position = found.after
            _show(found.number, position, record)
            if step and not position.over:
                show(position.picture(record.seats))
                if ask("[quiet]Enter: next decision, q: stop [/]").strip().lower() == "q":
                    return
    except RecordError as error:
        complain(f"record {game}, {error}")
        raise typer.Exit(1) from error
    except EOFError:
        return
    console.print()
    show(position.picture(record.seats))
    console.print()
    _result(position, record)


def _find(file: Path, game: int) -> Record:
    check_file(file)
    number = 0
    with file.open("rb") as lines:
        for number, found in read_records(lines):
            if number == game:
                if isinstance(found, Fault):
                    raise OptionsError(str(found))
                return found
    raise OptionsError(f"{file} has no record {game}; it has {number}")


def _show(number: int, position: Position, record: Record) -> None:
    """One decision in words; a replay is open, so every drawn card is shown."""
    for line, text in enumerate(position.describe_events(OPEN, record.seats)):
        console.print(f"{number if line == 0 else '':>4}  {text}", markup=False, soft_wrap=True)


def _result(position: Position, record: Record) -> None:
    outcome = position.outcome
    if outcome is None:
        truncated = bool(record.result)
        console.print("The game was stopped by a cap." if truncated else "The game is not over.")
        return
    for seat, score in enumerate(outcome.scores):
        won = "  wins" if seat in outcome.winners else ""
        style = "win" if won else "none"
        console.print(f"{record.seats[seat]}  {score:+d}{won}", style=style, markup=False)
