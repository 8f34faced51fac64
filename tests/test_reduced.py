"""Reduced decks: the same rules with fewer cards, held against the referees, in every edition."""

import copy
import json
import os
import pickle
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lynxden
from lynxden.batch import Batch
from lynxden.bots import NO_LIMIT, get_bot
from lynxden.cli.play import play
from lynxden.cli.simulate import simulate
from lynxden.games import blocco, linko
from lynxden.games.core import Game, Options, Position
from lynxden.games.errors import OptionsError, SetupError
from lynxden.games.reduced import read_sizes
from lynxden.games.registry import GAMES
from lynxden.records import Record, Recorder, RecordError, read_record, verify
from lynxden.server.imports import Fault, check_import
from tests.kit import EVERY
from tests.referee import blocco as blocco_referee
from tests.referee import linko as linko_referee
from tests.tiny import TINY

SIZES = {
    ("linko", "classic"): "values=3,copies=2,jokers=1,hand=2,slots=1",
    ("linko", "basic"): "values=4,copies=3,jokers=2,hand=3,slots=2",
    ("linko", "advanced"): "values=5,copies=2,jokers=0,hand=2,slots=3",
    ("linko", "expert"): "values=2,copies=4,jokers=3,hand=3,slots=2",
    ("linko", "duel"): "values=4,copies=3,jokers=4,hand=3,slots=2",
    ("blocco", "standard"): "colours=5,copies=4,hand=1,places=5",
}
VARIANTS = [
    pytest.param(GAMES[name], edition, read_sizes(sizes), players, id=f"{name}-{edition}-{players}")
    for (name, edition), sizes in SIZES.items()
    for players in GAMES[name].reduce(edition, **read_sizes(sizes)).player_counts
]
MAKERS = [*VARIANTS, pytest.param(GAMES["blocco"], "standard", {"places": 4}, 5, id="blocco-circle-of-four")]


def test_every_edition_is_here() -> None:
    assert set(SIZES) == {(game.name, edition) for game in GAMES.values() for edition in game.editions}


def referee_of(start: Position, edition: str, sizes: dict[str, int]) -> Any:
    deal = start.game.deal_of(start)
    if start.game.name == "linko":
        return linko_referee.Referee(edition, start.active, deal, reduced=sizes)
    return blocco_referee.Referee(edition, start.active, deal, reduced=sizes)


def random_game(options: Options, game: Game, players: int, seed: int) -> Iterator[Position]:
    rng = random.Random(seed)
    position = game.new(options, players, seed=seed, starter=seed % players)
    yield position
    while not position.over:
        position = position.apply(rng.choice(position.legal_actions))
        yield position


# --- The rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "edition", "sizes", "players"), MAKERS)
def test_random_games_agree_with_the_referee(
    game: Game, edition: str, sizes: dict[str, int], players: int
) -> None:
    rng = random.Random(f"{edition} {players}")
    options = game.reduce(edition, **sizes)
    reasons = Counter[str]()
    for seed in range(40):
        position = game.new(options, players, seed=seed, starter=seed % players)
        referee = referee_of(position, edition, sizes)
        while not position.over:
            assert {str(action) for action in position.legal_actions} == referee.legal()
            assert position.seat == referee.actor
            for seat in range(players):
                assert Counter(position.hand(seat)) == Counter(referee.hands[seat])
                assert Counter(position.known(seat)) <= Counter(position.hand(seat))
            action = rng.choice(position.legal_actions)
            position = position.apply(action)
            referee.apply(str(action))
        outcome = position.outcome
        assert outcome is not None
        reasons[outcome.reason] += 1
        assert referee.result == {
            "reason": outcome.reason,
            "scores": list(outcome.scores),
            "winners": list(outcome.winners),
        }
    assert reasons.total() == 40


TREES = [
    pytest.param(name, *line.split(":"), id=line.partition(":")[0].strip())
    for name in GAMES
    for line in (Path(__file__).parent / "trees" / "reduced" / f"{name}.txt").read_text("utf-8").splitlines()
    if line.strip() and not line.startswith("#")
]


@pytest.mark.parametrize(("name", "where", "counts"), TREES)
def test_tree_counts(name: str, where: str, counts: str) -> None:
    """Numbers of games of each length from a deal, counted by the engine and by the referee."""
    edition, text, players, seed = where.split()
    sizes = read_sizes(text)
    start = GAMES[name].new(GAMES[name].reduce(edition, **sizes), int(players), seed=int(seed))
    depth = len(counts.split())
    by_engine, by_referee = Counter[int](), Counter[int]()
    _count_by_engine(start, depth, 0, by_engine)
    _count_by_referee(referee_of(start, edition, sizes), depth, 0, by_referee)
    expected = {n: int(count) for n, count in enumerate(counts.split(), start=1)}
    assert by_engine == by_referee == expected


