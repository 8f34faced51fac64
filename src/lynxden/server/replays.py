"""A finished game step by step, as somebody saw it, so that a page can show it without knowing any rules.

What they saw is decided where it is in live play: cards come from `position.view` and `position.events`,
their form from the game's snapshot. Only whoever asks for everything is sent what lies beside that. Pure:
other processes carry it out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
from msgspec import Struct

from lynxden.games.core import OPEN, Event, Outcome, Position
from lynxden.records import RecordError, positions, read_record
from lynxden.server.compression import compress
from lynxden.server.table.projections import FinishedGame

MOST_STEPS = 2000
"""Steps that are sent; games among people have some three hundred at most."""

Viewer = int | None
"""Who looks on: a seat, None for a spectator, `OPEN` for somebody from whom nothing is hidden."""


class ReplayStep(Struct, frozen=True):
    """The game after an action; the first step is the deal."""

    public: dict[str, Any]
    """What everybody sees, as the socket tells it in `game.public`."""
    own: dict[str, Any] | None = None
    """What the viewer saw besides, as the socket told it in `game.own`, but without what they could do or
    why not (`legal` and `why` are empty): nothing is decided any more. None unless the viewer has a seat."""
    hands: tuple[tuple[str, ...], ...] | None = None
    """The cards of each seat; None unless all cards are open."""
    seat: int | None = None
    """Who acted; None for the deal."""
    action: str = ""
    """What they did, as a record writes it. Empty unless all cards are open: it may name a card that others
    did not see."""
    events: tuple[Event, ...] = ()
    """What came of it, as the viewer was told."""


class ReplayPart(Struct, frozen=True):
    """Cards that count alike, and what they are worth together."""

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
    """Their ids; empty for bots of the server, for people who were forgotten, and in games from elsewhere."""
    finished_at: int
    imported: bool
    """Played elsewhere, and brought here later."""
    outcome: Outcome
    breakdown: tuple[tuple[ReplayPart, ...], ...]
    """How each seat's score comes about: the points add up to it."""
    steps: tuple[ReplayStep, ...]
    left_out: int
    """Steps at the end that are not told, because the game is far too long."""


def replay_json(found: FinishedGame, viewer: Viewer, packed: bool) -> bytes | None:
    """The replay as it is sent; `packed` with gzip. None if this version does not have the game's rules."""
    try:
        body = msgspec.json.encode(replay_of(found, viewer))
    except RecordError:  # every record was checked when it came, by the rules of its time
        return None
    return compress(body) if packed else body


def replay_of(found: FinishedGame, viewer: Viewer) -> Replay:
    """Play the record once more, and note what the viewer sees."""
    record = replace(read_record(found.record), legal=None, actors=None)  # checked when it came
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


def _step(seat: int | None, action: str, after: Position, viewer: Viewer) -> ReplayStep:
    snapshot = after.game.snapshot
    public, events = snapshot.public(after.view(None)), after.events(viewer)
    if viewer == OPEN:
        return ReplayStep(public, None, snapshot.revealed(after).hands, seat, action, events)
    own = None if viewer is None else replace(snapshot.private(after.view(viewer)), legal=(), why=())
    return ReplayStep(public, own, seat=seat, events=events)
