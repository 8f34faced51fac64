"""How many playouts the search makes a second, on one thread and on two.

    .venv/bin/python bench/search.py

Positions come from games of greedy bots, from the first decision to the last. The peer is the engine alone:
greedy bots that play whole games in a batch, on one core, measured in turns with the search. A playout starts
where the position is, so that on average half a game is left to play.
"""

from __future__ import annotations

import json
import statistics
import time
from typing import Annotated, Any

import numpy as np
import typer

from lynxden.batch import Batch
from lynxden.bots import NO_LIMIT, Limit, get_bot
from lynxden.games.core import View
from lynxden.games.registry import get_game

GAMES = 2_000
"""Games of the peer in one go."""


def positions(name: str, players: int, count: int) -> list[View]:
    """What the seats that decide see, evenly from a game; only where there is a choice."""
    rng, greedy = np.random.default_rng(1), get_bot("greedy")
    found: list[View] = []
    seed = 0
    while len(found) < 4 * count:
        position = get_game(name).new(players=players, seed=seed)
        while position.seat is not None:
            view = position.view(position.seat)
            if len(view.legal_actions) > 1:
                found.append(view)
            position = position.apply(greedy.choose(view, NO_LIMIT, rng).action)
        seed += 1
    return found[:: len(found) // count][:count]


def measure(name: str, players: int, count: int, milliseconds: int) -> dict[str, Any]:
    bots = {threads: get_bot(f"search:ms={milliseconds},threads={threads}") for threads in (1, 2)}
    views = positions(name, players, count)
    for bot in bots.values():
        bot.choose(views[0], Limit(simulations=200), np.random.default_rng(1))  # compiled by now
    playouts: dict[int, list[float]] = {1: [], 2: []}
    peer: list[float] = []
    for number, view in enumerate(views):
        for threads, bot in bots.items():
            choice = bot.choose(view, NO_LIMIT, np.random.default_rng(number))
            playouts[threads].append(choice.simulations / choice.seconds)
        batch = Batch(name, GAMES, players=players, seed=number)
        start = time.perf_counter()
        batch.play(["greedy"] * players)
        peer.append(GAMES / (time.perf_counter() - start))
    one, two, whole = (statistics.median(each) for each in (playouts[1], playouts[2], peer))
    return {
        "game": name,
        "playouts/s, one thread": round(one),
        "playouts/s, two threads": round(two),
        "whole greedy games/s (peer)": round(whole),
        "one thread : peer": round(one / whole, 2),
        "two threads : peer": round(two / whole, 2),
    }


def main(
    count: Annotated[int, typer.Option(help="Positions of each game.")] = 30,
    milliseconds: Annotated[int, typer.Option(help="Time for each.")] = 300,
    players: int = 4,
) -> None:
    """Measure the search."""
    for name in ("linko", "blocco"):
        typer.echo(json.dumps(measure(name, players, count, milliseconds)))


if __name__ == "__main__":
    typer.run(main)
