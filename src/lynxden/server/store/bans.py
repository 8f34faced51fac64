"""Who may not come: guests, and networks."""

from dataclasses import dataclass, replace
from typing import Literal

from lynxden.server.store.core import Row, Tx
from lynxden.server.store.switches import changed

Kind = Literal["guest", "network"]
_COLUMNS = "who, kind, name, reason, at, until, address"


@dataclass(frozen=True)
class Ban:
    who: str
    """A guest's id; or an address, of IPv6 its network of 64 bits."""
    kind: Kind
    name: str
    """The guest's name at that time; of a network that was banned along with a guest, that guest's."""
    reason: str
    """In the administrator's words; may be empty."""
    at: int
    until: int | None = None
    """When it ends by itself; None: never."""
    address: bool = False
    """Of a guest: wherever they come from is banned as well."""


def add(tx: Tx, ban: Ban) -> None:
    """Ban somebody; an older ban of the same is replaced."""
    tx.run("DELETE FROM bans WHERE who = ?", ban.who)
    tx.run(
        f"INSERT INTO bans ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - names of columns
        ban.who,
        ban.kind,
        ban.name,
        ban.reason,
        ban.at,
        ban.until,
        int(ban.address),
    )
    changed(tx)


def lift(tx: Tx, who: str) -> Ban | None:
    """End a ban; what it was."""
    found = tx.one(f"SELECT {_COLUMNS} FROM bans WHERE who = ?", who)  # noqa: S608
    if found is None:
        return None
    tx.run("DELETE FROM bans WHERE who = ?", who)
    changed(tx)
    return _ban(found)


def valid(tx: Tx, now: int) -> list[Ban]:
    """The bans that hold now, newest first."""
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM bans WHERE until IS NULL OR until > ? ORDER BY at DESC, who",  # noqa: S608
        now,
    )
    return [_ban(row) for row in rows]


def delete_past(tx: Tx, now: int) -> int:
    """Delete bans that have ended; how many there were."""
    return tx.run("DELETE FROM bans WHERE until <= ?", now)


def _ban(row: Row) -> Ban:
    found = Ban(*row)
    return replace(found, address=bool(found.address))
