"""Guests: people and their bots, their sessions and links, and whom they have muted."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lynxden.server.store.core import Row, Tx, each
from lynxden.server.store.tables import empty_seats


@dataclass(frozen=True)
class Guest:
    id: str
    name: str
    kind: str = "person"
    """`person` or `bot`."""
    owner: str | None = None
    """The guest who made the bot."""


def create(tx: Tx, guest: Guest, token_digest: str, now: int) -> None:
    """A new guest with a first session. Only digests of tokens are stored: they are of no use to a reader."""
    tx.run(
        "INSERT INTO guests (id, name, kind, owner, created_at, seen_at) VALUES (?, ?, ?, ?, ?, ?)",
        guest.id,
        guest.name,
        guest.kind,
        guest.owner,
        now,
        now,
    )
    add_session(tx, guest.id, token_digest, now)


def get(tx: Tx, guest: str) -> Guest | None:
    return _guest(tx.one("SELECT id, name, kind, owner FROM guests WHERE id = ?", guest))


def by_token(tx: Tx, token_digest: str) -> Guest | None:
    return _guest(
        tx.one(
            "SELECT g.id, g.name, g.kind, g.owner FROM sessions s JOIN guests g ON g.id = s.guest "
            "WHERE s.token = ?",
            token_digest,
        )
    )


def by_link(tx: Tx, secret_digest: str) -> Guest | None:
    return _guest(
        tx.one(
            "SELECT g.id, g.name, g.kind, g.owner FROM links l JOIN guests g ON g.id = l.guest "
            "WHERE l.secret = ?",
            secret_digest,
        )
    )


def bots_of(tx: Tx, owner: str) -> list[Guest]:
    """The bots that a guest made, oldest first."""
    rows = tx.all("SELECT id, name, kind, owner FROM guests WHERE owner = ? ORDER BY created_at, id", owner)
    return [Guest(*row) for row in rows]


@dataclass(frozen=True)
class Known:
    """A guest with some figures."""

    guest: Guest
    created_at: int
    seen_at: int
    devices: int
    games: int


def newest(tx: Tx, limit: int, name: str = "") -> list[Known]:
    """Guests whose name contains a text, the one who was seen last first."""
    rows = tx.all(
        "SELECT id, name, kind, owner, created_at, seen_at, "
        "(SELECT count(*) FROM sessions s WHERE s.guest = g.id), "
        "(SELECT count(*) FROM players p WHERE p.guest = g.id AND p.guest <> '') "
        "FROM guests g WHERE lower(name) LIKE ? ESCAPE '!' ORDER BY seen_at DESC, id LIMIT ?",
        "%" + re.sub(r"([!%_])", r"!\1", name.lower()) + "%",
        limit,
    )
    return [Known(Guest(*row[:4]), *row[4:]) for row in rows]


def exist(tx: Tx, guests: Sequence[str]) -> set[str]:
    """Which of these exist."""
    if not guests:
        return set()
    return {found for (found,) in tx.all(each("SELECT id FROM guests WHERE id IN (*)", len(guests)), *guests)}


def rename(tx: Tx, guest: str, name: str) -> bool:
    """Whether there is such a guest."""
    return tx.run("UPDATE guests SET name = ? WHERE id = ?", name, guest) == 1


def touch(tx: Tx, token_digest: str, now: int) -> None:
    """Note that the guest of a session was here now."""
    tx.run("UPDATE sessions SET seen_at = ? WHERE token = ?", now, token_digest)
    tx.run(
        "UPDATE guests SET seen_at = ? WHERE id = (SELECT guest FROM sessions WHERE token = ?)",
        now,
        token_digest,
    )


def add_session(tx: Tx, guest: str, token_digest: str, now: int) -> None:
    tx.run(
        "INSERT INTO sessions (token, guest, created_at, seen_at) VALUES (?, ?, ?, ?)",
        token_digest,
        guest,
        now,
        now,
    )


def claim(tx: Tx, secret_digest: str, token_digest: str, now: int) -> Guest | None:
    """A new session for the guest of a personal link; None if the link is not valid.

    The link stays locked until the session is kept: whoever revokes the link at this moment waits, and then
    finds the session; or was first, and there is no link any more.
    """
    found = tx.locked("SELECT guest FROM links WHERE secret = ?", secret_digest)
    guest = get(tx, found[0][0]) if found else None
    if guest is not None:
        add_session(tx, guest.id, token_digest, now)
    return guest


def sign_out_others(tx: Tx, guest: str, keep_digest: str) -> int:
    """Revokes the personal link, then ends all sessions but one; how many there were.

    In this order and in one transaction, so that nobody can claim the link in between.
    """
    drop_link(tx, guest)
    return drop_other_sessions(tx, guest, keep_digest)


def still_valid(tx: Tx, token_digests: Sequence[str]) -> set[str]:
    """Which of these sessions have not been ended."""
    found: set[str] = set()
    for start in range(0, len(token_digests), 500):
        part = token_digests[start : start + 500]
        rows = tx.all(each("SELECT token FROM sessions WHERE token IN (*)", len(part)), *part)
        found.update(token for (token,) in rows)
    return found


def mutes_of(tx: Tx, guests: Sequence[str]) -> dict[str, set[str]]:
    """Whom each of these guests has muted; those who have muted nobody are left out."""
    found: dict[str, set[str]] = {}
    for start in range(0, len(guests), 500):
        part = guests[start : start + 500]
        for guest, muted in tx.all(
            each("SELECT guest, muted FROM mutes WHERE guest IN (*)", len(part)), *part
        ):
            found.setdefault(guest, set()).add(muted)
    return found


def drop_session(tx: Tx, token_digest: str) -> bool:
    """Whether there was such a session."""
    return tx.run("DELETE FROM sessions WHERE token = ?", token_digest) == 1


def drop_other_sessions(tx: Tx, guest: str, keep_digest: str) -> int:
    """How many other sessions there were."""
    return tx.run("DELETE FROM sessions WHERE guest = ? AND token <> ?", guest, keep_digest)


def set_link(tx: Tx, guest: str, secret_digest: str, now: int) -> None:
    """Set a guest's personal link; the one before no longer works."""
    tx.run(
        "INSERT INTO links (secret, guest, created_at) VALUES (?, ?, ?) "
        "ON CONFLICT (guest) DO UPDATE SET secret = excluded.secret, created_at = excluded.created_at",
        secret_digest,
        guest,
        now,
    )