def _count_by_engine(position: Position, depth: int, level: int, lines: Counter[int]) -> None:
    for action in position.legal_actions if level < depth else ():
        lines[level + 1] += 1
        _count_by_engine(position.apply(action), depth, level + 1, lines)


def _count_by_referee(referee: Any, depth: int, level: int, lines: Counter[int]) -> None:
    for action in sorted(referee.legal()) if level < depth else ():
        lines[level + 1] += 1
        after = copy.deepcopy(referee)
        after.apply(action)
        _count_by_referee(after, depth, level + 1, lines)


# --- What holds for every game ------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "edition", "sizes", "players"), MAKERS)
def test_the_kit_holds(game: Game, edition: str, sizes: dict[str, int], players: int) -> None:
    """Cards are conserved, nothing leaks, texts and numbers round-trip, shortcuts agree."""
    options = game.reduce(edition, **sizes)
    rng = np.random.default_rng(1)
    row = np.empty(game.action_count, np.uint8)
    deck = Counter(game.deck_of(options))
    assert deck.total() == options.cards  # type: ignore[attr-defined]
    start = game.new(options, players, seed=0)
    lying = Counter(str(game.deal_of(start)).replace("'", " ").replace(",", " ").split())
    assert {card: count for card, count in lying.items() if card in game.codes} == deck
    for position in random_game(options, game, players, seed=3):
        assert position.options == options
        assert position.edition is None
        assert position.kind == f"{edition}, reduced"
        assert position.all_cards() == Counter(game.deck)
        assert pickle.loads(pickle.dumps(position)) == position
        assert str(position)
        record, records = position.kernel_form()[0], position.kernel_form()
        numbers = position.legal_numbers
        assert game.rules.legal_count(record) == len(numbers)
        assert [game.rules.legal_at(record, index) for index in range(len(numbers))] == numbers
        if not position.over:
            game.rules.legal_mask(record, row)
            assert np.flatnonzero(row).tolist() == numbers
        for action, number in zip(position.legal_actions, numbers, strict=True):
            assert game.parse(str(action)) == action
            assert game.number_of(records, action) == number
        for seat in [None, *range(players)]:
            view = position.view(seat)
            sampled = view.sample(rng)
            assert sampled.view(seat) == view
            assert sampled.all_cards() == Counter(game.deck)
            if seat is not None:
                assert (sampled.view(seat).observation() == view.observation()).all()
            game.snapshot.public(view)


@pytest.mark.parametrize(("game", "edition", "sizes", "players"), VARIANTS)
def test_records_round_trip(game: Game, edition: str, sizes: dict[str, int], players: int) -> None:
    rng = random.Random(4)
    options = game.reduce(edition, **sizes)
    recorder = Recorder(game.new(options, players, seed=4), [f"Ä{seat}" for seat in range(players)], id="x")
    while not recorder.position.over:
        recorder.apply(rng.choice(recorder.position.legal_actions))
    record = recorder.record()
    assert (record.edition, record.rules) == (edition, game.rules_version)
    again = read_record(record.to_json())
    assert again == record
    assert again.reduced == sizes
    assert verify(again) == len(record.actions)
    assert isinstance(check_import(record.to_json().encode()), Fault)
    with pytest.raises(RecordError, match="instead of"):
        verify(without_sizes(record))


def without_sizes(record: Record) -> Record:
    found = json.loads(record.to_json())
    del found["reduced"]
    return read_record(json.dumps(found))


@pytest.mark.parametrize(("game", "edition", "sizes", "players"), VARIANTS)
def test_batches_and_bots_play(game: Game, edition: str, sizes: dict[str, int], players: int) -> None:
    options = game.reduce(edition, **sizes)
    batch = Batch(game.name, 60, edition=options, players=players, seed=2, threads=1)
    dealt = [batch.position(index) for index in range(60)]
    assert all(start.options == options for start in dealt)
    assert len(set(dealt)) > 5
    batch.play(["greedy"] * players)
    assert batch.over
    batch.deal_finished()
    again = batch.position(0)
    assert game.read_deal(options, again.active, game.deal_of(again)) == again  # no trace of the first game
    position = dealt[0]
    for step in range(6):
        if position.seat is not None:
            bot = get_bot("search:sims=64" if step % 2 else "greedy")
            choice = bot.choose(position.view(position.seat), NO_LIMIT, np.random.default_rng(step))
            position = position.apply(choice.action)


