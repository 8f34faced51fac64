"""The engine against an independent referee: the same choices, the same deciders, the same results."""

import random
from collections import Counter

import pytest

from lynxden.arena.simulation import Simulation, play_chunk
from lynxden.games.blocco import BLOCCO, BloccoPosition
from lynxden.records import read_record
from tests.referee.blocco import ALL_CARDS, Referee

PLAYERS = [3, 4, 5]


@pytest.mark.parametrize("players", PLAYERS)
def test_random_games_agree(players: int) -> None:
    rng = random.Random(players)
    for seed in range(60):
        position = BLOCCO.new(players=players, seed=seed, starter=seed % players)
        assert isinstance(position, BloccoPosition)
        referee = Referee("standard", seed % players, BLOCCO.deal_of(position))
        while not position.over:
            assert position.all_cards() == referee.all_cards() == ALL_CARDS
            assert {str(action) for action in position.legal_actions} == referee.legal()
            assert position.seat == referee.actor
            for seat in range(players):
                hand = Counter(position.hand(seat))
                assert hand == Counter(referee.hands[seat])
                assert Counter(position.known(seat)) <= hand
                assert position.score_sizes[seat] == len(referee.scored[seat])
            assert [Counter(row) for row in position.rows] == [Counter(row) for row in referee.rows]
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
@pytest.mark.parametrize("players", PLAYERS)
def test_a_hundred_thousand_games_agree(players: int) -> None:
    """Recorded with legal lists and actors, so that the compiled path is what is checked."""
    simulation = Simulation("blocco", "standard", players, 33_400, 11, ("random",) * players, legal=True)
    for chunk in simulation.chunks():
        for line in play_chunk(simulation, chunk, records=True)[1]:
            record = read_record(line)
            referee = Referee("standard", record.starter, dict(record.deal))
            assert record.legal is not None
            assert record.actors is not None
            for action, legal, actor in zip(record.actions, record.legal, record.actors, strict=True):
                assert referee.actor == actor
                assert referee.legal() == set(legal)
                referee.apply(action)
            assert record.result == referee.result
