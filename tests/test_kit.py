"""One kit, every game: what must hold for each registered game, edition and number of players."""

import copy
import json
import os
import pickle
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lynxden.batch import Batch
from lynxden.games.core import OPEN, Game, Position
from lynxden.games.errors import IllegalAction, MalformedAction, OutOfTurn
from lynxden.games.match import Match
from lynxden.games.registry import GAMES
from lynxden.records import Recorder, read_record, verify
from tests.kit import EVERY, VARIANTS, random_game, walk

SEEDS = range(3)


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_legal_lists_rise_and_are_unique(game: Game, edition: str, players: int) -> None:
    for seed in SEEDS:
        for position in random_game(game, edition, players, seed):
            numbers = position.legal_numbers
            assert numbers == sorted(set(numbers))
            assert all(0 <= number < game.action_count for number in numbers)
            texts = [str(action) for action in position.legal_actions]
            assert len(set(texts)) == len(texts) == len(numbers)
            assert bool(numbers) != position.over


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_no_card_is_lost(game: Game, edition: str, players: int) -> None:
    kernels: Any = game.kernels
    whole = Counter(game.deck)
    for seed in SEEDS:
        for position in random_game(game, edition, players, seed):
            assert position.all_cards() == whole
            if position.seat is not None:
                sampled = position.view(position.seat).sample(np.random.default_rng(seed))
                assert sampled.all_cards() == whole
                table = sampled.kernel_form()
                kernels.exchange_many(table, 0, 1, np.array([seed], np.uint64))
                exchanged = game.position_type(table)
                assert exchanged.all_cards() == whole
                assert exchanged.view(position.seat) == position.view(position.seat)


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_shortcuts_agree_with_the_generator(game: Game, edition: str, players: int) -> None:
    kernels: Any = game.kernels
    row = np.empty(game.action_count, np.uint8)
    words = np.empty(-(-game.action_count // 8), np.int64)
    for position in random_game(game, edition, players, seed=5):
        record = position.kernel_form()[0]
        numbers = position.legal_numbers
        words[:] = [kernels.mask_word(record, word) for word in range(len(words))]
        assert np.flatnonzero(words.view(np.int8)).tolist() == numbers
        assert set(words.view(np.int8)) <= {0, 1}
        assert game.rules.legal_count(record) == len(numbers)
        assert [game.rules.legal_at(record, index) for index in range(len(numbers))] == numbers
        if not position.over:
            game.rules.legal_mask(record, row)
            assert np.flatnonzero(row).tolist() == numbers
            assert row.max() == 1


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_text_forms_and_numbers_round_trip(game: Game, edition: str, players: int) -> None:
    for position in random_game(game, edition, players, seed=3):
        records = position.kernel_form()
        for action, number in zip(position.legal_actions, position.legal_numbers, strict=True):
            assert game.parse(str(action)) == action
            assert hash(game.parse(str(action))) == hash(action)
            assert game.number_of(records, action) == number
            assert game.action_of(records, number) == action
            assert position.is_legal(action)


@pytest.mark.parametrize("game", EVERY.values(), ids=EVERY)
@pytest.mark.parametrize(
    "text",
    ["", " ", "nonsense", "take  ", " take", "play", "draw", "TAKE", "take 0", "x" * 5000, "play 14", "\n"],
)
def test_what_is_no_action_is_malformed(game: Game, text: str) -> None:
    position = game.new(seed=1)
    before = position.copy()
    with pytest.raises(MalformedAction):
        position.apply(text)
    assert position == before


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_only_the_deciding_seat_may_act(game: Game, edition: str, players: int) -> None:
    for position in list(random_game(game, edition, players, seed=4))[:-1]:
        action = position.legal_actions[0]
        for seat in range(players):
            view = position.view(seat)
            if seat == position.seat:
                assert view.legal_actions == position.legal_actions
                position.apply(action, seat)
            else:
                assert view.legal_actions == ()
                with pytest.raises(OutOfTurn):
                    position.apply(action, seat)
        assert position.view(None).legal_actions == ()


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_illegal_actions_are_refused_and_change_nothing(game: Game, edition: str, players: int) -> None:
    for position in list(random_game(game, edition, players, seed=6))[::7]:
        legal = set(position.legal_actions)
        before = position.copy()
        refused = [action for action in game.action_table if action is not None and action not in legal]
        for action in refused[:: len(refused) // 40 + 1]:
            assert not position.is_legal(action)
            with pytest.raises(IllegalAction, match="not legal"):
                position.apply(action)
        loop = position.loop()
        for number in (-1, -5, game.action_count, 10**9):
            with pytest.raises(IllegalAction):
                loop.step(number)
        assert loop.position() == position == before


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_positions_are_values(game: Game, edition: str, players: int) -> None:
    positions = list(random_game(game, edition, players, seed=8))
    for position, after in pairwise(positions[:40]):
        kept = position.copy()
        assert kept == position
        assert hash(kept) == hash(position)
        assert after != position
        assert position.view(0) == kept.view(0)
        assert position != position.view(0)
    assert len(set(positions)) == len(positions)


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_records_round_trip(game: Game, edition: str, players: int) -> None:
    positions = list(random_game(game, edition, players, seed=9))
    recorder = Recorder(positions[0], [f"Ä{seat}" for seat in range(players)], id="x", seed=9)
    rng_path = iter(positions[1:])
    for after in rng_path:
        before = recorder.position
        action = next(a for a in before.legal_actions if before.apply(a) == after)
        recorder.apply(action)
    record = recorder.record()
    again = read_record(record.to_json())
    assert again == record
    assert verify(again) == len(record.actions)
    assert json.loads(record.to_json())["format"] == "lynxden/1"
    assert again.extra == {"id": "x", "seed": 9}


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_deals_hold_the_whole_deck(game: Game, edition: str, players: int) -> None:
    for seed in range(20):
        position = game.new(edition, players, seed=seed)
        again = game.read_deal(position.options, position.active, game.deal_of(position))
        assert again == position
        cards = Counter(str(game.deal_of(position)).replace("'", " ").replace(",", " ").split())
        for card, count in Counter(game.deck).items():
            assert cards[card] == count


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_an_explicit_deck_deals_the_same_as_a_record_says(game: Game, edition: str, players: int) -> None:
    deck = list(game.deck)
    one = game.new(edition, players, deck=deck)
    assert one == game.new(edition, players, deck=" ".join(deck))
    assert game.read_deal(one.options, 0, game.deal_of(one)) == one


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_views_leak_nothing(game: Game, edition: str, players: int) -> None:
    """Redeal what a viewer cannot see: their view stays the same to the last byte, now and later."""
    rng = np.random.default_rng(1)
    for position in list(random_game(game, edition, players, seed=10))[::5]:
        for seat in [None, *range(players)]:
            view = position.view(seat)
            other = view.sample(rng)
            assert other.view(seat) == view
            assert other.view(seat).kernel_form().tobytes() == view.kernel_form().tobytes()
            assert str(other.view(seat)) == str(view)
            assert other.scores == position.scores
            if seat is not None:
                assert (other.view(seat).observation() == view.observation()).all()
            if seat is not None and seat == position.seat:
                assert other.legal_actions == position.legal_actions


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_observations_of_a_game_and_of_its_view_are_equal(game: Game, edition: str, players: int) -> None:
    for position in list(random_game(game, edition, players, seed=11))[::4]:
        for seat in range(players):
            full = np.zeros(game.observation_size // 8, np.int64)
            game.kernels.observe(position.kernel_form(), 0, seat, full)
            assert (full.view(np.int8) == position.view(seat).observation()).all()
    assert sum(game.observation_fields.values()) == game.observation_size == 8 * game.encode.WORDS


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_batches_play_the_same_games(game: Game, edition: str, players: int) -> None:
    """Lock-step, whole playouts, threads and single positions all agree."""
    size = 96
    batch, other = (
        Batch(game.name, size, edition=edition, players=players, seed=5, threads=threads)
        for threads in (1, 2)
    )
    positions = [batch.position(index) for index in range(size)]
    for _ in range(25):
        actions = batch.random_actions().copy()
        assert (actions == other.random_actions()).all()
        masks, observations, actors = batch.legal_masks(), batch.observations(), batch.actors()
        for index in range(0, size, 7):
            position = positions[index]
            assert np.flatnonzero(masks[index]).tolist() == position.legal_numbers
            assert actors[index] == (-1 if position.seat is None else position.seat)
            if position.seat is not None:
                assert (observations[index] == position.view(position.seat).observation()).all()
                number = int(actions[index])
                positions[index] = position.apply(game.action_of(position.kernel_form(), number))
        batch.step(actions)
        other.step(actions, check=False)
        assert batch.records.tobytes() == other.records.tobytes()
        for index in range(0, size, 7):
            assert batch.position(index) == positions[index]
    assert (batch.playout() == other.playout()).all()
    assert batch.records.tobytes() == other.records.tobytes()
    assert batch.over
    results = batch.results()
    for index in range(0, size, 7):
        outcome = batch.position(index).outcome
        assert outcome is not None
        assert tuple(results.scores[index]) == outcome.scores
        assert tuple(np.flatnonzero(results.winners[index])) == outcome.winners
        assert results.reasons[index] == outcome.reason


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_no_game_is_outside_its_bounds(game: Game, edition: str, players: int) -> None:
    """Random and greedy games: decisions, scores at any time, and the texts of actions."""
    lowest, highest = game.score_bounds
    for seed in SEEDS:
        positions = list(random_game(game, edition, players, seed))
        for position in positions:
            assert all(lowest <= score <= highest for score in position.scores)
            assert all(len(str(action)) <= game.longest_action_text for action in position.legal_actions)
        assert game.longest_game is None or len(positions) - 1 <= game.longest_game
    for bot in ("random", "greedy"):
        batch = Batch(game.name, 200, edition=edition, players=players, seed=1)
        decisions = batch.play([bot] * players).decisions
        assert game.longest_game is None or decisions.max() <= game.longest_game
        scores = batch.results().scores
        assert lowest <= scores.min() <= scores.max() <= highest


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_positions_and_views_can_be_pickled_and_copied(game: Game, edition: str, players: int) -> None:
    for position in list(random_game(game, edition, players, seed=13))[::9]:
        for again in (pickle.loads(pickle.dumps(position)), copy.copy(position), copy.deepcopy(position)):
            assert again == position
            assert again is not position
            assert type(again) is type(position)
            assert again.legal_actions == position.legal_actions
            for seat in (None, OPEN, *range(players)):
                assert again.events(seat) == position.events(seat)
        for seat in (None, *range(players)):
            view = position.view(seat)
            for seen in (pickle.loads(pickle.dumps(view)), copy.copy(view), copy.deepcopy(view)):
                assert seen == view
                assert seen.viewer == view.viewer
                assert seen.legal_actions == view.legal_actions
                assert str(seen) == str(view)


@pytest.mark.parametrize("game", EVERY.values(), ids=EVERY)
def test_there_is_one_of_each_game(game: Game) -> None:
    assert pickle.loads(pickle.dumps(game)) is copy.copy(game) is copy.deepcopy(game) is game
    match = Match.of(game)
    assert pickle.loads(pickle.dumps(match)) == match


DIGEST = """
import hashlib, json, sys
from tests.kit import VARIANTS, random_game
import numpy as np
found = {}
for variant in VARIANTS:
    game, edition, players = variant.values
    digest = hashlib.sha256()
    for step, position in enumerate(random_game(game, edition, players, seed=2)):
        if step > 40: break
        digest.update(position.kernel_form().tobytes())
        digest.update(str(position.legal_numbers).encode())
        if not position.over:
            view = position.view(position.seat)
            digest.update(view.kernel_form().tobytes() + view.observation().tobytes())
            digest.update(str(game.kernels.greedy_choice(view.kernel_form(), 0)).encode())
            digest.update(view.sample(np.random.default_rng(step)).kernel_form().tobytes())
    found[variant.id] = digest.hexdigest()
print(json.dumps(found))
"""


def test_interpreted_and_compiled_rules_agree() -> None:
    """The same source, run as plain Python and compiled, gives the same bytes."""
    found = []
    for disabled in ("0", "1"):
        run = subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            cwd=Path(__file__).parents[1],
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(json.loads(run.stdout))
    assert found[0] == found[1]
    assert len(found[0]) == len(VARIANTS)


def count_lines(position: Position, depth: int) -> int:
    """How many ways there are to make `depth` decisions from here."""
    if depth == 1 or position.over:
        return len(position.legal_actions)
    return sum(count_lines(position.apply(action), depth - 1) for action in position.legal_actions)


TREES = [
    line
    for path in sorted((Path(__file__).parent / "trees").glob("*.txt"))
    for line in path.read_text(encoding="utf-8").splitlines()
    if line.strip() and not line.startswith("#")
]
MOST_LINES = 30_000


@pytest.mark.parametrize("line", TREES)
def test_tree_counts(line: str) -> None:
    """Numbers of legal lines from fixed positions; the deep ones only where they are few."""
    where, _, counts = line.partition(":")
    name, edition, players, seed, steps = where.split()
    position = walk(GAMES[name].new(edition, int(players), seed=int(seed)), int(steps))
    for depth, count in enumerate(counts.split(), start=1):
        if int(count) <= MOST_LINES:
            breakdown = (
                {str(a): count_lines(position.apply(a), depth - 1) for a in position.legal_actions}
                if depth > 1
                else {}
            )
            assert count_lines(position, depth) == int(count), breakdown


@pytest.mark.slow
@pytest.mark.parametrize("line", TREES)
def test_deep_tree_counts(line: str) -> None:
    where, _, counts = line.partition(":")
    name, edition, players, seed, steps = where.split()
    position = walk(GAMES[name].new(edition, int(players), seed=int(seed)), int(steps))
    for depth, count in enumerate(counts.split(), start=1):
        assert count_lines(position, depth) == int(count)


def test_every_game_has_tree_counts_and_golden_games() -> None:
    counted = {tuple(line.split()[:2]) for line in TREES}
    golden = {path.stem for path in (Path(__file__).parent / "golden").glob("*.txt")}
    for game in GAMES.values():
        for edition in game.editions:
            assert (game.name, edition) in counted
            assert f"{game.name}-{edition}" in golden
