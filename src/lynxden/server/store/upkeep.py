"""For administrators: copies of a database, its version, and its size."""

import sqlite3
from contextlib import closing
from pathlib import Path

from lynxden.games.errors import LynxdenError
from lynxden.server.store.core import Tx, sqlite_path
from lynxden.server.store.migrations import MIGRATIONS
from lynxden.server.store.modes import make_file

TABLES = (
    "guests",
    "sessions",
    "links",
    "mutes",
    "tables",
    "seats",
    "entries",
    "chat",
    "games",
    "players",
    "ratings",
    "servers",
    "bans",
    "reports",
    "switches",
    "deleted_games",
    "push_subscriptions",
    "keys",
)
"""Every table but `migrations`."""


def backup_sqlite(path: str | Path, to: str | Path) -> None:
    """Copy an SQLite database as of one moment, while a server may be using it.

    (PostgreSQL has `pg_dump` for this.)
    """
    source, target = Path(path), Path(to)
    if not source.is_file():
        raise LynxdenError(f"there is no database {source}")
    if target.exists():
        raise LynxdenError(f"{target} exists already; a backup overwrites nothing")
    if not target.parent.is_dir():
        raise LynxdenError(f"there is no folder {target.parent}")
    part = target.with_name(target.name + ".part")  # an unfinished copy never looks like a backup
    part.unlink(missing_ok=True)
    try:
        make_file(part)
        with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(part)) as new:
            old.backup(new)
            new.execute("PRAGMA journal_mode = DELETE")  # all in one file
        part.rename(target)
    except (sqlite3.Error, OSError) as error:
        raise LynxdenError(f"the database {source} cannot be copied: {error}") from error
    finally:
        part.unlink(missing_ok=True)


def check_current(url: str) -> None:
    """Refuse a database that does not exist, is empty, or was written by another version.

    A server migrates its database to its own version when it starts; an administrator's command never does.
    """
    path = sqlite_path(url)
    applied = _steps_of_file(Path(path)) if path is not None else _steps_of_postgres(url)
    known = {name for name, _ in MIGRATIONS}
    if not applied:
        raise LynxdenError("this database is empty: no server has used it yet")
    if applied - known:
        raise LynxdenError("this database was written by a newer version of Lynxden; use that version")
    if known - applied:
        raise LynxdenError(
            "this database was written by an older version of Lynxden; start the server of this version once"
        )


_STEPS = "SELECT name FROM migrations"


def _steps_of_file(path: Path) -> set[str]:
    if not path.is_file():
        raise LynxdenError(f"there is no database {path}: say with --data where the server keeps it")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'migrations'").fetchall():
                return set()
            return {name for (name,) in db.execute(_STEPS)}
    except sqlite3.Error as error:
        raise LynxdenError(f"the database {path} cannot be read: {error}") from error


def _steps_of_postgres(url: str) -> set[str]:
    try:
        import psycopg
    except ImportError as error:
        raise LynxdenError("PostgreSQL needs a further package: pip install 'lynxden[postgres]'") from error
    try:
        with psycopg.connect(url, connect_timeout=5) as db:
            return {name for (name,) in db.execute(_STEPS)}
    except psycopg.errors.UndefinedTable:
        return set()
    except psycopg.Error:  # its text may hold the password
        raise LynxdenError("the database cannot be reached, or its address is wrong") from None


def row_counts(tx: Tx) -> dict[str, int]:
    """How many rows each table of the database has."""
    counts = " UNION ALL ".join(f"SELECT '{name}', count(*) FROM {name}" for name in TABLES)  # noqa: S608
    return dict(tx.all(counts))
