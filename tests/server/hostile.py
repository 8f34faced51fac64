"""What tests of the socket under attack share: a duel, bare frames, and looking whether all is well."""

from __future__ import annotations

import asyncio
import logging
import socket
from contextlib import suppress
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from tests.server.kit import SECONDS, Client, Message, Running

OPEN, INVITED = {"kind": "open"}, {"kind": "invited"}


async def duel(server: Running, **options: Any) -> tuple[Client, Client, str, str]:
    """Two people at a public table, both watching, the one to decide first; the table's id and its secret."""
    ann, ben = await server.arrive("Ann"), await server.arrive("Ben")
    made = await ann.post(
        "/api/tables", {"seats": [OPEN, OPEN], "public": True, "speed": "instant", **options}
    )
    await ben.post(f"/api/tables/{made['id']}/join", {"invite": made["invite"]})
    for person in (ann, ben):
        await person.connect()
    shown = await ann.watch(made["id"])
    await ben.watch(made["id"])
    while not all(place.servers for place in server.live.tables.loaded[made["id"]].state.seats):
        await asyncio.sleep(0.01)  # that they came is written after they are answered
    first, second = (ann, ben) if shown["game"]["own"]["legal"] else (ben, ann)
    return first, second, made["id"], made["invite"]


async def look(client: Client, table: str) -> tuple[list[str], int]:
    """What a client may do at a table, and the last event."""
    shown: Message = await client.get(f"/api/tables/{table}")
    return shown["game"]["own"]["legal"], shown["number"]


async def enter(client: Client, table: str) -> Message:
    """Watch a table from now on: what was told of it before is forgotten."""
    shown = await client.watch(table)
    client._waiting = [
        message
        for message in client._waiting
        if message["type"] != "happened" or message["what"]["number"] > shown["number"]
    ]
    return shown


async def still_lives(client: Client) -> None:
    await client.send({"type": "ping"})
    await client.next("pong")


async def code_of_close(client: Client) -> int | None:
    """The code with which the server closes a client's socket."""
    assert client.socket is not None
    with suppress(ConnectionClosed):
        while True:
            await asyncio.wait_for(client.socket.recv(), SECONDS)
    return client.socket.close_code


def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Nothing went wrong inside the server."""
    bad = [record for record in caplog.records if record.levelno >= logging.ERROR or record.exc_info]
    assert not bad, [(record.name, record.getMessage(), record.exc_text) for record in bad]


class Bare:
    """A client that sends whatever frames it likes, and reads only when told to."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.reader: asyncio.StreamReader
        self.writer: asyncio.StreamWriter

    async def open(self, receive_buffer: int = 0) -> Bare:
        place = self._client.url.removeprefix("http://")
        host, _, port = place.partition(":")
        made = socket.socket()
        if receive_buffer:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        made.setblocking(False)
        await asyncio.get_running_loop().sock_connect(made, (host, int(port)))
        self.reader, self.writer = await asyncio.open_connection(sock=made, limit=1024)
        self.writer.write(
            f"GET /api/socket HTTP/1.1\r\nHost: {place}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            f"Cookie: lynxden={self._client.http.cookies['lynxden']}\r\n\r\n".encode()
        )
        assert b" 101 " in await self.reader.readuntil(b"\r\n\r\n")
        return self

    def frame(self, opcode: Opcode, data: bytes = b"", fin: bool = True) -> None:
        self.writer.write(Frame(opcode, data, fin).serialize(mask=True))

    async def closed(self, code: int) -> None:
        """Wait until the server says why it closes."""
        found = b""
        while not closes_with(found, code):
            data = await asyncio.wait_for(self.reader.read(65536), SECONDS)
            assert data, found
            found += data

    async def rest(self) -> bytes:
        """Everything until the server lets go."""
        found = b""
        with suppress(ConnectionError):
            while data := await asyncio.wait_for(self.reader.read(65536), SECONDS):
                found += data
        return found

    async def close(self) -> None:
        self.writer.close()
        with suppress(ConnectionError):
            await self.writer.wait_closed()


def closes_with(data: bytes, code: int) -> bool:
    """Whether what a server sent ends with a close frame of a code."""
    return b"\x88" in data and code.to_bytes(2) in data[data.rindex(b"\x88") :]
