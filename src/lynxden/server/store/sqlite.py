"""SQLite: one file, one server. Every write waits for the disk, but waiting writes share one commit.

A second process, such as an administrator's command, may open the same file meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Concatenate

from lynxden.games.errors import LynxdenError
from lynxden.server.store.core import (
    END,
    Item,
    P,
    Row,
    Store,
    StoreConflict,
    StoreUnavailable,
    T,
    Tx,
    Value,
    touch,
)
from lynxden.server.store.gathering import PAUSE, Gathering, Job, share, together
from lynxden.server.store.migrations import migrate
from lynxden.server.store.modes import close_to_others, make_file

READERS = 2
BUSY_SECONDS = 10
"""How long to wait for another process that writes."""

_TROUBLE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_NOTADB,
}
"""Errors of the file or the disk; others are mistakes in a statement or broken constraints."""


class SqliteTx(Tx):
    """A transaction of SQLite. Only one writes at a time, so rows need no locks of their own."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._execute = db.execute

    def all(self, sql: str, *args: Value) -> list[Row]:
        return self._execute(sql, args).fetchall()

    def locked(self, sql: str, *args: Value) -> list[Row]:
        return self._execute(sql, args).fetchall()

    def run(self, sql: str, *args: Value) -> int:
        return self._execute(sql, args).rowcount

    def texts(self, sql: str, *args: Value) -> list[str]:
        # For every row that it returns, SQLite gives other threads a turn, and then waits for its own.
        found: str | None = self._execute(_joined(sql), args).fetchone()[0]
        return found.split(END) if found is not None else []

    def notify(self, *texts: str) -> None:
        """Does nothing: no other server uses this file."""


@lru_cache(maxsize=256)
def _joined(sql: str) -> str:
    return f"SELECT group_concat(line, char({ord(END)})) FROM ({sql})"  # noqa: S608 - our own statements


