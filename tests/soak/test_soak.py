"""The soak for a minute, and that it would notice what it looks for."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.server.kit import free_data, play_out, run, serving
from tests.server.players import Account, Seat
from tests.server.postgres import start_postgres
from tests.soak.ledger import Ledger, audit, check_accounts, keep
from tests.soak.soak import Memory, Report, Wanted, last_line, soak, tracebacks


@pytest.mark.slow
def test_a_minute_of_everything(tmp_path: Path) -> None:
    with start_postgres() as postgres:
        report = asyncio.run(soak(Wanted(1, 16, 1, tmp_path), postgres))
    assert not report.problems, report.text
    assert report.proof.games >= 8
    assert report.audit.acknowledged >= 100
    assert sum(report.troubles.values()) >= 10
    assert json.loads((tmp_path / "report.json").read_text())["passed"] is True


# --- What it would notice -------------------------------------------------------------------------------


async def played(folder: Path) -> tuple[str, dict[str, int]]:
    """A game on a fresh database: its table, and every acknowledged action."""
    acks: dict[str, int] = {}
    async with serving(free_data(folder)) as server, await server.arrive("Ann") as ann:
        body = {"edition": "duel", "bots": ["greedy"], "speed": "instant"}
        key = str((await ann.post("/api/play", body))["id"])
        await ann.connect()
        await play_out(ann, await ann.watch(key), random.Random(1))
        for text in ann.received:
            message = json.loads(text)
            if message["type"] == "ack":
                acks[message["id"]] = message["number"]
    return key, acks


def test_the_ledger_finds_what_was_lost_doubled_or_moved(tmp_path: Path) -> None:
    key, acks = run(played(tmp_path))
    assert len(acks) > 5

    def found(*lies: tuple[str, int]) -> list[str]:
        ledger = Ledger(tmp_path / "ledger.jsonl")
        for action, number in (*acks.items(), *lies):
            ledger.note(key, 0, action, number)
        ledger.close()
        result = run(audit(free_data(tmp_path), ledger.path))
        assert (result.tables, result.games) == (1, 1)
        return result.problems

    action, number = next(iter(acks.items()))
    assert found() == []
    assert found((action, number)) == [], "told twice is done once"
    assert found(("never", 5)) == [f"table {key}: never, acknowledged as 5, is lost"]
    assert found((action, number + 1)) == [
        f"table {key}: {action} was acknowledged as {number} and {number + 1}"
    ]
    with closing(sqlite3.connect(tmp_path / "lynxden.sqlite3")) as db, db:
        (body,) = db.execute("SELECT body FROM entries WHERE number = ?", (number,)).fetchone()
        db.execute("UPDATE entries SET body = replace(body, ?, 'x') WHERE number = ?", (action, number))
    assert found() == [f"table {key}: {action}, acknowledged as {number}, is lost"]
    with closing(sqlite3.connect(tmp_path / "lynxden.sqlite3")) as db, db:
        later = acks[list(acks)[1]]
        db.execute("UPDATE entries SET body = ? WHERE number = ?", (body, number))
        db.execute("UPDATE entries SET body = ? WHERE number = ?", (body, later))
    assert f"table {key}: {action} is in the log twice" in found()


def test_accounts_are_held_against_the_log(tmp_path: Path) -> None:
    """A player who claims an acknowledgement that the log does not have."""
    key, acks = run(played(tmp_path))
    seat = Seat(key, "", 0, acked={**acks, "never": 5})
    keep(tmp_path / "group", [Account("ann", {key: seat})])
    told = check_accounts(free_data(tmp_path), tmp_path / "group")
    assert "the log holds other actions than those acknowledged" in str(told)


def test_tracebacks_are_found_in_logs() -> None:
    log = """\
2026-01-01 00:00:00 ERROR   a request failed
Traceback (most recent call last):
  File "x.py", line 1, in f
    g()
ValueError: one
2026-01-01 00:00:01 WARNING the heartbeat failed: the database cannot be reached
2026-01-01 00:00:02 ERROR     + Exception Group Traceback (most recent call last):
  |   File "y.py", line 1, in f
  | ExceptionGroup: unhandled errors (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "z.py", line 1, in g
    | KeyError: 'two'
    +------------------------------------

2026-01-01 00:00:02 ERROR   a task failed
Traceback (most recent call last):
  File "x.py", line 1, in f
KeyError

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "x.py", line 2, in f
TypeError: three
2026-01-01 00:00:03 INFO    all is well
"""
    assert [last_line(found) for found in tracebacks(log)] == [
        "ValueError: one",
        "KeyError: 'two'",
        "TypeError: three",
    ]


def test_a_report_says_what_is_broken() -> None:
    report = Report(1, 60, 300, memory={"a": Memory(2**28, 2**27, 2**27)})
    assert report.text.endswith("Nothing is broken.\n")
    assert json.loads(report.json)["passed"] is True
    report.problems.append("table x did not end")
    assert "BROKEN: table x did not end\n1 things are broken." in report.text
    assert json.loads(report.json)["passed"] is False
