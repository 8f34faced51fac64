"""PettingZoo's own tests, and what they do not ask: rewards, pictures, seeds, errors."""

import random
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, performance_benchmark, seed_test
from pettingzoo.test.render_test import render_test
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

import lynxden
from lynxden.envs import pettingzoo
from lynxden.envs.drawing import GLYPHS
from lynxden.envs.table import REWARDS
from lynxden.games.core import Game
from lynxden.games.errors import IllegalAction, OptionsError
from tests.kit import VARIANTS

pytestmark = [
    # Said of every environment with action masks that is not on PettingZoo's own list.
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
]


def play(env: Any, rng: random.Random, seed: int | None = None) -> dict[str, float]:
    """A random game to its end; what each agent got in all."""
    env.reset(seed=seed)
    got = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        got[agent] += reward
        over = terminated or truncated
        env.step(None if over else rng.choice(np.flatnonzero(seen["action_mask"]).tolist()))
    return got


@pytest.mark.parametrize(
    ("game", "edition", "players"),
    [("linko", "classic", 4), ("linko", "duel", 2), ("blocco", "standard", 3), ("tiny", None, None)],
)
def test_api_and_seeds(game: str, edition: str, players: int) -> None:
    settings: dict[str, Any] = {"edition": edition, "players": players}
    api_test(pettingzoo.env(game, **settings), num_cycles=200)
    seed_test(lambda: pettingzoo.env(game, **settings), num_cycles=30)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_api_seeds_and_speed_of_every_edition(
    game: Game, edition: str, players: int, capsys: pytest.CaptureFixture[str]
) -> None:
    settings: dict[str, Any] = {"edition": edition, "players": players}
    api_test(pettingzoo.env(game.name, **settings), num_cycles=1000)
    seed_test(lambda: pettingzoo.env(game.name, **settings), num_cycles=500)
    performance_benchmark(pettingzoo.env(game.name, **settings))
    assert "turns per second" in capsys.readouterr().out


@pytest.mark.parametrize("game", ["linko", "blocco"])
@pytest.mark.parametrize("most", [1, 4, 25])
def test_max_cycles(game: str, most: int) -> None:
    """A table cannot take PettingZoo's own test of it, which lets everybody act at once and ignores masks."""
    env = pettingzoo.env(game, max_cycles=most)
    env.reset(seed=1)
    decisions = 0
    for _ in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        assert not terminated
        assert truncated == (decisions == most)
        assert reward == 0
        env.step(None if truncated else int(np.flatnonzero(seen["action_mask"])[0]))
        decisions += not truncated
    assert decisions == most
    assert not env.agents


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("game", "edition", "players"), [("linko", "basic", 3), ("blocco", "standard", 4)])
def test_rewards_come_at_the_end_and_follow_the_outcome(
    game: str, edition: str, players: int, reward: str
) -> None:
    env = pettingzoo.env(game, edition=edition, players=players, reward=reward)
    rng = random.Random(1)
    for seed in range(20):
        got = list(play(env, rng, seed).values())
        outcome = env.unwrapped.position.outcome
        assert outcome is not None
        points = outcome.scores
        expected = {
            "points": [float(score) for score in points],
            "win": [(seat in outcome.winners) / len(outcome.winners) for seat in range(players)],
            "margin": [
                float(points[seat] - max(points[:seat] + points[seat + 1 :])) for seat in range(players)
            ],
        }
        assert got == expected[reward]


def test_it_is_the_game_of_the_engine() -> None:
    """The deal of a seed, observations, masks and whose decision it is are those of positions and views."""
    env = pettingzoo.TableEnv("linko", edition="basic", players=3, starter=2)
    env.reset(seed=7)
    position = lynxden.new("linko", edition="basic", players=3, seed=7, starter=2)
    rng = random.Random(3)
    while not position.over:
        assert env.position == position
        assert env.agent_selection == f"player_{position.seat}"
        for seat, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert (seen["observation"] == position.view(seat).observation()).all()
            legal = position.legal_numbers if seat == position.seat else []
            assert np.flatnonzero(seen["action_mask"]).tolist() == legal
        number = rng.choice(position.legal_numbers)
        env.step(number)
        position = position.apply(position.loop().action(number))
    assert all(env.terminations.values())
    assert env.infos["player_0"]["reason"] == position.outcome.reason  # type: ignore[union-attr]


def test_seeds_continue() -> None:
    """After a seed, the deals that follow are the same too, and differ from each other."""
    runs = []
    for _ in range(2):
        env = pettingzoo.TableEnv("blocco")
        env.reset(seed=5)
        deals = [env.position]
        for _ in range(3):
            env.reset()
            deals.append(env.position)
        runs.append(deals)
    assert runs[0] == runs[1]
    assert len(set(runs[0])) == 4


def test_bad_input_is_refused_and_changes_nothing() -> None:
    env = pettingzoo.env("linko")
    env.reset(seed=1)
    before = env.unwrapped.position
    with pytest.raises(IllegalAction, match="action 600 is not legal now"):
        env.step(600)
    with pytest.raises(OptionsError, match="player_0 has to decide"):
        env.step(None)
    with pytest.raises(TypeError):
        env.step(1.5)
    assert env.unwrapped.position == before
    assert env.agent_selection == "player_0"
    faults: list[tuple[dict[str, Any], str]] = [
        ({"reward": "love"}, "no reward 'love': use points, win, margin"),
        ({"edition": "none"}, "no edition 'none'"),
        ({"players": 9}, "for 2 to 5 players, not 9"),
        ({"starter": 4}, "no seat 4 to start"),
        ({"max_cycles": 0}, "at least 1"),
        ({"render_mode": "film"}, "no render mode 'film'"),
    ]
    for wrong, fault in faults:
        with pytest.raises(OptionsError, match=fault):
            pettingzoo.env("linko", **wrong)
    with pytest.raises(OptionsError, match="without a render_mode"):
        pettingzoo.TableEnv("linko").render()


def test_illegal_actions_can_end_the_game_as_in_other_environments() -> None:
    env = TerminateIllegalWrapper(pettingzoo.env("blocco"), illegal_reward=-1)
    env.reset(seed=1)
    illegal = int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0])
    env.step(illegal)
    assert env.terminations["player_0"]
    assert env.rewards["player_0"] == -1


@pytest.mark.parametrize("game", ["linko", "blocco"])
def test_rendering(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda render_mode: pettingzoo.env(game, render_mode=render_mode))
    assert "▶ Player" in capsys.readouterr().out

    shown = pettingzoo.env(game, render_mode="ansi")
    shown.reset(seed=2)
    assert shown.render() == str(shown.unwrapped.position)

    drawn = pettingzoo.env(game, render_mode="rgb_array")
    drawn.reset(seed=2)
    first = drawn.render()
    play(drawn, random.Random(1), 2)
    last = drawn.render()
    assert first.shape == last.shape
    assert (first != last).any()
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 4


@pytest.mark.parametrize("game", ["linko", "blocco"])
def test_every_sign_of_a_picture_can_be_drawn(game: str) -> None:
    env = pettingzoo.env(game)
    for seed in range(5):
        play(env, random.Random(seed), seed)
        assert set(str(env.unwrapped.position)) <= {*GLYPHS, " ", "\n"}
