"""`lynxden admin` against abuse: bans, reports, closed tables, deleted chat and games, switches."""

from __future__ import annotations

from typing import Any

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from lynxden.cli import app
from lynxden.server.store import reports
from lynxden.server.store.core import open_store
from lynxden.server.store.reports import Report
from tests.server.kit import run
from tests.server.test_admin import Cli, _filled, cli, place, where

__all__ = ["cli", "place"]  # fixtures

NEW = (
    "ban", "ban-network", "unban", "bans", "reports", "report", "resolve", "close", "delete-chat",
    "delete-game", "registration", "slow-chat",
)  # fmt: skip


def _line(text: str) -> str:
    return " ".join(text.split())


def test_bans(place: str, cli: Cli) -> None:
    found, at = run(_filled(place)), where(place)
    said = cli("ban", found.ben, "--reason", "insults", "--for", "7d", "--address", *at)
    assert said.out.startswith(f"Banned: Ben ({found.ben}) until 20")
    assert cli("ban-network", "2001:db8:1:2::77", *at).out == "Banned: 2001:db8:1:2::/64 for good.\n"
    rows = {row["who"]: row for row in cli("bans", "--json", *at).lines}
    assert set(rows) == {found.ben, "2001:db8:1:2::/64"}
    assert (rows[found.ben]["address"], rows[found.ben]["reason"]) == (True, "insults")
    assert "insults" in cli("bans", *at).out
    phases = {row["id"]: row["phase"] for row in cli("tables", "--json", *at).lines}
    assert phases[found.open] == "closed", "the table that they had open"
    assert phases[found.running] == "running"
    assert cli("unban", found.ben, *at).out == "No longer banned: Ben.\n"
    assert cli("unban", "2001:db8:1:2::1", *at).code == 0
    assert cli("bans", "--json", *at).lines == []
    for wrong, why in (
        (["ban", "nobody"], "there is no guest nobody"),
        (["ban", found.ben, "--for", "soon"], "such as 90d, not 'soon'"),
        (["ban", found.ben, "--reason", "x" * 301], "at most 300 characters"),
        (["ban-network", "203.0.113.0/24"], "203.0.113.7, or an IPv6 network"),
        (["ban-network", "127.0.0.1"], "this machine itself"),
        (["unban", found.ben], "is not banned"),
    ):
        said = cli(*wrong, *at)
        assert said.code == 2
        assert why in _line(said.err)
    assert cli("bans", "--json", *at).lines == [], "nothing was changed"
    assert cli("check", *at).code == 0


def test_tables_chat_and_games(place: str, cli: Cli) -> None:
    found, at = run(_filled(place)), where(place)
    assert cli("close", found.running, "--reason", "It is late", "--yes", *at).out.endswith("was closed.\n")
    assert "An administrator closed the table: It is late" in cli("table", found.running, *at).out
    said = cli("delete-chat", found.finished, "1", *at)
    assert said.out == "Deleted: 1  Ann [bold]: well, well\n"
    assert "(deleted)" in cli("table", found.finished, "--chat", *at).out
    played = {row["round"]: row["id"] for row in cli("games", "--json", *at).lines if row["table"]}
    said = cli("delete-game", played[1], "--yes", *at)
    assert said.out.startswith(f"Deleted: linko classic, played at table {found.finished}, 20")
    assert "Ann [bold]" in said.out
    imported = next(row["id"] for row in cli("games", "--json", *at).lines if row["table"] is None)
    assert "imported" in cli("delete-game", imported, "--yes", *at).out
    assert [row["round"] for row in cli("games", "--json", *at).lines] == [2]
    assert cli("check", *at).code == 0, "a game that was deleted is not missing"
    for wrong, why in (
        (["close", found.running, "--yes"], "is closed already"),
        (["close", found.finished, "--yes"], "is over already"),
        (["close", "nowhere", "--yes"], "there is no table nowhere"),
        (["delete-chat", found.finished, "7"], "there is no such line"),
        (["delete-chat", found.finished], "name the numbers"),
        (["delete-chat", "nowhere", "1"], "there is no table"),
        (["delete-game", imported], "there is no finished game"),
    ):
        said = cli(*wrong, *at)
        assert said.code == 2
        assert why in _line(said.err)


def test_reports(place: str, cli: Cli) -> None:
    found, at = run(_filled(place)), where(place)
    line = {"number": 3, "at": 5, "guest": found.ben, "name": "Ben", "text": "Something bad"}

    async def add() -> None:
        store = await open_store(place)
        made = Report(
            "r1", 5, found.running, 9, found.ann, "Ann", found.ben, "Ben", "chat", "He was rude.", (line,)
        )
        await store.write(reports.add, made)
        await store.close()

    run(add())
    assert "He was rude." in cli("reports", *at).out
    (row,) = cli("reports", "--json", *at).lines
    assert (row["table_id"], row["entry"], row["chat"]) == (found.running, 9, [line])
    said = _line(cli("report", "r1", *at).out)
    assert f"Ann ({found.ann}) reports Ben ({found.ben})" in said
    assert "Something bad" in said
    assert cli("resolve", "r1", "--note", "talked to him", *at).code == 0
    assert cli("reports", "--json", *at).lines == []
    assert "talked to him" in cli("report", "r1", *at).out
    assert len(cli("reports", "--all", "--json", *at).lines) == 1
    assert "is resolved already" in _line(cli("resolve", "r1", *at).err)
    assert "there is no report r2" in _line(cli("resolve", "r2", *at).err)
    assert "there is no report r2" in _line(cli("report", "r2", *at).err)


def test_switches(place: str, cli: Cli) -> None:
    run(_filled(place))
    at = where(place)
    assert cli("registration", *at).out == "New guests are taken.\n"
    assert cli("registration", "closed", *at).out == "No new guests are taken.\n"
    assert cli("registration", *at).out == "No new guests are taken.\n"
    assert cli("registration", "open", *at).out == "New guests are taken.\n"
    assert cli("slow-chat", "10", *at).out == "A line of chat every 10 seconds.\n"
    assert cli("slow-chat", *at).out == "A line of chat every 10 seconds.\n"
    assert cli("slow-chat", "0", *at).out == "No slow mode.\n"
    assert "open or closed, not 'ajar'" in _line(cli("registration", "ajar", *at).err)
    assert "0 (off) to 3600 seconds" in _line(cli("slow-chat", "4000", *at).err)


@pytest.mark.parametrize("name", NEW)
def test_every_command_explains_itself(name: str) -> None:
    group: Any = get_command(app)
    command = group.commands["admin"].commands[name]
    assert isinstance(group, TyperGroup)
    assert command.epilog.startswith(f"Example: lynxden admin {name}")
    assert len(command.help) > 15
