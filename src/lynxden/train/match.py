"""Matches on the device: how often one player wins against others who are all alike."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import torch

from lynxden.batch import Batch
from lynxden.train.lanes import Lanes, Tensor, log_chances, tensor
from lynxden.train.network import Network

CAP = 1500
LOOK_EVERY = 25
"""Steps between two looks whether all games are over."""

Player = Callable[[Lanes, Tensor, Tensor, Tensor], Tensor]
"""Chooses an action for every lane from observations and masks; the last says where it is its turn."""


def greedy(lanes: Lanes, seen: Tensor, masks: Tensor, turns: Tensor) -> Tensor:  # noqa: ARG001
    return tensor(lanes.batch.greedy_actions()).long()


def at_random(lanes: Lanes, seen: Tensor, masks: Tensor, turns: Tensor) -> Tensor:  # noqa: ARG001
    return tensor(lanes.batch.random_actions()).long()


def network(policy: Network) -> Player:
    """A policy that takes the likeliest action."""

    def choose(lanes: Lanes, seen: Tensor, masks: Tensor, turns: Tensor) -> Tensor:  # noqa: ARG001
        return log_chances(policy(seen), masks).argmax(-1)

    return choose


@torch.no_grad()
def match(
    game: str, edition: str, players: int, one: Player, others: Player, games: int, seed: int, device: str
) -> tuple[float, float, float]:
    """The one's share of wins with its standard error, and its mean margin; deals go through all seats."""
    games -= games % players
    deals = games // players
    batch = Batch(game, games, edition=edition, players=players, seed=seed, device=device)
    lanes = Lanes(batch)
    lanes.records.copy_(lanes.records[:deals].repeat(players, 1))  # the same deals for every seat
    seat = torch.arange(games, device=lanes.actions.device) // deals
    for step in range(CAP):
        seen, masks, actors = lanes.look()
        mine = actors == seat
        chosen = one(lanes, seen, masks, mine), others(lanes, seen, masks, ~mine)
        lanes.actions.copy_(torch.where(mine, *chosen))
        lanes.step()
        if step % LOOK_EVERY == 0 and bool((tensor(batch.actors()) < 0).all()):
            break
    scores, winners, _ = (tensor(part) for part in batch.standing())
    won = winners.float()
    share = (won / won.sum(1, keepdim=True).clamp(min=1)).gather(1, seat[:, None])[:, 0]
    mine = scores.float().gather(1, seat[:, None])[:, 0]
    margin = mine - (scores.float().sum(1) - mine) / (players - 1)
    by_deal = share.view(players, deals).mean(0)
    error = float(by_deal.std()) / sqrt(deals) if deals > 1 else 0.0
    return float(share.mean()), error, float(margin.mean())
