"""Actions tried in given games: a few decisions of a network, then the critic's word on them."""

from __future__ import annotations

from typing import Any

import torch

from lynxden.train.code import MORE
from lynxden.train.config import Config
from lynxden.train.lanes import NEVER, Tensor, Worlds
from lynxden.train.network import Network, forward
from lynxden.train.ppo import CHUNK, Nets, compiled

LOOK_EVERY = 25
"""Decisions of long playouts between two looks whether all are over."""


class Playouts:
    """Room for `size` games in which as many as `fan` actions each are tried, with the same luck."""

    def __init__(
        self, nets: Nets, config: Config, device: str, size: int, fan: int, depth: int, by: Network
    ) -> None:
        self._nets = nets
        self._margin = config.margin
        self._fan = fan
        self._depth = depth
        self._by = by
        self._lanes = Worlds(config, size * fan, device).lanes
        self._race = compiled(race, config)
        self._forward = compiled(forward, config)

    @torch.no_grad()
    def values(self, records: Tensor, players: Tensor, seats: Tensor, tried: Tensor, luck: Any) -> Tensor:
        """What actions come to for the seat that decides: games x actions."""
        lanes, fan = self._lanes, self._fan
        lanes.records.copy_(records.repeat_interleave(fan, 0))
        seats = seats.long().repeat_interleave(fan)
        lanes.players = players.repeat_interleave(fan)
        lanes.actions.copy_(tried.flatten())
        lanes.step()
        for step in range(self._depth):
            seen, masks, now = lanes.look()
            if step % LOOK_EVERY == LOOK_EVERY - 1 and bool((now < 0).all()):
                break
            lanes.actions.copy_(self._same_luck(seen, masks, luck))
            lanes.step()
        seen, _, now = lanes.look()
        among_equals = torch.zeros((len(seen), MORE), dtype=seen.dtype, device=seen.device)
        whole = torch.cat([seen, lanes.hidden(), among_equals], 1)
        critic = self._nets.critic
        net = critic.values, critic.places, critic.steps
        judged = torch.cat([self._forward(*net, part, critic.kind) for part in whole.split(CHUNK)])
        ahead = judged.gather(1, ((seats - now.long()) % lanes.players)[:, None])[:, 0]
        final = lanes.rewards(self._margin).gather(1, seats[:, None])[:, 0]
        return torch.where(now < 0, final, ahead).view(tried.shape)

    def _same_luck(self, seen: Tensor, masks: Tensor, luck: Any) -> Tensor:
        """Actions of whoever plays on; those who try actions in the same game share their luck."""
        net = self._by
        chosen = []
        size = CHUNK // self._fan * self._fan  # those who share their luck stay together
        for part, legal in zip(seen.split(size), masks.split(size), strict=True):
            clocks = torch.empty((len(part) // self._fan, legal.shape[1]), device=part.device)
            clocks.exponential_(generator=luck)
            chosen.append(self._race(net.values, net.places, net.steps, net.kind, part, legal, clocks))
        return torch.cat(chosen)


def race(
    values: dict[str, Tensor], places: Tensor, steps: Tensor, kind: Any, seen: Tensor, masks: Tensor,
    clocks: Tensor,
) -> Tensor:  # fmt: skip
    """Actions by their chances, drawn by exponential clocks that neighbouring rows share."""
    logits = forward(values, places, steps, seen, kind).masked_fill(masks == 0, NEVER)
    return (logits.unflatten(0, (len(clocks), -1)) - clocks.log()[:, None]).argmax(-1).flatten()
