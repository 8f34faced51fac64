"""What somebody missed of the present game: the entries that a viewer who connects has not received yet."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from lynxden.server.live.context import Context
from lynxden.server.live.jobs import Jobs
from lynxden.server.store import tables
from lynxden.server.table import entries, views
from lynxden.server.table.state import TableState

REPLAY_LIMIT = 10.0
"""Seconds in which what somebody missed must be replayed."""
RECENT = 6
"""Entries that are kept with the table after each: a viewer who missed no more than that is sent them at
once."""
SHORT = 16
"""So few entries are replayed at once; it takes less than a millisecond."""


class Replaying(Protocol):
    """What is needed of the server to replay a game."""

    @property
    def context(self) -> Context: ...

    @property
    def jobs(self) -> Jobs: ...

    @property
    def replaying(self) -> asyncio.Semaphore:
        """How many may have games replayed at the same time."""


class Missed(NamedTuple):
    """What a viewer missed."""

    last: int
    """Up to which entry."""
    happenings: bytes
    """As a JSON list."""


class History:
    """The last entries of one table; what is older is read from its log."""

    def __init__(self, server: Replaying) -> None:
        self._server = server
        self._recent: deque[tuple[entries.Entry, TableState]] = deque(maxlen=RECENT)
        """What has happened last, and the table after each."""
        self._entering = 0
        """How many viewers are about to watch the table."""
        self._meanwhile: list[tuple[entries.Entry, TableState]] = []
        """What has happened since the first of them began to."""

    def add(self, entry: entries.Entry, state: TableState) -> None:
        """One more entry, and the table after it."""
        self._recent.append((entry, state))
        if self._entering:
            self._meanwhile.append((entry, state))

    @contextmanager
    def entering(self) -> Iterator[None]:
        """As long as a viewer is about to watch the table, all that happens is kept for `complete`."""
        self._entering += 1
        try:
            yield
        finally:
            self._entering -= 1
            if not self._entering:
                self._meanwhile.clear()

    async def missed(self, state: TableState, seat: int | None, guest: str, seen: int) -> Missed:
        """What a guest missed of the present game so far, as this seat or a spectator may know it.

        If there were actions, the game is played again to know what came of them. That takes a while, so it
        is done in another process, and others may act meanwhile: `complete` adds that.
        """
        if not state.dealt or seen >= state.last:
            return Missed(state.last, b"[]")
        seen = max(seen, state.dealt - 1)
        if self._recent and self._recent[0][1].last <= seen + 1:
            recent = [
                views.happening_json(entry, after, seat) for entry, after in self._recent if after.last > seen
            ]
            return Missed(state.last, views.joined(recent))
        replay = state.position is not None and len(state.actions) > 0 and seen < state.changed
        first = state.dealt if replay else seen + 1
        log = await self._server.context.store.read_together(tables.logs, (state.id, first - 1))
        bodies = [body for number, body in log if number <= state.last]
        if not replay:
            return Missed(state.last, views.without_cards(first, bodies, seat))
        wanted = state.plan.game, state.playable.options, first, bodies, seen, seat
        if len(bodies) <= SHORT:
            return Missed(state.last, views.replayed(*wanted))
        async with self._server.replaying:
            happenings = await self._server.jobs.run(
                "missed", views.replayed, *wanted, owner=guest, limit=REPLAY_LIMIT
            )
        return Missed(state.last, happenings)

    def complete(self, missed: Missed, state: TableState, seat: int | None) -> bytes:
        """What was missed, and what has happened since that was found, as a JSON list."""
        found = [missed.happenings] if state.dealt <= missed.last else []
        found += [
            views.happening_json(entry, after, seat)
            for entry, after in self._meanwhile
            if after.last > missed.last and after.last >= state.dealt
        ]
        return views.joined(found)
