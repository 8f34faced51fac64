"""Batches: bad input is refused, lanes are independent, deals go on."""

import numpy as np
import pytest

from lynxden.batch import Batch
from lynxden.games.core import Options
from lynxden.games.errors import IllegalAction, OptionsError


def test_the_first_illegal_action_is_reported_and_the_others_are_done() -> None:
    batch = Batch("linko", 10, seed=1)
    actions = batch.random_actions().copy()
    before = [batch.position(index) for index in range(10)]
    actions[[3, 7]] = [-1, 666]
    with pytest.raises(IllegalAction, match="game 3, nor are those of 1 other"):
        batch.step(actions)
    for index in range(10):
        assert (batch.position(index) == before[index]) == (index in (3, 7))
    batch.step(batch.random_actions())  # the report is forgotten
    with pytest.raises(IllegalAction, match="game 0"):
        batch.turn(np.full(10, 10**6))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"games": 0}, "at least one game"),
        ({"threads": 0}, "at least one thread"),
        ({"device": "tpu"}, "no device"),
        ({"edition": "blitz"}, "no edition"),
        ({"players": 9}, "players"),
        ({"starters": 4}, "seat 4"),
        ({"starters": -1}, "seat -1"),
        ({"device": "cuda", "threads": 2}, "threads"),
        ({"game": "poker"}, "no game"),
        ({"starters": [0, 1]}, "starters"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, object], complaint: str) -> None:
    with pytest.raises(OptionsError, match=complaint):
        Batch(**{"game": "linko", "games": 4, **arguments})  # type: ignore[arg-type]


def test_bad_calls_are_refused() -> None:
    batch = Batch("linko", 4, seed=1)
    with pytest.raises(OptionsError, match="4 actions"):
        batch.step(np.zeros(3, np.int64))
    with pytest.raises(OptionsError, match="whole numbers"):
        batch.step(np.zeros(4))
    with pytest.raises(OptionsError, match="no game 4"):
        batch.position(4)
    with pytest.raises(OptionsError, match="as many bots"):
        batch.play(["random"])
    with pytest.raises(OptionsError, match="cannot play in a batch"):
        batch.play(["random", "random", "random", "oracle"])


def test_a_batch_can_be_played_in_parts() -> None:
    whole = Batch("linko", 20, seed=9)
    part = Batch("linko", 5, seed=9, first=10)
    whole.playout()
    part.playout()
    assert whole.records[10:15].tobytes() == part.records.tobytes()


def test_seeds_and_rounds_differ() -> None:
    batch = Batch("linko", 50, seed=1)
    first = [batch.position(index) for index in range(50)]
    assert len(set(first)) == 50
    assert Batch("linko", 50, seed=2).position(0) not in first
    batch.playout()
    batch.deal_finished()
    second = [batch.position(index) for index in range(50)]
    assert not set(first) & set(second)
    batch.deal()
    assert [batch.position(index) for index in range(50)] == first


def test_turn_is_step_deal_and_look_in_one() -> None:
    one, other = (Batch("linko", 64, seed=3, players=2) for _ in range(2))
    for _ in range(120):
        actions = one.random_actions().copy()
        other.random_actions()
        turn = one.turn(actions)
        other.step(actions)
        ended = other.actors() < 0
        results = other.results()
        assert (turn.ended.astype(bool) == ended).all()
        assert (turn.scores[ended] == results.scores[ended]).all()
        assert (turn.winners[ended] == results.winners[ended]).all()
        other.deal_finished()
        assert (turn.observations == other.observations()).all()
        assert (turn.masks == other.legal_masks()).all()
        assert one.records.tobytes() == other.records.tobytes()


def test_random_steps_are_choice_and_step_in_one() -> None:
    one, other = (Batch("linko", 64, seed=3, players=2) for _ in range(2))
    decisions = 0
    for step in range(150):
        decisions += int((one.actors() >= 0).sum())
        made = one.random_step()
        other.step(other.random_actions())
        assert one.records.tobytes() == other.records.tobytes()
        assert made.sum() == decisions
        if step % 4 == 3:
            one.deal_finished()
            other.deal_finished()


def test_the_cap_stops_a_game() -> None:
    batch = Batch("linko", 8, seed=1)
    assert (batch.playout(cap=10) == 10).all()
    assert not batch.over
    results = batch.results()
    assert set(results.reasons) == {""}
    assert not results.winners.any()


