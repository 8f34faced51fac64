"""A table's log in words, for an administrator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lynxden.games.core import OPEN
from lynxden.games.errors import LynxdenError
from lynxden.server.table import entries
from lynxden.server.table.state import TableState, first_state


@dataclass(frozen=True)
class StoryLine:
    """An entry of a log in words."""

    number: int
    at: int
    kind: str
    text: str


def states(table_id: str, bodies: Sequence[str]) -> Iterator[tuple[entries.AnyEntry, TableState]]:
    """Every entry of a log with the table after it; `ValueError` says which of them is wrong."""
    state: TableState | None = None
    for number, body in enumerate(bodies, 1):
        try:
            entry = entries.decode(body)
            if state is None:
                if not isinstance(entry, entries.Created):
                    raise ValueError("a log begins with 'created'")
                state = first_state(table_id, entry)
            else:
                state = state.after(entry)
        except (LynxdenError, AssertionError, LookupError, ValueError) as error:
            raise ValueError(f"entry {number}: {error}") from error
        yield entry, state


def story(table_id: str, bodies: Sequence[str], cards: bool = False) -> list[StoryLine]:
    """A log in words: as a spectator saw it, or with every card."""
    viewer = OPEN if cards else None
    return [
        StoryLine(state.last, entry.at, type(entry).__name__.lower(), _sentence(entry, state, viewer))
        for entry, state in states(table_id, bodies)
    ]


def _sentence(entry: entries.AnyEntry, state: TableState, viewer: int | None) -> str:
    number = getattr(entry, "seat", None)
    seat = f"seat {number}" if number is not None else ""
    name = f"{state.seats[number].name} ({seat})" if number is not None else ""
    match entry:
        case entries.Created():
            return f"Guest {entry.by} made the table."
        case entries.Sat():
            return f"{entry.name} took {seat}." + (" A program plays here." if entry.program else "")
        case entries.Stood():
            by = f" The host removed guest {entry.removed}." if entry.removed else ""
            return f"Seat {entry.seat} is free again.{by}"
        case entries.Filled():
            return f"{state.names[entry.seat]} took {seat}: the bot {entry.bot}."
        case entries.Renamed():
            return f"The player at {seat} is now called {entry.name}."
        case entries.Dealt():
            return f"Game {state.round} was dealt; {state.names[entry.starter]} starts."
        case entries.Acted():
            by = "" if entry.by == "player" else f" [{entry.by}]"
            if state.position is None:  # its rules are not known
                return f"{name} acted.{by}" if viewer is None else f"{name}: {entry.action}.{by}"
            return " ".join(state.position.describe_events(viewer, state.names)) + by
        case entries.StoodIn():
            why = {"time": "whose time was up", "absent": "who was absent", "idle": "who did nothing"}
            return f"A bot ({entry.bot}) fills in for {name}, {why[entry.why]}."
        case entries.Back():
            return f"{name} has the seat back."
        case entries.Quit():
            return f"{name} left for good; a bot ({entry.bot}) has the seat."
        case entries.Came():
            return f"{name} is connected, to server {entry.server}."
        case entries.Gone():
            return f"{name} is no longer connected to server {entry.server}."
        case entries.Ready():
            return f"{name} is ready for the next game."
        case entries.Resumed():
            return "Another server took over the table; the clock restarts."
        case entries.Waits():
            if not entry.guest:
                by = f" The host removed guest {entry.removed}." if entry.removed else ""
                return f"Nobody waits for {seat} any more.{by}"
            return f"{entry.name} waits for {seat}, for the next game."
        case entries.Paused():
            return "The game is paused."
        case entries.Continued():
            return "The game goes on."
        case entries.Watching():
            return f"The host {'opened' if entry.open else 'closed'} the table to spectators."
        case entries.Rematched():
            return f"They play again at table {entry.table}."
        case entries.Closed():
            return {
                "host": "The host closed the table.",
                "empty": "Nobody was left: the table was closed.",
                "admin": f"An administrator closed the table{f': {entry.text}' if entry.text else '.'}",
            }[entry.why]
        case entries.Unknown():
            return f"Something that this version does not know ({entry.what[:40]})."