def test_an_explicit_deck_is_dealt() -> None:
    options = linko.LinkoOptions(values=3, copies=2, jokers=1, hand=2, slots=1)
    position = linko.new(options, 2, deck="1 1 2 2 X 13 13")
    assert (position.hand(0), position.hand(1)) == (("1", "1"), ("2", "2"))
    assert position.display == (("X",),)
    assert position.deck == ("13", "13")
    assert len(position.discards) == 109 - 7
    assert position.view(0).unseen() == Counter({"2": 2, "13": 2})
    with pytest.raises(SetupError, match="'3', which is no card of this game"):
        linko.new(options, 2, deck=list(linko.LINKO.deck))


def test_tables_can_be_set_up() -> None:
    options = linko.LinkoOptions(values=3, copies=2, jokers=0, hand=2, slots=2)
    table = linko.setup(["1 2", "1"], layers=["", "13"], display="2", edition=options)
    assert table.deck == ("13",)
    assert table.all_cards() == Counter(linko.LINKO.deck)
    with pytest.raises(SetupError, match="1 card '3' too many"):
        linko.setup(["3", "1"], edition=options)
    with pytest.raises(SetupError, match="3 slots; there are 2"):
        linko.setup(["1", "1"], display="2 2 13", edition=options)
    small = blocco.BloccoOptions(colours=3, copies=5, places=4)
    circle = blocco.setup(["1a", "1b", "2a"], edition=small)
    assert len(circle.rows) == 4
    assert circle.all_cards() == Counter(blocco.BLOCCO.deck)
    assert blocco.setup(["1a", "1b", "2a"], rows="1a | 1a | 1b | 2a", deck="", edition=small).deck_size == 0
    with pytest.raises(SetupError, match="5 rows for 4 places"):
        blocco.setup(["1a", "1b", "2a"], rows="1a | 1a | 1b | 2a | 2a", edition=small)
    with pytest.raises(SetupError, match="1 places are empty, but the deck has cards"):
        blocco.setup(["1a", "1b", "2a"], rows="1a | 1a | 1b", edition=small)


def test_a_circle_of_four_closes_on_itself() -> None:
    small = blocco.BloccoOptions(colours=3, copies=5, places=4)
    table = blocco.setup(["1a", "1b", "2a"], rows="1a | 1a | 1b | 2a", deck="2a 1b 1a 2a", edition=small)
    after = table.apply("take 4")
    assert after.rows == (("1a", "1b"), ("1a", "1a"), ("1b",), ("2a",))
    last = blocco.setup(["1a", "1b", "2a"], rows="1a | 1a | 1b | 2a", deck="", edition=small, actions_left=1)
    assert last.apply("take 2").over  # three rows are left


def test_the_command_simulates_reduced_games(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    sizes = "values=3,copies=2,jokers=1,hand=2,slots=1"
    simulate("linko", players=2, games=3, bots="greedy,random", records=file, reduced=sizes)
    records = [read_record(line) for line in file.read_bytes().splitlines()]
    assert [record.reduced for record in records] == [read_sizes(sizes)] * 3
    assert all(verify(record) for record in records)
    with pytest.raises(OptionsError, match="has no size 'cards'"):
        simulate("linko", reduced="cards=3")


def test_the_command_plays_reduced_games(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.stdin", StringIO("play 2\nquit\n"))
    file = tmp_path / "game.jsonl"
    sizes = "values=3,copies=2,jokers=1,hand=2,slots=1"
    play("linko", players=2, seed=1, save=file, reduced=sizes)
    assert "Linko, classic, reduced" in capsys.readouterr().out
    record = read_record(file.read_bytes())
    assert record.actions[0] == "play 2"
    assert record.reduced == read_sizes(sizes)
    assert verify(record) >= 1


# --- Bad sizes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "edition", "sizes", "message"),
    [
        ("linko", "classic", {"values": 1}, "'values' must be a whole number from 2 to 13, not 1"),
        ("linko", "classic", {"copies": 9}, "'copies' must be a whole number from 1 to 8, not 9"),
        ("linko", "classic", {"jokers": -1}, "'jokers' must be a whole number from 0 to 5, not -1"),
        ("linko", "classic", {"hand": True}, "'hand' must be a whole number from 1 to 13, not True"),
        ("linko", "classic", {"slots": 2.0}, "'slots' must be a whole number from 1 to 6, not 2.0"),
        (
            "linko",
            "classic",
            {"values": 2, "copies": 1, "jokers": 0, "hand": 1, "slots": 1},
            "a deck of 2 cards is too small: 2 hands of 1 and 1 slots of the display need 3",
        ),
        (
            "linko",
            "duel",
            {"jokers": 3},
            "a duel needs at least 4 jokers and hands of 2: each player starts with two",
        ),
        (
            "linko",
            "duel",
            {"values": 4, "copies": 2, "hand": 4},
            "6 cards below 13 are too few for a duel: hands, display and row can need 14",
        ),
        (
            "linko",
            "classic",
            {"colours": 3},
            "Linko has no size 'colours' to reduce; sizes: values, copies, jokers, hand, slots",
        ),
        ("blocco", "standard", {"places": 3}, "'places' must be a whole number from 4 to 8, not 3"),
        (
            "blocco",
            "standard",
            {"colours": 1, "copies": 6, "places": 4},
            "a deck of 6 cards is too small: 3 hands of 2 and 4 rows need 10",
        ),
        ("tiny", "sweet", {"hand": 1}, "Tiny has no size 'hand' to reduce; sizes: none"),
    ],
)
def test_bad_sizes_are_refused(game: str, edition: str, sizes: dict[str, int], message: str) -> None:
    with pytest.raises(OptionsError) as refused:
        EVERY[game].reduce(edition, **sizes)
    assert str(refused.value) == message


def test_too_many_players_are_refused() -> None:
    options = linko.LINKO.reduce("classic", values=3, copies=2, jokers=1, hand=2, slots=1)
    with pytest.raises(OptionsError, match="is for 2 to 3 players, not 4"):
        lynxden.new("linko", options, players=4, seed=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("values", "'values' is no size: write name=number, as in values=3,copies=2"),
        ("values=x", "'values=x' is no size: write name=number, as in values=3,copies=2"),
        ("values=3,values=4", "the size 'values' is given twice"),
        ("", "'' is no size: write name=number, as in values=3,copies=2"),
    ],
)
def test_bad_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(OptionsError) as refused:
        read_sizes(text)
    assert str(refused.value) == message


