"""The printed examples of the rulebooks, each a test named after it."""

import pytest

from lynxden.games import linko
from lynxden.games.core import Position
from lynxden.games.errors import IllegalAction
from lynxden.games.linko import LinkoPosition

ANDI, BEN, CLAUDIA, DANIEL = range(4)


def texts(position: Position) -> list[str]:
    return [str(action) for action in position.legal_actions]


def play(position: LinkoPosition, *actions: str) -> LinkoPosition:
    for action in actions:
        position = position.apply(action)
    return position


def shown(position: LinkoPosition, seat: int) -> str:
    return " | ".join(str(layer) for layer in position.layers(seat))


def test_e1_any_number_of_equal_cards() -> None:
    position = linko.setup(["7 7 6 6 6", "1"], display="1 2 3 4 5 6")
    assert {"play 7", "play 7 7", "play 6 6 6"} <= set(texts(position))
    assert "play 7 6" not in texts(position)
    after = position.apply("play 7")
    assert after.hand(0) == ("6", "6", "6", "7")


def test_e2_layers_pile_up() -> None:
    position = linko.setup(["7 6 6 6 X 12 12 1", "13 13 13 13"], display="1 2 3 4 5 6")
    position = play(position, "play 7", "play 13 13", "play 6 6 6 X", "play 13", "play 12 12")
    assert shown(position, 0) == "7 | 6 6 6 X | 12 12"
    top = position.layers(0)[-1]
    assert (top.value, top.size) == ("12", 2)
    assert sum(layer.size for layer in position.layers(0)) == 7


def andis_turn() -> LinkoPosition:
    return linko.setup(
        ["12 12 4", "13 2", "1 1", "2 2"],
        ["", "3", "9 9", "5 | 7 7"],
        display="10 10 10 11 11 11",
        deck="8 8 8 8 8",
    )


def test_e3_snatching_from_two() -> None:
    position = andis_turn().apply("play 12 12")
    assert (position.seat, position.victim, texts(position)) == (ANDI, CLAUDIA, ["take", "leave"])
    position = position.apply("take")
    assert position.hand(ANDI) == ("4", "9", "9")
    assert (position.seat, position.owed) == (CLAUDIA, 2)
    position = play(position, "draw 10", "draw 11")
    assert position.hand(CLAUDIA) == ("1", "1", "10", "11")
    assert position.display == (("8",), ("10",), ("10",), ("8",), ("11",), ("11",))
    assert (position.seat, position.victim, texts(position)) == (ANDI, DANIEL, ["take", "leave"])
    position = position.apply("leave")
    assert (position.seat, texts(position)) == (DANIEL, ["reclaim", "discard"])
    reclaimed = position.apply("reclaim")
    assert reclaimed.hand(DANIEL) == ("2", "2", "7", "7")
    discarded = position.apply("discard")
    assert discarded.owed == 2
    discarded = play(discarded, "draw deck", "draw 11")
    assert discarded.discards.count("7") == position.discards.count("7") + 2
    for after in (reclaimed, discarded):
        assert shown(after, DANIEL) == "5"
        assert shown(after, BEN) == "3"
        assert (after.seat, after.decision) == (BEN, "play")


def test_e4_the_uncovered_layer_may_be_snatched_next() -> None:
    position = play(andis_turn(), "play 12 12", "leave", "discard", "draw deck", "draw deck")
    position = play(position, "leave", "reclaim")
    assert position.hand(BEN) == ("2", "13")
    # Claudia has no layer left, so she is given one that differs in number from Ben's single card.
    assert shown(position, CLAUDIA) == ""
    position = position.apply("play 13")
    assert (position.seat, position.victim) == (BEN, DANIEL)
    position = play(position, "take", "draw deck")
    assert shown(position, ANDI) == "12 12"  # Andi's two cards are safe: the number differs
    assert position.seat == CLAUDIA


def test_e4_claudia_is_safe_by_number() -> None:
    position = linko.setup(
        ["4", "13 2", "1 1", "2 2"], ["12 12", "3", "9 9", "5"], display="1 1 1 1 1 1", turn=BEN
    )
    position = position.apply("play 13")
    assert position.victim == DANIEL
    position = play(position, "leave", "reclaim")
    assert shown(position, CLAUDIA) == "9 9"
    assert shown(position, ANDI) == "12 12"
    assert shown(position, DANIEL) == ""


