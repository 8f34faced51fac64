"""The servers that share a database: signs of life, leases of tables, and the messages between them.

Each server has an id and shows that it lives by a heartbeat. A table's bots and clocks are run by the server
that holds its lease; when that server dies, another takes it over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from lynxden.server.live.actor import LiveTable
from lynxden.server.live.audience import WATCHERS
from lynxden.server.live.context import Context
from lynxden.server.live.lobby import Lobby
from lynxden.server.live.moderation import Moderation
from lynxden.server.live.people import ENDED, MUTES, SIGNED_OUT, People
from lynxden.server.live.skew import Skew
from lynxden.server.live.tables import Tables
from lynxden.server.live.troubles import passes
from lynxden.server.store import leases, servers, switches
from lynxden.server.store.core import StoreUnavailable, Tx
from lynxden.server.store.tables import read_news

FREE = "free"
"""In messages between servers: after a table's id, that its lease is free; alone, that a server stops."""
CHECK_EVERY = 8
"""Heartbeats from one comparison of all sockets with the database to the next: an administrator may have
forgotten somebody, of which there was no message (the built-in database has none)."""
TAKEN_AT_ONCE = 200
"""Tables of a dead server that are taken over between two heartbeats."""
TOGETHER = 20
"""How many tables are looked at, or read, at the same time."""
DAY = 86_400_000
FOREVER = 2**62


