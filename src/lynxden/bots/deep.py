"""Looks ahead with networks: the policy names a few candidates, and short playouts compare them.

Every candidate is tried in the same worlds with the same luck. A small copy of the policy plays on for some
decisions, then the critic judges the position with all hands open. The policy's own choice stands unless
another is clearly better. Trained networks and their measure: `docs/training.md`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lynxden.bots.brains import Brain, brain_of, trained
from lynxden.bots.core import Choice, Limit
from lynxden.bots.network import draw_many
from lynxden.bots.registry import BotKind, Parameter, register
from lynxden.bots.search import SHARES, Budget, Tally
from lynxden.bots.threads import one_thread
from lynxden.games.core import Game, View
from lynxden.games.jit import stream
from lynxden.games.registry import get_game

USUAL = Limit(simulations=256)
"""Where nobody has set a limit."""
CANDIDATES = 4
LIKELY = 0.005
"""Actions that the policy gives less of a chance are not tried."""
SURE = 0.99
"""Where it is surer than this of one action, that is done at once."""
WORLDS = 16
"""Worlds between two looks at the clock."""
DEPTH = 12
"""Decisions of a playout."""
CLEAR = 1.0
"""Standard errors by which an action must be ahead of the policy's own."""
NOBODY = -1000
"""The score of a seat where nobody sits."""
MOST_MARGIN = 40
"""Points of difference to the best other player that count at most."""


class Deep:
    """Stops at `ms` milliseconds or `sims` playouts, whichever comes first, or when one action is left."""

    def __init__(self, ms: int | None = None, sims: int | None = None) -> None:
        self._limit = Limit(None if ms is None else ms / 1000, sims)

    def choose(self, view: View, limit: Limit, rng: np.random.Generator) -> Choice:
        budget = Budget(limit.stricter(self._limit), USUAL)
        game, records = view.game, view.kernel_form()
        brain = ready(game.name)
        numbers = np.array(game.legal_numbers(records))
        chances = brain.chances(view.observation(), numbers)
        order = np.argsort(-chances, kind="stable")[:CANDIDATES]
        order = order[chances[order] >= LIKELY]
        tally = Tally(numbers[order])
        seed = rng.integers(2**64, dtype=np.uint64)
        assert view.viewer is not None
        with one_thread():
            while len(tally.live) > 1 and chances[order[0]] < SURE:
                worlds = budget.worlds(tally, WORLDS)
                if worlds < 1:
                    break
                live = tally.actions[tally.live]
                tally.add(try_out(brain, game, records, view.viewer, live, worlds, tally.worlds, seed))
                tally.drop()
        chosen = tally.best_but(int(tally.actions[0]), CLEAR) if tally.simulations else 0
        return tally.choice(game, records, chosen, budget)


@cache
def ready(name: str) -> Brain:
    """The networks of a game, and everything compiled that uses them: no decision should wait for that."""
    brain, game = brain_of(name), get_game(name)
    position = game.new(seed=0)
    assert position.seat is not None
    one = np.array(position.legal_numbers[:1])
    try_out(brain, game, position.kernel_form(), position.seat, one, 1, 0, np.uint64(0))
    return brain


def try_out(
    brain: Brain, game: Game, records: Any, seat: int, actions: NDArray[np.int64], worlds: int, done: int,
    seed: np.uint64,
) -> NDArray[np.int64]:  # fmt: skip
    """What each action comes to in the worlds from `done` on, in thousandths of a win; a row a world."""
    kernels: Any = game.kernels
    fan = len(actions)
    lanes = worlds * fan
    table = np.repeat(records, lanes)
    streams = np.repeat(np.array([stream(seed, done + n) for n in range(worlds)], np.uint64), fan)
    kernels.imagine_many(table, 0, lanes, streams)
    trust = np.zeros(0, np.int8)
    chosen = np.tile(actions, worlds)
    kernels.step_many(table, 0, lanes, chosen, trust)
    words = np.zeros((lanes, game.encode.WORDS), np.int64)
    masks = np.zeros((lanes, game.action_count), np.uint8)
    for _ in range(DEPTH):
        kernels.observation_many(table, 0, lanes, words)
        kernels.mask_many(table, 0, lanes, masks)
        draw_many(brain.reflex.many(words.view(np.int8)), masks, streams, chosen)
        kernels.step_many(table, 0, lanes, chosen, trust)
    values = judge(brain, game, table, seat)
    return np.round(SHARES * values).astype(np.int64).reshape(worlds, fan)


def judge(brain: Brain, game: Game, table: Any, seat: int) -> NDArray[np.float64]:
    """What games are worth to a seat: by their results where they are over, else by the critic."""
    kernels: Any = game.kernels
    lanes, players = len(table), int(table["players"][0])
    words = np.zeros((lanes, game.encode.WORDS), np.int64)
    hidden = np.zeros((lanes, game.encode.HIDDEN_WORDS), np.int64)
    kernels.observation_many(table, 0, lanes, words)
    kernels.hidden_many(table, 0, lanes, hidden)
    judged = brain.critic.many(np.concatenate([words.view(np.int8), hidden.view(np.int8)], axis=1))
    place = (seat - table["actor"].astype(np.int64)) % players
    values: NDArray[np.float64] = judged[np.arange(lanes), place].astype(np.float64)
    over = np.flatnonzero(table["phase"] == game.over)
    if len(over):
        points = np.full((lanes, players), NOBODY, np.int32)
        won = np.zeros((lanes, players), np.bool_)
        kernels.result_many(table, 0, lanes, points, won, np.zeros(lanes, np.int8))
        others = np.delete(points, seat, axis=1).max(axis=1)
        margin = np.clip(points[:, seat] - others, -MOST_MARGIN, MOST_MARGIN)
        final = won[:, seat] / np.maximum(won.sum(axis=1), 1) + brain.margin * margin
        values[over] = final[over]
    return values


DEEP = register(
    BotKind(
        "deep",
        "Deep",
        "A network that thinks ahead in worlds that fit what it sees.",
        Deep,
        parameters={
            "ms": Parameter(1, 600_000, "milliseconds to think"),
            "sims": Parameter(1, 100_000_000, "playouts in thought"),
        },
        games=trained(),
    )
)
