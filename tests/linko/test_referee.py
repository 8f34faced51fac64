"""The engine against an independent referee: the same choices, the same deciders, the same results."""

import random
from collections import Counter

import pytest

from lynxden.arena.simulation import Simulation, play_chunk
from lynxden.games.linko import LINKO, LinkoPosition
from lynxden.records import read_record
from tests.referee.linko import ALL_CARDS, Referee

VARIANTS = [(edition, players) for edition, o in LINKO.editions.items() for players in o.player_counts]


@pytest.mark.parametrize(("edition", "players"), VARIANTS)
def test_random_games_agree(edition: str, players: int) -> None:
    rng = random.Random(f"{edition} {players}")
    for seed in range(20):
        position = LINKO.new(edition, players, seed=seed, starter=seed % players)
        assert isinstance(position, LinkoPosition)
        referee = Referee(edition, seed % players, LINKO.deal_of(position))
        for _ in range(3000):
            if position.over:
                break
            assert position.all_cards() == referee.all_cards() == ALL_CARDS
            assert {str(action) for action in position.legal_actions} == referee.legal()
            assert position.seat == referee.actor
            for seat in range(players):
                assert Counter(position.known(seat)) <= Counter(position.hand(seat))
            action = rng.choice(position.legal_actions)
            position = position.apply(action)
            referee.apply(str(action))
        outcome = position.outcome
        assert outcome is not None
        assert referee.actor is None
        assert referee.result == {
            "reason": outcome.reason,
            "scores": list(outcome.scores),
            "winners": list(outcome.winners),
        }


@pytest.mark.slow
@pytest.mark.parametrize(("edition", "players"), VARIANTS)
def test_a_hundred_thousand_games_agree(edition: str, players: int) -> None:
    """Recorded with legal lists and actors, so that the compiled path is what is checked."""
    simulation = Simulation("linko", edition, players, 6250, 11, ("random",) * players, cap=3000, legal=True)
    for chunk in simulation.chunks():
        for line in play_chunk(simulation, chunk, records=True)[1]:
            record = read_record(line)
            referee = Referee(edition, record.starter, dict(record.deal))
            assert record.legal is not None
            assert record.actors is not None
            for action, legal, actor in zip(record.actions, record.legal, record.actors, strict=True):
                assert referee.actor == actor
                assert referee.legal() == set(legal)
                referee.apply(action)
            expected = {"reason": "truncated"} if referee.result is None else referee.result
            assert record.result == expected
