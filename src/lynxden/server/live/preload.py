"""Running tables that a successor reads while the server before it still serves.

When it takes over, only what has been written since is left to read.
"""

from __future__ import annotations

from lynxden.server.store import tables
from lynxden.server.store.core import open_store
from lynxden.server.table.state import BrokenLog, TableState, read_log

MOST = 5_000
"""Tables that are read, those first that changed last."""
AT_ONCE = 50


async def preload(url: str) -> dict[str, TableState]:
    """The running tables of a database by their ids, as they are now."""
    found: dict[str, TableState] = {}
    store = await open_store(url)
    try:
        rows = await store.read(tables.newest, ("running",), MOST)
        ids = [row.id for row in rows]
        for start in range(0, len(ids), AT_ONCE):
            some = ids[start : start + AT_ONCE]
            logs = await store.read(tables.logs, [(key, 0) for key in some])
            for key, log in zip(some, logs, strict=True):
                try:
                    found[key] = read_log(key, [body for _, body in log])
                except BrokenLog:
                    continue  # it is reported when somebody opens the table
    finally:
        await store.close()
    return found
