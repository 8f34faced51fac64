"""Loading (at the first start: compiling) the rules of all games, so that nobody waits for them later."""

from __future__ import annotations

import numpy as np

from lynxden.bots import Limit, get_bot, levels
from lynxden.games.core import OPEN
from lynxden.games.registry import GAMES
from lynxden.server.live.thinkers import choose

ENOUGH = Limit(simulations=500)
"""For a bot that looks ahead to try every action that it has at first."""


def warm_up() -> None:
    """Play a game of each kind, asking for everything that a server asks for, and every bot for people."""
    for game in GAMES.values():
        position = game.new(seed=1)
        while position.seat is not None:
            view = position.view(position.seat)
            game.snapshot.public(position.view(None))
            game.snapshot.private(view)
            position = position.apply(choose("greedy", view, 1))
            position.events(None)
            position.events(OPEN)
        assert position.outcome is not None
        game.snapshot.breakdown(position)
        game.snapshot.revealed(position)
        fresh = game.new(seed=1)
        fresh.view(0).sample(np.random.default_rng(1))
        game.read_deal(fresh.options, 0, game.deal_of(fresh))
        for kind in levels(game.name):
            get_bot(kind.name).choose(fresh.view(fresh.seat), ENOUGH, np.random.default_rng(1))
