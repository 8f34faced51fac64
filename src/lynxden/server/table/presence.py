"""Who may look at a table, and who is connected to it through which server.

Commands, as in `commands`; a table that is settled stays as it is.
"""

from __future__ import annotations

from collections.abc import Set

from lynxden.server.errors import Code, Refusal
from lynxden.server.table import commands, entries
from lynxden.server.table.state import TableState


def check_watcher(state: TableState, guest: str, invite: str, board: bool = False) -> None:
    """Refuse those who may not see this table; `board`: on a screen that everybody sees."""
    if state.seat_of(guest) is not None or guest == state.host:
        return
    if not commands.may_enter(state, guest, invite):
        raise commands.no_table(state.id)
    commands.check_not_removed(state, guest)
    if not state.spectators and state.phase in ("running", "over"):
        if board and invite == state.invite:
            return
        raise closed_to_spectators()


def closed_to_spectators() -> Refusal:
    return Refusal(Code.NO_SPECTATORS, "this table is closed to spectators")


def came(state: TableState, seat: int, server: str, at: int) -> commands.Entries:
    """A player is connected to a server. A bot that filled in gives the seat back."""
    if state.settled:
        return ()
    place = state.seats[seat]
    found: list[entries.Entry] = []
    if server not in place.servers:
        found.append(entries.Came(at, seat, server))
    if place.stand_in and state.phase == "running":
        found.append(entries.Back(at, seat))
    return found


def gone(state: TableState, seat: int, server: str, at: int) -> commands.Entries:
    """A player is no longer connected to a server."""
    if state.settled or server not in state.seats[seat].servers:
        return ()
    return [entries.Gone(at, seat, server)]


def taken_over(state: TableState, before: str, at: int) -> commands.Entries:
    """The server that held the lease has died: its people are gone, and the clock starts anew."""
    if state.settled:
        return ()
    found: list[entries.Entry] = [
        entries.Gone(at, number, before)
        for number, place in enumerate(state.seats)
        if before in place.servers
    ]
    deciding = state.deciding
    if deciding is not None and state.seats[deciding].decides:
        found.append(entries.Resumed(at))
    return found


def only_at(state: TableState, alive: Set[str], at: int) -> commands.Entries:
    """Other servers have died: those who were connected to them are gone."""
    if state.settled:
        return ()
    return [
        entries.Gone(at, number, server)
        for number, place in enumerate(state.seats)
        for server in sorted(place.servers - alive)
    ]
