"""`lynxden verify`: check records by the rules alone."""

from pathlib import Path
from typing import Annotated

import typer

from lynxden.cli.style import check_file, console
from lynxden.records import Fault, RecordError, read_records
from lynxden.records import verify as verify_record


def verify(
    files: Annotated[list[Path], typer.Argument(help="Files of records (JSON Lines).", metavar="FILE…")],
) -> None:
    """Check every record of some files: print each fault, then the totals; exit 1 if there was any."""
    for file in files:
        check_file(file)
    records = decisions = faults = 0
    for file in files:
        with file.open("rb") as lines:
            for number, found in read_records(lines):
                records += 1
                try:
                    if isinstance(found, Fault):
                        raise found.error
                    decisions += verify_record(found)
                except RecordError as error:
                    faults += 1
                    decisions += len(error.prefix.actions) if error.prefix else 0
                    console.print(
                        f"{file}: {Fault(number, error)}", style="wrong", markup=False, soft_wrap=True
                    )
    console.print(f"{records} records, {decisions} decisions, {faults} faults")
    raise typer.Exit(1 if faults else 0)
