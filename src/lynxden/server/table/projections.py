"""What is stored in addition to a table's log, to list and to find. All of it follows from the log."""

from dataclasses import dataclass

import msgspec

from lynxden.server.settings import Settings
from lynxden.server.table import clocks, views
from lynxden.server.table.state import TableState


@dataclass(frozen=True)
class TableRow:
    """A table without its log."""

    id: str
    game: str
    edition: str
    state: str
    """`open`, `running`, `over` or `closed`."""
    listed: bool
    host: str
    last: int
    """The number of the last entry."""
    summary: str
    """JSON: what a list of tables shows."""
    created_at: int
    updated_at: int
    wake_at: int | None = None
    """When something falls due here although nobody acts."""
    seats: tuple[str | None, ...] = ()
    """The guest at each seat; None for an empty seat, a bot of the server, or a forgotten guest."""


@dataclass(frozen=True)
class Player:
    """A player of a finished game."""

    seat: int
    guest: str | None
    """None for a bot of the server, and for a forgotten guest."""
    name: str
    """Their name at that time."""
    score: int
    won: bool
    own: bool = True
    """Whether they played it themselves; if a bot made a fifth of the decisions, the game is not theirs."""
    rating_before: int | None = None
    """Their rating as it is shown; known once the game is stored, and None if it did not change it."""
    rating: int | None = None
    """The same afterwards."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """A finished game without its record."""

    id: str
    table_id: str | None
    """None if it was not played here; the table may have been deleted."""
    round: int
    game: str
    edition: str
    finished_at: int
    players: tuple[Player, ...]
    """By seat."""
    rated: bool
    imported_by: str | None = None
    """The guest who imported it."""
    private: bool = False
    """Only for those who played it. Games of version 0.1 never are."""

    def shown_to(self, guest: str | None) -> bool:
        """Whether somebody may see it: None for somebody without an identity."""
        return not self.private or (guest is not None and guest in [player.guest for player in self.players])


@dataclass(frozen=True, kw_only=True)
class FinishedGame(Result):
    """A finished game."""

    record: str
    """One line of JSON; see `lynxden.records`."""


def row(state: TableState, settings: Settings) -> TableRow:
    """The row of a table."""
    due = clocks.due(state, settings)
    return TableRow(
        id=state.id,
        game=state.plan.game,
        edition=state.plan.edition,
        state=state.phase,
        listed=state.listed,
        host=state.host,
        last=state.last,
        summary=msgspec.json.encode(views.row(state)).decode(),
        created_at=state.created_at,
        updated_at=state.updated_at,
        wake_at=None if due is None else due.at,
        seats=_guests(state),
    )


def alike(one: TableState, other: TableState) -> bool:
    """Whether two rows of a table differ in the log's end, the summary and the times alone."""
    if (one.phase, one.listed, one.host) != (other.phase, other.listed, other.host):
        return False
    return one.seats is other.seats or _guests(one) == _guests(other)


def _guests(state: TableState) -> tuple[str | None, ...]:
    return tuple(seat.guest if seat.playing else None for seat in state.seats)


def finished(state: TableState) -> FinishedGame:
    """The game that has just ended, as it is stored."""
    outcome = state.outcome
    assert outcome is not None
    players = tuple(
        Player(
            number,
            seat.guest,
            seat.name,
            outcome.scores[number],
            number in outcome.winners,
            own=state.counts_for(number),
        )
        for number, seat in enumerate(state.seats)
    )
    return FinishedGame(
        id=state.record_id,
        table_id=state.id,
        round=state.round,
        game=state.plan.game,
        edition=state.plan.edition,
        record=state.record().to_json(),
        finished_at=state.updated_at,
        players=players,
        rated=state.rated,
        private=state.private,
    )


def just_ended(state: TableState) -> bool:
    """Whether the state's last entry ended a game that is to be stored; guided games are not."""
    return state.ended and state.changed == state.last and not state.plan.guide
