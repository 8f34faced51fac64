"""What an arena plays: every pair of bots, in every seat, with the same cards.

A *bout* is one bot alone against another in all other seats; each pair has two, with two players one (both
are the same then), and with `alone` only that in which this bot is the one. Each deal is played once for
each seat that the bot alone can have: a *rotation*. So the games of a bout are numbered: game
`deal * players + rotation`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from lynxden import __version__
from lynxden.batch import CAP, KERNEL_BOTS
from lynxden.bots import BotSpec, check_bot
from lynxden.games.errors import OptionsError
from lynxden.games.registry import get_game

FORMAT = "lynxden-arena/1"
DEALS = 50
"""Deals of a bout that are played before the next bout has its turn, so that all go on side by side."""


@dataclass(frozen=True)
class Bout:
    """One bot alone against another in all other seats."""

    alone: str
    many: str

    def bots(self, players: int, rotation: int) -> tuple[str, ...]:
        """Who sits where: the bot alone has the seat of the rotation's number."""
        return tuple(self.alone if seat == rotation else self.many for seat in range(players))

    @property
    def compiled(self) -> bool:
        """Whether whole games can be played without Python."""
        return {self.alone, self.many} <= set(KERNEL_BOTS)


@dataclass(frozen=True)
class Chunk:
    """Games of one bout that are played and stored together."""

    bout: int
    first: int
    """The number of the first game."""
    games: int


@dataclass(frozen=True)
class Contest:
    """The whole set-up: the same set-up has the same games, however many workers play them."""

    game: str
    edition: str
    players: int
    bots: tuple[str, ...]
    deals: int
    seed: int = 0
    limit: float | None = None
    """Seconds that a decision may take."""
    records: bool = False
    """Whether the games are recorded."""
    cap: int = CAP
    """Decisions after which a game is stopped and scored as it stands."""
    alone: str | None = None
    """If set, only the bouts that this bot plays alone: a quarter of the work if it is a slow one."""

    def __post_init__(self) -> None:
        game = get_game(self.game)
        game.check_players(game.choose_options(self.edition), self.players, 0)
        for bot in self.bots:
            if str(check_bot(bot, self.game, self.edition)) != bot:
                raise OptionsError(f"write '{BotSpec.parse(bot)}' for '{bot}'")
        if len(self.bots) < 2:
            raise OptionsError(
                f"an arena compares at least two bots, not {len(self.bots)}: --bots greedy,random"
            )
        twice = [bot for bot in self.bots if self.bots.count(bot) > 1]
        if twice:
            raise OptionsError(f"bot '{twice[0]}' is there twice: an arena compares different bots")
        if self.alone is not None and self.alone not in self.bots:
            raise OptionsError(f"--alone {self.alone} is none of the bots: {', '.join(self.bots)}")
        if self.deals < 1:
            raise OptionsError(f"there must be at least one deal, not {self.deals}")
        if self.limit is not None and not 0 < self.limit < float("inf"):
            raise OptionsError(f"a limit is a number of seconds above 0, not {self.limit:g}")

    @cached_property
    def bouts(self) -> tuple[Bout, ...]:
        """Every pair, both ways round; with two players, both ways are one."""
        if self.alone is not None:
            return tuple(Bout(self.alone, other) for other in self.bots if other != self.alone)
        found = []
        for one, other in combinations(self.bots, 2):
            found.append(Bout(one, other))
            if self.players > 2:
                found.append(Bout(other, one))
        return tuple(found)

    @property
    def games_of_bout(self) -> int:
        return self.deals * self.players

    @property
    def games(self) -> int:
        return len(self.bouts) * self.games_of_bout

    def chunks(self) -> Iterator[Chunk]:
        """All games in parts that the set-up alone decides; games that take long are parts of their own."""
        block = DEALS * self.players
        for first in range(0, self.games_of_bout, block):
            stop = min(first + block, self.games_of_bout)
            for number, bout in enumerate(self.bouts):
                size = stop - first if bout.compiled else 1
                yield from (Chunk(number, start, size) for start in range(first, stop, size))

    def as_dict(self) -> dict[str, Any]:
        """Everything that decides what is played, for a file."""
        return {
            "game": self.game,
            "edition": self.edition,
            "rules": get_game(self.game).rules_version,
            "players": self.players,
            "bots": list(self.bots),
            "deals": self.deals,
            "seed": self.seed,
            "limit": self.limit,
            "records": self.records,
            "cap": self.cap,
            "alone": self.alone,
            "lynxden": __version__,
        }
