"""How well playouts foresee what actions are worth in the game that was really dealt.

    python bench/playouts.py linko --positions 1500 --seed 1            # by who plays them
    python bench/playouts.py linko --positions 1500 --seed 1 --worlds   # by the worlds they begin in

Networks play among themselves, four players, the first edition. In each position in which `deep` would look
ahead, its candidates are tried in imagined worlds, by several kinds of playouts, and then in the world that
was dealt, by the policy. For each kind the table has

- the time for a position on one core, with that for the worlds,
- how much of the differences between actions, as they are in the world that was dealt, it foresees: the
  square of the correlation. It cannot come near 100 %, since nobody can know that world,
- the slope: how much of a difference that it sees is there,
- what choosing by it gains over the policy's own choice, in thousandths of a win a position, ± 95 %.
"""

from __future__ import annotations

import argparse
import copy
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from lynxden.bots import deep
from lynxden.bots.brains import Brain
from lynxden.games.core import Game, Position
from lynxden.games.registry import get_game

Values = NDArray[np.float64]

JUDGES = 32
"""Playouts in the world that was dealt."""
JUDGED = 16
"""Their decisions."""


@dataclass
class Kind:
    """Playouts: first some decisions of the policy, then some of the reflex, in so many worlds."""

    policy: int = deep.NEXT
    reflex: int = deep.DEPTH - deep.NEXT
    worlds: int = 192
    moves: int | None = deep.MOVES
    """Steps towards likelier worlds; None: they are as chance has them."""
    seconds: float = 0.0
    seen: list[Values] = field(default_factory=list)
    gains: list[float] = field(default_factory=list)

    def add(self, values: Values, really: Values) -> None:
        differences = values - values[:, :1]
        ahead = differences.mean(axis=0)
        errors = differences.std(axis=0) / np.sqrt(len(values))
        best = int(np.argmax(ahead))
        chosen = best if ahead[best] > deep.CLEAR * errors[best] else 0
        self.seen.append(ahead[1:])
        self.gains.append(float(really[chosen] - really[0]))

    def try_out(
        self, game: Game, brain: Brain, records: Any, seat: int, actions: NDArray[np.int64], seed: np.uint64
    ) -> Values:
        """What actions are worth by such playouts."""
        if self.moves is None:
            brain = copy.copy(brain)
            brain.belief = None
        some, streams = deep.Worlds(brain, game, records, seed, self.moves or 0).some(self.worlds)
        playing = [brain.policy] * self.policy + [brain.reflex] * self.reflex
        return deep.play_on(brain, game, some, streams, seat, actions, playing)


PLAYERS = [Kind(0, 12, 256), Kind(4, 8, 256), Kind(8, 4, 192), Kind(12, 0, 128), Kind(4, 0, 256)]
WORLDS = [Kind(moves=moves) for moves in (None, 0, 50, deep.MOVES)]


def asked(game: Game, seed: int) -> Iterator[tuple[Position, NDArray[np.int64]]]:
    """Positions of games among networks in which `deep` would look ahead, with its candidates."""
    brain, number = deep.ready(game.name), 0
    while True:
        position = game.new(players=4, seed=100_000 * seed + number)
        number += 1
        while position.seat is not None:
            view = position.view(position.seat)
            records = view.kernel_form()
            actions = np.array(game.legal_numbers(records))
            chances = brain.chances(view.observation(), actions)
            candidates = deep.candidates(chances)
            if len(candidates) > 1:
                yield position, actions[candidates]
            position = position.apply(game.action_of(records, int(actions[np.argmax(chances)])))


def look(game: Game, position: Position, actions: NDArray[np.int64], kinds: list[Kind], luck: int) -> Values:
    """Try the candidates of a position in every way; what they are really worth, against the first."""
    brain, rng, seat = deep.ready(game.name), np.random.default_rng(luck), position.seat
    assert seat is not None
    seed = rng.integers(2**64, dtype=np.uint64)
    dealt = np.repeat(position.kernel_form(), JUDGES)
    chance = rng.integers(2**64, size=JUDGES, dtype=np.uint64)
    judged = deep.play_on(brain, game, dealt, chance, seat, actions, [brain.policy] * JUDGED)
    really: Values = judged.mean(axis=0)
    records = position.view(seat).kernel_form()
    for kind in kinds:
        began = time.perf_counter()
        values = kind.try_out(game, brain, records, seat, actions, seed)
        kind.seconds += time.perf_counter() - began
        kind.add(values, really)
    differences: Values = really[1:] - really[0]
    return differences


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("game")
    parser.add_argument("--positions", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worlds", action="store_true", help="compare worlds instead of who plays on")
    given = parser.parse_args()
    game = get_game(given.game)
    kinds = WORLDS if given.worlds else PLAYERS
    source = asked(game, given.seed)
    console = Console()
    really = [
        look(game, *next(source), kinds, number)
        for number in track(range(given.positions), f"{game.title}, positions", console=console)
    ]
    table = Table("policy", "reflex", "worlds", "moves", "ms", "foresees", "slope", "gain", "± 95 %")
    true = np.concatenate(really)
    for kind in kinds:
        seen, gains = np.concatenate(kind.seen), 1000 * np.array(kind.gains)
        table.add_row(
            str(kind.policy),
            str(kind.reflex),
            str(kind.worlds),
            "by chance" if kind.moves is None else str(kind.moves),
            f"{1000 * kind.seconds / len(gains):.0f}",
            f"{100 * np.corrcoef(seen, true)[0, 1] ** 2:.1f} %",
            f"{np.polyfit(seen, true, 1)[0]:.2f}",
            f"{gains.mean():.1f}",
            f"{1.96 * gains.std() / np.sqrt(len(gains)):.1f}",
        )
    console.print(table)


if __name__ == "__main__":
    main()
