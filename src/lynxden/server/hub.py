"""Everything that one server has in memory: its tables, its sockets, and the work that goes on by itself.

Several servers may share a database. Each has an id and shows that it lives by a heartbeat. A table's bots
and clocks are minded by the server that holds its lease; when that server dies, another takes it over.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from lynxden.games.core import Position, View
from lynxden.server import characters, clocks, log, protocol, stored
from lynxden.server.audience import WATCHERS
from lynxden.server.bots import choose
from lynxden.server.connection import CHAT_BURST, Close, Connection
from lynxden.server.errors import Code, Refusal
from lynxden.server.ids import is_id, new_id
from lynxden.server.limits import Buckets
from lynxden.server.lobby import Lobby
from lynxden.server.metrics import Metrics
from lynxden.server.seats import no_table
from lynxden.server.settings import Settings
from lynxden.server.state import TableState, first_state, read_log
from lynxden.server.store import chat, games, leases, servers, tables
from lynxden.server.store.core import Store, StoreUnavailable, Tx
from lynxden.server.table import PHRASE_MARK, Table

KEEP = 20.0
"""Seconds that a table nobody watches stays in memory, if nothing is due there soon."""
SOON = 60.0
SIGNED_OUT = "*"
"""Before the id of a guest, in what servers tell each other; no table is called so."""
FREE = "free"
"""In what servers tell each other: after a table's id, that nobody minds it; alone, that a server stops."""
TAKEN_AT_ONCE = 200
"""Tables of a dead server that are taken over between two heartbeats."""
TOGETHER = 20
"""How many of them are read at the same time."""
FINISH = 3.0
"""Seconds that work under way gets when the server stops."""
DAY = 86_400_000
FOREVER = 2**62

Task = Coroutine[Any, Any, None]


def wall_clock() -> int:
    return time.time_ns() // 1_000_000


def fresh_deal(state: TableState) -> Position:
    """A new deal, from the system's own source of randomness."""
    return state.match.deal(seed=secrets.randbits(64))


