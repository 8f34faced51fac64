"""Which server holds the lease of which table: it runs the clocks and bots there.

A lease lasts as long as its holder's heartbeat (`servers.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from lynxden.server.store.core import Tx, each

# Nobody holds the lease, or its holder has had no heartbeat since.
_FREE = "(holder IS NULL OR NOT EXISTS (SELECT 1 FROM servers s WHERE s.id = tables.holder AND s.beat >= ?))"
_HOLDERS = "SELECT id || ' ' || coalesce(holder, '') AS line FROM tables WHERE id IN (*) ORDER BY id"
_TAKE_ALL = f"UPDATE tables SET holder = ? WHERE id IN (*) AND (holder = ? OR {_FREE})"  # noqa: S608 - fixed text
_OURS = "SELECT id AS line FROM tables WHERE id IN (*) AND holder = ?"
_DUE = (
    "SELECT id FROM tables WHERE state IN ('open', 'running') AND (wake_at <= ? OR holder IS NOT NULL) "  # noqa: S608
    f"AND {_FREE} ORDER BY coalesce(wake_at, ?), id LIMIT ?"
)


def take(tx: Tx, table_id: str, server: str, dead: int) -> str | None:
    """Take the lease of a table, if it is free: its holder has had no heartbeat since `dead`.

    Who held it before (an empty text if nobody did); None if another server still holds it.
    """
    return take_all(tx, [Wanted(table_id, server, dead)])[0]


@dataclass(frozen=True)
class Wanted:
    """A lease that a server wants, as `take` is asked for it."""

    table_id: str
    server: str
    dead: int


def take_all(tx: Tx, wanted: Sequence[Wanted]) -> list[str | None]:
    """The same as `take` for many tables, with few statements."""
    server, dead = wanted[0].server, max(one.dead for one in wanted)
    ids = sorted({one.table_id for one in wanted})
    # In the order of their ids, so that no two servers wait for each other.
    lines = tx.texts(each(_HOLDERS, len(ids)) + tx.for_update, *ids)
    before = dict(line.split(" ", 1) for line in lines)
    tx.run(each(_TAKE_ALL, len(ids)), server, *ids, server, dead)
    ours = set(tx.texts(each(_OURS, len(ids)), *ids, server))
    return [before[one.table_id] if one.table_id in ours else None for one in wanted]


def held_by(tx: Tx, server: str) -> set[str]:
    """The tables whose leases a server holds."""
    return {found for (found,) in tx.all("SELECT id FROM tables WHERE holder = ?", server)}


def release(tx: Tx, server: str, table_ids: Sequence[str] | None = None) -> int:
    """Give up the leases of these tables, or of all; how many there were."""
    sql = "UPDATE tables SET holder = NULL WHERE holder = ?"
    if table_ids is None:
        return tx.run(sql, server)
    return sum(
        tx.run(each(sql + " AND id IN (*)", len(part)), server, *part)
        for part in (sorted(table_ids)[start : start + 200] for start in range(0, len(table_ids), 200))
    )


def due(tx: Tx, now: int, dead: int, limit: int) -> list[str]:
    """Tables that need a server and have none, the most urgent first.

    Something is due there; or the holder is dead, and its people are no longer connected.
    """
    return [found for (found,) in tx.all(_DUE, now, dead, now, limit)]