def test_every_batch_runs_the_same_compiled_code() -> None:
    """Kernels are compiled for types of arrays, and one that is read-only has another type."""
    for more in ({"games": 1}, {"starters": [0, 1, 2, 3]}, {"starters": 2}, {"tables": [("duel", 2)] * 4}):
        batch = Batch(**{"game": "linko", "games": 4, **more})  # type: ignore[arg-type]
        given = batch._starters, batch._options, batch._seats, batch.records
        assert all(array.flags.writeable and array.flags.c_contiguous for array in given)


def test_random_choices_are_even() -> None:
    """Each of the first player's legal actions is chosen about equally often."""
    batch = Batch("linko", 1, seed=1)
    numbers = batch.position(0).legal_numbers
    counts = dict.fromkeys(numbers, 0)
    for _ in range(400 * len(numbers)):
        counts[int(batch.random_actions()[0])] += 1
    assert all(300 < count < 500 for count in counts.values())


# --- What learners use ------------------------------------------------------------------------------------

TABLES: list[tuple[str | Options | None, int | None]] = [("classic", 4), ("duel", 2), ("expert", 5)]


def test_a_batch_mixes_tables() -> None:
    """Each game is the one that a batch of its own kind would deal under its number."""
    starters = np.array([3, 1, 4] * 4)
    mixed = Batch("linko", 12, tables=TABLES * 4, seed=6, starters=starters, threads=1)
    assert mixed.players == 5
    for index in range(12):
        edition, players = TABLES[index % 3]
        own = Batch(
            "linko", 1, edition=edition, players=players, seed=6, first=index, starters=int(starters[index])
        )
        assert mixed.position(index) == own.position(0)
    for _ in range(300):
        mixed.turn(mixed.random_actions())
    assert [mixed.position(index).edition for index in range(3)] == ["classic", "duel", "expert"]
    mixed.playout()
    assert mixed.results().winners[1::3, 2:].sum() == 0, "a duel has two seats"


def test_wrong_tables_are_refused() -> None:
    with pytest.raises(OptionsError, match="4 games need as many tables, not 3"):
        Batch("linko", 4, tables=TABLES)
    with pytest.raises(OptionsError, match="not both"):
        Batch("linko", 3, tables=TABLES, players=4)
    with pytest.raises(OptionsError, match="no seat 2 to start"):
        Batch("linko", 3, tables=TABLES, starters=2)
    with pytest.raises(OptionsError, match="duel is for 2 players"):
        Batch("linko", 1, tables=[("duel", 3)])


@pytest.mark.parametrize("game", ["linko", "blocco"])
def test_every_seat_can_look(game: str) -> None:
    batch = Batch(game, 24, seed=8, threads=1)
    for _ in range(15):
        batch.step(batch.greedy_actions(), check=False)
    assert (batch.seen_from(batch.actors().astype(np.int64)) == batch.observations()).all()
    seats = np.arange(24) % 4
    seen = batch.seen_from(seats)
    for index, seat in enumerate(seats):
        view = batch.position(index).view(int(seat))
        other = view.sample(np.random.default_rng(index)).view(int(seat))
        assert (seen[index] == view.observation()).all()
        assert (seen[index] == other.observation()).all(), "whatever others hold"


@pytest.mark.parametrize("game", ["linko", "blocco"])
def test_worlds_fit_what_is_seen(game: str) -> None:
    """Redealing changes hidden hands, and nothing that the deciding player sees."""
    batch = Batch(game, 32, seed=8, threads=1)
    for _ in range(12):
        batch.step(batch.greedy_actions(), check=False)
    seen, hidden = batch.observations().copy(), batch.hidden().copy()
    greedy = batch.greedy_actions().copy()
    batch.imagine(np.arange(32, dtype=np.uint64))
    assert (batch.observations() == seen).all()
    assert (batch.greedy_actions() == greedy).all()
    own = hidden.shape[1] // 5
    assert (batch.hidden()[:, :own] == hidden[:, :own]).all(), "the own hand comes first"
    assert (batch.hidden()[:, own:] != hidden[:, own:]).any(axis=1).mean() > 0.8
    hidden = batch.hidden().copy()
    batch.exchange(np.arange(32, dtype=np.uint64))
    assert (batch.observations() == seen).all()
    assert (batch.hidden()[:, :own] == hidden[:, :own]).all()
    assert (batch.hidden()[:, own:] != hidden[:, own:]).any(axis=1).mean() > 0.3
    rows = batch.record_bytes()
    rows[1] = rows[0]
    assert batch.position(1) == batch.position(0)
