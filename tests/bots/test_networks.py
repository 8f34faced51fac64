"""The networks that come with the package: they load, play by the rules, and know no hidden card."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from lynxden.bots import NO_LIMIT, Limit, brains, deep, get_bot
from lynxden.bots.brains import Brain, brain_of, file_of, has_brain, trained
from lynxden.bots.deep import USUAL, Worlds, try_out
from lynxden.bots.network import Network, embed, embed_many
from lynxden.bots.search import Budget
from lynxden.bots.weights import (
    Weights,
    WeightsError,
    about_game,
    expanded,
    read_weights,
    shrunk,
    write_weights,
)
from lynxden.games.core import Game, View
from lynxden.games.registry import GAMES, get_game
from tests.kit import VARIANTS


@pytest.fixture
def fresh() -> Iterator[None]:
    """Networks are read anew, here and afterwards."""
    brain_of.cache_clear()
    has_brain.cache_clear()
    yield
    brain_of.cache_clear()
    has_brain.cache_clear()


def test_every_game_has_networks_that_are_small() -> None:
    assert trained() == set(GAMES)
    for game in GAMES:
        assert file_of(game).stat().st_size <= 6_000_000
        card = file_of(game).with_suffix(".md").read_text(encoding="utf-8")
        assert read_weights(file_of(game)).about["date"] in card


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_networks_play_whole_games(game: Game, edition: str, players: int) -> None:
    """`deep` in the first seat, `neural` in the others; every action is legal, or `apply` would refuse it."""
    if game.name not in trained():
        pytest.skip("a game without networks")
    bots = [get_bot("deep:sims=12"), *[get_bot("neural")] * (players - 1)]
    position = game.new(edition, players, seed=21)
    rng = np.random.default_rng(1)
    for _ in range(1500):
        if position.seat is None:
            break
        choice = bots[position.seat].choose(position.view(position.seat), NO_LIMIT, rng)
        assert choice.simulations <= 12
        position = position.apply(choice.action, seat=position.seat)
    assert position.over


@pytest.mark.parametrize("game", GAMES)
def test_many_at_once_are_the_same_as_one(game: str) -> None:
    brain = brain_of(game)
    rng = np.random.default_rng(3)
    seen = rng.integers(0, 5, (20, get_game(game).observation_size)).astype(np.int8)
    seen[rng.random(seen.shape) < 0.7] = 0
    every = np.arange(get_game(game).action_count)
    for network in (brain.policy, brain.reflex):
        single = np.stack([network.one(row, every) for row in seen])
        assert np.abs(network.many(seen) - single).max() < 1e-4


@pytest.mark.parametrize("game", GAMES)
def test_looking_ahead_sees_the_view_alone(game: str) -> None:
    """The same worlds whatever the others hold, and other worlds with other luck."""
    position = get_game(game).new(seed=4)
    assert position.seat is not None
    view = position.view(position.seat)
    other = view.sample(np.random.default_rng(9)).view(position.seat)
    actions = np.array(position.legal_numbers[:3])
    brain = brain_of(game)

    def tried(given: View, luck: int) -> Any:
        worlds = Worlds(brain, get_game(game), given.kernel_form(), np.uint64(luck), 20)
        return try_out(brain, worlds, position.seat or 0, actions, 4)

    found = [tried(given, luck) for given, luck in ((view, 1), (other, 1), (view, 2))]
    assert (found[0] == found[1]).all()
    assert (found[0] != found[2]).any()


def fond_of_sevens(logit: float) -> Brain:
    """A brain that believes the first opponent to hold two sevens, e^logit times as often as by chance."""
    game = get_game("linko")
    brain = Brain(game, file_of("linko"))
    arrays: dict[str, Any] = {
        "places": np.array([SEVENS], np.int16), "steps": np.array([2], np.int8),
        "in.weight": np.array([[200.0], [0.0]], np.float32), "in.bias": np.array([-100.0, 0.0], np.float32),
        "out.weight": np.array([[logit, 0.0]], np.float32), "out.bias": np.zeros(1, np.float32),
    }  # fmt: skip
    brain.belief = Network(arrays, game.observation_size + 8 * game.encode.HIDDEN_WORDS, 1)
    return brain


SEVENS = get_game("linko").observation_size + 16 + 6
"""Where a network reads how many sevens the first opponent holds."""


def two_sevens(brain: Brain, luck: int, *, later: int = 0) -> float:
    """In what part of the worlds the first opponent holds two sevens or more."""
    game = get_game("linko")
    position = game.new(players=4, seed=4)
    assert position.seat is not None
    records = position.view(position.seat).kernel_form()
    worlds = Worlds(brain, game, records, np.uint64(luck), deep.MOVES)
    for _ in range(later):
        worlds.some(deep.CHAINS)
    table, streams = worlds.some(deep.CHAINS)
    assert len(set(streams.tolist())) == deep.CHAINS
    whole = game.observation_size
    return float((deep.hands(game, table)[:, SEVENS - whole] >= 2).mean())


def test_likely_worlds_are_tried_more_often() -> None:
    plain = Brain(get_game("linko"), file_of("linko"))
    plain.belief = None
    chance = float(np.mean([two_sevens(plain, luck) for luck in range(8)]))
    assert 0.1 < chance < 0.4
    assert two_sevens(fond_of_sevens(30.0), 5) > 0.99, "of what the belief rules out nothing is left"
    for later in (0, 1):
        found = float(np.mean([two_sevens(fond_of_sevens(1.5), luck, later=later) for luck in range(8)]))
        odds = np.exp(1.5) * chance / (1 - chance)
        assert found == pytest.approx(odds / (1 + odds), abs=0.06), "as often as they are likely"


def test_worlds_move_on_when_all_have_been_tried() -> None:
    game = get_game("linko")
    position = game.new(players=4, seed=4)
    assert position.seat is not None
    seen = position.view(position.seat)
    worlds = Worlds(brain_of("linko"), game, seen.kernel_form(), np.uint64(1), deep.MOVES)
    tables = [worlds.some(deep.CHAINS // 2)[0].copy() for _ in range(4)]
    assert not (tables[0] == tables[1]).all(), "the other half"
    assert not (tables[0] == tables[2]).all(), "the same worlds, moved on"
    for table in tables:
        assert (deep.observed(game, table) == seen.observation()).all(), "and all of them fit what is seen"


@pytest.mark.parametrize(
    ("limit", "steps"),
    [
        (Limit(simulations=1), 0),
        (Limit(simulations=40), 10),
        (Limit(seconds=0.033), 10),
        (Limit(seconds=0.2, simulations=40), 10),
        (Limit(seconds=60), deep.MOVES),
    ],
)
def test_worlds_move_as_often_as_the_time_allowed_is_worth(limit: Limit, steps: int) -> None:
    assert deep.moves_within(Budget(limit, USUAL)) == steps


def test_the_likeliest_actions_are_tried_however_sure_the_policy_is() -> None:
    chances = np.array([0.0, 0.9999, 1e-9, 1e-4], np.float32)
    assert list(deep.candidates(chances, 16)) == [1, 3, 2, 0]
    assert list(deep.candidates(chances, 2)) == [1, 3]
    assert list(deep.candidates(chances[:1], 16)) == [0]


@pytest.mark.parametrize(
    ("limit", "most"),
    [
        (Limit(seconds=60), 16),
        (Limit(seconds=0.2), 16),
        (Limit(seconds=0.1), 10),
        (Limit(simulations=256), 8),
        (Limit(simulations=12), 2),
        (Limit(seconds=0.001), 2),
    ],
)
def test_with_little_time_fewer_actions_are_tried(limit: Limit, most: int) -> None:
    assert deep.most_within(Budget(limit, USUAL)) == most


def test_a_decision_takes_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []

    def watched(*arguments: Any) -> Any:
        threads.extend(each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas")
        return try_out(*arguments)

    bot = get_bot("deep:sims=40")
    deep.ready("linko")  # which tries an action out, before any decision
    monkeypatch.setattr(deep, "try_out", watched)
    with threadpool_limits(2, user_api="blas"):
        for seed in range(50):  # where the network is sure of an action, nothing is tried
            position = get_game("linko").new(seed=seed)
            assert position.seat is not None
            bot.choose(position.view(position.seat), NO_LIMIT, np.random.default_rng(1))
            if threads:
                break
        after = {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}
    assert set(threads) == {1}
    assert after <= {1, 2}


def test_bytes_are_close_to_what_they_stand_for() -> None:
    matrix = np.random.default_rng(1).standard_normal((5, 40)).astype(np.float32)
    small = shrunk({"a.weight": matrix, "a.bias": matrix[0]})
    assert small["a.weight"].dtype == np.int8
    large = expanded(small)
    assert np.abs(large["a.weight"] - matrix).max() < np.abs(matrix).max() / 200
    assert (large["a.bias"] == matrix[0]).all()
    assert set(large) == {"a.weight", "a.bias"}


def header(**entry: object) -> bytes:
    text = json.dumps({"x": entry}).encode()
    return len(text).to_bytes(8, "little") + text


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello, this is no file of weights",
        (1 << 60).to_bytes(8, "little") + b"{}",
        (2).to_bytes(8, "little") + b"[]",
        header(dtype="F32", shape=[2], data_offsets=[0, 8]) + b"1234",
        header(dtype="F99", shape=[1], data_offsets=[0, 4]) + b"1234",
        header(dtype="F32", shape=[1], data_offsets=[0, 4]) + b"12345",
        header(dtype="F32", shape=[1], data_offsets=[0, 4]) + np.float32(np.nan).tobytes(),
        header(dtype="F32", shape=["a"], data_offsets=[0, 4]) + b"1234",
    ],
)
def test_a_broken_file_is_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(data)
    with pytest.raises(WeightsError, match="no file of weights, or it is broken"):
        read_weights(path)


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "linko.safetensors"
    with pytest.raises(WeightsError, match="cannot be read"):
        Brain(get_game("linko"), path)
    with pytest.raises(WeightsError, match="does not fit Linko: game is 'blocco'"):
        Brain(get_game("linko"), file_of("blocco"))
    write_weights(path, Weights({"other.x": np.zeros(3, np.float32)}, about_game(get_game("linko"))))
    with pytest.raises(WeightsError, match="no network 'policy'"):
        Brain(get_game("linko"), path)
    whole = read_weights(file_of("linko"))
    arrays = dict(whole.part("policy"))
    with pytest.raises(WeightsError, match="wrong shape"):
        Network(arrays, 4, 667)
    del arrays["out.bias"]
    with pytest.raises(WeightsError, match="incomplete"):
        Network(arrays, get_game("linko").observation_size, 667)


@pytest.mark.usefixtures("fresh")
def test_with_broken_networks_shadow_searches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(brains, "FOLDER", tmp_path)
    (tmp_path / "linko.safetensors").write_bytes(b"rubbish")
    position = get_game("linko").new(seed=3)
    view = position.view(0)
    with pytest.raises(WeightsError, match="broken"):
        get_bot("neural").choose(view, NO_LIMIT, np.random.default_rng(1))
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            choice = get_bot("shadow").choose(view, Limit(simulations=80), np.random.default_rng(1))
            assert choice.action in view.legal_actions
    assert len(choice.candidates) == len(view.legal_actions), "a search looks at every action"
    assert caplog.text.count("bots play without networks") == 1


def test_networks_run_as_plain_python() -> None:
    """As with `NUMBA_DISABLE_JIT=1`: bytes of an observation may be negative."""
    network = brain_of("linko").reflex
    seen = np.random.default_rng(1).integers(-128, 128, (1, len(network.rows)), np.int8)
    plain, quick = np.zeros((2, 1, network.width), np.float32)
    getattr(embed, "py_func", embed)(seen[0], network.rows, network.table, network.bias, plain[0])
    embed_many(seen, network.rows, network.table, network.bias, quick)
    np.testing.assert_allclose(plain, quick, rtol=1e-4, atol=1e-4)
