"""Many games side by side, as tensors: the memory of a batch, seen by PyTorch without a copy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from lynxden.batch import Batch
from lynxden.batch.challenge import Answer, Challenge, Look
from lynxden.bots.deep import MOST_MARGIN, NOBODY
from lynxden.train.config import Config

Tensor = Any

NEVER = -1e30
"""The logit of an action that is not legal."""


def tensor(array: Any) -> Tensor:
    """An array of a batch as a tensor that shares its memory."""
    if isinstance(array, np.ndarray):
        return torch.from_numpy(array)
    return torch.as_tensor(array, device="cuda")


class Lanes:
    """A batch as a learner sees it. Tensors are written anew by the next step: copy what is to be kept."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        zeros = batch._device.zeros
        self._actions = zeros((batch.size,), np.int32)
        self._streams = zeros((batch.size,), np.uint64)
        self.actions = tensor(self._actions)
        """Where the next actions are put."""
        self.streams = tensor(self._streams).view(torch.int64)
        """Where random bits for `imagine` are put."""
        self.records = tensor(batch.record_bytes())
        self.players = tensor(batch._seats)

    def deal(self, seed: int) -> tuple[Tensor, Tensor, Tensor]:
        """Deal all games from a seed, and look."""
        self.batch.reseed(seed)
        return self.look()

    def look(self) -> tuple[Tensor, Tensor, Tensor]:
        """Observations, masks and who decides."""
        return tensor(self.batch.observations()), tensor(self.batch.legal_masks()), self.actors()

    def actors(self) -> Tensor:
        """Who decides; -1 where a game is over."""
        return tensor(self.batch.actors())

    def hidden(self) -> Tensor:
        return tensor(self.batch.hidden())

    def turn(self) -> tuple[Tensor, ...]:
        """Carry out `actions`: what is seen next, masks, what ended, scores, winners, who decides."""
        return tuple(tensor(part) for part in self.batch.turn(self._actions, check=False))

    def step(self) -> None:
        """Carry out `actions` where games are not over."""
        self.batch.step(self._actions, check=False)

    def imagine(self) -> None:
        """Redeal what is unseen, from `streams`."""
        self.batch.imagine(self._streams)

    def exchange(self, luck: Any) -> None:
        """Let two unseen cards change places."""
        self.streams.copy_(random_bits(self.streams, luck))
        self.batch.exchange(self._streams)

    def rewards(self, margin: float) -> Tensor:
        """What the games as they stand are worth to each seat."""
        scores, winners, _ = (tensor(part) for part in self.batch.standing())
        return worth(scores, winners, self.players, margin)


class AgainstGreedy(Lanes):
    """The same where `greedy` has all seats but the first: every row is a decision of the first seat."""

    def __init__(self, batch: Batch) -> None:
        super().__init__(batch)
        self._challenge = Challenge(batch, [None] + ["greedy"] * (batch.players - 1))

    def deal(self, seed: int) -> tuple[Tensor, Tensor, Tensor]:
        return self._seen(self._challenge.begin(seed))

    def turn(self) -> tuple[Tensor, ...]:
        """Carry out `actions`, and what `greedy` does after them."""
        answer: Answer = self._challenge.turn(self._actions, check=False)
        seen, masks, seats = self._seen(answer.look)
        results = (tensor(part) for part in (answer.ended, answer.scores, answer.winners))
        return seen, masks, *results, seats

    def _seen(self, look: Look) -> tuple[Tensor, Tensor, Tensor]:
        return tensor(look.observations), tensor(look.masks), tensor(look.seats)


def random_bits(streams: Tensor, luck: Any) -> Tensor:
    """New ones for every stream."""
    return torch.randint(-(2**62), 2**62, streams.shape, generator=luck, device=streams.device)


class Worlds:
    """Room for games in which what is unseen was dealt anew."""

    def __init__(self, config: Config, size: int, device: str) -> None:
        edition, players = max(config.tables(), key=lambda table: table[1])  # room for every table
        self.lanes = Lanes(Batch(config.game, size, edition=edition, players=players, device=device))

    def imagine(self, records: Tensor, luck: Any) -> None:
        """Take these games, and deal anew in each what whoever decides does not see."""
        lanes = self.lanes
        lanes.records.copy_(records)
        lanes.streams.copy_(random_bits(lanes.streams, luck))
        lanes.imagine()


def move(lanes: Lanes, odds: Callable[[], Tensor], steps: int, luck: Any) -> None:
    """Let unseen cards change places, as `deep` does: a likelier world always stays, another one at times.

    `odds` says how likely the games are as they stand, as logarithms.
    """
    now = odds()
    for _ in range(steps):
        before = lanes.records.clone()
        lanes.exchange(luck)
        new = odds()
        stays = torch.rand(len(new), generator=luck, device=new.device).log() < new - now
        lanes.records.copy_(torch.where(stays[:, None], lanes.records, before))
        now = torch.where(stays, new, now)


def worth(scores: Tensor, winners: Tensor, players: Tensor, margin: float) -> Tensor:
    """The share of the win, and a little for each point of difference to the best other player."""
    seats = torch.arange(scores.shape[-1], device=scores.device)
    sits = seats < players[..., None]
    points = torch.where(sits, scores.float(), float(NOBODY))
    best = points.topk(2, dim=-1).values
    first, second = best[..., :1], best[..., 1:]
    others = torch.where(points == first, second, first)
    won = winners.float() * sits
    share = won / won.sum(-1, keepdim=True).clamp(min=1)
    return torch.where(sits, share + margin * (points - others).clamp(-MOST_MARGIN, MOST_MARGIN), 0.0)


def log_chances(logits: Tensor, masks: Tensor) -> Tensor:
    """The logarithm of each action's chance; what is not legal has next to none."""
    return torch.log_softmax(logits.masked_fill(masks == 0, NEVER), dim=-1)


def draw(chances: Tensor, luck: Any) -> Tensor:
    """An action for each row by its logarithms of chances: a race of exponential clocks."""
    clocks = torch.empty_like(chances).exponential_(generator=luck)
    return (chances - clocks.log_()).argmax(dim=-1)


def absolute(values: Tensor, actors: Tensor, players: Tensor) -> Tensor:
    """Numbers by place to the left of the deciding seat, as numbers by seat."""
    seats = torch.arange(values.shape[-1], device=values.device)
    places = (seats - actors[..., None].long()) % players[..., None]
    return values.gather(-1, places)


def relative(values: Tensor, actors: Tensor, players: Tensor) -> Tensor:
    """The reverse."""
    places = torch.arange(values.shape[-1], device=values.device)
    seats = (places + actors[..., None].long()) % players[..., None]
    return values.gather(-1, seats)


def luck_of(device: str, *numbers: int) -> Any:
    """A generator that depends on these numbers alone."""
    seed = int(np.random.SeedSequence(list(numbers)).generate_state(1, np.uint64)[0] >> 1)
    return torch.Generator(device=device).manual_seed(seed)
