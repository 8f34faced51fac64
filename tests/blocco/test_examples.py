"""The printed examples of the rulebook, and those derived from its rules, each a test named after it."""

import pytest

from lynxden.games import blocco
from lynxden.games.blocco import BloccoPosition
from lynxden.games.core import Position
from lynxden.games.errors import IllegalAction

ANNA, BERNARDO, CHRISTIAN = range(3)
ROWS = "1a | 1b | 2a | 2b | 3a | 3b | 4a | 4a"


def texts(position: Position) -> list[str]:
    return [str(action) for action in position.legal_actions]


def blocks(position: Position) -> list[str]:
    return [text for text in texts(position) if text.startswith("block")]


def play(position: BloccoPosition, *actions: str) -> BloccoPosition:
    for action in actions:
        position = position.apply(action)
    return position


def test_b1_what_is_a_group() -> None:
    whole = blocco.setup(["4a 4a 4a 4a 2a 2a 1b", "1a", "1a"], ROWS)
    assert blocks(whole) == ["block 1b 1", "block 2a 1", "block 4a 1"]
    mixed = blocco.setup(["2a 2b 4a 4a 4a", "1a", "1a"], ROWS)
    assert blocks(mixed) == []


def test_b2_equal_groups_in_one_action() -> None:
    position = blocco.setup(["1a 1a 1a", "1a", "1a"], ROWS)
    assert blocks(position) == ["block 1a 1", "block 1a 2", "block 1a 3"]
    after = position.apply("block 1a 3")
    assert after.hand(ANNA) == ()
    assert str(after.pile(ANNA)[-1]) == "1a 1a 1a"
    assert after.actions_left == 1


def test_surplus_cards_stay_in_hand() -> None:
    position = blocco.setup(["3a 3a 3a 3a 3a", "1a", "1a"], ROWS).apply("block 3a 1")
    assert position.hand(ANNA) == ("3a", "3a")


def test_b3_a_blocked_colour_cannot_be_laid() -> None:
    position = blocco.setup(["4a 4a 4a 4a 2b 2b 2b 2b", "1a", "1a"], ROWS, ["", "4a 4a 4a 4a", ""])
    assert blocks(position) == ["block 2b 1", "block 2b 2"]
    before = position.copy()
    with pytest.raises(IllegalAction):
        position.apply("block 4a 1")
    assert position == before


def test_covered_groups_and_the_own_top_block_nobody() -> None:
    position = blocco.setup(["2b 2b 3a 3a 3a", "1a", "1a"], ROWS, ["3a 3a 3a", "2b 2b | 1b", ""])
    assert blocks(position) == ["block 2b 1", "block 3a 1"]


def test_b4_the_bonus() -> None:
    position = blocco.setup(
        ["1a 1a 2a 2a 3a 3b", "1b", "3b"], ROWS, ["", "", "2b 2b | 4a 4a 4a 4a"], turn=CHRISTIAN
    )
    position = position.apply("score")
    assert (position.seat, position.active, position.owed) == (ANNA, CHRISTIAN, 4)
    assert texts(position) == ["give 1a", "give 2a", "give 3a", "give 3b"]
    position = play(position, "give 1a", "give 3a", "give 3b", "give 1a")
    assert position.hand(ANNA) == ("2a", "2a")
    assert position.given(ANNA) == ("1a", "1a", "3a", "3b")
    assert position.score_sizes[CHRISTIAN] == 6 + 4
    assert position.pile(CHRISTIAN) == ()
    assert (position.seat, position.actions_left) == (CHRISTIAN, 1)


def test_b5_the_score() -> None:
    position = blocco.setup(["1a", "3a 3a 3b 3b 4a", "1b"], ROWS, ["", "2a 2a | 1a", ""], [0, 20, 0])
    assert position.scores[BERNARDO] == 15


def test_b6_the_second_action_is_still_owed() -> None:
    position = blocco.setup(["1a 1a", "1b", "1b"], "2a | 2b | 3a | 3b", deck="")
    position = position.apply("take 1")
    assert not position.over
    assert (position.seat, position.actions_left) == (ANNA, 1)
    for action in ("take 2", "block 1a 2"):
        outcome = position.apply(action).outcome
        assert outcome is not None
        assert outcome.reason == "rows-exhausted"


def test_the_fifth_row_as_second_action_ends_at_once() -> None:
    position = blocco.setup(["1a", "1b", "1b"], "2a | 2b | 3a | 3b", deck="", actions_left=1)
    assert position.apply("take 4").over
    assert not position.apply("block 1a 1").over


def test_a_take_at_place_8_fills_8_1_and_2() -> None:
    position = blocco.setup(["1a", "1b", "1b"], ROWS, deck="3b 2b 1b 3a")
    position = position.apply("take 8")
    assert position.hand(ANNA) == ("1a", "4a")
    assert position.rows[7] == ("3b",)
    assert position.rows[0] == ("1a", "2b")
    assert position.rows[1] == ("1b", "1b")
    assert position.deck == ("3a",)


def test_a_deck_of_two_fills_two_places() -> None:
    position = blocco.setup(["1a", "1b", "1b"], ROWS, deck="3b 2b").apply("take 4")
    assert position.rows[3:6] == (("3b",), ("2b", "3a"), ("3b",))
    assert position.deck_size == 0
    emptied = position.apply("take 1")
    assert emptied.rows[0] == ()


def test_the_take_of_the_last_deck_card_is_not_one_of_the_five() -> None:
    position = blocco.setup(["1a", "1b", "1b"], ROWS, deck="4a").apply("take 1")
    assert position.rows[0] == ("4a",)
    position = play(position, "take 2", "take 3", "take 4", "take 5")
    assert not position.over  # four places are empty now
    assert position.apply("take 6").over


def test_among_the_fullest_hands_the_scorer_picks() -> None:
    position = blocco.setup(
        ["1a 1a 1a", "2a 2a 2b 2b 3a", "3b 3b 3a 3a 4a", "1b 1b"], ROWS, ["3a 3a 3a", "", "", ""]
    )
    position = position.apply("score")
    assert (position.seat, texts(position)) == (0, ["from 2", "from 3"])
    position = position.apply("from 3")
    assert position.seat == 2
    position = play(position, "give 3a", "give 3a", "give 4a")
    assert position.score_sizes == (6, 0, 0, 0)
    assert position.hand(1) == ("2a", "2a", "2b", "2b", "3a")


def test_the_fullest_hand_gets_no_bonus() -> None:
    position = blocco.setup(["1a 1a 2a 2a 2b", "3a 3a 3a 3b 3b", "1b 1b"], ROWS, ["2b 2b", "", ""])
    position = position.apply("score")
    assert (position.seat, position.actions_left) == (0, 1)
    assert position.score_sizes == (2, 0, 0)


def test_a_giver_with_too_few_gives_all() -> None:
    position = blocco.setup(["", "2a 3a", "1b"], ROWS, ["4a 4a 4a 4a", "", ""])
    position = position.apply("score")
    assert position.hand(1) == ()
    assert position.score_sizes == (6, 0, 0)
    assert (position.seat, position.actions_left) == (0, 1)


def test_tied_givers_are_chosen_even_if_they_give_all() -> None:
    position = blocco.setup(["", "2a 3a", "1b 1b"], ROWS, ["4a 4a 4a 4a", "", ""]).apply("score")
    assert texts(position) == ["from 2", "from 3"]
    assert position.apply("from 3").hand(2) == ()


def test_no_pile_no_score_and_no_pass() -> None:
    position = blocco.setup(["2a", "1b", "1b"], ROWS)
    assert texts(position) == [f"take {place}" for place in range(1, 9)]
