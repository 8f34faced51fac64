"""Rules that no printed example shows: drawing, the end, ties, expert ones, and the duel."""

import pytest

from lynxden.games import linko
from lynxden.games.errors import OptionsError, SetupError
from lynxden.games.linko import LinkoOptions
from tests.linko.test_examples import play, shown, texts


def test_the_drawer_may_not_stop_early() -> None:
    position = linko.setup(["9 9 9 1", "1 1"], ["", "5 5 5"], display="2 2 3 4 6 7", deck="8 8 8 8")
    position = play(position, "play 9 9 9", "leave", "discard")
    assert texts(position) == ["draw deck", "draw 2", "draw 3", "draw 4", "draw 6", "draw 7"]
    assert "pass" not in texts(position)
    position = play(position, "draw 2", "draw 2")
    assert texts(position) == ["draw deck", "draw 3", "draw 4", "draw 6", "draw 7"]
    position = position.apply("draw deck")
    assert position.display == (("8",), ("8",), ("3",), ("4",), ("6",), ("7",))
    assert position.deck == ("8",)


def test_the_last_card_ends_the_game_even_if_it_completes_the_draw() -> None:
    position = linko.setup(["9 1", "1 1", "2 2"], ["", "5", "6"], display="3", deck="")
    position = play(position, "play 9", "take", "draw 3")
    assert position.outcome is not None
    assert position.outcome.reason == "cards-exhausted"
    assert shown(position, 2) == "6"  # the next victim is spared


def test_deck_first_then_display_when_one_runs_out() -> None:
    position = linko.setup(["9 9 1", "1 1"], ["", "5 5"], display="3", deck="8 8 8")
    position = play(position, "play 9 9", "take", "draw 3")
    assert texts(position) == ["draw deck"]
    position = position.apply("draw deck")
    assert position.display[:2] == (("8",), ("8",))
    assert position.deck_size == 0


def test_classic_ties_are_shared() -> None:
    position = linko.setup(["9", "5 5"], ["", "1 1 1"], display="3").apply("play 9")
    assert position.outcome is not None
    assert position.outcome.scores == (1, 1)
    assert position.outcome.winners == (0, 1)


@pytest.mark.parametrize("edition", ["advanced", "expert"])
def test_later_editions_prefer_the_shorter_hand(edition: str) -> None:
    position = linko.setup(["9", "5 5"], ["", "1 1 1"], display="3", edition=edition).apply("play 9")
    assert position.outcome is not None
    assert position.outcome.winners == (0,)
    tied = linko.setup(["9", "5 5", "6 6"], ["", "2 2 2", "3 3 3"], display="4", edition=edition)
    outcome = tied.apply("play 9").outcome
    assert outcome is not None
    assert outcome.winners == (0,)


def test_ones_snatch_thirteens_and_lone_jokers_in_expert_only() -> None:
    for edition, beaten in (("expert", [1, 2]), ("advanced", []), ("classic", [])):
        victims = []
        position = linko.setup(
            ["1 4", "6 6", "7 7", "8 8"], ["", "13", "X", "12"], display="3 3 3 3 3 3", edition=edition
        ).apply("play 1")
        while position.decision == "take or leave":
            victims.append(position.victim)
            position = play(position, "leave", "reclaim")
        assert victims == beaten


def test_ones_with_jokers_are_ones() -> None:
    position = linko.setup(["1 X 4", "6 6"], ["", "13 13"], display="3", edition="expert").apply("play 1 X")
    assert position.victim == 1


def test_higher_cards_still_beat_ones_in_expert() -> None:
    position = linko.setup(["2 4", "6 6"], ["", "1"], display="3", edition="expert").apply("play 2")
    assert position.victim == 1


def test_a_joker_that_returns_to_a_hand_is_a_joker_again() -> None:
    position = linko.setup(["9 9 1", "2 2"], ["", "5 X"], display="3", deck="4 4 4")
    position = play(position, "play 9 9", "take")
    assert position.hand(0) == ("1", "5", "X")
    assert position.known(0) == ("5", "X")


