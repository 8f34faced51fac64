"""Self-play and learning from it: masked PPO with a critic that sees all hands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import softplus

from lynxden.batch import Batch
from lynxden.bots.weights import Arrays
from lynxden.games.registry import get_game
from lynxden.train.code import MORE, place_of_others
from lynxden.train.config import Config
from lynxden.train.lanes import (
    AgainstGreedy,
    Lanes,
    Tensor,
    Worlds,
    absolute,
    draw,
    log_chances,
    move,
    relative,
    worth,
)
from lynxden.train.network import Network, forward

if TYPE_CHECKING:
    from lynxden.train.forks import Forking, Forks

CHUNK = 65536
"""Rows that a network judges at once outside of self-play."""


def compiled(function: Any, config: Config) -> Any:
    """The function compiled by PyTorch, if the settings want it; where that fails, it stays as it is."""
    if not config.compile:
        return function
    torch._dynamo.config.suppress_errors = True
    return torch.compile(function, dynamic=False)


def log_chances_of(
    values: dict[str, Tensor], places: Tensor, steps: Tensor, kind: Any, seen: Tensor, masks: Tensor
) -> Tensor:
    """What a policy would do, in one pass."""
    return log_chances(forward(values, places, steps, seen, kind), masks)


@dataclass
class Nets:
    """What is trained."""

    policy: Network
    critic: Network
    """Judges every seat, with all hands open."""
    reflex: Network
    """A small copy of the policy."""
    belief: Network
    """Tells hands of real games from those that chance would deal."""

    def by_name(self) -> dict[str, Network]:
        return {"policy": self.policy, "critic": self.critic, "reflex": self.reflex, "belief": self.belief}

    @property
    def networks(self) -> list[Network]:
        """Those that learn from decisions; the belief learns from positions."""
        return [self.policy, self.critic, self.reflex]

    @property
    def parameters(self) -> list[Tensor]:
        return [value for network in self.networks for value in network.parameters]


@dataclass
class Experience:
    """What was seen and done: rows of all steps and games, flat."""

    seen: Tensor
    masks: Tensor
    actions: Tensor
    chances: Tensor
    """The logarithm of the chance that each action had."""
    mine: Tensor
    """Where the policy itself decided."""
    equals: Tensor
    """Where the others are no `greedy`."""
    advantages: Tensor
    targets: Tensor
    """What the game was worth to each seat, from the deciding one to the left."""
    sits: Tensor


class SelfPlay:
    """Games that go on from iteration to iteration.

    Those against `greedy` are played by a batch of their own, in which every row is a decision of the policy.
    """

    def __init__(self, config: Config, device: str, seed: int) -> None:
        self.config = config
        self.device = device
        tables = config.tables()
        seats = np.array([players for _, players in tables])
        numbers = np.arange(config.lanes)
        split = config.lanes - (0 if config.exploit else int(config.heuristic * config.lanes))

        def part(kind: type[Lanes], first: int, last: int) -> tuple[slice, Lanes]:
            where = slice(first, last)
            batch = Batch(
                config.game, last - first, tables=tables[where], first=first,
                starters=(numbers // 7 % seats)[where], device=device,
            )  # fmt: skip
            return where, kind(batch)

        bounds = ((Lanes, 0, split), (AgainstGreedy, split, config.lanes))
        self.parts = [part(kind, first, last) for kind, first, last in bounds if first < last]
        self.players = torch.as_tensor(seats, device=device)
        guests = split if config.exploit else min(split, int(config.guests * config.lanes))
        self.guests = slice(0, guests)
        self.own_seat = torch.as_tensor(numbers // 3 % seats, device=device)
        """The seat of the policy in games against past selves."""
        size, steps = config.lanes, config.steps
        self.most = most = int(seats.max())

        def store(rows: int, *shape: int, kind: Any) -> Tensor:
            return torch.zeros((rows, size, *shape), dtype=kind, device=device)

        game = get_game(config.game)
        self._observed = game.observation_size
        self._open = place_of_others(game)
        self._seen = store(steps + 1, self._open + MORE, kind=torch.int8)
        for where, lanes in self.parts:
            self._seen[:, where, self._open] = int(isinstance(lanes, AgainstGreedy))
        self._masks = store(steps + 1, game.action_count, kind=torch.uint8)
        self._actions = store(steps, kind=torch.int64)
        self._chances = store(steps, kind=torch.float32)
        self._mine = store(steps, kind=torch.bool)
        self._actors = store(steps + 1, kind=torch.int8)
        self._ended = store(steps, kind=torch.bool)
        self._scores = store(steps, most, kind=torch.int16)
        self._winners = store(steps, most, kind=torch.bool)
        self._log_chances = compiled(log_chances_of, config)
        self._forward = compiled(forward, config)
        self._among_equals = self.parts[0] if split else None
        self._imagined = Worlds(config, split, device) if split else None
        self.redeal(seed)

    def _act(self, net: Network, seen: Tensor, masks: Tensor) -> Tensor:
        return self._log_chances(net.values, net.places, net.steps, net.kind, seen, masks)

    def redeal(self, seed: int) -> None:
        """New games in all lanes."""
        for where, lanes in self.parts:
            self._look(self.config.steps, where, lanes, *lanes.deal(seed))

    @torch.no_grad()
    def play(self, policy: Network, past: Network | None, luck: Any, forking: Forking | None = None) -> None:
        """A number of decisions in every game."""
        for kept in (self._seen, self._masks, self._actors):
            kept[0] = kept[-1]  # what was seen last
        for step in range(self.config.steps):
            seen, masks = self._seen[step, :, : self._observed], self._masks[step]
            chances = self._act(policy, seen, masks)
            if forking is not None and self._among_equals is not None:
                here, equals = self._among_equals
                actors = self._actors[step, here]
                forking.look(equals, chances[here], seen[here], masks[here], actors, luck)
            if self.config.only_belief:
                chances = torch.log_softmax(chances / self.config.heat, dim=-1)
            chosen = draw(chances, luck)
            self._chances[step] = chances.gather(1, chosen[:, None])[:, 0]
            self._mine[step] = True
            if past is not None and self.guests.stop:
                few = self.guests
                mine = self._actors[step, few] == self.own_seat[few]
                self._mine[step, few] = mine
                others = draw(self._act(past, seen[few], masks[few]), luck)
                chosen[few] = torch.where(mine, chosen[few], others)
            self._actions[step] = chosen
            for where, lanes in self.parts:
                lanes.actions.copy_(chosen[where])
                next_seen, next_masks, ended, scores, winners, actors = lanes.turn()
                self._ended[step, where] = ended != 0
                self._scores[step, where, : scores.shape[1]] = scores.to(torch.int16)
                self._winners[step, where, : winners.shape[1]] = winners
                self._look(step + 1, where, lanes, next_seen, next_masks, actors)

    @torch.no_grad()
    def hands(self, luck: Any) -> tuple[Tensor, Tensor] | None:
        """The positions that the games among equals have come to, with the hands dealt and with others."""
        if self._among_equals is None or self._imagined is None:
            return None
        where, lanes = self._among_equals
        real = self._seen[-1, where, : self._open]
        self._imagined.imagine(lanes.records, luck)
        return real, torch.cat([real[:, : self._observed], self._imagined.lanes.hidden()], 1)

    @torch.no_grad()
    def moved(self, belief: Network, luck: Any) -> Tensor | None:
        """The same positions with hands that the belief takes for likely: those dealt, moved about."""
        if self._among_equals is None or self._imagined is None or not self.config.belief_moves:
            return None
        where, among_equals = self._among_equals
        seen, lanes = self._seen[-1, where, : self._observed], self._imagined.lanes
        lanes.records.copy_(among_equals.records)

        def odds() -> Tensor:
            return belief(torch.cat([seen, lanes.hidden()], 1))[:, 0]

        move(lanes, odds, self.config.belief_moves, luck)
        return torch.cat([seen, lanes.hidden()], 1)

    @torch.no_grad()
    def reached(self, code: Arrays) -> NDArray[np.float32]:
        """How often each step of a code was reached in the decisions last played."""
        places = torch.as_tensor(code["places"].astype(np.int64), device=self.device)
        steps = torch.as_tensor(np.array(code["steps"]), device=self.device)
        parts = [(seen.index_select(1, places) >= steps).float().mean(0) for seen in self._seen[:-1]]
        shares: NDArray[np.float32] = torch.stack(parts).mean(0).cpu().numpy()
        return shares

    def _look(
        self, step: int, where: slice, lanes: Lanes, seen: Tensor, masks: Tensor, actors: Tensor
    ) -> None:
        """Keep what is seen before a step."""
        self._seen[step, where, : self._observed].copy_(seen)
        self._seen[step, where, self._observed : self._open].copy_(lanes.hidden())
        self._masks[step, where].copy_(masks)
        self._actors[step, where].copy_(actors)

    @torch.no_grad()
    def experience(self, critic: Network) -> tuple[Experience, dict[str, float]]:
        """What there is to learn from the last decisions."""
        config, players = self.config, self.players
        net = (critic.values, critic.places, critic.steps)
        values = torch.stack([self._forward(*net, part, critic.kind) for part in self._seen])
        values = values[..., : self.most]
        values = absolute(values, self._actors, players)
        rewards = worth(self._scores, self._winners, players, config.margin) * self._ended[..., None]
        going_on = (~self._ended)[..., None].float()
        advantages = torch.zeros_like(rewards)
        ahead = torch.zeros_like(rewards[0])
        for step in reversed(range(config.steps)):
            surprise = rewards[step] + going_on[step] * values[step + 1] - values[step]
            ahead = surprise + config.decay * going_on[step] * ahead
            advantages[step] = ahead
        actors = self._actors[:-1]
        own = advantages.gather(-1, actors.long()[..., None])[..., 0]
        targets = relative(advantages + values[:-1], actors, players)
        spread, centre = torch.std_mean(own[self._mine])
        sits = torch.arange(self.most, device=self.device) < players[:, None]
        surprise = (advantages * sits).square().sum() / (sits.sum() * config.steps)
        level = (targets * sits).square().sum() / (sits.sum() * config.steps)
        found = Experience(
            seen=self._seen[:-1].flatten(0, 1),
            masks=self._masks[:-1].flatten(0, 1),
            actions=self._actions.flatten(),
            chances=self._chances.flatten(),
            mine=self._mine.flatten(),
            equals=(self._seen[:-1, :, self._open] == 0).flatten(),
            advantages=((own - centre) / (spread + 1e-6)).flatten(),
            targets=targets.flatten(0, 1),
            sits=sits.expand(config.steps, -1, -1).flatten(0, 1),
        )
        ends = self._ended.sum()
        return found, {
            "games": float(ends),
            "decisions": float(config.lanes * config.steps),
            "length": config.lanes * config.steps / max(1.0, float(ends)),
            "critic_error": float(surprise) ** 0.5,
            "return_size": float(level) ** 0.5,
        }


def losses(
    nets: list[Any], clip: float, kind: Any, observed: int,
    seen: Tensor, masks: Tensor, actions: Tensor, chances: Tensor, mine: Tensor, advantages: Tensor,
    targets: Tensor, sits: Tensor, entropy_weight: Tensor,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The loss of all networks together, and what is worth a curve."""
    (policy, places, steps), (critic, all_places, all_steps), (reflex, few_places, few_steps) = nets
    view = seen[:, :observed]
    now = log_chances(forward(policy, places, steps, view, kind), masks)
    taken = now.gather(1, actions[:, None])[:, 0]
    ratio = (taken - chances).exp()
    gain = torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)
    weight = mine.float()
    whole = weight.sum().clamp(min=1)
    entropy = -((now.exp() * now).sum(-1) * weight).sum() / whole
    policy_loss = -(gain * weight).sum() / whole - entropy_weight * entropy
    judged = forward(critic, all_places, all_steps, seen, kind)[:, : targets.shape[1]]
    critic_loss = ((judged - targets).square() * sits).sum() / sits.sum()
    few = seen.shape[0] // 4
    small = log_chances(forward(reflex, few_places, few_steps, view[:few], kind), masks[:few])
    reflex_loss = -(now[:few].detach().exp() * small).sum(-1).mean()
    with torch.no_grad():
        moved = ((ratio - 1 - (taken - chances)) * weight).sum() / whole
        clipped = (((ratio - 1).abs() > clip).float() * weight).sum() / whole
        curves = torch.stack([entropy, moved, clipped, critic_loss, reflex_loss])
    return policy_loss + critic_loss + reflex_loss, curves


