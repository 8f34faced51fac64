"""Databases that earlier versions wrote: how to restore one, and what a reader finds in it."""

import gzip
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import psycopg

from lynxden.games.registry import GAMES
from lynxden.records import Record, positions, read_record

# Modules of the server: in this package they are named here and in `write.py` alone.
from lynxden.server.live.chat import sent_line
from lynxden.server.store import Store, bans, chat, games, guests, open_store, push, reports, switches, tables
from lynxden.server.table import entries
from lynxden.server.table.projections import FinishedGame
from lynxden.server.table.state import TableState, read_log

FOLDER = Path(__file__).parent
PLAIN, PACKED = "database.sql", "database.sql.gz"
EVERYTHING = 100_000
ELSEWHERE = "LYNXDEN_TEST_VERSIONS"
"""The environment may name another place with such folders: one that is only tried."""

Facts = dict[str, Any]
"""Plain data, as JSON holds it."""


def folders() -> list[Path]:
    """Every version that has left a database, by name."""
    place = Path(os.environ.get(ELSEWHERE, FOLDER))
    return sorted(
        folder for folder in place.iterdir() if any((folder / n).is_file() for n in (PLAIN, PACKED))
    )


# --- Restoring ------------------------------------------------------------------------------------------


def script(folder: Path) -> str:
    """The statements that make the database anew, in SQLite and in PostgreSQL."""
    plain = folder / PLAIN
    return (
        plain.read_bytes() if plain.exists() else gzip.decompress((folder / PACKED).read_bytes())
    ).decode()


def restore(folder: Path, url: str) -> None:
    """Makes the database of a folder anew in an empty one."""
    if url.startswith("postgresql://"):
        with psycopg.connect(url) as postgres:
            postgres.execute(script(folder).encode())
        return
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as db:
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("PRAGMA synchronous = OFF")
        db.executescript(f"BEGIN;\n{script(folder)}COMMIT;\n")


def expected(folder: Path) -> Facts:
    found: Facts = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return found


