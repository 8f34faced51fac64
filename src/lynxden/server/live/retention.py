"""Deletes what is older than the settings allow: a little at a time, never at a table in use."""

from __future__ import annotations

from collections.abc import Callable

from lynxden.server.live.context import Context
from lynxden.server.store import bans, games, guests, reports, tables
from lynxden.server.store.core import Tx

FIRST, EVERY = 60.0, 3600.0
"""Seconds from the start to the first look, and from one look to the next."""
AT_ONCE = 100
"""Rows that are deleted in one transaction."""
PAUSE = 0.5
"""Seconds from one transaction to the next, for everybody else."""
DAY = 86_400_000

Delete = Callable[[Tx, int, int], int]
"""Deletes at most so many things that are older than a moment; how many there were."""


class Retention:
    """The periodic job of one server. Several may do it on one database; each finds what the others left."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def start(self) -> None:
        self._context.tasks.spawn(self._live())

    async def _live(self) -> None:
        tasks = self._context.tasks
        wait = FIRST
        while await tasks.pause(wait):
            try:
                await self.run()
            except Exception as error:
                self._context.troubles.note("deleting what is old failed", error)
            wait = EVERY

    async def run(self) -> dict[str, int]:
        """Delete everything that is too old; how many of each kind."""
        settings, context = self._context.settings, self._context
        chosen: tuple[tuple[str, float, Delete], ...] = (
            ("tables", settings.keep_tables, tables.delete_old),
            ("imports", settings.keep_imports, games.delete_old_imports),
            ("guests", settings.keep_guests, guests.delete_strangers),
            ("reports", settings.keep_reports, reports.delete_old),
        )
        found = {}
        for what, days, delete in chosen:
            if days:
                found[what] = await self._delete(what, delete, context.now() - round(days * DAY))
        await context.store.write(bans.delete_past, context.now())
        gone = {what: count for what, count in found.items() if count}
        if gone:
            context.log.info(
                "deleted because of age: %s", ", ".join(f"{n} {what}" for what, n in gone.items())
            )
        return found

    async def _delete(self, what: str, delete: Delete, before: int) -> int:
        total = 0
        while count := await self._context.store.write(delete, before, AT_ONCE):
            total += count
            self._context.metrics.deleted.labels(what).inc(count)
            if not await self._context.tasks.pause(PAUSE):
                break
        return total
