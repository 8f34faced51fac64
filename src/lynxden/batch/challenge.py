"""A batch in which the caller has some of the seats, and bots have the others."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lynxden.batch.batch import KERNEL_BOTS, Batch
from lynxden.games.errors import OptionsError

CALLER = -1
"""The number that stands for no bot."""


class Redeal(IntEnum):
    """When the next game is dealt where one has ended."""

    NEVER = 0
    NEXT_TURN = 1
    """Instead of the next action, which is ignored."""
    AT_ONCE = 2


class Look(NamedTuple):
    """What the caller's deciding seats see; row i is game i."""

    observations: Any
    masks: Any
    seats: Any
    """Which of the caller's seats decides."""


class Answer(NamedTuple):
    """What came of the caller's actions."""

    look: Look
    ended: Any
    """Not 0 where the game ended."""
    scores: Any
    """The points of the games that ended; other rows are old."""
    winners: Any
    """Who won the games that ended; other rows are old."""
    last: Any
    """With `Redeal.AT_ONCE`, the observations at the end of the games that ended; other rows are old."""


class Challenge:
    """One seat, or several, against bots that play inside the batch.

    `bots` has a name for each seat, or None where the caller decides. Arrays are written anew by the next
    call unless `fresh` is set; those of a call are then the caller's own.
    """

    def __init__(
        self,
        batch: Batch,
        bots: Sequence[str | None],
        redeal: Redeal = Redeal.AT_ONCE,
        *,
        fresh: bool = False,
    ) -> None:
        if len(bots) != batch.players:
            raise OptionsError(
                f"{batch.players} players need as many bots, None for the caller's, not {len(bots)}"
            )
        unknown = [bot for bot in bots if bot is not None and bot not in KERNEL_BOTS]
        if unknown:
            raise OptionsError(f"'{unknown[0]}' cannot play in a batch; these can: {', '.join(KERNEL_BOTS)}")
        if None not in bots:
            raise OptionsError("the caller needs at least one seat: None in place of a bot")
        self.batch = batch
        self._redeal = redeal
        self._fresh = fresh
        numbers = [CALLER if bot is None else KERNEL_BOTS[bot] for bot in bots]
        self._bots = batch._device.put(np.array(numbers, np.int64))

    def _arrays(self) -> tuple[Any, Any, Any]:
        batch = self.batch
        words, actions = batch.game.observation_size // 8, batch.game.action_count
        if self._fresh:
            new = batch._device.empty
            return (
                new((batch.size, words), np.int64),
                batch._device.masks(batch.size, actions),
                new((batch.size,), np.int8),
            )
        return (
            batch._buffer("observations", (batch.size, words), np.int64),
            batch._masks(),
            batch._buffer("actors", (batch.size,), np.int8),
        )

    def begin(self, seed: int) -> Look:
        """Deal all games from a seed, and let bots play up to the caller's first decisions."""
        self.batch.reseed(seed)
        return self._begin(np.ones(self.batch.size, np.int8))

    def deal(self, chosen: NDArray[np.bool_]) -> Look:
        """Deal the next game in the lanes that are chosen."""
        return self._begin(2 * np.asarray(chosen, np.int8))

    def _begin(self, chosen: NDArray[np.int8]) -> Look:
        seen, masks, seats = self._arrays()
        device = self.batch._device
        self.batch._deal("begin", self._bots, device.put(chosen), seen, device.masks_beside(masks), seats)
        device.masks_after(self.batch.records, masks)
        return Look(seen.view(np.int8), masks, seats)

    def turn(self, actions: Any, *, check: bool = True) -> Answer:
        """Carry out the caller's actions and what bots do after them.

        Illegal actions are treated as by `Batch.step`.
        """
        batch = self.batch
        actions = batch._actions(actions)
        seen, masks, seats = self._arrays()
        scores = batch._buffer("scores", (batch.size, batch.players), np.int32)
        winners = batch._buffer("winners", (batch.size, batch.players), np.bool_)
        ended = batch._buffer("ended", (batch.size,), np.int8)
        last = batch._buffer("last", (batch.size, batch.game.observation_size // 8), np.int64)
        faults = batch._faults if check else batch._trust
        out = seen, batch._device.masks_beside(masks), scores, winners, ended, seats, last
        batch._deal("challenge", self._bots, int(self._redeal), actions, faults, *out)
        batch._device.masks_after(batch.records, masks)
        if check:
            batch._report_faults(actions)
        return Answer(Look(seen.view(np.int8), masks, seats), ended, scores, winners, last.view(np.int8))
