"""The tables that this server has in memory: made, loaded from their logs, written, put away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from lynxden.games.core import View
from lynxden.server.errors import Code, Refusal
from lynxden.server.ids import is_id
from lynxden.server.live.actor import LiveTable
from lynxden.server.live.arrivals import Arrivals
from lynxden.server.live.context import Context
from lynxden.server.live.jobs import Jobs
from lynxden.server.live.thinkers import Thinkers
from lynxden.server.store import chat, guests, leases, tables
from lynxden.server.store.core import Tx
from lynxden.server.store.guests import Guest
from lynxden.server.table import commands, entries, projections
from lynxden.server.table.state import BrokenLog, TableState, first_state, follow, read_log

KEEP = 20.0
"""Seconds that a table nobody watches stays in memory, if nothing is due there soon."""
SOON = 60.0
LOAD_LIMIT = 20.0
"""Seconds in which a log must be read."""
QUICK = 40
"""So few entries are read at once; it takes less time than to ask another process."""

PRELOADED_FOR = 60.0
"""Seconds for which tables are kept that were read before the start."""
READ_AT_ONCE = 16
"""Logs that are read at the same time: enough to keep the workers busy, few enough that the games that are
being played go on."""
BOTS_AT_ONCE = 8
"""Actions of bots that are written at the same time: a person's action waits for these at most."""
REPLAYED_AT_ONCE = 100
"""Games that are replayed at the same time for people who come back; others wait, and are not refused."""


