"""Who looks on is told to everybody at a table: once a second at most, and by several servers alike."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lynxden.server.live.audience import SHOWN, WAIT, Crowd
from lynxden.server.store import tables
from tests.server.clock import FakeClock
from tests.server.kit import Client, Message, Running, free_data, run, serving
from tests.server.postgres import Postgres

OPEN = {"kind": "open"}
SLOW: dict[str, Any] = {"beat": 3e6, "lease": 1e7}
"""So that nothing is found out by a heartbeat alone."""


async def table_of(host: Client, **more: Any) -> str:
    """A public table for two that waits for somebody."""
    body = {"edition": "classic", "seats": [OPEN, OPEN], "public": True, "speed": "slow", **more}
    made = await host.post("/api/tables", body)
    return str(made["id"])


async def looking(server: Running, name: str, table: str) -> Client:
    client = await server.arrive(name)
    await client.connect()
    await client.watch(table)
    return client


async def told(clock: FakeClock, client: Client, *names: str) -> Message:
    """Let time pass until somebody is told that these look on."""
    return await heard(clock, client, lambda message: message["names"] == list(names), len(names))


async def heard(clock: FakeClock, client: Client, where: Callable[[Message], bool], count: int) -> Message:
    hearing = asyncio.create_task(client.next("watchers", where))
    while not hearing.done():
        await clock.advance(WAIT)
        await asyncio.sleep(0.001)
    message = await hearing
    assert message["count"] == count
    client._waiting = [each for each in client._waiting if each["type"] != "watchers"]
    return message


async def connected(server: Running, count: int) -> None:
    """Until the server has noticed that so many sockets are left."""
    while len(server.live.people.connections) != count:
        await asyncio.sleep(0.001)


async def rest(clock: FakeClock, client: Client) -> list[Message]:
    """What somebody has been told of spectators by now, after a while."""
    await clock.advance(3 * WAIT)
    await client.send({"type": "ping"})
    await client.next("pong")
    found = [message for message in client._waiting if message["type"] == "watchers"]
    client._waiting = [message for message in client._waiting if message["type"] != "watchers"]
    return found


async def close(*clients: Client) -> None:
    for client in clients:
        await client.close()


def test_everybody_at_a_table_hears_who_looks_on(tmp_path: Path) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock) as server:
            ann = await server.arrive("Ann")
            table = await table_of(ann)
            await ann.connect()
            await ann.watch(table)
            assert await rest(clock, ann) == [], "nobody looks on, and nothing is said"
            eve = await server.arrive("Eve")
            await eve.connect()
            await eve.send({"type": "watch", "table": table})
            assert (await eve.receive())["type"] == "table"
            message = {"type": "watchers", "table": table, "names": ["Eve"], "count": 1}
            assert await eve.receive() == message, "at once, after the table"
            assert await ann.next("watchers") == message
            assert await rest(clock, eve) == [], "and only once"
            dan = await looking(server, "Dan", table)
            for client in (ann, eve, dan):
                await told(clock, client, "Eve", "Dan")
            ann_again = await server.arrive("x")
            ann_again.http.cookies = ann.http.cookies
            await ann_again.connect()  # a player's second socket is no spectator
            await ann_again.watch(table)
            await told(clock, ann_again, "Eve", "Dan")
            assert await rest(clock, ann) == []
            await eve.close()
            await connected(server, 3)
            for client in (ann, dan):
                await told(clock, client, "Dan")
            await dan.send({"type": "unwatch", "table": table})
            await told(clock, ann)
            assert await rest(clock, dan) == [], "whoever does not look on is not told"
            await close(ann, dan, ann_again)

    run(story())


def test_a_person_counts_once_and_by_the_present_name(tmp_path: Path) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock) as server:
            ann = await server.arrive("Ann")
            table = await table_of(ann)
            await ann.connect()
            await ann.watch(table)
            eve = await looking(server, "Eve", table)
            again = Client(server.url, eve.http, eve.me)
            await again.connect()
            await again.watch(table)
            await told(clock, ann, "Eve")
            assert await rest(clock, ann) == []
            assert (await eve.ask("PATCH", "/api/me", {"name": "Eva"})).is_success
            await told(clock, ann, "Eva")
            assert again.socket is not None
            await again.socket.close()
            await connected(server, 2)
            assert await rest(clock, ann) == [], "she still looks on"
            await close(ann, eve)

    run(story())


def test_whoever_sits_down_looks_on_no_longer(tmp_path: Path) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock) as server:
            ann = await server.arrive("Ann")
            table = await table_of(ann)
            await ann.connect()
            await ann.watch(table)
            eve, dan = await looking(server, "Eve", table), await looking(server, "Dan", table)
            await told(clock, ann, "Eve", "Dan")
            await eve.post(f"/api/tables/{table}/join", {})
            await told(clock, ann, "Dan")
            await eve.post(f"/api/tables/{table}/leave")  # for good: a bot plays, and she may look on
            await told(clock, ann, "Eve", "Dan")
            assert (await ann.ask("PUT", f"/api/tables/{table}/spectators", {"open": False})).is_success
            await told(clock, ann)
            await close(ann, eve, dan)

    run(story())


def test_of_many_some_are_named_and_all_are_counted(tmp_path: Path) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock) as server:
            ann = await server.arrive("Ann")
            table = await table_of(ann)
            await ann.connect()
            await ann.watch(table)
            crowd = [await looking(server, f"Eve {number}", table) for number in range(SHOWN + 3)]
            message = await heard(clock, ann, lambda each: each["count"] == SHOWN + 3, SHOWN + 3)
            assert message["names"] == [f"Eve {number}" for number in range(SHOWN)]
            await close(ann, *crowd)

    run(story())


def test_coming_and_going_quickly_makes_few_messages(tmp_path: Path) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock) as server:
            ann = await server.arrive("Ann")
            table = await table_of(ann)
            await ann.connect()
            await ann.watch(table)
            eve = await server.arrive("Eve")
            await eve.connect()
            for _ in range(300):
                await eve.send({"type": "watch", "table": table})
                await eve.send({"type": "unwatch", "table": table})
            await eve.send({"type": "ping"})
            await eve.next("pong")
            messages = await rest(clock, ann)
            assert len(messages) <= 2, "at once, and a second later"
            assert not messages or messages[-1]["names"] == []
            own = [message["type"] for message in eve._waiting]
            assert own.count("watchers") <= own.count("table") == 300, "at most one for each `watch`"
            await close(ann, eve)

    run(story())


def test_spectators_are_in_no_log(tmp_path: Path) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock) as server:
            ann = await server.arrive("Ann")
            table = await table_of(ann)
            await ann.connect()
            await ann.watch(table)
            await ann.happened("came")
            before = await server.live.context.store.read(tables.entries, table, 0)
            eve = await looking(server, "Eve", table)
            await told(clock, ann, "Eve")
            await eve.close()
            await told(clock, ann)
            assert await server.live.context.store.read(tables.entries, table, 0) == before
            await ann.close()

    run(story())


# --- Several servers --------------------------------------------------------------------------------------


def test_servers_tell_each_other_who_looks_on(postgres: Postgres) -> None:
    async def story() -> None:
        clock = FakeClock()
        database = postgres.new_database()
        async with serving(database, clock=clock, **SLOW) as a, serving(database, clock=clock, **SLOW) as b:
            ann = await a.arrive("Ann")
            table = await table_of(ann)
            eve = await looking(a, "Eve", table)
            dan = await looking(b, "Dan", table)  # asks, and is answered
            await told(clock, dan, "Dan", "Eve")
            await told(clock, eve, "Eve", "Dan")
            await ann.connect()
            await ann.watch(table)
            await told(clock, ann, "Eve", "Dan")
            both = await b.arrive("x")
            both.http.cookies = eve.http.cookies
            await both.connect()
            await both.watch(table)
            await told(clock, both, "Dan", "Eve")
            assert await rest(clock, dan) == [], "a person at two servers counts once"
            await both.close()
            await dan.close()
            await told(clock, ann, "Eve")
            await close(ann, eve)

    run(story())


def test_the_spectators_of_a_server_that_stops_are_forgotten(postgres: Postgres) -> None:
    async def story() -> None:
        clock = FakeClock()
        database = postgres.new_database()
        async with serving(database, clock=clock) as a:
            ann = await a.arrive("Ann")
            table = await table_of(ann)
            await ann.connect()
            await ann.watch(table)
            async with serving(database, clock=clock) as b:
                eve = await looking(b, "Eve", table)
                await told(clock, ann, "Eve")
            await told(clock, ann)
            await close(ann, eve)

    run(story())


def test_after_a_silence_servers_ask_anew(postgres: Postgres) -> None:
    async def story() -> None:
        clock = FakeClock()
        database = postgres.new_database()
        async with serving(database, clock=clock, **SLOW) as a, serving(database, clock=clock, **SLOW) as b:
            ann = await a.arrive("Ann")
            table = await table_of(ann)
            await ann.connect()
            await ann.watch(table)
            eve = await looking(b, "Eve", table)
            await told(clock, ann, "Eve")
            found = a.live.tables.loaded[table].audience
            found._elsewhere["gone"] = Crowd(1, {"g": "Somebody"})  # a farewell that was not heard
            a.live.cluster._receive("")
            await told(clock, ann, "Eve")
            assert set(found._elsewhere) == {b.live.context.id}
            a.live.cluster._receive(
                f"{table} watchers other-server nonsense"
            )  # of another version: nothing happens
            assert set(found._elsewhere) == {b.live.context.id}
            await close(ann, eve)

    run(story())
