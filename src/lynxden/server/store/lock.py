"""One server for one SQLite file: a lock file beside it, held as long as the process lives."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lynxden.games.errors import LynxdenError

SUFFIX = ".lock"
FAR = 1 << 30
"""Windows keeps others from reading what is locked, so it locks a byte beyond all that is written."""


@contextmanager
def only_server(path: str | Path) -> Iterator[None]:
    """Be the only server on a database's file; `LynxdenError` if another one is.

    The system gives the lock back when the process ends, however it ends. The file stays, empty of meaning:
    to delete it while another server is about to lock it would let both in. Administrators' commands do not
    ask for it.
    """
    database = Path(path).resolve()
    file = database.with_name(database.name + SUFFIX)
    try:
        handle = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError as error:
        raise LynxdenError(f"the file {file} cannot be opened: {error.strerror}") from error
    try:
        _lock(handle, database, file)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, database: Path, file: Path) -> None:
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(handle, FAR, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError) as error:
        raise LynxdenError(
            f"another server uses the database {database} already (it holds {file}): "
            "stop it, or choose another folder with --data; several servers at once need PostgreSQL"
        ) from error
    except OSError as error:
        raise LynxdenError(f"the file {file} cannot be locked: {error.strerror}") from error
