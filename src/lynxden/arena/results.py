"""All games of an arena as arrays, from the parts in whatever order they were finished."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from lynxden.arena.contest import Chunk, Contest
from lynxden.arena.times import Times
from lynxden.arena.work import TRUNCATED, Part
from lynxden.games.errors import OptionsError
from lynxden.games.registry import get_game


class Results:
    """How the games ended; the first index is the bout, the second the game."""

    def __init__(self, contest: Contest) -> None:
        self.contest = contest
        self.reason_names = (*get_game(contest.game).reasons[1:], TRUNCATED)
        shape = (len(contest.bouts), contest.games_of_bout)
        self.played = np.zeros(shape, np.bool_)
        self.scores = np.zeros((*shape, contest.players), np.int32)
        self.won = np.zeros((*shape, contest.players), np.bool_)
        self.reasons = np.zeros(shape, np.int8)
        """Numbers of `reason_names`."""
        self.decisions = np.zeros(shape, np.int32)
        self.times: dict[str, Times] = defaultdict(Times)
        """Times of single decisions, by bot."""
        self.compiled: dict[int, tuple[float, int]] = defaultdict(lambda: (0.0, 0))
        """Seconds and decisions of bouts that were played compiled."""
        self.seconds = 0.0
        """The time of all workers together."""

    def add(self, part: Part) -> None:
        bout, first, count = part.chunk.bout, part.chunk.first, len(part.endings)
        if not (
            0 <= bout < len(self.contest.bouts)
            and 0 <= first < first + count <= self.contest.games_of_bout
            and not self.played[bout, first : first + count].any()
        ):
            raise OptionsError(
                f"games {first} to {first + count - 1} of bout {bout} are there twice, or not of it"
            )
        self.played[bout, first : first + count] = True
        for game, ending in enumerate(part.endings, start=first):
            self.scores[bout, game] = ending.scores
            self.won[bout, game, ending.winners] = True
            self.reasons[bout, game] = self.reason_names.index(ending.reason)
            self.decisions[bout, game] = ending.decisions
        for bot, times in part.times.items():
            self.times[bot].merge(times)
        if self.contest.bouts[bout].compiled:
            seconds, decisions = self.compiled[bout]
            more = sum(ending.decisions for ending in part.endings)
            self.compiled[bout] = (seconds + part.compiled, decisions + more)
        self.seconds += part.seconds

    def missing(self, chunk: Chunk) -> bool:
        return not self.played[chunk.bout, chunk.first]

    @property
    def done(self) -> int:
        return int(self.played.sum())
