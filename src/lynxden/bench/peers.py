"""Engines to compare with, if they are installed (`lynxden[bench]`)."""

import random
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Peer:
    name: str
    work: Callable[[], int]
    """Plays one game, deal included; returns how many decisions players made in it."""


def find_peers() -> dict[str, Peer]:
    """OpenSpiel's hearts: played inside its C++, and from a Python loop. Only players' decisions count."""
    try:
        import pyspiel
    except ImportError:
        return {}
    game = pyspiel.load_game("hearts")
    bots = [pyspiel.make_uniform_random_bot(player, player) for player in range(game.num_players())]
    seeds = iter(range(10**9))
    rng = random.Random(1)

    first = game.new_initial_state()
    pyspiel.evaluate_bots(first, bots, 0)
    each = len([move for move in first.full_history() if move.player >= 0])  # 12 cards passed, 52 played

    def inside() -> int:
        pyspiel.evaluate_bots(game.new_initial_state(), bots, next(seeds))
        return each

    def loop() -> int:
        state = game.new_initial_state()
        done = 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, chances)[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                done += 1
        return done

    return {
        "inside": Peer("OpenSpiel hearts, evaluate_bots in C++", inside),
        "loop": Peer("OpenSpiel hearts, Python loop", loop),
    }
