"""How much of anything one person, connection or address may ask for: each limit, and life without it."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from lynxden.server.http.guard import address
from lynxden.server.limits import Bucket, Buckets
from lynxden.server.live import connection, identity
from lynxden.server.protocol import CHAT_LENGTH
from tests.server.clock import FakeClock
from tests.server.kit import SECONDS, Client, Message, Running, free_data, run, serving

# --- The bucket -----------------------------------------------------------------------------------------


def test_a_bucket_gives_a_few_at_once_and_so_many_over_time() -> None:
    async def story() -> None:
        clock = FakeClock()
        bucket = Bucket(2.0, 5, clock.monotonic)
        assert [bucket.take() for _ in range(7)] == [True] * 5 + [False] * 2
        await clock.advance(0.5)
        assert [bucket.take() for _ in range(2)] == [True, False]
        await clock.advance(1e9)
        assert sum(bucket.take() for _ in range(100)) == 5, "it never holds more than its burst"
        for _ in range(1000):  # refused attempts cost nothing
            bucket.take()
        await clock.advance(0.5)
        assert bucket.take()

    run(story())


def test_buckets_keep_the_keys_of_late_and_no_more() -> None:
    buckets = Buckets(0.001, 1, size=100)
    assert buckets.take("a")
    assert not buckets.take("a")
    for number in range(10_000):
        assert buckets.take(f"b{number}")
        assert not buckets.take("a"), "a key in use is kept"
    assert len(buckets._found) == 100
    free = Buckets(0, 0)
    assert all(free.take("a") for _ in range(1000))
    assert not free._found


@pytest.mark.parametrize(
    ("client", "where"),
    [
        (None, "local"),
        (("10.0.0.1", 1), "10.0.0.1"),
        (("2001:db8:1:2:3:4:5:6", 1), "2001:db8:1:2::/64"),
        (("2001:db8:1:2:ffff::1", 1), "2001:db8:1:2::/64"),
        (("2001:db8:1:3::1", 1), "2001:db8:1:3::/64"),
        (("::1", 1), "::/64"),
        (("::ffff:10.0.0.1", 1), "10.0.0.1"),
        (("not:an:address", 1), "not:an:address"),
        (("", 1), ""),
    ],
)
def test_a_network_of_ipv6_addresses_counts_as_one(client: tuple[str, int] | None, where: str) -> None:
    assert address({"client": client}) == where


# --- Requests and guests --------------------------------------------------------------------------------


async def statuses(http: httpx.AsyncClient, path: str, count: int) -> Counter[int]:
    return Counter([(await http.get(path)).status_code for _ in range(count)])


def test_requests_from_one_address(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path), requests=0.01) as server,
            httpx.AsyncClient(base_url=server.url) as http,
        ):
            assert await statuses(http, "/api/games", 5) == {200: 1, 429: 4}
            answer = await http.post("/api/me", json={})
            assert answer.status_code == 429
            assert int(answer.headers["retry-after"]) >= 1
            assert answer.json()["code"] == "too-much"
            assert (await statuses(http, "/nowhere", 2)) == {429: 2}, "what does not exist is no way around"
            for path in ("/healthz", "/readyz", "/metrics"):
                assert await statuses(http, path, 5) == {200: 5}
        clock = FakeClock()
        async with (
            serving(free_data(tmp_path), clock=clock, requests=4.0) as server,
            httpx.AsyncClient(base_url=server.url) as http,
        ):
            assert await statuses(http, "/api/games", 40) == {200: 20, 429: 20}
            await clock.advance(1)
            assert await statuses(http, "/api/games", 8) == {200: 4, 429: 4}
        async with (
            serving(free_data(tmp_path), requests=0) as server,
            httpx.AsyncClient(base_url=server.url) as http,
        ):
            assert await statuses(http, "/api/games", 200) == {200: 200}

    run(story())


def test_new_guests_from_one_address(tmp_path: Path) -> None:
    async def arrivals(server: Running, count: int, name: str = "Ann") -> Counter[int]:
        found: Counter[int] = Counter()
        for _ in range(count):
            async with httpx.AsyncClient(base_url=server.url) as http:
                answer = await http.post("/api/me", json={"name": name})
                found[answer.status_code] += 1
                if answer.status_code == 429:
                    assert "retry-after" in answer.headers
                    assert "set-cookie" not in answer.headers
        return found

    async def story() -> None:
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock, guests_per_hour=6) as server:
            assert await arrivals(server, 3, "\u200b") == {400: 3}, "who is refused anyway does not count"
            async with await server.arrive() as ann:
                assert await arrivals(server, 4) == {200: 2, 429: 2}
                await clock.advance(599)
                assert await arrivals(server, 1) == {429: 1}
                await clock.advance(1)
                assert await arrivals(server, 2) == {200: 1, 429: 1}
                for _ in range(5):  # who has an identity keeps it
                    assert (await ann.post("/api/me", {}))["id"] == ann.id
        async with serving(free_data(tmp_path), guests_per_hour=0) as server:
            assert await arrivals(server, 10) == {200: 10}

    run(story())


# --- Sockets --------------------------------------------------------------------------------------------


async def open_socket(client: Client) -> ClientConnection:
    headers = {"Cookie": f"lynxden={client.http.cookies['lynxden']}"}
    return await connect(client.url.replace("http", "ws", 1) + "/api/socket", additional_headers=headers)


async def close_code(socket: ClientConnection) -> int | None:
    """The code with which the server closes a socket."""
    with suppress(ConnectionClosed):
        while True:
            await asyncio.wait_for(socket.recv(), SECONDS)
    return socket.close_code


async def is_greeted(client: Client) -> bool:
    async with await open_socket(client) as socket:
        try:
            return '"hello"' in str(await asyncio.wait_for(socket.recv(), SECONDS))
        except ConnectionClosed:
            assert socket.close_code == connection.Close.TOO_MUCH
            return False


def test_sockets_from_one_address(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path), sockets_per_address=3) as server,
            await server.arrive() as ann,
        ):
            sockets = [await open_socket(ann) for _ in range(3)]
            for socket in sockets:
                assert '"hello"' in str(await socket.recv())
            for _ in range(3):
                assert await close_code(await open_socket(ann)) == connection.Close.TOO_MUCH
            assert len(server.live.people.connections) == 3
            await sockets.pop().close()
            while len(server.live.people.connections) > 2:
                await asyncio.sleep(0.01)
            assert await is_greeted(ann)
            for socket in sockets:
                await socket.close()
        async with (
            serving(free_data(tmp_path), sockets_per_address=0) as server,
            await server.arrive() as ann,
        ):
            sockets = [await open_socket(ann) for _ in range(60)]
            for socket in sockets:
                assert '"hello"' in str(await socket.recv())
                await socket.close()

    run(story())


def test_opening_sockets_again_and_again(tmp_path: Path) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with (
            serving(free_data(tmp_path), clock=clock, requests=1.0) as server,
            await server.arrive() as ann,
        ):
            assert [await is_greeted(ann) for _ in range(12)] == [True] * 5 + [False] * 7
            await clock.advance(2)
            assert [await is_greeted(ann) for _ in range(3)] == [True, True, False]
        async with serving(free_data(tmp_path), requests=0) as server, await server.arrive() as ann:
            assert all([await is_greeted(ann) for _ in range(20)])

    run(story())


def test_messages_on_one_connection(tmp_path: Path) -> None:
    async def answers(client: Client, count: int) -> Counter[str]:
        for _ in range(count):
            await client.send({"type": "ping"})
        return Counter([(await client.receive_any_of("pong", "refused"))["type"] for _ in range(count)])

    async def story() -> None:
        clock = FakeClock()
        async with (
            serving(free_data(tmp_path), clock=clock, messages=0.5) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Ben") as ben,
        ):
            await ann.connect()
            await ben.connect()
            assert await answers(ann, 40) == {"pong": 21, "refused": 19}
            await clock.advance(4)
            assert await answers(ann, 4) == {"pong": 2, "refused": 2}
            refused = await ann.refused({"type": "ping"})
            assert refused["code"] == "too-much"
            assert refused["text"] == "at most 0.5 messages a second"
            # Whoever goes on all the same is shown the door, however the messages look.
            assert ann.socket is not None
            with suppress(ConnectionClosed):
                for number in range(300):
                    await ann.send("nonsense" if number % 2 else {"type": "ping"})
            assert await close_code(ann.socket) == connection.Close.TOO_MUCH
            assert await answers(ben, 10) == {"pong": 10}, "others are not touched"
            await ann.connect()
        async with serving(free_data(tmp_path), messages=0) as server, await server.arrive() as ann:
            await ann.connect()
            assert await answers(ann, 400) == {"pong": 400}

    run(story())


def test_a_flood_in_one_piece_is_stopped_as_well(tmp_path: Path) -> None:
    """Thousands of messages at once, before the first answer can be read."""

    async def story() -> None:
        async with serving(free_data(tmp_path), messages=10) as server, await server.arrive() as ann:
            await ann.connect()
            assert ann.socket is not None
            await asyncio.gather(*(ann.send({"type": "ping"}) for _ in range(20_000)), return_exceptions=True)
            assert await close_code(ann.socket) == connection.Close.TOO_MUCH
            assert not server.live.people.connections

    run(story())


def test_tables_that_one_connection_watches(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path), tables_per_guest=0) as server, await server.arrive() as ann:
            await ann.connect()
            tables = [(await ann.post("/api/tables", {}))["id"] for _ in range(connection.MOST_TABLES + 1)]
            for table in tables[:-1]:
                await ann.watch(table)
            refused = await ann.refused({"type": "watch", "table": tables[-1]})
            assert refused["code"] == "too-much"
            await ann.watch(tables[0])  # one of those, again
            await ann.send({"type": "unwatch", "table": tables[0]})
            await ann.watch(tables[-1])

    run(story())


# --- Chat -----------------------------------------------------------------------------------------------


async def say(client: Client, table: str, text: str) -> Message:
    await client.send({"type": "say", "table": table, "text": text})
    return await client.receive_any_of("chat", "refused")


def test_chat_is_slow_and_short(tmp_path: Path) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with (
            serving(free_data(tmp_path), clock=clock, chat=0.1) as server,
            await server.arrive() as ann,
        ):
            table = (await ann.post("/api/tables", {}))["id"]
            await ann.connect()
            await ann.watch(table)
            assert (await say(ann, table, "x" * CHAT_LENGTH))["type"] == "chat"
            too_long = await say(ann, table, "x" * (CHAT_LENGTH + 1))
            assert too_long["code"] == "too-large"
            assert (await say(ann, table, "x" * (4 * CHAT_LENGTH + 1)))["code"] == "malformed"
            assert (await say(ann, table, " x" * CHAT_LENGTH))["code"] == "too-large"
            assert (await say(ann, table, "\u200b" * CHAT_LENGTH + "x"))["line"]["text"] == "x"
            for empty in ("", " ", "\u200b\n"):
                assert (await say(ann, table, empty))["code"] == "options"
            found = [(await say(ann, table, "hello"))["type"] for _ in range(6)]
            assert found == ["chat"] * (connection.CHAT_BURST - 2) + ["refused"] * 3
            # Neither coming back nor phrases are a way around.
            assert ann.socket is not None
            await ann.socket.close()
            await ann.connect()
            await ann.watch(table)
            assert (await say(ann, table, "hello"))["code"] == "too-much"
            await ann.send({"type": "say", "table": table, "phrase": "hello"})
            assert (await ann.next("refused"))["code"] == "too-much"
            await clock.advance(10)
            assert [(await say(ann, table, "hello"))["type"] for _ in range(2)] == ["chat", "refused"]
        async with serving(free_data(tmp_path), chat=0) as server, await server.arrive() as ann:
            table = (await ann.post("/api/tables", {}))["id"]
            await ann.connect()
            await ann.watch(table)
            assert [(await say(ann, table, "hello"))["type"] for _ in range(20)] == ["chat"] * 20

    run(story())


# --- Tables and bots ------------------------------------------------------------------------------------


async def at_once(client: Client, path: str, body: object, count: int) -> Counter[int]:
    """The same request many times at the same moment."""
    answers = await asyncio.gather(*(client.ask("POST", path, body) for _ in range(count)))
    return Counter(answer.status_code for answer in answers)


@pytest.mark.parametrize(("path", "body"), [("/api/tables", {}), ("/api/play", {"speed": "slow"})])
def test_tables_of_one_person(tmp_path: Path, path: str, body: dict[str, Any]) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path), tables_per_guest=3) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Ben") as ben,
        ):
            assert await at_once(ann, path, body, 12) == {201: 3, 429: 9}
            table = (await ben.post("/api/tables", {"public": True}))["id"]
            answer = await ann.ask("POST", f"/api/tables/{table}/join", {})
            assert answer.status_code == 429
            assert answer.json()["code"] == "too-much"
            left = (await ann.get("/api/me/tables"))["tables"][0]["id"]
            await ann.post(f"/api/tables/{left}/leave")
            await ann.post(f"/api/tables/{table}/join", {})
            await ann.post(f"/api/tables/{table}/join", {})  # already there: no further table
            assert await at_once(ann, path, body, 2) == {429: 2}
        async with serving(free_data(tmp_path), tables_per_guest=0) as server, await server.arrive() as ann:
            assert await at_once(ann, path, body, 25) == {201: 25}

    run(story())


def test_joining_many_tables_at_once(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path), tables_per_guest=3) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Ben") as ben,
            await server.arrive("Cid") as cid,
        ):
            tables = [
                (await host.post("/api/tables", {"public": True}))["id"]
                for host in (ben, cid)
                for _ in range(3)
            ]
            answers = await asyncio.gather(
                *(ann.ask("POST", f"/api/tables/{table}/join", {}) for table in tables)
            )
            assert Counter(answer.status_code for answer in answers) == {200: 3, 429: 3}

    run(story())


def test_bots_of_one_person(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            most = identity.BOTS_PER_GUEST
            assert await at_once(ann, "/api/me/bots", {"name": "Robo"}, 3 * most) == {
                201: most,
                429: 2 * most,
            }
            bots = await ann.get("/api/me/bots")
            assert len(bots) == most
            assert (await ann.ask("DELETE", f"/api/me/bots/{bots[0]['id']}")).status_code == 204
            bot = await ann.post("/api/me/bots", {"name": "Robo"})
            async with await Client.arrive(server.url, token=bot["token"]) as program:
                answer = await program.ask("POST", "/api/me/bots", {"name": "Robo's bot"})
                assert answer.json()["code"] == "options", "a bot has no bots"
                answer = await program.ask("POST", "/api/me/link")
                assert answer.json()["code"] == "options", "a bot has no personal link"

    run(story())


def test_many_ids_leave_no_traces_in_memory(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            await ann.connect()
            for number in range(300):
                refused = await ann.refused({"type": "watch", "table": f"x{number}"})
                assert refused["code"] == "not-found"
                await ann.ask("GET", f"/api/tables/y{number}")
            assert not server.live.tables.loaded
            assert not server.live.tables._loading
            assert len(server.live.people._turns) == 0

    run(story())
