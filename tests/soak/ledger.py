"""Every acknowledged action, written down outside the servers, and held against the database at the end."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import time
import traceback
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from lynxden.games.errors import LynxdenError
from lynxden.server.admin import check as check_database
from lynxden.server.settings import Settings
from lynxden.server.store import tables
from lynxden.server.store.core import StoreUnavailable, open_store
from lynxden.server.table import entries
from tests.server.players import Account, Message, Player, Proof, check

PATIENCE = 120
"""Seconds that a check waits for a database that is down."""


class Ledger:
    """A file with a line for every acknowledgement."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        self._file: TextIO = path.open("w", encoding="utf-8", buffering=1)

    def note(self, table: str, seat: int | None, action: str, number: int) -> None:
        self.count += 1
        self._file.write(json.dumps([table, seat, action, number]) + "\n")

    def close(self) -> None:
        self._file.close()


class LedgerPlayer(Player):
    """A player who writes down what was acknowledged before anything else."""

    def __init__(self, ledger: Ledger, *args: Any) -> None:
        super().__init__(*args)
        self._ledger = ledger

    async def _handle(self, message: Message) -> None:
        if message["type"] == "ack":
            seat = self.seats[message["table"]].seat
            self._ledger.note(message["table"], seat, message["id"], message["number"])
        await super()._handle(message)


# --- Tables that are over -------------------------------------------------------------------------------


def keep(path: Path, accounts: Sequence[Account]) -> None:
    """Write down all that some players were told."""
    path.write_bytes(pickle.dumps(accounts))


def calm() -> None:
    """Checks wait for the servers."""
    os.nice(10)


def check_accounts(database: str, path: Path) -> Proof | str:
    """Hold what some players were told against the log: what it proves, or what is wrong."""
    accounts: list[Account] = pickle.loads(path.read_bytes())
    until = time.monotonic() + PATIENCE
    while True:
        try:
            proof = asyncio.run(check(database, accounts))
        except (StoreUnavailable, LynxdenError) as error:
            if time.monotonic() > until:
                return f"the database did not answer: {error}"
            time.sleep(1)
        except Exception:
            return traceback.format_exc(limit=-3)
        else:
            path.unlink()
            return proof


# --- At the end -----------------------------------------------------------------------------------------


@dataclass
class Audit:
    """What the database holds."""

    tables: int = 0
    games: int = 0
    acknowledged: int = 0
    problems: list[str] = field(default_factory=list)


async def audit(database: str, ledger: Path) -> Audit:
    """Every acknowledged action is in its log, once, at its number; and every log follows the rules."""
    found = Audit()
    noted: dict[str, dict[tuple[int, str], int]] = defaultdict(dict)
    with ledger.open(encoding="utf-8") as file:
        for line in file:
            table, seat, action, number = json.loads(line)
            before = noted[table].setdefault((seat, action), number)
            if before != number:
                found.problems.append(f"table {table}: {action} was acknowledged as {before} and {number}")
    store = await open_store(database)
    try:
        for table, actions in noted.items():
            stored: dict[tuple[int, str], int] = {}
            for number, body in await store.read(tables.entries, table, 0):
                entry = entries.decode(body)
                if isinstance(entry, entries.Acted) and entry.id:
                    if (entry.seat, entry.id) in stored:
                        found.problems.append(f"table {table}: {entry.id} is in the log twice")
                    stored[entry.seat, entry.id] = number
            for key, number in actions.items():
                found.acknowledged += 1
                if key not in stored:
                    found.problems.append(f"table {table}: {key[1]}, acknowledged as {number}, is lost")
                elif stored[key] != number:
                    found.problems.append(
                        f"table {table}: {key[1]}, acknowledged as {number}, is entry {stored[key]}"
                    )
        found.tables, found.games, wrong = await check_database(
            store, Settings(), lambda _: None, lambda: None
        )
        found.problems += [f"{problem.where}: {problem.what}" for problem in wrong]
    finally:
        await store.close()
    return found
