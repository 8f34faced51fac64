"""Gymnasium's own checks, and what they do not ask: that the games are those of the engine."""

from itertools import combinations
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils import env_checker
from gymnasium.utils.passive_env_checker import (
    check_action_space,
    check_observation_space,
    data_shares_objects,
)
from gymnasium.vector import AutoresetMode, VectorActionWrapper
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from numpy.typing import NDArray

from lynxden.batch import Batch
from lynxden.bots import get_bot
from lynxden.envs.gymnasium import ManyTablesEnv, TableEnv
from lynxden.games.core import Game
from lynxden.games.errors import IllegalAction, OptionsError
from tests.kit import VARIANTS

IDS = ["lynxden/Linko-v0", "lynxden/Blocco-v0"]


def first_legal(masks: NDArray[Any]) -> NDArray[np.int64]:
    found: NDArray[np.int64] = masks.argmax(axis=1)
    return found


def any_legal(masks: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    found: NDArray[np.int64] = np.where(masks, rng.random(masks.shape), -1).argmax(axis=1)
    return found


# --- One table ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", IDS)
def test_check_env(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    env_checker.check_env(gymnasium.make(name).unwrapped)
    assert "Player 1" in capsys.readouterr().out  # the mode "human"


@pytest.mark.slow
@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_check_env_of_every_edition(game: Game, edition: str, players: int) -> None:
    env = TableEnv(game.name, edition=edition, players=players, opponents="greedy")
    with pytest.warns(UserWarning, match="not having a spec"):
        env_checker.check_env(env)


@pytest.mark.parametrize(
    ("game", "players", "opponents"),
    [("linko", 3, ["greedy", "kitten"]), ("blocco", 3, "greedy"), ("linko", 2, "random")],
)
def test_a_game_against_named_bots(game: str, players: int, opponents: str | list[str]) -> None:
    """The player decides, bots do the rest, and the reward follows the outcome."""
    env = TableEnv(game, players=players, opponents=opponents, reward="margin", illegal="raise")
    rng = np.random.default_rng(1)
    seen, info = env.reset(seed=3)
    over = False
    for _ in range(3):
        while not over:
            assert env.view.to_move
            assert (seen["observation"] == env.view.observation()).all()
            numbers = np.flatnonzero(seen["action_mask"])
            assert len(numbers) == len(env.view.legal_actions)
            seen, reward, over, truncated, info = env.step(int(rng.choice(numbers)))
            assert not truncated
        scores = info["scores"].tolist()
        assert reward == scores[0] - max(scores[1:])
        assert not seen["action_mask"].any()
        with pytest.raises(OptionsError, match="call reset"):
            env.step(0)
        seen, info = env.reset()
        over = False


def test_illegal_actions() -> None:
    env = TableEnv("linko")
    env.reset(seed=1)
    _, reward, terminated, _, info = env.step(600)
    assert (reward, terminated) == (env.table.reward_bounds[0], True)
    assert "action 600 is not legal now" in info["illegal"]

    strict = TableEnv("linko", illegal="raise")
    strict.reset(seed=1)
    before = strict.view
    with pytest.raises(IllegalAction, match="action 600 is not legal now"):
        strict.step(600)
    assert strict.view == before


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"opponents": "nobody"}, "no bot 'nobody'"),
        ({"opponents": ["greedy"]}, "4 players need 3 opponents, not 1"),
        ({"illegal": "ignore"}, "'lose' or 'raise'"),
        ({"reward": "love"}, "no reward 'love'"),
        ({"render_mode": "film"}, "no render mode 'film'"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, Any], fault: str) -> None:
    with pytest.raises(OptionsError, match=fault):
        TableEnv("linko", **settings)


def test_hidden_cards_are_not_rendered() -> None:
    env = TableEnv("linko", render_mode="ansi")
    env.reset(seed=1)
    assert "unknown" in env.render()
    assert env.render() == str(env.view)


# --- Many tables -------------------------------------------------------------------------------------------


