"""What an administrator switches while servers run, and the number by which they notice that."""

from dataclasses import dataclass
from secrets import token_hex

from lynxden.server.store.core import Tx

CHANGED = "moderation"
"""What servers on the same database are sent when an administrator has done something."""
_REVISION = "revision"
_REGISTRATION = "registration"
_SLOW_CHAT = "slow-chat"
_SALT = "salt"


@dataclass(frozen=True)
class Switches:
    """As they stand."""

    registration: bool = True
    """New guests are taken."""
    slow_chat: float = 0.0
    """Seconds between two lines of chat from one person; 0 if there is no slow mode."""


def get(tx: Tx) -> Switches:
    found: dict[str, str] = dict(tx.all("SELECT name, value FROM switches"))
    return Switches(found.get(_REGISTRATION, "open") == "open", float(found.get(_SLOW_CHAT, "0")))


def set_registration(tx: Tx, open_: bool) -> None:
    """Take new guests, or no longer."""
    _set(tx, _REGISTRATION, "open" if open_ else "closed")
    changed(tx)


def set_slow_chat(tx: Tx, seconds: float) -> None:
    """At least so many seconds between two lines of chat from one person; 0 ends it."""
    _set(tx, _SLOW_CHAT, f"{seconds:g}")
    changed(tx)


def revision(tx: Tx) -> int:
    """Grows with everything that an administrator does to what servers have in memory."""
    found = tx.one("SELECT value FROM switches WHERE name = ?", _REVISION)
    return int(found[0]) if found else 0


def changed(tx: Tx) -> None:
    """Let every server notice: at once where the database has messages, else with its next heartbeat."""
    tx.run(
        "INSERT INTO switches (name, value) VALUES (?, '1') "
        "ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(switches.value AS BIGINT) + 1 AS TEXT)",
        _REVISION,
    )
    tx.notify(CHANGED)


def salt(tx: Tx) -> str:
    """The secret with which the addresses of this database are hashed; made when it is first needed."""
    tx.run("INSERT INTO switches (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", _SALT, token_hex(16))
    found = tx.one("SELECT value FROM switches WHERE name = ?", _SALT)
    assert found is not None
    return str(found[0])


def _set(tx: Tx, name: str, value: str) -> None:
    tx.run(
        "INSERT INTO switches (name, value) VALUES (?, ?) "
        "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        name,
        value,
    )
