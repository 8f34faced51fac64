"""The best moments of a finished game: the largest set, the longest turn, the play that ended it.

A game says in `events.MOMENTS` which events make one, and how they are measured; the rest is the same for
all games.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from lynxden.games.core import Event


@dataclass(frozen=True)
class Measure:
    """How large a moment of one kind is."""

    events: tuple[str, ...]
    """The kinds of event that count."""
    by: Literal["event", "turn", "times", "end"] = "event"
    """The cards of one event; those of one turn together; how often in one turn; the cards of the last event,
    if the game ended with it."""
    least: int = 2
    """Less is nothing to speak of."""


@dataclass(frozen=True)
class Moment:
    kind: str
    """A name of the game's `events.MOMENTS`."""
    seat: int
    step: int
    """After so many actions it was complete."""
    size: int
    cards: tuple[str, ...] = ()
    """The cards, if everybody saw them."""


def moments(measures: Mapping[str, Measure], steps: Iterable[Sequence[Event]]) -> list[Moment]:
    """The best moment of each kind, in the order of `measures`; of equal ones the first.

    `steps` are the events of each action, as spectators saw them.
    """
    best: dict[str, Moment] = {}
    turn: dict[str, Moment] = {}
    last = 0
    for step, happened in enumerate(steps, 1):
        for event in happened:
            if event.kind == "turn":
                turn.clear()
            for kind, measure in measures.items():
                if event.kind not in measure.events or event.seat is None:
                    continue
                size = 1 if measure.by == "times" else len(event.cards) or event.count
                found = Moment(kind, event.seat, step, size, event.cards)
                if measure.by in ("turn", "times"):
                    before = turn.get(kind)
                    if before is not None:
                        found = Moment(kind, event.seat, step, before.size + size, before.cards + event.cards)
                    turn[kind] = found
                if measure.by == "end" or kind not in best or found.size > best[kind].size:
                    best[kind] = found
        last = step
    return [
        moment
        for moment in (best[kind] for kind in measures if kind in best)
        if moment.size >= measures[moment.kind].least
        and (measures[moment.kind].by != "end" or moment.step == last)
    ]
