"""Running tables that are looked at before a server starts.

A successor reads them while the server before it still serves: when it takes over, only what has been written
since is left to read.
"""

from __future__ import annotations

from lynxden.server.store import tables
from lynxden.server.store.core import open_store
from lynxden.server.table.state import BrokenLog, TableState, read_log

MOST = 5_000
"""Tables that are read, those first that changed last."""
AT_ONCE = 50
FEW = 20
"""So many tables can be played at by rules that are not compiled."""


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


async def are_few(url: str) -> bool:
    """Whether there are so few running tables that a server can serve them before the rules are compiled."""
    store = await open_store(url)
    try:
        return len(await store.read(tables.newest, ("running",), FEW + 1)) <= FEW
    finally:
        await store.close()