class Tables:
    """The tables of one server. There is never more than one copy of a table."""

    def __init__(
        self,
        context: Context,
        jobs: Jobs,
        thinkers: Thinkers,
        lobby_changed: Callable[[], None],
        remind: Callable[[TableState], None],
    ) -> None:
        self.context = context
        self.jobs = jobs
        self.loaded: dict[str, LiveTable] = {}
        self.lobby_changed = lobby_changed
        self.remind = remind
        self.arrivals = Arrivals()
        self.bots_at_once = asyncio.Semaphore(BOTS_AT_ONCE)
        self._thinkers = thinkers
        self._loading: dict[str, asyncio.Task[LiveTable]] = {}
        self._reading = asyncio.Semaphore(READ_AT_ONCE)
        self.replaying = asyncio.Semaphore(REPLAYED_AT_ONCE)
        self._broken: set[str] = set()
        self._preloaded: dict[str, TableState] = {}

    def expect(self, preloaded: dict[str, TableState]) -> None:
        """Tables as they were a moment ago; of those that people come back to, only the end is read."""
        self._preloaded = preloaded
        self.context.clock.call_later(PRELOADED_FOR, preloaded.clear)

    # --- Finding --------------------------------------------------------------------------------------

    async def get(self, key: str) -> LiveTable:
        """A table by its id, from memory or from its log."""
        found = self.loaded.get(key)
        if found is not None:
            found.idle_since = self.context.clock.monotonic()
            return found
        if not is_id(key):
            raise commands.no_table(key)
        if self.context.tasks.closing:
            raise Refusal(Code.UNAVAILABLE, "the server is about to stop; try again")
        if key not in self._loading:
            self._loading[key] = asyncio.create_task(self._load(key))
            self._loading[key].add_done_callback(partial(self._done_loading, key))
        return await asyncio.shield(self._loading[key])

    def _done_loading(self, key: str, task: asyncio.Task[LiveTable]) -> None:
        self._loading.pop(key, None)
        if not task.cancelled():
            task.exception()  # the caller may no longer wait for it

    async def _load(self, key: str) -> LiveTable:
        async with self._reading:  # after a restart everybody comes at once
            state = await self._read(key)
        if key in self.loaded:  # it was made here a moment ago: there is one copy only
            return self.loaded[key]
        table = self.loaded[key] = LiveTable(self, state)
        if self.context.shared:
            await table.catch_up()  # what came while the log was read
        await self.lease(table)
        return table

    async def _read(self, key: str) -> TableState:
        """A table from its log. Of one that is broken, the first request for it causes a line in our log."""
        known = self._preloaded.pop(key, None)
        # Of a table that is known, the last known entry is read, too: the table may be deleted by now.
        after = known.last - 1 if known is not None else 0
        log = await self.context.store.read_together(tables.logs, (key, after))
        if not log:
            raise commands.no_table(key)
        bodies = [body for _, body in log]
        try:
            if known is not None:
                state = known
                for body in bodies[1:]:
                    _, state = follow(state, body)
            elif len(bodies) <= QUICK:
                state = read_log(key, bodies)
            else:
                state = await self.jobs.run("load", read_log, key, bodies, limit=LOAD_LIMIT)
        except (BrokenLog, RuntimeError) as error:  # the latter from a worker
            if key not in self._broken:
                self._broken.add(key)
                self.context.log.exception("a table cannot be read", extra={"table": key})
            raise Refusal(Code.INTERNAL, "the server made a mistake; it has been noted") from error
        self._broken.discard(key)
        return state

    # --- Making and writing ---------------------------------------------------------------------------

    async def create(
        self, first: entries.Created, *more: entries.Entry, origin: str = "", after: str = ""
    ) -> LiveTable:
        """A new table; `origin` stands for the network address from which it was made.

        `after` is the table whose chat goes on here.
        """
        context = self.context
        key = context.make_id()
        state = first_state(key, first)
        for entry in more:
            state = state.after(entry)
        bodies = [entries.encode(entry) for entry in (first, *more)]
        row = projections.row(state, context.settings)
        await context.store.write(_create, row, bodies, context.id, state.listed, origin, after)
        table = self.loaded.setdefault(key, LiveTable(self, state))
        table.leased = True
        table.schedule()
        if context.shared:  # somebody may have joined at another server already
            context.tasks.spawn(table.follow())
        if state.listed:
            self.lobby_changed()
        context.metrics.entries.inc(len(bodies))
        return table

    async def append(
        self,
        row: projections.TableRow,
        first: int,
        bodies: Sequence[str],
        finished: projections.FinishedGame | None,
        lobby: bool,
        usual: bool,
    ) -> bool:
        """Write to a table's log; False if somebody else was quicker.

        `usual` means that people, the host and the phase are as before: it is written with other tables.
        """
        context = self.context
        with context.metrics.store_seconds.time():
            if usual and finished is None and not lobby:
                addition = tables.Addition(row, first, bodies)
                done = await context.store.write_together(tables.append_all, addition)
            else:
                done = await context.store.write(_append, row, first, bodies, finished, lobby)
        if done:
            context.metrics.entries.inc(len(bodies))
            if finished is not None:
                context.metrics.games.labels(finished.game, finished.edition).inc()
            if lobby:
                self.lobby_changed()
        return done

    async def change(self, key: str, command: commands.Command) -> None:
        """Carry out what concerns a person at one of their tables; read-only ones stay as they are."""
        table = await self.get(key)
        if not table.state.read_only:
            await table.change(command)

    async def rematch(self, old: LiveTable, guest: Guest) -> LiveTable:
        """The table where the same people play again: the first to ask makes it, all others find it."""
        context = self.context
        if not old.state.rematch:
            unwelcome = await self.unwelcome(old.state)
            first = commands.rematch(old.state, guest.id, context.now(), unwelcome)
            new = await self.create(first, after=old.id)
            state = await old.change(
                lambda state: () if state.rematch else [entries.Rematched(context.now(), new.id)]
            )
            if state.rematch != new.id:  # somebody asked at the same moment
                await new.change(lambda state: commands.close(state, guest.id, context.now()))
        return await self.get(old.state.rematch)

    async def unwelcome(self, state: TableState) -> frozenset[str]:
        """Those who wait for the next game, but have been banned or have deleted themselves meanwhile."""
        waiting = [seat.next_guest for seat in state.seats if seat.next_guest]
        if not waiting:
            return frozenset()
        context = self.context
        known = await context.store.read(lambda tx: [guests.get(tx, each) for each in waiting])
        house, now = context.house, context.now()
        welcome = {
            guest.id
            for guest in known
            if guest is not None and not (house.ban_of(guest.id, now) or house.ban_of(guest.owner, now))
        }
        return frozenset(waiting) - welcome

    async def think(self, bot: str, view: View, seed: int) -> str:
        return await self._thinkers.think(bot, view, seed)

    # --- Leases ---------------------------------------------------------------------------------------

    def dead_since(self) -> int:
        """A server that has given no sign of life since then is dead."""
        return self.context.now() - round(self.context.settings.lease * 1000)

    async def lease(self, table: LiveTable) -> None:
        """Take the lease of a table, if it is free; then its clocks and bots are ours."""
        context = self.context
        if table.leased or context.tasks.closing or table.state.settled:
            return
        wanted = leases.Wanted(table.id, context.id, self.dead_since())
        before = await context.store.write_together(leases.take_all, wanted)
        if before is None or table.leased or table.put_away:
            return
        table.leased = True
        try:
            if before not in ("", context.id):
                await table.take_over(before)
        finally:
            table.schedule()

    async def put_away(self) -> list[str]:
        """Forget tables that nobody watches; a heartbeat finds them in the database when they are due."""
        quiet = self.context.clock.monotonic() - KEEP
        released = []
        for key, table in list(self.loaded.items()):
            if table.viewers or table.busy or table.idle_since > quiet or not table.settled:
                continue
            if table.quiet_for > SOON:
                table.put_away = True
                table.stop()
                released.append(key)
                del self.loaded[key]
        return released

    # --- Stopping -------------------------------------------------------------------------------------

    def stop(self) -> None:
        """Run no clocks and no bots any more."""
        for table in self.loaded.values():
            table.stop()

    async def finish(self, seconds: float) -> None:
        """Give what is being loaded so much time, then end it."""
        work = list(self._loading.values())
        if work:
            await asyncio.wait(work, timeout=seconds)
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)


def _create(
    tx: Tx,
    row: projections.TableRow,
    bodies: Sequence[str],
    server: str,
    lobby: bool,
    origin: str,
    after: str,
) -> None:
    tables.create(tx, row, bodies, origin)
    if after:
        chat.carry(tx, after, row.id)
    leases.take(tx, row.id, server, 0)
    if lobby:
        tx.notify("lobby")


def _append(
    tx: Tx,
    row: projections.TableRow,
    first: int,
    bodies: Sequence[str],
    finished: projections.FinishedGame | None,
    lobby: bool,
) -> bool:
    done = tables.append(tx, row, first, bodies, finished)
    if done and lobby:
        tx.notify("lobby")
    return done
