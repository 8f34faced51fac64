"""What earlier versions wrote is read, checked, replayed and gone on with. See README.md."""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from lynxden.cli import main
from lynxden.games.core import View
from lynxden.records import Record, read_record, read_records, verify
from tests.server.clock import ToldClock
from tests.server.kit import Client, Message, Running, run, serving
from tests.server.postgres import Postgres, start_postgres
from tests.versions.kit import (
    ELSEWHERE,
    Facts,
    differences,
    expected,
    facts_of_record,
    folders,
    games_at,
    plain,
    read_all,
    restore,
)
from tests.versions.write import write

SLOW = pytest.mark.slow
SQLITE, POSTGRESQL = "sqlite", "postgresql"
both = pytest.mark.parametrize("place", [SQLITE, POSTGRESQL], indirect=True)
either = pytest.mark.parametrize("place", [SQLITE, pytest.param(POSTGRESQL, marks=SLOW)], indirect=True)

PATIENT: dict[str, Any] = {"absence": 1e6, "idle": 1e6, "alone": 1e6, "pause": 1e6, "tables_per_guest": 0}
"""Settings of a server where nobody is replaced and nothing is dealt unless people want it."""


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with start_postgres() as server:
        yield server


@pytest.fixture(params=folders(), ids=lambda folder: folder.name)
def version(request: pytest.FixtureRequest) -> Path:
    """The folder that a version has written."""
    folder: Path = request.param
    return folder


@pytest.fixture
def wanted(version: Path) -> Facts:
    return expected(version)


@pytest.fixture
def place(request: pytest.FixtureRequest, version: Path, tmp_path: Path) -> str:
    """The address of a database as that version left it."""
    if request.param == SQLITE:
        url = f"sqlite:///{tmp_path / 'lynxden.sqlite3'}"  # as a server calls it
    else:
        server: Postgres = request.getfixturevalue("postgres")
        url = server.new_database()
    restore(version, url)
    return url


Cli = Callable[..., str]


@pytest.fixture
def admin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], place: str) -> Cli:
    """`lynxden admin`, which must succeed; what it says."""
    for name in [name for name in os.environ if name.startswith("LYNXDEN_")]:
        monkeypatch.delenv(name)
    path = Path(place.removeprefix("sqlite:///")).parent
    where = ["--database", place] if place.startswith(POSTGRESQL) else ["--data", str(path)]

    def call(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["lynxden", "admin", *arguments, *where])
        with pytest.raises(SystemExit) as stopped:
            main()
        told = capsys.readouterr()
        assert stopped.value.code == 0, told.out + told.err
        return told.out

    return call


# --- Reading --------------------------------------------------------------------------------------------


def same(wanted: Any, found: Any) -> None:
    assert differences(wanted, found) == []


@both
def test_a_reader_finds_everything_that_was_written(place: str, wanted: Facts) -> None:
    found = run(read_all(place))
    for key in found:
        if key in wanted:  # the version knew of it
            assert list(found[key]) == list(wanted[key]), "nothing more, and in the same order"
            same(wanted[key], found[key])
    assert run(read_all(place)) == found, "opening a database twice changes nothing"


@both
def test_an_administrator_finds_nothing_wrong(place: str, wanted: Facts, admin: Cli, tmp_path: Path) -> None:
    run(read_all(place))  # brings the database to this version, as a server does when it starts
    counts = f"{len(wanted['tables'])} tables, {len(wanted['games'])} finished games, no problems"
    assert counts in admin("check")
    for table, facts in wanted["tables"].items():
        told = admin("table", table, "--json").splitlines()
        assert [json.loads(line)["number"] for line in told] == list(range(1, facts["last"] + 1))
    admin("export", str(tmp_path / "games.jsonl"), "--private")
    lines = (tmp_path / "games.jsonl").read_text(encoding="utf-8").splitlines()
    decisions = {json.loads(line)["id"]: verify(read_record(line)) for line in lines}
    assert len(lines) == len(wanted["games"])
    for game, facts in wanted["games"].items():
        assert decisions[facts["extra"].get("id", game)] == facts["decisions"]


