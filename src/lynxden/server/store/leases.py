"""Which server minds which table. A lease lasts as long as its holder's heart beats (`servers.py`)."""

from collections.abc import Sequence

from lynxden.server.store.core import Tx, each

# Nobody minds the table, or whoever did has been silent since.
_FREE = "(holder IS NULL OR NOT EXISTS (SELECT 1 FROM servers s WHERE s.id = tables.holder AND s.beat >= ?))"
_TAKE = f"UPDATE tables SET holder = ? WHERE id = ? AND (holder = ? OR {_FREE})"  # noqa: S608 - fixed text
_DUE = (
    "SELECT id FROM tables WHERE state IN ('open', 'running') AND (wake_at <= ? OR holder IS NOT NULL) "  # noqa: S608
    f"AND {_FREE} ORDER BY coalesce(wake_at, ?), id LIMIT ?"
)


def take(tx: Tx, table_id: str, server: str, dead: int) -> str | None:
    """Mind a table, if it is free: its last holder was silent since `dead`.

    Who held it before (the empty text if nobody did); None if somebody else still does.
    """
    found = tx.locked("SELECT holder FROM tables WHERE id = ?", table_id)
    if not found:
        return None
    before = found[0][0] or ""
    taken = tx.run(_TAKE, server, table_id, server, dead)
    return before if taken else None


def held_by(tx: Tx, server: str) -> set[str]:
    """The tables that a server minds."""
    return {found for (found,) in tx.all("SELECT id FROM tables WHERE holder = ?", server)}


def release(tx: Tx, server: str, table_ids: Sequence[str] | None = None) -> int:
    """Leave these tables, or all, to others; how many there were."""
    sql = "UPDATE tables SET holder = NULL WHERE holder = ?"
    if table_ids is None:
        return tx.run(sql, server)
    return sum(
        tx.run(each(sql + " AND id IN (*)", len(part)), server, *part)
        for part in (sorted(table_ids)[start : start + 200] for start in range(0, len(table_ids), 200))
    )


def due(tx: Tx, now: int, dead: int, limit: int) -> list[str]:
    """Tables that no living server minds, though one should, the most urgent first.

    Something is to happen there; or whoever minded them is dead, and with it the people there are gone.
    """
    return [found for (found,) in tx.all(_DUE, now, dead, now, limit)]
