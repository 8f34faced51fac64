"""Who may read the files of a database: its owner alone. They hold hidden cards, chat and names."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

FOLDER = 0o700
FILE = 0o600
OTHERS = 0o007


def make_folder(folder: Path) -> None:
    """A folder for a database, unless it is there already."""
    folder.mkdir(FOLDER, parents=True, exist_ok=True)


def make_file(path: Path) -> None:
    """An empty file, unless it is there already; SQLite takes it for a new database.

    The files that SQLite makes beside it have the same mode.
    """
    # A file that is there is never opened: to close it again would drop the locks of this process on it.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE))


def close_to_others(path: Path) -> None:
    """Take a database that is there already, with the files beside it, away from all other users.

    What its group may do stays: an operator may have chosen that.
    """
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        with suppress(OSError):  # it is not there, or not ours
            file = path.with_name(name)
            mode = file.stat().st_mode & 0o777
            if mode & OTHERS:
                file.chmod(mode & ~OTHERS)
