"""What is stored besides a table's log: all of it follows from the log, and is there to list and to find."""

import msgspec

from lynxden.server import clocks, tell
from lynxden.server.settings import Settings
from lynxden.server.state import TableState
from lynxden.server.store import games, tables


def row(state: TableState, settings: Settings) -> tables.TableRow:
    """A table as it is listed and found."""
    due = clocks.due(state, settings)
    return tables.TableRow(
        id=state.id,
        game=state.plan.game,
        edition=state.plan.edition,
        state=state.phase,
        listed=state.listed,
        host=state.host,
        last=state.last,
        summary=msgspec.json.encode(tell.row(state)).decode(),
        created_at=state.created_at,
        updated_at=state.updated_at,
        wake_at=None if due is None else due.at,
        seats=tuple(seat.guest if seat.playing else None for seat in state.seats),
    )


def finished(state: TableState) -> games.Finished:
    """The game that has just ended, as it is kept."""
    assert state.position is not None
    outcome = state.position.outcome
    assert outcome is not None
    players = tuple(
        games.Player(number, seat.guest, seat.name, outcome.scores[number], number in outcome.winners)
        for number, seat in enumerate(state.seats)
    )
    return games.Finished(
        id=tell.record_id(state),
        table_id=state.id,
        round=state.round,
        game=state.plan.game,
        edition=state.plan.edition,
        record=state.record().to_json(),
        finished_at=state.updated_at,
        players=players,
        rated=state.rated,
    )
