"""The socket under attack: frames that are too long or broken, and clients that vanish."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.frames import Opcode

from lynxden.server.serve import MOST_MESSAGE
from tests.server.hostile import Bare, closes_with, code_of_close, duel, look, quiet, still_lives
from tests.server.kit import free_data, run, serving


def test_frames_that_are_too_long_close_the_socket_and_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            first, second, table, _ = await duel(server)
            async with await server.arrive("Mallory") as mallory:
                space = " " * (MOST_MESSAGE - len('{"type":"ping"}'))
                for message in (space + '{"type":"ping"}', (space + '{"type":"ping"}').encode()):
                    await mallory.connect()
                    await mallory.send(message)  # as long as it may be
                    await mallory.next("pong")
                    await mallory.send(b" " + message if isinstance(message, bytes) else " " + message)
                    assert await code_of_close(mallory) == 1009
                await mallory.connect()
                assert mallory.socket is not None
                with suppress(ConnectionClosed):
                    await mallory.socket.send([" " * 1000] * 20)  # in parts
                assert await code_of_close(mallory) == 1009
                await mallory.connect()
                with suppress(ConnectionClosed):
                    await mallory.socket.send("x" * 50_000_000)
                assert await code_of_close(mallory) == 1009
            for person in (first, second):
                await still_lives(person)
            legal, seen = await look(first, table)
            assert (await first.act(table, legal[0], seen))["type"] == "ack"
            await first.close()
            await second.close()

    run(story())
    quiet(caplog)


def test_broken_frames(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            text_, cont, ping = Opcode.TEXT, Opcode.CONT, Opcode.PING
            attacks: list[tuple[int, list[tuple[Opcode, bytes, bool]]]] = [
                (1007, [(text_, b"\xff", True)]),
                (1007, [(text_, b'{"type":', False), (cont, b"\xff", True)]),
                (1002, [(cont, b"x", True)]),
                (1002, [(text_, b"x", False), (text_, b"x", True)]),
                (1002, [(ping, b"x" * 126, True)]),
                (1002, [(Opcode.CLOSE, b"\x00", True)]),
                (1009, [(text_, b"", False), *[(cont, b"", False)] * 10_000]),
                (1009, [(text_, b"x", False), *[(cont, b"x" * 1000, False)] * 10]),
            ]
            for code, frames in attacks:
                bare = await Bare(ann).open()
                for opcode, data, fin in frames:
                    if opcode is ping or opcode is Opcode.CLOSE:
                        length = len(data)  # such a frame cannot be made the regular way
                        head = bytes([0x80 | opcode, 0x80 | min(length, 126)])
                        head += length.to_bytes(2) if length > 125 else b""
                        bare.writer.write(head + b"\0\0\0\0" + data)
                    else:
                        bare.frame(opcode, data, fin)
                assert closes_with(await bare.rest(), code), (code, frames[:3])
                await bare.close()
            bare = await Bare(ann).open()
            bare.writer.write(b"GET / HTTP/1.1\r\n\r\n" * 10)  # unmasked nonsense
            assert closes_with(await bare.rest(), 1002)
            await bare.close()
            while server.live.people.connections:
                await asyncio.sleep(0.01)
            await ann.connect()
            await still_lives(ann)

    run(story())
    quiet(caplog)


def test_clients_that_vanish_leave_no_trace(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            table = (await ann.post("/api/tables", {}))["id"]
            watch = json.dumps({"type": "watch", "table": table}).encode()
            for number in range(40):
                bare = await Bare(ann).open()
                for _ in range(number % 5):
                    bare.frame(Opcode.TEXT, watch)
                if number % 2:
                    bare.writer.transport.abort()
                await bare.close()
            while server.live.context.metrics.sockets._value.get():
                await asyncio.sleep(0.01)
            assert not server.live.people.connections
            assert not server.live.tables.loaded[table].viewers

    run(story())
    quiet(caplog)
