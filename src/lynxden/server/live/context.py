"""What every live part of a server shares: settings, database, clock, luck. Values and services, no logic."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from math import factorial

from lynxden.games.core import Position
from lynxden.games.guide import LEARNER
from lynxden.server.ids import new_id
from lynxden.server.live.clock import Clock
from lynxden.server.live.house import House
from lynxden.server.live.tasks import Tasks
from lynxden.server.live.troubles import Troubles
from lynxden.server.metrics import Metrics
from lynxden.server.settings import Settings
from lynxden.server.store.core import Store
from lynxden.server.table.characters import Casting, free
from lynxden.server.table.commands import Dealing
from lynxden.server.table.state import TableState

LUCK = secrets.SystemRandom()
LOG = logging.getLogger("lynxden.server")


def fresh_deal(state: TableState) -> Position:
    """A new deal. Every card comes from the system's own source of randomness.

    (There are far more orders of a deck than seeds: somebody who knew a few cards could find a seed.)
    """
    return state.playable.deal(deck=shuffled(state.playable.game.deck))


def prepared(state: TableState) -> Position | None:
    """The deal of a guided first game; None for all others."""
    guide = state.guide
    if guide is None:
        return None
    return state.game.read_deal(state.playable.options, LEARNER, guide.deal)


def shuffled(deck: Sequence[str]) -> list[str]:
    """A deck in any order, each as likely as any other: one of all their numbers is drawn, and read.

    (It asks the system once; `SystemRandom.shuffle` asks for every card.)
    """
    cards = list(deck)
    number = LUCK.randrange(factorial(len(cards)))
    for place in range(len(cards) - 1, 0, -1):
        number, other = divmod(number, place + 1)
        cards[place], cards[other] = cards[other], cards[place]
    return cards


def draw_names(count: int, taken: Collection[str]) -> list[str]:
    """Names for bots, from the system's own source of randomness."""
    return LUCK.sample(free(taken), count)


@dataclass(eq=False)
class Context:
    """One server's settings and services."""

    settings: Settings
    store: Store
    clock: Clock = field(default_factory=Clock)
    deal: Callable[[TableState], Position] = fresh_deal
    make_id: Callable[[], str] = new_id
    cast: Casting = draw_names
    """Names for the bots of a table."""
    id: str = field(default_factory=lambda: new_id(8))
    """The server's id, among those that share a database."""
    metrics: Metrics = field(default_factory=Metrics)
    house: House = field(default_factory=House)
    """Who is banned, and what is switched."""
    log: logging.Logger = LOG
    tasks: Tasks = field(init=False)
    troubles: Troubles = field(init=False)
    """Where errors are logged that may come again and again."""

    def __post_init__(self) -> None:
        self.tasks = Tasks(self.log, self.clock)
        self.troubles = Troubles(self.log, self.clock)

    def now(self) -> int:
        """Milliseconds since 1970, for what is stored and sent."""
        return self.clock.now()

    def next_game(self, state: TableState) -> Dealing:
        """The next game of a table's match: its cards, the id that its record will have, the bots' luck."""
        return Dealing(prepared(state) or self.deal(state), self.make_id(), secrets.token_hex(16))

    @property
    def shared(self) -> bool:
        """Other servers may write to the same database."""
        return self.settings.database != ""
