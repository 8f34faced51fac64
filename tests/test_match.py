"""Matches: rotating start, totals, shared ties."""

import pytest

from lynxden.games.core import Outcome
from lynxden.games.errors import OptionsError
from lynxden.games.linko import LINKO
from lynxden.games.match import Match


def outcome(*scores: int) -> Outcome:
    best = max(scores)
    return Outcome("hand-empty", scores, tuple(seat for seat, s in enumerate(scores) if s == best))


def test_everybody_starts_equally_often_and_points_add_up() -> None:
    match = Match.of(LINKO, "basic", 3, rounds=2, starter=1)
    starters = []
    for game in range(6):
        position = match.deal(seed=game)
        starters.append(position.active)
        match = match.add(outcome(game, 5, -game))
    assert starters == [1, 2, 0, 1, 2, 0]
    assert match.over
    assert match.totals == (15, 30, -15)
    assert match.winners == (1,)
    with pytest.raises(OptionsError, match="over"):
        match.deal(seed=7)
    with pytest.raises(OptionsError, match="over"):
        match.add(outcome(1, 2, 3))


def test_ties_are_shared_and_nobody_wins_early() -> None:
    match = Match.of(LINKO, "classic", 2)
    assert match.length == 2
    match = match.add(outcome(3, 7))
    assert match.winners == ()
    assert match.add(outcome(7, 3)).winners == (0, 1)
    assert len(match.outcomes) == 1  # a match is a value


def test_a_single_game_is_won_by_its_winners() -> None:
    match = Match.of(LINKO, "basic", 3, rounds=0, starter=2)
    assert match.length == 1
    assert match.next_starter == 2
    match = match.add(Outcome("hand-empty", (5, 5, 1), (1,)))  # seat 1 has fewer cards in hand
    assert match.over
    assert match.winners == (1,)


def test_bad_matches_are_refused() -> None:
    with pytest.raises(OptionsError, match="round"):
        Match.of(LINKO, rounds=-1)
    with pytest.raises(OptionsError, match="players"):
        Match.of(LINKO, "duel", 3)
    match = Match.of(LINKO, "classic", 2)
    with pytest.raises(OptionsError, match="not over"):
        match.add(match.deal(seed=1).outcome)
    with pytest.raises(OptionsError, match="3 in a match of 2"):
        match.add(outcome(1, 2, 3))
