"""What each viewer hears. The only place where a table's state and log become messages.

A message names what its receiver may know; nothing is made by leaving things out of something larger.
Cards come from `position.view(viewer)` and from `position.events(viewer)` alone, until the game is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import msgspec
from msgspec import Raw

from lynxden.games.core import Event, Position
from lynxden.server import clocks, log
from lynxden.server.protocol import (
    ChatLine,
    ClockNow,
    Finished,
    GameNow,
    Happened,
    Happening,
    Info,
    Row,
    SeatInfo,
    Table,
    encode,
)
from lynxden.server.state import Seat, TableState

_raw = msgspec.json.Encoder()


def raw(value: object) -> Raw:
    return Raw(_raw.encode(value))


def record_id(state: TableState) -> str:
    """The id of the present game's record; the same on every server."""
    return f"{state.id}-{state.round}"


class Teller:
    """Tells a table's state to any number of viewers; what they all share is made once."""

    def __init__(self, state: TableState, now: int) -> None:
        self.state = state
        self.now = now

    # --- The table ----------------------------------------------------------------------------------

    @cached_property
    def _info(self) -> Info:
        return self._make_info("")

    @cached_property
    def _info_for_players(self) -> Info:
        return self._make_info(self.state.invite)

    def info(self, viewer: int | None, guest: str = "") -> Info:
        """The table; the invitation is for those who sit there, and for the host."""
        inside = viewer is not None or guest == self.state.host
        return self._info_for_players if inside else self._info

    def _make_info(self, invite: str) -> Info:
        state = self.state
        plan, match = state.plan, state.match
        return Info(
            id=state.id,
            game=plan.game,
            edition=plan.edition,
            phase=state.phase,
            seats=tuple(map(seat_info, state.seats)),
            host=state.host,
            public=plan.public,
            spectators=state.spectators,
            clock=plan.clock,
            rounds=plan.rounds,
            length=match.length,
            speed=plan.speed,
            created_at=state.created_at,
            round=state.round,
            totals=match.totals,
            outcomes=match.outcomes,
            winners=match.winners,
            rematch=state.rematch,
            invite=invite,
        )

    # --- The cards ----------------------------------------------------------------------------------

    @cached_property
    def _public(self) -> Raw:
        assert self.state.position is not None
        return raw(self.state.game.snapshot.public(self.state.position.view(None)))

    @cached_property
    def _finished(self) -> Finished | None:
        position = self.state.position
        if position is None or position.outcome is None:
            return None
        snapshot = self.state.game.snapshot
        return Finished(
            outcome=position.outcome,
            breakdown=raw(snapshot.breakdown(position)),
            revealed=raw(snapshot.revealed(position)),
            record=record_id(self.state),
        )

    @cached_property
    def _clock(self) -> ClockNow | None:
        state = self.state
        seat = state.deciding
        if seat is None or not state.seats[seat].decides:
            return None
        left = clocks.time_left(state, seat)
        if left is None:
            return None
        banks = tuple(each.bank for each in state.seats) if state.plan.clock.kind == "bank" else ()
        return ClockNow(seat, max(0, state.decided_at + left - self.now), banks)

    def game(self, viewer: int | None) -> GameNow | None:
        """The cards as a seat sees them; None for a spectator's eyes."""
        position = self.state.position
        if position is None:
            return None
        own = None if viewer is None else raw(self.state.game.snapshot.private(position.view(viewer)))
        return GameNow(self._public, own, self._clock, self._finished)

    # --- Messages -----------------------------------------------------------------------------------

    def happened(self, entry: log.Entry, viewer: int | None, guest: str = "") -> bytes:
        """The state's last entry, and what has become of the table."""
        cards = isinstance(entry, log.Acted | log.Dealt)
        clock = isinstance(entry, log.Back | log.Resumed)
        ended = isinstance(entry, log.Acted) and self._finished is not None
        info = self.info(viewer, guest) if ended or not isinstance(entry, log.Acted) else None
        return encode(
            Happened(
                table=self.state.id,
                what=happening(self.state.last, entry, self.state.position, viewer),
                info=info,
                game=self.game(viewer) if cards or clock else None,
            )
        )

    def fresh(
        self,
        viewer: int | None,
        guest: str,
        missed: Sequence[Happening] = (),
        chat: Sequence[ChatLine] = (),
    ) -> bytes:
        """The whole table."""
        return encode(
            Table(
                number=self.state.last,
                info=self.info(viewer, guest),
                seat=viewer,
                game=self.game(viewer),
                missed=tuple(missed),
                chat=tuple(chat),
            )
        )


def row(state: TableState) -> Row:
    """A table in a list."""
    return Row(
        id=state.id,
        game=state.plan.game,
        edition=state.plan.edition,
        phase=state.phase,
        seats=tuple(map(seat_info, state.seats)),
        host=state.host,
        clock=state.plan.clock,
        rounds=state.plan.rounds,
        created_at=state.created_at,
        updated_at=state.updated_at,
        public=state.plan.public,
        spectators=state.spectators,
        deciding=state.deciding,
    )


def seat_info(seat: Seat) -> SeatInfo:
    return SeatInfo(
        kind=seat.kind,
        name=seat.name,
        guest=seat.guest or "",
        bot=seat.bot,
        program=seat.program,
        reserved=seat.reserved or "",
        here=seat.here,
        stand_in=seat.stand_in,
        quit=seat.quit,
        ready=seat.ready,
    )


def happening(number: int, entry: log.Entry, after: Position | None, viewer: int | None) -> Happening:
    """An entry as a viewer may know it. The text of an action is not told: it may name a hidden card."""
    by, events = "", tuple[Event, ...]()
    if isinstance(entry, log.Acted):
        assert after is not None
        by, events = entry.by, after.events(viewer)
    elif isinstance(entry, log.StoodIn):
        by = entry.why
    kind = type(entry).__name__.lower()
    return Happening(number, entry.at, kind, getattr(entry, "seat", None), by, events)


def missed(
    state: TableState, entries: Sequence[tuple[int, log.Entry]], seen: int, viewer: int | None
) -> list[Happening]:
    """The entries after `seen`, told to a viewer. `entries` begin with the present game's deal."""
    found: list[Happening] = []
    position: Position | None = None
    for number, entry in entries:
        if isinstance(entry, log.Dealt):
            position = state.game.read_deal(state.match.options, entry.starter, entry.deal)
        elif isinstance(entry, log.Acted):
            assert position is not None
            position = position.apply(entry.action)
        if number > seen:
            found.append(happening(number, entry, position, viewer))
    return found