@pytest.mark.parametrize("value", [{}, [], {"values": True}, {"values": "3"}, None, 3])
def test_bad_sizes_in_a_record_are_refused(value: object) -> None:
    record = Recorder(linko.new(linko.LinkoOptions(values=4), 2, seed=1), ["A", "B"]).record()
    with pytest.raises(RecordError, match="'reduced' must be an object of sizes"):
        read_record(json.dumps({**record.to_dict(), "reduced": value}))


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"colour": 3}, "Linko has no size 'colour' to reduce"),
        ({"edition": 3}, "Linko has no size 'edition' to reduce"),
        ({"self": 3}, "Linko has no size 'self' to reduce"),
        ({"endless": 1}, "Linko has no size 'endless' to reduce"),
        ({"a\x1b[31m": 1}, r"Linko has no size 'a\\x1b\[31m' to reduce"),
        ({"values": 10**300}, r"not 10{39}$"),
        ({"values": 5}, "the deal has 37 cards that are not the game's 45"),
    ],
)
def test_a_record_with_other_sizes_is_refused(sizes: dict[str, int], message: str) -> None:
    """Records come from anywhere: each is a plain refusal, by the server too."""
    record = Recorder(linko.new(linko.LinkoOptions(values=4), 2, seed=1), ["A", "B"]).record()
    line = json.dumps({**record.to_dict(), "reduced": sizes})
    with pytest.raises(RecordError, match=message):
        verify(read_record(line))
    assert isinstance(check_import(line.encode()), Fault)


def test_the_whole_game_is_as_it_was() -> None:
    for game in EVERY.values():
        for edition, options in game.editions.items():
            assert options.flags < 256
            assert game.reduction(options) == {}
            assert game.reduce(edition) == game.whole(options) == options
            assert game.deck_of(options) == game.deck
            assert game.kind_of(options) == edition
            record = Recorder(game.new(options, seed=1), ["A"] * game.default_players(options)).record()
            assert "reduced" not in record.to_dict()
    assert TINY.sizes == {}


DIGEST = """
import hashlib
import numpy as np
from tests.test_reduced import VARIANTS, random_game
digest = hashlib.sha256()
for variant in VARIANTS:
    game, edition, sizes, players = variant.values
    for step, position in enumerate(random_game(game.reduce(edition, **sizes), game, players, seed=2)):
        digest.update(position.kernel_form().tobytes() + str(position.legal_numbers).encode())
        if position.seat is not None:
            view = position.view(position.seat)
            digest.update(view.kernel_form().tobytes() + view.observation().tobytes())
            digest.update(view.sample(np.random.default_rng(step)).kernel_form().tobytes())
print(digest.hexdigest())
"""


@pytest.mark.slow
def test_interpreted_and_compiled_rules_agree() -> None:
    found = [
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            cwd=Path(__file__).parents[1],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    ]
    assert found[0] == found[1]
    assert len(found[0]) == 65
