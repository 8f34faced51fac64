"""The people who are connected to this server, and what concerns them wherever they look."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from weakref import WeakValueDictionary

from lynxden.server.live.connection import Close, Connection
from lynxden.server.live.context import Context
from lynxden.server.store import guests
from lynxden.server.store.core import Tx
from lynxden.server.store.guests import Session

SIGNED_OUT = "*"
"""Before the id of a guest, in messages between servers; no table has such an id."""
MUTES = "!"
"""Before the id of a guest whose mutes have changed, likewise."""
ENDED = "-"
"""Before the id of a guest and the digest of a token, likewise: that session has ended."""
NOTED_EVERY = 3_600_000
"""Milliseconds from one note that a session is used to the next: not a write for every request."""
NOTED_AT_ONCE = 50
"""Sessions with open sockets that are noted in one `check`, which is part of a heartbeat."""


class People:
    """The sockets of one server, by guest."""

    def __init__(self, context: Context) -> None:
        self.connections: set[Connection] = set()
        self._context = context
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def turn(self, guest: str) -> asyncio.Lock:
        """For what a guest may do a limited number of times: one after the other, so that all are counted."""
        return self._turns.setdefault(guest, asyncio.Lock())

    def _sockets_of(self, guest: str) -> list[Connection]:
        return [connection for connection in self.connections if connection.guest.id == guest]

    def mutes_changed(self, guest: str, muted: set[str]) -> None:
        """Somebody has muted somebody, or no longer does."""
        for connection in self._sockets_of(guest):
            connection.muted = muted

    async def mute_everywhere(self, guest: str) -> None:
        """Somebody has muted somebody, or no longer does: their sockets know it, on all servers."""
        await self.read_mutes(guest)
        await self._context.store.write(_notify_mutes, guest)

    async def read_mutes(self, guest: str) -> None:
        """Read anew whom a guest has muted, if they are connected here."""
        if self._sockets_of(guest):
            self.mutes_changed(guest, await self._context.store.read(guests.muted_by, guest))

    async def check(self) -> None:
        """Compare all sockets with the database: messages about sign-outs and mutes may have been lost.

        A session with an open socket is in use, and this is noted.
        """
        there = list(self.connections)
        used = await self._context.store.read(
            guests.last_used, sorted({connection.session for connection in there})
        )
        mutes = await self._context.store.read(
            guests.mutes_of, sorted({connection.guest.id for connection in there})
        )
        for connection in there:
            connection.muted = mutes.get(connection.guest.id, set())
            if connection.session not in used:
                connection.close(Close.WHO)
        now = self._context.now()
        stale = [session for session, at in used.items() if at < now - NOTED_EVERY]
        for session in stale[:NOTED_AT_ONCE]:
            await self._context.store.write(guests.touch, session, now)

    def renamed(self, guest: str, name: str) -> None:
        """Somebody has a new name: what they say from now on bears it, and others see it."""
        for connection in self._sockets_of(guest):
            connection.guest = replace(connection.guest, name=name)
            for table in connection.tables.values():
                table.audience.changed()

    async def sign_out(self, guest: str, keep: str = "") -> None:
        """A guest's tokens are no longer valid, but for the one with the digest `keep`; nor its sockets."""
        self.disconnect(guest, keep)
        await self._context.store.write(_sign_out, guest, keep)

    def disconnect(self, guest: str, keep: str) -> None:
        """Close a guest's sockets here, but for those of the session `keep`."""
        for connection in self._sockets_of(guest):
            if connection.session != keep:
                connection.close(Close.WHO)

    async def end_session(self, here: Session, name: str) -> str | None:
        """End a session of the guest who asks, and its sockets on all servers; the digest of its token."""
        session = await self._context.store.write(_end, here.guest.id, here.token, name)
        if session is not None:
            self.disconnect_session(here.guest.id, session)
        return session

    def disconnect_session(self, guest: str, session: str) -> None:
        """Close the sockets of one session here."""
        for connection in self._sockets_of(guest):
            if connection.session == session:
                connection.close(Close.WHO)


def _end(tx: Tx, guest: str, here: str, name: str) -> str | None:
    session = guests.end_session(tx, guest, here, name)
    if session is not None:
        notify_ended(tx, guest, session)
    return session


def notify_ended(tx: Tx, guest: str, session: str) -> None:
    """Notify all servers that a session has ended."""
    tx.notify(f"{ENDED} {guest} {session}")


def _notify_mutes(tx: Tx, guest: str) -> None:
    tx.notify(f"{MUTES} {guest}")


def _sign_out(tx: Tx, guest: str, keep: str) -> None:
    tx.notify(f"{SIGNED_OUT} {guest} {keep}")
