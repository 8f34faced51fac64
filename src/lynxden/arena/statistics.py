"""What the games say about the bots, and how sure that is.

Games with the same deal are not independent, so a deal is the unit: every figure is first averaged over the
games of a deal, and intervals come from drawing whole deals anew (a bootstrap clustered by deal). Deals are
drawn for all bouts together, because all bouts play the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lynxden.arena.results import Results

Floats = NDArray[np.float64]

RESAMPLES = 2000
LEVEL = 0.95
PRIOR = 1.0
"""Games added to each bout for the ladder, in which every rank is as likely: ratings stay finite."""
MIDDLE = 1500
SCALE = 400 / np.log(10)
"""Ratings as in chess: 400 more are ten times the odds."""


@dataclass(frozen=True)
class Estimate:
    """A figure and its interval; without one if there is a single deal."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class BoutFigures:
    """One bot alone against another in all other seats."""

    alone: str
    many: str
    margin: Estimate
    """Its score less the mean score of the other seats."""
    wins: Estimate
    """Its share of wins; a shared win counts in parts."""
    rank: Estimate
    """Its mean rank, 1 is the best; equal ones share the mean of their ranks."""
    ranks: tuple[float, ...]
    """How often it had each rank."""


@dataclass(frozen=True)
class Pair:
    """Two bots, both ways round together; the one is higher on the ladder."""

    one: str
    other: str
    margin: Estimate
    """The mean score of the one less that of the other, at the same table."""


@dataclass(frozen=True)
class Rung:
    """A bot on the ladder; the figures besides its rating are means over all opponents."""

    bot: str
    rating: Estimate
    margin: Estimate
    wins: Estimate | None
    """As the one alone; None if it never was."""
    rank: Estimate | None
    """As the one alone; None if it never was."""


@dataclass(frozen=True)
class Analysis:
    ladder: tuple[Rung, ...]
    """The best first."""
    bouts: tuple[BoutFigures, ...]
    """In the order of the ladder, as the pairs."""
    pairs: tuple[Pair, ...]


def margins(scores: NDArray[Any]) -> Floats:
    """For games of a bout, by game: what the bot alone has more than the others' mean."""
    games, players = scores.shape
    own: Floats = scores[np.arange(games), np.arange(games) % players].astype(float)
    found: Floats = own - (scores.sum(axis=1) - own) / (players - 1)
    return found


def rank_shares(scores: NDArray[Any], won: NDArray[np.bool_]) -> Floats:
    """For games of a bout, by game: how much of each rank the bot alone has.

    Winners are first, then the score decides; seats that are equal share their ranks evenly.
    """
    games, players = scores.shape
    seats = np.arange(games) % players
    own, own_won = scores[np.arange(games), seats, None], won[np.arange(games), seats, None]
    better = ((won & ~own_won) | ((won == own_won) & (scores > own))).sum(axis=1)
    equal = ((won == own_won) & (scores == own)).sum(axis=1)  # itself included
    ranks = np.arange(players)[None, :]
    shared = (ranks >= better[:, None]) & (ranks < (better + equal)[:, None])
    found: Floats = shared / equal[:, None]
    return found


def resample(values: Floats, seed: int, resamples: int = RESAMPLES) -> Floats:
    """Means of the columns of `values` (a row a deal) over deals drawn with replacement, many times."""
    deals = len(values)
    rng = np.random.default_rng([seed % 2**64, deals])
    found = np.empty((resamples, values.shape[1]))
    for number in range(resamples):
        weights = np.bincount(rng.integers(deals, size=deals), minlength=deals)
        found[number] = weights @ values / deals
    return found


def interval(drawn: Floats) -> tuple[float, float]:
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def ladder(bots: int, players: int, games: int, bouts: Sequence[tuple[int, int]], ranks: Floats) -> Floats:
    """Strengths of the Plackett-Luce model, as logarithms with mean 0, for each row of `ranks`.

    In this model seats are ranked from the first on, and each is next with a probability in proportion to its
    strength. `ranks[row, bout, rank]` says how often the bot alone had each rank; that is all that the
    likelihood depends on, as the others are all the same bot. It is concave, and Newton's method finds its
    maximum.
    """
    counts = games * ranks + PRIOR / players
    reach = counts[..., ::-1].cumsum(axis=-1)[..., ::-1]  # so many games in which it was not ranked earlier
    left = players - np.arange(players - 1)  # seats that are not ranked yet; the last one has no choice
    hits, reach = counts[..., :-1], reach[..., :-1]
    first, second = (np.array(column) for column in zip(*bouts, strict=True))
    signs = np.zeros((len(bouts), bots))
    signs[np.arange(len(bouts)), first] = 1
    signs[np.arange(len(bouts)), second] = -1
    strengths = np.zeros((len(ranks), bots))
    for _ in range(200):
        gap = strengths @ signs.T
        chance = 1 / (1 + np.exp(np.log(left - 1) - gap[..., None]))
        slope = (hits - reach * chance).sum(axis=-1) @ signs
        bend = (reach * chance * (1 - chance)).sum(axis=-1)
        hessian = np.einsum("rm,mi,mj->rij", bend, signs, signs) + 1 / bots
        step = np.linalg.solve(hessian, slope[..., None])[..., 0]
        step *= np.minimum(1, 1 / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-12))
        strengths += step
        if np.abs(step).max() < 1e-9:
            break
    strengths -= strengths.mean(axis=1, keepdims=True)
    return strengths