class Legal(VectorActionWrapper):
    """Makes any number a legal action: Gymnasium's checks draw actions without masks."""

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        seen, infos = self.env.reset(seed=seed, options=options)
        self.masks = seen["action_mask"].copy()
        return seen, infos

    def step(self, actions: Any) -> Any:
        answer = self.env.step(self.actions(actions))
        self.masks = answer[0]["action_mask"].copy()
        return answer

    def actions(self, actions: Any) -> Any:
        numbers = [np.flatnonzero(mask) for mask in self.masks]
        return np.array([n[a % len(n)] if len(n) else 0 for n, a in zip(numbers, actions, strict=True)])


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("name", IDS)
def test_gymnasiums_checks_of_vector_environments(name: str, mode: AutoresetMode) -> None:
    env = gymnasium.make_vec(name, num_envs=5, vectorization_mode="vector_entry_point", autoreset_mode=mode)
    assert env.metadata["autoreset_mode"] is mode
    check_action_space(env.single_action_space)
    check_observation_space(env.single_observation_space)
    checked: Any = Legal(env)
    env_checker.check_reset_return_type(checked)
    env_checker.check_reset_seed_determinism(checked)
    env_checker.check_reset_options(checked)
    calls = [checked.reset(seed=5)[0], *(checked.step(checked.action_space.sample())[0] for _ in range(2))]
    assert not any(data_shares_objects(one, other) for one, other in combinations(calls, 2))

    answers: list[Any] = []
    for _ in range(2):
        checked.reset(seed=5)
        checked.action_space.seed(1)
        answers.append([checked.step(checked.action_space.sample()) for _ in range(3)])
    assert env_checker.data_equivalence(answers[0], answers[1], exact=True)
    for seen, rewards, terminations, truncations, infos in answers[0]:
        assert seen in env.observation_space
        assert rewards.shape == terminations.shape == truncations.shape == (5,)
        assert (rewards.dtype, terminations.dtype, truncations.dtype) == (float, bool, bool)
        assert isinstance(infos, dict)
    checked.close()


@pytest.mark.parametrize(("game", "edition", "players"), [("linko", "basic", 3), ("blocco", "standard", 4)])
def test_all_seats_play_as_the_batch_does(game: str, edition: str, players: int) -> None:
    """Without opponents it is `Batch.turn`, and the last reward is that of whoever decided last."""
    env = ManyTablesEnv(game, 50, edition=edition, players=players, opponents=None, reward="points")
    seen, infos = env.reset(seed=4)
    seed = int(np.random.default_rng(4).integers(2**63))
    batch = Batch(game, 50, edition=edition, players=players, seed=seed, starters=np.arange(50) % players)
    rng = np.random.default_rng(1)
    assert (seen["observation"] == batch.observations()).all()
    assert (infos["seat"] == np.arange(50) % players).all()
    for _ in range(400):
        actions = any_legal(seen["action_mask"], rng)
        deciders = infos["seat"]
        seen, rewards, terminations, _, infos = env.step(actions)
        turn = batch.turn(actions)
        assert (seen["observation"] == turn.observations).all()
        assert (seen["action_mask"] == turn.masks).all()
        assert (terminations == (turn.ended != 0)).all()
        assert (infos["seat"] == turn.actors).all()
        for lane in np.flatnonzero(terminations):
            assert rewards[lane] == turn.scores[lane, deciders[lane]]
            assert (infos["final_info"]["rewards"][lane] == turn.scores[lane]).all()
        assert not rewards[~terminations].any()
    assert terminations.shape == (50,)


@pytest.mark.parametrize("game", ["linko", "blocco"])
def test_against_bots_the_player_sees_what_a_view_shows(game: str) -> None:
    env = ManyTablesEnv(game, 8, players=3, opponents=["greedy", "random"], reward="win")
    seen, _ = env.reset(seed=2)
    rng = np.random.default_rng(1)
    for _ in range(60):
        for lane in range(8):
            position = env.batch.position(lane)
            assert position.seat == 0
            assert np.flatnonzero(seen["action_mask"][lane]).tolist() == position.legal_numbers
            assert (seen["observation"][lane] == position.view(0).observation()).all()
        seen, *_ = env.step(any_legal(seen["action_mask"], rng))


def test_greedy_opponents_decide_as_the_bot_does() -> None:
    """A lane is replayed with the bot itself: the heuristic leaves nothing to luck."""
    env = ManyTablesEnv("linko", 4, players=2, opponents="greedy", autoreset_mode="NextStep")
    seen, _ = env.reset(seed=8)
    greedy, rng = get_bot("greedy"), np.random.default_rng(0)
    positions = [env.batch.position(lane) for lane in range(4)]
    for _ in range(15):
        actions = first_legal(seen["action_mask"])
        seen, _, terminations, _, _ = env.step(actions)
        for lane in range(4):
            position = positions[lane].apply(positions[lane].loop().action(int(actions[lane])))
            while position.seat == 1:
                limit: Any = None
                position = position.apply(greedy.choose(position.view(1), limit, rng).action)
            assert position == env.batch.position(lane)
            positions[lane] = position
        if terminations.any():
            break


