"""OpenSpiel's own tests, one of its algorithms, and what they do not ask: that nothing hidden is shown."""

import pickle
import re
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import generate_playthrough, ismcts, mcts
from open_spiel.python.observation import make_observation

import lynxden.envs.openspiel
from lynxden.games.core import Game
from lynxden.games.errors import OptionsError
from lynxden.games.registry import GAMES
from tests.kit import VARIANTS
from tests.tiny import TINY

NAMES = ["python_lynxden_linko(edition=basic,players=3)", "python_lynxden_blocco(players=3)"]


def dealt(name: str, **more: Any) -> Any:
    state = (
        pyspiel.load_game(name, more).new_initial_state()
        if more
        else pyspiel.load_game(name).new_initial_state()
    )
    while state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(int(np.random.default_rng(len(state.history())).choice(outcomes, p=chances)))
    return state


def play(state: Any, rng: np.random.Generator, most: int = 10**6) -> None:
    for _ in range(most):
        if state.is_terminal():
            return
        state.apply_action(int(rng.choice(state.legal_actions())))


def test_both_games_are_registered() -> None:
    assert {f"python_lynxden_{game}" for game in GAMES} <= set(pyspiel.registered_names())
    assert lynxden.envs.openspiel.PARAMETERS.keys() >= {"edition", "players", "reward"}


def test_random_simulations() -> None:
    """A sampled game cannot be serialised from Python, an explicit one can."""
    pyspiel.random_sim_test(pyspiel.load_game(NAMES[1]), num_sims=1, serialize=False, verbose=False)
    explicit = pyspiel.load_game("python_lynxden_blocco(players=3,chance=explicit)")
    pyspiel.random_sim_test(explicit, num_sims=1, serialize=True, verbose=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "edition", "players"), [variant for variant in VARIANTS if TINY not in variant.values]
)
def test_random_simulations_of_every_edition(game: Game, edition: str, players: int) -> None:
    name = f"python_lynxden_{game.name}"
    settings = {"edition": edition, "players": players}
    pyspiel.random_sim_test(pyspiel.load_game(name, settings), num_sims=2, serialize=False, verbose=False)
    state = dealt(name, **settings, chance="explicit")
    play(state, np.random.default_rng(1))
    again = pickle.loads(pickle.dumps(state))
    assert (str(again), again.history()) == (str(state), state.history())


def test_playthrough() -> None:
    """The actions that OpenSpiel's own generator plays have our texts."""
    text = generate_playthrough.playthrough("python_lynxden_blocco(players=3,seed=3)", None, seed=1)
    assert "GameType.chance_mode = ChanceMode.SAMPLED_STOCHASTIC" in text
    assert text.count("\nRewards() = ") > 5
    texts = re.findall(r'^# Apply action "(.*)"$', text, re.MULTILINE)
    numbers = [int(number) for number in re.findall(r"^action: (\d+)$", text, re.MULTILINE)]
    assert (texts[0], numbers[0]) == ("deal", 0)
    table = lynxden.get_game("blocco").action_table
    pairs = list(zip(texts[1:], numbers[1:], strict=True))
    assert all(table[number] is None or str(table[number]) == text for text, number in pairs)
    assert len(texts) > 20


@pytest.mark.parametrize("name", NAMES)
def test_it_is_the_game_of_the_engine(name: str) -> None:
    state = dealt(name)
    rng = np.random.default_rng(1)
    while not state.is_terminal():
        position = state.position
        assert state.current_player() == position.seat
        assert state.legal_actions() == position.legal_numbers
        texts = [state.action_to_string(number) for number in state.legal_actions()]
        assert texts == [str(action) for action in position.legal_actions]
        for player in range(3):
            view = position.view(player)
            assert state.observation_string(player) == str(view)
            assert state.observation_tensor(player) == view.observation().tolist()
        play(state, rng, 1)
    assert state.returns() == [float(score) for score in state.position.outcome.scores]
    size = lynxden.get_game(state.position.game.name).observation_size
    tensor = state.information_state_tensor(1)
    assert tensor[:size] == state.observation_tensor(1)
    who, number = tensor[size : size + 2]
    last = state.full_history()[-1]
    assert (who, number) == (1 + (last.player - 1) % 3, 1 + last.action)


