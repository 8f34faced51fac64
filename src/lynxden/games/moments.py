"""The best moments of a finished game: the largest set, the longest turn, the play that ended it.

A game says in `events.MOMENTS` which events make one, and how they are measured; the rest is the same for
all games.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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


def moments(measures: Mapping[str, Measure], steps: Sequence[Sequence[Event]]) -> list[Moment]:
    """The best moment of each kind, in the order of `measures`; of equal ones the first.

    `steps` are the events of each action, as spectators saw them.
    """
    found = (_best(kind, measure, steps) for kind, measure in measures.items())
    return [moment for moment in found if moment is not None]


def _best(kind: str, measure: Measure, steps: Sequence[Sequence[Event]]) -> Moment | None:
    """The best moment of one kind, if it is large enough."""
    found = list(_all(kind, measure, steps))
    if measure.by == "end":
        found = [moment for moment in found[-1:] if moment.step == len(steps)]
    best = max(found, key=lambda moment: moment.size, default=None)
    return best if best is not None and best.size >= measure.least else None


def _all(kind: str, measure: Measure, steps: Sequence[Sequence[Event]]) -> Iterator[Moment]:
    """Each event that counts, together with those before it in the turn if these count, too."""
    size, cards = 0, tuple[str, ...]()
    for step, happened in enumerate(steps, 1):
        for event in happened:
            if event.kind == "turn" or measure.by in ("event", "end"):
                size, cards = 0, ()
            if event.kind in measure.events and event.seat is not None:
                size += 1 if measure.by == "times" else len(event.cards) or event.count
                cards += event.cards
                yield Moment(kind, event.seat, step, size, cards)