class Hub:
    """One server."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        *,
        now: Callable[[], int] = wall_clock,
        deal: Callable[[TableState], Position] = fresh_deal,
        make_id: Callable[[], str] = new_id,
        cast: characters.Casting = characters.draw,
    ) -> None:
        self.settings = settings
        self.store = store
        self.now = now
        """Milliseconds since 1970."""
        self.deal = deal
        self.make_id = make_id
        self.cast = cast
        """Names for the bots of a table."""
        self.id = new_id(8)
        self.shared = settings.database != ""
        """Other servers may write to the same database."""
        self.metrics = Metrics()
        self.log = logging.getLogger("lynxden.server")
        self.tables: dict[str, Table] = {}
        self.connections: set[Connection] = set()
        self.lobby = Lobby(self)
        self.chatter = Buckets(settings.chat, CHAT_BURST)
        """How much each guest may say."""
        self.closing = False
        self._stopping = asyncio.Event()
        self._unreadable: set[str] = set()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._loading: dict[str, asyncio.Task[Table]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._thinkers = ThreadPoolExecutor(settings.bot_threads, "lynxden-bot")

    # --- Life -----------------------------------------------------------------------------------------

    async def start(self) -> None:
        await self.store.write(_arrive, self.id, self.now(), not self.shared)
        await self.store.listen(self._hear)
        self.spawn(self._live())

    async def close(self) -> None:
        """Stop minding tables, so that another server can at once; everything is stored already."""
        self.closing = True
        self._stopping.set()
        for table in self.tables.values():
            table.stop()
        # What is being written shall be written before the leases are given back, not after.
        work: list[asyncio.Task[Any]] = [*self._tasks, *self._loading.values()]
        if work:
            await asyncio.wait(work, timeout=FINISH)
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
        with suppress(StoreUnavailable):
            await self.store.write(_leave, self.id)
        self._thinkers.shutdown(wait=False, cancel_futures=True)
        await self.store.close()

    def spawn(self, work: Task) -> None:
        """Do something beside what goes on, unless the server stops."""
        if self.closing:
            work.close()
            return
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.log.error("a task failed", exc_info=task.exception())

    def later(self, seconds: float, make: Callable[..., Task], *args: Any) -> None:
        """Do something in a while, unless the server stops before."""

        async def wait() -> None:
            if await self._pause(seconds):
                await make(*args)

        self.spawn(wait())

    async def _pause(self, seconds: float) -> bool:
        """Wait; whether the server goes on."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)
        return not self.closing

    async def _live(self) -> None:
        """Heartbeat, leases, tables of dead servers, and tables that nobody needs in memory."""
        beat = self.settings.beat
        while not self.closing:
            try:
                await self._beat()
            except StoreUnavailable as error:
                self.log.warning("the database does not answer: %s", error)
            except Exception:
                self.log.exception("the heartbeat failed")
            before = time.monotonic()
            await self._pause(beat)
            self.metrics.behind.set(max(0.0, time.monotonic() - before - beat))

    async def _beat(self) -> None:
        held = {key for key, table in self.tables.items() if table.held}
        now = self.now()
        alive, ours, due = await self.store.write(_beat, self.id, now, self._dead(now))
        for key in held - ours:
            if key in self.tables:
                self.tables[key].stop()  # this server was thought dead
        for table in list(self.tables.values()):
            if table.unsure:
                self.spawn(table.follow())
            table.audience.keep(alive)
        # Ours but not minded: the answer to the taking or to the giving back was lost.
        strays = [key for key in ours if key not in self.tables or not self.tables[key].held]
        await self._mind_all([*due, *strays])
        for table in list(self.tables.values()):
            if table.held:
                await table.miss(alive)
        await self._put_away()
        self.metrics.tables.set(len(self.tables))
        self.metrics.held.set(sum(table.held for table in self.tables.values()))

    def _dead(self, now: int) -> int:
        """Who has not been heard of since then is dead."""
        return now - round(self.settings.lease * 1000)

    async def _mind_all(self, keys: Sequence[str]) -> None:
        """Take over as many tables as the next heartbeat leaves time for; it finds the rest again."""
        until = time.monotonic() + self.settings.lease / 4
        for start in range(0, len(keys), TOGETHER):
            await asyncio.gather(*map(self._mind_key, keys[start : start + TOGETHER]))
            if time.monotonic() > until:
                return

    async def _mind_key(self, key: str) -> None:
        """One table that cannot be read does not keep the others from being minded."""
        try:
            await self._mind(self.tables.get(key) or await self.table(key))
            self._unreadable.discard(key)
        except StoreUnavailable:
            raise
        except Exception:
            if key not in self._unreadable:
                self._unreadable.add(key)
                self.log.exception("a table cannot be minded", extra={"table": key})

    async def _mind(self, table: Table) -> None:
        """Take the lease of a table, if it is free; then its clocks and bots are ours."""
        if table.held or self.closing or table.state.phase in ("over", "closed"):
            return
        before = await self.store.write(leases.take, table.state.id, self.id, self._dead(self.now()))
        if before is None or table.held or table.put_away:
            return
        table.held = True
        try:
            if before not in ("", self.id):
                await table.take_over(before)
        finally:
            table.schedule()

    async def _mind_free(self, table: Table) -> None:
        """Another server minds a table no longer that somebody watches here."""
        if table.viewers and not table.held:
            with suppress(StoreUnavailable):  # a heartbeat tries again
                await self._mind(table)

    async def _put_away(self) -> None:
        """Forget tables that nobody watches; the log has them, and the sweep finds them when they are due."""
        quiet = time.monotonic() - KEEP
        released = []
        for key, table in list(self.tables.items()):
            if table.viewers or table.busy or table.idle_since > quiet or not table.settled:
                continue
            due = clocks.due(table.state, self.settings) if table.held else None
            if due is None or due.at > self.now() + SOON * 1000:
                table.put_away = True
                table.stop()
                released.append(key)
                del self.tables[key]
        if released:
            await self.store.write(_release, self.id, released)

    # --- Tables ---------------------------------------------------------------------------------------

    async def table(self, key: str) -> Table:
        """A table by its id, from memory or from its log."""
        found = self.tables.get(key)
        if found is not None:
            found.idle_since = time.monotonic()
            return found
        if not is_id(key):
            raise no_table(key)
        if self.closing:
            raise Refusal(Code.UNAVAILABLE, "the server is about to stop; try again")
        if key not in self._loading:
            self._loading[key] = asyncio.create_task(self._load(key))
            self._loading[key].add_done_callback(partial(self._loaded, key))
        return await asyncio.shield(self._loading[key])

    def _loaded(self, key: str, task: asyncio.Task[Table]) -> None:
        self._loading.pop(key, None)
        if not task.cancelled():
            task.exception()  # whoever asked may no longer wait for it

    async def _load(self, key: str) -> Table:
        entries = await self.store.read(tables.entries, key, 0)
        if not entries:
            raise no_table(key)
        if key in self.tables:  # it was made here a moment ago: there is one copy only
            return self.tables[key]
        table = self.tables[key] = Table(self, read_log(key, (body for _, body in entries)))
        if self.shared:
            await table.catch_up()  # what came while the log was read
        await self._mind(table)
        return table

    async def create(self, first: log.Created, *more: log.Entry) -> Table:
        """A new table."""
        key = self.make_id()
        state = first_state(key, first)
        for entry in more:
            state = state.after(entry)
        bodies = [log.encode(entry) for entry in (first, *more)]
        await self.store.write(_create, stored.row(state, self.settings), bodies, self.id, state.listed)
        table = self.tables.setdefault(key, Table(self, state))
        table.held = True
        table.schedule()
        if self.shared:  # somebody may have joined at another server already
            self.spawn(table.follow())
        if state.listed:
            self.lobby.changed()
        self.metrics.entries.inc(len(bodies))
        return table

    async def append(
        self,
        row: tables.TableRow,
        first: int,
        bodies: Sequence[str],
        finished: games.Finished | None,
        lobby: bool,
    ) -> bool:
        """Write to a table's log; False if somebody else was quicker."""
        with self.metrics.store_seconds.time():
            done = await self.store.write(_append, row, first, bodies, finished, lobby)
        if done:
            self.metrics.entries.inc(len(bodies))
            if finished is not None:
                self.metrics.games.labels(finished.game, finished.edition).inc()
            if lobby:
                self.lobby.changed()
        return done

    # --- Other servers --------------------------------------------------------------------------------

    def _hear(self, text: str) -> None:
        """Another server, or this one, has written something."""
        if text == "":
            for table in self.tables.values():
                self.spawn(table.follow())
                table.audience.missed()
            self.lobby.changed()
            return
        if text == FREE:
            for table in self.tables.values():
                self.spawn(self._mind_free(table))
            return
        if text == "lobby":
            self.lobby.changed()
            return
        key, _, what = text.partition(" ")
        if key == SIGNED_OUT:
            guest, _, keep = what.partition(" ")
            self._disconnect(guest, keep)
            return
        found = self.tables.get(key)
        if found is None:
            return
        if what == FREE:
            self.spawn(self._mind_free(found))
        elif what.startswith(WATCHERS):
            found.audience.hear(what.removeprefix(f"{WATCHERS} "))
        elif what == "chat" or (what.isdecimal() and int(what) > found.state.last):
            self.spawn(found.follow())

    # --- Chat -----------------------------------------------------------------------------------------

    async def chat_lines(self, table: str, count: int) -> list[protocol.ChatLine]:
        return [chat_line(line) for line in await self.store.read(chat.latest, table, count)]

    # --- People ---------------------------------------------------------------------------------------

    def _sockets_of(self, guest: str) -> list[Connection]:
        return [connection for connection in self.connections if connection.guest.id == guest]

    def mutes_changed(self, guest: str, muted: set[str]) -> None:
        """Somebody has muted somebody: their open sockets hear of it."""
        for connection in self._sockets_of(guest):
            connection.muted = muted

    def renamed(self, guest: str, name: str) -> None:
        """Somebody has a new name: what they say from now on bears it, and others see it."""
        for connection in self._sockets_of(guest):
            connection.guest = replace(connection.guest, name=name)
            for table in connection.tables.values():
                table.audience.changed()

    async def sign_out(self, guest: str, keep: str = "") -> None:
        """A guest's tokens are no longer valid, but for the one with the digest `keep`; nor its sockets."""
        self._disconnect(guest, keep)
        await self.store.write(_sign_out, guest, keep)

    def _disconnect(self, guest: str, keep: str) -> None:
        for connection in self._sockets_of(guest):
            if connection.session != keep:
                connection.close(Close.WHO)

    def turn(self, guest: str) -> asyncio.Lock:
        """For what a guest may do a limited number of times: one after the other, so that all are counted."""
        return self._turns.setdefault(guest, asyncio.Lock())

    # --- Bots -----------------------------------------------------------------------------------------

    async def think(self, bot: str, view: View) -> str:
        """A bot's decision. It thinks in a thread; one that fails or takes too long is replaced."""
        loop = asyncio.get_running_loop()
        with self.metrics.bot_seconds.labels(bot).time():
            try:
                work = loop.run_in_executor(self._thinkers, choose, bot, view)
                return await asyncio.wait_for(work, self.settings.bot_limit)
            except TimeoutError:
                self.log.warning("bot %s thought too long", bot)
            except Exception:
                self.log.exception("bot %s failed", bot)
        return str(view.legal_actions[0])


