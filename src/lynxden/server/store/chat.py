"""The chat of tables."""

from dataclasses import dataclass

from lynxden.games.errors import LynxdenError
from lynxden.server.store.core import Tx


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


def add(tx: Tx, table_id: str, line: NewLine) -> int:
    """Add a line; its number."""
    if not tx.locked("SELECT id FROM tables WHERE id = ?", table_id):  # so that no number is given twice
        raise LynxdenError(f"there is no table {table_id}")
    found = tx.one("SELECT coalesce(max(number), 0) + 1 FROM chat WHERE table_id = ?", table_id)
    assert found is not None
    number = int(found[0])
    tx.run(
        "INSERT INTO chat (table_id, number, guest, name, text, phrase, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        table_id,
        number,
        line.guest,
        line.name,
        line.text,
        line.phrase,
        line.at,
    )
    tx.notify(f"{table_id} chat")
    return number


def latest(tx: Tx, table_id: str, limit: int) -> list[Line]:
    """The last lines at a table, oldest first."""
    rows = tx.all(
        "SELECT number, guest, name, text, phrase, at FROM chat "
        "WHERE table_id = ? ORDER BY number DESC LIMIT ?",
        table_id,
        limit,
    )
    return [Line(number, guest or None, *rest) for number, guest, *rest in reversed(rows)]