def differences(wanted: Any, found: Any, where: str = "") -> list[str]:
    """What is not as it was. Later versions may tell more of anything, but nothing else and nothing less."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        missing = [f"{where}.{key} is missing" for key in wanted if key not in found]
        both = [key for key in wanted if key in found]
        return missing + [
            line for key in both for line in differences(wanted[key], found[key], f"{where}.{key}")
        ]
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        pairs = enumerate(zip(wanted, found, strict=True))
        return [line for at, (one, two) in pairs for line in differences(one, two, f"{where}[{at}]")]
    if isinstance(wanted, float) and isinstance(found, float):
        return [] if abs(wanted - found) < 1e-9 else [f"{where} is {found}, not {wanted}"]
    return [] if wanted == found else [f"{where} is {found!r}, not {wanted!r}"]


# --- What is found --------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def facts_of_table(state: TableState) -> Facts:
    """A table as its log tells it."""
    match, position = state.match, state.position
    cards: Facts | None = None
    if position is not None:
        snapshot = state.game.snapshot
        own = [plain(snapshot.private(position.view(seat))) for seat in range(len(state.seats))]
        cards = {
            "decision": position.decision,
            "active": position.active,
            "public": plain(snapshot.public(position.view(None))),
            "hands": [each["hand"] for each in own],
            "legal": [each["legal"] for each in own],
            "events": plain(position.events(None)),
            "scores": plain(position.scores),
        }
    return {
        "game": state.plan.game,
        "edition": state.plan.edition,
        "phase": state.phase,
        "between": state.between,
        "host": state.host,
        "invite": state.invite,
        "public": state.plan.public,
        "spectators": state.spectators,
        "rounds": state.plan.rounds,
        "speed": state.plan.speed,
        "clock": plain(state.plan.clock),
        "created_at": state.created_at,
        "updated_at": state.updated_at,
        "decided_at": state.decided_at,
        "last": state.last,
        "changed": state.changed,
        "guide": state.plan.guide,
        "paused": state.paused,
        "spent": state.spent,
        "luck": state.luck,
        "removed": sorted(state.removed),
        "closed": state.closed,
        "closed_text": state.closed_text,
        "evening": plain(state.evening),
        "rematch": state.rematch,
        "rated": state.rated,
        "seats": [
            {
                "kind": seat.kind,
                "name": seat.name,
                "guest": seat.guest,
                "bot": seat.bot if seat.kind == "bot" or seat.quit else "",
                "program": seat.program,
                "reserved": seat.reserved,
                "kept": seat.kept,
                "next_guest": seat.next_guest,
                "next_name": seat.next_name,
                "next_program": seat.next_program,
                "here": seat.here,
                "gone_at": seat.gone_at,
                "stand_in": seat.stand_in,
                "sits_in": seat.bot if seat.stand_in else "",
                "quit": seat.quit,
                "bank": seat.bank,
                "ready": seat.ready,
            }
            for seat in state.seats
        ],
        "round": state.round,
        "length": match.length,
        "starter": match.next_starter,
        "totals": plain(match.totals),
        "winners": plain(match.winners),
        "outcomes": plain(match.outcomes),
        "deciding": state.deciding,
        "actions": len(state.actions),
        "cards": cards,
    }


def facts_of_record(record: Record) -> Facts:
    """A record, played through by the rules."""
    *_, last = positions(record)
    return {
        "game": record.game,
        "edition": record.edition,
        "seats": list(record.seats),
        "starter": record.starter,
        "decisions": len(record.actions),
        "result": record.result,
        "legal": record.legal is not None,
        "actors": record.actors is not None,
        "extra": record.extra,
        "scores": plain(last.scores),
        "public": plain(last.game.snapshot.public(last.view(None))),
    }


async def facts_of_store(store: Store) -> Facts:
    """Everything that a database holds."""
    table_ids = await store.read(tables.ids)
    found: Facts = plain(
        {
            "tables": {key: await _table(store, key) for key in table_ids},
            "lobby": [row.id for row in await store.read(tables.listed, EVERYTHING)],
            "chat": {
                key: lines
                for key in table_ids
                if (lines := [plain(sent_line(m)) for m in await store.read(chat.latest, key, EVERYTHING)])
            },
            "games": {
                game.id: _game(game)
                for game in await store.read(games.page, games.Chosen(private=True), (-1, ""), EVERYTHING)
            },
            "guests": {
                known.guest.id: await _guest(store, known)
                for known in await store.read(guests.newest, EVERYTHING)
            },
            "ladders": {
                f"{game} {edition}": [
                    standing.guest for standing in await store.read(games.ladder, game, edition, EVERYTHING)
                ]
                for game in GAMES
                for edition in GAMES[game].editions
            },
            "bans": await store.read(bans.valid, 0),
            "reports": await store.read(reports.newest, EVERYTHING, True),
            "switches": await store.read(switches.get),
            "deleted": {
                key: sorted(rounds) for key in table_ids if (rounds := await store.read(games.deleted, key))
            },
        }
    )
    return found


async def games_at(store: Store, table: str) -> list[str]:
    """The ids of the games that were played at a table, in order."""
    return [game.id for game in await store.read(games.of_table, table)]


async def read_all(url: str) -> Facts:
    """The same of a database that is not open yet; it is brought to this version."""
    store = await open_store(url)
    try:
        return await facts_of_store(store)
    finally:
        await store.close()


async def _table(store: Store, key: str) -> Facts:
    row = await store.read(tables.get, key)
    log = await store.read(tables.entries, key, 0)
    assert row is not None
    assert [number for number, _ in log] == list(range(1, len(log) + 1))
    told = {"phase": row.state, "listed": row.listed, "host": row.host, "last": row.last, "seats": row.seats}
    state = read_log(key, (body for _, body in log))
    return {"row": told, **facts_of_table(state), "ids": _ids(state, [body for _, body in log])}


def _ids(state: TableState, bodies: list[str]) -> dict[str, int]:
    """The entries of actions by the ids that players' programs gave them; the state knows the latest."""
    found = {}
    for number, body in enumerate(bodies, 1):
        entry = entries.decode(body)
        if isinstance(entry, entries.Acted) and entry.id:
            found[f"{entry.seat} {entry.id}"] = number
            assert number < state.dealt or state.entry_of(entry.seat, entry.id) == number
    return found


def _game(found: FinishedGame) -> Facts:
    record = read_record(found.record)
    return {
        "table": found.table_id,
        "round": found.round,
        "game": found.game,
        "edition": found.edition,
        "finished_at": found.finished_at,
        "rated": found.rated,
        "imported_by": found.imported_by,
        "private": found.private,
        "players": [
            {
                "guest": p.guest,
                "name": p.name,
                "score": p.score,
                "won": p.won,
                "own": p.own,
                "rating_before": p.rating_before,
                "rating": p.rating,
            }
            for p in found.players
        ],
        "decisions": len(record.actions),
        "result": record.result,
        "extra": record.extra,
    }


async def _guest(store: Store, known: guests.Known) -> Facts:
    guest = known.guest
    ratings = await store.read(games.ratings_of, guest.id)
    return {
        "name": guest.name,
        "kind": guest.kind,
        "owner": guest.owner,
        "created_at": known.created_at,
        "seen_at": known.seen_at,
        "devices": known.devices,
        "games": [game.id for game in await store.read(games.of_guest, guest.id, guest.id, EVERYTHING)],
        "bots": [bot.id for bot in await store.read(guests.bots_of, guest.id)],
        "muted": sorted(await store.read(guests.muted_by, guest.id)),
        "link": await store.read(guests.has_link, guest.id),
        "reached": plain(await store.read(push.of_guest, guest.id)),
        "ratings": {
            f"{game} {edition}": {"mu": rating.mu, "sigma": rating.sigma, "games": rating.games}
            for (game, edition), rating in sorted(ratings.items())
        },
    }
