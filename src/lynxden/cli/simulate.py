"""`lynxden simulate`: many games between bots, a summary, and records if you like."""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table

from lynxden.arena.simulation import Simulation, Summary, run
from lynxden.batch import CAP
from lynxden.bots import BotSpec
from lynxden.cli.reduced import REDUCED, choose_options
from lynxden.cli.style import Stopped, console, errors
from lynxden.cli.warm import say_if_compiling
from lynxden.games.errors import OptionsError
from lynxden.games.registry import get_game


def simulate(
    game: Annotated[str, typer.Argument(help="Which game: see `lynxden games`.")],
    edition: Annotated[str | None, typer.Option(help="Which edition; by default the first.")] = None,
    players: Annotated[int | None, typer.Option(help="How many players; by default four.")] = None,
    games: Annotated[int, typer.Option(help="Number of games.")] = 1000,
    seed: Annotated[int, typer.Option(help="Random seed; the same seed gives the same games.")] = 0,
    bot: Annotated[str | None, typer.Option(help="The bot in every seat; by default random.")] = None,
    bots: Annotated[str | None, typer.Option(help="A bot for each seat: a,b,c,d.")] = None,
    records: Annotated[Path | None, typer.Option(help="Write the games to this file.")] = None,
    legal: Annotated[bool, typer.Option("--legal", help="Records list legal actions and actors.")] = False,
    workers: Annotated[int, typer.Option(help="Number of processes.")] = 1,
    cap: Annotated[int, typer.Option(help="Stop a game after this many decisions, as truncated.")] = CAP,
    reduced: Annotated[str | None, typer.Option(help=REDUCED)] = None,
) -> None:
    """Play games between bots and summarise them."""
    found = get_game(game)
    options = choose_options(found, edition, reduced)
    seats = found.check_players(options, players, 0)
    if bot and bots:
        raise OptionsError("--bot is one bot for every seat, --bots is one for each: use one of them")
    names = tuple(str(bot) for bot in BotSpec.parse_list(bots)) if bots else (bot or "random",) * seats
    if bots and players is None:
        seats = found.check_players(options, len(names), 0)
    if legal and records is None:
        raise OptionsError("--legal is about records: say --records FILE too")
    simulation = Simulation(found.name, options, seats, games, seed, names, cap, legal)
    say_if_compiling(found)
    done = written = 0
    with ExitStack() as stack:
        write = None
        if records is not None:
            try:
                out = stack.enter_context(records.open("w", encoding="utf-8", newline="\n"))
            except OSError as error:
                raise OptionsError(f"cannot write {records}: {error.strerror}") from error

            def write(line: str) -> None:
                nonlocal written
                out.write(line + "\n")
                written += 1

        bar = stack.enter_context(
            Progress(
                "{task.description}",
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=errors,
                transient=True,
                disable=not errors.is_terminal,
            )
        )
        task = bar.add_task(f"{found.title} {found.kind_of(options)}", total=games)

        def advance(more: int) -> None:
            nonlocal done
            done += more
            bar.advance(task, more)

        try:
            summary = run(simulation, workers, write, advance)
        except KeyboardInterrupt:
            kept = f"; their records are in {records}" if records is not None else ""
            raise Stopped(
                f"stopped after {done if records is None else written:,} of {games:,} games{kept}"
            ) from None
    _report(simulation, summary)
    if records is not None:
        console.print(f"records     {records}", soft_wrap=True)


def _report(simulation: Simulation, summary: Summary) -> None:
    rate = summary.decisions / summary.seconds if summary.seconds else 0.0
    mean = summary.decisions / summary.games
    ends = ", ".join(
        f"{reason} {count} ({count / summary.games:.1%})" for reason, count in summary.reasons.most_common()
    )
    console.print(f"games       {summary.games}")
    console.print(f"decisions   {summary.decisions}")
    console.print(f"length      {mean:.1f} decisions a game ({summary.shortest} to {summary.longest})")
    console.print(f"ends        {ends}")
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for heading in ("seat", "bot", "mean score", "win share"):
        table.add_column(heading, header_style="label", justify="left" if heading == "bot" else "right")
    finished = max(1, summary.finished)
    for seat, bot in enumerate(simulation.bots):
        share = summary.shares[seat] / finished
        table.add_row(str(seat + 1), bot, f"{summary.points[seat] / finished:+.2f}", f"{share:.1%}")
    console.print(table)
    console.print(f"speed       {rate:,.0f} decisions/s")
