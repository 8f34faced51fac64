"""The chat of tables."""

from collections.abc import Sequence
from dataclasses import dataclass

from lynxden.games.errors import LynxdenError
from lynxden.server.errors import Code, Refusal
from lynxden.server.store.core import Row, Statement, Tx, each
from lynxden.server.store.switches import changed


@dataclass(frozen=True)
class NewLine:
    """A line to be stored."""

    guest: str
    name: str
    text: str
    """Empty for a quick phrase."""
    phrase: str
    """Which quick phrase, if it is one."""
    at: int


@dataclass(frozen=True)
class Line:
    """A stored line."""

    number: int
    """Counted from 1 at each table."""
    guest: str | None
    """None if the guest was forgotten."""
    name: str
    """Their name at that time."""
    text: str
    phrase: str
    at: int
    removed: bool = False
    """An administrator deleted what it said."""


def add(tx: Tx, table_id: str, line: NewLine, slow: float = 0) -> int:
    """Add a line; its number. With `slow`, so many seconds after the person's last line anywhere at least."""
    if slow:
        _check_pace(tx, line, round(slow * 1000))
    if not tx.locked("SELECT id FROM tables WHERE id = ?", table_id):  # so that no number is given twice
        raise LynxdenError(f"there is no table {table_id}")
    found = tx.one("SELECT coalesce(max(number), 0) + 1 FROM chat WHERE table_id = ?", table_id)
    assert found is not None
    number = int(found[0])
    sql, values = _insertion(table_id, number, line)
    tx.run(sql, *values)
    tx.notify(f"{table_id} chat")
    return number


CARRIED = 50
"""Lines that a rematch has of the table before."""


def carry(tx: Tx, before: str, table_id: str) -> None:
    """Begin the chat of a rematch with the last lines of the table before; deleted ones stay behind."""
    lines = [line for line in latest(tx, before, CARRIED) if not line.removed]
    tx.run_all(*(_insertion(table_id, number, line) for number, line in enumerate(lines, 1)))


def _insertion(table_id: str, number: int, line: NewLine | Line) -> Statement:
    sql = "INSERT INTO chat (table_id, number, guest, name, text, phrase, at) VALUES (?, ?, ?, ?, ?, ?, ?)"
    return sql, (table_id, number, line.guest or "", line.name, line.text, line.phrase, line.at)


def _check_pace(tx: Tx, line: NewLine, pause: int) -> None:
    """Refuse somebody who has said something a moment ago, at whatever table and server."""
    tx.locked(
        "SELECT id FROM guests WHERE id = ?", line.guest
    )  # so that their lines come one after the other
    found = tx.one("SELECT max(at) FROM chat WHERE guest = ? AND guest <> ''", line.guest)
    before = found[0] if found else None
    if before is not None and 0 <= line.at - before < pause:
        wait = -(-(pause - (line.at - before)) // 1000)
        raise Refusal(
            Code.TOO_MUCH,
            f"slow mode: a line every {pause / 1000:g} seconds; your next one may come in {wait}",
        )


def remove(tx: Tx, table_id: str, numbers: Sequence[int]) -> list[Line]:
    """Delete what these lines say; the lines as they were. Their numbers stay, so that none is used twice."""
    rows = tx.all(
        each(_LINES + "WHERE table_id = ? AND removed = 0 AND number IN (*) ORDER BY number", len(numbers)),
        table_id,
        *numbers,
    )
    found = [_line(row) for row in rows]
    for line in found:
        tx.run(
            "UPDATE chat SET text = '', phrase = '', removed = 1 WHERE table_id = ? AND number = ?",
            table_id,
            line.number,
        )
    if found:
        changed(tx)
    return found


def of_guest(tx: Tx, table_id: str, guest: str) -> list[int]:
    """The numbers of somebody's lines at a table."""
    rows = tx.all(
        "SELECT number FROM chat WHERE table_id = ? AND guest = ? AND guest <> '' AND removed = 0 "
        "ORDER BY number",
        table_id,
        guest,
    )
    return [number for (number,) in rows]


_LINES = "SELECT number, guest, name, text, phrase, at, removed FROM chat "


def latest(tx: Tx, table_id: str, limit: int) -> list[Line]:
    """The last lines at a table, oldest first."""
    rows = tx.all(_LINES + "WHERE table_id = ? ORDER BY number DESC LIMIT ?", table_id, limit)
    return [_line(row) for row in reversed(rows)]


def latest_of(tx: Tx, wanted: Sequence[tuple[str, int]]) -> list[list[Line]]:
    """The same for many tables, each with its own limit."""
    ids = [table for table, _ in wanted]
    talked = set(
        tx.texts(each("SELECT DISTINCT table_id AS line FROM chat WHERE table_id IN (*)", len(ids)), *ids)
    )
    return [latest(tx, table, limit) if table in talked else [] for table, limit in wanted]


def _line(row: Row) -> Line:
    number, guest, name, text, phrase, at, removed = row
    return Line(number, guest or None, name, text, phrase, at, bool(removed))
