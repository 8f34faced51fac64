"""Moderation: bans, closed tables, deleted chat, switches, removed people. On both databases."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from lynxden.server import admin, moderation
from lynxden.server.errors import Code, Refusal
from lynxden.server.live.connection import Close
from lynxden.server.settings import Settings
from lynxden.server.store import bans, switches
from lynxden.server.store.core import Store, open_store
from lynxden.server.table.entries import Closed
from tests.server import thinking
from tests.server.answers import check_problem, token
from tests.server.clock import FakeClock
from tests.server.kit import SECONDS, Client, Message, Running, run, serving
from tests.server.postgres import Postgres
from tests.server.test_servers import stored, two

TOKEN = "a-token-of-an-administrator"
KEY = {"Authorization": f"Bearer {TOKEN}"}
QUICK: dict[str, Any] = {"beat": 0.1, "lease": 2.0}
SLOW: dict[str, Any] = {"beat": 30.0, "lease": 100.0}
"""So that nothing is found out by a heartbeat alone."""
OPEN = {"kind": "open"}


async def beside(database: str, work: Callable[[Store], Awaitable[Any]]) -> Any:
    """Do something to the database as `lynxden admin` does, beside the server."""
    store = await open_store(database)
    try:
        return await work(store)
    finally:
        await store.close()


def changing(store: Store) -> moderation.Change:
    return lambda table, command: admin.change(store, Settings(), table, command)


async def ban(
    database: str, guest: str, reason: str = "", until: int | None = None, address: bool = False, now: int = 0
) -> None:
    await beside(
        database,
        lambda store: moderation.ban_guest(store, guest, reason, until, address, now, changing(store)),
    )


async def close_code(socket: Any) -> int:
    """The code with which the server closes a socket."""
    async with asyncio.timeout(SECONDS):
        try:
            while True:
                await socket.recv()
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else 0


async def waiting_table(host: Client, *others: Client) -> Message:
    """A public table that waits for players, with people at it who watch it."""
    made = await host.post("/api/tables", {"seats": [OPEN] * 4, "public": True})
    for each in others:
        await each.post(f"/api/tables/{made['id']}/join", {})
    for each in (host, *others):
        await each.connect()
        await each.watch(made["id"])
    return made


# --- Bans -----------------------------------------------------------------------------------------------


def test_somebody_who_is_banned_is_disconnected_and_refused(database_url: str) -> None:
    async def story() -> None:
        async with serving(database_url, **QUICK) as server, await server.arrive("Ann") as ann:
            ben = await server.arrive("Ben")
            bot = await ben.post("/api/me/bots", {"name": "Robo"})
            made = await waiting_table(ann, ben)
            await ban(database_url, ben.id, reason="insults")
            assert await close_code(ben.socket) == Close.BANNED
            stood = await ann.happened("stood")
            assert [seat.get("name", "") for seat in stood["info"]["seats"]] == ["Ann", "", "", ""]
            answer = await ben.ask("GET", "/api/me")
            check_problem(answer, 403, Code.BANNED)
            assert "insults" in answer.json()["text"]
            assert (answer.json()["reason"], "until" in answer.json()) == ("insults", False)
            check_problem(await ben.ask("POST", "/api/me", {}), 403, Code.BANNED)
            check_problem(await ben.ask("POST", f"/api/tables/{made['id']}/join", {}), 403, Code.BANNED)
            headers = {"Authorization": f"Bearer {bot['token']}"}
            async with httpx.AsyncClient(base_url=server.url, headers=headers) as program:
                check_problem(await program.get("/api/me"), 403, Code.BANNED)
            address = server.url.replace("http", "ws", 1) + "/api/socket"
            async with connect(address, additional_headers={"Cookie": f"lynxden={token(ben)}"}) as again:
                assert await close_code(again) == Close.BANNED
            assert (await ann.get("/api/me"))["name"] == "Ann", "nobody else is"

        async with (
            serving(database_url, **QUICK) as server,  # it outlives the server
            httpx.AsyncClient(base_url=server.url, cookies=ben.http.cookies) as http,
        ):
            check_problem(await http.get("/api/me"), 403, Code.BANNED)
            await beside(database_url, lambda store: moderation.unban(store, ben.id))
            async with asyncio.timeout(SECONDS):
                while (await http.get("/api/me")).status_code != 200:
                    await asyncio.sleep(0.02)
            await ben.close()

    run(story())


def test_a_ban_reaches_other_servers_at_once(postgres: Postgres) -> None:
    async def story() -> None:
        database = postgres.new_database()
        async with two(database, **SLOW, admin_token=TOKEN) as (a, b), await b.arrive("Ben") as ben:
            await ben.connect()
            async with httpx.AsyncClient(base_url=a.url, headers=KEY) as http:
                answer = await http.post("/api/admin/bans/guests", json={"guest": ben.id})
                assert answer.status_code == 204, answer.text
            assert await close_code(ben.socket) == Close.BANNED

    run(story())


def test_a_ban_ends_by_itself(database_url: str) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with serving(database_url, clock=clock) as server, await server.arrive("Ben") as ben:
            await ban(database_url, ben.id, until=clock.now() + 60_000, now=clock.now())
            await clock.advance(3)
            answer = await ben.ask("GET", "/api/me")
            check_problem(answer, 403, Code.BANNED)
            assert "until 2027-01-15" in answer.json()["text"]
            assert answer.json()["until"] == clock.now() + 57_000
            await clock.advance(60)
            await ben.get("/api/me")

    run(story())


def forwarded(server: Running, where: str) -> httpx.AsyncClient:
    """Somebody who comes through a proxy on this machine."""
    return httpx.AsyncClient(base_url=server.url, headers={"X-Forwarded-For": where}, timeout=SECONDS)


def test_the_address_of_somebody_can_be_banned_with_them(database_url: str) -> None:
    async def story() -> None:
        async with (
            serving(database_url, proxies="127.0.0.1", **QUICK) as server,
            forwarded(server, "2001:db8:1:2::7") as ben,
            forwarded(server, "203.0.113.9") as ann,
            forwarded(server, "2001:db8:1:2:ffff::1") as neighbour,
        ):
            me = (await ben.post("/api/me", json={"name": "Ben"})).json()
            assert (await ann.post("/api/me", json={})).status_code == 200
            url = server.url.replace("http", "ws", 1) + "/api/socket"
            headers = {"Cookie": f"lynxden={ben.cookies['lynxden']}", "X-Forwarded-For": "2001:db8:1:2::7"}
            async with connect(url, additional_headers=headers) as socket:
                await socket.recv()
                await ban(database_url, me["id"], address=True)
                assert await close_code(socket) == Close.BANNED

            async def banned() -> set[str]:
                return {each.who for each in await server.live.context.store.read(bans.valid, 0)}

            assert await banned() == {me["id"], "2001:db8:1:2::/64"}
            check_problem(await neighbour.post("/api/me", json={}), 403, Code.BANNED)
            assert (await neighbour.get("/")).status_code != 403, "the page itself is shown"
            headers = {"X-Forwarded-For": "2001:db8:1:2::8"}
            async with connect(url, additional_headers=headers) as socket:
                assert await close_code(socket) == Close.BANNED
            assert (await ann.get("/api/me")).status_code == 200
            ben.headers["X-Forwarded-For"] = "203.0.113.77"  # they move, and are found again
            check_problem(await ben.get("/api/me"), 403, Code.BANNED)
            assert "203.0.113.77" in await banned()

    run(story())


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("203.0.113.7/32", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::/64", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
    ],
)
def test_networks_are_named_as_they_are_counted(text: str, network: str) -> None:
    assert moderation.network(text) == network


@pytest.mark.parametrize("text", ["", "Ann", "203.0.113.0/24", "2001:db8::/32", "127.0.0.1", "::1"])
def test_what_is_no_network_is_not_banned(text: str) -> None:
    with pytest.raises(Refusal) as refusal:
        moderation.network(text)
    assert refusal.value.code is Code.OPTIONS


# --- Removing and closing -------------------------------------------------------------------------------


def test_the_host_removes_somebody_for_good(database_url: str) -> None:
    async def story() -> None:
        async with serving(database_url) as server, await server.arrive("Ann") as ann:
            ben, cyd = await server.arrive("Ben"), await server.arrive("Cyd")
            made = await waiting_table(ann, ben, cyd)
            remove = f"/api/tables/{made['id']}/remove"
            check_problem(await ben.ask("POST", remove, {"guest": cyd.id}), 403, Code.NOT_HOST)
            check_problem(await ann.ask("POST", remove, {"guest": ann.id}), 400, Code.OPTIONS)
            check_problem(await ann.ask("POST", remove, {"guest": "nobody"}), 403, Code.NO_SEAT)
            await ann.post(remove, {"guest": ben.id})
            told = await ben.next("refused")
            assert (told["code"], told["table"]) == ("removed", made["id"])
            for each in (ann, cyd):
                stood = await each.happened("stood")
                assert (stood["what"]["seat"], stood["what"]["by"]) == (1, "host")
                assert stood["info"]["seats"][1] == {"kind": "open"}
            join = await ben.ask("POST", f"/api/tables/{made['id']}/join", {"invite": made["invite"]})
            check_problem(join, 403, Code.REMOVED)
            watch = {"type": "watch", "table": made["id"], "invite": made["invite"]}
            assert (await ben.refused(watch))["code"] == "removed"
            say = {"type": "say", "table": made["id"], "text": "But why?"}
            assert (await ben.refused(say))["code"] == "not-watching"
            await ann.post(remove, {"guest": ben.id})  # once more changes nothing
            await ann.post(f"/api/tables/{made['id']}/start", {})
            check_problem(await ann.ask("POST", remove, {"guest": cyd.id}), 409, Code.NOT_RUNNING)
        async with serving(database_url) as server:  # the log remembers it
            http = httpx.AsyncClient(base_url=server.url, cookies=ben.http.cookies)
            again = Client(server.url, http, ben.me)
            await again.connect()
            assert (await again.refused(watch))["code"] == "removed"
            for each in (ben, cyd, again):
                await each.close()

    run(story())


def test_an_administrator_closes_a_table_and_people_are_told_why(database_url: str) -> None:
    async def story() -> None:
        async with serving(database_url, **QUICK) as server, await server.arrive("Ann") as ann:
            await ann.connect()
            made = await ann.post("/api/play", {"speed": "slow"})
            await ann.watch(made["id"])
            waiting = (await ann.post("/api/tables", {"seats": [OPEN] * 3, "public": True}))["id"]
            await ann.send({"type": "lobby"})
            assert [row["id"] for row in (await ann.next("lobby"))["tables"]] == [waiting]

            async def close(table: str) -> None:
                await beside(
                    database_url,
                    lambda store: moderation.close_table(store, table, " A bad\nname ", 7, changing(store)),
                )

            await close(made["id"])
            told = await ann.happened("closed")
            assert told["what"]["by"] == "admin"
            assert (told["info"]["phase"], told["info"]["closed"]) == ("closed", "admin")
            assert told["info"]["closed_text"] == "A bad name"
            assert isinstance((await stored(database_url, made["id"]))[-1], Closed)
            answer = await ann.act(made["id"], "pass", told["what"]["number"])
            assert answer["code"] == "not-running"
            await close(waiting)
            await ann.next("lobby", lambda message: message["tables"] == [])
            for table, code in ((made["id"], Code.NOT_RUNNING), ("x", Code.NOT_FOUND)):
                with pytest.raises(Refusal) as refusal:
                    await close(table)
                assert refusal.value.code is code

    run(story())


def test_a_bot_that_thinks_does_not_play_on_at_a_closed_table(database_url: str) -> None:
    async def story() -> None:
        async with serving(database_url, admin_token=TOKEN) as server, await server.arrive("Ann") as ann:
            server.live.thinkers.choose = thinking.slow
            await ann.connect()
            made = await ann.post("/api/play", {"speed": "instant", "bots": ["random"]})
            live = await server.live.tables.get(made["id"])
            shown = await ann.watch(made["id"])
            while live.state.deciding == 0:
                legal = shown["game"]["own"]["legal"]
                assert (await ann.act(made["id"], legal[0], live.state.last))["type"] == "ack"
                shown = await ann.happened("acted")
            await asyncio.sleep(0.5)  # the bot has begun to think
            async with httpx.AsyncClient(base_url=server.url, headers=KEY) as http:
                answer = await http.post(f"/api/admin/tables/{made['id']}/close", json={})
                assert answer.status_code == 204, answer.text
            await asyncio.sleep(thinking.SLOW)
            assert isinstance((await stored(database_url, made["id"]))[-1], Closed)

    run(story())


# --- Chat and newcomers -----------------------------------------------------------------------------------


def test_deleted_lines_disappear_from_screens(database_url: str) -> None:
    async def story() -> None:
        async with (
            serving(database_url, **QUICK) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Ben") as ben,
            await server.arrive("Cyd") as cyd,
        ):
            made = await waiting_table(ann, ben)
            for text in ("Hello", "Something bad", "Bye"):
                await ben.send({"type": "say", "table": made["id"], "text": text})
                await ann.next("chat")
            found = await beside(database_url, lambda store: moderation.delete_chat(store, made["id"], [2]))
            assert [line.text for line in found] == ["Something bad"]
            line = (await ann.next("chat"))["line"]
            assert (line["number"], line["removed"], "text" in line) == (2, True, False)
            await cyd.connect()
            shown = (await cyd.watch(made["id"]))["chat"]
            assert [line.get("text") for line in shown] == ["Hello", None, "Bye"]
            await ben.send({"type": "say", "table": made["id"], "text": "Again"})
            assert (await ann.next("chat"))["line"]["number"] == 4, "no number is used twice"
            with pytest.raises(Refusal) as refusal:
                await beside(database_url, lambda store: moderation.delete_chat(store, made["id"], [2]))
            assert refusal.value.code is Code.NOT_FOUND

    run(story())


def test_slow_mode_comes_and_goes_while_servers_run(database_url: str) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with (
            serving(database_url, clock=clock) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Ben") as ben,
        ):
            made = await waiting_table(ann, ben)
            say = {"type": "say", "table": made["id"], "text": "Hello"}

            async def heard(number: int) -> None:
                await ann.next("chat", lambda message: message["line"]["number"] == number)

            for number in range(1, 4):
                await ann.send(say)
                await heard(number)
            await beside(database_url, lambda store: moderation.set_slow_chat(store, 10))
            await clock.advance(3)
            refused = await ann.refused(say)
            assert (refused["code"], refused["table"]) == ("too-much", made["id"])
            assert "every 10 seconds; your next one may come in 7" in refused["text"]
            await ben.send(say)  # it is each person's own
            await heard(4)
            await clock.advance(8)
            await ann.send(say)
            await heard(5)
            await beside(database_url, lambda store: moderation.set_slow_chat(store, 0))
            await clock.advance(3)
            await ann.send(say)
            await heard(6)

    run(story())


@pytest.mark.parametrize("seconds", [-1.0, 3601.0, float("nan"), float("inf")])
def test_slow_mode_has_bounds(seconds: float, database_url: str) -> None:
    with pytest.raises(Refusal):
        run(beside(database_url, lambda store: moderation.set_slow_chat(store, seconds)))


def test_registration_is_closed_and_opened(database_url: str) -> None:
    async def story() -> None:
        async with serving(database_url, **QUICK) as server, await server.arrive("Ann") as ann:
            await beside(database_url, lambda store: store.write(switches.set_registration, False))
            async with httpx.AsyncClient(base_url=server.url) as new, asyncio.timeout(SECONDS):
                while (answer := await new.post("/api/me", json={})).status_code == 200:
                    new.cookies.clear()
                    await asyncio.sleep(0.02)
                check_problem(answer, 403, Code.NO_NEWCOMERS)
            assert (await ann.post("/api/me", {}))["id"] == ann.id
            await ann.post("/api/play", {})
            await ann.connect()
            await beside(database_url, lambda store: store.write(switches.set_registration, True))
            async with httpx.AsyncClient(base_url=server.url) as new, asyncio.timeout(SECONDS):
                while (await new.post("/api/me", json={})).status_code != 200:
                    await asyncio.sleep(0.02)

    run(story())
