"""Looks ahead: tries its actions in worlds that fit what it sees, and plays them out by the heuristic.

A world is a full game that fits the view. Every action is tried in the same worlds with the same luck, so
that the difference between two actions is surer than the value of either. Actions that have fallen clearly
behind are tried no more, and the time goes to those that are close. `docs/bots.md` says what else was tried.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lynxden.bots.core import Candidate, Choice, Limit
from lynxden.bots.registry import BotKind, Parameter, register
from lynxden.games.core import Game, View
from lynxden.games.parts import Kernels

USUAL = Limit(simulations=2000)
"""Where nobody has set a limit."""
STEP = 64
"""Playouts between two looks at the clock and at the actions that are left."""
CAP = 2000
"""Decisions after which a playout is judged by the points so far."""
SHARES = 1000
"""What a whole win counts in a playout (`games/_kernels.py`)."""
FEWEST = 16
"""Worlds before an action can fall behind."""
BEHIND = 2.5
"""Standard errors, of the difference to the best action, by which it does."""
CLEAR = 1.0
"""The same by which an action must be ahead of what the heuristic would do, if nothing else is said."""


class Search:
    """Stops at `ms` milliseconds or `sims` playouts, whichever comes first, or when one action is left."""

    def __init__(
        self, ms: int | None = None, sims: int | None = None, threads: int = 1, clear: float = CLEAR
    ) -> None:
        self._limit = Limit(None if ms is None else ms / 1000, sims)
        self._clear = clear
        self._crew = Crew(threads)

    def choose(self, view: View, limit: Limit, rng: np.random.Generator) -> Choice:
        budget = Budget(limit.stricter(self._limit), USUAL)
        game, records = view.game, view.kernel_form()
        weights = np.tile(game.heuristic.PLAYOUTS, (view.players, 1))
        seed = rng.integers(2**64, dtype=np.uint64)
        tally = Tally(np.array(game.legal_numbers(records)))
        while len(tally.live) > 1:
            actions = tally.actions[tally.live]
            worlds = budget.worlds(tally, max(1, STEP // len(actions)))
            if worlds < 1:
                break
            values = np.empty((worlds, len(actions)), np.int64)
            self._crew.search(
                game.kernels, records, view.viewer, seed, tally.worlds, actions, weights, values
            )
            tally.add(values)
            tally.drop()
        chosen = tally.best_but(int(game.kernels.greedy_choice(records, 0)), self._clear)
        return tally.choice(game, records, chosen, budget)


class Budget:
    """What one decision may cost: time and playouts."""

    def __init__(self, limit: Limit, usual: Limit) -> None:
        """`usual` holds where nobody has set a limit."""
        limit = usual if limit == Limit() else limit
        self._seconds = inf if limit.seconds is None else limit.seconds
        self._began = self._first = time.perf_counter()
        self._end = self._began + self._seconds
        self._most = inf if limit.simulations is None else limit.simulations

    @property
    def spent(self) -> float:
        """Seconds so far."""
        return time.perf_counter() - self._began

    def times(self, seconds: float, playouts: int) -> float:
        """How many times so much time and so many playouts were allowed, whatever is spent by now."""
        return min(self._seconds / seconds, self._most / playouts)

    def worlds(self, tally: Tally, at_once: int) -> int:
        """In how many further worlds the live actions can be tried: `at_once` or fewer, 0 if none."""
        now = time.perf_counter()
        left = self._most - tally.simulations
        if tally.simulations:  # no more than there is time for, at the pace since the first
            left = min(left, (self._end - now) / (now - self._first) * tally.simulations)
        else:
            self._first = now
        return int(min(at_once, left // len(tally.live))) if now < self._end else 0


class Tally:
    """What actions came to, in worlds that they share.

    All in whole numbers: in which order worlds are added makes no difference.
    """

    def __init__(self, actions: NDArray[np.int64]) -> None:
        self.actions = actions
        self.live = np.arange(len(actions))
        """The places of the actions that are still tried; each of these has seen all worlds so far."""
        self.simulations = 0
        self._worlds = np.zeros(len(actions), np.int64)
        self._sums = np.zeros(len(actions), np.int64)
        self._products = np.zeros((len(actions), len(actions)), np.int64)

    def add(self, values: NDArray[np.int64]) -> None:
        """Count some worlds: a row a world, a column for each live action."""
        self.simulations += values.size
        self._worlds[self.live] += len(values)
        self._sums[self.live] += values.sum(axis=0)
        self._products[np.ix_(self.live, self.live)] += values.T @ values

    @property
    def worlds(self) -> int:
        """The worlds so far."""
        return int(self._worlds[self.live[0]])

    @property
    def best(self) -> int:
        """The place of the best live action; of equals, the first."""
        return int(self.live[np.argmax(self._sums[self.live])])

    def best_but(self, usual: int, clear: float) -> int:
        """The same, but the usual action if that is not behind by so many standard errors."""
        best = self.best
        place = int(np.flatnonzero(self.actions == usual)[0])
        behind, errors = self._behind(best)
        close = self.live[behind <= clear * errors]
        return place if place in close else best

    def drop(self) -> None:
        """Give up what has fallen behind the best."""
        if self._worlds[self.best] >= FEWEST:
            behind, errors = self._behind(self.best)
            self.live = self.live[behind <= BEHIND * errors]

    def _behind(self, best: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How far each live action is behind the best one, and the standard error of that."""
        worlds = max(1, int(self._worlds[best]))
        behind = (self._sums[best] - self._sums[self.live]) / worlds
        products = self._products
        squares = products[best, best] - 2 * products[best, self.live] + products[self.live, self.live]
        return behind, np.sqrt(np.maximum(0, squares / worlds - behind**2) / worlds)

    def ranking(self, chosen: int) -> list[tuple[int, float, float, int]]:
        """Each action, its mean, the error of that, its worlds; the chosen one, then who came furthest."""
        worlds = np.maximum(1, self._worlds)
        means = self._sums / worlds
        errors = np.sqrt(np.maximum(0, np.diag(self._products) / worlds - means**2) / worlds)
        order = sorted(range(len(means)), key=lambda k: (k != chosen, -self._worlds[k], -means[k]))
        found = zip(self.actions[order], means[order], errors[order], self._worlds[order], strict=True)
        return [(int(number), float(mean), float(error), int(seen)) for number, mean, error, seen in found]

    def choice(self, game: Game, records: Any, chosen: int, budget: Budget) -> Choice:
        """The action at a place, with what all of them came to."""
        return Choice(
            game.action_of(records, int(self.actions[chosen])),
            tuple(
                Candidate(game.action_of(records, number), mean / SHARES, error / SHARES, worlds)
                for number, mean, error, worlds in self.ranking(chosen)
            ),
            self.simulations,
            budget.spent,
        )


class Crew:
    """The threads that play worlds out; compiled code lets them run side by side."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def search(
        self,
        kernels: Kernels,
        records: Any,
        seat: int | None,
        seed: np.uint64,
        done: int,
        actions: NDArray[np.int64],
        weights: NDArray[np.int64],
        values: NDArray[np.int64],
    ) -> None:
        """Fill `values` with what each action came to, in as many further worlds as it has rows."""

        def part(start: int, stop: int) -> None:
            own = np.zeros(2, records.dtype)
            kernels.search_many(records, start, stop, seat, seed, done, actions, weights, CAP, own, values)

        if self._pool is None:
            part(0, len(values))
            return
        edges = [len(values) * thread // self._threads for thread in range(self._threads + 1)]
        for work in [self._pool.submit(part, start, stop) for start, stop in pairwise(edges)]:
            work.result()


SEARCH = register(
    BotKind(
        "search",
        "Search",
        "Tries what it could do in many worlds that fit what it sees.",
        Search,
        parameters={
            "ms": Parameter(1, 600_000, "milliseconds to think"),
            "sims": Parameter(1, 100_000_000, "games played out in thought"),
            "threads": Parameter(1, 64, "threads that do so"),
        },
    )
)