def chat_line(line: chat.Message) -> protocol.ChatLine:
    """A stored line of chat as it is told."""
    if line.text.startswith(PHRASE_MARK):
        return protocol.ChatLine(line.number, line.at, line.guest or "", line.name, phrase=line.text[1:])
    return protocol.ChatLine(line.number, line.at, line.guest or "", line.name, line.text)


# --- In the database --------------------------------------------------------------------------------------


def _create(tx: Tx, row: tables.TableRow, bodies: Sequence[str], server: str, lobby: bool) -> None:
    tables.create(tx, row, bodies)
    leases.take(tx, row.id, server, 0)
    if lobby:
        tx.notify("lobby")


def _append(
    tx: Tx,
    row: tables.TableRow,
    first: int,
    bodies: Sequence[str],
    finished: games.Finished | None,
    lobby: bool,
) -> bool:
    done = tables.append(tx, row, first, bodies, finished)
    if done and lobby:
        tx.notify("lobby")
    return done


def _arrive(tx: Tx, server: str, now: int, alone: bool) -> None:
    """A server starts. If nobody else can use the database, all who did are dead."""
    servers.delete_dead(tx, FOREVER if alone else now - DAY)
    servers.beat(tx, server, now)


def _beat(tx: Tx, server: str, now: int, dead: int) -> tuple[set[str], set[str], list[str]]:
    """Show that this server lives. Which servers do; which tables are ours; which are due and nobody's."""
    servers.beat(tx, server, now)
    return (
        servers.alive(tx, dead),
        leases.held_by(tx, server),
        leases.due(tx, now, dead, TAKEN_AT_ONCE),
    )


def _sign_out(tx: Tx, guest: str, keep: str) -> None:
    tx.notify(f"{SIGNED_OUT} {guest} {keep}")


def _release(tx: Tx, server: str, keys: Sequence[str]) -> None:
    leases.release(tx, server, keys)
    for key in keys:
        tx.notify(f"{key} {FREE}")


def _leave(tx: Tx, server: str) -> None:
    """A server stops. Whoever takes its tables sees by its name on them that they were left alone."""
    servers.leave(tx, server)
    tx.notify(FREE)
