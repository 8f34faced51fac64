"""What every live part of a server shares: settings, database, clock, luck. Values and services, no logic."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from lynxden.games.core import Position
from lynxden.server.ids import new_id
from lynxden.server.live.tasks import Tasks
from lynxden.server.metrics import Metrics
from lynxden.server.settings import Settings
from lynxden.server.store.core import Store
from lynxden.server.table.characters import Casting, free
from lynxden.server.table.commands import Dealing
from lynxden.server.table.state import TableState

LOG = logging.getLogger("lynxden.server")


def wall_clock() -> int:
    return time.time_ns() // 1_000_000


def fresh_deal(state: TableState) -> Position:
    """A new deal, from the system's own source of randomness."""
    return state.playable.deal(seed=secrets.randbits(64))


def draw_names(count: int, taken: Collection[str]) -> list[str]:
    """Names for bots, from the system's own source of randomness."""
    return secrets.SystemRandom().sample(free(taken), count)


@dataclass(eq=False)
class Context:
    """One server's settings and services."""

    settings: Settings
    store: Store
    now: Callable[[], int] = wall_clock
    """Milliseconds since 1970, for what is stored and sent."""
    deal: Callable[[TableState], Position] = fresh_deal
    make_id: Callable[[], str] = new_id
    cast: Casting = draw_names
    """Names for the bots of a table."""
    id: str = field(default_factory=lambda: new_id(8))
    """The server's id, among those that share a database."""
    metrics: Metrics = field(default_factory=Metrics)
    log: logging.Logger = LOG
    tasks: Tasks = field(default_factory=lambda: Tasks(LOG))

    def next_game(self, state: TableState) -> Dealing:
        """The next game of a table's match: its cards, and the id that its record will have."""
        return Dealing(self.deal(state), self.make_id())

    @property
    def shared(self) -> bool:
        """Other servers may write to the same database."""
        return self.settings.database != ""
