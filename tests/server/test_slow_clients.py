"""Whoever does not read what is sent is let go, and nobody else notices."""

from __future__ import annotations

import asyncio
import json
import random
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.frames import Frame, Opcode

from lynxden.server import serve
from lynxden.server.http import websocket
from lynxden.server.http.websocket import Wire
from lynxden.server.live import connection
from lynxden.server.live.server import LiveServer
from lynxden.server.settings import Settings
from tests.server import kit
from tests.server.hostile import Bare, duel, enter, quiet
from tests.server.kit import SECONDS, free_data, play_out, run, serving


@pytest.fixture
def wires(monkeypatch: pytest.MonkeyPatch) -> list[Wire]:
    """The lowest layer of every socket of the server, with small buffers in the system below."""
    found: list[Wire] = []
    made, bound = Wire.connection_made, serve.bind

    def connection_made(self: Wire, transport: Any) -> None:
        found.append(self)
        made(self, transport)

    def bind(host: str, port: int) -> socket.socket:
        listener = bound(host, port)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        return listener

    monkeypatch.setattr(Wire, "connection_made", connection_made)
    monkeypatch.setattr(kit, "bind", bind)
    return found


def test_whoever_does_not_read_is_let_go(
    tmp_path: Path, wires: list[Wire], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(websocket, "STALLED", 1.0)

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Mallory") as mallory:
            first, second, table, _ = await duel(server)
            rng = random.Random(1)
            game = asyncio.gather(
                play_out(first, await enter(first, table), rng),
                play_out(second, await enter(second, table), rng),
            )
            bare = await Bare(mallory).open(receive_buffer=4096)
            watch = json.dumps({"type": "watch", "table": table}).encode()
            while not any(each.guest.id == mallory.id for each in server.live.people.connections):
                await asyncio.sleep(0.01)
            lazy = next(each for each in server.live.people.connections if each.guest.id == mallory.id)
            while lazy._close is None:  # asks again and again, and never reads
                bare.frame(Opcode.TEXT, watch)
                await asyncio.sleep(0)
                assert len(lazy._outbox) <= connection.MOST_WAITING
            assert lazy._close == connection.Close.SLOW
            assert not lazy._outbox
            while lazy in server.live.people.connections:
                await asyncio.sleep(0.01)
            assert lazy not in server.live.tables.loaded[table].viewers
            await game  # nobody else noticed anything
            while not wires[-1].disconnected:  # the server lets go of the line itself, too
                await asyncio.sleep(0.01)
            await bare.close()
            await first.close()
            await second.close()

    run(story())
    quiet(caplog)


def test_what_waits_for_a_slow_receiver_is_limited_in_bytes() -> None:
    async def story() -> None:
        live = LiveServer(Settings(messages=0), None)  # type: ignore[arg-type]
        slow = connection.Connection(live.rooms, None, set(), None, None)  # type: ignore[arg-type]
        slow.send(b"x" * 600_000)
        slow.send(b"x" * 600_000)
        assert slow._close is None
        slow.send(b"x")
        assert slow._close == connection.Close.SLOW

    run(story())


def test_what_waits_for_an_address_is_limited() -> None:
    """However many sockets it has. One that has taken everything gets a message all the same."""

    async def story() -> None:
        live, budget = LiveServer(Settings(messages=0), None), connection.Budget()  # type: ignore[arg-type]
        sockets = [
            connection.Connection(live.rooms, None, set(), None, None, "", budget)  # type: ignore[arg-type]
            for _ in range(50)
        ]
        for each in sockets[:-1]:
            for _ in range(3):
                each.send(b"x" * 300_000)
        assert budget.used < connection.MOST_BYTES_PER_ADDRESS + 50 * 300_000
        closed = [each for each in sockets if each._close == connection.Close.SLOW]
        assert len(closed) > 20
        prompt = sockets[-1]
        prompt.send(b"x" * 1000)
        assert prompt._close is None
        for each in sockets:
            each.close(connection.Close.SLOW)
        assert budget.used == 0

    run(story())


def test_answers_to_pings_do_not_pile_up(
    tmp_path: Path, wires: list[Wire], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(websocket, "STALLED", 0.3)

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Mallory") as mallory:
            bare = await Bare(mallory).open(receive_buffer=4096)
            longest = 0
            with suppress(ConnectionError):
                for _ in range(30):
                    bare.writer.write(Frame(Opcode.PING, b"x" * 125).serialize(mask=True) * 1000)
                    await asyncio.wait_for(bare.writer.drain(), SECONDS)
                    longest = max(longest, wires[0].transport.get_write_buffer_size())
            assert 0 < longest < 1_000_000
            while server.live.people.connections:  # it is let go, though it sends all the time
                await asyncio.sleep(0.01)
            await bare.close()

    run(story())
