"""`lynxden export`: records as Parquet tables, for analysis."""

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

from lynxden.cli.style import check_file, console, errors
from lynxden.games.errors import OptionsError
from lynxden.records import parquet


def export(
    files: Annotated[list[Path], typer.Argument(help="Files of records (JSON Lines).", metavar="FILE…")],
    out: Annotated[Path, typer.Option(help="Where the table of games goes.")] = Path("games.parquet"),
    decisions: Annotated[bool, typer.Option(help="Write every decision to a second table beside it.")] = True,
) -> None:
    """Write records as tables for Polars, pandas, DuckDB or R: one of games and one of decisions."""
    for file in files:
        check_file(file)
    if out.is_dir():
        raise OptionsError(f"{out} is a folder, not a file")
    if out.suffix != ".parquet":
        raise OptionsError(f"the tables are Parquet files: call it {out.with_suffix('.parquet')}")
    with Progress(
        "{task.description}",
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        disable=not errors.is_terminal,
    ) as bar:
        task = bar.add_task("Records", total=sum(file.stat().st_size for file in files))
        done = parquet.export(files, out, decisions=decisions, progress=lambda read: bar.advance(task, read))
    console.print(f"{done.games} games         {out}", soft_wrap=True, markup=False)
    if decisions:
        beside = parquet.decisions_file(out)
        console.print(f"{done.decisions} decisions     {beside}", soft_wrap=True, markup=False)
