"""The search keeps its limits, and decides alike on any number of threads."""

import time

import numpy as np
import pytest

from lynxden.bots import NO_LIMIT, Choice, Limit, get_bot, search
from lynxden.bots.search import Search
from lynxden.games.core import Game, View
from tests.kit import EVERY, VARIANTS, random_game

LATE = 0.25
"""Seconds past its time after which a search has not kept it; on a busy machine less would be chance."""


def views(game: Game, edition: str, players: int, seed: int, every: int) -> list[View]:
    """Some decisions of a random game with a choice to make."""
    positions = list(random_game(game, edition, players, seed))
    return [p.view(p.seat) for p in positions[:-1:every] if len(p.legal_actions) > 1]


def alike(one: Choice, other: Choice) -> bool:
    return (one.action, one.candidates, one.simulations) == (
        other.action,
        other.candidates,
        other.simulations,
    )


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_threads_make_no_difference(game: Game, edition: str, players: int) -> None:
    others = []
    for view in views(game, edition, players, 5, 20):
        one, two, three = (
            get_bot(f"search:sims=150,threads={threads}").choose(view, NO_LIMIT, np.random.default_rng(3))
            for threads in (1, 2, 3)
        )
        assert alike(one, two)
        assert alike(one, three)
        others.append(alike(one, get_bot("search:sims=150").choose(view, NO_LIMIT, np.random.default_rng(4))))
    assert game.name == "tiny" or not all(others), "other luck, other worlds"


@pytest.mark.parametrize("game", EVERY.values(), ids=EVERY)
def test_simulations_are_counted(game: Game) -> None:
    edition = next(iter(game.editions))
    for view in views(game, edition, game.default_players(game.editions[edition]), 6, 12):
        for most in (1, 37, 400):
            choice = get_bot(f"search:sims={most}").choose(view, NO_LIMIT, np.random.default_rng(1))
            again = Search().choose(view, Limit(simulations=most), np.random.default_rng(1))
            assert alike(choice, again), "it is the same whoever sets the limit"
            assert choice.simulations <= most
            assert choice.simulations == sum(candidate.simulations for candidate in choice.candidates)
            assert {candidate.action for candidate in choice.candidates} == set(view.legal_actions)
            assert choice.candidates[0].action == choice.action
            tried = [candidate.simulations for candidate in choice.candidates[1:]]
            assert tried == sorted(tried, reverse=True), "who was given up first comes last"


@pytest.fixture
def undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """No action is ever given up, so that only a limit ends the search."""
    monkeypatch.setattr(search, "FEWEST", 10**9)


@pytest.mark.usefixtures("undecided")
@pytest.mark.parametrize("game", EVERY.values(), ids=EVERY)
def test_all_simulations_are_used(game: Game) -> None:
    edition = next(iter(game.editions))
    for view in views(game, edition, game.default_players(game.editions[edition]), 6, 30):
        choice = Search(sims=333).choose(view, NO_LIMIT, np.random.default_rng(1))
        actions = len(view.legal_actions)
        assert choice.simulations == 333 // actions * actions


@pytest.mark.parametrize("game", EVERY.values(), ids=EVERY)
def test_a_single_action_needs_no_thought(game: Game) -> None:
    edition = next(iter(game.editions))
    positions = list(random_game(game, edition, 3 if game.name == "blocco" else 2, 3))
    single = [p.view(p.seat) for p in positions[:-1] if len(p.legal_actions) == 1]
    for view in single:
        choice = Search(ms=600_000).choose(view, NO_LIMIT, np.random.default_rng(1))
        assert (choice.action, choice.simulations) == (view.legal_actions[0], 0)


@pytest.mark.usefixtures("undecided")
@pytest.mark.parametrize("name", ["linko", "blocco"])
@pytest.mark.parametrize("ms", [30, 200])
def test_time_is_kept(name: str, ms: int) -> None:
    """Another process may take the processor away at any moment, so the best of several tries counts."""
    game = EVERY[name]
    bot = Search(ms=ms)
    for view in views(game, next(iter(game.editions)), 4, 8, 40)[:3]:
        bot.choose(view, Limit(simulations=100), np.random.default_rng(0))  # compiled
        choices, spent = [], []
        for luck in range(5):
            began = time.perf_counter()
            choices.append(bot.choose(view, NO_LIMIT, np.random.default_rng(luck)))
            spent.append(time.perf_counter() - began)
        assert max(choice.simulations for choice in choices) > 0
        assert 0.8 * ms / 1000 < min(spent) < ms / 1000 + LATE
        untold = [whole - choice.seconds for whole, choice in zip(spent, choices, strict=True)]
        assert 0 <= min(untold) < LATE, "a choice says how long it took"


def test_the_stricter_limit_counts() -> None:
    game = EVERY["linko"]
    view = views(game, "classic", 4, 8, 40)[0]
    bot = Search(ms=600_000, sims=64)
    assert bot.choose(view, Limit(seconds=600), np.random.default_rng(0)).simulations <= 64
    assert bot.choose(view, Limit(simulations=32), np.random.default_rng(0)).simulations <= 32
    quick = bot.choose(view, Limit(seconds=1e-9), np.random.default_rng(0))
    assert quick.simulations == 0
    assert quick.action == get_bot("greedy").choose(view, NO_LIMIT, np.random.default_rng(0)).action