def test_every_record_is_read_and_verified(version: Path, wanted: Facts) -> None:
    with (version / "records.jsonl").open("rb") as file:
        records = [record for _, record in read_records(file)]
    assert len(records) == len(wanted["records"])
    for record, facts in zip(records, wanted["records"], strict=True):
        assert isinstance(record, Record), record
        assert verify(record) == facts["decisions"]
        same(facts, plain(facts_of_record(record)))
        assert read_record(record.to_json()) == record


# --- A server -------------------------------------------------------------------------------------------


def moving(now: int) -> Callable[[], int]:
    """A clock that goes on from the moment at which the database was left."""
    start = time.monotonic()
    return lambda: now + int((time.monotonic() - start) * 1000)


class House:
    """A server on an old database, and the people who are known there."""

    def __init__(self, server: Running, wanted: Facts, stack: AsyncExitStack) -> None:
        self.server = server
        self.wanted = wanted
        self._stack = stack
        self._known: dict[str, Client] = {}

    async def known(self, guest: str) -> Client:
        """Somebody who comes back with the token that they were given then."""
        if guest not in self._known:
            client = await Client.arrive(self.server.url, "nobody", self.wanted["tokens"][guest])
            self._known[guest] = await self._stack.enter_async_context(client)
        return self._known[guest]

    async def stranger(self, name: str) -> Client:
        return await self._stack.enter_async_context(await self.server.arrive(name))

    async def played(self, table: str) -> list[str]:
        """The games that were finished at a table."""
        return await games_at(self.server.live.context.store, table)

    async def seated(self, table: str) -> dict[int, Client]:
        """The people of a table who have not left, by seat."""
        places = enumerate(self.wanted["tables"][table]["seats"])
        return {
            number: await self.known(seat["guest"])
            for number, seat in places
            if seat["guest"] in self.wanted["tokens"] and not seat["quit"]
        }


@asynccontextmanager
async def opened(url: str, wanted: Facts, now: Callable[[], int] | None = None) -> AsyncIterator[House]:
    clock = ToldClock(now or moving(wanted["now"]))
    async with serving(url, clock=clock, **PATIENT) as server, AsyncExitStack() as stack:
        yield House(server, wanted, stack)


def tables(wanted: Facts, *phases: str) -> dict[str, Facts]:
    return {key: facts for key, facts in wanted["tables"].items() if facts["phase"] in phases}


async def think_for_ever(bot: str, view: View, seed: int) -> str:
    await asyncio.Event().wait()
    raise AssertionError


@either
def test_people_are_known_again(place: str, wanted: Facts) -> None:
    async def story() -> None:
        async with opened(place, wanted) as house:
            newcomer = await house.stranger("Newcomer")
            banned = {ban["who"] for ban in wanted.get("bans", ())}
            for guest, facts in wanted["guests"].items():
                if guest in banned:
                    token = {"Authorization": f"Bearer {wanted['tokens'][guest]}"}
                    answer = await newcomer.http.get("/api/me", headers=token)
                    assert answer.json()["code"] == "banned"
                    continue
                client = await house.known(guest)
                me = await client.get("/api/me")
                told = {"id": guest, "name": facts["name"], "kind": facts["kind"], "link": facts["link"]}
                same(told, me)
                assert await client.get("/api/me/mutes") == facts["muted"]
                assert [game["id"] for game in await client.get("/api/me/games")] == facts["games"]
                assert {bot["id"] for bot in await client.get("/api/me/bots")} == set(facts["bots"])
                ratings = {
                    f"{each['game']} {each['edition']}": each for each in await client.get("/api/me/ratings")
                }
                assert set(ratings) == set(facts["ratings"])
                same(facts["ratings"], ratings)
            for edition, guests in wanted["ladders"].items():
                rows = await client.get(f"/api/ladder/{edition.replace(' ', '/')}")
                assert [row["id"] for row in rows] == guests
            owner, secret = wanted["link"]["guest"], wanted["link"]["secret"]
            async with await Client.arrive(house.server.url, token=wanted["second_token"]) as other:
                assert other.id == owner, "a second device"
            assert (await newcomer.post("/api/me/claim", {"secret": secret}))["id"] == owner

    run(story())


