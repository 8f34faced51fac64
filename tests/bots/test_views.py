"""Bots see a view and nothing else, and the greedy one is worth beating."""

import numpy as np
import pytest

from lynxden.arena.simulation import Simulation, run
from lynxden.batch import Batch
from lynxden.bots import NO_LIMIT, BotSpec, Limit, get_bot, kinds
from lynxden.bots.registry import kind_of
from lynxden.games.core import Game
from lynxden.games.registry import GAMES
from tests.kit import EVERY, VARIANTS, random_game

FEW = Limit(simulations=32)
"""For bots that would think longer."""


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
@pytest.mark.parametrize("name", [kind.name for kind in kinds()])
def test_hidden_cards_do_not_change_a_decision(name: str, game: Game, edition: str, players: int) -> None:
    """Redeal what the deciding seat cannot see: with the same luck the bot does the same."""
    if not kind_of(BotSpec(name)).plays(game.name, edition):
        pytest.skip(f"{name} does not play {game.name}")
    bot = get_bot(name)
    rng = np.random.default_rng(2)
    thinks = name in {"search", "lynx", "shadow", "deep"}
    for position in list(random_game(game, edition, players, seed=12))[: -1 : 24 if thinks else 4]:
        assert position.seat is not None
        view = position.view(position.seat)
        action = bot.choose(view, FEW, np.random.default_rng(7)).action
        assert action in view.legal_actions
        for _ in range(3):
            other = view.sample(rng)
            assert bot.choose(other.view(position.seat), FEW, np.random.default_rng(7)).action == action
            number = game.kernels.greedy_choice(other.kernel_form(), 0)
            if name == "greedy":  # inside playouts it is given whole games
                assert game.action_of(other.kernel_form(), number) == action


@pytest.mark.parametrize("game", GAMES)
def test_greedy_beats_random(game: str) -> None:
    simulation = Simulation(game, next(iter(GAMES[game].editions)), 4, 400, 3, ("greedy", *["random"] * 3))
    summary = run(simulation)
    assert summary.shares[0] / summary.games > 0.93


@pytest.mark.slow
def test_greedy_wins_98_of_100_games_of_linko() -> None:
    summary = run(Simulation("linko", "classic", 4, 2000, 1, ("greedy", *["random"] * 3)))
    assert summary.shares[0] / summary.games >= 0.98


@pytest.mark.parametrize("game", EVERY.values(), ids=EVERY)
def test_python_and_compiled_bots_play_alike(game: Game) -> None:
    """The greedy bot decides the same through a view as inside a batch."""
    batch = Batch(game.name, 8, seed=4)
    positions = [batch.position(index) for index in range(8)]
    played = batch.play(["greedy"] * batch.players)
    bot = get_bot("greedy")
    rng = np.random.default_rng(1)
    for index, position in enumerate(positions):
        for number in played.actions[index, : played.decisions[index]].tolist():
            assert position.seat is not None
            action = bot.choose(position.view(position.seat), NO_LIMIT, rng).action
            assert game.number_of(position.kernel_form(), action) == number
            position = position.apply(action)  # noqa: PLW2901
        assert position.over