def test_e5_jokers_alone_beat_thirteens() -> None:
    position = linko.setup(["X X 1", "5 5"], ["", "13 13"], display="1 2 3 4 5 6")
    position = position.apply("play X X")
    assert position.victim == 1


def test_jokers_alone_do_not_beat_jokers_alone() -> None:
    position = linko.setup(["X X 1", "5 5"], ["", "X X"], display="1 2 3 4 5 6")
    assert position.apply("play X X").seat == 1


def test_e6_a_joker_takes_the_value_it_joins() -> None:
    position = linko.setup(["4 4 4 X 9", "1 1"], display="1 2 3 4 5 6").apply("play 4 4 4 X")
    (layer,) = position.layers(0)
    assert (layer.value, layer.size, layer.jokers) == ("4", 4, 1)


NIKODEM, KAROLINA, MICHAL, ELA = range(4)


def test_e7_a_turn_with_two_victims() -> None:
    position = linko.setup(
        ["7 7 7 3 3 1", "13 2", "8 8", "9 9"],
        ["", "5 5", "13 | 3 3 3", "4 4 4"],
        display="1 2 5 6 11 X",
        deck="12 12 12",
        edition="basic",
    )
    position = position.apply("play 7 7 7")
    assert position.victim == MICHAL  # Karolina's number of cards differs
    position = position.apply("take")
    assert position.hand(NIKODEM) == ("1", "3", "3", "3", "3", "3")
    position = play(position, "draw 5", "draw 6")
    assert position.display[2:4] == ((), ())  # not refilled before the draw is complete
    position = position.apply("draw deck")
    assert position.display[2:4] == (("12",), ("12",))
    assert (position.seat, position.victim) == (NIKODEM, ELA)
    position = play(position, "leave", "reclaim")
    assert position.hand(ELA) == ("4", "4", "4", "9", "9")
    assert position.seat == KAROLINA  # somebody was snatched from, so Nikodem may not draw


def test_e8_who_snatches_nothing_may_draw() -> None:
    position = linko.setup(
        ["1 1", "13 2", "8 8", "9 9"],
        ["7 7 7", "5 5", "13", "4 4"],
        display="1 2 5 6 11 X",
        edition="basic",
        turn=KAROLINA,
    )
    position = position.apply("play 13")
    assert shown(position, MICHAL) == "13"
    assert (position.seat, position.decision) == (KAROLINA, "draw or pass")
    assert "pass" in texts(position)
    after = position.apply("draw X")
    assert after.hand(KAROLINA) == ("2", "X")
    assert after.seat == MICHAL
    assert position.apply("pass").hand(KAROLINA) == ("2",)


def test_e9_the_last_cards_snatch_nothing() -> None:
    position = linko.setup(["9 9", "1 1"], ["", "5 5"], display="1 2 3 4 5 6").apply("play 9 9")
    assert position.outcome is not None
    assert position.outcome.reason == "hand-empty"
    assert shown(position, 1) == "5 5"
    assert position.outcome.scores == (2, 0)
    assert position.outcome.winners == (0,)


def test_e10_the_cards_run_out_in_mid_draw() -> None:
    position = linko.setup(["9 9 9 1", "1 1"], ["", "5 5 5"], display="2 3", deck="")
    position = play(position, "play 9 9 9", "take")
    assert position.owed == 3
    position = position.apply("draw 2")
    assert texts(position) == ["draw 3"]
    position = position.apply("draw 3")
    assert position.outcome is not None
    assert position.outcome.reason == "cards-exhausted"
    assert position.outcome.scores == (3 - 4, 0 - 4)
    assert position.legal_actions == ()
    with pytest.raises(IllegalAction, match="over"):
        position.apply("draw deck")


def test_e11_round_one_already_snatches() -> None:
    position = linko.setup(["4 4 1", "9 9 2"], display="1 2 3 5 6 7")
    position = play(position, "play 4", "play 9")
    assert (position.seat, position.victim, texts(position)) == (1, 0, ["take", "leave"])
