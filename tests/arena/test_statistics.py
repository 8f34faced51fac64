"""The figures of an arena, against small cases by hand and against independent computations."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, stats

from lynxden.arena.contest import Contest
from lynxden.arena.results import Results
from lynxden.arena.statistics import (
    PRIOR,
    SCALE,
    Analysis,
    analyse,
    interval,
    ladder,
    margins,
    rank_shares,
    resample,
)
from lynxden.arena.times import Times
from lynxden.arena.words import estimate_text, number, seconds_text


def results_of(contest: Contest, scores: NDArray[np.int64]) -> Results:
    """Games with these scores, the highest winning; by bout, game and seat."""
    results = Results(contest)
    results.scores[:] = scores
    results.won[:] = scores == scores.max(axis=-1, keepdims=True)
    results.played[:] = True
    results.decisions[:] = 10
    return results


# --- By hand ---------------------------------------------------------------------------------------------


def test_margins_and_ranks_by_hand() -> None:
    scores = np.array([[10, 4, 1], [8, 6, 8], [0, 0, 0], [5, 5, 3]])
    won = np.array([[1, 0, 0], [1, 0, 1], [1, 1, 1], [0, 1, 0]], bool)  # the last: a tie that was broken
    # The bot alone has seats 0, 1, 2, 0.
    assert margins(scores).tolist() == [7.5, -2.0, 0.0, 1.0]
    third = 1 / 3
    assert rank_shares(scores, won).tolist() == [[1, 0, 0], [0, 0, 1], [third, third, third], [0, 1, 0]]


def test_analysis_by_hand() -> None:
    contest = Contest("linko", "basic", 3, ("greedy", "random"), 2)
    greedy_alone = [[9, 0, 3], [2, 6, 2], [4, 4, 4], [9, 9, 0], [1, 7, 1], [0, 0, 6]]
    random_alone = [[0, 5, 5], [5, 5, 2], [8, 8, 2], [6, 0, 0], [5, 5, 5], [9, 3, 3]]
    found = analyse(results_of(contest, np.array([greedy_alone, random_alone])))
    bout = {(each.alone, each.many): each for each in found.bouts}
    one, other = bout["greedy", "random"], bout["random", "greedy"]

    assert one.margin.value == pytest.approx((7.5 + 4 + 0 + 4.5 + 6 + 6) / 6)
    assert other.margin.value == pytest.approx((-5 + 1.5 - 6 + 6 + 0 - 3) / 6)
    assert one.wins.value == pytest.approx((1 + 1 + 1 / 3 + 1 / 2 + 1 + 1) / 6)
    assert other.wins.value == pytest.approx((0 + 1 / 2 + 0 + 1 + 1 / 3 + 0) / 6)
    assert one.rank.value == pytest.approx((1 + 1 + 2 + 1.5 + 1 + 1) / 6)
    assert other.rank.value == pytest.approx((3 + 1.5 + 3 + 1 + 2 + 2.5) / 6)
    (pair,) = found.pairs
    assert (pair.one, pair.other) == ("greedy", "random")
    assert pair.margin.value == pytest.approx((one.margin.value - other.margin.value) / 2)
    assert [rung.bot for rung in found.ladder] == ["greedy", "random"]
    assert found.ladder[0].margin == pair.margin
    # Two deals: of all ways to draw two of them, a quarter is the first twice, a quarter the second twice.
    by_deal = [(7.5 + 4 + 0) / 3, (4.5 + 6 + 6) / 3]
    assert (one.margin.low, one.margin.high) == pytest.approx((min(by_deal), max(by_deal)))


def test_two_players_mirror_each_other() -> None:
    contest = Contest("linko", "duel", 2, ("greedy", "random"), 3)
    found = analyse(results_of(contest, np.array([[[5, 1], [2, 4], [1, 6], [0, 3], [2, 2], [9, 0]]])))
    there, back = found.bouts
    assert (there.alone, there.many) == ("greedy", "random")
    # greedy has seats 0, 1, 0, 1, 0, 1
    assert there.margin.value == pytest.approx((4 + 2 - 5 + 3 + 0 - 9) / 6) == -back.margin.value
    assert there.wins.value == pytest.approx((1 + 1 + 0 + 1 + 0.5 + 0) / 6) == 1 - back.wins.value
    assert there.rank.value == pytest.approx(3 - back.rank.value)
    assert there.margin.low == pytest.approx(-(back.margin.high or 0))
    assert found.pairs[0].margin.value == pytest.approx(there.margin.value)


def test_a_bot_that_was_never_alone_has_no_such_figures() -> None:
    contest = Contest("linko", "basic", 3, ("greedy", "random"), 2, alone="greedy")
    games = [[5, 1, 3], [4, 2, 0], [1, 6, 2], [0, 3, 3], [2, 9, 1], [7, 0, 1]]
    found = analyse(results_of(contest, np.array([games])))
    assert [(bout.alone, bout.many) for bout in found.bouts] == [("greedy", "random")]
    greedy = next(rung for rung in found.ladder if rung.bot == "greedy")
    random = next(rung for rung in found.ladder if rung.bot == "random")
    assert greedy.wins is not None
    assert greedy.wins.value == pytest.approx((1 + 0 + 0 + 0 + 1 + 0) / 6)
    assert (random.wins, random.rank) == (None, None)
    assert random.margin.value == pytest.approx(-greedy.margin.value)
    assert greedy.margin.value == pytest.approx((3 + 0 - 1.5 - 3 + 7.5 - 2.5) / 6)


def test_one_deal_has_no_interval() -> None:
    contest = Contest("linko", "duel", 2, ("greedy", "random"), 1)
    found = analyse(results_of(contest, np.array([[[5, 1], [2, 4]]])))
    assert found.bouts[0].margin.low is None
    assert found.ladder[0].rating.high is None


# --- Against independent computations --------------------------------------------------------------------


def test_intervals_are_those_of_scipy() -> None:
    values = np.random.default_rng(5).exponential(3.0, 80)
    drawn = resample(values[:, None], seed=1, resamples=8000)[:, 0]
    other = stats.bootstrap(
        (values,), np.mean, n_resamples=8000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    assert interval(drawn) == pytest.approx((other.low, other.high), abs=0.08)
    assert resample(values[:, None], seed=1, resamples=50).tolist() == drawn[:50, None].tolist()


def likelihood(strengths: NDArray[np.float64], order: tuple[int, ...], bots: list[int]) -> float:
    """The logarithm of how likely the model finds an order of seats, as the textbook has it."""
    found, left = 0.0, list(order)
    while len(left) > 1:
        weights = np.exp([strengths[bots[seat]] for seat in left])
        found += np.log(weights[0] / weights.sum())
        left.pop(0)
    return float(found)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_ladder_is_the_most_likely_one(players: int) -> None:
    """Three bots, all orders of every game written out, ties as the mean over their orders."""
    rng = np.random.default_rng(players)
    pairs = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)] if players > 2 else [(0, 1), (0, 2), (1, 2)]
    scores = rng.integers(0, 6, (len(pairs), 3 * players, players))
    ranks = np.stack([rank_shares(each, each == each.max(axis=1, keepdims=True)) for each in scores])
    found = ladder(3, players, 3 * players, pairs, ranks.mean(axis=1)[None])[0]

    def against(free: NDArray[np.float64]) -> float:
        strengths = np.array([*free, -free.sum()])
        total = 0.0
        for (alone, many), games in zip(pairs, scores, strict=True):
            for played, game in enumerate(games):
                bots = [alone if seat == played % players else many for seat in range(players)]
                fitting = [
                    order
                    for order in permutations(range(players))
                    if all(game[a] >= game[b] for a, b in pairwise(order))
                ]
                total += float(np.mean([likelihood(strengths, order, bots) for order in fitting]))
            for rank in range(players):  # the games that keep ratings finite
                order = (*range(1, rank + 1), 0, *range(rank + 1, players))
                bots = [alone, *[many] * (players - 1)]
                total += PRIOR / players * likelihood(strengths, order, bots)
        return -total

    best = optimize.minimize(against, np.zeros(2), tol=1e-10).x
    assert found == pytest.approx([*best, -best.sum()], abs=1e-3)


def test_the_ladder_finds_what_games_were_made_of() -> None:
    """Games drawn from the model itself: strengths come out as they went in."""
    rng = np.random.default_rng(8)
    true = np.array([0.9, 0.1, -1.0])
    pairs = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
    games = 4 * 6000
    ranks = []
    for alone, many in pairs:
        # The ranks of exponential times with these rates are ranks of the model.
        rates = np.exp([true[alone], *[true[many]] * 3])
        times = rng.exponential(1, (games, 4)) / rates
        place = (times < times[:, :1]).sum(axis=1)
        ranks.append(np.bincount(place, minlength=4) / games)
    found = ladder(3, 4, games, pairs, np.array([ranks]))[0]
    assert found == pytest.approx(true - true.mean(), abs=0.03)


def test_a_bot_that_always_wins_has_a_finite_rating() -> None:
    ranks = np.zeros((1, 2, 4))
    ranks[0, 0, 0] = ranks[0, 1, 3] = 1
    found = ladder(2, 4, 8000, [(0, 1), (1, 0)], ranks)[0]
    assert np.isfinite(found).all()
    assert 1000 < SCALE * (found[0] - found[1]) < 3000


@pytest.fixture(scope="module")
def repeated() -> list[Analysis]:
    """Many arenas with a known truth: 2 points of margin, and deals that favour one side all along."""
    rng = np.random.default_rng(11)
    contest = Contest("linko", "basic", 3, ("greedy", "random"), 40)
    found = []
    for _ in range(120):
        luck = rng.integers(-6, 7, (40, 1)) * 2
        noise = rng.integers(-2, 3, (2, 40, 3))
        scores = np.zeros((2, 120, 3), np.int64)
        for bout, sign in ((0, 1), (1, -1)):
            own = (sign * 2 + luck + noise[bout]).reshape(-1)
            scores[bout, np.arange(120), np.arange(120) % 3] = own
        found.append(analyse(results_of(contest, scores)))
    return found


def test_intervals_hold_the_truth_as_often_as_they_say(repeated: list[Analysis]) -> None:
    bouts = [found.bouts for found in repeated]
    of_greedy = [next(bout for bout in each if bout.alone == "greedy").margin for each in bouts]
    held = np.mean([(each.low or 0) <= 2 <= (each.high or 0) for each in of_greedy])
    assert 0.88 <= held <= 0.99
    # Were games of one deal taken for independent, intervals would be too narrow by half.
    width = np.mean([(each.high or 0) - (each.low or 0) for each in of_greedy])
    spread = np.std([each.value for each in of_greedy])
    assert width == pytest.approx(2 * 1.96 * spread, rel=0.2)


def test_what_deals_do_to_both_ways_cancels_out(repeated: list[Analysis]) -> None:
    """The luck of a deal helps whoever is alone, so the pair's margin is much surer than each bout's."""
    pairs = [found.pairs[0].margin if found.pairs[0].one == "greedy" else None for found in repeated]
    assert None not in pairs
    held = np.mean([(each.low or 0) <= 2 <= (each.high or 0) for each in pairs if each])
    assert 0.88 <= held <= 0.99
    assert np.std([each.value for each in pairs if each]) < 0.3


# --- Times and words -------------------------------------------------------------------------------------


def test_times_add_up() -> None:
    rng = np.random.default_rng(3)
    seconds = rng.lognormal(-6, 1.5, 4000)
    one, other, whole = Times(), Times(), Times()
    for turn, each in enumerate(seconds.tolist()):
        (one if turn % 3 else other).add(each)
        whole.add(each)
    one.merge(Times.from_dict(other.as_dict()))
    assert one.bins == whole.bins
    assert one.count == 4000
    assert one.mean == pytest.approx(seconds.mean())
    assert one.longest == seconds.max()
    for part in (0.5, 0.95, 1.0):
        true = float(np.quantile(seconds, part))
        assert true <= one.quantile(part) * 1.001
        assert one.quantile(part) <= true * 1.06


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(2, "2 s"), (0.0123, "12.3 ms"), (4e-5, "40 µs"), (3.21e-8, "32.1 ns"), (0.9999, "1 s")],
)
def test_times_in_words(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


def test_figures_in_words() -> None:
    assert number(-0.001, 2, sign=True) == "0.00"
    assert number(1234.5, 1) == "1,234.5"
    estimate = {"value": -0.25, "low": -0.5, "high": 0.004}
    assert estimate_text(estimate, 2, sign=True) == "−0.25 (−0.50 to 0.00)"
    assert estimate_text({"value": 0.25, "low": None, "high": None}, 1, percent=True) == "25.0 %"