def test_known_cards_are_used_up_first() -> None:
    position = linko.setup(["5 9", "6 6 2"], ["", ""], display="3", deck="4 4 4", known=["", "6"], turn=1)
    assert position.apply("play 6").known(1) == ()
    assert position.apply("play 2").known(1) == ("6",)


# The duel.


def test_each_player_of_a_duel_starts_with_two_known_jokers() -> None:
    for seed in range(50):
        position = linko.new("duel", seed=seed)
        assert position.known(0) == position.known(1) == ("X", "X")
        assert len(position.row) == 13
        assert not {"13", "X"} & set(position.row)
        assert [len(position.hand(seat)) for seat in (0, 1)] == [13, 13]
        on_display = sum(len(slot) for slot in position.display)
        assert 26 + 13 + on_display + position.deck_size == 109


def test_thirteens_and_jokers_go_on_the_lowest_single_card() -> None:
    deck = ["X"] * 4 + ["1"] * 8 + ["3"] * 8 + ["4"] * 6 + ["9", "2", "5", "2", "X", "7"] + ["13", "13"]
    rest = [card for value in range(1, 13) for card in [str(value)] * 8]
    for card in deck:
        if card in rest:
            rest.remove(card)
    position = linko.new("duel", deck=[*deck, *rest, *["13"] * 6])
    assert position.display == (("9",), ("2", "13"), ("5",), ("2", "13"), ("X",), ("7",))


def test_without_a_single_card_the_lowest_first_card_gets_it() -> None:
    position = linko.setup(
        ["3 X X", "4 X X"],
        display=["5 13", "2 13", "2 X", "6 13", "7 13", "8 13"],
        deck="13 1 9",
        row="2 1 1",
        edition="duel",
    )
    position = play(position, "play 3", "snatch 2")
    assert position.display[1] == ("2", "13", "13")
    assert position.row == ("1", "1", "1", "9")


def test_a_group_is_drawn_whole_and_counts_as_one() -> None:
    position = linko.setup(
        ["3 X X", "4 4 X X"], display=["5 13 X", "2 13", "2 13", "6", "7", "8"], row="1 1", edition="duel"
    )
    position = position.apply("play 3")
    assert texts(position)[:1] == ["pass"]
    assert texts(position)[1:] == ["draw deck", "draw 6", "draw 7", "draw 8", "draw 5 13 X", "draw 2 13"]
    after = position.apply("draw 5 13 X")
    assert after.hand(0) == ("5", "13", "X", "X", "X")
    assert after.seat == 1
    assert len(after.display[0]) == 1
    assert position.apply("draw 2 13").display[2] == ("2", "13")  # the leftmost of equal groups goes


def test_one_set_of_the_row_must_be_snatched_and_taken() -> None:
    position = linko.setup(
        ["5 5 9 X X", "4 X X"],
        ["", "3 3"],
        display="6 7 8 10 11 12",
        deck="1 1 2 2 9 9 9",
        row="2 2 4 4 4 3 3",
        edition="duel",
    )
    position = position.apply("play 5 5")
    assert (position.decision, texts(position)) == ("snatch", ["snatch 2", "snatch 3"])
    position = position.apply("snatch 3")
    assert position.hand(0) == ("3", "3", "9", "X", "X")
    # The row is refilled at once; new sets are not snatched this turn; then comes the real opponent.
    assert position.row == ("1", "1", "2", "2", "2", "2", "4", "4", "4", "9", "9", "9")
    assert (position.seat, position.victim) == (0, 1)
    position = play(position, "leave", "reclaim")
    assert (position.seat, position.decision) == (1, "play")  # no optional draw after a snatch


def test_the_last_card_spares_the_row() -> None:
    position = linko.setup(["5", "4 X X"], display="6 7", row="2 3", edition="duel").apply("play 5")
    assert position.over
    assert position.row == ("2", "3")


def test_a_deck_that_runs_out_for_the_row_does_not_end_the_game() -> None:
    position = linko.setup(["5 9", "4 X X"], display="6 7", deck="1", row="2", edition="duel")
    position = play(position, "play 5", "snatch 2")
    assert position.deck_size == 0
    assert not position.over