def test_autoreset_modes_tell_the_same_story() -> None:
    """The end comes with the next deal, or before it; or there is no deal until it is asked for."""
    stories = []
    for mode in AutoresetMode:
        env = ManyTablesEnv("blocco", 6, players=3, opponents="random", autoreset_mode=mode)
        seen, _ = env.reset(seed=9)
        ends: list[list[tuple[float, bytes, bytes]]] = [[] for _ in range(6)]
        waiting: dict[int, tuple[float, bytes]] = {}
        for _ in range(300):
            before = seen
            seen, rewards, terminations, _, infos = env.step(first_legal(seen["action_mask"]))
            for lane, end in waiting.items():
                assert mode is AutoresetMode.NEXT_STEP
                assert not before["action_mask"][lane].any()
                assert rewards[lane] == 0
                assert not terminations[lane]
                ends[lane].append((*end, seen["observation"][lane].tobytes()))
            waiting = {}
            for lane in np.flatnonzero(terminations).tolist():
                if mode is AutoresetMode.SAME_STEP:
                    last = infos["final_obs"][lane]["observation"].tobytes()
                    ends[lane].append((rewards[lane], last, seen["observation"][lane].tobytes()))
                else:
                    outcome = env.batch.position(lane).outcome
                    assert outcome is not None
                    assert rewards[lane] == outcome.scores[0]
                    assert infos["won"][lane] == (0 in outcome.winners)
                    waiting[lane] = rewards[lane], seen["observation"][lane].tobytes()
            if mode is AutoresetMode.DISABLED and waiting:
                with pytest.raises(OptionsError, match="is over: reset it with reset_mask"):
                    env.step(first_legal(seen["action_mask"]))
                seen, _ = env.reset(options={"reset_mask": terminations})
                for lane, end in waiting.items():
                    ends[lane].append((*end, seen["observation"][lane].tobytes()))
                waiting = {}
        stories.append(ends)
    for lane in range(6):
        least = min(len(ends[lane]) for ends in stories)
        assert least >= 3
        assert stories[0][lane][:least] == stories[1][lane][:least] == stories[2][lane][:least]


def test_wrappers_count_episodes() -> None:
    env = RecordEpisodeStatistics(ManyTablesEnv("blocco", 16, players=3, reward="win"))
    seen, _ = env.reset(seed=1)
    rng, counted = np.random.default_rng(0), 0
    for _ in range(100):
        seen, rewards, terminations, _, infos = env.step(any_legal(seen["action_mask"], rng))
        if terminations.any():
            counted += int(infos["_episode"].sum())
            assert (infos["episode"]["r"][terminations] == rewards[terminations]).all()
    assert counted > 16


def test_arrays_are_kept_unless_told_otherwise() -> None:
    for copy in (True, False):
        env = ManyTablesEnv("blocco", 4, copy=copy)
        first, _ = env.reset(seed=1)
        kept = first["observation"].copy()
        second, *_ = env.step(first_legal(first["action_mask"]))
        assert (first["observation"] == kept).all() == copy
        assert np.shares_memory(first["observation"], second["observation"]) != copy


def test_bad_input_is_refused() -> None:
    env = ManyTablesEnv("linko", 3)
    with pytest.raises(OptionsError, match="call reset before step"):
        env.step(np.zeros(3, int))
    with pytest.raises(OptionsError, match="reset all tables"):
        env.reset(options={"reset_mask": np.ones(3, bool)})
    seen, _ = env.reset(seed=1)
    with pytest.raises(IllegalAction, match="action 666 is not legal in game 1"):
        env.step(np.array([first_legal(seen["action_mask"])[0], 666, 666]))
    with pytest.raises(OptionsError, match="3 actions"):
        env.step(np.zeros(2, int))
    with pytest.raises(OptionsError, match="a boolean for each of 3"):
        env.reset(options={"reset_mask": np.ones(2, bool)})
    with pytest.raises(OptionsError, match="'search' cannot play in a batch; these can: random, greedy"):
        ManyTablesEnv("linko", 3, opponents="search")
    with pytest.raises(OptionsError, match="at least one game"):
        ManyTablesEnv("linko", 0)


def test_pictures_of_many_tables() -> None:
    env = ManyTablesEnv("linko", 3, render_mode="ansi")
    env.reset(seed=1)
    shown = env.render()
    assert len(shown) == 3
    assert shown[0] == str(env.batch.position(0).view(0))
