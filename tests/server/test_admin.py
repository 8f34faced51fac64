"""`lynxden admin`: on both databases, beside a running server, and on databases that were tampered with."""

import io
import json
import os
import random
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lynxden.cli import main
from lynxden.cli.admin import duration, moment
from lynxden.games.errors import OptionsError
from lynxden.records import read_record, verify
from lynxden.server.store import upkeep
from tests.server.clock import ToldClock
from tests.server.kit import Message, Process, Running, play_out, run, serving

DAY = 86_400_000
NOW = 1_800_000_000_000


@dataclass
class Said:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[Message]:
        """What was told to programs."""
        return [json.loads(line) for line in self.out.splitlines()]


Cli = Callable[..., Said]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """The command, from its arguments to its exit code."""
    for name in [name for name in os.environ if name.startswith("LYNXDEN_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "200")

    def call(*arguments: str) -> Said:
        monkeypatch.setattr(sys, "argv", ["lynxden", "admin", *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        told = capsys.readouterr()
        assert isinstance(stopped.value.code, int)
        return Said(stopped.value.code, told.out, told.err)

    return call


@dataclass
class Filled:
    """What the database of a test holds."""

    finished: str
    """A table where a match of two games was played."""
    running: str
    open: str
    ann: str
    ben: str
    hand: list[str]
    """Ann's cards at the running table."""
    games: list[str]
    """The games that were played at the finished table, in order."""


class DrawsUnseen(random.Random):
    """Plays low cards one by one, which are soon snatched, and draws from the deck whenever it may.

    Of 1,000 games against a random player, five had no card drawn unseen; of games played at random, 378.
    """

    def choice(self, legal: Sequence[str]) -> str:  # type: ignore[override]
        for word in ("draw deck", "leave", "discard"):
            if found := [action for action in legal if action.startswith(word)]:
                return found[0]
        plays = [action.split() for action in legal if action.startswith("play")]
        if not plays:
            return super().choice(legal)
        lowest = min(plays, key=lambda play: (len(play), int(play[1].replace("X", "14"))))
        return " ".join(lowest)


async def fill(server: Running) -> Filled:
    """Ann plays a match against Ben's program, and another game; a table waits for players."""
    async with await server.arrive("Ann [bold]") as ann, await server.arrive("Ben") as ben:
        plan = {"seats": [{"kind": "invited"}, {"kind": "bot", "bot": "random"}], "speed": "instant"}
        finished = await ann.post("/api/tables", {**plan, "rounds": 1})
        await ann.connect()
        table = await ann.watch(finished["id"])
        await play_out(ann, table, DrawsUnseen(1))
        await ann.send({"type": "say", "table": finished["id"], "text": "well, well"})
        await ann.next("chat")
        await ann.send({"type": "ready", "table": finished["id"]})
        dealt = await ann.happened("dealt")
        table = {"info": table["info"], "number": dealt["what"]["number"], "game": dealt["game"]}
        await play_out(ann, table, DrawsUnseen(2))
        seats = [{"kind": "invited"}, {"kind": "invited"}]
        running = await ann.post("/api/tables", {"seats": seats})
        await ben.post(f"/api/tables/{running['id']}/join", {"invite": running["invite"]})
        shown = await ann.get(f"/api/tables/{running['id']}")
        waiting = await ben.post("/api/tables", {"game": "blocco", "public": True})
        second, first = await ann.get("/api/me/games")
        record = await ann.get(f"/api/records/{first['id']}")
        await ben.post("/api/records", record)
        return Filled(
            finished["id"],
            running["id"],
            waiting["id"],
            ann.id,
            ben.id,
            shown["game"]["own"]["hand"],
            [first["id"], second["id"]],
        )


def where(url: str) -> list[str]:
    """The flags that name a database."""
    return (
        ["--data", str(Path(url.removeprefix("sqlite:///")).parent)]
        if "sqlite" in url
        else ["--database", url]
    )


@pytest.fixture
def place(database_url: str) -> str:
    """The address of an empty database; in a file it has the name that the server gives it."""
    return database_url.replace("lynxden.db", "lynxden.sqlite3")


async def _filled(url: str, **more: Any) -> Filled:
    async with serving(url, **more) as server:
        return await fill(server)


def test_everything_on_both_databases(place: str, cli: Cli, tmp_path: Path) -> None:
    found = run(_filled(place))
    at = where(place)

    # Lists
    rows = cli("tables", *at, "--json").lines
    assert {row["id"]: row["phase"] for row in rows} == {
        found.finished: "over",
        found.running: "running",
        found.open: "open",
    }
    shown = cli("tables", *at, "--phase", "running")
    assert found.running in shown.out
    assert found.open not in shown.out
    assert "Ann [bold]" in shown.out, "names are not taken for markup"
    people = {each["name"]: each for each in cli("guests", *at, "--json").lines}
    assert people["Ann [bold]"]["games"] == 2
    assert [each["name"] for each in cli("guests", *at, "--name", "BE", "--json").lines] == ["Ben"]
    assert cli("guests", *at, "--name", "%", "--json").lines == []
    assert found.ben in cli("guests", *at).out
    games = cli("games", *at, "--json").lines
    assert [each["table"] for each in games] == [None, found.finished, found.finished]
    assert "imported" in cli("games", *at, "--game", "linko").out
    assert cli("games", *at, "--game", "blocco", "--json").lines == []
    assert len(cli("games", *at, "--since", "1h", "--limit", "1", "--json").lines) == 1

    # Export
    file = tmp_path / "games.jsonl"
    said = cli("export", str(file), *at, "--game", "linko", "--edition", "classic", "--since", "1d")
    assert (said.code, said.out) == (0, f"3 records were written to {file}.\n")
    records = [read_record(line) for line in file.read_bytes().splitlines()]
    assert all(verify(record) > 10 for record in records)
    assert [record.extra["id"] for record in records][:2] == found.games
    assert cli("export", "-", *at).out == file.read_text(encoding="utf-8")

    # All is well, also after somebody was forgotten
    assert cli("check", *at).out == "3 tables, 3 finished games, no problems\n"
    said = cli("forget", found.ben, "--yes", *at)
    assert (said.code, said.out) == (0, f"Ben ({found.ben}) was forgotten.\n")
    assert [each["name"] for each in cli("guests", *at, "--json").lines] == ["Ann [bold]"]
    phases = {row["id"]: row["phase"] for row in cli("tables", *at, "--json").lines}
    assert phases[found.open] == "closed", "the host left"
    assert "Ben (seat 1) left for good" in cli("table", found.running, *at).out
    assert cli("check", *at).out == "3 tables, 3 finished games, no problems\n"

    # Clearing up
    assert cli("delete-tables", "--older", "1d", "--yes", *at).out.startswith("0 tables")
    assert cli("delete-guests", "--idle", "1d", "--yes", *at).out.startswith("0 guests")


def test_old_things_are_deleted(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a server whose clock is far behind, everything is old."""
    place = f"sqlite:///{tmp_path / 'lynxden.sqlite3'}"
    now = iter(range(NOW - 100 * DAY, NOW))
    found = run(_filled(place, clock=ToldClock(lambda: next(now))))
    at = where(place)
    with closing(sqlite3.connect(tmp_path / "lynxden.sqlite3")) as db, db:
        db.execute("UPDATE guests SET seen_at = 0")
        db.execute("UPDATE tables SET updated_at = 0 WHERE state = 'over'")

    said = cli("delete-tables", "--older", "30d", "--dry-run", *at)
    assert said.out == "1 table over or closed, and unchanged for 30d. Nothing was changed.\n"
    for answer in ("", "n\n"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
        said = cli("delete-tables", "--older", "30d", *at)
        assert (said.code, said.out.strip()) == (130, "")
        assert "Delete 1 table with logs and chat, for good?" in said.err
    assert len(cli("tables", *at, "--json").lines) == 3
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert cli("delete-tables", "--older", "30d", *at).out.strip() == "1 table deleted."
    assert found.finished not in cli("tables", *at).out
    assert len(cli("games", *at, "--json").lines) == 3, "finished games stay"

    # Ann and Ben sit at tables in use
    assert cli("delete-guests", "--idle", "90d", "--yes", *at).out == "0 guests not seen for 90d.\n"
    with closing(sqlite3.connect(tmp_path / "lynxden.sqlite3")) as db, db:
        db.execute("UPDATE tables SET state = 'over'")
    assert cli("delete-guests", "--idle", "90d", "--dry-run", *at).out.startswith("2 guests")
    assert cli("delete-guests", "--idle", "90d", "--yes", *at).out == "2 guests forgotten.\n"
    assert cli("guests", *at, "--json").lines == []


def test_a_table_is_told_without_hidden_cards(tmp_path: Path, cli: Cli) -> None:
    place = f"sqlite:///{tmp_path / 'lynxden.sqlite3'}"
    found = run(_filled(place))
    at = where(place)
    hand = _spaced(found.hand)

    said = cli("table", found.running, *at)
    for words in ("Linko classic, running", "private, open to spectators, no clock", "game 1 of 1"):
        assert words in said.out
    assert "Ben took seat 1." in said.out
    assert hand not in said.out
    assert "13 unknown" in said.out
    refused = cli("table", found.running, "--cards", *at)
    assert (refused.code, refused.out) == (2, "")
    assert "hidden cards are shown when it is over" in " ".join(refused.err.split())
    for json_ in ([], ["--json"]):
        assert hand not in cli("table", found.running, "--cards", *json_, *at).err

    closed = cli("table", found.finished, "--json", *at)
    assert "draws a card from the deck" in closed.out
    assert '"deal"' not in closed.out
    opened = cli("table", found.finished, "--json", "--cards", *at)
    assert "draws a card from the deck" not in opened.out
    assert [line["number"] for line in opened.lines] == list(range(1, len(opened.lines) + 1))
    assert opened.lines[0]["kind"] == opened.lines[0]["entry"]["kind"] == "created"
    assert "well, well" not in closed.out
    assert "Ann [bold]: well, well" in cli("table", found.finished, "--chat", *at).out


def _spaced(cards: list[str]) -> str:
    """Cards as pictures of the table show them."""
    text = cards[0]
    for before, card in pairwise(cards):
        text += f" {card}" if card == before else f"  {card}"
    return text


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE tables SET last = last + 1 WHERE state = 'over'", "last is"),
        ("UPDATE tables SET state = 'open' WHERE state = 'over'", "state is 'open', but the log says 'over'"),
        ("UPDATE tables SET summary = replace(summary, 'random', 'greedy')", "the summary for lists is not"),
        ("UPDATE tables SET seats = '[null,null]' WHERE state = 'running'", "seats is (None, None)"),
        ("DELETE FROM entries WHERE number = 2", "entry 2 of the log is missing"),
        ("DELETE FROM entries", "the log is empty"),
        ("UPDATE entries SET body = '{}' WHERE number = 3", "entry 3: "),
        ("UPDATE entries SET body = replace(body, 'play', 'draw') WHERE number = 5", "entry 5: "),
        ("DELETE FROM games WHERE round = 2", "was finished, but its record is missing"),
        (
            "UPDATE games SET record = replace(record, 'Ann', 'Eve') WHERE round = 2",
            "is not what the log says",
        ),
        ("UPDATE games SET record = replace(record, '\"play', '\"draw')", "decision 1: "),
        ("UPDATE games SET record = 'junk'", "not JSON"),
        ("UPDATE games SET edition = 'basic'", "another game or edition"),
        ("UPDATE players SET score = score + 1", "points are not those of the record"),
        ("UPDATE players SET won = 1 - won", "winners are not those of the record"),
        ("UPDATE games SET round = 7 WHERE round = 2", "the result of game"),
    ],
)
def test_check_finds(statement: str, problem: str, cli: Cli, tmp_path: Path, filled: Path) -> None:
    copy = tmp_path / "lynxden.sqlite3"
    copy.write_bytes(filled.read_bytes())
    with closing(sqlite3.connect(copy)) as db, db:
        assert db.execute(statement).rowcount > 0
    said = cli("check", "--data", str(tmp_path))
    assert said.code == 1
    assert problem in said.out
    assert "problem" in said.out.splitlines()[-1]
    told = cli("check", "--data", str(tmp_path), "--json")
    assert told.code == 1
    assert any(problem in each["what"] for each in told.lines)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with something in it, in one file."""
    file = tmp_path_factory.mktemp("filled") / "lynxden.sqlite3"
    run(_filled(f"sqlite:///{file}"))
    return file


def test_beside_a_running_server(tmp_path: Path, cli: Cli) -> None:
    """Lists, a backup, and somebody forgotten, while people play; the server notices what was written."""
    at = ["--data", str(tmp_path)]

    async def before(url: str) -> Filled:
        return await fill(Running(None, url))  # type: ignore[arg-type]

    async def after(url: str, found: Filled) -> None:
        async with await Running(None, url).arrive("Cleo") as cleo:  # type: ignore[arg-type]
            assert (await cleo.ask("GET", f"/api/players/{found.ben}")).status_code == 404
            assert (await cleo.ask("GET", f"/api/players/{found.ann}")).status_code == 200

    with Process(*at) as server:
        found = run(before(server.url))
        assert found.running in cli("tables", *at).out
        copy = tmp_path / "copy" / "lynxden.sqlite3"
        copy.parent.mkdir()
        said = cli("backup", str(copy), *at)
        assert said.out.startswith(f"The database was copied to {copy} (")
        assert (
            cli("backup", str(copy), *at).err
            == f"lynxden: {copy} exists already; a backup overwrites nothing\n"
        )
        assert cli("forget", found.ben, "--dry-run", *at).out.endswith("Nothing was changed.\n")
        assert cli("forget", found.ben, "--yes", *at).code == 0
        run(after(server.url, found))
        server.stop()
    assert cli("check", *at).code == 0
    restored = ["--data", str(copy.parent)]
    assert cli("check", *restored).out == "3 tables, 3 finished games, no problems\n"
    with Process(*restored) as again:
        again.stop()


def test_a_deleted_table_is_gone_for_a_server_that_has_it_in_memory(tmp_path: Path) -> None:
    """It refuses what is wanted there, and does not try for ever."""

    async def test() -> None:
        file = tmp_path / "lynxden.sqlite3"
        async with serving(f"sqlite:///{file}") as server, await server.arrive("Ann") as ann:
            table = await ann.post("/api/play", {"players": 2, "speed": "instant"})
            await ann.connect()
            await play_out(ann, await ann.watch(table["id"]), random.Random(1))
            with closing(sqlite3.connect(file)) as db, db:
                db.execute("PRAGMA foreign_keys = ON")
                db.execute("DELETE FROM tables")
            answer = await ann.ask("POST", f"/api/tables/{table['id']}/rematch")
            assert answer.status_code == 404
            assert answer.json()["code"] == "not-found"

    run(test())


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["tables", "--data", "nowhere"], "there is no database nowhere/lynxden.sqlite3: say with --data"),
        (["check", "--database", "postgresql://lynxden@127.0.0.1:1/x"], "cannot be reached"),
        (["check", "--database", "mysql://x"], "databases are sqlite:///PATH or postgresql://…"),
        (["tables", "--phase", "late"], "a phase is open, running, over or closed, not 'late'"),
        (["table"], "Missing argument"),
        (["table", "nothing"], "there is no table nothing"),
        (["forget", "nobody", "--yes"], "there is no guest nobody"),
        (["games", "--game", "poker"], "there is no game 'poker'"),
        (["games", "--game", "linko", "--edition", "blitz"], "no edition 'blitz'"),
        (["games", "--since", "yesterday"], "--since is a day such as 2026-01-31"),
        (["delete-guests", "--yes"], "--idle"),
        (["delete-guests", "--idle", "soon"], "such as 90d, not 'soon'"),
        (["delete-tables", "--older", "3 years"], "such as 90d, not '3 years'"),
        (["export", "/nowhere/games.jsonl"], "cannot write /nowhere/games.jsonl"),
        (["backup", "/nowhere/copy"], "there is no folder /nowhere"),
        (["nonsense"], "No such command 'nonsense'"),
    ],
)
def test_wrong_is_one_sentence(
    arguments: list[str], complaint: str, cli: Cli, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LYNXDEN_DATA", str(filled.parent))  # as for `lynxden serve`
    said = cli(*arguments)
    assert said.code == 2
    assert said.err.startswith("lynxden: ")
    assert len(said.err.splitlines()) == 1
    assert complaint in said.err
    assert said.out == ""
    assert not Path("nowhere").exists()


def test_what_is_no_database_stays_as_it_is(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "lynxden.sqlite3"
    at = ["--data", str(tmp_path)]
    file.write_bytes(b"")
    assert "this database is empty" in cli("tables", *at).err
    assert file.read_bytes() == b""
    file.write_bytes(b"a text that is long enough to be taken for a database" * 100)
    assert "cannot be read" in cli("tables", *at).err
    file.unlink()
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("CREATE TABLE migrations (name TEXT)")
        db.execute("INSERT INTO migrations VALUES ('9999 later')")
    assert "newer version" in cli("tables", *at).err
    monkeypatch.setattr(upkeep, "MIGRATIONS", [("9999 later", []), ("9999 latest", [])])
    assert "older version" in cli("tables", *at).err


def test_postgresql_is_asked_to_make_its_own_backup(place: str, cli: Cli) -> None:
    if "sqlite" in place:
        assert "there is no database" in cli("backup", "copy", *where(place)).err
        return
    assert "this database is empty" in cli("tables", *where(place)).err

    async def once() -> None:
        async with serving(place):
            pass

    run(once())
    said = cli("backup", "lynxden.dump", *where(place))
    assert said.code == 2
    assert "pg_dump --format=custom --file=lynxden.dump" in said.err


def test_times_as_people_write_them() -> None:
    assert duration("90d") == 90 * DAY
    assert duration("2 w") == 14 * DAY
    assert duration("36h") == duration("2160m") == 1.5 * DAY
    assert moment("") == 0
    assert moment("2026-01-31T00:00:00+00:00") == 1_769_817_600_000
    assert moment("1d") < moment("1h")
    with pytest.raises(OptionsError, match="--since"):
        moment("31.1.")


def test_help_has_examples(cli: Cli) -> None:
    shown = cli()
    assert shown.code == 0
    commands = ("tables", "table", "guests", "games", "export", "backup", "delete-guests", "delete-tables")
    for command in (*commands, "forget", "check"):
        assert command in shown.out
        assert f"Example: lynxden admin {command}" in cli(command, "--help").out
