"""What an administrator may do to a database, whether a server uses it at the moment or not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from lynxden.games.core import OPEN
from lynxden.games.errors import LynxdenError
from lynxden.records import RecordError, read_record, verify
from lynxden.server import log, protocol, seats, stored
from lynxden.server.settings import Settings
from lynxden.server.state import TableState, first_state, read_log
from lynxden.server.store import games, guests, tables
from lynxden.server.store.core import Store, Tx

PAGE = 200
"""Finished games that are read at once."""

# --- A table in words -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Told:
    """An entry of a log in words."""

    number: int
    at: int
    kind: str
    text: str


def states(table_id: str, bodies: Sequence[str]) -> Iterator[tuple[log.AnyEntry, TableState]]:
    """Every entry of a log with the table after it; `ValueError` says which of them cannot be."""
    state: TableState | None = None
    for number, body in enumerate(bodies, 1):
        try:
            entry = log.decode(body)
            if state is None:
                if not isinstance(entry, log.Created):
                    raise ValueError("a log begins with 'created'")
                state = first_state(table_id, entry)
            else:
                state = state.after(entry)
        except (LynxdenError, AssertionError, LookupError, ValueError) as error:
            raise ValueError(f"entry {number}: {error}") from error
        yield entry, state


def story(table_id: str, bodies: Sequence[str], cards: bool = False) -> list[Told]:
    """A log in words: as a spectator saw it, or with every card."""
    viewer = OPEN if cards else None
    return [
        Told(state.last, entry.at, type(entry).__name__.lower(), _sentence(entry, state, viewer))
        for entry, state in states(table_id, bodies)
    ]


def _sentence(entry: log.AnyEntry, state: TableState, viewer: int | None) -> str:
    number = getattr(entry, "seat", None)
    seat = f"seat {number}" if number is not None else ""
    name = f"{state.seats[number].name} ({seat})" if number is not None else ""
    match entry:
        case log.Created():
            return f"Guest {entry.by} made the table."
        case log.Sat():
            return f"{entry.name} took {seat}." + (" A program plays here." if entry.program else "")
        case log.Stood():
            return f"Seat {entry.seat} is free again."
        case log.Filled():
            return f"{state.names[entry.seat]} took {seat}: the bot {entry.bot}."
        case log.Renamed():
            return f"The player at {seat} is now called {entry.name}."
        case log.Dealt():
            return f"Game {state.round} was dealt; {state.names[entry.starter]} starts."
        case log.Acted():
            assert state.position is not None
            by = "" if entry.by == "player" else f" [{entry.by}]"
            return " ".join(state.position.describe_events(viewer, state.names)) + by
        case log.StoodIn():
            why = {"time": "whose time was up", "absent": "who was absent", "idle": "who did nothing"}
            return f"A bot sits in for {name}, {why[entry.why]}."
        case log.Back():
            return f"{name} has the seat back."
        case log.Quit():
            return f"{name} left for good; a bot has the seat."
        case log.Came():
            return f"{name} is connected, to server {entry.server}."
        case log.Gone():
            return f"{name} is no longer connected to server {entry.server}."
        case log.Ready():
            return f"{name} is ready for the next game."
        case log.Resumed():
            return "Another server took the table over; the clock starts anew."
        case log.Watching():
            return f"The host {'opened' if entry.open else 'closed'} the table to spectators."
        case log.Rematched():
            return f"They play again at table {entry.table}."
        case log.Closed():
            return {"host": "The host gave the table up.", "empty": "Nobody was left: the table was closed."}[
                entry.why
            ]


# --- Changes --------------------------------------------------------------------------------------------


async def change(
    store: Store, settings: Settings, table_id: str, make: Callable[[TableState], seats.Entries]
) -> None:
    """Write to a table's log as a server would; a table that is not there stays so.

    A server that has the table in memory hears of it, or finds out when it wants to write there itself.
    """
    while True:
        entries = await store.read(tables.entries, table_id, 0)
        if not entries:
            return
        state = read_log(table_id, (body for _, body in entries))
        new = make(state)
        if not new:
            return
        after = state
        for entry in new:
            after = after.after(entry)
        bodies = [log.encode(entry) for entry in new]
        if await store.write(_append, stored.row(after, settings), state.last + 1, bodies):
            return


def _append(tx: Tx, row: tables.TableRow, first: int, bodies: Sequence[str]) -> bool:
    done = tables.append(tx, row, first, bodies)
    tx.notify("lobby")
    return done


async def forget(store: Store, settings: Settings, guest: str, now: int) -> bool:
    """Delete a guest and their bots; they leave their tables first. Whether there was such a guest."""
    people = [guest, *(bot.id for bot in await store.read(guests.bots_of, guest))]
    for each in people:
        for row in await store.read(tables.of_guest, each, tables.IN_USE, 10_000):
            await change(store, settings, row.id, lambda state, who=each: _leave(state, who, now))  # type: ignore[misc]
    return await store.write(guests.forget, guest)


def _leave(state: TableState, guest: str, now: int) -> seats.Entries:
    return seats.leave(state, guest, now) if state.seat_of(guest) is not None else ()


# --- Records --------------------------------------------------------------------------------------------


def exported(found: games.Finished) -> str:
    """A finished game as a line of a file of records, with its id and when it was over."""
    record: dict[str, Any] = json.loads(found.record)
    record.setdefault("id", found.id)
    if found.table_id is not None:
        record.setdefault("played_at", found.finished_at)
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


# --- Is everything right? -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Problem:
    """Something that does not go together."""

    where: str
    what: str


@dataclass(frozen=True)
class Kept:
    """All that is stored of a table, of one moment."""

    row: tables.TableRow
    entries: Sequence[tuple[int, str]]
    games: Sequence[games.Finished]
    guests: set[str]
    """Those of its people who were not forgotten."""


def kept(tx: Tx, table_id: str) -> Kept | None:
    """What is stored of a table; None if it was deleted meanwhile."""
    row = tables.get(tx, table_id)
    if row is None:
        return None
    entries, played = tables.entries(tx, table_id, 0), games.of_table(tx, table_id)
    return Kept(row, entries, played, guests.exist(tx, sorted(_people(entries))))


def _people(entries: Sequence[tuple[int, str]]) -> set[str]:
    found: set[str] = set()
    for _, body in entries:
        try:
            entry = log.decode(body)
        except msgspec.DecodeError:
            continue
        if isinstance(entry, log.Sat):
            found.add(entry.guest)
        elif isinstance(entry, log.Created):
            found.add(entry.by)
    return found


def check_table(found: Kept, settings: Settings) -> list[str]:
    """What is wrong with a table: its log is replayed, and everything else compared with that."""
    numbers = [number for number, _ in found.entries]
    if not numbers:
        return ["the log is empty"]
    if numbers != list(range(1, len(numbers) + 1)):
        gap = next(place for place, number in enumerate(numbers, 1) if number != place)
        return [f"entry {gap} of the log is missing"]
    ended: list[games.Finished] = []
    try:
        for entry, state in states(found.row.id, [body for _, body in found.entries]):
            position = state.position
            if isinstance(entry, log.Acted) and position is not None and position.over:
                ended.append(stored.finished(state))
    except ValueError as error:
        return [str(error)]
    return [*_row_faults(found, stored.row(state, settings)), *_game_faults(found, ended)]


def _row_faults(found: Kept, right: tables.TableRow) -> Iterator[str]:
    there, row = found.guests, found.row
    right = replace(
        right,
        # Guests who were forgotten sit nowhere, and are nobody's host; when to wake is up to the settings.
        seats=tuple(guest if guest in there else None for guest in right.seats),
        host=right.host if right.host in there else row.host,
        wake_at=row.wake_at,
    )
    for name in ("game", "edition", "state", "listed", "host", "last", "created_at", "updated_at", "seats"):
        if getattr(row, name) != getattr(right, name):
            yield f"{name} is {getattr(row, name)!r}, but the log says {getattr(right, name)!r}"
    if _summary(row.summary) != _summary(right.summary):
        yield "the summary for lists is not what the log says"


def _summary(text: str) -> protocol.Row | None:
    try:
        return msgspec.json.decode(text, type=protocol.Row)
    except msgspec.DecodeError:
        return None


def _game_faults(found: Kept, ended: Sequence[games.Finished]) -> Iterator[str]:
    have = {game.id: game for game in found.games}
    for right in ended:
        game = have.pop(right.id, None)
        if game is None:
            yield f"game {right.id} was finished, but its record is missing"
        elif _read(game.record) != _read(right.record):
            yield f"the record of game {right.id} is not what the log says"
        elif _results(game) != _results(right):
            yield f"the result of game {right.id} is not what the log says"
    yield from (f"game {game} is stored, but the log has no such game" for game in have)


def _read(record: str) -> Any:
    try:
        return json.loads(record)
    except ValueError:  # what is wrong with it, `check_game` tells
        return record


def _results(game: games.Finished) -> list[Any]:
    players = [(player.seat, player.name, player.score, player.won) for player in game.players]
    return [game.game, game.edition, game.round, game.finished_at, game.rated, players]


def check_game(game: games.Finished) -> list[str]:
    """What is wrong with a finished game: its record is played through by the rules."""
    try:
        record = read_record(game.record)
        verify(record)
    except RecordError as error:
        return [str(error)]
    if (record.game, record.edition) != (game.game, game.edition):
        return ["the record is of another game or edition"]
    result = record.result or {}
    if [player.score for player in game.players] != result.get("scores"):
        return ["the players' points are not those of the record"]
    if [player.seat for player in game.players if player.won] != sorted(result.get("winners", ())):
        return ["the winners are not those of the record"]
    return []


async def check(
    store: Store, settings: Settings, begin: Callable[[int], None], step: Callable[[], None]
) -> tuple[int, int, list[Problem]]:
    """Check everything: how many tables and games there are, and what is wrong with them."""
    table_ids = await store.read(tables.ids)
    count = await store.read(games.count, games.Chosen())
    begin(len(table_ids) + count)
    problems: list[Problem] = []
    for table_id in table_ids:
        found = await store.read(kept, table_id)
        if found is not None:
            problems += [Problem(f"table {table_id}", what) for what in check_table(found, settings)]
        step()
    checked, after = 0, (-1, "")
    while page := await store.read(games.page, games.Chosen(), after, PAGE):
        for game in page:
            problems += [Problem(f"game {game.id}", what) for what in check_game(game)]
            checked += 1
            step()
        after = page[-1].finished_at, page[-1].id
    return len(table_ids), checked, problems
