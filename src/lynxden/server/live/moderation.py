"""What administrators do reaches this server: bans, switches, closed tables, deleted lines of chat.

An administrator writes to the database, from another server or from a command. Where the database has
messages, servers receive it at once; with the built-in one, the next heartbeat finds another revision.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Callable

from lynxden.server.live.connection import Close
from lynxden.server.live.context import Context
from lynxden.server.live.people import People
from lynxden.server.live.tables import Tables
from lynxden.server.store import bans, switches, tables
from lynxden.server.store.bans import Ban
from lynxden.server.store.core import StoreUnavailable, Tx
from lynxden.server.store.switches import Switches


class Moderation:
    """Keeps bans and switches in memory up to date, and applies them."""

    def __init__(
        self, context: Context, live_tables: Tables, people: People, lobby_changed: Callable[[], None]
    ) -> None:
        self._context = context
        self._lobby_changed = lobby_changed
        self._turn = asyncio.Lock()
        self._tables = live_tables
        self._people = people
        self._revision = -1

    async def start(self) -> None:
        """Know the rules before anybody comes."""
        self._revision = await self._read()

    async def _read(self) -> int:
        context = self._context
        revision, found, switched = await context.store.read(_standing, context.now())
        context.house.take(found, switched)
        return revision

    async def look(self, revision: int) -> None:
        """At every heartbeat: act if an administrator has done something since."""
        if revision != self._revision:
            await self.follow()

    async def follow(self) -> None:
        """Read what administrators have done, and act on it; what cannot be read now, a heartbeat reads."""
        async with self._turn:  # what was read first must not be taken last
            try:
                revision = await self._read()
                if await self._turn_out():
                    await self._read()
                    await self._turn_out()  # everyone else at those addresses
                await self._follow_tables()
                self._revision = revision
            except StoreUnavailable:
                self._revision = -1

    async def _turn_out(self) -> bool:
        """Close the sockets of those who are banned; whether further addresses were banned with them."""
        house, now, more = self._context.house, self._context.now(), False
        for connection in list(self._people.connections):
            guest, where = connection.guest, connection.address
            ban = house.ban_of(guest.id, now) or house.ban_of(guest.owner, now)
            if ban is not None and await self._ban_address(ban, where):
                more = True
            if ban is not None or house.ban_of(where, now) is not None:
                connection.close(Close.BANNED)
        return more

    async def seen(self, ban: Ban, where: str) -> None:
        """Somebody who is banned comes from there: that is banned as well, if the ban says so."""
        if await self._ban_address(ban, where):
            await self.follow()

    async def _ban_address(self, ban: Ban, where: str) -> bool:
        context = self._context
        if not ban.address or ban.kind != "guest" or context.house.ban_of(where, context.now()) is not None:
            return False
        if not may_be_banned(where):
            context.troubles.warn(
                "address",
                "a banned guest comes from this machine itself: behind a proxy, set LYNXDEN_PROXIES",
            )
            return False
        added = Ban(where, "network", ban.name, ban.reason, context.now(), ban.until)
        await context.store.write(bans.add, added)
        context.house.add(added)  # everyone else from there meets it from now on
        return True

    async def _follow_tables(self) -> None:
        """Tables that were written to elsewhere, and deleted lines of chat."""
        loaded = self._tables.loaded
        lasts = await self._context.store.read(tables.lasts, sorted(loaded))
        for key, table in list(loaded.items()):
            if lasts.get(key, 0) > table.state.last:
                await table.follow()
            if table.viewers:
                await table.chat.send_removed(table.viewers)
        self._lobby_changed()


def may_be_banned(where: str) -> bool:
    """Whether an address is somebody's: not that of this machine, by which a proxy may bring everybody."""
    try:
        return not ipaddress.ip_network(where).is_loopback and where != "::/64"
    except ValueError:
        return False


def _standing(tx: Tx, now: int) -> tuple[int, list[Ban], Switches]:
    return switches.revision(tx), bans.valid(tx, now), switches.get(tx)