# Options and set-up positions.


@pytest.mark.parametrize(
    "wrong",
    [
        {"virtual": True},
        {"virtual": True, "optional_draw": True},
        {"virtual": True, "optional_draw": True, "fewest_cards": True, "ones_snatch": True},
    ],
)
def test_impossible_options_are_refused(wrong: dict[str, bool]) -> None:
    with pytest.raises(OptionsError, match="virtual"):
        LinkoOptions(**wrong)


@pytest.mark.parametrize(
    ("edition", "players"),
    [("classic", 1), ("classic", 6), ("basic", 2), ("duel", 3), ("expert", 0), ("advanced", -1)],
)
def test_player_counts_are_checked(edition: str, players: int) -> None:
    with pytest.raises(OptionsError, match="players"):
        linko.new(edition, players, seed=1)


def test_house_rules_play_but_cannot_be_recorded() -> None:
    house = LinkoOptions(ones_snatch=True)
    position = linko.new(house, 3, seed=1)
    assert position.edition is None
    assert position.options == house


def test_new_needs_one_source_of_luck() -> None:
    with pytest.raises(OptionsError, match="seed"):
        linko.new()
    with pytest.raises(OptionsError, match="both"):
        linko.new(seed=1, deck=list(linko.LINKO.deck))
    with pytest.raises(OptionsError, match="start"):
        linko.new(players=3, seed=1, starter=3)
    with pytest.raises(SetupError, match="no card"):
        linko.new(deck=["Q"] * 109)
    with pytest.raises(SetupError, match="instead of"):
        linko.new(deck=["7"] * 109)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"hands": ["7 7 Q", "1"]}, "no card"),
        ({"hands": ["", "1"]}, "empty"),
        ({"hands": ["1"]}, "players"),
        ({"hands": ["7 7 7 7 7 7 7 7 7", "1"]}, "there is 1 card '7' too many"),
        ({"hands": ["7 " * 16, "1"]}, "there are 8 cards '7' too many"),
        ({"hands": ["X " * 200, "1"]}, "too many"),
        ({"hands": [[7, 7], "1"]}, "no card"),
        ({"edition": 5}, "no options"),
        ({"layers": ["7 8", ""]}, "more than one value"),
        ({"layers": ["7"]}, "layers for 1"),
        ({"layers": ["X X X X X X", ""]}, "too many"),
        ({"display": "1 2 3 4 5 6 7"}, "slots"),
        ({"display": ["1 13"]}, "duel"),
        ({"display": "", "deck": ""}, "empty"),
        ({"display": "", "edition": "duel", "row": "5"}, "empty"),
        ({"edition": "duel", "row": "5 5 5 5 5 6 6 6 6 6 8 8 8 8"}, "at most 13"),
        ({"row": "1 2"}, "duel"),
        ({"turn": 2}, "seat"),
        ({"known": ["8", ""]}, "does not hold"),
        ({"known": ["7"]}, "known cards for 1"),
        ({"deck": "1", "discards": "2"}, "nowhere"),
        ({"edition": "blitz"}, "no edition"),
    ],
)
def test_impossible_positions_are_refused(change: dict[str, object], complaint: str) -> None:
    good: dict[str, object] = {"hands": ["7 7", "1"], "display": "1 2 3 4 5 6"}
    linko.setup(**good)  # type: ignore[arg-type]
    with pytest.raises((SetupError, OptionsError), match=complaint):
        linko.setup(**{**good, **change})  # type: ignore[arg-type]


def test_unplaced_cards_are_the_deck_or_the_discards() -> None:
    position = linko.setup(["7 7", "1"], display="1 2 3 4 5 6")
    assert (position.deck_size, len(position.discards)) == (109 - 9, 0)
    again = linko.setup(["7 7", "1"], display="1 2 3 4 5 6")
    assert position == again
    position = linko.setup(["7 7", "1"], display="1 2 3 4 5 6", deck="9 8")
    assert (position.deck, len(position.discards)) == (("9", "8"), 109 - 11)
