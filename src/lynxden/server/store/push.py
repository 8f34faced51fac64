"""Where people's browsers can be reached while they are closed, and the key by which we are known to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lynxden.server.store.core import Tx
from lynxden.server.webpush import Subscription

KEY = "vapid"
MOST = 10
"""Browsers of one person; one more replaces the oldest."""


@dataclass(frozen=True)
class Reached:
    """A browser, and its language."""

    subscription: Subscription
    language: str


def key(tx: Tx, make: Callable[[], str]) -> str:
    """Our private key, the same for all servers on this database; made when it is first needed."""
    tx.run("INSERT INTO keys (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", KEY, make())
    found = tx.one("SELECT value FROM keys WHERE name = ?", KEY)
    assert found is not None
    return str(found[0])


def subscribe(tx: Tx, guest: str, reached: Reached, now: int) -> None:
    """Keep a subscription; a browser that belonged to somebody else belongs to this person now."""
    to = reached.subscription
    tx.run("DELETE FROM push_subscriptions WHERE endpoint = ?", to.endpoint)
    tx.run(
        "INSERT INTO push_subscriptions (endpoint, guest, p256dh, auth, language, created_at) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        to.endpoint,
        guest,
        to.p256dh,
        to.auth,
        reached.language,
        now,
    )
    rows = tx.all(
        "SELECT endpoint FROM push_subscriptions WHERE guest = ? ORDER BY created_at DESC, endpoint", guest
    )
    for (endpoint,) in rows[MOST:]:
        tx.run("DELETE FROM push_subscriptions WHERE endpoint = ?", endpoint)


def unsubscribe(tx: Tx, guest: str, endpoint: str) -> None:
    tx.run("DELETE FROM push_subscriptions WHERE endpoint = ? AND guest = ?", endpoint, guest)


def of_guest(tx: Tx, guest: str) -> list[Reached]:
    """Where somebody can be reached."""
    rows = tx.all(
        "SELECT endpoint, p256dh, auth, language FROM push_subscriptions WHERE guest = ? ORDER BY created_at",
        guest,
    )
    return [
        Reached(Subscription(endpoint, p256dh, auth), language) for endpoint, p256dh, auth, language in rows
    ]
