"""The servers that use this database, and their heartbeats."""

from lynxden.server.store.core import Tx


def beat(tx: Tx, server: str, now: int) -> None:
    """The heartbeat of a server."""
    tx.run(
        "INSERT INTO servers (id, beat) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET beat = excluded.beat",
        server,
        now,
    )


def correct(tx: Tx, now: int, latest: int) -> int:
    """Let heartbeats later than that count as of now: the clocks were set back. How many there were.

    A server that lives gives another sign soon; one that died before is not thought alive until then.
    """
    return tx.run("UPDATE servers SET beat = ? WHERE beat > ?", now, latest)


def alive(tx: Tx, since: int) -> set[str]:
    """The servers with a heartbeat at that time or later."""
    return {server for (server,) in tx.all("SELECT id FROM servers WHERE beat >= ?", since)}


def leave(tx: Tx, server: str) -> None:
    """A server stops."""
    tx.run("DELETE FROM servers WHERE id = ?", server)


def delete_dead(tx: Tx, before: int) -> int:
    """Delete servers without a heartbeat since; how many there were."""
    return tx.run("DELETE FROM servers WHERE beat < ?", before)
