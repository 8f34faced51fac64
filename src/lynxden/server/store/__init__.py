"""The database: SQLite for one server, PostgreSQL for several.

The modules `guests`, `tables`, `chat`, `games`, `bans`, `reports`, `switches`, `leases` and `servers` hold
the SQL, once for both databases, as functions of a transaction: `await store.write(guests.rename, guest,
"Ann")`.
"""

from lynxden.server.store.core import Store, StoreConflict, StoreUnavailable, Tx, open_store

__all__ = ["Store", "StoreConflict", "StoreUnavailable", "Tx", "open_store"]
