"""What each viewer is sent. The only place where a table's state and log become messages.

A message is built from what its receiver may know, never by removing things from something larger.
Cards come from `position.view(viewer)` and from `position.events(viewer)` alone, until the game is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, cast

import msgspec
from msgspec import Raw

from lynxden.games.core import Event, Options, Position
from lynxden.games.registry import get_game
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
    TableNow,
    encode,
)
from lynxden.server.table import clocks, entries
from lynxden.server.table.state import WRONG, BrokenLog, Seat, TableState

_json = msgspec.json.Encoder()


def raw(value: object) -> Raw:
    return Raw(_json.encode(value))


class Views:
    """A table's state for any number of viewers; what they all share is made once."""

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
        """The table; the invitation is only for those who sit there, and for the host."""
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
            rules=state.rules,
            read_only=state.read_only,
            closed=state.closed,
            guide=plan.guide,
            closed_text=state.closed_text,
            evening=state.evening,
            paused=state.paused,
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
            record="" if self.state.plan.guide else self.state.record_id,
        )

    @cached_property
    def _clock(self) -> ClockNow | None:
        state = self.state
        seat = state.deciding
        if seat is None or not state.seats[seat].decides or state.paused:
            return None
        left = clocks.time_left(state, seat)
        if left is None:
            return None
        banks = tuple(each.bank for each in state.seats) if state.plan.clock.kind == "bank" else ()
        return ClockNow(seat, max(0, state.decided_at + left - self.now), banks)

    def game(self, viewer: int | None) -> GameNow | None:
        """The cards as a seat sees them, or a spectator (None)."""
        position = self.state.position
        if position is None:
            return None
        if viewer is None:
            return GameNow(self._public, None, self._clock, self._finished)
        view, guide = position.view(viewer), self.state.guide
        own = raw(self.state.game.snapshot.private(view))
        advice = "" if guide is None else guide.wish(view)
        return GameNow(self._public, own, self._clock, self._finished, advice)

    # --- Messages -----------------------------------------------------------------------------------

    def happened(self, entry: entries.Entry, viewer: int | None, guest: str = "") -> bytes:
        """The state's last entry, and what it changed."""
        cards = isinstance(entry, entries.Acted | entries.Dealt)
        clock = isinstance(entry, entries.Back | entries.Resumed | entries.Paused | entries.Continued)
        ended = isinstance(entry, entries.Acted) and self.state.ended
        info = self.info(viewer, guest) if ended or not isinstance(entry, entries.Acted) else None
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
        missed: bytes = b"[]",
        chat: Sequence[ChatLine] = (),
    ) -> bytes:
        """The whole table; `missed` is a JSON list of happenings."""
        return encode(
            TableNow(
                number=self.state.last,
                info=self.info(viewer, guest),
                seat=viewer,
                game=self.game(viewer),
                # Encoded already.
                missed=cast(Any, Raw(missed)) if missed != b"[]" else (),
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
        guide=state.plan.guide,
    )


def seat_info(seat: Seat) -> SeatInfo:
    return SeatInfo(
        kind=seat.kind,
        name=seat.name,
        guest=seat.guest or "",
        bot=seat.bot if seat.by_bot else "",
        program=seat.program,
        reserved=seat.reserved or "",
        kept=seat.kept,
        next=seat.next_name,
        next_guest=seat.next_guest,
        here=seat.here,
        stand_in=seat.stand_in,
        quit=seat.quit,
        ready=seat.ready,
    )


def happening(number: int, entry: entries.Entry, after: Position | None, viewer: int | None) -> Happening:
    """An entry as a viewer may know it. The text of an action is not sent: it may name a hidden card."""
    by, events = "", tuple[Event, ...]()
    if isinstance(entry, entries.Acted):
        by = entry.by
        if after is not None:
            events = after.events(viewer)
    elif isinstance(entry, entries.StoodIn | entries.Closed):
        by = entry.why
    elif isinstance(entry, entries.Stood | entries.Waits) and entry.removed:
        by = "host"
    kind = type(entry).__name__.lower()
    return Happening(number, entry.at, kind, getattr(entry, "seat", None), by, events)


def happening_json(entry: entries.Entry, after: TableState, viewer: int | None) -> bytes:
    """The same as a JSON list of one, for the entry that led to a state."""
    return _json.encode([happening(after.last, entry, after.position, viewer)])


def without_cards(first: int, bodies: Sequence[str], viewer: int | None) -> bytes:
    """Entries without actions, as a viewer may know them, as a JSON list. `first` is the first number."""
    return _json.encode(
        [happening(number, entries.decode(body), None, viewer) for number, body in enumerate(bodies, first)]
    )


def replayed(
    game: str, options: Options, first: int, bodies: Sequence[str], seen: int, viewer: int | None
) -> bytes:
    """The entries after `seen` as a viewer may know them, as a JSON list.

    `bodies` are the log from entry `first` on, the deal of the present game. The game is replayed, which
    takes some milliseconds: run it in a worker process.
    """
    found: list[Happening] = []
    rules = get_game(game)
    position: Position | None = None
    for number, body in enumerate(bodies, first):
        try:
            entry = entries.decode(body)
            if isinstance(entry, entries.Dealt):
                position = rules.read_deal(options, entry.starter, entry.deal)
            elif isinstance(entry, entries.Acted) and position is not None:
                position = position.apply(entry.action)
        except WRONG as error:
            raise BrokenLog(number, error) from error
        if number > seen:
            found.append(happening(number, entry, position, viewer))
    return _json.encode(found)


def joined(lists: Sequence[bytes]) -> bytes:
    """JSON lists joined into one."""
    return b"[" + b",".join(each[1:-1] for each in lists if each != b"[]") + b"]"
