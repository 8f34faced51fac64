"""How far this server's wall clock is from the database's, which all servers share."""

from __future__ import annotations

from lynxden.server.live.context import Context
from lynxden.server.store.core import Tx

MOST = 1.0
"""Seconds that are nothing to speak of."""


class Skew:
    """Compared at every heartbeat."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.seconds = 0.0
        """So much is this server's clock ahead, at least; negative if it is behind."""

    async def measure(self) -> None:
        """Ask the database what time it is. What the wait for its answer explains does not count."""
        context = self._context
        before = context.now()
        theirs = await context.store.read(_time)
        after = context.now()
        if theirs is None:
            return
        self.seconds = (before - theirs if theirs < before else min(0, after - theirs)) / 1000
        context.metrics.skew.set(self.seconds)
        if abs(self.seconds) > MOST:
            context.troubles.warn(
                "clock", f"{self.text()}: games take over badly between servers, so set it right (ntp)"
            )

    def text(self) -> str:
        """In words, if it is worth any."""
        if abs(self.seconds) <= MOST:
            return ""
        where = "ahead of" if self.seconds > 0 else "behind"
        return f"the clock of this server is {abs(self.seconds):.1f} s {where} the database's"


def _time(tx: Tx) -> int | None:
    return tx.now()