class Cluster:
    """The part that one server has among the others."""

    def __init__(
        self,
        context: Context,
        tables: Tables,
        people: People,
        lobby: Lobby,
        moderation: Moderation,
        skew: Skew,
    ) -> None:
        self._context = context
        self._tables = tables
        self._people = people
        self._lobby = lobby
        self._moderation = moderation
        self._skew = skew
        self._unreadable: set[str] = set()
        self._beats = 0

    async def join(self) -> None:
        """Be one of the servers from now on."""
        context = self._context
        await context.store.write(_arrive, context.id, context.now(), not context.shared)
        await context.store.listen(self._receive)
        context.tasks.spawn(self._live())

    async def leave(self) -> None:
        """Give the leases back, so that another server can take them at once."""
        with suppress(StoreUnavailable):
            await self._context.store.write(_leave, self._context.id)

    # --- Heartbeat ------------------------------------------------------------------------------------

    async def _live(self) -> None:
        """Heartbeat, leases, tables of dead servers, and tables that nobody needs in memory."""
        context, beat = self._context, self._context.settings.beat
        while not context.tasks.closing:
            try:
                await self._beat()
            except Exception as error:
                context.troubles.note("the heartbeat failed", error)
            await context.tasks.pause(beat)

    async def _beat(self) -> None:
        context, loaded = self._context, self._tables.loaded
        held = {key for key, table in loaded.items() if table.leased}
        alive, ours, due, revision = await context.store.write(
            _beat, context.id, context.now(), self._tables.dead_since()
        )
        await self._moderation.look(revision)
        for key in held - ours:
            if key in loaded:
                loaded[key].stop()  # this server was thought dead
        for table in list(loaded.values()):
            if table.unsure:
                context.tasks.spawn(table.follow())
            table.audience.keep(alive)
        # Ours but not run: the answer to the taking or to the giving back was lost.
        strays = [key for key in ours if key not in loaded or not loaded[key].leased]
        await self._take_all([*due, *strays])
        for number, table in enumerate(list(loaded.values())):
            if number % TOGETHER == 0:
                await asyncio.sleep(0)  # others go on meanwhile, however many tables there are
            if table.leased:
                await table.miss(alive)
        await self._put_away()
        await self._skew.measure()
        self._beats += 1
        if self._beats % CHECK_EVERY == 1:
            await self._check_people()
        context.metrics.tables.set(len(loaded))
        context.metrics.held.set(sum(table.leased for table in loaded.values()))

    async def _put_away(self) -> None:
        released = await self._tables.put_away()
        if released:
            await self._context.store.write(_release, self._context.id, released)

    async def _check_people(self) -> None:
        try:
            await self._people.check()
        except StoreUnavailable:  # not known whether it is right: tried again with the next heartbeat
            self._beats = 0

    # --- Leases ---------------------------------------------------------------------------------------

    async def _take_all(self, keys: Sequence[str]) -> None:
        """Take over as many tables as the next heartbeat leaves time for; it finds the rest again."""
        clock = self._context.clock
        until = clock.monotonic() + self._context.settings.lease / 4
        for start in range(0, len(keys), TOGETHER):
            await asyncio.gather(*map(self._take, keys[start : start + TOGETHER]))
            if clock.monotonic() > until:
                return

    async def _take(self, key: str) -> None:
        """One table that cannot be read does not keep the others from being taken over."""
        if self._context.tasks.closing:
            return
        try:
            table = self._tables.loaded.get(key) or await self._tables.get(key)
            await self._tables.lease(table)
            self._unreadable.discard(key)
        except StoreUnavailable:
            raise
        except Exception as error:
            if passes(error):  # the next heartbeat tries again
                self._context.troubles.note("a table could not be taken over yet", error, table=key)
            elif key not in self._unreadable:
                self._unreadable.add(key)
                self._context.log.exception("a table cannot be taken over", extra={"table": key})

    async def _take_free(self, table: LiveTable) -> None:
        """Another server has given back the lease of a table that somebody watches here."""
        if table.viewers and not table.leased:
            with suppress(StoreUnavailable):  # a heartbeat tries again
                await self._tables.lease(table)

    # --- Messages between servers ---------------------------------------------------------------------

    def _receive(self, text: str) -> None:
        """Another server, or this one, has written something. Texts of unknown form are passed over."""
        spawn, loaded = self._context.tasks.spawn, self._tables.loaded
        if text == "":  # some may have been missed
            for table in loaded.values():
                spawn(table.follow())
                table.audience.missed()
            self._lobby.changed()
            spawn(self._check_people())
            spawn(self._moderation.follow())
        elif text == FREE:
            for table in loaded.values():
                spawn(self._take_free(table))
        elif text == switches.CHANGED:
            spawn(self._moderation.follow())
        elif text == "lobby":
            self._lobby.changed()
        else:
            key, _, what = text.partition(" ")
            if key == SIGNED_OUT:
                guest, _, keep = what.partition(" ")
                self._people.disconnect(guest, keep)
            elif key == ENDED:
                guest, _, session = what.partition(" ")
                self._people.disconnect_session(guest, session)
            elif key == MUTES:
                spawn(self._people.read_mutes(what))
            elif key in loaded:
                self._about_table(loaded[key], what)

    def _about_table(self, table: LiveTable, what: str) -> None:
        spawn = self._context.tasks.spawn
        if what == FREE:
            spawn(self._take_free(table))
        elif what.startswith(WATCHERS):
            table.audience.receive(what.removeprefix(f"{WATCHERS} "))
        elif what == "chat":
            spawn(table.follow())
        elif (news := read_news(what)) is not None and news[0] > table.state.last:
            spawn(table.receive(*news))


# --- In the database --------------------------------------------------------------------------------------


def _arrive(tx: Tx, server: str, now: int, alone: bool) -> None:
    """A server starts. If nobody else can use the database, all who did are dead."""
    servers.delete_dead(tx, FOREVER if alone else now - DAY)
    servers.beat(tx, server, now)


def _beat(tx: Tx, server: str, now: int, dead: int) -> tuple[set[str], set[str], list[str], int]:
    """Show that this server lives.

    Which servers do; which tables are ours; which are due and nobody's; the revision of what administrators
    have done.
    """
    servers.beat(tx, server, now)
    servers.correct(tx, now, now + (now - dead))
    return (
        servers.alive(tx, dead),
        leases.held_by(tx, server),
        leases.due(tx, now, dead, TAKEN_AT_ONCE),
        switches.revision(tx),
    )


def _release(tx: Tx, server: str, keys: Sequence[str]) -> None:
    leases.release(tx, server, keys)
    for key in keys:
        tx.notify(f"{key} {FREE}")


def _leave(tx: Tx, server: str) -> None:
    """A server stops. The server that takes its tables sees by its name on them that they were left."""
    servers.leave(tx, server)
    tx.notify(FREE)
