"""Guests: people and their bots, their sessions and links, and whom they have muted.

Sessions and the link of a guest are changed by one transaction at a time: it locks the guest first (`hold`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lynxden.server.ids import digest
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


@dataclass(frozen=True)
class Session:
    """A guest on one device."""

    guest: Guest
    token: str
    """The digest of its token."""
    device: str
    """In a word or two; empty if it is not known."""
    created_at: int
    seen_at: int

    @property
    def id(self) -> str:
        """What it is called before its owner."""
        return session_name(self.token)


def create(tx: Tx, guest: Guest, token_digest: str, now: int, device: str = "") -> None:
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
    add_session(tx, guest.id, token_digest, now, device)


def get(tx: Tx, guest: str) -> Guest | None:
    return _guest(tx.one("SELECT id, name, kind, owner FROM guests WHERE id = ?", guest))


_SESSION = (
    "SELECT g.id, g.name, g.kind, g.owner, s.token, s.device, s.created_at, s.seen_at "
    "FROM sessions s JOIN guests g ON g.id = s.guest "
)


_UNIT = "\x1f"
"""The ASCII character that separates units. No name or device has it (`sanitize.py`)."""
_SESSIONS = (
    f" || '{_UNIT}' || ".join(  # noqa: S608 - fixed text
        (
            "SELECT g.id",
            "g.name",
            "g.kind",
            "coalesce(g.owner, '')",
            "s.token",
            "s.device",
            "s.created_at",
            "",
        )
    )
    + "s.seen_at AS line FROM sessions s JOIN guests g ON g.id = s.guest WHERE s.token IN (*)"
)


def sessions(tx: Tx, digests: Sequence[str]) -> list[Session | None]:
    """The sessions of tokens, whenever they were last used."""
    found: dict[str, Session] = {}
    for line in tx.texts(each(_SESSIONS, len(digests)), *digests):
        guest, name, kind, owner, token, device, created_at, seen_at = line.split(_UNIT)
        found[token] = Session(
            Guest(guest, name, kind, owner or None), token, device, int(created_at), int(seen_at)
        )
    return [found.get(digest) for digest in digests]


def admissions(tx: Tx, digests: Sequence[str]) -> list[tuple[Session, set[str]] | None]:
    """The same, with whom each guest has muted."""
    found = sessions(tx, digests)
    mutes = mutes_of(tx, sorted({session.guest.id for session in found if session is not None}))
    return [None if session is None else (session, mutes.get(session.guest.id, set())) for session in found]


def sessions_of(tx: Tx, guest: str, first: str, since: int, limit: int) -> list[Session]:
    """A guest's sessions that were used since: the one with the digest `first`, then the latest first."""
    rows = tx.all(
        _SESSION + "WHERE s.guest = ? AND s.seen_at >= ? "
        "ORDER BY CASE WHEN s.token = ? THEN 0 ELSE 1 END, s.seen_at DESC, s.token LIMIT ?",
        guest,
        since,
        first,
        limit,
    )
    return [Session(Guest(*row[:4]), *row[4:]) for row in rows]


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
    tx.run(
        "UPDATE guests SET seen_at = ? WHERE id = (SELECT guest FROM sessions WHERE token = ?)",
        now,
        token_digest,
    )
    tx.run("UPDATE sessions SET seen_at = ? WHERE token = ?", now, token_digest)


def hold(tx: Tx, guest: str) -> bool:
    """Lock a guest until the transaction ends; whether there is such a guest."""
    return bool(tx.locked("SELECT id FROM guests WHERE id = ?", guest))


def hold_as(tx: Tx, guest: str, token_digest: str) -> bool:
    """The same, in the name of a session of theirs; False if that has been ended meanwhile."""
    hold(tx, guest)
    (found,) = sessions(tx, [token_digest])
    return found is not None and found.guest.id == guest


def add_session(tx: Tx, guest: str, token_digest: str, now: int, device: str = "") -> None:
    tx.run(
        "INSERT INTO sessions (token, guest, created_at, seen_at, device) VALUES (?, ?, ?, ?, ?)",
        token_digest,
        guest,
        now,
        now,
        device,
    )


def claim(
    tx: Tx, secret_digest: str, token_digest: str, now: int, device: str = "", most: int = 0
) -> tuple[Guest, list[str]] | None:
    """A new session for the guest of a personal link, and the digests of those that had to end for it.

    None if the link is not valid. There are `most` sessions at most, if it is not 0: those that were not used
    for longest end.
    """
    found = by_link(tx, secret_digest)
    # A request that revokes the link at this moment waits, and then finds the session; or was first.
    if found is None or not hold(tx, found.id) or (guest := by_link(tx, secret_digest)) is None:
        return None
    ended = _unused_longest(tx, guest.id, most - 1) if most else []
    for token in ended:
        drop_session(tx, token)
    add_session(tx, guest.id, token_digest, now, device)
    return guest, ended


def _unused_longest(tx: Tx, guest: str, but: int) -> list[str]:
    """A guest's sessions, but for those that were used last."""
    rows = tx.all(
        "SELECT token FROM sessions WHERE guest = ? ORDER BY seen_at DESC, created_at DESC, token", guest
    )
    return [token for (token,) in rows[but:]]


def sign_out_others(tx: Tx, guest: str, keep_digest: str) -> int | None:
    """Revoke the personal link, and end all sessions but one; how many. None if that one has ended itself."""
    if not hold_as(tx, guest, keep_digest):
        return None
    drop_link(tx, guest)
    return drop_other_sessions(tx, guest, keep_digest)


def last_used(tx: Tx, token_digests: Sequence[str]) -> dict[str, int]:
    """When these sessions were last used; those that have been ended are left out."""
    found: dict[str, int] = {}
    for start in range(0, len(token_digests), 500):
        part = token_digests[start : start + 500]
        found |= dict(
            tx.all(each("SELECT token, seen_at FROM sessions WHERE token IN (*)", len(part)), *part)
        )
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


def end_session(tx: Tx, guest: str, token_digest: str, session_id: str) -> str | None:
    """End one of a guest's sessions in the name of another, or of itself.

    The digest of its token; None if there is no such session, or if the other has been ended meanwhile.
    """
    if not hold_as(tx, guest, token_digest):
        return None
    for (token,) in tx.all("SELECT token FROM sessions WHERE guest = ?", guest):
        if session_name(token) == session_id and drop_session(tx, token):
            return str(token)
    return None


def session_name(token_digest: str) -> str:
    """What a session is called before its owner. Neither the token nor its digest can be found from it."""
    return digest(f"session {token_digest}")[:16]


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


def renew_link(tx: Tx, guest: str, token_digest: str, secret_digest: str, now: int) -> bool:
    """The same, in the name of a session; False if it has been ended meanwhile."""
    if not hold_as(tx, guest, token_digest):
        return False
    set_link(tx, guest, secret_digest, now)
    return True


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
