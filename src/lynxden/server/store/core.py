"""The interface of every database, and how to open one."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Concatenate, ParamSpec, TypeVar
from uuid import uuid4

from lynxden.games.errors import LynxdenError

P = ParamSpec("P")
T = TypeVar("T")
Item = TypeVar("Item")
Value = str | int | float | None
Row = tuple[Any, ...]


Statement = tuple[str, Sequence[Value]]
"""What is executed, and its values."""
END = "\x1e"
"""The ASCII character that separates records. No JSON has it."""


class StoreUnavailable(Exception):
    """The database cannot be reached, or did not confirm a write: read again what it holds."""


class Unreachable(LynxdenError):
    """A database cannot be opened now; perhaps it can in a moment."""


class StoreConflict(Exception):
    """A write that contradicts what is stored: an id that exists already, a guest who was deleted."""


class Tx(ABC):
    """A transaction. Statements use `?` for values, and neither `?` nor `%` for anything else."""

    for_update = ""
    """At the end of a query: what locks the rows that it finds, where that is needed."""

    @abstractmethod
    def all(self, sql: str, *args: Value) -> list[Row]:
        """Every row that a query finds."""

    @abstractmethod
    def locked(self, sql: str, *args: Value) -> list[Row]:
        """The same, with these rows locked until the transaction ends."""

    @abstractmethod
    def run(self, sql: str, *args: Value) -> int:
        """Execute a statement; how many rows it changed."""

    def run_all(self, *statements: Statement) -> list[int]:
        """Execute statements that do not depend on each other's results; how many rows each changed."""
        return [self.run(sql, *args) for sql, args in statements]

    def texts(self, sql: str, *args: Value) -> list[str]:
        """The texts that a query finds in its one column, called `line`; none holds the character `END`.

        Quicker than `all` where there are many: threads change once, not for every row.
        """
        return [text for (text,) in self.all(sql, *args)]

    @abstractmethod
    def notify(self, *texts: str) -> None:
        """Send lines of text to every server on this database, once the transaction is committed."""

    def now(self) -> int | None:
        """The wall time of the database, in milliseconds since 1970; None if it is this machine's."""
        return None

    def one(self, sql: str, *args: Value) -> Row | None:
        """The first row that a query finds."""
        rows = self.all(sql, *args)
        return rows[0] if rows else None


class Store(ABC):
    """An open database. Functions of a transaction run in threads of the store, never on the event loop.

    A function may be run again after its first attempt was rolled back, so it must change nothing but the
    database.
    """

    @abstractmethod
    async def read(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of a function that only reads; it sees the database as of one moment."""

    @abstractmethod
    async def read_together(self, fn: Callable[[Tx, Sequence[Item]], Sequence[T]], item: Item) -> T:
        """The same for a function of many items, which returns a result for each.

        Items that wait at the same moment are read by one call. It is for what many ask for at once, and
        what is found quickly.
        """

    @abstractmethod
    async def write(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of a function; what it wrote is durable by then. If it raises, nothing is written."""

    @abstractmethod
    async def write_together(self, fn: Callable[[Tx, Sequence[Item]], Sequence[T]], item: Item) -> T:
        """The same for a function of many items, which returns a result for each.

        Items that wait at the same moment are written by one call, in one transaction. If it raises, each is
        tried alone, so that one bad item does not keep the others from being written.
        """

    @abstractmethod
    async def listen(self, callback: Callable[[str], None]) -> None:
        """Call back on the event loop with every text notified from now on.

        That is also what this server notifies, except in `write_together`. An empty text means that the
        connection was lost for a while: some may have been missed. SQLite serves one server and never calls
        back.
        """

    @abstractmethod
    async def check(self) -> None:
        """Raise `StoreUnavailable` if the database does not keep what is written."""

    @property
    @abstractmethod
    def closed(self) -> bool:
        """Whether `close` was called."""

    @abstractmethod
    async def close(self) -> None:
        """Finish what was asked for, and close the database."""


def touch(tx: Tx) -> None:
    """Write something, and take it back: a full disk answers queries, but does not keep this.

    (To SQLite, an update that leaves a row as it was is nothing to be written.)
    """
    nobody = uuid4().hex
    tx.run("INSERT INTO servers (id, beat) VALUES (?, 0)", nobody)
    tx.run("DELETE FROM servers WHERE id = ?", nobody)


@lru_cache(maxsize=256)
def each(sql: str, count: int, width: int = 1) -> str:
    """A statement whose `(*)` is replaced by that many values, or rows of so many values."""
    row = ", ".join("?" * width)
    many = ", ".join([row] * count) if width == 1 else "), (".join([row] * count)
    return sql.replace("(*)", f"({many})")


def sqlite_path(url: str) -> str | None:
    """The file of an SQLite database's address; None if it is another kind of database."""
    found = re.match(r"([a-z][a-z0-9+.-]*)://", url)
    scheme = found[1] if found else "sqlite"
    if scheme in ("postgresql", "postgres"):
        return None
    if scheme != "sqlite":
        raise LynxdenError(f"databases are sqlite:///PATH or postgresql://…, not {scheme}://…")
    path = url[found.end() :].removeprefix("/") if found else url
    if not path or ":memory:" in path:
        raise LynxdenError("a database needs a file, such as sqlite:///lynxden.db")
    return path


async def open_store(url: str) -> Store:
    """Open a database, and migrate it to this version: `sqlite:///PATH`, a path, or `postgresql://…`.

    As elsewhere, `sqlite:///lynxden.db` is in the current folder, `sqlite:////srv/lynxden.db` in `/srv`.
    """
    path = sqlite_path(url)
    if path is not None:
        from lynxden.server.store.sqlite import SqliteStore

        return await SqliteStore.open(path)
    try:
        from lynxden.server.store.postgres import PostgresStore
    except ImportError as error:
        raise LynxdenError("PostgreSQL needs a further package: pip install 'lynxden[postgres]'") from error
    return await PostgresStore.open(url)