def drop_link(tx: Tx, guest: str) -> bool:
    """Whether there was one."""
    return tx.run("DELETE FROM links WHERE guest = ?", guest) == 1


def has_link(tx: Tx, guest: str) -> bool:
    return tx.one("SELECT 1 FROM links WHERE guest = ?", guest) is not None


def mute(tx: Tx, guest: str, muted: str) -> None:
    tx.run("INSERT INTO mutes (guest, muted) VALUES (?, ?) ON CONFLICT DO NOTHING", guest, muted)


def unmute(tx: Tx, guest: str, muted: str) -> None:
    tx.run("DELETE FROM mutes WHERE guest = ? AND muted = ?", guest, muted)


def muted_by(tx: Tx, guest: str) -> set[str]:
    """Whom a guest has muted."""
    return {muted for (muted,) in tx.all("SELECT muted FROM mutes WHERE guest = ?", guest)}


def forget(tx: Tx, guest: str) -> bool:
    """Delete a guest and their bots; their finished games stay, without the id. Whether there was one."""
    bots = [bot.id for bot in bots_of(tx, guest)]
    return _forget(tx, [guest, *bots]) > 0


_IDLE = (
    "WHERE seen_at < ? AND owner IS NULL "
    "AND NOT EXISTS (SELECT 1 FROM guests b WHERE b.owner = g.id AND b.seen_at >= ?) "
    "AND NOT EXISTS (SELECT 1 FROM seats s JOIN tables t ON t.id = s.table_id "
    "  WHERE s.guest = g.id AND s.guest <> '' AND t.state IN ('open', 'running')) "
    "AND NOT EXISTS (SELECT 1 FROM guests b JOIN seats s ON s.guest = b.id "
    "  JOIN tables t ON t.id = s.table_id WHERE b.owner = g.id AND s.guest <> '' "
    "  AND t.state IN ('open', 'running'))"
)