@either
def test_every_table_is_shown_to_everybody_as_it_was(place: str, wanted: Facts) -> None:
    async def story() -> None:
        begin = min(facts["created_at"] for facts in wanted["tables"].values())
        async with opened(place, wanted, now=lambda: begin) as house:  # nothing falls due but bots
            house.server.live.thinkers.think = think_for_ever  # type: ignore[method-assign]
            spectator = await house.stranger("Spectator")
            for table, facts in wanted["tables"].items():
                path = f"/api/tables/{table}?invite={facts['invite']}"
                for number, person in (await house.seated(table)).items():
                    check_shown(facts, await person.get(path), number)
                answer = await spectator.ask("GET", path)
                if facts["spectators"] or facts["phase"] in ("open", "closed"):
                    check_shown(facts, answer.json(), None)
                else:
                    assert answer.json()["code"] == "no-spectators"
            rows = (await spectator.get("/api/tables"))["tables"]
            assert [row["id"] for row in rows] == wanted["lobby"]

    run(story())


def check_shown(facts: Facts, shown: Message, number: int | None) -> None:
    """A table as somebody sees it; fields that have their default are left out there."""
    info, cards = shown["info"], facts["cards"]
    assert shown.get("seat") == number
    assert shown["number"] >= facts["last"], "whoever was connected is gone"
    for key in (
        "game",
        "edition",
        "phase",
        "public",
        "spectators",
        "rounds",
        "length",
        "speed",
        "clock",
        "host",
    ):
        assert info[key] == facts[key], key
    for key, empty in (
        ("round", 0),
        ("totals", []),
        ("outcomes", []),
        ("winners", []),
        ("rematch", ""),
        ("guide", False),
        ("paused", False),
        ("closed", ""),
        ("closed_text", ""),
        ("evening", []),
    ):
        if key in facts:
            assert info.get(key, empty) == facts[key], key
    for seat, place in zip(info["seats"], facts["seats"], strict=True):
        for key in (
            "kind",
            "name",
            "guest",
            "bot",
            "program",
            "reserved",
            "kept",
            "next_guest",
            "stand_in",
            "quit",
            "ready",
        ):
            if key in place:
                assert (seat.get(key) or None) == (place[key] or None), key
        assert seat.get("next", "") == place.get("next_name", "")
    if cards is None:
        assert "game" not in shown
        return
    same(cards["public"], shown["game"]["public"])
    if number is None:
        assert "own" not in shown["game"]
    else:
        assert info["invite"] == facts["invite"]
        own = shown["game"]["own"]
        assert (own["hand"], own["legal"]) == (cards["hands"][number], cards["legal"][number])
    assert ("finished" in shown["game"]) == (cards["decision"] == "over")


@either
def test_every_finished_game_can_be_replayed(place: str, wanted: Facts) -> None:
    async def story() -> None:
        async with opened(place, wanted) as house:
            stranger = await house.stranger("Anybody")
            for game, facts in wanted["games"].items():
                players = [each["guest"] for each in facts["players"] if each["guest"] in wanted["tokens"]]
                anybody = await house.known(players[0]) if facts.get("private") else stranger
                result = await anybody.get(f"/api/records/{game}/result")
                same([{**player, "guest": player["guest"] or ""} for player in facts["players"]],
                     [{"guest": "", **player} for player in result["players"]])  # fmt: skip
                record = read_record((await anybody.ask("GET", f"/api/records/{game}")).text)
                assert verify(record) == facts["decisions"]
                replay = await anybody.get(f"/api/records/{game}/replay")
                assert len(replay["steps"]) == facts["decisions"] + 1
                assert replay["left_out"] == 0
                assert replay["outcome"] == facts["result"]
                assert [step["action"] for step in replay["steps"][1:]] == list(record.actions)
                points = [sum(part["points"] for part in parts) for parts in replay["breakdown"]]
                assert points == facts["result"]["scores"]

    run(story())


# --- Going on -------------------------------------------------------------------------------------------


