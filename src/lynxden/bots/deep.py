"""Looks ahead with networks: short playouts compare the actions that the policy likes best.

Every candidate is tried in the same worlds with the same luck. Worlds with hands that players hold are tried
more often than others. The policy and then a small copy of it play on for some decisions, then the critic
judges the position with all hands open. The policy's own choice stands unless another is clearly better.
Trained networks and their measure: `docs/training.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lynxden.bots.brains import Brain, brain_of, trained
from lynxden.bots.core import Choice, Limit
from lynxden.bots.network import Floats, Network, draw_many
from lynxden.bots.registry import BotKind, Parameter, register
from lynxden.bots.search import SHARES, Budget, Tally
from lynxden.bots.threads import one_thread
from lynxden.games.core import Game, View
from lynxden.games.registry import get_game

USUAL = Limit(simulations=256)
"""Where nobody has set a limit."""
CANDIDATES = 16
"""Actions that are tried at most, however sure the policy is of one: it is wrong seldom, but then by much."""
SECONDS_EACH = 0.01
PLAYOUTS_EACH = 32
"""One of them for so much time and so many playouts as a decision may take, but two at least."""
WORLDS = 32
"""Worlds between two looks at the clock."""
POOL = 4096
"""Worlds that are imagined first; those that are tried begin as likely ones among them."""
CHAINS = 128
"""Worlds that are moved on side by side, and tried in turn."""
ENOUGH = 4
"""If those imagined first are worth so many times `CHAINS` freely drawn ones, none needs to move yet."""
MOVES = 150
"""Else: steps towards likelier worlds before any is tried."""
MORE_MOVES = 30
"""Steps before all of them are tried once more."""
SECONDS = 0.0033
PLAYOUTS = 4
"""One of the first steps for so much time and so many playouts as a decision may take: a fifth of it at most.

The clock itself has no say, so that a busy machine does not change the worlds."""
DEPTH = 12
"""Decisions of a playout."""
NEXT = 8
"""So many of them, the first, are the policy's own; the others are those of its small copy."""
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
        game, records = view.game, view.kernel_form()
        brain = ready(game.name)  # what is compiled only once does not count
        budget = Budget(limit.stricter(self._limit), USUAL)
        numbers = np.array(game.legal_numbers(records))
        chances = brain.chances(view.observation(), numbers)
        tally = Tally(numbers[candidates(chances, most_within(budget))])
        seed = rng.integers(2**64, dtype=np.uint64)
        assert view.viewer is not None
        with one_thread():
            if len(tally.live) > 1:
                worlds = Worlds(brain, game, records, seed, moves_within(budget))
                while len(tally.live) > 1 and (count := budget.worlds(tally, WORLDS)):
                    live = tally.actions[tally.live]
                    tally.add(try_out(brain, worlds, view.viewer, live, count))
                    tally.drop()
        chosen = tally.best_but(int(tally.actions[0]), CLEAR) if tally.simulations else 0
        return tally.choice(game, records, chosen, budget)


def candidates(chances: Floats, most: int) -> NDArray[np.int64]:
    """The places of the actions to try, from the likeliest on: the policy's own choice first."""
    return np.argsort(-chances, kind="stable")[:most]


def most_within(budget: Budget) -> int:
    """How many actions a decision can afford to try."""
    return max(2, round(min(CANDIDATES, budget.times(SECONDS_EACH, PLAYOUTS_EACH))))


def moves_within(budget: Budget) -> int:
    """The first steps of worlds that a decision can afford."""
    return round(min(MOVES, budget.times(SECONDS, PLAYOUTS)))


@cache
def ready(name: str) -> Brain:
    """The networks of a game, and everything compiled that uses them: no decision should wait for that."""
    brain, game = brain_of(name), get_game(name)
    position = game.new(seed=0)
    assert position.seat is not None
    one = np.array(position.legal_numbers[:1])
    worlds = Worlds(brain, game, position.kernel_form(), np.uint64(0), moves=1)
    try_out(brain, worlds, position.seat, one, 1)
    return brain


