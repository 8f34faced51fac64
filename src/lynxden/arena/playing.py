"""One game between bots: how it is dealt, played and recorded. Simulations and arenas share this."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

import numpy as np

from lynxden.batch import Batch
from lynxden.bots import NO_LIMIT, Bot, Limit, get_bot
from lynxden.games.core import Action, Options, Outcome, Position
from lynxden.games.errors import ActionError, LynxdenError
from lynxden.records.record import Record

Luck = Callable[[int, int], np.random.Generator]
"""The luck of a seat at a decision of a game, counted from 0."""


GIVEN = 0.9
"""A bot is given this part of its limit, so that one which stops when its time is up is not late."""


class BotError(LynxdenError):
    """A bot that raised, overran its limit or chose what is not legal; `record` is the game up to there."""

    def __init__(self, bot: str, seat: int, decision: int, fault: str, record: str) -> None:
        super().__init__(f"bot '{bot}' {fault} (seat {seat}, decision {decision})")
        self.bot = bot
        self.seat = seat
        self.decision = decision
        """Counted from 1, as in a record."""
        self.fault = fault
        self.record = record

    def __reduce__(self) -> tuple[Any, ...]:
        """Workers hand it over as a pickle."""
        return type(self), (self.bot, self.seat, self.decision, self.fault, self.record)


class Overrun(BaseException):
    """Raised inside a bot that thinks for too long; no `except Exception` of a bot holds it up."""


@dataclass(frozen=True)
class Finished:
    """A game that was played."""

    start: Position
    numbers: list[int]
    """The action numbers."""
    last: Position

    @property
    def outcome(self) -> Outcome | None:
        """None if the cap stopped it."""
        return self.last.outcome


def deal(game: str, edition: str | Options, players: int, seed: int, numbers: range) -> Batch:
    """Some deals of a seed. Deal n depends on the seed and on n alone; the start moves on."""
    return Batch(
        game,
        len(numbers),
        edition=edition,
        players=players,
        seed=seed,
        first=numbers.start,
        starters=np.array([number % players for number in numbers]),
        threads=1,
    )


def play(
    start: Position,
    bots: Sequence[str],
    cap: int,
    luck: Luck,
    limit: Limit = NO_LIMIT,
    took: Callable[[str, float], Any] | None = None,
) -> Finished:
    """Any bots, one decision at a time; `took` is called with who needed how many seconds."""
    players: list[Bot] = [get_bot(name) for name in bots]
    position = start
    numbers: list[int] = []
    while position.seat is not None and len(numbers) < cap:
        seat = position.seat
        try:
            seconds, action = _ask(players[seat], position, limit, luck(seat, len(numbers)))
            after = _carry_out(position, action)
        except _Fault as fault:
            record = record_of(start, numbers, None, bots, over=False)
            raise BotError(bots[seat], seat, len(numbers) + 1, str(fault), record.to_json()) from fault
        if took is not None:
            took(bots[seat], seconds)
        numbers.append(position.game.number_of(position.kernel_form(), action))
        position = after
    return Finished(start, numbers, position)


class _Fault(Exception):
    """What a bot did wrong, as the end of a sentence that begins with its name."""


def _ask(bot: Bot, position: Position, limit: Limit, rng: np.random.Generator) -> tuple[float, Action]:
    """What a bot does, and how many seconds it took to find out."""
    assert position.seat is not None
    view = position.view(position.seat)
    given = limit if limit.seconds is None else replace(limit, seconds=GIVEN * limit.seconds)
    began = time.perf_counter()
    try:
        with alarm(limit.seconds):
            action = bot.choose(view, given, rng).action
    except Overrun as overrun:
        raise _Fault(f"was stopped: it thought for longer than {limit.seconds:g} seconds") from overrun
    except Exception as error:
        raise _Fault(f"raised {type(error).__name__}: {error}") from error
    seconds = time.perf_counter() - began
    if limit.seconds is not None and seconds > limit.seconds:
        raise _Fault(f"thought for {seconds:.3g} seconds, longer than {limit.seconds:g}")
    return seconds, action


def _carry_out(position: Position, action: Action) -> Position:
    try:
        return position.apply(action)
    except ActionError as error:
        raise _Fault(f"chose what it may not: {error}") from error
    except Exception as error:
        raise _Fault(f"chose {action!r}, which is no action") from error


@contextmanager
def alarm(seconds: float | None) -> Iterator[None]:
    """Stop what runs in here when its time is up.

    That needs Unix and the main thread, and compiled code is stopped only when it comes back; elsewhere
    the caller finds out afterwards.
    """
    if (
        seconds is None
        or not hasattr(signal, "SIGALRM")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise Overrun

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def record_of(
    start: Position,
    numbers: Sequence[int],
    outcome: Outcome | None,
    bots: Sequence[str],
    *,
    over: bool = True,
    legal: bool = False,
    extra: Mapping[str, Any] | None = None,
) -> Record:
    """The record of a game that was played by action numbers; not `over`: it was broken off by a fault."""
    loop = start.loop()
    actions: list[str] = []
    choices: list[tuple[str, ...]] = []
    actors: list[int] = []
    for number in numbers:
        if legal:
            choices.append(tuple(str(choice) for choice in loop.legal_actions()))
            actors.append(int(loop.seat or 0))
        actions.append(str(loop.action(number)))
        loop.step(number)
    return Record.of(
        start,
        [f"{bot} {seat + 1}" for seat, bot in enumerate(bots)],
        actions,
        outcome,
        truncated=over,
        legal=choices if legal else None,
        actors=actors if legal else None,
        extra={**(extra or {}), "bots": list(bots)},
    )
