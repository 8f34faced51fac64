"""Records as two Parquet tables, one of games and one of decisions, for analysis with other tools.

`docs/records.md` explains the columns. Files are read and written piece by piece, so that their size does not
matter. Every game is replayed by the rules on the way: what is exported is verified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from lynxden.games.errors import LynxdenError, OptionsError
from lynxden.records.reader import Fault, read_records
from lynxden.records.record import Record, RecordError
from lynxden.records.replay import Step, steps

PIECE = 20_000
"""Rows that are gathered before they are written."""

GAMES = {
    "game": "int64",
    "file": "string",
    "record": "int32",
    "id": "string",
    "name": "string",
    "edition": "string",
    "rules": "int16",
    "reduced": "string",
    "players": "int8",
    "starter": "int8",
    "seats": "list<string>",
    "bots": "list<string>",
    "decisions": "int32",
    "reason": "string",
    "scores": "list<int16>",
    "winners": "list<int8>",
}
"""The columns of the table of games, with their types."""

DECISIONS = {
    "game": "int64",
    "decision": "int32",
    "seat": "int8",
    "active": "int8",
    "kind": "string",
    "action": "string",
    "legal": "int16",
    "hand_size": "int16",
    "deck_size": "int16",
    "scores": "list<int16>",
}
"""The columns of the table of decisions, with their types."""


class ExportError(LynxdenError):
    """A record that cannot be exported; says in which file and where in it."""


@dataclass
class Exported:
    """How much was written."""

    games: int = 0
    decisions: int = 0


def decisions_file(out: Path) -> Path:
    """Where the table of decisions goes, beside that of games: games.parquet, games-decisions.parquet."""
    return out.with_name(f"{out.stem}-decisions{out.suffix}")


def export(
    files: Iterable[Path],
    out: Path,
    *,
    decisions: bool = True,
    progress: Callable[[int], Any] | None = None,
) -> Exported:
    """Write the records of some files to `out`, and their decisions beside it.

    The tables appear when all of it is done: a bad record is an `ExportError`, and changes nothing.
    `progress` gets the bytes that were read since the last call.
    """
    paths = [out, decisions_file(out)] if decisions else [out]
    for path in paths:
        if not path.parent.is_dir():
            raise OptionsError(f"cannot write {path}: there is no folder {path.parent}")
    partial = [path.with_name(path.name + ".part") for path in paths]
    exported = Exported()
    try:
        with _Table(partial[0], GAMES) as games, _Table(partial[-1], DECISIONS, decisions) as made:
            for file, number, record in _records(files, progress):
                name = exported.games
                count = 0
                try:
                    for step in steps(record):
                        count += 1
                        if decisions:
                            made.add(_decision(name, step))
                except RecordError as error:
                    raise _refusal(file, number, error) from error
                games.add(_game(name, file, number, record))
                exported.games += 1
                exported.decisions += count
        for path, whole in zip(partial, paths, strict=True):
            path.replace(whole)
    finally:
        for path in partial:
            path.unlink(missing_ok=True)
    return exported


def _records(
    files: Iterable[Path], progress: Callable[[int], Any] | None
) -> Iterator[tuple[Path, int, Record]]:
    """Every record, with its file and its number there; one that cannot be read ends it."""
    for file in files:
        with file.open("rb") as lines:
            reported = 0
            for number, found in read_records(lines):
                if isinstance(found, Fault):
                    raise _refusal(file, number, found.error)
                yield file, number, found
                if progress is not None:
                    at = lines.tell()
                    progress(at - reported)
                    reported = at


def _refusal(file: Path, number: int, error: RecordError) -> ExportError:
    """What is wrong, with the line: blank lines do not count as records."""
    with file.open("rb") as lines:
        lying = (line for line, text in enumerate(lines, start=1) if text.strip())
        line = next(islice(lying, number - 1, None), number)
    return ExportError(f"{file}, line {line}: {error}")


def _game(name: int, file: Path, number: int, record: Record) -> tuple[Any, ...]:
    result = record.result or {}
    bots = record.extra.get("bots")
    named = isinstance(bots, list) and all(bot is None or isinstance(bot, str) for bot in bots)
    reduced = ",".join(f"{size}={value}" for size, value in record.reduced.items())
    given = record.extra.get("id")
    return (
        name,
        str(file),
        number,
        None if given is None else str(given),
        record.game,
        record.edition,
        record.rules,
        reduced or None,
        len(record.seats),
        record.starter,
        list(record.seats),
        bots if named else None,
        len(record.actions),
        result.get("reason"),
        result.get("scores"),
        sorted(result["winners"]) if "winners" in result else None,
    )


def _decision(name: int, step: Step) -> tuple[Any, ...]:
    before = step.before
    return (
        name,
        step.number,
        step.seat,
        before.active,
        before.decision,
        step.action,
        len(before.legal_numbers),
        before.hand_sizes[step.seat],
        before.deck_size,
        list(before.scores),
    )


class _Table:
    """A Parquet file that is written piece by piece."""

    def __init__(self, path: Path, columns: dict[str, str], wanted: bool = True) -> None:
        self._arrow, parquet = _pyarrow()
        lists = {f"list<{kind}>": self._arrow.list_(_type(self._arrow, kind)) for kind in _LISTED}
        self._schema = self._arrow.schema(
            [(name, lists.get(kind) or _type(self._arrow, kind)) for name, kind in columns.items()]
        )
        self._rows: list[tuple[Any, ...]] = []
        self._writer = parquet.ParquetWriter(path, self._schema, compression="zstd") if wanted else None

    def __enter__(self) -> _Table:
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:
            self._write()
            self._writer.close()

    def add(self, row: tuple[Any, ...]) -> None:
        self._rows.append(row)
        if len(self._rows) >= PIECE:
            self._write()

    def _write(self) -> None:
        if self._rows and self._writer is not None:
            columns = zip(*self._rows, strict=True)
            arrays = [
                self._arrow.array(column, field.type)
                for column, field in zip(columns, self._schema, strict=True)
            ]
            self._writer.write_table(self._arrow.table(arrays, schema=self._schema))
            self._rows.clear()


_LISTED = ("string", "int16", "int8")


def _type(arrow: Any, kind: str) -> Any:
    return getattr(arrow, kind)()


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise OptionsError(
            "Parquet needs PyArrow, which is not installed: pip install 'lynxden[parquet]'"
        ) from error
    return pa, pq