def analyse(results: Results) -> Analysis:
    """The figures of an arena whose games have all been played."""
    contest = results.contest
    players, deals = contest.players, contest.deals
    count = len(contest.bouts)
    margin = np.stack([margins(each) for each in results.scores])
    ranks = np.stack([rank_shares(*each) for each in zip(results.scores, results.won, strict=True)])
    margin = margin.reshape(count, deals, players).mean(axis=2)
    ranks = ranks.reshape(count, deals, players, players).mean(axis=2)
    # A row a deal, with the margins of all bouts first, then their ranks.
    values = np.concatenate([margin.T, ranks.transpose(1, 0, 2).reshape(deals, -1)], axis=1)
    tables = [values.mean(axis=0, keepdims=True)]
    if deals > 1:
        tables.append(resample(values, contest.seed))
    # Row 0 holds what was found, the others what was drawn.
    table = np.concatenate(tables)
    margin, ranks = table[:, :count], table[:, count:].reshape(len(table), count, players)
    return _Figures(results, margin, ranks).analysis()


class _Figures:
    def __init__(self, results: Results, margin: Floats, ranks: Floats) -> None:
        self.contest = results.contest
        self.bots = self.contest.bots
        self.places = np.arange(1, self.contest.players + 1)
        self.bouts = {(bout.alone, bout.many): number for number, bout in enumerate(self.contest.bouts)}
        self.margin_of = {pair: margin[:, number] for pair, number in self.bouts.items()}
        self.ranks_of = {pair: ranks[:, number] for pair, number in self.bouts.items()}
        self.ranks = ranks
        if self.contest.players == 2:  # the same games, seen from the other side
            for one, other in self.bouts:
                self.margin_of[other, one] = -self.margin_of[one, other]
                self.ranks_of[other, one] = self.ranks_of[one, other][:, ::-1]

    @staticmethod
    def estimate(column: Floats) -> Estimate:
        if len(column) == 1:
            return Estimate(float(column[0]), None, None)
        return Estimate(float(column[0]), *interval(column[1:]))

    def pair_margin(self, one: str, other: str) -> Floats:
        """The mean of both ways round, if both were played."""
        ways = [self.margin_of[pair] for pair in [(one, other)] if pair in self.margin_of]
        ways += [-self.margin_of[pair] for pair in [(other, one)] if pair in self.margin_of]
        found: Floats = np.mean(ways, axis=0)
        return found

    def analysis(self) -> Analysis:
        index = {bot: number for number, bot in enumerate(self.bots)}
        pairs = [(index[one], index[other]) for one, other in self.bouts]
        strengths = ladder(
            len(self.bots), self.contest.players, self.contest.games_of_bout, pairs, self.ranks
        )
        ratings = MIDDLE + SCALE * strengths
        order = sorted(self.bots, key=lambda bot: -ratings[0, index[bot]])
        return Analysis(
            ladder=tuple(self.rung(bot, ratings[:, index[bot]]) for bot in order),
            bouts=tuple(self.bout(*pair) for pair in permutations(order, 2) if pair in self.ranks_of),
            pairs=tuple(
                Pair(one, other, self.estimate(self.pair_margin(one, other)))
                for one, other in combinations(order, 2)
                if {(one, other), (other, one)} & self.margin_of.keys()
            ),
        )

    def bout(self, one: str, other: str) -> BoutFigures:
        ranks = self.ranks_of[one, other]
        return BoutFigures(
            one,
            other,
            self.estimate(self.margin_of[one, other]),
            self.estimate(ranks[:, 0]),
            self.estimate(ranks @ self.places),
            tuple(ranks[0].tolist()),
        )

    def rung(self, bot: str, ratings: Floats) -> Rung:
        met = {other for pair in self.margin_of for other in pair if bot in pair and other != bot}
        margin = np.mean([self.pair_margin(bot, other) for other in self.bots if other in met], axis=0)
        as_one = [ranks for (one, _), ranks in self.ranks_of.items() if one == bot]
        if not as_one:
            return Rung(bot, self.estimate(ratings), self.estimate(margin), None, None)
        ranks = np.mean(as_one, axis=0)
        return Rung(
            bot,
            self.estimate(ratings),
            self.estimate(margin),
            self.estimate(ranks[:, 0]),
            self.estimate(ranks @ self.places),
        )
