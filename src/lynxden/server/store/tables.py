"""Tables: the log of each, which is the truth about it, and a row to list and to find it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lynxden.server.store.core import Row, Statement, Tx, Value, each
from lynxden.server.store.games import finish
from lynxden.server.table.projections import FinishedGame, TableRow

IN_USE = ("open", "running")
MOST_ROWS = 500
"""How many rows one statement inserts at most."""
MOST_NEWS = 2000
"""Characters of a notification with entries in it; they may take four bytes each."""
_INSERT = "INSERT INTO entries (table_id, number, body) VALUES (*)"
_COLUMNS = "id, game, edition, state, listed, host, last, summary, created_at, updated_at, wake_at, seats"

# 1 id, 2 state, 3 listed, 4 host, 5 seats, 6 first, 7 last, 8 summary, 9 updated_at, 10 wake_at
_ADVANCE_ALL = (
    "UPDATE tables SET last = CAST(new.column7 AS bigint), summary = new.column8, "
    "updated_at = CAST(new.column9 AS bigint), wake_at = CAST(new.column10 AS bigint) "
    "FROM (VALUES (*)) AS new WHERE tables.id = new.column1 AND tables.state = new.column2 "
    "AND tables.listed = CAST(new.column3 AS integer) AND tables.host = new.column4 "
    "AND tables.seats = new.column5 AND tables.last = CAST(new.column6 AS bigint) - 1 AND NOT EXISTS "
    "(SELECT 1 FROM entries e WHERE e.table_id = tables.id AND e.number >= CAST(new.column6 AS bigint))"
)
_LOGS = (
    "WITH wanted (id, after) AS (VALUES (*)) "
    "SELECT e.table_id || ' ' || e.number || ' ' || e.body AS line "
    "FROM wanted JOIN entries e ON e.table_id = wanted.id AND e.number > CAST(wanted.after AS bigint) "
    "ORDER BY e.table_id, e.number"
)


def create(tx: Tx, row: TableRow, bodies: Sequence[str], origin: str = "") -> None:
    """A new table with the first entries of its log, numbered from 1.

    `origin` stands for the network address from which a table of the lobby was made.
    """
    tx.run(
        "INSERT INTO tables (id, game, edition, state, listed, host, last, summary, created_at, updated_at, "
        "wake_at, origin, seats) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')",
        row.id,
        row.game,
        row.edition,
        row.state,
        int(row.listed),
        row.host,
        len(bodies),
        row.summary,
        row.created_at,
        row.updated_at,
        row.wake_at,
        origin if row.listed else "",
    )
    _set_seats(tx, row.id, row.seats)
    _insert(tx, row.id, 1, bodies)
    tx.notify(f"{row.id} {len(bodies)}")


def append(
    tx: Tx, row: TableRow, first: int, bodies: Sequence[str], finished: FinishedGame | None = None
) -> bool:
    """Add entries first, first + 1, … to the log, and what follows from them.

    False, and nothing is changed, if the log does not end just before: another server was quicker. Of `row`,
    `last` and `created_at` are ignored.
    """
    last = first + len(bodies) - 1
    if not _advance(tx, row, first, last, _seats_text(row.seats)):
        # Seldom: another server was quicker, or a seat has changed hands.
        found = tx.locked("SELECT last FROM tables WHERE id = ?", row.id)
        if not found or found[0][0] != first - 1 or _reaches(tx, row.id, first):
            return False
        kept = _advance(tx, row, first, last, _set_seats(tx, row.id, row.seats))
        assert kept, "the row is locked"
    _insert(tx, row.id, first, bodies)
    if finished is not None:
        finish(tx, finished)
    tx.notify(_news(row.id, last, bodies))
    return True


@dataclass(frozen=True)
class Addition:
    """Entries to be added to a log, as `append` takes them."""

    row: TableRow
    first: int
    bodies: Sequence[str]

    @property
    def last(self) -> int:
        return self.first + len(self.bodies) - 1

    @property
    def rows(self) -> list[tuple[str, int, str]]:
        """The new rows of the log."""
        return [(self.row.id, number, body) for number, body in enumerate(self.bodies, self.first)]


class Apart(Exception):
    """Something has to be looked at for each table."""


def append_all(tx: Tx, additions: Sequence[Addition]) -> list[bool]:
    """The same as `append` for many tables, with few statements.

    For what is written nearly always: no game ends, and of the row only the log's end, the summary and the
    times change. If one of several is anything else, or comes too late, it raises `Apart`: each alone has its
    own answer.
    """
    if len(additions) == 1:
        return [_append_one(tx, additions[0])]
    additions = sorted(additions, key=lambda addition: addition.row.id)
    ids = [addition.row.id for addition in additions]
    statements: list[Statement] = [
        (each(_ADVANCE_ALL, len(additions), 10), _values(additions)),
        _insertion([new for addition in additions for new in addition.rows]),
    ]
    if tx.for_update:
        # In the order of their ids, so that no two servers wait for each other.
        lock = each("SELECT id FROM tables WHERE id IN (*) ORDER BY id", len(ids)) + tx.for_update
        statements.insert(0, (lock, ids))
    if tx.run_all(*statements)[-2] != len(additions):
        raise Apart
    tx.notify(*(_news(addition.row.id, addition.last, addition.bodies) for addition in additions))
    return [True] * len(additions)


def _append_one(tx: Tx, addition: Addition) -> bool:
    row = addition.row
    if not tx.run(each(_ADVANCE_ALL, 1, 10), *_values([addition])):
        return append(tx, row, addition.first, addition.bodies)
    _insert(tx, row.id, addition.first, addition.bodies)
    tx.notify(_news(row.id, addition.last, addition.bodies))
    return True


def _values(additions: Sequence[Addition]) -> list[Value]:
    """For `_ADVANCE_ALL`."""
    values: list[Value] = []
    for addition in additions:
        row = addition.row
        values += [row.id, row.state, int(row.listed), row.host, _seats_text(row.seats), addition.first]
        values += [addition.last, row.summary, row.updated_at, row.wake_at]
    return values


def _news(table_id: str, last: int, bodies: Sequence[str]) -> str:
    """What other servers are sent: where the log ends now, and if there is room, what was added to it."""
    whole = "\t".join((f"{table_id} {last}", *bodies))  # the JSON of an entry has no tabs or ends of lines
    return whole if len(whole) <= MOST_NEWS else f"{table_id} {last}"


def read_news(text: str) -> tuple[int, list[str]] | None:
    """The end of the log and what was added, from such a text without the id; None from any other."""
    last, *bodies = text.split("\t")
    return (int(last), bodies) if last.isdecimal() else None


def _advance(tx: Tx, row: TableRow, first: int, last: int, seats: str) -> bool:
    """Change the row, unless the log has another end or other guests sit there."""
    changed = tx.run(
        "UPDATE tables SET game = ?, edition = ?, state = ?, listed = ?, host = ?, last = ?, summary = ?, "
        "updated_at = ?, wake_at = ?, origin = CASE WHEN ? = 1 THEN origin ELSE '' END "
        "WHERE id = ? AND last = ? AND seats = ? "
        "AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.table_id = tables.id AND e.number >= ?)",
        row.game,
        row.edition,
        row.state,
        int(row.listed),
        row.host,
        last,
        row.summary,
        row.updated_at,
        row.wake_at,
        int(row.listed),
        row.id,
        first - 1,
        seats,
        first,
    )
    return changed == 1


def _reaches(tx: Tx, table_id: str, number: int) -> bool:
    found = tx.one("SELECT 1 FROM entries WHERE table_id = ? AND number >= ? LIMIT 1", table_id, number)
    return found is not None


def _insert(tx: Tx, table_id: str, first: int, bodies: Sequence[str]) -> None:
    _insert_rows(tx, [(table_id, number, body) for number, body in enumerate(bodies, first)])


def _insert_rows(tx: Tx, rows: Sequence[tuple[str, int, str]]) -> None:
    for start in range(0, len(rows), MOST_ROWS):
        part = rows[start : start + MOST_ROWS]
        sql, values = _insertion(part)
        tx.run(sql, *values)


def _insertion(rows: Sequence[tuple[str, int, str]]) -> Statement:
    return each(_INSERT, len(rows), 3), [value for row in rows for value in row]


def _set_seats(tx: Tx, table_id: str, seats: Sequence[str | None]) -> str:
    """Store who sits at a table, without guests who were forgotten meanwhile; the text for the row."""
    guests = sorted({guest for guest in seats if guest})
    if guests:
        # Locked in the order of their ids, as everywhere, so that no two transactions wait for each other.
        rows = tx.locked(each("SELECT id FROM guests WHERE id IN (*) ORDER BY id", len(guests)), *guests)
        there = {guest for (guest,) in rows}
        seats = [guest if guest in there else None for guest in seats]
    _write_seats(tx, table_id, seats)
    return _seats_text(seats)


def _write_seats(tx: Tx, table_id: str, seats: Sequence[str | None]) -> None:
    tx.run("DELETE FROM seats WHERE table_id = ?", table_id)
    if seats:
        values = [value for seat, guest in enumerate(seats) for value in (table_id, seat, guest or "")]
        tx.run(each("INSERT INTO seats (table_id, seat, guest) VALUES (*)", len(seats), 3), *values)
    tx.run("UPDATE tables SET seats = ? WHERE id = ?", _seats_text(seats), table_id)


def _seats_text(seats: Sequence[str | None]) -> str:
    return json.dumps(list(seats), separators=(",", ":"))


def empty_seats(tx: Tx, guests: Sequence[str]) -> None:
    """Remove forgotten guests from seats, and as hosts."""
    gone = set(guests)
    held = each("SELECT id FROM tables WHERE host IN (*)", len(guests))
    taken = each("SELECT DISTINCT table_id FROM seats WHERE guest <> '' AND guest IN (*)", len(guests))
    for (table_id,) in tx.all(held, *guests):
        tx.run("UPDATE tables SET host = '' WHERE id = ?", table_id)
    for (table_id,) in tx.all(taken, *guests):
        for (seats,) in tx.locked("SELECT seats FROM tables WHERE id = ?", table_id):
            _write_seats(tx, table_id, [None if guest in gone else guest for guest in json.loads(seats)])


def get(tx: Tx, table_id: str) -> TableRow | None:
    row = tx.one(_select("WHERE id = ?"), table_id)
    return None if row is None else _row(row)


def last(tx: Tx, table_id: str) -> int | None:
    """The number of the last entry; None if there is no such table."""
    row = tx.one("SELECT last FROM tables WHERE id = ?", table_id)
    return None if row is None else int(row[0])


def entries(tx: Tx, table_id: str, after: int, limit: int | None = None) -> list[tuple[int, str]]:
    """The log after an entry, with numbers."""
    sql = "SELECT number, body FROM entries WHERE table_id = ? AND number > ? ORDER BY number"
    rows = tx.all(sql, table_id, after) if limit is None else tx.all(sql + " LIMIT ?", table_id, after, limit)
    return [(number, body) for number, body in rows]


def logs(tx: Tx, wanted: Sequence[tuple[str, int]]) -> list[list[tuple[int, str]]]:
    """The logs of many tables, each after an entry, with numbers."""
    found: dict[str, list[tuple[int, str]]] = {}
    after: dict[str, int] = {}
    for table, number in wanted:
        after[table] = min(number, after.get(table, number))
    for line in tx.texts(each(_LOGS, len(after), 2), *(value for pair in after.items() for value in pair)):
        table, place, body = line.split(" ", 2)
        found.setdefault(table, []).append((int(place), body))
    return [[entry for entry in found.get(table, ()) if entry[0] > number] for table, number in wanted]


_FAIR = """
    WITH by_host AS (
        SELECT id, created_at, CASE WHEN origin = '' THEN id ELSE origin END AS place,
            row_number() OVER (PARTITION BY host ORDER BY created_at DESC, id DESC) AS turn
        FROM tables WHERE listed = 1 AND state IN ('open', 'running')
    ), by_place AS (
        SELECT id, created_at, turn,
            row_number() OVER (PARTITION BY place ORDER BY turn, created_at DESC, id DESC) AS place_turn
        FROM by_host
    )
    SELECT id FROM by_place
    ORDER BY CASE WHEN turn > place_turn THEN turn ELSE place_turn END, created_at DESC, id DESC LIMIT ?
