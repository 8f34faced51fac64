"""Search as the teacher: a few candidates, common worlds, short playouts by the policy itself.

Positions come from self-play. In each, the likeliest actions are tried in the same sampled worlds with the
same luck; playouts stop after a few decisions, where the critic, who sees all hands, judges them. The
policy is then trained towards what came out better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from lynxden.batch import Batch
from lynxden.train.config import Config
from lynxden.train.lanes import Lanes, Tensor, Worlds, draw, log_chances, move, tensor
from lynxden.train.network import Network
from lynxden.train.playouts import Playouts
from lynxden.train.ppo import CHUNK, Nets

SURE = 0.97
"""Where the policy is surer than this of one action there is nothing to search."""
BETWEEN = 3
"""Decisions of self-play between two searches."""
ILLEGAL = -1e20


class Searcher:
    """Tries actions in worlds, for many positions at once."""

    def __init__(self, nets: Nets, config: Config, device: str, playouts: Network | None = None) -> None:
        self.nets = nets
        self.config = config
        size = config.positions * config.worlds
        self._imagined = Worlds(config, size * config.imagined, device)
        self._moving = Worlds(config, size, device).lanes
        self._playouts = Playouts(
            nets, config, device, size, config.candidates, config.depth, playouts or nets.policy
        )

    def likeliest(self, chances: Tensor) -> Tensor:
        """The actions to try; where fewer are legal, the likeliest takes the place of those missing."""
        found = chances.topk(self.config.candidates, dim=-1)
        return torch.where(found.values > ILLEGAL, found.indices, found.indices[:, :1])

    @torch.no_grad()
    def try_out(
        self, lanes: Lanes, rows: Tensor, actors: Tensor, tried: Tensor, luck: Any, *, imagined: bool = True
    ) -> Tensor:
        """What actions in some lanes come to: positions x worlds x actions.

        Without `imagined` all worlds are the one that was really dealt: what the actions were worth.
        """
        count = self.config.worlds
        if imagined:
            records = self.imagine(lanes.records[rows], luck).records
        else:
            records = lanes.records[rows].repeat_interleave(count, 0)
        seats, players = actors.repeat_interleave(count), lanes.players[rows].repeat_interleave(count)
        values = self._playouts.values(records, players, seats, tried.repeat_interleave(count, 0), luck)
        return values.view(len(rows), count, -1)

    def imagine(self, records: Tensor, luck: Any) -> Lanes:
        """Worlds for each position, one after the other: of many, those that are likely more often."""
        count, many = self.config.worlds, self.config.worlds * self.config.imagined
        imagined = self._imagined
        imagined.imagine(records.repeat_interleave(many, 0), luck)
        if self.config.imagined == 1:
            return imagined.lanes
        odds = self.odds(imagined.lanes).view(-1, many)
        chosen = torch.multinomial(odds.softmax(-1), count, replacement=True, generator=luck)
        first = many * torch.arange(len(records), device=chosen.device)
        moving = self._moving
        moving.records.copy_(imagined.lanes.records[(first[:, None] + chosen).flatten()])
        move(moving, lambda: self.odds(moving), self.config.moves, luck)
        return moving

    def odds(self, lanes: Lanes) -> Tensor:
        """How much likelier than chance has them worlds are, as logarithms."""
        whole = torch.cat([tensor(lanes.batch.observations()), lanes.hidden()], 1)
        return torch.cat([self.nets.belief(part)[:, 0] for part in whole.split(CHUNK)])


@dataclass
class Lessons:
    """Positions with what the search made of them."""

    seen: Tensor
    masks: Tensor
    candidates: Tensor
    values: Tensor
    errors: Tensor
    """The standard error of each candidate's difference to the mean of all."""


class Teacher:
    """Self-play whose positions are searched."""

    def __init__(self, nets: Nets, config: Config, device: str, seed: int) -> None:
        self.nets = nets
        self.config = config
        self.play = Lanes(Batch(config.game, config.lanes, tables=config.tables(), seed=seed, device=device))
        self.searcher = Searcher(nets, config, device)
        self._seen, self._masks, self._actors = self.play.look()

    @torch.no_grad()
    def search(self, luck: Any) -> Lessons:
        """Some positions of self-play, searched."""
        policy = self.nets.policy
        for _ in range(BETWEEN):
            self.play.actions.copy_(draw(log_chances(policy(self._seen), self._masks), luck))
            self._seen, self._masks, _, _, _, self._actors = self.play.turn()
        chances = log_chances(policy(self._seen), self._masks)
        open_ones = (chances.max(-1).values.exp() < SURE).float() + 1e-9
        rows = torch.multinomial(open_ones, self.config.positions, generator=luck)
        candidates = self.searcher.likeliest(chances[rows])
        values = self.searcher.try_out(self.play, rows, self._actors[rows], candidates, luck)
        centred = values - values.mean(-1, keepdim=True)
        errors = centred.std(1) / self.config.worlds**0.5
        return Lessons(self._seen[rows], self._masks[rows], candidates, values.mean(1), errors)


def train_towards(
    policy: Network, prior: Network, lessons: list[Lessons], config: Config, luck: Any
) -> dict[str, float]:
    """Train the policy towards what the search preferred, starting from what the prior would do."""
    seen, masks, candidates, values, errors = (
        torch.cat([getattr(lesson, name) for lesson in lessons])
        for name in ("seen", "masks", "candidates", "values", "errors")
    )
    optimizer = torch.optim.Adam(policy.parameters, lr=config.teach_rate, betas=(0.9, 0.99))
    gain = (values.max(-1).values - values[:, 0]).mean()
    total, count = 0.0, 0
    size = min(config.teach_batch, len(seen))
    for _ in range(config.teach_epochs):
        for rows in torch.randperm(len(seen), generator=luck, device=seen.device).split(size):
            with torch.no_grad():
                target = _targets(
                    log_chances(prior(seen[rows]), masks[rows]), candidates[rows], values[rows], errors[rows],
                    config.temperature,
                )  # fmt: skip
            loss = -(target * log_chances(policy(seen[rows]), masks[rows])).sum(-1).mean()
            loss = loss + (target * target.clamp(min=1e-12).log()).sum(-1).mean()  # zero when learned
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters, config.largest_gradient)
            optimizer.step()
            total += float(loss.detach())
            count += 1
    return {
        "search_gain": float(gain),
        "search_error": float(errors.mean()),
        "lesson_loss": total / max(1, count),
        "lessons": float(len(seen)),
    }


def _targets(before: Tensor, some: Tensor, values: Tensor, errors: Tensor, temperature: float) -> Tensor:
    """The chances before, with those of the candidates shifted among them towards the better ones."""
    double = some == some[:, :1]
    double[:, 0] = False
    held = before.gather(1, some).masked_fill(double, -1e9)
    weight = held.softmax(-1)
    centred = values - (weight * values).sum(-1, keepdim=True)
    wanted = held + centred / (temperature + errors)
    wanted = wanted - wanted.logsumexp(-1, keepdim=True) + held.logsumexp(-1, keepdim=True)
    target = before.exp()
    target.scatter_(1, some, 0.0)
    target.scatter_add_(1, some, wanted.exp().masked_fill(double, 0.0))
    return target
