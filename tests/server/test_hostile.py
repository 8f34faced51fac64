"""The socket under attack: nonsense, floods, strangers, and people who do what is not theirs to do."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import socket
import string
import unicodedata
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from lynxden.server import protocol, sanitize, serve
from lynxden.server.errors import Code, Refusal
from lynxden.server.http import websocket
from lynxden.server.http.websocket import Wire
from lynxden.server.live import connection
from lynxden.server.live.server import LiveServer
from lynxden.server.serve import MOST_MESSAGE
from lynxden.server.settings import Settings
from lynxden.server.store import chat
from tests.server import kit
from tests.server.kit import (
    SECONDS,
    Client,
    Message,
    Running,
    check_telling,
    free_data,
    play_out,
    run,
    serving,
)
from tests.server.postgres import Postgres

OPEN, INVITED = {"kind": "open"}, {"kind": "invited"}
KINDS = {"hello", "table", "happened", "ack", "refused", "chat", "lobby", "pong", "watchers"}
"""Everything that the server may send."""


STRANGE: list[tuple[str, str, object]] = [
    ("POST", "leave", None),
    ("POST", "start", {}),
    ("POST", "close", None),
    ("POST", "rematch", None),
    ("PUT", "spectators", {"open": True}),
    ("POST", "join", {"seat": 0}),
    ("POST", "join", {"seat": 4}),
]
"""What a stranger could try at a table."""


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


# --- Messages that are none -----------------------------------------------------------------------------

LONG, DIGITS = "x" * 65, "9" * 5000
NONSENSE: list[str | bytes] = [
    "", " ", "x", "null", "true", "5", "-0", '"ping"', "[]", "{}", "[[]]", "[" * 8000, '{"x":' * 1500,
    '{"type":1}', '{"type":null}', '{"type":""}', '{"type":"nonsense"}', '{"type":"Ping"}',
    '{"type":"hello"}', '{"type":"ping"', '{"type":"ping"}}', '{"type":"ping"} x', '{"type":"ping","more":1}',
    '{"Type":"ping"}', '{"type":["ping"]}', "{'type':'ping'}", '\ufeff{"type":"ping"}',
    '{"type":"lobby","on":1}', '{"type":"lobby","on":"yes"}', '{"type":"watch"}',
    '{"type":"watch","table":1}', '{"type":"watch","table":""}', '{"type":"watch","table":null}',
    f'{{"type":"watch","table":"{LONG}"}}',
    '{"type":"watch","table":"\\ud800"}', '{"type":"watch","table":"\\u00"}',
    '{"type":"watch","table":"\x01"}', f'{{"type":"watch","table":"x","invite":"{LONG}"}}',
    '{"type":"act","table":"x","id":"1","seen":1}',
    *(f'{{"type":"watch","table":"x","seen":{seen}}}' for seen in (
        -1, '"1"', 1.5, "true", "NaN", "Infinity", "1e999", 2**53 + 1, 2**64, DIGITS, "-" * 5000, "[]")),
    '{"type":"act","table":"x","id":"","seen":1,"action":"pass"}',
    f'{{"type":"act","table":"x","id":"{LONG}","seen":1,"action":"pass"}}',
    f'{{"type":"act","table":"x","id":"1","seen":1,"action":"{4 * LONG}"}}',
    f'{{"type":"say","table":"x","text":"{20 * LONG}"}}',
    '{"x":' + "[" * 8000, '{"type":"ping","x":' + "[" * 8000, '{"x":' + "[" * 4000 + "]" * 4000 + "}",
    b"\x00", b"\xff\xfe", b'{"type":"watch","table":"\xff"}', b'{"type":"\xc0\xaf"}',
    '{"type":"ping"}'.encode("utf-16"),
]  # fmt: skip


def test_nonsense_is_refused_and_nothing_else_happens(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            await ann.connect()
            for message in NONSENSE:
                refused = await ann.refused(message)
                assert refused["code"] == "malformed", message
                assert len(refused["text"]) < 300
                check_telling(refused["text"])
            await still_lives(ann)
            await ann.send(b'{"type":"ping"}')  # a binary frame with a good message is a message
            await ann.next("pong")

    run(story())
    quiet(caplog)


def test_ids_with_odd_characters(database_url: str, caplog: pytest.LogCaptureFixture) -> None:
    """Databases differ in what texts they can be asked about."""

    async def story() -> None:
        async with serving(database_url) as server, await server.arrive() as ann:
            await ann.connect()
            for odd in (
                "\0",
                "a\0b",
                "\n",
                "' OR 1=1 --",
                "%",
                "_",
                "\\",
                "..",
                "ä",
                "🦊",
                "\u202e",
                "*",
                "* x",
                "lobby",
            ):
                refused = await ann.refused({"type": "watch", "table": odd})
                assert refused["code"] == "not-found"
                for kind in ("unwatch", "back", "ready"):
                    refused = await ann.refused({"type": kind, "table": odd})
                    assert refused["code"] == "not-watching"
                answer = await ann.http.get("/api/me/games", params={"before": odd})
                assert answer.status_code == 404
                answer = await ann.http.post("/api/me/claim", json={"secret": odd})
                assert answer.status_code == 401
            table = (await ann.post("/api/tables", {}))["id"]
            assert (await ann.watch(table, invite="\0\n"))["info"]["id"] == table
            refused = await ann.refused({"type": "say", "table": table, "phrase": "\0"})
            assert refused["code"] == "options"
            await ann.send({"type": "say", "table": table, "text": "a\0b\nc"})
            assert (await ann.next("chat"))["line"]["text"] == "a b c"

    run(story())
    quiet(caplog)


def test_action_ids_may_be_anything(database_url: str) -> None:
    async def story() -> None:
        async with serving(database_url) as server:
            first, second, table, _ = await duel(server)
            legal, seen = await look(first, table)
            odd = "\0\n'\"\\🦊\u202e"
            answer = await first.act(table, legal[0], seen, odd)
            assert answer["type"] == "ack"
            assert answer["id"] == odd
            assert await first.act(table, legal[0], seen, odd) == answer
            server.live.tables.loaded.clear()  # from the log, as after a restart
            first.received.clear()
            assert (await second.get(f"/api/tables/{table}"))["number"] == answer["number"]
            await first.close()
            await second.close()

    run(story())


# --- Frames ---------------------------------------------------------------------------------------------


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


# --- Who does not read ----------------------------------------------------------------------------------


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
        for _ in range(5):
            slow.send(b"x" * 1_000_000)
        assert slow._close is None
        slow.send(b"x")
        assert slow._close == connection.Close.SLOW

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


# --- Who is nobody --------------------------------------------------------------------------------------


def test_no_token_and_wrong_tokens(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            address = server.url.replace("http", "ws", 1) + "/api/socket"
            good = str(ann.http.cookies["lynxden"])
            wrong: list[dict[str, str]] = [
                {},
                {"Cookie": "lynxden="},
                {"Cookie": f"lynxden={good}x"},
                {"Cookie": f"other={good}"},
                {"Authorization": "Bearer x"},
                {"Authorization": f"Basic {good}"},
                {"Authorization": "Bearer x", "Cookie": f"lynxden={good}"},
                {"Authorization": "Bearer " + "x" * 5000},
            ]
            for headers in wrong:
                async with connect(address, additional_headers=headers) as opened:
                    with pytest.raises(ConnectionClosed):
                        await asyncio.wait_for(opened.recv(), SECONDS)
                    assert opened.close_code == connection.Close.WHO
            async with connect(f"{address}?token={good}&lynxden={good}") as opened:
                with pytest.raises(ConnectionClosed):  # a token has no place in an address
                    await asyncio.wait_for(opened.recv(), SECONDS)
            for path in ("/", "/api/me", "/api/socket/x", "/api/nowhere" + "x" * 3000):
                with pytest.raises(Exception, match=r"HTTP (403|404|500)") as refused:
                    await connect(server.url.replace("http", "ws", 1) + path)
                assert "500" not in str(refused.value)
            assert not server.live.people.connections

    run(story())
    quiet(caplog)


def test_a_revoked_token_loses_its_socket_at_once(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            bot = await ann.post("/api/me/bots", {"name": "Robo"})
            program = await Client.arrive(server.url, token=bot["token"])
            made = await ann.post("/api/tables", {"public": True, "seats": [OPEN, OPEN, OPEN]})
            await program.post(f"/api/tables/{made['id']}/join", {})
            await program.connect()
            await program.watch(made["id"])
            # What is sent at the same moment is no longer obeyed.
            deleted = asyncio.create_task(ann.ask("DELETE", f"/api/me/bots/{bot['id']}"))
            with suppress(ConnectionClosed):
                while True:
                    await program.send({"type": "ping"})
                    await asyncio.sleep(0.001)
            assert (await deleted).status_code == 204
            assert await code_of_close(program) == connection.Close.WHO
            info = (await ann.get(f"/api/tables/{made['id']}"))["info"]
            assert [seat["kind"] for seat in info["seats"]] == ["person", "open", "open"]
            await program.close()

    run(story())


def test_a_revoked_token_loses_its_sockets_at_other_servers(postgres: Postgres) -> None:
    async def story() -> None:
        database = postgres.new_database()
        async with serving(database) as here, serving(database) as there, await here.arrive() as ann:
            link = (await ann.post("/api/me/link"))["path"].rpartition("#")[2]
            phone = await there.arrive("Somebody")
            await phone.post("/api/me/claim", {"secret": link})
            await phone.connect()
            await ann.connect()
            laptop = await Client.arrive(there.url, token=str(ann.http.cookies["lynxden"]))
            await laptop.connect()
            assert (await ann.ask("DELETE", "/api/me/devices")).json() == {"count": 1}
            assert await code_of_close(phone) == connection.Close.WHO
            for client in (ann, laptop):
                await still_lives(client)
            assert (await ann.ask("DELETE", "/api/me")).status_code == 204
            for client in (ann, laptop):
                assert await code_of_close(client) == connection.Close.WHO
                await client.close()
            await phone.close()

    run(story())


def test_closing_ends_what_was_still_to_be_done(tmp_path: Path) -> None:
    """Messages that arrived before a socket was closed, but were not yet handled, are not obeyed."""

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            table = (await ann.post("/api/tables", {}))["id"]
            bare = await Bare(ann).open()
            while not server.live.people.connections:
                await asyncio.sleep(0.01)
            (there,) = server.live.people.connections
            said = json.dumps({"type": "say", "table": table, "text": "still here"}).encode()
            bare.frame(Opcode.TEXT, json.dumps({"type": "watch", "table": table}).encode())
            bare.frame(Opcode.TEXT, said)
            there.close(connection.Close.WHO)
            await bare.closed(connection.Close.WHO)
            assert await server.live.context.store.read(chat.latest, table, 10) == []
            await bare.close()

    run(story())


# --- What is not theirs to do ---------------------------------------------------------------------------


def test_acting_where_and_when_one_may_not(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Mallory") as mallory:
            first, second, table, _ = await duel(server)
            await mallory.connect()
            legal, seen = await look(first, table)
            before = (await first.get(f"/api/tables/{table}"))["number"]

            async def code(client: Client, action: str, at: int = seen, where: str = table) -> str:
                answer = await client.act(where, action, at)
                assert answer["type"] == "refused"
                assert answer["table"] == where
                check_telling(answer["text"])
                return str(answer["code"])

            assert await code(mallory, legal[0]) == "not-watching"
            assert await code(mallory, legal[0], where="nowhere") == "not-watching"
            await mallory.watch(table)
            assert await code(mallory, legal[0]) == "no-seat"
            for kind in ("back", "ready"):
                assert (await mallory.refused({"type": kind, "table": table}))["code"] == "no-seat"
            refused = await mallory.refused({"type": "say", "table": table, "text": "psst: X"})
            assert refused["code"] == "no-seat", "spectators do not talk while a game is running"
            assert await code(second, legal[0]) == "out-of-turn"
            assert await code(first, "nonsense") == "action"
            assert await code(first, "") == "action"
            assert await code(first, "play " + "7 " * 90) in ("action", "illegal")
            assert await code(first, "play ٧") == "action"  # a digit, but not one of ours
            impossible = next(f"play {card}" for card in range(1, 14) if f"play {card}" not in legal)
            assert await code(first, impossible) in ("illegal", "action")
            assert await code(first, legal[0], 0) == "stale"
            assert await code(first, legal[0], 10**9) == "stale"
            assert await code(first, legal[0], 2**53) == "stale"
            assert (await first.refused({"type": "ready", "table": table}))["code"] == "not-running"
            assert (await first.refused({"type": "unwatch", "table": "nowhere"}))["code"] == "not-watching"
            assert (await first.get(f"/api/tables/{table}"))["number"] == before, (
                "something happened all the same"
            )
            assert (await first.act(table, legal[0], seen))["type"] == "ack"
            for client in (first, second):
                await client.close()

    run(story())


def test_out_of_turn_tells_nothing_of_the_hand_of_whoever_decides(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            first, second, table, _ = await duel(server)
            legal, seen = await look(first, table)
            for action in legal:
                refused = await second.act(table, action, seen)
                assert refused["code"] == "out-of-turn"
                assert "play" not in refused["text"].split(":")[-1].replace("(play)", "")
            await first.close()
            await second.close()

    run(story())


def test_the_same_action_twice_is_one_event(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            first, second, table, _ = await duel(server)
            legal, seen = await look(first, table)
            message = {"type": "act", "table": table, "id": "once", "seen": seen, "action": legal[0]}
            for _ in range(5):
                await first.send(message)
            acks = [await first.next("ack") for _ in range(5)]
            assert acks == [acks[0]] * 5
            await first.send({**message, "action": "nonsense", "seen": 0})
            assert await first.next("ack") == acks[0], (
                "an id is answered in the same way, whatever comes with it"
            )
            happened = await second.next("happened", lambda each: each["what"]["kind"] == "acted")
            assert happened["what"]["number"] == acks[0]["number"]
            assert (await second.get(f"/api/tables/{table}"))["number"] == acks[0]["number"]
            # The same id from another seat is another action.
            refused = await second.act(table, "nonsense", 0, "once")
            assert refused["type"] == "refused"
            await first.close()
            await second.close()

    run(story())


def test_two_at_once_cannot_both_act(tmp_path: Path) -> None:
    """The same player on two devices, with different actions at the same moment."""

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            first, second, table, _ = await duel(server)
            token = str(first.http.cookies["lynxden"])
            other = await Client.arrive(server.url, token=token)
            await other.connect()
            await other.watch(table)
            legal, seen = await look(first, table)
            answers = await asyncio.gather(
                first.act(table, legal[0], seen, "one"), other.act(table, legal[-1], seen, "other")
            )
            kinds = sorted(answer["type"] for answer in answers)
            assert kinds == ["ack", "refused"]
            refused = next(answer for answer in answers if answer["type"] == "refused")
            assert refused["code"] in ("stale", "out-of-turn")
            for client in (first, second, other):
                await client.close()

    run(story())


def test_tables_that_have_not_started_are_over_or_closed(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            await ann.connect()
            table = (await ann.post("/api/tables", {"seats": [OPEN, OPEN]}))["id"]
            await ann.watch(table)
            assert (await ann.act(table, "play 7", 2))["code"] == "not-running"
            assert (await ann.refused({"type": "ready", "table": table}))["code"] == "not-running"
            await ann.post(f"/api/tables/{table}/close")
            for _ in range(2):
                assert (await ann.act(table, "play 7", 99))["code"] == "not-running"
            answer = await ann.ask("POST", f"/api/tables/{table}/start", {})
            assert answer.json()["code"] == "not-running"
            answer = await ann.ask("POST", f"/api/tables/{table}/rematch")
            assert answer.json()["code"] == "not-running"
            made = await ann.post("/api/play", {"players": 2, "speed": "instant"})
            await play_out(ann, await ann.watch(made["id"]), random.Random(1))
            over = await ann.act(made["id"], "play 7", 10**6)
            assert over["code"] == "not-running"
            assert (await ann.refused({"type": "ready", "table": made["id"]}))["code"] == "not-running"
            await ann.post(f"/api/tables/{made['id']}/leave")
            assert (await ann.get(f"/api/tables/{made['id']}"))["info"]["phase"] == "over"

    run(story())


def test_actions_are_kept_as_the_game_spells_them(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            first, second, table, _ = await duel(server)
            legal, seen = await look(first, table)
            answer = await first.act(table, "  " + legal[0].upper().replace(" ", "   ") + "  ", seen)
            if answer["type"] == "ack":  # a generous reader: but nobody's spelling gets into records
                assert server.live.tables.loaded[table].state.actions == (legal[0],)
            await first.close()
            await second.close()

    run(story())


# --- Private tables and spectators ----------------------------------------------------------------------


def test_a_private_table_does_not_exist_for_strangers(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path)) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Mallory") as mallory,
        ):
            made = await ann.post("/api/tables", {"seats": [OPEN, OPEN, OPEN]})
            table, invite = made["id"], made["invite"]
            await mallory.connect()

            async def told(name: str) -> list[Any]:
                """Everything that a stranger can find out about a table of a name."""
                found: list[Any] = []
                wrong = ["", "x", invite[:-1], invite + "x", invite.swapcase(), f" {invite}", "\0"]
                for guess in wrong:
                    message = {"type": "watch", "table": name, "invite": guess}
                    found.append(await mallory.refused(message))
                    answer = await mallory.http.get(f"/api/tables/{name}", params={"invite": guess})
                    found.append((answer.status_code, answer.json()))
                    answer = await mallory.ask("POST", f"/api/tables/{name}/join", {"invite": guess})
                    found.append((answer.status_code, answer.json()))
                for method, path, body in STRANGE:
                    answer = await mallory.ask(method, f"/api/tables/{name}/{path}", body)
                    found.append((answer.status_code, answer.json()))
                kinds = ("unwatch", "back", "ready", "say")
                found += [await mallory.refused({"type": kind, "table": name}) for kind in kinds]
                return json.loads(json.dumps(found).replace(name, "?"))  # type: ignore[no-any-return]

            assert await told(table) == await told("nothing12345")
            assert (await mallory.get("/api/tables")) == {"tables": []}
            await ann.post(f"/api/tables/{table}/start", {})  # nor does it once it runs
            assert await told(table) == await told("nothing12345")
            assert (await ann.get(f"/api/tables/{table}"))["info"]["invite"] == invite

    run(story())


def test_invited_seats_need_the_invitation(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path)) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Ben") as ben,
            await server.arrive("Cid") as cid,
        ):
            made = await ann.post("/api/tables", {"seats": [INVITED, INVITED, OPEN], "public": True})
            table, invite = made["id"], made["invite"]
            at = f"/api/tables/{table}/join"
            await ben.connect()
            shown = await ben.watch(table)
            assert "invite" not in shown["info"]
            assert "invite" not in (await ben.watch(table, invite=invite))["info"], (
                "who looks on need not be told"
            )
            for seat in (0, 1):
                answer = await ben.ask("POST", at, {"seat": seat})
                assert answer.json()["code"] == "seat-taken"
            assert (await ben.post(at, {}))["seat"] == 2
            assert (await ben.happened("sat"))["info"]["invite"] == invite, "who sits there is told"
            assert (await cid.ask("POST", at, {})).json()["code"] == "seat-taken"
            assert (await cid.post(at, {"invite": invite}))["seat"] == 1
            assert invite not in json.dumps(await cid.get("/api/tables"))

    run(story())


def test_spectators_never_get_a_hand_nor_the_invitation(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Mallory") as mallory:
            first, second, table, invite = await duel(server)
            await mallory.connect()
            await mallory.watch(table, invite=invite)
            rng = random.Random(2)
            await asyncio.gather(
                play_out(first, await enter(first, table), rng),
                play_out(second, await enter(second, table), rng),
            )
            await mallory.next("happened", lambda each: (each.get("game") or {}).get("finished") is not None)
            got = [json.loads(text_) for text_ in mallory.received]
            assert len(got) > 20
            for message in got:
                assert "own" not in (message.get("game") or {})
                assert "seat" not in message
            assert invite not in "".join(mallory.received)
            for client in (first, second):
                await client.close()

    run(story())


def test_spectators_are_closed_out(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Mallory") as mallory:
            first, second, table, invite = await duel(server)
            host = first if (await first.get(f"/api/tables/{table}"))["info"]["host"] == first.id else second
            guest = second if host is first else first
            await mallory.connect()
            await mallory.watch(table)
            answer = await guest.ask("PUT", f"/api/tables/{table}/spectators", {"open": False})
            assert answer.json()["code"] == "not-host"
            await host.ask("PUT", f"/api/tables/{table}/spectators", {"open": False})
            assert (await mallory.next("refused"))["code"] == "no-spectators"
            assert (await mallory.refused({"type": "watch", "table": table, "invite": invite}))[
                "code"
            ] == "no-spectators"
            assert (await mallory.ask("GET", f"/api/tables/{table}?invite={invite}")).status_code == 403
            mallory.received.clear()
            legal, seen = await look(first, table)
            assert (await first.act(table, legal[0], seen))["type"] == "ack"
            await still_lives(mallory)
            assert len(mallory.received) == 1, "something was told to somebody who was closed out"
            # Whoever leaves the game for good is a spectator from then on.
            await guest.post(f"/api/tables/{table}/leave")
            assert (await guest.next("refused"))["code"] == "no-spectators"
            assert (await guest.refused({"type": "watch", "table": table}))["code"] == "no-spectators"
            await host.ask("PUT", f"/api/tables/{table}/spectators", {"open": True})
            assert "own" not in (await mallory.watch(table))["game"]
            await first.close()
            await second.close()

    run(story())


def test_who_looked_on_before_the_start_does_not_see_the_cards_of_a_closed_table(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path)) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Mallory") as mallory,
        ):
            body = {"seats": [OPEN, OPEN], "public": True, "spectators": False}
            table = (await ann.post("/api/tables", body))["id"]
            await mallory.connect()
            await mallory.watch(table)
            await ann.post(f"/api/tables/{table}/start", {})
            assert (await mallory.next("refused"))["code"] == "no-spectators"
            await still_lives(mallory)
            assert not [each for each in mallory.received if '"game":{' in each]
            assert mallory.id not in {viewer.guest.id for viewer in server.live.tables.loaded[table].viewers}

    run(story())


# --- Names and chat -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Ann", "Ann"),
        ("  Ann \t\n  B.  ", "Ann B."),
        ("a\u00a0b\u2003c\u2028d\u3000e", "a b c d e"),
        ("A\x00n\x1bn\x7f", "A n n"),
        ("\u202eevil\u202c", "evil"),
        ("\u2066a\u2069\u200fb\u061c", "ab"),
        ("A\u200bn\u200cn\ufeff\u2060", "Ann"),
        ("A\u00adnn", "Ann"),
        ("\U000e0041\U000e0042x", "x"),
        ("\ue000x\U0010ffff", "x"),
        ("e\u0301", "é"),
        ("e\u200b\u0301", "é"),
        ("Zoe\u0308", "Zoë"),
        ("a" + "\u0301" * 50, "á" + "\u0301" * 3),
        ("a" + "\u0336\u200b" * 50, "a" + "\u0336" * 3),
        ("a" + "\u0336\u0337\u0338\u200d" * 50, "a\u0336\u0337\u0338"),
        ("\u0301\u0301abc", "abc"),
        ("a \u0301b", "a b"),
        ("a\u034fb\ufe01c", "abc"),
        ("กี่", "กี่"),
        ("नमस्ते", "नमस्ते"),
        ("שָׁלוֹם", "שָׁלוֹם"),
        ("👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"),
        ("🏳️\u200d🌈", "🏳️\u200d🌈"),
        ("👍🏽", "👍🏽"),
        ("👩🏽\u200d🚀", "👩🏽\u200d🚀"),
        ("1️⃣", "1️⃣"),
        ("A\u200dnn", "Ann"),
        ("\u200d👩\u200d", "👩"),
        ("👩\u200d\u200d👧", "👩\u200d👧"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("\u3164", ""),
        ("\u2800\u115f\u1160\uffa0", ""),
        ("\ufe0f", ""),
        ("\u0301", ""),
        ("\u200d", ""),
        ("", ""),
    ],
)
def test_what_people_write_is_tidied(written: str, kept: str) -> None:
    assert sanitize.tidy(written) == unicodedata.normalize("NFC", kept)


odd_text = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from("a\u0301\u0336\u200d\u200b\u202e\ufe0f\u3164\u034f 👩\u0e35\u0e48\u1100\u1161\u11a8"),
    ),
    max_size=60,
)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(odd_text)
def test_tidy_texts_stay_as_they_are(written: str) -> None:
    kept = sanitize.tidy(written)
    assert sanitize.tidy(kept) == kept
    assert kept == kept.strip()
    assert "  " not in kept
    marks = 0
    for char in kept:
        kind = unicodedata.category(char)
        assert char in (" ", "\u200d") or kind[0] not in "CZ"
        marks = marks + 1 if kind in ("Mn", "Me") else 0
        assert marks <= 3
    if kept:
        assert unicodedata.category(kept[0]) not in ("Mn", "Me")
        assert any(unicodedata.category(char)[0] in "LNPSM" for char in kept)


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(odd_text)
def test_names_and_lines_are_right_or_refused(written: str) -> None:
    for reader, most in ((sanitize.name, 24), (sanitize.line, 300)):
        try:
            found = reader(written)
        except Refusal:
            found = "-"
        assert 1 <= len(found) <= most


def test_names_over_the_interface(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("\u202eAnn\u200b  B") as ann:
            assert ann.me["name"] == "Ann B"
            for refused in ("\u200b", " ", "\u3164", "x" * 25, "\u0301"):
                for method, path in (("PATCH", "/api/me"), ("POST", "/api/me/bots")):
                    answer = await ann.ask(method, path, {"name": refused})
                    assert answer.status_code == 400
                    assert answer.json()["code"] == "options"
            assert (await ann.ask("PATCH", "/api/me", {"name": ""})).status_code == 400
            assert (await ann.ask("PATCH", "/api/me", {"name": "x" * 24})).status_code == 200
            evil = "<img src=x onerror=a()>"
            assert (await ann.ask("PATCH", "/api/me", {"name": evil})).json()["name"] == evil
            table = (await ann.post("/api/tables", {"public": True}))["id"]
            await ann.connect()
            await ann.watch(table)
            await ann.send({"type": "say", "table": table, "text": f"{evil}\u202e\r\n\0x"})
            line = (await ann.next("chat"))["line"]
            assert (line["name"], line["text"]) == (evil, f"{evil} x")
            for path in ("/api/schema", "/", f"/t/{table}", f"/api/players/{ann.id}", "/api/tables"):
                answer = await ann.http.get(path)
                assert answer.headers["x-content-type-options"] == "nosniff"
                if answer.headers["content-type"] != "application/json":  # which is never shown as a page
                    assert evil not in answer.text

    run(story())


# --- Ten thousand attempts ------------------------------------------------------------------------------

ALPHABET = string.printable + "äß🦊\u202e\u200d\0\ud7ff"


class Fuzzer:
    """Valid messages, and what a seeded chance makes of them."""

    def __init__(self, seed: int, tables: list[str]) -> None:
        self.rng = random.Random(seed)
        self._tables = tables

    def message(self) -> str | bytes:
        """The next message; at most as long as a frame may be."""
        good = self._good()
        kind = self.rng.random()
        if kind < 0.05:
            return json.dumps(good)
        if kind < 0.6:
            return json.dumps(self._bent(good))[: MOST_MESSAGE // 4]
        return self._broken(json.dumps(good).encode())

    def _good(self) -> Message:
        rng = self.rng
        table = rng.choice(self._tables)
        return rng.choice(
            [
                {"type": "watch", "table": table, "seen": rng.randrange(50), "invite": "x"},
                {"type": "unwatch", "table": table},
                {
                    "type": "act",
                    "table": table,
                    "id": f"f{rng.randrange(99)}",
                    "seen": rng.randrange(80),
                    "action": self._action(),
                },
                {
                    "type": "act",
                    "table": table,
                    "id": f"f{rng.random()}",
                    "seen": 2**53,
                    "action": self._action(),
                },
                {"type": "back", "table": table},
                {"type": "ready", "table": table},
                {"type": "say", "table": table, "text": self._text(20)},
                {"type": "say", "table": table, "phrase": rng.choice(protocol.PHRASES)},
                {"type": "lobby", "on": rng.random() < 0.5},
                {"type": "ping"},
            ]
        )

    def _action(self) -> str:
        words = [
            "play",
            "take",
            "draw",
            "snatch",
            "pass",
            "discard",
            "7",
            "X",
            "13",
            "-1",
            "0",
            "\0",
            "١",
            "",
        ]
        return " ".join(self.rng.choices(words, k=self.rng.randrange(6)))

    def _text(self, most: int) -> str:
        return "".join(self.rng.choices(ALPHABET, k=self.rng.randrange(most)))

    def _value(self, depth: int = 0) -> Any:
        rng = self.rng
        plain = [
            None, True, -1, 0, 2**31, 2**53, 2**53 + 1, 2**63, 2**64, 10**40, -(2**63), 0.5, 1e308, -0.0, "",
            "x" * 70, "watch", rng.choice(self._tables), self._text(30), "../..", "\0", "'; DROP TABLE x; --",
        ]  # fmt: skip
        if depth < 3 and rng.random() < 0.2:
            return [self._value(depth + 1) for _ in range(rng.randrange(4))]
        if depth < 3 and rng.random() < 0.2:
            return {self._text(5): self._value(depth + 1) for _ in range(rng.randrange(4))}
        return rng.choice(plain)

    def _bent(self, message: Message) -> Any:
        """The right form, with wrong parts."""
        rng = self.rng
        found = dict(message)
        for _ in range(rng.randrange(1, 3)):
            match rng.randrange(6):
                case 0:
                    found[rng.choice(list(found) or ["x"])] = self._value()
                case 1:
                    found.pop(rng.choice(list(found) or ["x"]), None)
                case 2:
                    found[self._text(8)] = self._value()
                case 3:
                    found["type"] = rng.choice(
                        ["watch", "act", "say", "hello", "table", "Watch", "", "__class__"]
                    )
                case 4:
                    found = dict(reversed(found.items()))  # the type comes last
                case _:
                    return rng.choice([[found], self._value(), {"type": found}])
        return found

    def _broken(self, data: bytes) -> bytes:
        """Bytes turned, cut, doubled, mixed up."""
        rng = self.rng
        found = bytearray(data)
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(found) + 1)
            match rng.randrange(6):
                case 0 if found:
                    found[at % len(found)] = rng.randrange(256)
                case 1:
                    del found[at : at + rng.randrange(1, 8)]
                case 2:
                    found[at:at] = rng.randbytes(rng.randrange(1, 8))
                case 3:
                    found[at:at] = rng.choice(
                        [b"[", b"{", b'"', b"\\u", b"\\", b"}", b",", b"null", b"1e", b"9" * 30]
                    )
                case 4:
                    found[at:at] = found[: rng.randrange(1, 60)]
                case _:
                    found[at:at] = b"[" * rng.randrange(1200)
        return bytes(found[:MOST_MESSAGE])


async def attack(client: Client, fuzzer: Fuzzer, count: int) -> Counter[str]:
    """Send made-up messages and check every answer; how often each kind of answer came."""
    found: Counter[str] = Counter()
    codes = {code.value for code in Code}
    for number in range(count):
        await client.send(fuzzer.message())
        if number % 20 == 19 or number == count - 1:
            await client.send({"type": "ping"})
            await client.next("pong")
            while client._waiting:
                client._waiting.pop()
            for raw in client.received:
                check_answer(raw, codes, found)
            client.received.clear()
    return found


def check_answer(raw: str, codes: set[str], found: Counter[str]) -> None:
    answer = json.loads(raw)
    assert answer["type"] in KINDS
    if answer["type"] == "refused":
        assert answer["code"] in codes
        assert answer["code"] not in ("internal", "unavailable"), answer
        check_telling(answer["text"])
        found[answer["code"]] += 1
    else:
        found[answer["type"]] += 1


async def play_on(client: Client, table: str, rng: random.Random) -> None:
    """Play to the end, however often something comes in between: look again and go on."""
    while True:
        shown = await client.watch(table)
        if shown["game"].get("finished"):
            return
        legal = shown["game"]["own"]["legal"]
        if legal:
            answer = await client.act(table, rng.choice(legal), shown["number"])
            assert answer["type"] == "ack" or answer["code"] in (
                "stale",
                "out-of-turn",
                "illegal",
                "not-running",
            )
        else:
            await client.next("happened", lambda each: each["what"]["kind"] == "acted")


def test_ten_thousand_made_up_messages(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One attacker looks on, another sits at the table with somebody who just wants to play."""

    async def story() -> Counter[str]:
        async with (
            serving(free_data(tmp_path), chat=1.0) as server,
            await server.arrive("Mallory") as mallory,
            await server.arrive("Zoe") as zoe,
        ):
            first, second, table, _ = await duel(server)
            alone = await zoe.post("/api/play", {"players": 3, "speed": "instant"})
            await zoe.connect()
            await mallory.connect()
            inside = await Client.arrive(server.url, token=str(second.http.cookies["lynxden"]))
            await inside.connect()
            tables = [table, alone["id"], "nothing"]
            rng = random.Random(3)
            games = asyncio.gather(
                play_out(zoe, await zoe.watch(alone["id"]), rng),
                play_out(first, await enter(first, table), rng),
                play_on(second, table, rng),
            )
            attacks = await asyncio.gather(
                attack(mallory, Fuzzer(1, tables), 6000), attack(inside, Fuzzer(2, tables), 4000)
            )
            await games
            for client in (first, second, zoe, mallory, inside):
                await still_lives(client)
            assert (await zoe.get("/api/statistics"))["tables"]["over"] == 2
            for client in (first, second, inside):
                await client.close()
            return attacks[0] + attacks[1]

    found = run(story())
    quiet(caplog)
    assert found["malformed"] > 4000
    assert {"pong", "table", "chat", "lobby", "not-found", "not-watching", "stale", "too-much"} <= set(
        found
    ), found
