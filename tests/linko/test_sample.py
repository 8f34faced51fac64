"""Samples fit a view and are uniform over what is unseen."""

from collections import Counter
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from lynxden.games import linko


@pytest.mark.parametrize("viewer", [0, None])
def test_samples_are_uniform(viewer: int | None) -> None:
    """Two unseen 2s, a 3 and a 4: every order of the four is equally likely."""
    position = linko.setup(["1 9", "2 3 5"], display="6", deck="2 4", known=["1 9", "5"])
    view = position.view(viewer)
    expected: Counter[tuple[tuple[str, ...], ...]] = Counter()
    for order in permutations(["2", "2", "3", "4"]):
        expected[(tuple(sorted([*order[:2], "5"])), order[2:])] += 1
    rng = np.random.default_rng(3)
    found: Counter[tuple[tuple[str, ...], ...]] = Counter()
    draws = 12_000
    for _ in range(draws):
        sample = view.sample(rng)
        assert sample.hand(0) == ("1", "9")
        found[(sample.hand(1), sample.deck)] += 1
    assert set(found) == set(expected)
    counts = [found[key] for key in expected]
    wanted = [count * draws / 24 for count in expected.values()]
    assert chisquare(counts, wanted).pvalue > 0.001


def test_cards_that_change_places_make_every_deal_equally_likely() -> None:
    """The same cards as above: wherever one begins, after many steps deals are as likely as in samples."""
    position = linko.setup(["1 9", "2 3 5"], display="6", deck="2 4", known=["1 9", "5"])
    games = 12_000
    table = np.repeat(position.kernel_form(), games)
    streams = np.random.default_rng(3).integers(2**64, size=games, dtype=np.uint64)
    kernels: Any = linko.LINKO.kernels
    expected: Counter[tuple[tuple[str, ...], ...]] = Counter()
    for order in permutations(["2", "2", "3", "4"]):
        expected[(tuple(sorted([*order[:2], "5"])), order[2:])] += 1
    found: Counter[tuple[tuple[str, ...], ...]] = Counter()
    for step in range(40):
        kernels.exchange_many(table, 0, games, streams)
        if step == 0:
            assert 1 < len({record.tobytes() for record in table}) < len(expected), "one step is a small one"
    for i in range(games):
        after = linko.LINKO.position_type(table[i : i + 1])
        assert after.hand(0) == ("1", "9")
        found[(after.hand(1), after.deck)] += 1
    assert set(found) == set(expected)
    counts = [found[key] for key in expected]
    wanted = [count * games / 24 for count in expected.values()]
    assert chisquare(counts, wanted).pvalue > 0.001


def test_where_nothing_is_unseen_nothing_changes_places() -> None:
    position = linko.setup(["1 9", "2 3"], display="6", deck="", known=["1 9", "2 3"])
    table = position.kernel_form()
    before = table.tobytes()
    kernels: Any = linko.LINKO.kernels
    kernels.exchange_many(table, 0, 1, np.ones(1, np.uint64))
    assert table.tobytes() == before


def test_sampling_leaves_the_view_alone() -> None:
    position = linko.new(seed=3)
    view = position.view(1)
    before = view.kernel_form().tobytes()
    assert view.sample(np.random.default_rng(1)) != view.sample(np.random.default_rng(2))
    assert view.sample(np.random.default_rng(1)) == view.sample(np.random.default_rng(1))
    assert view.kernel_form().tobytes() == before


def test_unseen_counts_what_is_hidden() -> None:
    position = linko.setup(["1 9", "2 3 5"], display="6", deck="2 4", known=["1 9", "5"])
    view = position.view(0)
    assert view.unseen() == {"2": 2, "3": 1, "4": 1}
    assert view.hand == ("1", "9")
    assert view.known(1) == ("5",)
    assert position.view(None).hand == ()


def test_a_card_drawn_from_the_deck_is_seen_by_the_drawer_alone() -> None:
    position = linko.setup(["9 1", "5 5"], ["", "4"], display="3", deck="7 8 8")
    position = position.apply("play 9").apply("take").apply("draw deck")
    assert "Player 2 draws 7 from the deck." in position.describe_events(1)
    for viewer in (0, None):
        texts = " ".join(position.describe_events(viewer))
        assert "draws a card from the deck" in texts
        assert "7" not in texts
    assert "7" in position.view(1).hand
    assert position.known(1) == ()