class SqliteStore(Store):
    """An open SQLite file: a thread that writes, two that read, and one that reads for many."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db: sqlite3.Connection
        self._loop = asyncio.get_running_loop()
        self._writer = Gathering("lynxden-write", self._write_together, PAUSE)
        self._reader = Gathering("lynxden-read-together", self._read_together)
        self._readers = ThreadPoolExecutor(READERS, "lynxden-read")
        self._reading = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._closed = False

    @classmethod
    async def open(cls, path: str) -> SqliteStore:
        """Open or create a file, and migrate it to this version."""
        store = cls(Path(path))
        try:
            db = await asyncio.to_thread(_prepare, store._path)
        except (sqlite3.Error, OSError) as error:
            store._readers.shutdown()
            raise LynxdenError(f"the database {path} cannot be opened: {error}") from error
        except BaseException:
            store._readers.shutdown()
            raise
        store._db = db
        store._writer.start()
        store._reader.start()
        return store

    async def read(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        self._check_open()
        return await self._loop.run_in_executor(self._readers, self._read, partial(_call, fn, args, kwargs))

    async def write(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        self._check_open()
        result: T = await self._writer.add((_each_alone, partial(_call, fn, args, kwargs)))
        return result

    async def read_together(self, fn: Callable[[Tx, Sequence[Item]], Sequence[T]], item: Item) -> T:
        self._check_open()
        result: T = await self._reader.add((fn, item))
        return result

    async def write_together(self, fn: Callable[[Tx, Sequence[Item]], Sequence[T]], item: Item) -> T:
        self._check_open()
        result: T = await self._writer.add((fn, item))
        return result

    async def listen(self, callback: Callable[[str], None]) -> None:  # noqa: ARG002
        self._check_open()

    async def check(self) -> None:
        await self.write(touch)

    @property
    def closed(self) -> bool:
        return self._closed

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        await asyncio.to_thread(self._finish)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreUnavailable("the database is closed")

    def _finish(self) -> None:
        self._writer.finish()
        self._reader.finish()
        self._readers.shutdown()
        for db in self._connections:
            db.close()
        self._db.close()  # the last connection removes the second file

    def _read(self, fn: Callable[[Tx], T]) -> T:
        try:
            db: sqlite3.Connection | None = getattr(self._reading, "db", None)
            if db is None:
                db = _connect(self._path)
                db.execute("PRAGMA query_only = ON")
                self._reading.db = db
                self._connections.append(db)
            db.execute("BEGIN")
            try:
                return fn(SqliteTx(db))
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise _raised(error) from None

    def _read_together(self, jobs: list[Job]) -> None:
        try:
            self._read(lambda tx: _do_all(tx, jobs))
        except BaseException:  # each alone finds out whose error it is
            for job in jobs:
                fn, item = job.work
                try:
                    job.result = self._read(partial(_alone, fn, item))
                except BaseException as error:
                    job.error = error

    def _write_together(self, jobs: list[Job]) -> None:
        db = self._db
        tx = SqliteTx(db)
        try:
            db.execute("BEGIN IMMEDIATE")
            if not self._all_succeed(tx, jobs):
                if db.in_transaction:
                    db.execute("ROLLBACK")
                db.execute("BEGIN IMMEDIATE")
                for job in jobs:
                    self._attempt(tx, job)
            db.execute("COMMIT")
        except BaseException as error:  # nothing is kept; each caller gets the error, and the thread goes on
            with contextlib.suppress(sqlite3.Error):
                if db.in_transaction:
                    db.execute("ROLLBACK")
            for job in jobs:
                if job.error is None:
                    job.error = StoreUnavailable(f"the database did not keep this: {error}")
                    job.error.__cause__ = error

    def _all_succeed(self, tx: Tx, jobs: list[Job]) -> bool:
        """Nearly always. Then no savepoints are needed: after each statement, this thread waits its turn."""
        try:
            _do_all(tx, jobs)
        except BaseException:  # which is raised when it is tried again
            return False
        return True

    def _attempt(self, tx: Tx, job: Job) -> None:
        """One of several writes; if it fails, those of the others stay."""
        db = self._db
        db.execute("SAVEPOINT job")
        fn, item = job.work
        try:
            job.result = fn(tx, [item])[0]
        except BaseException as error:
            job.error = _raised(error)
            if not db.in_transaction:  # after a full disk and the like, SQLite rolls everything back
                raise
            db.execute("ROLLBACK TO job")
        db.execute("RELEASE job")


def _do_all(tx: Tx, jobs: list[Job]) -> None:
    """What waits, with one call for each kind."""
    for fn, group in together(jobs).items():
        share(group, fn(tx, [job.work[1] for job in group]))


def _alone(fn: Callable[[Tx, Sequence[Item]], Sequence[T]], item: Item, tx: Tx) -> T:
    return fn(tx, [item])[0]


def _each_alone(tx: Tx, works: Sequence[Callable[[Tx], Any]]) -> list[Any]:
    return [work(tx) for work in works]


def _call(fn: Callable[..., T], args: tuple[Any, ...], kwargs: dict[str, Any], tx: Tx) -> T:
    return fn(tx, *args, **kwargs)


def _raised(error: BaseException) -> BaseException:
    """The error for the caller, the same for every database."""
    raised = error
    if isinstance(error, sqlite3.IntegrityError):
        raised = StoreConflict(str(error))
    elif isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) & 0xFF in _TROUBLE:
        raised = StoreUnavailable(f"the database has trouble: {error}")
    if raised is not error:
        raised.__cause__ = error
    return raised


def _connect(path: Path) -> sqlite3.Connection:
    # Closed by another thread than the one that uses it; transactions are begun by hand.
    db = sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=256
    )
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("PRAGMA synchronous = FULL")
    return db


def _prepare(path: Path) -> sqlite3.Connection:
    if not path.parent.is_dir():
        raise LynxdenError(f"the database {path} cannot be made: there is no folder {path.parent}")
    make_file(path)
    db = _connect(path)
    try:
        _use_wal(db)
        db.execute("BEGIN IMMEDIATE")
        migrate(SqliteTx(db), int(time.time() * 1000))
        db.execute("COMMIT")
        close_to_others(path)
    except BaseException:
        db.close()
        raise
    return db


def _use_wal(db: sqlite3.Connection) -> None:
    """Readers do not wait for writers, nor writers for readers. The mode is stored in the file."""
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:  # another process does the same; here SQLite does not wait by itself
            if time.monotonic() > end:
                raise
            time.sleep(0.02)