class Worlds:
    """Full games that fit what a seat sees, likely ones more often.

    Unseen cards that are dealt at random give hands that nobody holds: players keep what belongs together and
    lay the rest. The belief, a network that has learned to tell hands of real games from such ones, says how
    much likelier a world is than chance has it. Cards are moved about until worlds are as likely as that
    (Metropolis): a step to a likelier world is always taken, another one as often as it is likely.
    """

    def __init__(self, brain: Brain, game: Game, records: Any, seed: np.uint64, moves: int) -> None:
        self.game = game
        self._belief = brain.belief
        self._seen = observed(game, records)[0]
        self._rng = np.random.default_rng(int(seed))
        kernels: Any = game.kernels
        table = np.repeat(records, POOL)
        kernels.imagine_many(table, 0, POOL, self._luck(POOL))
        logits = self._believed(table)
        odds = np.exp(logits - logits.max())
        # How many freely drawn worlds they are worth is (sum of odds)² / sum of odds².
        enough = odds.sum() ** 2 >= ENOUGH * CHAINS * (odds**2).sum()
        reached = np.cumsum(odds)
        places = (self._rng.random() + self._rng.permutation(CHAINS)) / CHAINS
        chosen = np.minimum(np.searchsorted(reached, places * reached[-1], side="right"), POOL - 1)
        self._table, self._logits = table[chosen], logits[chosen]
        self._tried = 0
        self._move(0 if enough else moves)

    def _luck(self, count: int) -> NDArray[np.uint64]:
        return self._rng.integers(2**64, size=count, dtype=np.uint64)

    def _believed(self, table: Any) -> NDArray[np.float64]:
        """How much likelier than chance has them worlds are, as logarithms."""
        if self._belief is None:
            return np.zeros(len(table))
        return self._belief.many_alike(self._seen, hands(self.game, table))[:, 0].astype(np.float64)

    def _move(self, steps: int) -> None:
        """Let two unseen cards change places in each world, so many times, and see whether that may stay."""
        kernels: Any = self.game.kernels
        streams = self._luck(CHAINS)
        for _ in range(steps if self._belief else 0):
            moved = self._table.copy()
            kernels.exchange_many(moved, 0, CHAINS, streams)
            logits = self._believed(moved)
            stays = np.log(self._rng.random(CHAINS)) < logits - self._logits
            self._table[stays], self._logits[stays] = moved[stays], logits[stays]

    def some(self, count: int) -> tuple[Any, NDArray[np.uint64]]:
        """So many worlds, and the luck of each. All have their turn; then they move on."""
        if self._tried + count > CHAINS:
            self._move(MORE_MOVES)
            self._tried = 0
        self._tried += count
        return self._table[self._tried - count : self._tried], self._luck(count)


def observed(game: Game, table: Any) -> NDArray[np.int8]:
    """What whoever decides sees."""
    kernels: Any = game.kernels
    words = np.zeros((len(table), game.encode.WORDS), np.int64)
    kernels.observation_many(table, 0, len(table), words)
    return words.view(np.int8)


def hands(game: Game, table: Any) -> NDArray[np.int8]:
    """All hands, from that of whoever decides to the left."""
    kernels: Any = game.kernels
    words = np.zeros((len(table), game.encode.HIDDEN_WORDS), np.int64)
    kernels.hidden_many(table, 0, len(table), words)
    return words.view(np.int8)


def try_out(
    brain: Brain, worlds: Worlds, seat: int, actions: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """What each action comes to in `count` more worlds, in thousandths of a win; a row a world."""
    some, luck = worlds.some(count)
    playing = [brain.policy] * NEXT + [brain.reflex] * (DEPTH - NEXT)
    values = play_on(brain, worlds.game, some, luck, seat, actions, playing)
    return np.round(SHARES * values).astype(np.int64)


def play_on(
    brain: Brain,
    game: Game,
    some: Any,
    luck: NDArray[np.uint64],
    seat: int,
    actions: NDArray[np.int64],
    playing: Sequence[Network],
) -> NDArray[np.float64]:
    """What each action is worth in some worlds after one more decision by each of these; a row a world."""
    kernels: Any = game.kernels
    fan = len(actions)
    lanes = len(some) * fan
    table, streams = np.repeat(some, fan), np.repeat(luck, fan)
    trust = np.zeros(0, np.int8)
    chosen = np.tile(actions, len(some))
    kernels.step_many(table, 0, lanes, chosen, trust)
    words = np.zeros((lanes, game.encode.WORDS), np.int64)
    masks = np.zeros((lanes, game.action_count), np.uint8)
    for network in playing:
        kernels.observation_many(table, 0, lanes, words)
        kernels.mask_many(table, 0, lanes, masks)
        draw_many(network.many(words.view(np.int8)), masks, streams, chosen)
        kernels.step_many(table, 0, lanes, chosen, trust)
    return judge(brain, game, table, seat).reshape(len(some), fan)


def judge(brain: Brain, game: Game, table: Any, seat: int) -> NDArray[np.float64]:
    """What games are worth to a seat: by their results where they are over, else by the critic."""
    kernels: Any = game.kernels
    lanes, players = len(table), int(table["players"][0])
    judged = brain.critic.many(np.concatenate([observed(game, table), hands(game, table)], axis=1))
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
