"""How well playouts foresee what actions are worth in the game that was really dealt.

    python bench/playouts.py linko --positions 1500 --seed 1            # by who plays them
    python bench/playouts.py linko --positions 1500 --seed 1 --worlds   # by the worlds they begin in
    python bench/playouts.py linko --positions 1000 --actions           # by how many actions are tried

Networks play among themselves, four players, the first edition. In each position in which the policy is in
doubt about two to four actions, these are tried in imagined worlds, by several kinds of playouts, and then in
the world that was dealt, by the policy. For each kind the table has

- the time for a position on one core, with that for the worlds,
- how much of the differences between actions, as they are in the world that was dealt, it foresees: the
  square of the correlation. It cannot come near 100 %, since nobody can know that world,
- the slope: how much of a difference that it sees is there,
- what choosing by it gains over the policy's own choice, in thousandths of a win a position, ± 95 %.

With `--actions`, every eighth decision is looked at, also where the policy is sure. Many actions are tried in
128 worlds, and what is chosen among few or many of them is judged in 256 others. Gains are those
of all such decisions, in the worlds of the judge and in the world that was dealt.
"""

from __future__ import annotations

import argparse
import copy
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
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
        self.seen.append(values.mean(axis=0)[1:] - values[:, 0].mean())
        self.gains.append(float(really[choice(values)] - really[0]))

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


@dataclass
class Choice:
    """Which actions are tried: so many, of at least this chance, where the policy is less sure than that."""

    most: int = deep.CANDIDATES
    likely: float = 0.0
    sure: float = 1.0
    asked: int = 0
    tried: int = 0
    gains: list[float] = field(default_factory=list)
    really: list[float] = field(default_factory=list)

    def among(self, chances: Values) -> int:
        """How many actions are tried; 1: nothing is."""
        return int((chances[: self.most] >= self.likely).sum()) if chances[0] < self.sure else 1

    def add(self, chances: Values, values: Values, judged: Values, really: Values) -> None:
        """A decision: its actions from the likeliest on, with what they came to in three ways."""
        count = self.among(chances)
        chosen = 0
        if count > 1:
            self.asked += 1
            self.tried += count
            chosen = choice(values[:, :count])
        self.gains.append(float(judged[chosen] - judged[0]))
        self.really.append(float(really[chosen] - really[0]))


def choice(values: Values) -> int:
    """What `deep` would choose after these worlds: the first action, unless another is clearly better."""
    differences = values - values[:, :1]
    ahead = differences.mean(axis=0)
    best = int(np.argmax(ahead))
    clear = ahead[best] > deep.CLEAR * differences[:, best].std() / np.sqrt(len(values))
    return best if clear else 0


PLAYERS = [Kind(0, 12, 256), Kind(4, 8, 256), Kind(8, 4, 192), Kind(12, 0, 128), Kind(4, 0, 256)]
WORLDS = [Kind(moves=moves) for moves in (None, 0, 50, deep.MOVES)]
IN_DOUBT = Choice(4, 0.005, 0.99)
CHOICES = [
    IN_DOUBT,
    Choice(8, 1e-3, 0.999),
    Choice(8, 1e-4, 0.9999),
    Choice(8),
    Choice(12),
    Choice(20),
]
EVERY = 8
"""Decisions from one that is looked at to the next."""


def decisions(game: Game, seed: int) -> Iterator[tuple[Position, NDArray[np.int64], Values]]:
    """Decisions of games among networks: the actions, the likeliest first, and their chances."""
    brain, number = deep.ready(game.name), 0
    while True:
        position = game.new(players=4, seed=100_000 * seed + number)
        number += 1
        while position.seat is not None:
            view = position.view(position.seat)
            records = view.kernel_form()
            actions = np.array(game.legal_numbers(records))
            chances = brain.chances(view.observation(), actions)
            order = np.argsort(-chances, kind="stable")
            if len(order) > 1:
                yield position, actions[order], chances[order].astype(np.float64)
            position = position.apply(game.action_of(records, int(actions[order[0]])))


def asked(game: Game, seed: int) -> Iterator[tuple[Position, NDArray[np.int64]]]:
    """Those in which the policy is in doubt, with the actions that it is in doubt about."""
    for position, actions, chances in decisions(game, seed):
        doubtful = actions[: IN_DOUBT.among(chances)]
        if len(doubtful) > 1:
            yield position, doubtful


def compare_choices(
    game: Game, position: Position, actions: NDArray[np.int64], chances: Values, luck: int
) -> None:
    """Try many actions of a decision, and let every kind of choice choose."""
    brain, rng, seat = deep.ready(game.name), np.random.default_rng(luck), position.seat
    assert seat is not None
    actions = actions[: max(kind.most for kind in CHOICES)]
    worlds = deep.Worlds(
        brain, game, position.view(seat).kernel_form(), rng.integers(2**64, dtype=np.uint64), deep.MOVES
    )

    def tried(some: Any, streams: NDArray[np.uint64], by_policy: int) -> Values:
        playing = [brain.policy] * by_policy
        return deep.play_on(brain, game, some, streams, seat, actions, playing)

    values = tried(*worlds.some(deep.CHAINS), deep.DEPTH)
    judged = np.concatenate([tried(*worlds.some(deep.CHAINS), JUDGED) for _ in range(2)]).mean(axis=0)
    dealt = np.repeat(position.kernel_form(), JUDGES)
    really = tried(dealt, rng.integers(2**64, size=JUDGES, dtype=np.uint64), JUDGED).mean(axis=0)
    for kind in CHOICES:
        kind.add(chances[: len(actions)], values, judged, really)


def table_of_choices(game: Game, positions: int, seed: int, console: Console) -> Table:
    source = islice(decisions(game, seed), 0, None, EVERY)
    for number in track(range(positions), f"{game.title}, decisions", console=console):
        compare_choices(game, *next(source), number)
    table = Table(
        "actions", "chance", "sure", "asked", "tried", "gain", "± 95 %", "in the real world", "± 95 %"
    )
    for kind in CHOICES:
        gains = [1000 * np.array(found) for found in (kind.gains, kind.really)]
        figures = [f"{part:.1f}" for found in gains for part in (found.mean(), interval(found))]
        table.add_row(
            f"{kind.most}",
            f"{kind.likely:g}",
            f"{kind.sure:g}",
            f"{100 * kind.asked / positions:.0f} %",
            f"{kind.tried / max(1, kind.asked):.1f}",
            *figures,
        )
    return table


def interval(found: Values) -> float:
    """Half of the 95 % interval of a mean."""
    return float(1.96 * found.std() / np.sqrt(len(found)))


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
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--worlds", action="store_true", help="compare worlds instead of who plays on")
    what.add_argument("--actions", action="store_true", help="compare how many actions are tried")
    given = parser.parse_args()
    game, console = get_game(given.game), Console()
    if given.actions:
        console.print(table_of_choices(game, given.positions, given.seed, console))
        return
    kinds = WORLDS if given.worlds else PLAYERS
    source = asked(game, given.seed)
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
            f"{interval(gains):.1f}",
        )
    console.print(table)


if __name__ == "__main__":
    main()
