"""What every database offers, and how to open one."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Concatenate, ParamSpec, TypeVar

from lynxden.games.errors import LynxdenError

P = ParamSpec("P")
T = TypeVar("T")
Value = str | int | float | None
Row = tuple[Any, ...]


class StoreUnavailable(Exception):
    """The database cannot be reached, or did not tell whether it kept a write: read anew what it holds."""


class StoreConflict(Exception):
    """A write that does not go with what is kept: an id that exists already, a guest who is gone."""


class Tx(ABC):
    """A transaction. Statements use `?` for values; neither `?` nor `%` may stand in them otherwise."""

    @abstractmethod
    def all(self, sql: str, *args: Value) -> list[Row]:
        """Every row that a query finds."""

    @abstractmethod
    def locked(self, sql: str, *args: Value) -> list[Row]:
        """The same, and nobody else changes these rows before this transaction ends."""

    @abstractmethod
    def run(self, sql: str, *args: Value) -> int:
        """Carries out a statement, and tells how many rows it changed."""

    @abstractmethod
    def notify(self, text: str) -> None:
        """Tells every server on this database, once the transaction is kept."""

    def one(self, sql: str, *args: Value) -> Row | None:
        """The first row that a query finds."""
        rows = self.all(sql, *args)
        return rows[0] if rows else None


class Store(ABC):
    """An open database. Functions of a transaction run in threads of the store, never on the event loop.

    A function may be run a second time after its first attempt was undone, so it changes nothing but the
    database.
    """

    @abstractmethod
    async def read(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a function that only reads finds: one moment's state of all that is kept."""

    @abstractmethod
    async def write(self, fn: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a function tells; what it wrote is durable by then. If it raises, nothing it wrote is kept."""

    @abstractmethod
    async def listen(self, callback: Callable[[str], None]) -> None:
        """From now on, calls back on the event loop with every text notified, by this server too.

        An empty text means: the connection was lost for a while, some may have been missed. In SQLite, which
        serves one server, there is nobody to hear from.
        """

    @abstractmethod
    async def check(self) -> None:
        """Raises `StoreUnavailable` if the database does not answer."""

    @abstractmethod
    async def close(self) -> None:
        """Finishes what was asked for, and lets go of the database."""


def answers(tx: Tx) -> None:
    """A query that any healthy database can answer."""
    tx.all("SELECT 1")


@lru_cache(maxsize=256)
def each(sql: str, count: int, width: int = 1) -> str:
    """A statement with `(*)` in the place of a list of values, or of rows of a width, made for that many."""
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
    """Opens a database, and brings it to this version: `sqlite:///PATH`, a path, or `postgresql://…`.

    As elsewhere, `sqlite:///lynxden.db` lies in the current folder, `sqlite:////srv/lynxden.db` in `/srv`.
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
