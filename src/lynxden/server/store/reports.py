"""What players report about players."""

import json
from dataclasses import dataclass, replace
from typing import Any

from lynxden.server.store.core import Row, Tx

_COLUMNS = (
    "id, at, table_id, entry, reporter, reporter_name, guest, name, reason, words, chat, resolved_at, "
    "resolution"
)


@dataclass(frozen=True)
class Report:
    id: str
    at: int
    table_id: str
    """Where it was; the table may have been deleted since."""
    entry: int
    """The last entry of the table's log at that time."""
    reporter: str
    """Who reports; empty if they were forgotten."""
    reporter_name: str
    guest: str
    """Whom; empty if they were forgotten."""
    name: str
    reason: str
    words: str
    """In the reporter's own words; may be empty."""
    chat: tuple[dict[str, Any], ...] = ()
    """The last lines of chat at that time: `number`, `at`, `guest`, `name`, `text`, `phrase`."""
    resolved_at: int | None = None
    resolution: str = ""
    """What an administrator noted; may be empty."""


def add(tx: Tx, report: Report) -> None:
    tx.run(
        f"INSERT INTO reports ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
        report.id,
        report.at,
        report.table_id,
        report.entry,
        report.reporter,
        report.reporter_name,
        report.guest,
        report.name,
        report.reason,
        report.words,
        json.dumps(report.chat, ensure_ascii=False),
        report.resolved_at,
        report.resolution,
    )


def newest(tx: Tx, limit: int, resolved: bool = False) -> list[Report]:
    """Reports that wait for an administrator, newest first; with those that no longer do, if asked for."""
    where = "" if resolved else "WHERE resolved_at IS NULL "
    return [_report(row) for row in tx.all(_select(f"{where}ORDER BY at DESC, id LIMIT ?"), limit)]


def get(tx: Tx, report_id: str) -> Report | None:
    row = tx.one(_select("WHERE id = ?"), report_id)
    return None if row is None else _report(row)


def resolve(tx: Tx, report_id: str, resolution: str, now: int) -> bool:
    """Note that a report is dealt with; whether there was such a report that was not."""
    done = tx.run(
        "UPDATE reports SET resolved_at = ?, resolution = ? WHERE id = ? AND resolved_at IS NULL",
        now,
        resolution,
        report_id,
    )
    return done == 1


def count_open(tx: Tx) -> int:
    """How many wait for an administrator."""
    row = tx.one("SELECT count(*) FROM reports WHERE resolved_at IS NULL")
    assert row is not None
    return int(row[0])


def delete_old(tx: Tx, before: int, limit: int = 200) -> int:
    """Delete reports that were resolved before; at most so many at a time."""
    return tx.run(
        "DELETE FROM reports WHERE id IN (SELECT id FROM reports WHERE resolved_at < ? LIMIT ?)",
        before,
        limit,
    )


def _select(rest: str) -> str:
    return f"SELECT {_COLUMNS} FROM reports {rest}"  # noqa: S608 - only names of columns


def _report(row: Row) -> Report:
    found = Report(*row)
    return replace(found, chat=tuple(json.loads(row[10])))
