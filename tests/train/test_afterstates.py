"""A second look: what actions lead to is learned on top of a policy, and bots play with it."""

import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs PyTorch: pip install 'lynxden[train]'")

from lynxden.batch import Batch  # noqa: E402
from lynxden.bots.brains import Brain, file_of  # noqa: E402
from lynxden.bots.weights import read_weights  # noqa: E402
from lynxden.games.errors import OptionsError  # noqa: E402
from lynxden.games.registry import get_game  # noqa: E402
from lynxden.train.afterstates import Afterstates, Judge, Tried, centred, likeliest  # noqa: E402
from lynxden.train.lanes import luck_of  # noqa: E402
from lynxden.train.run import Stage, train  # noqa: E402
from tests.train.test_training import quiet, tiny  # noqa: E402

SMALL = {"afterstates": 24, "afterstate_width": 16, "afterstate_batch": 64, "fork_depth": 2, "steps": 8}


def small(game: str, **more: object) -> tuple[Path, dict[str, object]]:
    return file_of(game), {**SMALL, **more}


@pytest.mark.parametrize("game", ["linko", "blocco"])
def test_a_second_look_is_learned_and_all_else_stays(game: str, tmp_path: Path) -> None:
    start, settings = small(game, iterations=2)
    train(tiny(game, **settings), tmp_path, "cpu", quiet, start)
    rows = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    some = [row for row in rows if "afterstate_loss" in row]
    assert len(some) == 2
    assert all(0 < row["afterstates"] <= 24 * 8 for row in some)
    assert any("start_wins" in row for row in rows)
    assert "second look" in (tmp_path / "report.html").read_text(encoding="utf-8")
    before, after = read_weights(start), read_weights(tmp_path / "weights.safetensors")
    for name, array in before.arrays.items():
        assert (array == after.arrays[name]).all(), name
    brain = Brain(get_game(game), tmp_path / "weights.safetensors")
    assert brain.afterstate is not None
    assert brain.trust != 0
    # Numbers in PyTorch and in what bots play with, from the same file.
    batch = Batch(game, 32, seed=5, threads=1)
    for _ in range(30):
        batch.random_step()
    seen = batch.observations().copy()
    stage = Stage(
        tiny(game, **small(game, iterations=1)[1]),
        tmp_path / "more",
        "cpu",
        quiet,
        tmp_path / "weights.safetensors",
    )
    assert stage.nets.afterstate is not None
    theirs = stage.nets.afterstate(torch.from_numpy(seen)).detach().numpy()
    assert np.abs(brain.afterstate.many(seen) - theirs).max() < 1e-4


def test_it_needs_a_policy(tmp_path: Path) -> None:
    with pytest.raises(OptionsError, match="on top of a policy: give its weights with --start"):
        train(tiny("linko", **SMALL, iterations=1), tmp_path, "cpu", quiet)
    with pytest.raises(OptionsError, match="afterstates must be from 0 to 128"):
        tiny("linko", afterstates=129)
    with pytest.raises(OptionsError, match="afterstate_heat must be above 0"):
        tiny("linko", afterstates=1, afterstate_heat=0)


def test_it_learns_what_came_of_actions(tmp_path: Path) -> None:
    """Told that what leaves fewer cards in the hand is better, it soon foresees that in other positions."""
    start, settings = small("linko", iterations=1, afterstates=96)
    stage = Stage(tiny("linko", **settings), tmp_path, "cpu", quiet, start)
    afterstates = Afterstates(stage.nets, stage.config, "cpu")
    afterstates.deal(7)

    def found(number: int) -> Tried:
        tried: Tried = afterstates.play(luck_of("cpu", number))
        tried.values = -tried.after[..., :16].float().sum(-1) / 10
        return tried

    known = afterstates.figures(found(1))["afterstate_fit"]
    for number in range(2, 6):
        afterstates.learn(found(number), 3e-3, luck_of("cpu", number, 1))
    figures = afterstates.figures(found(6))
    assert figures["afterstate_fit"] > max(0.7, known)
    assert figures["afterstate_gain"] > 0
    assert figures["afterstate_changes"] > 0.1


def test_actions_that_are_not_there_count_for_nothing() -> None:
    chances = torch.tensor([[0.6, 0.39, 0.004, 0.003, 0.003], [0.995, 0.002, 0.001, 0.001, 0.001]]).log()
    actions, odds, held = likeliest(chances)
    assert held.tolist() == [[True, True, False, False], [True, False, False, False]]
    assert actions.tolist() == [[0, 1, 0, 0], [0, 0, 0, 0]]
    assert odds[0, 1] == pytest.approx(np.log(0.39))
    ahead = centred(torch.tensor([[3.0, 1.0, 50.0, 60.0], [7.0, 9.0, 9.0, 9.0]]), held.float())
    assert ahead.tolist() == [[1.0, -1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]


def test_judging_adds_what_the_policy_thought(tmp_path: Path) -> None:
    start, settings = small("blocco", iterations=1)
    stage = Stage(tiny("blocco", **settings), tmp_path, "cpu", quiet, start)
    judge = Judge(stage.nets)
    after = torch.zeros((2, 4, get_game("blocco").observation_size), dtype=torch.int8)
    odds = -torch.arange(8.0).view(2, 4)
    with torch.no_grad():
        alone = judge(after, odds)
        judge.network.values["trust"].fill_(0.5)
        assert torch.allclose(judge(after, odds), alone + 0.5 * odds)
