"""A second look: where the policy's likeliest actions lead, judged by what the seat sees there.

What an action brings, a policy has to foresee: whom a set would beat, what would be left in the hand, how
the scores would stand. Carried out, all of that lies on the table. In positions of self-play the likeliest
actions are played on with the same luck, as forks are (`forks.py`), and the network learns by how much what
it sees after one of them is worth more than what it sees after another. It looks at nothing that is hidden;
over many positions that look alike, unseen hands cancel out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from lynxden.batch import Batch
from lynxden.bots.brains import CANDIDATES, LIKELY, SURE, WORLDS
from lynxden.bots.weights import Arrays
from lynxden.train.code import find_code
from lynxden.train.config import Config
from lynxden.train.forks import NOTHING
from lynxden.train.lanes import Lanes, Tensor, Worlds, draw, log_chances
from lynxden.train.network import new_arrays
from lynxden.train.playouts import Playouts
from lynxden.train.ppo import CHUNK, WARM, Nets

TENTHS = 10.0
"""Worth is told in tenths of a win."""
SELDOM = 1e-3
"""Steps that are reached, or missed, less often than this are left out of what the network sees."""
ALL_LEVELS = 127
"""Steps of one byte: at the end of a game each card and each point counts."""


def new_afterstate(config: Config) -> Arrays:
    """Such a network before it has learned anything."""
    code = find_code(config.game, hidden=False, levels=ALL_LEVELS, rare=SELDOM, from_any_seat=True)
    arrays = new_arrays(code, config.afterstate_width, 1, 1, config.seed + 4)
    return arrays | {"trust": np.zeros(1, np.float32)}


@dataclass
class Tried:
    """Positions in which actions were tried: rows of as many as `CANDIDATES`."""

    after: Tensor
    """What the seat sees after each action."""
    odds: Tensor
    """The logarithms of the policy's chances."""
    held: Tensor
    """Where there was such an action; the first is the policy's own choice."""
    values: Tensor
    """What came of each, in wins."""


class Judge:
    """Network and policy together: what an action is worth beside the others."""

    def __init__(self, nets: Nets) -> None:
        assert nets.afterstate is not None
        self.network = nets.afterstate

    def __call__(self, after: Tensor, odds: Tensor) -> Tensor:
        """In tenths of a win, but for what all actions of a row have in common."""
        judged = self.network(after.flatten(0, -2))[:, 0].view(after.shape[:-1])
        return judged + self.network.values["trust"] * odds


