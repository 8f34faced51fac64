"""A finished game step by step, as a viewer saw it, so that a page can show it without knowing any rules.

What a viewer saw comes from the same functions as in live play: `position.view`, `position.events` and the
game's snapshot. Everything else is sent only if all cards are open. Pure: worker processes run it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
from msgspec import Struct

from lynxden.games.core import OPEN, Event, Outcome, Position
from lynxden.games.moments import moments
from lynxden.games.registry import get_game
from lynxden.records import Record, RecordError, positions, read_record
from lynxden.server.compression import compress
from lynxden.server.table.projections import FinishedGame

MOST_STEPS = 2000
"""Steps that are sent at most; games among people have some three hundred."""

Viewer = int | None
"""A seat, None for a spectator, or `OPEN`: all cards are open."""


class ReplayStep(Struct, frozen=True):
    """The game after an action; the first step is the deal."""

    public: dict[str, Any]
    """What everybody sees, as in `game.public` on the socket."""
    own: dict[str, Any] | None = None
    """What the viewer also saw, as in `game.own` on the socket, but `legal` and `why` are empty: there is
    nothing to decide. None unless the viewer has a seat."""
    hands: tuple[tuple[str, ...], ...] | None = None
    """The cards of each seat; None unless all cards are open."""
    seat: int | None = None
    """The seat that acted; None for the deal."""
    action: str = ""
    """The action as in a record. Empty unless all cards are open: it may name a card that others did not
    see."""
    events: tuple[Event, ...] = ()
    """The events of the action, as the viewer saw them."""


class ReplayPart(Struct, frozen=True):
    """Cards that are counted in the same way, and their points together."""

    name: str
    cards: int
    points: int


class Replay(Struct, frozen=True):
    """A finished game, as one viewer saw it or with all cards open."""

    id: str
    game: str
    edition: str
    names: tuple[str, ...]
    """The players, by seat."""
    guests: tuple[str, ...]
    """Their ids; empty for bots of the server, for people who were forgotten, and in imported games."""
    finished_at: int
    imported: bool
    """Played elsewhere, and imported."""
    outcome: Outcome
    breakdown: tuple[tuple[ReplayPart, ...], ...]
    """The parts of each seat's score; their points add up to it."""
    steps: tuple[ReplayStep, ...]
    left_out: int
    """Steps at the end that are not sent, because the game is too long."""


class MomentOf(Struct, frozen=True):
    """One of the best moments of a game."""

    kind: str
    seat: int
    step: int
    """Its step in the replay."""
    size: int
    """How many cards, or how often."""
    cards: tuple[str, ...] = ()


def replay_json(found: FinishedGame, viewer: Viewer, packed: bool) -> bytes | None:
    """The replay as it is sent; `packed` with gzip. None if this version does not have the game's rules."""
    try:
        body = msgspec.json.encode(replay_of(found, viewer))
    except RecordError:  # every record was verified when it was stored, by the rules of that time
        return None
    return compress(body) if packed else body


def replay_of(found: FinishedGame, viewer: Viewer) -> Replay:
    """Replay the record, and note what the viewer sees."""
    record = _record_of(found)
    steps: list[ReplayStep] = []
    position: Position | None = None
    for number, after in enumerate(positions(record)):
        if number <= MOST_STEPS:
            action = record.actions[number - 1] if number else ""
            steps.append(_step(None if position is None else position.seat, action, after, viewer))
        position = after
    assert position is not None
    assert position.outcome is not None, "an unfinished game was kept"
    return Replay(
        id=found.id,
        game=found.game,
        edition=found.edition,
        names=tuple(player.name for player in found.players),
        guests=tuple(player.guest or "" for player in found.players),
        finished_at=found.finished_at,
        imported=found.table_id is None,
        outcome=position.outcome,
        breakdown=position.game.snapshot.breakdown(position),
        steps=tuple(steps),
        left_out=max(0, len(record.actions) - MOST_STEPS),
    )


def moments_of(found: FinishedGame) -> list[MomentOf]:
    """The best moments of a game, of what everybody saw; none if this version does not have its rules."""
    try:
        steps = [position.events(None) for position in positions(_record_of(found))][1:]
    except RecordError:
        return []
    best = moments(get_game(found.game).moments, steps)
    return [MomentOf(each.kind, each.seat, each.step, each.size, each.cards) for each in best]


def _record_of(found: FinishedGame) -> Record:
    """Without what need not be checked again: it was verified when it was stored."""
    return replace(read_record(found.record), legal=None, actors=None)


def _step(seat: int | None, action: str, after: Position, viewer: Viewer) -> ReplayStep:
    snapshot = after.game.snapshot
    public, events = snapshot.public(after.view(None)), after.events(viewer)
    if viewer == OPEN:
        return ReplayStep(public, None, snapshot.revealed(after).hands, seat, action, events)
    own = None if viewer is None else replace(snapshot.private(after.view(viewer)), legal=(), why=())
    return ReplayStep(public, own, seat=seat, events=events)