def running() -> Iterator[Any]:
    """Every table that runs; the quickest of each game among the quick tests."""
    for folder in folders():
        wanted = expected(folder)
        found = tables(wanted, "running")
        quick = {
            facts["game"]: table
            for table, facts in found.items()
            if facts["speed"] == "instant" and facts["length"] == 1 and not facts["between"]
            if len([seat for seat in facts["seats"] if seat["kind"] == "person"]) == 1
        }
        assert len(quick) == len({facts["game"] for facts in found.values()})
        for table, facts in found.items():
            for kind in (SQLITE, POSTGRESQL):
                marks = [] if kind == SQLITE and table in quick.values() else [SLOW]
                name = f"{folder.name}-{kind}-{facts['game']}, {wanted['about'][table]}"
                yield pytest.param(folder, kind, table, marks=marks, id=name)


@pytest.mark.parametrize(("version", "place", "table"), list(running()), indirect=["version", "place"])
def test_people_play_on_to_the_end(place: str, wanted: Facts, table: str, admin: Cli) -> None:
    facts = wanted["tables"][table]

    async def story() -> None:
        async with opened(place, wanted) as house:
            people = await house.seated(table)
            assert people
            for person in people.values():
                await person.connect()
                await person.watch(table)
            await check_ids(facts, table, people)
            if facts.get("paused"):
                refused = await people[min(people)].act(table, "whatever", facts["last"])
                assert refused["code"] == "paused"
                await (await house.known(facts["host"])).post(f"/api/tables/{table}/continue")
            last = await play_on(table, people)
            assert len(last["info"]["outcomes"]) == facts["length"]
            assert last["info"]["outcomes"][: len(facts["outcomes"])] == facts["outcomes"]
            played = await house.played(table)
            if facts.get("guide"):
                assert played == [], "a guided game is kept nowhere"
                return
            assert len(played) == facts["length"]
            for game, outcome in zip(played, last["info"]["outcomes"], strict=True):
                answer = await people[min(people)].ask("GET", f"/api/records/{game}")
                record = read_record(answer.text)
                assert verify(record) > 0
                assert record.result == outcome

    run(story())
    assert "no problems" in admin("check")


async def check_ids(facts: Facts, table: str, people: dict[int, Client]) -> None:
    """A decision of then, sent again, is answered as it was then."""
    for key, number in list(facts["ids"].items())[-3:]:
        seat, _, name = key.partition(" ")
        if int(seat) in people:
            answer = await people[int(seat)].act(table, "whatever", 0, name)
            assert (answer["type"], answer.get("number")) == ("ack", number)


async def play_on(table: str, people: dict[int, Client]) -> Message:
    """All who are there play random legal actions, game after game; the table when it is over.

    Where somebody has no time left, a bot may be quicker, but not always.
    """
    rng = random.Random(1)
    path = f"/api/tables/{table}"
    ready = acted = 0
    while True:
        shown: Message = await people[min(people)].get(path)
        if shown["info"]["phase"] == "over":
            assert acted
            return shown
        seat = shown["game"]["public"]["seat"]
        if shown["game"].get("finished") and ready < shown["info"]["round"]:
            ready = shown["info"]["round"]
            for person in people.values():
                await person.send({"type": "ready", "table": table})
        elif seat in people:
            own = await people[seat].get(path)
            if own["game"]["own"]["legal"]:
                answer = await people[seat].act(table, rng.choice(own["game"]["own"]["legal"]), own["number"])
                assert answer["type"] == "ack" or answer["code"] in ("stale", "not-running"), answer
                acted += answer["type"] == "ack"
        else:
            await asyncio.sleep(0.01)


