"""Clients that open connections and do not use them: half a request, an endless body, hundreds at once."""

from __future__ import annotations

import asyncio
import resource
import time
from pathlib import Path

import pytest
import uvicorn

from lynxden.server import serve
from lynxden.server.http import slow_clients
from lynxden.server.http.slow_clients import Connections
from tests.server.kit import Process, free_data, run, serving

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
REQUEST = b"GET /api/games HTTP/1.1\r\nHost: x\r\n"
BODY = b"POST /api/me HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that waits half a second for a request."""

    def protocol(connections: Connections) -> type[uvicorn.protocols.http.h11_impl.H11Protocol]:  # type: ignore[name-defined]
        return slow_clients.protocol(connections, 0.5)

    monkeypatch.setattr(serve, "protocol", protocol)


async def opened(url: str, data: bytes = b"") -> Streams:
    host, _, port = url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(data)
    await writer.drain()
    return reader, writer


async def ends(streams: Streams, trickle: bytes = b"") -> float:
    """Seconds until the server ends a connection that gets a byte now and then."""
    reader, writer = streams
    began = time.monotonic()
    place = 0
    while time.monotonic() - began < 10:
        try:
            found = await asyncio.wait_for(reader.read(1000), 0.1)
        except TimeoutError:
            if trickle:
                writer.write(trickle[place % len(trickle) :][:1])
                place += 1
            continue
        except ConnectionError:
            break
        if not found:
            break
    writer.close()
    return time.monotonic() - began


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("data", "trickle"), [(b"", b""), (REQUEST, b""), (REQUEST, b"X-A: b\r\n"), (BODY, b""), (BODY, b" ")]
)
def test_requests_that_do_not_end_are_ended(tmp_path: Path, data: bytes, trickle: bytes) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            assert await ends(await opened(server.url, data), trickle) < 3

    run(story())


@pytest.mark.usefixtures("quick")
def test_the_second_request_of_a_connection_is_watched_too(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            reader, writer = await opened(server.url, REQUEST + b"\r\n")
            head = await reader.readuntil(b"\r\n\r\n")
            assert b" 200 " in head
            size = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            await reader.readexactly(size)
            await asyncio.sleep(0.7)  # longer than a request may take: there is none
            writer.write(REQUEST)
            assert await ends((reader, writer), b"X-A: b\r\n") < 3

    run(story())


def test_a_server_that_stops_does_not_wait_for_the_rest_of_a_request(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            held = [await opened(server.url, data) for data in (b"", REQUEST, BODY)]
            await asyncio.sleep(0.2)
            began = time.monotonic()
        assert time.monotonic() - began < 5
        for _, writer in held:
            writer.close()

    run(story())
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


@pytest.mark.usefixtures("quick")
def test_sockets_live_on(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path), connections_per_address=3) as server:
            async with await server.arrive("Ann") as ann:
                await ann.connect()
                await asyncio.sleep(0.8)
                await ann.send({"type": "ping"})
                await ann.next("pong")
                for _ in range(10):  # a socket does not count among requests
                    await ann.get("/api/games")

    run(story())


def test_one_address_has_so_many_connections(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path), connections_per_address=5) as server:
            held = [await opened(server.url, REQUEST) for _ in range(5)]
            assert await ends(await opened(server.url, REQUEST)) < 2
            held[0][1].close()
            await asyncio.sleep(0.1)
            reader, writer = await opened(server.url, REQUEST + b"\r\n")
            assert b" 200 " in await reader.readuntil(b"\r\n")
            for _, other in [*held[1:], (reader, writer)]:
                other.close()

    run(story())


def test_proxies_are_not_counted() -> None:
    found = Connections(1, lambda address: address == "10.0.0.1")
    assert all(found.add("10.0.0.1") for _ in range(100))
    assert found.add("a")
    assert not found.add("a")
    assert found.add("b")
    found.remove("a")
    assert found.add("a")
    assert all(Connections(0, lambda _: False).add("a") for _ in range(100))


def test_a_thousand_half_open_requests_shut_out_nobody(tmp_path: Path) -> None:
    """With few files allowed by default, as on many systems: the server takes as many as it may have."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)

    async def story(url: str) -> None:
        held = [await opened(url, REQUEST) for _ in range(1100)]
        reader, writer = await opened(url, REQUEST + b"\r\n")
        assert b" 200 " in await asyncio.wait_for(reader.readuntil(b"\r\n"), 10)
        for _, other in [*held, (reader, writer)]:
            other.close()

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, most))
    try:
        process = Process("--data", str(tmp_path), LYNXDEN_CONNECTIONS_PER_ADDRESS="0")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    try:
        with process:
            run(story(process.url))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
