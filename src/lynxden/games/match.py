"""A match: several games, the start moving one seat to the left each time, points adding up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from lynxden.games.core import Game, Options, Outcome, Position
from lynxden.games.errors import OptionsError


@dataclass(frozen=True, kw_only=True)
class Tally:
    """How a match stands, as far as that is known without its rules."""

    players: int
    rounds: int = 1
    """How often each player starts; 0 for a single game."""
    starter: int = 0
    """Who starts the first game."""
    outcomes: tuple[Outcome, ...] = ()

    @property
    def length(self) -> int:
        """How many games the match has: each player starts equally often, or there is just one."""
        return self.players * self.rounds or 1

    @property
    def over(self) -> bool:
        return len(self.outcomes) == self.length

    @property
    def next_starter(self) -> int:
        """Who starts the next game."""
        return (self.starter + len(self.outcomes)) % self.players

    def add(self, outcome: Outcome | None) -> Self:
        """The match after another game."""
        if outcome is None:
            raise OptionsError("a match counts finished games only; this one is not over")
        if self.over:
            raise OptionsError(f"the match is over: all {self.length} games are played")
        if len(outcome.scores) != self.players:
            raise OptionsError(f"a game of {len(outcome.scores)} in a match of {self.players} players")
        return replace(self, outcomes=(*self.outcomes, outcome))

    @property
    def totals(self) -> tuple[int, ...]:
        """Points so far, by seat."""
        return tuple(sum(outcome.scores[seat] for outcome in self.outcomes) for seat in range(self.players))

    @property
    def winners(self) -> tuple[int, ...]:
        """Who has won the match; ties are shared. Nobody before it is over."""
        if not self.over:
            return ()
        if self.length == 1:
            return self.outcomes[0].winners
        best = max(self.totals)
        return tuple(seat for seat, total in enumerate(self.totals) if total == best)


@dataclass(frozen=True, kw_only=True)
class Match(Tally):
    """A match in progress. Like a position it is a value: `add` makes a new one.

    >>> match = Match.of(LINKO, edition="classic", players=3)
    >>> match = match.add(match.deal(seed=1) … .outcome)
    """

    game: Game
    options: Options

    @classmethod
    def of(
        cls,
        game: Game,
        edition: str | Options | None = None,
        players: int | None = None,
        rounds: int = 1,
        starter: int = 0,
    ) -> Match:
        """A new match."""
        if rounds < 0:
            raise OptionsError(f"a match has some rounds, or none for a single game, not {rounds}")
        options = game.choose_options(edition)
        return cls(
            game=game,
            options=options,
            players=game.check_players(options, players, starter),
            rounds=rounds,
            starter=starter,
        )

    def deal(self, seed: int | None = None, deck: Sequence[str] | str | None = None) -> Position:
        """The next game, from a seed or from an explicit deck (top card first)."""
        if self.over:
            raise OptionsError(f"the match is over: all {self.length} games are played")
        return self.game.new(self.options, self.players, seed, deck, starter=self.next_starter)
