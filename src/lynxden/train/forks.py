"""Forks: decisions of self-play at which a second action is tried beside the likeliest, in the very game.

What a policy never does it never learns about, and what it seldom does it learns slowly: in PPO an action
counts as often as it is taken. At a fork both actions are played on from the same full game with the same
luck, and their chances are to differ by as much as what came of them, however unlikely the second was. The
policy does not see the hands that decided it; over many forks that are alike to it, the mean is what the
action is worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from lynxden.train.config import Config
from lynxden.train.lanes import Lanes, Tensor
from lynxden.train.playouts import Playouts
from lynxden.train.ppo import CHUNK, Nets

SURE = 0.99
"""Where the policy is surer than this of one action, nothing is tried."""
LIKELY = 0.003
"""Actions that it gives less of a chance are not tried."""
AMONG = 4
"""The second action is one of so many likeliest, the first among them."""
FEW = 16
"""With fewer forks than so many in an iteration, none is learned from."""
NOTHING = 1e-9
"""A lot that is drawn only where there is no other."""


@dataclass
class Forks:
    """Rows of forks: what was seen, two actions, and by how much the second came out better."""

    seen: Tensor
    masks: Tensor
    pairs: Tensor
    gains: Tensor
    """In standard deviations; 0 where there was nothing to try."""
    pulls: Tensor
    """What holds the chances of the two together: the temperature in the same unit, or 0."""

    def shuffled(self, luck: Any, parts: int) -> list[tuple[Tensor, ...]]:
        """So many parts of equal size, each of forks from everywhere."""
        size = len(self.gains) // parts
        order = torch.randperm(len(self.gains), generator=luck, device=self.gains.device)[: size * parts]
        every = self.seen, self.masks, self.pairs, self.gains, self.pulls
        return [tuple(rows[part] for rows in every) for part in order.split(size)]


class Forking:
    """Collects forks in the course of self-play."""

    def __init__(self, nets: Nets, config: Config, device: str) -> None:
        self._count = config.forks
        self._temperature = config.fork_temperature
        fit = [
            n for n in range(1, config.steps + 1) if config.steps % n == 0 and n * config.forks <= CHUNK // 2
        ]
        self._rounds = max(fit, default=1)
        """The forks of so many steps are played on together."""
        size = self._count * self._rounds
        self._playouts = Playouts(nets, config, device, size, 2, config.fork_depth, nets.policy)
        self._waiting: list[tuple[Tensor, ...]] = []
        self._found: list[tuple[Tensor, ...]] = []

    @torch.no_grad()
    def look(
        self, lanes: Lanes, chances: Tensor, seen: Tensor, masks: Tensor, actors: Tensor, luck: Any
    ) -> None:
        """Choose some of the games as they stand before a decision."""
        best = chances.topk(AMONG, dim=-1)
        likely = best.values.exp()
        # The square root: unlikely actions are tried more often than they are taken.
        lots = likely.sqrt() * (likely >= LIKELY)
        lots[:, 0] = 0.0
        tried = (likely[:, 0] < SURE) & (lots.sum(1) > 0)
        lots[:, 0] = NOTHING  # where nothing else is likely, an action is compared with itself
        rows = torch.multinomial(tried.float() + NOTHING, self._count, generator=luck)
        other = torch.multinomial(lots[rows], 1, generator=luck)
        pairs = torch.cat([best.indices[rows, :1], best.indices[rows].gather(1, other)], 1)
        self._waiting.append((
            seen[rows], masks[rows], pairs, tried[rows], chances[rows].gather(1, pairs),
            lanes.records[rows], lanes.players[rows], actors[rows],
        ))  # fmt: skip
        if len(self._waiting) == self._rounds:
            self._play_on(luck)

    def _play_on(self, luck: Any) -> None:
        seen, masks, pairs, tried, before, records, players, seats = map(
            torch.cat, zip(*self._waiting, strict=True)
        )
        self._waiting.clear()
        values = self._playouts.values(records, players, seats, pairs, luck)
        gains = values[:, 1] - values[:, 0]
        self._found.append((seen, masks, pairs, gains, tried, before[:, 1] - before[:, 0]))

    def take(self) -> tuple[Forks, dict[str, float]]:
        """The forks since the last time, and figures of them.

        `fork_fit` is the correlation of what the policy had thought of its second actions with what came of
        them: how much it knew before it was told.
        """
        seen, masks, pairs, gains, tried, odds = map(torch.cat, zip(*self._found, strict=True))
        self._found.clear()
        some, thought = gains[tried], odds[tried]
        if len(some) < FEW:  # too few to say what a large difference is: nothing is learned from them
            nothing = torch.zeros_like(gains)
            return Forks(seen, masks, pairs, nothing, nothing), {"forks": float(len(some))}
        figures = {
            "forks": float(len(some)),
            "fork_gain": float(some.mean()),
            "fork_spread": float(some.std()),
            "fork_fit": float(torch.corrcoef(torch.stack([some, thought]))[0, 1]),
        }
        weights = tried / (some.std() + 1e-6)
        return Forks(seen, masks, pairs, gains * weights, self._temperature * weights), figures
