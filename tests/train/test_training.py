"""A whole training in small: it learns, goes on exactly, and its networks are the bots' networks."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs PyTorch: pip install 'lynxden[train]'")

from lynxden.batch import Batch  # noqa: E402
from lynxden.bots.network import Network as Played  # noqa: E402
from lynxden.bots.weights import WeightsError, read_weights  # noqa: E402
from lynxden.games.errors import OptionsError  # noqa: E402
from lynxden.games.registry import get_game  # noqa: E402
from lynxden.train.code import (  # noqa: E402
    MORE,
    find_code,
    for_bots,
    place_of_others,
    refined,
    thinned,
    told_of_others,
)
from lynxden.train.config import Config  # noqa: E402
from lynxden.train.lanes import Lanes, Tensor, log_chances, luck_of, tensor, worth  # noqa: E402
from lynxden.train.network import Network, new_arrays  # noqa: E402
from lynxden.train.ppo import SelfPlay, fork_loss  # noqa: E402
from lynxden.train.run import Stage, train  # noqa: E402
from lynxden.train.teacher import _targets  # noqa: E402

TINY = {
    "lanes": 128, "steps": 16, "minibatch": 1024, "width": 32, "blocks": 1, "critic_blocks": 1,
    "reflex_width": 16, "checkpoint": 2, "evaluate": 2, "match_games": 8, "positions": 4, "worlds": 4,
    "depth": 2, "lessons": 8,
}  # fmt: skip


def quiet(line: str) -> None:
    assert line


def tiny(game: str, **more: object) -> Config:
    return Config.of({"game": game, "seed": 3, **TINY, **more})


@pytest.mark.parametrize("game", ["linko", "blocco"])
def test_a_training_with_lessons_leaves_weights_and_a_report(game: str, tmp_path: Path) -> None:
    train(tiny(game, iterations=4, teach_from=0.5), tmp_path, "cpu", quiet)
    rows = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    assert rows[-1]["iteration"] == 4
    assert any("entropy" in row for row in rows)
    assert any(0 <= row.get("greedy_wins", -1) <= 1 for row in rows)
    assert any("search_gain" in row for row in rows)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Wins against three greedy bots" in page
    assert "http" not in page.replace("http-equiv", "")
    weights = read_weights(tmp_path / "weights.safetensors")
    assert weights.about["game"] == game
    # The same numbers in PyTorch and in what bots play with, from the same file.
    batch = Batch(game, 64, seed=5, threads=1)
    for _ in range(30):
        batch.random_step()
    seen = batch.observations().copy()
    inputs, outputs = get_game(game).observation_size, get_game(game).action_count
    for name in ("policy", "reflex"):
        theirs = Network(weights.part(name), "cpu")(torch.from_numpy(seen)).detach().numpy()
        played = Played(weights.part(name), inputs, outputs)
        assert np.abs(played.many(seen) - theirs).max() < 1e-4
        every = np.arange(outputs)
        one = np.stack([played.one(row, every) for row in seen])
        assert np.abs(one - theirs).max() < 1e-4


def test_going_on_from_a_checkpoint_is_exact(tmp_path: Path) -> None:
    """Stopped after two of four iterations, and never stopped: the same weights to the last bit."""
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    config = tiny("blocco", iterations=4)
    train(config, whole, "cpu", quiet)

    class Stop(Exception):
        pass

    def stop(line: str) -> None:
        if line.startswith("    3"):
            raise Stop

    with pytest.raises(Stop):
        train(config, parts, "cpu", stop)
    assert not (parts / "weights.safetensors").exists()
    train(config, parts, "cpu", quiet)
    one, other = (read_weights(folder / "checkpoint.safetensors").arrays for folder in (whole, parts))
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert (array == other[name]).all(), name
    with pytest.raises(OptionsError, match=r"other settings \(rate\)"):
        train(config.but(rate=1.0), parts, "cpu", quiet)


def test_a_stage_begins_where_another_ended(tmp_path: Path) -> None:
    train(tiny("blocco", iterations=1), tmp_path / "one", "cpu", quiet)
    start = tmp_path / "one" / "checkpoint.safetensors"
    train(tiny("blocco", iterations=1, rate=1e-9), tmp_path / "two", "cpu", quiet, start)
    one, two = (read_weights(tmp_path / name / "checkpoint.safetensors") for name in ("one", "two"))
    assert np.allclose(one.arrays["policy.in.weight"], two.arrays["policy.in.weight"], atol=1e-6)
    assert json.loads(two.about["progress"])["earlier"]["decisions"] == 128 * 16
    with pytest.raises(WeightsError, match="does not fit Linko"):
        train(tiny("linko", iterations=1), tmp_path / "three", "cpu", quiet, start)


def test_a_belief_learns_alone_and_the_other_networks_stay(tmp_path: Path) -> None:
    train(tiny("linko", iterations=1, belief_width=4), tmp_path / "one", "cpu", quiet)
    start = tmp_path / "one" / "weights.safetensors"
    config = tiny("linko", iterations=2, only_belief=True, belief_width=4, belief_rate=0.1, belief_batch=32)
    train(config, tmp_path / "two", "cpu", quiet, start)
    one, two = (read_weights(tmp_path / name / "weights.safetensors").arrays for name in ("one", "two"))
    assert one.keys() == two.keys()
    same = {name.partition(".")[0] for name, array in one.items() if (two[name] == array).all()}
    changed = {name.partition(".")[0] for name, array in one.items() if not (two[name] == array).all()}
    assert changed == {"belief"}
    assert same >= {"policy", "critic", "reflex"}
    rows = [json.loads(line) for line in (tmp_path / "two" / "log.jsonl").read_text("utf-8").splitlines()]
    losses = [row["belief_loss"] for row in rows if "belief_loss" in row]
    assert abs(losses[0] - np.log(2)) < 0.1, "who knows nothing is wrong half of the time"


def test_a_belief_learns_what_hands_are_like(tmp_path: Path) -> None:
    """Here real hands are as chance has them, and the others are empty."""
    stage = Stage(tiny("linko", iterations=1, belief_batch=64), tmp_path, "cpu", quiet, None)
    stage._deal()
    assert stage.play is not None
    luck = luck_of("cpu", 1)
    stage.play.play(stage.nets.policy, None, luck)
    real, imagined = stage.play.hands(luck)
    observed = get_game("linko").observation_size
    assert (real[:, :observed] == imagined[:, :observed]).all(), "the same position"
    assert (real[:, observed:] != imagined[:, observed:]).any(), "with other hands"
    empty = real.clone()
    empty[:, observed + 16 :] = 0
    losses = [stage.learner.learn_belief(real, empty, None, 0.01, luck)["belief_loss"] for _ in range(60)]
    assert losses[-1] < 0.1 < losses[0]


@pytest.mark.parametrize("game", ["linko", "blocco"])
def test_a_belief_learns_from_the_hands_that_it_takes_for_likely(game: str, tmp_path: Path) -> None:
    """They are of the same positions and as large; what they lack to be real can be learned."""
    stage = Stage(tiny(game, iterations=1, belief_batch=64, belief_moves=20), tmp_path, "cpu", quiet, None)
    stage._deal()
    assert stage.play is not None
    luck = luck_of("cpu", 1)
    stage.play.play(stage.nets.policy, None, luck)
    real, imagined = stage.play.hands(luck)
    moved = stage.play.moved(stage.nets.belief, luck)
    observed = get_game(game).observation_size
    assert (real[:, :observed] == moved[:, :observed]).all(), "the same position"

    def sizes(rows: Any) -> Any:
        return rows[:, observed : real.shape[1]].reshape(len(rows), 5, -1).sum(-1)

    assert (sizes(real) == sizes(moved)).all(), "as many cards in every hand"
    others = (real != moved).any(1).float().mean()
    assert others > 0.5, "mostly with other cards"
    told = [stage.learner.learn_belief(real, imagined, moved, 0.01, luck)["belief_told"] for _ in range(60)]
    assert told[-1] > told[0] + 0.1


def test_where_only_the_belief_learns_games_may_be_played_by_the_likeliest_actions(tmp_path: Path) -> None:
    found = []
    for heat in (1.0, 1e-6):
        config = tiny("linko", iterations=1, only_belief=True, heat=heat)
        stage = Stage(config, tmp_path / str(heat), "cpu", quiet, None)
        stage._deal()
        assert stage.play is not None
        stage.play.play(stage.nets.policy, None, luck_of("cpu", 1))
        chances = stage.play._act(
            stage.nets.policy,
            stage.play._seen[:-1, :, : stage.play._observed].flatten(0, 1),
            stage.play._masks[:-1].flatten(0, 1),
        )
        found.append(float((chances.argmax(-1) == stage.play._actions.flatten()).float().mean()))
    assert found[0] < 0.9
    assert found[1] > 0.999  # but for ties


def test_settings_of_the_belief_are_checked() -> None:
    with pytest.raises(OptionsError, match="belief_moves must be at least 0, not -1"):
        tiny("linko", belief_moves=-1)
    with pytest.raises(OptionsError, match="heat must be above 0, not 0"):
        tiny("linko", heat=0.0)


def test_a_wider_belief_begins_anew(tmp_path: Path) -> None:
    train(tiny("linko", iterations=1, belief_width=4), tmp_path / "one", "cpu", quiet)
    start = tmp_path / "one" / "checkpoint.safetensors"
    stage = Stage(tiny("linko", iterations=1, belief_width=6), tmp_path / "two", "cpu", quiet, start)
    assert len(stage.nets.belief.arrays()["in.bias"]) == 6
    policy = read_weights(start).part("policy")["in.weight"].astype(np.float32)
    assert (stage.nets.policy.arrays()["in.weight"] == policy).all()


def test_what_is_rare_can_be_left_out_of_what_bots_get(tmp_path: Path) -> None:
    train(tiny("blocco", iterations=1), tmp_path / "one", "cpu", quiet)
    start = tmp_path / "one" / "weights.safetensors"
    config = tiny("blocco", iterations=1, only_belief=True, rare=0.05)
    train(config, tmp_path / "two", "cpu", quiet, start)
    one, two = (read_weights(tmp_path / name / "weights.safetensors") for name in ("one", "two"))
    for name in ("critic", "belief"):
        before, after = one.part(name), two.part(name)
        assert len(after["places"]) < len(before["places"])
        assert after["in.weight"].shape[1] == len(after["places"]) == len(after["steps"])
    for name in ("policy", "reflex"):
        for key, array in one.part(name).items():
            assert (two.part(name)[key] == array).all(), f"{name}.{key}"
    train(tiny("blocco", iterations=1, rare=0.05), tmp_path / "three", "cpu", quiet, start)
    three = read_weights(tmp_path / "three" / "weights.safetensors")
    for name in ("policy", "critic", "reflex", "belief"):
        assert len(three.part(name)["places"]) < len(one.part(name)["places"]), "where all learn"
    with pytest.raises(OptionsError, match=r"from 0 to below 0\.5, not 0\.5"):
        tiny("blocco", rare=0.5)


def test_without_rare_steps_a_network_judges_as_before_where_they_do_not_matter() -> None:
    """Of four steps one is never reached and one always is: neither makes a difference."""
    rng = np.random.default_rng(2)
    places, steps = np.array([0, 0, 1, 2], np.int16), np.array([1, 5, 1, 1], np.int8)
    network = new_arrays((places, steps), 8, 1, 3, 1)
    network["in.bias"] = rng.standard_normal(8).astype(np.float32)
    lighter = thinned(network, np.array([0.5, 0.0001, 0.9999, 0.4], np.float32), 0.001)
    assert lighter["places"].tolist() == [0, 2]
    seen = torch.tensor([[0, 1, 0], [4, 2, 1], [1, 1, 1]], dtype=torch.int8)
    assert torch.allclose(Network(network, "cpu")(seen), Network(lighter, "cpu")(seen), atol=1e-6)
    rare = torch.tensor([[5, 1, 0]], dtype=torch.int8)
    assert not torch.allclose(Network(network, "cpu")(rare), Network(lighter, "cpu")(rare), atol=1e-6)


def test_more_steps_of_a_byte_count_for_nothing_until_they_are_learned() -> None:
    code, fine = (find_code("blocco", hidden=False, levels=levels) for levels in (16, 127))
    assert len(fine[0]) > len(code[0]) + 300
    coarse = new_arrays(code, 8, 1, 5, 1)
    more = refined(coarse, fine)
    held = set(zip(more["places"].tolist(), more["steps"].tolist(), strict=True))
    assert held >= set(zip(fine[0].tolist(), fine[1].tolist(), strict=True))
    assert len(held) == len(more["places"]) == more["in.weight"].shape[1]
    batch = Batch("blocco", 64, seed=5, threads=1)
    for _ in range(30):
        batch.random_step()
    seen = torch.from_numpy(batch.observations().copy())
    one, other = Network(coarse, "cpu"), Network(more, "cpu")
    assert torch.allclose(one(seen), other(seen), atol=1e-5)
    assert refined(more, fine)["in.weight"].shape == more["in.weight"].shape


def test_a_stage_can_begin_with_more_steps(tmp_path: Path) -> None:
    train(tiny("blocco", iterations=1), tmp_path / "one", "cpu", quiet)
    start = tmp_path / "one" / "weights.safetensors"
    train(tiny("blocco", iterations=1, levels=127), tmp_path / "two", "cpu", quiet, start)
    before, after = (read_weights(tmp_path / name / "checkpoint.safetensors") for name in ("one", "two"))
    for name in ("policy", "critic", "reflex", "belief"):
        assert len(after.part(name)["places"]) > len(before.part(name)["places"]) + 300
    assert after.arrays["policy.in.weight"][:, -300:].any(), "they are learned"


def test_in_some_games_others_have_all_seats_but_one(tmp_path: Path) -> None:
    config = tiny("linko", iterations=1, guests=0.25, heuristic=0.5)
    play = SelfPlay(config, "cpu", 1)
    policy = Network(
        new_arrays(find_code("linko", hidden=False), 32, 1, get_game("linko").action_count, 1), "cpu"
    )
    play.play(policy, policy, luck_of("cpu", 1))
    mine, actors = play._mine, play._actors[:-1]
    own = actors == play.own_seat
    assert (mine[:, :32] == own[:, :32]).all(), "past selves decide for all other seats"
    assert not own[:, :32].all()
    assert mine[:, 32:].all()
    assert (actors[:, 32:64] > 0).any(), "self-play: the policy has all seats"
    assert (actors[:, 64:] == 0).all(), "greedy plays inside the batch, so that every row is the policy's"
    assert play._ended[:, 64:].any()
    others = play._seen[:, :, place_of_others(get_game("linko"))]
    assert (others[:, 64:] == 1).all(), "the critic is told who the others are"
    assert (others[:, :64] == 0).all()
    with pytest.raises(OptionsError, match=r"together at most 1, not 0\.6 and 0\.5"):
        tiny("linko", guests=0.6, heuristic=0.5)


def test_a_critic_that_was_not_told_of_the_others_judges_as_before() -> None:
    game = get_game("blocco")
    before = new_arrays(find_code("blocco", hidden=True), 32, 1, 5, 1)
    told = told_of_others(before, game)
    rng = np.random.default_rng(1)
    seen = torch.from_numpy(rng.integers(0, 3, (16, place_of_others(game) + MORE), np.int8))
    assert torch.equal(Network(before, "cpu")(seen), Network(told, "cpu")(seen))
    assert told_of_others(told, game) is told
    for name, array in for_bots(told, game).items():
        assert (array == before[name]).all(), name
    told["in.weight"][:, -1] = 1.0
    assert not torch.equal(Network(before, "cpu")(seen), Network(told, "cpu")(seen))


def test_an_exploiter_plays_against_the_network_it_began_from(tmp_path: Path) -> None:
    train(tiny("blocco", iterations=1), tmp_path / "one", "cpu", quiet)
    start = tmp_path / "one" / "checkpoint.safetensors"
    config = tiny("blocco", iterations=3, exploit=True)
    stage = Stage(config, tmp_path / "two", "cpu", quiet, start)
    (tmp_path / "two").mkdir()
    stage.run()
    assert stage.prior is not None
    assert stage._past == [stage.prior]
    assert stage.play is not None
    assert (stage.play._mine == (stage.play._actors[:-1] == stage.play.own_seat)).all()
    first = read_weights(start).part("policy")["in.weight"].astype(np.float32)
    assert (stage.prior.arrays()["in.weight"] == first).all(), "the opponents stay as they were"
    assert (stage.nets.policy.arrays()["in.weight"] != first).any()
    with pytest.raises(OptionsError, match="give its checkpoint with --start"):
        Stage(config, tmp_path / "three", "cpu", quiet, None)


def test_tensors_share_the_memory_of_a_batch() -> None:
    lanes = Lanes(Batch("linko", 8, tables=[("classic", 4), ("duel", 2)] * 4, seed=1, threads=1))
    assert lanes.players.tolist() == [4, 2] * 4
    lanes.records[2:4] = lanes.records[0:2]  # a copy of two games
    seen, _, _ = lanes.look()
    assert (seen[2:4] == seen[0:2]).all()
    lanes.streams[:] = torch.arange(8)
    lanes.imagine()
    assert (tensor(lanes.batch.observations()) == seen).all(), "who decides sees the same"
    assert (lanes.hidden()[0] != lanes.hidden()[2]).any(), "and the other hands have changed"


def test_what_a_game_is_worth() -> None:
    scores = torch.tensor([[3, 3, -5, 0], [7, 2, 1, 0]])
    winners = torch.tensor([[True, True, False, False], [True, False, False, False]])
    found = worth(scores, winners, torch.tensor([4, 3]), 0.02)
    assert torch.allclose(found[0], torch.tensor([0.5, 0.5, -0.16, -0.06]))
    assert torch.allclose(found[1], torch.tensor([1.1, -0.1, -0.12, 0.0]))


def test_lessons_move_chances_towards_the_better_candidate() -> None:
    before = torch.log(torch.tensor([[0.5, 0.3, 0.1, 0.1]]))
    some = torch.tensor([[0, 1, 0]])  # the third place is a filler
    after = _targets(before, some, torch.tensor([[0.2, 0.4, 0.2]]), torch.full((1, 3), 0.01), 0.1)
    assert torch.allclose(after.sum(), torch.tensor(1.0))
    assert torch.allclose(after[0, 2:], torch.tensor([0.1, 0.1])), "what was not searched stays"
    assert after[0, 1] > 0.6
    same = _targets(before, some, torch.zeros(1, 3), torch.full((1, 3), 0.01), 0.1)
    assert torch.allclose(same, before.exp())


@pytest.mark.parametrize("game", ["linko", "blocco"])
def test_forks_try_legal_actions_and_the_better_one_becomes_likelier(game: str, tmp_path: Path) -> None:
    config = tiny(game, iterations=2, forks=32, fork_depth=2, heuristic=0.25, equals=0.5)
    stage = Stage(config, tmp_path, "cpu", quiet, None)
    stage._deal()
    assert stage.play is not None
    assert stage.forking is not None
    luck = luck_of("cpu", 1)
    stage.play.play(stage.nets.policy, None, luck, stage.forking)
    found, figures = stage.forking.take()
    tried = found.pulls > 0
    assert figures["forks"] == tried.sum() > 0
    assert len(found.gains) == config.forks * config.steps
    assert found.masks.gather(1, found.pairs)[tried].all(), "both actions are legal"
    assert (found.pairs[tried, 0] != found.pairs[tried, 1]).all()
    assert (found.pairs[~tried, 0] == found.pairs[~tried, 1]).all()
    assert not found.gains[~tried].any()

    def odds() -> Tensor:
        chances = log_chances(stage.nets.policy(found.seen), found.masks).detach().gather(1, found.pairs)
        return (chances[:, 1] - chances[:, 0])[tried]

    before = odds()
    policy = stage.nets.policy
    net = policy.values, policy.places, policy.steps
    optimizer = torch.optim.Adam(policy.parameters, lr=1e-3)
    for _ in range(200):
        optimizer.zero_grad()
        fork_loss(
            net, policy.kind, found.seen, found.masks, found.pairs, found.gains, found.pulls * 20
        ).backward()
        optimizer.step()
    moved, wanted = odds() - before, found.gains[tried] / (20 * found.pulls[tried]) - before
    assert torch.corrcoef(torch.stack([moved, wanted]))[0, 1] > 0.5, "chances follow what came out"


def test_a_stage_with_forks_runs_to_its_end(tmp_path: Path) -> None:
    train(tiny("linko", iterations=2, forks=16, fork_depth=2, equals=0.5), tmp_path, "cpu", quiet)
    rows = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    some = [row for row in rows if "forks" in row]
    assert len(some) == 2
    assert all(0 < row["forks"] <= 16 * TINY["steps"] and row["fork_spread"] > 0 for row in some)
    assert "second actions" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_from_a_handful_of_forks_nothing_is_learned(tmp_path: Path) -> None:
    """Too few to have a spread: the same weights as without, and no number that is none."""
    luck = luck_of("cpu", 1)
    stage = Stage(tiny("linko", iterations=1, steps=8, forks=1, fork_depth=2), tmp_path, "cpu", quiet, None)
    stage._deal()
    assert stage.play is not None
    assert stage.forking is not None
    stage.play.play(stage.nets.policy, None, luck, stage.forking)
    found, figures = stage.forking.take()
    assert figures == {"forks": figures["forks"]}
    assert 0 <= figures["forks"] <= 8
    assert not found.gains.any()
    assert not found.pulls.any()
    policy = stage.nets.policy
    net = policy.values, policy.places, policy.steps
    loss = fork_loss(net, policy.kind, found.seen, found.masks, found.pairs, found.gains, found.pulls)
    assert float(loss.detach()) == 0.0
