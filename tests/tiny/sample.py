"""Redeal what a seat of Tiny cannot see: a full game that fits a view."""

from typing import Any

import numpy as np

from lynxden.games.jit import draw_top, kernel, shuffle_deck
from tests.tiny import rules


@kernel
def seen(view: Any, seat: int, value: int) -> int:
    """How many of a card lie where `seat` knows them to be."""
    count = int(view.open == value) + int(view.offered == value)
    for player in range(view.players):
        count += rules.held(view.laid[player], value)
        count += rules.held(view.hands[player] if player == seat else view.known[player], value)
    return count


@kernel
def redeal(game: Any, seat: int, rng: np.uint64) -> None:
    """Turn a view of `seat` (-1: a spectator) into a full game, every unseen deal equally likely."""
    game.deck_size = 0
    for value in range(1, rules.VALUES + 1):
        for _ in range(rules.COPIES - seen(game, seat, value)):
            game.deck[game.deck_size] = value
            game.deck_size += 1
    shuffle_deck(game, rng)
    for player in range(game.players):
        if player != seat:
            missing = int(game.hand_size[player])
            game.hands[player] = game.known[player]
            for value in range(1, rules.VALUES + 1):
                missing -= rules.held(game.known[player], value)
            for _ in range(missing):
                game.hands[player] += rules.card(draw_top(game))
