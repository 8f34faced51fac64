"""Golden games: one readable game of each edition. `python -m tests.golden.write` writes them anew."""

import random
from pathlib import Path

from lynxden.games.core import OPEN, Game
from lynxden.games.drawing import plain
from lynxden.games.registry import GAMES

FOLDER = Path(__file__).parent


def golden_game(game: Game, edition: str) -> str:
    """A random game, told so that a person can follow it with the rules in hand."""
    options = game.editions[edition]
    players = game.default_players(options)
    rng = random.Random(f"{game.name} {edition}")
    position = game.new(edition, players, seed=1)
    names = ["Ann", "Ben", "Cleo", "Dan", "Eve"][:players]
    lines = [f"{game.title}, {edition}, {players} players, seed 1", "", plain(position.picture(names)), ""]
    number = 0
    while position.seat is not None:
        number += 1
        actions = position.legal_actions
        action = rng.choice(actions)
        lines.append(f"{number}. {names[position.seat]}, {position.decision}, {len(actions)} legal: {action}")
        position = position.apply(action)
        lines += [f"     {text}" for text in position.describe_events(OPEN, names)]
    outcome = position.outcome
    assert outcome is not None
    winners = " and ".join(names[seat] for seat in outcome.winners)
    scores = ", ".join(f"{name} {score}" for name, score in zip(names, outcome.scores, strict=True))
    lines += ["", plain(position.picture(names)), "", f"{outcome.reason}: {scores}. Won by {winners}."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for found in GAMES.values():
        for name in found.editions:
            path = FOLDER / f"{found.name}-{name}.txt"
            path.write_text(golden_game(found, name), encoding="utf-8")