def count_idle(tx: Tx, before: int) -> int:
    """How many people `delete_idle` would forget."""
    row = tx.one(f"SELECT count(*) FROM guests g {_IDLE}", before, before)  # noqa: S608
    assert row is not None
    return int(row[0])


def delete_idle(tx: Tx, before: int, limit: int = 200) -> int:
    """Forget people who were not here since, nor a bot of theirs, unless one sits at a table in use.

    At most `limit` at a time, so that others need not wait long; call it again until it returns 0.
    """
    rows = tx.all(f"SELECT id FROM guests g {_IDLE} ORDER BY seen_at LIMIT ?", before, before, limit)  # noqa: S608
    return _forget_all(tx, [guest for (guest,) in rows])


def _forget_all(tx: Tx, people: Sequence[str]) -> int:
    """Forget people and their bots; how many people."""
    if people:
        bots = tx.all(each("SELECT id FROM guests WHERE owner IN (*)", len(people)), *people)
        _forget(tx, [*people, *(bot for (bot,) in bots)])
    return len(people)


_STRANGERS = (
    _IDLE + " "  # noqa: S608 - fixed text
    "AND NOT EXISTS (SELECT 1 FROM players p WHERE p.guest = g.id AND p.guest <> '') "
    "AND NOT EXISTS (SELECT 1 FROM games i WHERE i.imported_by = g.id) "
    "AND NOT EXISTS (SELECT 1 FROM guests b JOIN players p ON p.guest = b.id "
    "  WHERE b.owner = g.id AND p.guest <> '') "
    "AND NOT EXISTS (SELECT 1 FROM bans n WHERE n.who = g.id)"
)


def delete_strangers(tx: Tx, before: int, limit: int = 200) -> int:
    """Forget people who were not here since and have no games: they never finished or imported one.

    Nobody who is banned, so that a ban outlives them. At most so many at a time, as `delete_idle`.
    """
    rows = tx.all(f"SELECT id FROM guests g {_STRANGERS} ORDER BY seen_at LIMIT ?", before, before, limit)  # noqa: S608
    return _forget_all(tx, [guest for (guest,) in rows])


def _forget(tx: Tx, guests: Sequence[str]) -> int:
    # First, so that a game that ends at this moment waits, and then finds them gone.
    found = tx.locked(each("SELECT id FROM guests WHERE id IN (*) ORDER BY id", len(guests)), *guests)
    for sql in (
        "UPDATE players SET guest = '' WHERE guest <> '' AND guest IN (*)",
        "UPDATE chat SET guest = '' WHERE guest <> '' AND guest IN (*)",
        "UPDATE games SET imported_by = NULL WHERE imported_by IN (*)",
        "DELETE FROM mutes WHERE muted IN (*)",
        "DELETE FROM bans WHERE who IN (*)",
        "UPDATE reports SET guest = '' WHERE guest <> '' AND guest IN (*)",
        "UPDATE reports SET reporter = '' WHERE reporter <> '' AND reporter IN (*)",
        # Sessions, links, mutes and ratings go with their guest.
        "DELETE FROM guests WHERE id IN (*)",
    ):
        tx.run(each(sql, len(guests)), *guests)
    empty_seats(tx, guests)
    return len(found)


def _guest(row: Row | None) -> Guest | None:
    return None if row is None else Guest(*row)
