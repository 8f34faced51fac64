"""What goes wrong for long: databases that do not answer, messages that are lost, tables without people."""

from __future__ import annotations

import asyncio
import logging
import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from websockets.exceptions import ConnectionClosed

from lynxden.server import admin, serve
from lynxden.server.errors import Code, Refusal
from lynxden.server.live.jobs import JobTimeout
from lynxden.server.live.server import LiveServer
from lynxden.server.live.troubles import LONGEST, QUIET, Backoff, Troubles
from lynxden.server.live.worker import WorkerLost
from lynxden.server.settings import Settings
from lynxden.server.store import guests, servers, tables
from lynxden.server.store.core import StoreUnavailable, open_store
from lynxden.server.table import commands
from tests.server.clock import FakeClock
from tests.server.kit import Client, Message, Running, free_data, run, serving
from tests.server.postgres import Postgres

BOTS = {"game": "linko", "edition": "basic", "players": 3, "speed": "instant"}


def test_waits_grow_and_differ() -> None:
    random.seed(1)
    backoff = Backoff()
    waits = [backoff.failed() for _ in range(20)]
    assert 0.5 <= waits[0] <= 1
    assert all(wait <= LONGEST for wait in waits)
    assert min(waits[8:]) >= LONGEST / 2
    assert len(set(waits[8:])) == 12, "servers do not all try at the same moment"
    backoff.succeeded()
    assert backoff.failed() <= 1


def test_the_same_error_is_logged_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    clock = FakeClock()
    troubles = Troubles(logging.getLogger("test"), clock)
    with caplog.at_level(logging.INFO, "test"):
        for _ in range(1000):
            troubles.note("a table's timer failed", StoreUnavailable("the disk is full"), table="t")
        troubles.note("a table's timer failed", ValueError("something else"))
        clock._passed += int((QUIET + 1) * 1e6)
        troubles.note("a table's timer failed", StoreUnavailable("the disk is full"))
    assert [record.levelname for record in caplog.records] == ["WARNING", "ERROR", "WARNING"]
    assert caplog.records[2].getMessage().endswith("(and 999 times more since the last line)")
    assert caplog.records[0].exc_info is None
    assert caplog.records[1].exc_info is not None


@pytest.mark.parametrize(
    ("error", "level"),
    [
        (JobTimeout("load", 20), "WARNING"),
        (WorkerLost("the worker ended"), "WARNING"),
        (Refusal(Code.INTERNAL, "the server made a mistake; it has been noted"), "ERROR"),
    ],
)
def test_what_passes_by_itself_is_a_line_without_a_traceback(
    caplog: pytest.LogCaptureFixture, error: Refusal, level: str
) -> None:
    with caplog.at_level(logging.INFO, "test"):
        Troubles(logging.getLogger("test"), FakeClock()).note("a table could not be taken over yet", error)
    assert [record.levelname for record in caplog.records] == [level]
    assert (caplog.records[0].exc_info is None) == (level == "WARNING")


