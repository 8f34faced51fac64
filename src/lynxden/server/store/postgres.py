"""PostgreSQL: several servers on one database, which notify each other of what they wrote."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from typing import Any, Concatenate

import psycopg
from psycopg import Connection, IsolationLevel
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus

from lynxden.games.errors import LynxdenError
from lynxden.server.errors import without_frames
from lynxden.server.store.core import (
    Item,
    P,
    Row,
    Statement,
    Store,
    StoreConflict,
    StoreUnavailable,
    T,
    Tx,
    Unreachable,
    Value,
    touch,
)
from lynxden.server.store.gathering import PAUSE, Gathering, Job, share, together
from lynxden.server.store.migrations import migrate

THREADS = 8
CHANNEL = "lynxden"
ROOM = 7999
"""Bytes in one notification."""
ATTEMPTS = 4
"""How often a transaction is tried that conflicts with others."""
_LOCK = 0x6C796E78
"""Held by the server that migrates the database."""
_DEFAULTS: dict[str, Any] = {
    "connect_timeout": 5,
    "application_name": "lynxden",
    # A database or a network that fails silently is noticed within half a minute.
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
_SETTINGS = (
    "SELECT set_config('statement_timeout', '15s', false), "
    "set_config('idle_in_transaction_session_timeout', '30s', false)"
)


class PostgresTx(Tx):
    """A transaction of PostgreSQL."""

    for_update = " FOR UPDATE"

    def __init__(self, db: Connection[Row]) -> None:
        self._db = db
        self._notes: list[str] = []

    def all(self, sql: str, *args: Value) -> list[Row]:
        return self._db.execute(_translated(sql), args).fetchall()

    def locked(self, sql: str, *args: Value) -> list[Row]:
        return self._db.execute(_translated(sql + " FOR UPDATE"), args).fetchall()

    def run(self, sql: str, *args: Value) -> int:
        return self._db.execute(_translated(sql), args).rowcount

    def run_all(self, *statements: Statement) -> list[int]:
        with self._db.pipeline():
            done = [self._db.execute(_translated(sql), args) for sql, args in statements]
        return [cursor.rowcount for cursor in done]

    def now(self) -> int:
        found = self._db.execute("SELECT extract(epoch FROM clock_timestamp()) * 1000").fetchone()
        assert found is not None
        return int(found[0])

    def notify(self, *texts: str) -> None:
        self._notes += texts

    def keep(self) -> None:
        """Commit, with what is to be notified."""
        if not self._notes:
            self._db.commit()
            return
        with self._db.pipeline():
            self._send_all()
            self._db.commit()

    def _send_all(self) -> None:
        lines: list[str] = []
        room = ROOM
        for text in self._notes:
            size = len(text.encode()) + 1
            if size > room and lines:
                self._send(lines)
                lines, room = [], ROOM
            lines.append(text)
            room -= size
        if lines:
            self._send(lines)

    def _send(self, lines: Sequence[str]) -> None:
        self._db.execute("SELECT pg_notify(%s, %s)", (CHANNEL, "\n".join(lines)))


@lru_cache(maxsize=512)
def _translated(sql: str) -> str:
    return sql.replace("?", "%s")


class PostgresStore(Store):
    """An open PostgreSQL database: threads with a connection each, and one that listens."""

    def __init__(self, conninfo: str, threads: int = THREADS) -> None:
        self._conninfo = conninfo
        self._loop = asyncio.get_running_loop()
        self._pool = ThreadPoolExecutor(threads, "lynxden-postgres")
        self._mine = threading.local()
        self._connections: set[Connection[Row]] = set()
        self._listener: _Listener | None = None
        self._gathering = Gathering("lynxden-gather", self._write_together, PAUSE)
        self._gathering.start()
        self._reading = Gathering("lynxden-gather-reads", self._read_together)
        self._reading.start()
        self._closed = False

    @classmethod
    async def open(cls, url: str) -> PostgresStore:
        """Open a database, and migrate it to this version."""
        try:
            known = conninfo_to_dict(url)
        except psycopg.ProgrammingError:  # its text may hold the password
            raise LynxdenError(
                "the database's address cannot be read; it looks like postgresql://user:password@host:5432/name"
            ) from None
        store = cls(make_conninfo("", **{**_DEFAULTS, **known}))
        try:
            await store._run(migrate, (int(time.time() * 1000),), {}, first=_alone)
        except StoreUnavailable as error:
            await store.close()
            raise Unreachable(_without_password(str(error), known)) from None
        except BaseException:
            await store.close()
            raise
        return store

    async def read(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._run(fn, args, kwargs, reads=True)

    async def read_together(self, fn: Callable[[Tx, Sequence[Item]], Sequence[T]], item: Item) -> T:
        self._check_open()
        result: T = await self._reading.add((fn, item))
        return result

    async def write(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._run(fn, args, kwargs)

    async def write_together(self, fn: Callable[[Tx, Sequence[Item]], Sequence[T]], item: Item) -> T:
        self._check_open()
        result: T = await self._gathering.add((fn, item))
        return result

    def _write_together(self, jobs: list[Job]) -> None:
        """One round of the gathering thread: a transaction for all items of a function."""
        for fn, group in together(jobs).items():
            try:
                if self._listener is not None:
                    self._listener.ignore(self._connection().info.backend_pid)
            except BaseException as error:
                for job in group:
                    job.error = error
                continue
            self._do_group(fn, group, False)

    def _read_together(self, jobs: list[Job]) -> None:
        for fn, group in together(jobs).items():
            self._do_group(fn, group, True)

    def _do_group(self, fn: Callable[..., Any], group: list[Job], reads: bool) -> None:
        """All items in one transaction; if it fails, each alone, unless that would fail as well."""
        try:
            share(group, self._work(fn, ([job.work[1] for job in group],), {}, reads, None))
        except BaseException as error:
            if len(group) == 1 or isinstance(error, StoreUnavailable):
                for job in group:
                    job.error = error
                return
            for job in group:
                self._do_group(fn, [job], reads)

    async def listen(self, callback: Callable[[str], None]) -> None:
        self._check_open()
        if self._listener is not None:
            raise RuntimeError("somebody listens already")
        listener = _Listener(self._conninfo, self._loop, callback)
        self._listener = listener
        try:
            await asyncio.to_thread(listener.start)
        except BaseException:
            self._listener = None
            raise

    async def check(self) -> None:
        await self.write(touch)

    @property
    def closed(self) -> bool:
        return self._closed

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await asyncio.to_thread(self._finish)

    def _finish(self) -> None:
        self._gathering.finish()
        self._reading.finish()
        self._pool.shutdown()
        if self._listener is not None:
            self._listener.stop()
        for db in self._connections:
            db.close()

    def _check_open(self) -> None:
        if self._closed:
            raise StoreUnavailable("the database is closed")

    async def _run(
        self,
        fn: Callable[..., T],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        reads: bool = False,
        first: Callable[[Tx], None] | None = None,
    ) -> T:
        self._check_open()
        work = partial(self._work, fn, args, kwargs, reads, first)
        return await self._loop.run_in_executor(self._pool, work)

    def _work(
        self,
        fn: Callable[..., T],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        reads: bool,
        first: Callable[[Tx], None] | None,
    ) -> T:
        """Run a function in a transaction; again, if it was rolled back because of others."""
        for attempt in range(1, ATTEMPTS + 1):
            db = self._connection()
            try:
                # Reads see one moment; writes are checked by locks and numbers of entries.
                db.read_only = reads
                db.isolation_level = (
                    IsolationLevel.REPEATABLE_READ if reads else IsolationLevel.READ_COMMITTED
                )
                tx = PostgresTx(db)
                if first is not None:
                    first(tx)
                result = fn(tx, *args, **kwargs)
            except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure) as error:
                self._undo(db)
                if attempt == ATTEMPTS:
                    raise _unavailable("others write the same", error) from error
            except psycopg.OperationalError as error:
                lost = _lost(db, error)
                self._undo(db, lost)
                # A connection may break while it is idle, so one failure is tried again.
                if not lost or attempt > 1:
                    raise _unavailable("the database has trouble", error) from error
            except psycopg.IntegrityError as error:
                self._undo(db)
                raise StoreConflict(_line(error)) from without_frames(error)
            except BaseException:
                self._undo(db)
                raise
            else:
                if reads:
                    self._undo(db)
                else:
                    self._keep(db, tx)
                return result
        raise AssertionError("the last attempt returns or raises")

    def _keep(self, db: Connection[Row], tx: PostgresTx) -> None:
        if db.info.transaction_status == TransactionStatus.INERROR:  # a commit would roll back silently
            self._undo(db)
            raise StoreUnavailable("a statement failed, so nothing was kept")
        try:
            tx.keep()
        except psycopg.Error as error:
            lost = _lost(db, error)
            self._undo(db, lost)
            fate = "nobody knows whether this was kept" if lost else "this was not kept"
            raise _unavailable(fate, error) from error

    def _connection(self) -> Connection[Row]:
        """The connection of the present thread."""
        db: Connection[Row] | None = getattr(self._mine, "db", None)
        if db is None:
            db = _connect(self._conninfo)
            self._mine.db = db
            self._connections.add(db)
        return db

    def _undo(self, db: Connection[Row], lost: bool = False) -> None:
        """Roll a transaction back; a lost connection is dropped, and replaced when it is needed."""
        if not lost:
            try:
                db.rollback()
            except psycopg.Error:
                lost = True
        if lost or db.closed:
            self._mine.db = None
            self._connections.discard(db)
            with contextlib.suppress(psycopg.Error):
                db.close()


class _Listener:
    """Receives notifications, in a thread and over a connection of its own."""

    def __init__(
        self, conninfo: str, loop: asyncio.AbstractEventLoop, callback: Callable[[str], None]
    ) -> None:
        self._conninfo = conninfo
        self._loop = loop
        self._callback = callback
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="lynxden-listen", daemon=True)
        self._db: Connection[Row] | None = None
        self._ignored = 0

    def ignore(self, backend: int) -> None:
        """Notifications of this connection, and of none before it, are not to be received."""
        self._ignored = backend

    def start(self) -> None:
        """Return when notifications from now on will be received."""
        self._db = self._connect()
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _connect(self) -> Connection[Row]:
        db = _connect(self._conninfo)
        try:
            db.autocommit = True
            db.execute("LISTEN " + CHANNEL)
        except psycopg.Error as error:
            db.close()
            raise _unavailable("the database has trouble", error) from error
        return db

    def _listen(self) -> None:
        while not self._stopped.is_set():
            try:
                if self._db is None:
                    self._db = self._connect()
                    self._pass_on("")
                for received in self._db.notifies(timeout=0.2):  # checks so often whether to stop
                    if received.pid != self._ignored:
                        self._pass_on(*received.payload.split("\n"))
            except (psycopg.Error, StoreUnavailable):
                self._drop()
                self._stopped.wait(0.5)
        self._drop()

    def _drop(self) -> None:
        if self._db is not None:
            with contextlib.suppress(psycopg.Error):
                self._db.close()
            self._db = None

    def _pass_on(self, *texts: str) -> None:
        with contextlib.suppress(RuntimeError):  # the event loop has ended
            self._loop.call_soon_threadsafe(self._call_back, texts)

    def _call_back(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._callback(text)


def _connect(conninfo: str) -> Connection[Row]:
    try:
        db = psycopg.connect(conninfo)
        try:
            db.execute(_SETTINGS)
            db.commit()
        except BaseException:
            db.close()
            raise
        return db
    except psycopg.Error as error:
        raise _unavailable("the database cannot be reached", error) from error


def _alone(tx: Tx) -> None:
    """Wait, without a limit, until no other server migrates the database."""
    tx.all("SELECT set_config('statement_timeout', '0', true)")
    tx.all("SELECT pg_advisory_xact_lock(?)", _LOCK)


def _lost(db: Connection[Row], error: psycopg.Error) -> bool:
    """Whether the connection is lost, or about to be because the database shuts down."""
    return db.closed or error.sqlstate is None or error.diag.severity_nonlocalized in ("FATAL", "PANIC")


def _unavailable(what: str, error: psycopg.Error) -> StoreUnavailable:
    without_frames(error)
    return StoreUnavailable(f"{what}: {_line(error)}")


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _without_password(text: str, known: dict[str, Any]) -> str:
    password = known.get("password")
    return text.replace(str(password), "…") if password else text
