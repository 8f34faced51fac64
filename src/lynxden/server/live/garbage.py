"""Garbage collection in small steps, so that Python itself never holds up the event loop for long.

Nearly everything here is freed by counting references: closed sockets, tables that were put away
(`bench/load.py --finished` shows it) and errors leave no cycles. What remains is to look for the odd cycle
among what is new. Python would also look through everything that is old, a third of a second with 1,000
tables and 1,400 sockets. Here instead what has been looked through once is set aside (`gc.freeze`), and is
freed as before when nothing refers to it.

Only cycles among objects that were set aside stay, until the process has grown so much that a full search
is worth its time. So whatever waits for an answer, as a socket does for the database, must not be part of a
cycle when it ends, least of all by an error: an error refers to the frames that it came through, these to
the connection and the table, and a frame often to the error. `tests/server/test_garbage.py` makes sure.
"""

from __future__ import annotations

import asyncio
import gc
import os
from pathlib import Path

STEP = 0.25
"""Seconds between two searches through what is new."""
PAUSE = 3600.0
"""Seconds at least between two full searches."""
GROWTH = 1.5
"""Memory, compared to that after the last full search, from which on another is made."""
NEVER = 1_000_000_000


class Garbage:
    """Looks through new objects now and then, as long as the event loop runs."""

    def __init__(self) -> None:
        # What is new is looked at often, so that there is little of it: a millisecond each time, three for
        # what was new a while ago. (Python counts what was made less what was freed. Games free as much as
        # they make, so the new objects are many times more than the number here: with 1,000 it takes 6 and
        # 40 ms.)
        gc.set_threshold(200, 3, NEVER)
        gc.collect()
        gc.freeze()
        self._loop = asyncio.get_running_loop()
        self._searched_at = self._loop.time()
        self._memory = memory()
        self._timer = self._loop.call_later(STEP, self._step)

    def _step(self) -> None:
        gc.collect()
        gc.freeze()
        if self._loop.time() - self._searched_at > PAUSE and memory() > GROWTH * self._memory:
            self._search_all()
        self._timer = self._loop.call_later(STEP, self._step)

    def _search_all(self) -> None:
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._searched_at, self._memory = self._loop.time(), memory()

    def stop(self) -> None:
        self._timer.cancel()


def memory() -> int:
    """Bytes that this process has in memory; 0 where the system does not say, as elsewhere than on Linux."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