def likeliest(chances: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Actions that are worth a look, the logarithms of their chances, and where there are any."""
    best = chances.topk(CANDIDATES, dim=-1)
    held = best.values.exp() >= LIKELY
    held[:, 0] = True
    open_ones = best.values[:, :1].exp() < SURE
    held[:, 1:] &= open_ones
    actions = torch.where(held, best.indices, best.indices[:, :1])
    return actions, best.values.clamp(min=-20.0), held


class Afterstates:
    """Self-play in which actions are tried, and learning from what came of them."""

    def __init__(self, nets: Nets, config: Config, device: str) -> None:
        self.nets = nets
        self.config = config
        self.judge = Judge(nets)
        self._lanes = Lanes(Batch(config.game, config.lanes, tables=config.tables(), device=device))
        self._playouts = Playouts(
            nets, config, device, config.afterstates, CANDIDATES, config.fork_depth, nets.policy
        )

    def deal(self, seed: int) -> None:
        """New games, and an optimizer that remembers nothing."""
        self._seen, self._masks, self._actors = self._lanes.deal(seed)
        self._optimizer = torch.optim.Adam(self.judge.network.parameters, lr=0.0, betas=(0.9, 0.99))
        self._done = 0

    @torch.no_grad()
    def play(self, luck: Any) -> Tried:
        """Some decisions in every game, and actions tried in some games at each."""
        found = []
        for _ in range(self.config.steps):
            chances = torch.cat(
                [
                    log_chances(self.nets.policy(seen), masks)
                    for seen, masks in zip(self._seen.split(CHUNK), self._masks.split(CHUNK), strict=True)
                ]
            )
            found.append(self._try_out(chances, luck))
            sharper = torch.log_softmax(chances / self.config.afterstate_heat, dim=-1)
            self._lanes.actions.copy_(draw(sharper, luck))
            self._seen, self._masks, _, _, _, self._actors = self._lanes.turn()
        return Tried(*map(torch.cat, zip(*found, strict=True)))

    def _try_out(self, chances: Tensor, luck: Any) -> tuple[Tensor, ...]:
        actions, odds, held = likeliest(chances)
        lots = held[:, 1].float() + NOTHING
        rows = torch.multinomial(lots, self.config.afterstates, generator=luck)
        lanes = self._lanes
        values, after = self._playouts.values_and_views(
            lanes.records[rows], lanes.players[rows], self._actors[rows], actions[rows], luck
        )
        return after.view(len(rows), CANDIDATES, -1), odds[rows], held[rows], values

    def learn(self, found: Tried, rate: float, luck: Any) -> dict[str, float]:
        """Go through it once; figures are of what was known before."""
        config, losses = self.config, []
        figures: dict[str, float] = self.figures(found)
        some = found.held[:, 1].nonzero()[:, 0]
        order = some[torch.randperm(len(some), generator=luck, device=some.device)]
        for rows in order.split(config.afterstate_batch):
            self._done += 1
            for group in self._optimizer.param_groups:
                group["lr"] = rate * min(1.0, self._done / WARM)
            held = found.held[rows].float()
            told = centred(self.judge(found.after[rows], found.odds[rows]), held)
            came = centred(TENTHS * found.values[rows], held)
            loss = (told - came).square().sum() / held.sum()
            self._optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.judge.network.parameters, config.largest_gradient)
            self._optimizer.step()
            losses.append(loss.detach())
        return figures | {"afterstate_loss": float(torch.stack(losses).mean()) if losses else 0.0}

    @torch.no_grad()
    def figures(self, found: Tried) -> dict[str, float]:
        """How well it does with positions that it has not learned from."""
        some = found.held[:, 1]
        after, odds, held = found.after[some], found.odds[some], found.held[some]
        if len(after) < 2:
            return {"afterstates": float(len(after))}
        told = torch.cat(
            [self.judge(*part) for part in zip(after.split(CHUNK // 8), odds.split(CHUNK // 8), strict=True)]
        )
        ahead = (found.values[some] - found.values[some][:, :1])[:, 1:][held[:, 1:]]
        foreseen = (told - told[:, :1])[:, 1:][held[:, 1:]]
        thought = (odds - odds[:, :1])[:, 1:][held[:, 1:]]
        chosen = told.masked_fill(~held, -torch.inf).argmax(-1, keepdim=True)
        gains = found.values[some].gather(1, chosen)[:, 0] - found.values[some][:, 0]
        return {
            "afterstates": float(len(after)),
            "afterstate_fit": correlation(foreseen, ahead),
            "policy_fit": correlation(thought, ahead),
            "afterstate_gain": float(gains.mean()),
            "afterstate_changes": float((chosen > 0).float().mean()),
        }


def centred(values: Tensor, held: Tensor) -> Tensor:
    """Differences to the mean of a row's actions; nothing where there is none."""
    return (values - (values * held).sum(-1, keepdim=True) / held.sum(-1, keepdim=True)) * held


def correlation(one: Tensor, other: Tensor) -> float:
    return float(torch.nan_to_num(torch.corrcoef(torch.stack([one, other]))[0, 1]))


class SecondLook:
    """A player for matches on the device: the policy with such a network, as `neural` plays."""

    def __init__(self, nets: Nets, config: Config, device: str, luck: Any) -> None:
        self._policy = nets.policy
        self._judge = Judge(nets)
        self._luck = luck
        self._size = size = max(16, config.match_games // 8)
        self._worlds = Worlds(config, size * WORLDS, device)
        self._after = Worlds(config, size * WORLDS * CANDIDATES, device).lanes

    def __call__(self, lanes: Lanes, seen: Tensor, masks: Tensor, turns: Tensor) -> Tensor:
        chances = log_chances(self._policy(seen), masks)
        actions, odds, held = likeliest(chances)
        chosen = actions[:, 0].clone()
        actors = lanes.actors().long()
        rows = (turns & held[:, 1]).nonzero()[:, 0]
        for part in rows.split(self._size):
            if len(part):
                some = part.repeat(-(-self._size // len(part)))[: self._size]  # it is always as many
                worth = self._worth(lanes.records[some], actors[some], actions[some], odds[some])
                best = worth.masked_fill(~held[some], -torch.inf).argmax(-1, keepdim=True)
                chosen[part] = actions[some].gather(1, best)[: len(part), 0]
        return chosen

    def _worth(self, records: Tensor, actors: Tensor, actions: Tensor, odds: Tensor) -> Tensor:
        self._worlds.imagine(records.repeat_interleave(WORLDS, 0), self._luck)
        after = self._after
        after.records.copy_(self._worlds.lanes.records.repeat_interleave(CANDIDATES, 0))
        after.actions.copy_(actions.repeat_interleave(WORLDS, 0).flatten())
        after.step()
        seen = after.seen_from(actors.repeat_interleave(WORLDS * CANDIDATES))
        shape = len(records), WORLDS, CANDIDATES
        return self._judge(seen.view(*shape, -1), odds[:, None].expand(shape)).mean(1)
