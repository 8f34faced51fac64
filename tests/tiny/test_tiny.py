"""A game from outside: its rules, and everything in the package that takes a game by name.

What holds for every game (`tests/test_kit.py`, `test_records.py`, `test_bots.py`, `test_snapshot.py`,
`test_why.py`) is run for this one too.
"""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import lynxden
from lynxden.arena.simulation import Simulation, run
from lynxden.batch import Batch
from lynxden.cli import app
from lynxden.games.errors import GameError
from lynxden.games.linko import LINKO
from lynxden.records import read_record, verify
from tests.tiny import TINY
from tests.tiny.position import TinyPosition

DECK = "3 1 4  2 2 1  4 1 2 3 3 4"


def start(edition: str = "sweet") -> TinyPosition:
    """Ann holds 1 3 4, Ben 1 2 2; a 4 lies open, and the deck begins with a 1."""
    position = lynxden.new("tiny", edition, 2, deck=DECK)
    assert isinstance(position, TinyPosition)
    return position


# --- Its rules --------------------------------------------------------------------------------------------


def test_a_card_that_is_taken_is_paid_for_with_the_open_one() -> None:
    position = start().apply("offer 3").apply("take", seat=1)
    assert position.laid(1) == ("3",)
    assert position.hand(0) == ("1", "4", "4")
    assert position.known(0) == ("4",)
    assert (position.open_card, position.deck_size) == ("1", 4)
    assert position.seat == 1


def test_a_card_that_is_refused_stays_with_its_owner() -> None:
    position = start().apply("offer 3").apply("refuse")
    assert position.laid(0) == ("3",)
    assert position.hand_sizes == (2, 3)
    assert position.open_card == "4"


@pytest.mark.parametrize(("edition", "points"), [("sweet", 4), ("sour", -4)])
def test_fours_count_by_the_edition(edition: str, points: int) -> None:
    position = start(edition).apply("offer 4").apply("take")
    assert position.scores == (0, points)


def test_whoever_has_nothing_to_offer_ends_the_game() -> None:
    position = start()
    for text in ("offer 1", "refuse", "offer 1", "refuse", "offer 3", "refuse", "offer 2", "refuse"):
        position = position.apply(text)
    position = position.apply("offer 4").apply("refuse").apply("offer 2").apply("refuse")
    assert position.outcome == lynxden.Outcome("nothing-to-offer", (8, 5), (0,))
    assert position.describe_events()[-1] == "Player 1 has nothing to offer: the game is over."


def test_reasons() -> None:
    def reasons(seat: int, position: TinyPosition) -> list[tuple[tuple[str, ...], str]]:
        return [(why.places, why.code) for why in TINY.snapshot.private(position.view(seat)).why]

    position = start()
    assert reasons(0, position) == [(("offered",), "offer-first"), (("card:2",), "none")]
    assert reasons(1, position) == [(("*",), "wait")]
    cards = ("card:1", "card:2", "card:3", "card:4")
    assert reasons(1, position.apply("offer 3")) == [(cards, "answer-first")]


# --- The registry -----------------------------------------------------------------------------------------


def test_a_name_is_taken_once() -> None:
    assert lynxden.get_game("tiny") is TINY
    for game in (TINY, LINKO):
        with pytest.raises(GameError, match=f"there is a game '{game.name}' already: {game.title}"):
            lynxden.register(game)


def test_its_record_is_small() -> None:
    assert TINY.record_type.itemsize < 200


# --- Whatever takes a game by name ------------------------------------------------------------------------


def test_batches() -> None:
    batch = Batch("tiny", 500, edition="sour", players=3, seed=2)
    batch.play(["greedy", "random", "random"])
    assert batch.over
    wins = batch.results().winners.mean(axis=0)
    assert wins[0] > 1.1 * max(wins[1:])


def test_simulations_with_workers() -> None:
    """Workers are fresh processes: they hear of the game from the one that has it."""
    simulation = Simulation("tiny", "sour", 3, 150, 4, ("greedy", "random", "greedy"))
    one: list[str] = []
    two: list[str] = []
    summary = run(simulation, write=one.append)
    run(simulation, workers=2, write=two.append)
    assert one == two
    assert summary.games == len(one) == 150
    assert set(summary.reasons) == {"nothing-to-offer"}
    for line in one:
        assert verify(read_record(line)) <= 24


def test_commands(tmp_path: Path) -> None:
    def lynxden(*words: str, typed: str = "") -> str:
        found = CliRunner().invoke(app, words, input=typed)
        assert found.exit_code == 0, found.output
        return found.output

    assert ["tiny", "sweet", "2–3"] in [line.split() for line in lynxden("games").splitlines()]
    file, mine = tmp_path / "games.jsonl", tmp_path / "mine.jsonl"
    lynxden("simulate", "tiny", "--games", "20", "--records", str(file), "--legal")
    decisions = sum(len(json.loads(line)["actions"]) for line in file.read_text().splitlines())
    assert f"20 records, {decisions} decisions, 0 faults" in lynxden("verify", str(file))
    assert "wins" in lynxden("replay", str(file), "--game", "7")
    said = lynxden("play", "tiny", "--seed", "1", "--save", str(mine), typed="rules\n?\nquit\n")
    assert "The rules are not installed here." in said
    assert "Legal now: offer" in said
    assert verify(read_record(mine.read_text())) == 0