@pytest.mark.parametrize("name", NAMES)
def test_a_resampled_state_cannot_be_told_apart(name: str) -> None:
    rng, sampler = np.random.default_rng(2), pyspiel.UniformProbabilitySampler(0.0, 1.0)
    state = dealt(name)
    differ = 0
    while not state.is_terminal():
        for player in range(3):
            other = state.resample_from_infostate(player, sampler)
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.observation_string(player) == state.observation_string(player)
            assert other.information_state_tensor(player) == state.information_state_tensor(player)
            assert other.current_player() == state.current_player()
            if player == state.current_player():
                assert other.legal_actions() == state.legal_actions()
            differ += str(other) != str(state)
        play(state, rng, 5)
    assert differ > 10


@pytest.mark.parametrize("name", NAMES)
def test_an_imagined_world_knows_nothing_of_the_real_one(name: str) -> None:
    """Two worlds that differ in hidden cards alone: imagined from them, others' states say the same."""
    state = dealt(name)
    play(state, np.random.default_rng(3), 25)
    player = state.current_player()
    twin = state.resample_from_infostate(player, lambda: 0.25)
    one, two = (world.resample_from_infostate(player, lambda: 0.75) for world in (state, twin))
    assert str(one) == str(two)
    for seat in range(3):
        assert one.information_state_string(seat) == two.information_state_string(seat)


@pytest.mark.parametrize("name", NAMES)
def test_an_information_state_remembers_everything(name: str) -> None:
    """Every step makes it longer: what was seen stays, and each seat has its own."""
    state = dealt(name)
    rng = np.random.default_rng(4)
    for _ in range(20):
        before = [state.information_state_string(player) for player in range(3)]
        assert len(set(before)) == 3
        play(state, rng, 1)
        after = [state.information_state_string(player) for player in range(3)]
        assert all(new.startswith(old) and new != old for old, new in zip(before, after, strict=True))


def test_explicit_chance() -> None:
    state = pyspiel.load_game("python_lynxden_linko(players=2,chance=explicit)").new_initial_state()
    outcomes = dict(state.chance_outcomes())
    assert len(outcomes) == 14
    assert sum(outcomes.values()) == pytest.approx(1)
    assert outcomes[0] == pytest.approx(8 / 109)
    assert outcomes[13] == pytest.approx(5 / 109)
    assert state.action_to_string(13) == "deal X"
    for _ in range(5):
        state.apply_action(13)
    assert 13 not in dict(state.chance_outcomes())
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    assert state.position.hand(0) == ("1",) * 8 + ("X",) * 5
    again = pickle.loads(pickle.dumps(state))
    assert again.position == state.position


def test_seeds_and_clones() -> None:
    name = "python_lynxden_blocco(seed=5)"
    first, second = dealt(name), dealt(name)
    assert first.position == second.position
    assert first.position != dealt("python_lynxden_blocco(seed=6)").position
    copy = first.clone()
    play(copy, np.random.default_rng(1), 10)
    assert first.position == second.position != copy.position


@pytest.mark.parametrize("name", NAMES)
def test_information_set_search_runs(name: str) -> None:
    state = dealt(name)
    play(state, np.random.default_rng(5), 10)
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    bot = ismcts.ISMCTSBot(
        game=state.get_game(), uct_c=2.0, max_simulations=8, evaluator=evaluator,
        random_state=np.random.RandomState(2),
    )  # fmt: skip
    assert bot.step(state) in state.legal_actions()


def test_public_observations_show_no_hand() -> None:
    state = dealt(NAMES[0])
    kind = pyspiel.IIGObservationType(
        public_info=True, perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE
    )
    observed = make_observation(state.get_game(), kind)
    assert observed.string_from(state, 0) == str(state.position.view(None))
    assert observed.tensor is None


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"edition": "none"}, "no edition 'none'"),
        ({"players": 9}, "not 9"),
        ({"reward": "love"}, "no reward 'love'"),
        ({"chance": "luck"}, "'sampled' or 'explicit'"),
        ({"starter": 7}, "no seat 7"),
    ],
)
def test_wrong_parameters_are_named(settings: dict[str, Any], fault: str) -> None:
    with pytest.raises(OptionsError, match=fault):
        pyspiel.load_game("python_lynxden_linko", settings)