@either
def test_open_tables_are_joined_and_started(place: str, wanted: Facts, admin: Cli) -> None:
    async def story() -> None:
        async with opened(place, wanted) as house:
            for table, facts in tables(wanted, "open").items():
                path = f"/api/tables/{table}"
                reserved = [seat["reserved"] for seat in facts["seats"] if seat["reserved"] is not None]
                for guest in reserved:
                    await (await house.known(guest)).post(f"{path}/join", {})
                invited = {"invite": facts["invite"]}
                for guest in facts.get("removed", ()):
                    answer = await (await house.known(guest)).ask("POST", f"{path}/join", invited)
                    assert answer.json()["code"] == "removed"
                host = await house.known(facts["host"])
                places = (await host.get(path))["info"]["seats"]
                free = any(place["kind"] in ("open", "invited") for place in places)
                assert free or reserved, "all seats were kept for people who have come"
                if free:
                    newcomer = await house.stranger("Newcomer")
                    seat = (await newcomer.post(f"{path}/join", invited))["seat"]
                    assert facts["seats"][seat]["kind"] in ("open", "invited")
                if (await host.get(path))["info"]["phase"] == "open":
                    await host.post(f"{path}/start", {})
                info = (await host.get(path))["info"]
                assert info["phase"] == "running"
                assert not free or info["seats"][seat]["name"] == "Newcomer"
                for before, after in zip(facts["seats"], info["seats"], strict=True):
                    assert after["kind"] in ("person", "bot")
                    assert before["name"] in ("", after["name"])

    run(story())
    assert "no problems" in admin("check")


@either
def test_a_rematch_follows_on_a_table_that_is_over(place: str, wanted: Facts, admin: Cli) -> None:
    async def story() -> None:
        async with opened(place, wanted) as house:
            for table, facts in tables(wanted, "over").items():
                people = await house.seated(table)
                made = [await person.post(f"/api/tables/{table}/rematch") for person in people.values()]
                assert len({each["id"] for each in made}) == 1
                new = made[0]["id"]
                assert new == facts["rematch"] or facts["rematch"] == ""
                shown = await people[min(people)].get(f"/api/tables/{new}")
                seats = dict(enumerate(facts["seats"]))
                waiting = {n: seat["next_guest"] for n, seat in seats.items() if seat.get("next_guest")}
                waiting = {n: guest for n, guest in waiting.items() if guest in wanted["tokens"]}
                here = {n for n, seat in seats.items() if seat["kind"] == "bot" or n in people}
                everybody = here - set(waiting) == set(seats)
                assert shown["info"]["phase"] == ("running" if everybody else "open")
                for number, guest in waiting.items():
                    assert shown["info"]["seats"][number]["reserved"] == guest
                for key in ("game", "edition", "clock", "rounds", "speed"):
                    assert shown["info"][key] == facts[key]
                for number in people:
                    assert shown["info"]["seats"][number]["guest"] == facts["seats"][number]["guest"]

    run(story())
    assert "no problems" in admin("check")


@either
def test_what_was_said_is_heard_and_more_is_said(place: str, wanted: Facts) -> None:
    async def story() -> None:
        async with opened(place, wanted) as house:
            for table, lines in wanted["chat"].items():
                people = list((await house.seated(table)).values())
                for person in people:
                    if person.socket is None:
                        await person.connect()
                    muted = set(wanted["guests"][person.id]["muted"])
                    heard = (await person.watch(table)).get("chat", [])
                    assert heard == [line for line in lines if line["guest"] not in muted]
                speaker = people[0]
                await speaker.send({"type": "say", "table": table, "phrase": "well-played"})
                await speaker.send({"type": "say", "table": table, "text": "still here"})
                for person in people:
                    if speaker.id in wanted["guests"][person.id]["muted"]:
                        continue
                    said = [(await person.next("chat"))["line"] for _ in range(2)]
                    assert [line["number"] for line in said] == [len(lines) + 1, len(lines) + 2]
                    assert (said[0]["phrase"], said[1]["text"]) == ("well-played", "still here")
                    assert {line["name"] for line in said} == {wanted["guests"][speaker.id]["name"]}
                for person in people:
                    await person.send({"type": "unwatch", "table": table})

    run(story())


# --- The next folder ------------------------------------------------------------------------------------


@SLOW
def test_this_version_can_be_written_too(tmp_path: Path) -> None:
    folder = tmp_path / "next"
    write(folder)
    url = f"sqlite:///{tmp_path / 'lynxden.sqlite3'}"
    restore(folder, url)
    found = run(read_all(url))
    same({key: expected(folder)[key] for key in found}, found)


@SLOW
def test_what_this_version_writes_will_pass_these_tests(tmp_path: Path) -> None:
    """So that a release need only write its folder."""
    write(tmp_path / "next")
    outer = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    done = subprocess.run(
        [*command, "-k", "next and not postgresql"],
        env={**outer, ELSEWHERE: str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