"""


def listed(tx: Tx, limit: int) -> list[TableRow]:
    """The tables that anyone may see. Hosts take turns, and so do network addresses; newest first in each.

    A person who makes many tables fills the end of the list with them, and pushes nobody else out.
    """
    order = [found for (found,) in tx.all(_FAIR, limit)]
    if not order:
        return []
    rows = tx.all(each(_select("WHERE id IN (*)"), len(order)), *order)
    return sorted(map(_row, rows), key=lambda row: order.index(row.id))


def count_listed(tx: Tx, host: str, origin: str) -> tuple[int, int]:
    """How many tables of the lobby a host has, and how many were made at a network address."""
    of_host = tx.one("SELECT count(*) FROM tables WHERE listed = 1 AND host = ?", host)
    of_place = tx.one("SELECT count(*) FROM tables WHERE listed = 1 AND origin = ? AND origin <> ''", origin)
    assert of_host is not None
    assert of_place is not None
    return int(of_host[0]), int(of_place[0])


def lasts(tx: Tx, table_ids: Sequence[str]) -> dict[str, int]:
    """The number of the last entry of each of these tables that exist."""
    found: dict[str, int] = {}
    for start in range(0, len(table_ids), MOST_ROWS):
        part = table_ids[start : start + MOST_ROWS]
        found |= dict(tx.all(each("SELECT id, last FROM tables WHERE id IN (*)", len(part)), *part))
    return found


def of_guest(tx: Tx, guest: str, states: Sequence[str], limit: int) -> list[TableRow]:
    """The tables where a guest sits, the one that changed last first."""
    where = _select(
        "WHERE id IN (SELECT table_id FROM seats WHERE guest = ? AND guest <> '') AND state IN (*) "
        "ORDER BY updated_at DESC, id DESC LIMIT ?"
    )
    return [_row(row) for row in tx.all(each(where, len(states)), guest, *states, limit)]


def newest(tx: Tx, states: Sequence[str], limit: int) -> list[TableRow]:
    """Tables in these states, the one that changed last first."""
    where = _select("WHERE state IN (*) ORDER BY updated_at DESC, id DESC LIMIT ?")
    return [_row(row) for row in tx.all(each(where, len(states)), *states, limit)]


def ids(tx: Tx) -> list[str]:
    """Every table."""
    return [found for (found,) in tx.all("SELECT id FROM tables ORDER BY created_at, id")]


def count_by_state(tx: Tx) -> dict[str, int]:
    """Tables by phase; guided games are not counted."""
    guided = '%"guide":true%'  # nothing else: within the texts of JSON, quotation marks are escaped
    return dict(tx.all("SELECT state, count(*) FROM tables WHERE summary NOT LIKE ? GROUP BY state", guided))


_OLD = (
    "WHERE state IN ('over', 'closed') AND updated_at < ? "
    "AND NOT EXISTS (SELECT 1 FROM reports r WHERE r.table_id = tables.id AND r.resolved_at IS NULL)"
)


def delete_old(tx: Tx, before: int, limit: int = 200) -> int:
    """Delete tables that are over or closed and unchanged since; their finished games stay.

    Not those of which somebody has reported something that an administrator has not dealt with yet. At most
    `limit` at a time, so that others need not wait long; call it again until it returns 0.
    """
    return tx.run(
        f"DELETE FROM tables WHERE id IN (SELECT id FROM tables {_OLD} ORDER BY updated_at LIMIT ?)",  # noqa: S608
        before,
        limit,
    )


def count_old(tx: Tx, before: int) -> int:
    """How many tables `delete_old` would delete."""
    row = tx.one(f"SELECT count(*) FROM tables {_OLD}", before)  # noqa: S608 - fixed text
    assert row is not None
    return int(row[0])


def _select(rest: str) -> str:
    return f"SELECT {_COLUMNS} FROM tables {rest}"  # noqa: S608 - only names of columns


def _row(row: Row) -> TableRow:
    found = TableRow(*row)
    return replace(found, listed=bool(found.listed), seats=tuple(json.loads(row[-1])))
