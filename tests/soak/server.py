"""`lynxden serve` with a wall clock that somebody else can set: `python -m tests.soak.server serve …`.

The variable SOAK_CLOCK names a file of eight bytes: by how many milliseconds the clock is wrong.
"""

from __future__ import annotations

import mmap
import os
import struct
from pathlib import Path

from lynxden.cli import main
from lynxden.server.live.clock import Clock

OFFSET = struct.Struct("<q")


class WrongClock:
    """A clock's error, shared by processes through a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.exists():
            path.write_bytes(OFFSET.pack(0))
        with path.open("r+b") as file:
            self._shared = mmap.mmap(file.fileno(), OFFSET.size)

    @property
    def milliseconds(self) -> int:
        found: int = OFFSET.unpack(self._shared[: OFFSET.size])[0]
        return found

    @milliseconds.setter
    def milliseconds(self, value: int) -> None:
        self._shared[: OFFSET.size] = OFFSET.pack(value)


if __name__ == "__main__":
    wrong = WrongClock(Path(os.environ["SOAK_CLOCK"]))
    right = Clock.now
    Clock.now = lambda self: right(self) + wrong.milliseconds  # type: ignore[method-assign]
    main()
