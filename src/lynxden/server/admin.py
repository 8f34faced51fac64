"""What an administrator may do to a database, whether a server uses it at the moment or not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from lynxden.games.errors import LynxdenError
from lynxden.records import RecordError, read_record, verify
from lynxden.server import forgetting, protocol
from lynxden.server.live.people import SIGNED_OUT
from lynxden.server.settings import Settings
from lynxden.server.store import games, guests, tables
from lynxden.server.store.core import Store, Tx
from lynxden.server.table import commands, entries, projections
from lynxden.server.table.projections import FinishedGame
from lynxden.server.table.state import BrokenLog, read_log
from lynxden.server.table.story import states

PAGE = 200
"""Finished games that are read at once."""

# --- Changes --------------------------------------------------------------------------------------------


async def change(store: Store, settings: Settings, table_id: str, command: commands.Command) -> None:
    """Write to a table's log as a server would, if there is such a table.

    A server that has the table in memory is notified, or finds out when it writes there itself.
    """
    while True:
        found = await store.read(tables.entries, table_id, 0)
        if not found:
            return
        try:
            state = read_log(table_id, (body for _, body in found))
        except BrokenLog as error:
            raise LynxdenError(str(error)) from error
        if state.settled:
            return
        written, states = commands.carry_out(state, command)
        if not written:
            return
        bodies = [entries.encode(entry) for entry in written]
        row = projections.row(states[-1], settings)
        if await store.write(_append, row, state.last + 1, bodies):
            return


def _append(tx: Tx, row: projections.TableRow, first: int, bodies: Sequence[str]) -> bool:
    done = tables.append(tx, row, first, bodies)
    tx.notify("lobby")
    return done


async def forget(store: Store, settings: Settings, guest: str, now: int) -> bool:
    """Delete a guest and their bots; they leave their tables first. Whether there was such a guest."""
    found = await forgetting.forget(
        store, guest, lambda: now, lambda table, command: change(store, settings, table, command)
    )
    await store.write(_sign_out, found)
    return bool(found)


def _sign_out(tx: Tx, gone: Sequence[str]) -> None:
    """Have all servers close the sockets of guests who are gone; without messages they find out later."""
    for guest in gone:
        tx.notify(f"{SIGNED_OUT} {guest} ")


# --- Records --------------------------------------------------------------------------------------------


def exported(found: FinishedGame) -> str:
    """A finished game as a line of a file of records, with its id and when it ended."""
    record: dict[str, Any] = json.loads(found.record)
    record.setdefault("id", found.id)
    if found.table_id is not None:
        record.setdefault("played_at", found.finished_at)
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


# --- Consistency ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Problem:
    """An inconsistency."""

    where: str
    what: str


@dataclass(frozen=True)
class Kept:
    """All that is stored of a table, as of one moment."""

    row: projections.TableRow
    log: Sequence[tuple[int, str]]
    games: Sequence[FinishedGame]
    deleted: set[int]
    """The rounds whose records an administrator deleted."""
    guests: set[str]
    """Those of its people who were not forgotten."""


def kept(tx: Tx, table_id: str) -> Kept | None:
    """All that is stored of a table; None if it was deleted meanwhile."""
    row = tables.get(tx, table_id)
    if row is None:
        return None
    log, played = tables.entries(tx, table_id, 0), games.of_table(tx, table_id)
    return Kept(row, log, played, games.deleted(tx, table_id), guests.exist(tx, sorted(_people(log))))


def _people(log: Sequence[tuple[int, str]]) -> set[str]:
    found: set[str] = set()
    for _, body in log:
        try:
            entry = entries.decode(body)
        except msgspec.DecodeError:
            continue
        if isinstance(entry, entries.Sat):
            found.add(entry.guest)
        elif isinstance(entry, entries.Created):
            found.add(entry.by)
    return found


def check_table(found: Kept, settings: Settings) -> list[str]:
    """What is wrong with a table: its log is replayed, and everything else compared with the result."""
    numbers = [number for number, _ in found.log]
    if not numbers:
        return ["the log is empty"]
    if numbers != list(range(1, len(numbers) + 1)):
        gap = next(place for place, number in enumerate(numbers, 1) if number != place)
        return [f"entry {gap} of the log is missing"]
    ended: list[FinishedGame] = []
    try:
        for _, state in states(found.row.id, [body for _, body in found.log]):
            if projections.just_ended(state):
                ended.append(projections.finished(state))
    except ValueError as error:
        return [str(error)]
    faults = [*_row_faults(found, projections.row(state, settings)), *_game_faults(found, ended)]
    if state.read_only == "entries":
        faults.append("the log holds entries that this version does not know; a newer version wrote them")
    return faults


def _row_faults(found: Kept, right: projections.TableRow) -> Iterator[str]:
    there, row = found.guests, found.row
    right = replace(
        right,
        # Forgotten guests are removed from seats and as hosts; `wake_at` depends on the settings.
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


def _game_faults(found: Kept, ended: Sequence[FinishedGame]) -> Iterator[str]:
    have = {game.id: game for game in found.games}
    for right in ended:
        game = have.pop(right.id, None)
        if game is None and right.round in found.deleted:
            continue
        if game is None:
            yield f"game {right.id} was finished, but its record is missing"
        elif not _same_record(game.record, right.record):
            yield f"the record of game {right.id} is not what the log says"
        elif _results(game) != _results(right):
            yield f"the result of game {right.id} is not what the log says"
    yield from (f"game {game} is stored, but the log has no such game" for game in have)


def _same_record(kept: str, right: str) -> bool:
    """Whether two records are the same game; one may have been written by an older version."""
    try:
        return read_record(kept) == read_record(right)
    except RecordError:  # `check_game` reports what is wrong with it
        return kept == right


def _results(game: FinishedGame) -> list[Any]:
    players = [(player.seat, player.name, player.score, player.won) for player in game.players]
    return [game.game, game.edition, game.round, game.finished_at, game.rated, players]


def check_game(game: FinishedGame) -> list[str]:
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
    chosen = games.Chosen(private=True)
    count = await store.read(games.count, chosen)
    begin(len(table_ids) + count)
    problems: list[Problem] = []
    for table_id in table_ids:
        found = await store.read(kept, table_id)
        if found is not None:
            problems += [Problem(f"table {table_id}", what) for what in check_table(found, settings)]
        step()
    checked, after = 0, (-1, "")
    while page := await store.read(games.page, chosen, after, PAGE):
        for game in page:
            problems += [Problem(f"game {game.id}", what) for what in check_game(game)]
            checked += 1
            step()
        after = page[-1].finished_at, page[-1].id
    return len(table_ids), checked, problems