def test_a_database_that_fails_is_not_asked_without_pause(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Tables of bots whose entries cannot be stored: a few attempts a second, a few lines of log."""

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Ann") as ann:
            store = server.live.context.store
            read, write, asked = store.read, store.write, 0

            async def fail(*_: Any, **__: Any) -> Any:
                nonlocal asked
                asked += 1
                raise StoreUnavailable("the disk is full")

            made = [(await ann.post("/api/play", BOTS))["id"] for _ in range(5)]
            for key in made:
                table = server.live.tables.loaded[key]
                await table.change(lambda state: commands.leave(state, ann.id, 0, "greedy")[:1])
            store.read = store.write = fail  # type: ignore[method-assign]
            await asyncio.sleep(3)
            store.read, store.write = read, write  # type: ignore[method-assign]
            assert asked < 60, f"the database was asked {asked} times in three seconds"
            assert len(caplog.records) < 12, f"{len(caplog.records)} lines of log"
            lasts = {key: server.live.tables.loaded[key].state.last for key in made}
            while any(server.live.tables.loaded[key].state.last <= last for key, last in lasts.items()):
                await asyncio.sleep(0.05)  # they go on by themselves

    with caplog.at_level(logging.WARNING, "lynxden.server"):
        run(story())


async def closed(client: Client) -> int:
    """The code with which the server closes a socket."""
    assert client.socket is not None
    with suppress(ConnectionClosed):
        while True:
            await asyncio.wait_for(client.socket.recv(), 20)
    assert client.socket.close_code is not None
    return client.socket.close_code


def test_sign_outs_reach_sockets_though_the_message_was_lost(postgres: Postgres) -> None:
    async def story() -> None:
        url = postgres.new_database()
        async with serving(url, beat=30, lease=100) as a, serving(url, beat=30, lease=100) as b:
            ann = await a.arrive("Ann")
            cookie = ann.http.cookies["lynxden"]
            thief = await Client.arrive(b.url, token=cookie)
            await thief.connect()
            receive = b.live.cluster._receive
            b.live.context.store._listener._callback = lambda _: None  # type: ignore[attr-defined]
            link = await ann.post("/api/me/link")
            fresh = await Client.arrive(a.url)
            secret = link["path"].rpartition("/")[2].rpartition("#")[2]
            assert (await fresh.ask("POST", "/api/me/claim", {"secret": secret})).status_code == 200
            assert (await fresh.ask("DELETE", "/api/me/devices")).status_code == 200
            await asyncio.sleep(0.2)
            assert len(b.live.people.connections) == 1, "the message was lost"
            receive("")  # the connection to the database is back
            assert await closed(thief) == 4401
            for client in (ann, thief, fresh):
                await client.http.aclose()

    run(story())


def test_whoever_an_administrator_forgets_is_disconnected(database_url: str) -> None:
    async def story() -> None:
        async with serving(database_url, beat=0.2, lease=1.0) as server, await server.arrive("Ann") as ann:
            await ann.connect()
            store, settings = server.live.context.store, Settings()
            assert await admin.forget(store, settings, ann.id, server.live.context.now())
            assert await closed(ann) == 4401

    run(story())


def test_mutes_reach_other_servers(postgres: Postgres) -> None:
    async def story() -> None:
        url = postgres.new_database()
        async with serving(url) as a, serving(url) as b:
            ann, ben = await a.arrive("Ann"), await a.arrive("Ben")
            there = await Client.arrive(b.url, token=ann.http.cookies["lynxden"])
            await there.connect()
            (socket,) = b.live.people.connections
            assert (await ann.ask("PUT", f"/api/me/mutes/{ben.id}")).status_code == 204
            while socket.muted != {ben.id}:
                await asyncio.sleep(0.02)
            assert (await ann.ask("DELETE", f"/api/me/mutes/{ben.id}")).status_code == 204
            while socket.muted:
                await asyncio.sleep(0.02)
            for client in (ann, ben, there):
                await client.close()

    run(story())


def test_sessions_and_mutes_of_many_are_read_at_once(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Ann") as ann:
            store = server.live.context.store
            known = [f"digest {number}" for number in range(1200)]
            assert await store.read(guests.last_used, known) == {}
            assert await store.read(guests.mutes_of, [*known, ann.id]) == {}

    run(story())


# --- Tables that everybody has left ---------------------------------------------------------------------


async def phase(server: Running, table: str) -> str:
    row = await server.live.context.store.read(tables.get, table)
    assert row is not None
    return row.state


@pytest.mark.parametrize("rounds", [0, 10])
def test_a_table_stops_when_its_last_person_leaves(tmp_path: Path, rounds: int) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Ann") as ann:
            made: Message = await ann.post("/api/play", {**BOTS, "rounds": rounds})
            assert (await ann.post(f"/api/tables/{made['id']}/leave"))["seat"] is None
            assert await phase(server, made["id"]) == "closed"
            last = server.live.tables.loaded[made["id"]].state.last
            await asyncio.sleep(0.3)
            assert server.live.tables.loaded[made["id"]].state.last == last, "bots play on"

    run(story())


def test_a_match_that_counts_stops_with_the_game(tmp_path: Path) -> None:
    """Bots finish the game for everybody's rating, and play no other."""

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            ann, ben = await server.arrive("Ann"), await server.arrive("Ben")
            body = {"seats": [{"kind": "open"}] * 2, "edition": "classic", "rounds": 5, "speed": "instant"}
            made = await ann.post("/api/tables", body)
            await ben.post(f"/api/tables/{made['id']}/join", {"invite": made["invite"]})
            for person in (ann, ben):
                await person.post(f"/api/tables/{made['id']}/leave")
            while await phase(server, made["id"]) == "running":
                await asyncio.sleep(0.02)
            assert await phase(server, made["id"]) == "closed"
            assert len(await ann.get("/api/me/games")) == 1
            await ann.close()
            await ben.close()

    run(story())


def test_a_table_goes_on_while_somebody_is_there(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            ann, ben = await server.arrive("Ann"), await server.arrive("Ben")
            body = {"seats": [{"kind": "open"}, {"kind": "open"}, {"kind": "bot", "bot": "greedy"}]}
            made = await ann.post("/api/tables", {**body, "edition": "basic", "speed": "instant"})
            await ben.post(f"/api/tables/{made['id']}/join", {"invite": made["invite"]})
            await ann.post(f"/api/tables/{made['id']}/leave")
            assert await phase(server, made["id"]) == "running"
            await ben.post(f"/api/tables/{made['id']}/leave")
            assert await phase(server, made["id"]) == "closed"
            await ann.close()
            await ben.close()

    run(story())


@pytest.mark.slow
def test_a_server_waits_for_a_database_that_goes_away_while_it_starts(
    postgres: Postgres, caplog: pytest.LogCaptureFixture
) -> None:
    """It was there when it was opened; and then it is restarted."""

    async def story() -> None:
        url = postgres.new_database()
        store = await open_store(url)
        live = LiveServer(Settings(database=url), store)
        await asyncio.to_thread(postgres.stop)
        starting = asyncio.create_task(live.start())
        try:
            await asyncio.sleep(1.5)
            assert not starting.done()
        finally:
            await asyncio.to_thread(postgres.start)
        await asyncio.wait_for(starting, 20)
        assert await store.read(servers.alive, 0) == {live.context.id}
        await live.close()

    run(story())
    assert [record.exc_info for record in caplog.records] == [None], "one line, without a traceback"


SERVE = """
import sys
from lynxden.cli import main
from lynxden.server.live import patience
patience.SECONDS = float(sys.argv.pop(1))
main()
"""


def start_without(postgres: Postgres, url: str, seconds: float) -> subprocess.Popen[str]:
    """`lynxden serve` while its database is down, which it waits for so long."""
    postgres.stop()
    return subprocess.Popen(
        [sys.executable, "-c", SERVE, str(seconds), "serve", "--port", "0", "--database", url],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_server_waits_for_a_database_that_starts_later(postgres: Postgres) -> None:
    url = postgres.new_database()
    server = start_without(postgres, url, 60)
    told = []
    try:
        assert server.stderr is not None
        for line in server.stderr:
            told.append(line)
            if "waits for its database" in line:
                break
    finally:
        postgres.start()
    assert server.stdout is not None
    assert "ready" in server.stdout.readline()
    server.terminate()
    _, rest = server.communicate(timeout=20)
    assert server.returncode == 0
    lines = [line for line in (*told, *rest.splitlines()) if "database" in line]
    assert len(lines) == 1, lines
    assert "the server waits for its database, 60 seconds at most: the database cannot be reached" in lines[0]
    assert "Traceback" not in rest


def test_a_server_without_a_database_says_so_and_ends(postgres: Postgres) -> None:
    url = postgres.new_database()
    server = start_without(postgres, url, 2.5)
    try:
        _, told = server.communicate(timeout=60)
    finally:
        postgres.start()
    assert server.returncode not in (0, None)
    assert "Traceback" not in told
    last = told.splitlines()[-1]
    assert last.startswith("lynxden: the database cannot be reached: ")
    assert "the server waited for it for 2.5 seconds" in last
    assert "its address is right (LYNXDEN_DATABASE)" in last


def test_a_server_that_stops_ends_what_waits_for_the_database(
    postgres: Postgres, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sockets and requests that are not answered in the time in which it has to stop: no faults."""
    monkeypatch.setattr(serve, "STOP_SECONDS", 1)

    async def story() -> None:
        url = postgres.new_database()
        db = await psycopg.AsyncConnection.connect(url)
        async with serving(url) as server:
            ann = await server.arrive("Ann")
            await ann.connect()
            made = await ann.post("/api/play", {"bots": ["greedy"]})
            await db.execute("LOCK TABLE entries, guests")  # whoever reads them waits
            await ann.send({"type": "watch", "table": made["id"]})
            asked = asyncio.create_task(ann.ask("GET", "/api/me"))
            await asyncio.sleep(0.3)
            asyncio.get_running_loop().call_later(2.5, lambda: asyncio.ensure_future(db.close()))
        answer = await asked
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        with pytest.raises(ConnectionClosed) as closed:
            await ann.next("table")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012, "come again"
        await ann.close()

    run(story())
    assert "Cancel 2 running task(s), timeout graceful shutdown exceeded" in caplog.messages
    assert [record.message for record in caplog.records if record.exc_info] == []