def fork_loss(
    net: tuple[dict[str, Tensor], Tensor, Tensor], kind: Any,
    seen: Tensor, masks: Tensor, pairs: Tensor, gains: Tensor, pulls: Tensor,
) -> Tensor:  # fmt: skip
    """Lets the chances of two actions differ by as much as their values do, however likely the two are.

    Its slope is linear in what came out, so that luck cancels out over many forks.
    """
    now = log_chances(forward(*net, seen, kind), masks).gather(1, pairs)
    ahead = now[:, 1] - now[:, 0]
    return (ahead * (pulls * ahead / 2 - gains)).mean()


CURVES = ("entropy", "moved", "clipped", "critic_loss", "reflex_loss")
WARM = 50
"""Steps in which the rate rises after the memory of the optimizer was emptied."""


class Learner:
    """Turns experience into better networks."""

    def __init__(self, nets: Nets, config: Config, observed: int) -> None:
        self.nets = nets
        self.config = config
        self._observed = observed
        self._losses: Any = compiled(losses, config)
        self._fork_loss: Any = compiled(fork_loss, config)
        self.forget()

    def forget(self) -> None:
        """Empty the memory of the optimizer."""
        fused = self.nets.policy.device == "cuda"
        self._optimizer = torch.optim.Adam(
            self.nets.parameters, lr=0.0, betas=(0.9, 0.99), eps=1e-6, fused=fused
        )
        self._done = 0
        self._belief_optimizer = torch.optim.Adam(
            self.nets.belief.parameters, lr=0.0, betas=(0.9, 0.99), fused=fused
        )
        self._believed = 0

    def learn_belief(
        self, real: Tensor, imagined: Tensor, moved: Tensor | None, rate: float, luck: Any
    ) -> dict[str, float]:
        """Learn which of two hands of a position was dealt: the odds are those of real games to chance.

        Hands that chance deals are soon told from real ones, and then teach nothing more. Those that the
        belief itself takes for likely (`moved`) teach what it is still wrong about: if it were right, they
        could not be told from real ones.
        """
        belief, losses, told = self.nets.belief, [], []
        order = torch.randperm(len(real), generator=luck, device=real.device)
        for rows in order.split(self.config.belief_batch):
            self._believed += 1
            for group in self._belief_optimizer.param_groups:
                group["lr"] = rate * min(1.0, self._believed / WARM)
            odds = belief(real[rows])
            loss = (softplus(-odds).mean() + softplus(belief(imagined[rows])).mean()) / 2
            losses.append(loss.detach())
            if moved is not None:
                ahead = odds - belief(moved[rows])
                loss = loss - self.config.belief_weight * ahead.mean()
                told.append((ahead > 0).float().mean())
            self._belief_optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self._belief_optimizer.step()
        figures = {"belief_loss": float(torch.stack(losses).mean())}
        return figures | ({"belief_told": float(torch.stack(told).mean())} if told else {})

    def learn(
        self, found: Experience, rate: float, entropy: float, luck: Any, forks: Forks | None = None
    ) -> dict[str, float]:
        """Go through the experience in minibatches, each with a part of the forks."""
        config = self.config
        device = found.seen.device
        nets = [(net.values, net.places, net.steps) for net in self.nets.networks]
        weight = torch.tensor(entropy, device=device)
        curves = torch.zeros(len(CURVES), device=device)
        count = 0
        few = forks.shuffled(luck, config.minibatches) if forks else None
        for _ in range(config.epochs):
            for rows in self._order(found, luck).split(config.minibatch):
                self._done += 1
                for group in self._optimizer.param_groups:
                    group["lr"] = rate * min(1.0, self._done / WARM)
                loss, new = self._losses(
                    nets, config.clip, self.nets.policy.kind, self._observed,
                    found.seen[rows], found.masks[rows], found.actions[rows], found.chances[rows],
                    found.mine[rows], found.advantages[rows], found.targets[rows], found.sits[rows], weight,
                )  # fmt: skip
                if few is not None:
                    part = few[count % len(few)]
                    more = self._fork_loss(nets[0], self.nets.policy.kind, *part)
                    loss = loss + config.fork_weight * more
                self._optimizer.zero_grad(set_to_none=True)
                loss.backward()
                for net in self.nets.networks:
                    torch.nn.utils.clip_grad_norm_(net.parameters, config.largest_gradient)
                self._optimizer.step()
                curves += new
                count += 1
        return dict(zip(CURVES, (curves / count).tolist(), strict=True))

    def _order(self, found: Experience, luck: Any) -> Tensor:
        """The rows to learn from, in whole minibatches: of some kinds only a part, if so set."""
        config, device = self.config, found.seen.device
        order = torch.randperm(len(found.actions), generator=luck, device=device)
        if min(config.others, config.equals) < 1:
            kept = torch.where(found.equals, config.equals, 1.0) * torch.where(found.mine, 1.0, config.others)
            order = order[torch.rand(len(order), generator=luck, device=device) < kept[order]]
        whole = len(order) // config.minibatch * config.minibatch
        return order[: max(whole, config.minibatch)]
