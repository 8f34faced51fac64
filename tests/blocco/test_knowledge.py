"""What is known of a hand of Blocco: exact, also after gifts, and never a guess."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from lynxden.games import blocco
from lynxden.games.blocco import BLOCCO, BloccoPosition
from tests.blocco.test_examples import ROWS, play
from tests.kit import random_game


@pytest.mark.parametrize("players", [3, 4, 5])
def test_the_truth_lies_within_the_bounds(players: int) -> None:
    for seed in range(8):
        for position in random_game(BLOCCO, "standard", players, seed):
            assert isinstance(position, BloccoPosition)
            for viewer in [None, *range(players)]:
                view = position.view(viewer)
                for seat in range(players):
                    hand = Counter(position.hand(seat))
                    assert view.at_least(seat) <= hand <= view.at_most(seat)
                    assert Counter(view.known(seat)) <= hand


def after_a_gift() -> BloccoPosition:
    """Anna's 1a, 2b and 2b are known to all, her 3a is not; she gives the 2b and the 3a."""
    position = blocco.setup(
        ["1a 2b 2b 3a", "1b", "1b"], ROWS, ["", "2a 2a", ""], turn=1, known=["1a 2b 2b", "", ""]
    )
    return play(position, "score", "give 2b", "give 3a")


def test_a_gift_leaves_bounds_not_guesses() -> None:
    position = after_a_gift()
    for viewer in (None, 1, 2):
        view = position.view(viewer)
        assert view.hand_sizes[0] == 2
        assert view.at_least(0) == Counter()
        assert view.at_most(0)["1a"] == 2  # one seen, and perhaps an unseen one
        assert view.at_most(0)["2b"] == 2
        assert view.known(0) == ()
    own = position.view(0)
    assert own.hand == ("1a", "2b")
    assert own.given == ("2b", "3a")
    assert own.at_least(0) == own.at_most(0) == Counter(["1a", "2b"])


def test_the_receiver_does_not_learn_the_gift() -> None:
    position = after_a_gift()
    assert "3a" not in " ".join(position.describe_events(1))
    assert "3a" in " ".join(position.describe_events(0))
    other = play(
        blocco.setup(
            ["1a 2b 2b 3a", "1b", "1b"], ROWS, ["", "2a 2a", ""], turn=1, known=["1a 2b 2b", "", ""]
        ),
        "score",
        "give 1a",
        "give 2b",
    )
    for viewer in (1, 2, None):
        assert other.view(viewer) == position.view(viewer)
    assert other.view(0) != position.view(0)


def test_what_is_taken_after_a_gift_is_certain() -> None:
    before = play(after_a_gift(), "take 1", "take 1", "take 2")
    assert before.seat == 0
    position = before.apply("take 7")
    assert position.hand_sizes[0] == 2 + len(before.rows[6])
    assert position.view(1).at_least(0) == Counter(before.rows[6])


def test_laying_settles_what_was_doubtful() -> None:
    before = play(after_a_gift(), "take 1", "take 1", "take 2")
    assert before.view(2).at_most(0)["1a"] == 2
    view = before.apply("block 1a 1").view(2)
    assert view.hand_sizes[0] == 1
    assert view.at_most(0)["1a"] == 1  # the seen one is on the table now, an unseen one is possible
    assert view.at_most(0)["2b"] == 1


def test_samples_are_uniform_over_deals_and_gifts() -> None:
    """One known and one unknown card, one of them given: every way to deal and to give is equally likely."""
    position = blocco.setup(
        ["1a 3a 3a", "1b 1b", "2a"],
        ROWS,
        ["", "1b", ""],
        deck="2b",
        turn=1,
        known=["1a 3a", "1b 1b", "2a"],
    )
    position = play(position, "score", "give 1a")
    view = position.view(1)
    expected: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
    for start, deck in permutations(["3a", "2b"]):
        hand = ["1a", "3a", start]
        for given in range(3):
            left = tuple(sorted(hand[:given] + hand[given + 1 :]))
            expected[(left, (deck,))] += 1
    rng = np.random.default_rng(5)
    draws = 12_000
    found: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
    for _ in range(draws):
        sample = view.sample(rng)
        assert sample.view(1) == view
        found[(sample.hand(0), sample.deck)] += 1
    assert set(found) == set(expected)
    wanted = [count * draws / 6 for count in expected.values()]
    assert chisquare([found[key] for key in expected], wanted).pvalue > 0.001
