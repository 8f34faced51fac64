"""What the measurements of the server share: the server in a process of its own, and frugal clients.

Clients and server are on one machine, so what the clients cost takes away from the server. They speak HTTP
and WebSocket just as far as needed, and read of a message only what they must.
"""

from __future__ import annotations

import asyncio
import base64
import os
import random
import re
import resource
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, cast

import msgspec
import typer

SEATS = 4
AT_ONCE = 32
"""HTTP connections, and sockets that are opened at the same time."""


# --- The server -----------------------------------------------------------------------------------------


class Server:
    """`lynxden serve` in a process of its own, bound to one processor if that is named."""

    def __init__(
        self, data: str, environment: Mapping[str, str], core: int | None = None, database: str = ""
    ) -> None:
        # The first start after a change compiles the rules, which takes memory: that is not the question.
        warm_up = "from lynxden.server.serve import warm_up; warm_up()"
        subprocess.run([sys.executable, "-c", warm_up], check=True)
        self._flags = ["--database", database] if database else ["--data", data]
        self._environment = {**os.environ, **environment}
        self._core = core
        self.host, self.port = "", 0
        self._successor = 0
        """The process that has taken its place."""
        self.start()

    def start(self) -> None:
        """Start it, for the first time or on the same port again; return when it is ready."""
        core = self._core
        self.process = subprocess.Popen(
            [sys.executable, "-m", "lynxden", "serve", "--port", str(self.port), *self._flags],
            stdout=subprocess.PIPE,
            text=True,
            env=self._environment,
            preexec_fn=None if core is None else lambda: os.sched_setaffinity(0, {core}),  # noqa: PLW1509
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if "ready" not in line:
            raise SystemExit(f"the server did not start: {line}")
        self.host, _, port = line.strip().rpartition("//")[2].rpartition(":")
        self.port = int(port)

    def hand_over(self) -> None:
        """Have another one take its place; return when that is ready and this one has ended."""
        assert self.process.stdout is not None
        self.process.send_signal(signal.SIGUSR2)
        while not (found := children_of(self.process.pid, "lynxden serve")):
            time.sleep(0.01)
        line = self.process.stdout.readline()  # it writes where this one did
        if "ready" not in line:
            raise SystemExit(f"the server did not hand over: {line}")
        self.process.wait(30)
        self._successor = found[0]

    def rss(self) -> int:
        """Bytes in memory."""
        return rss_of(self._successor or self.process.pid)

    def cpu(self) -> float:
        """Seconds of processor time so far, all threads."""
        return cpu_of(self._successor or self.process.pid)

    def stop(self) -> None:
        if self._successor:
            os.kill(self._successor, signal.SIGTERM)
            while Path(f"/proc/{self._successor}/fd").exists():
                time.sleep(0.05)
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()


def children_of(pid: int, command: str) -> list[int]:
    """Processes that this one has started, with this in their command line."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [
        child
        for child in map(int, text.split())
        if command in Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")
    ]


def rss_of(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024


def cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# --- HTTP -----------------------------------------------------------------------------------------------


class Http:
    """One connection that is kept, for one request at a time; a proxy could name another address."""

    def __init__(self, server: Server, address: str = "") -> None:
        self._server = server
        self._address = address
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter | None = None
        self._used = 0.0

    async def ask(self, method: str, path: str, body: object = None, token: str = "") -> tuple[str, bytes]:
        """The head and the body of an answer that must be good."""
        head, answer = await self.try_to(method, path, body, token)
        if head[9] != "2":
            raise SystemExit(f"{method} {path}: {head.splitlines()[0]} {answer.decode(errors='replace')}")
        return head, answer

    async def try_to(self, method: str, path: str, body: object = None, token: str = "") -> tuple[str, bytes]:
        """The head and the body of the answer; a body of bytes is sent as it is."""
        if self._writer is None or time.monotonic() - self._used > 2:  # the server keeps it for 5 seconds
            self.close()
            self._reader, self._writer = await asyncio.open_connection(self._server.host, self._server.port)
        data = b"" if body is None else body if isinstance(body, bytes) else msgspec.json.encode(body)
        lines = [f"{method} {path} HTTP/1.1", "Host: load", f"Content-Length: {len(data)}"]
        if data:
            lines.append("Content-Type: application/json")
        if token:
            lines.append(f"Authorization: Bearer {token}")
        if self._address:
            lines += [f"X-Forwarded-For: {self._address}", "Accept-Encoding: gzip"]
        self._writer.write("\r\n".join([*lines, "", ""]).encode() + data)
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        found = re.search(r"(?i)\r\ncontent-length: *(\d+)", head)
        answer = await self._reader.readexactly(int(found[1])) if found else b""
        self._used = time.monotonic()
        return head, answer

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    async def post(self, path: str, body: object, token: str) -> dict[str, Any]:
        return cast(dict[str, Any], msgspec.json.decode((await self.ask("POST", path, body, token))[1]))

    async def new_guest(self, name: str) -> str:
        """The token of a new guest."""
        head, _ = await self.ask("POST", "/api/me", {"name": name})
        found = re.search(r"(?i)\r\nset-cookie: *lynxden=([^;\r]+)", head)
        assert found, "the server set no cookie"
        return found[1]


async def game_of_bots(http: Http, tokens: tuple[str, str], edition: str) -> None:
    """A game that the usual bots play alone: two people begin it, so that it counts, and leave at once."""
    host, friend = tokens
    plan = {"game": "linko", "edition": edition, "seats": [{"kind": "invited"}] * 2, "speed": "instant"}
    made = await http.post("/api/tables", plan, host)
    await http.post(f"/api/tables/{made['id']}/join", {"invite": made["invite"]}, friend)
    for token in tokens:
        await http.post(f"/api/tables/{made['id']}/leave", None, token)


async def game_against_bots(http: Http, token: str, edition: str, bot: str, bots: int) -> None:
    """A game of bots whose only person does not come; after LYNXDEN_ALONE seconds a bot sits in for them."""
    seats = [{"kind": "invited"}] + [{"kind": "bot", "bot": bot}] * bots
    plan = {"game": "linko", "edition": edition, "seats": seats, "speed": "instant"}
    await http.post("/api/tables", plan, token)


@contextmanager
def http_connections(server: Server, count: int) -> Iterator[list[Http]]:
    """Connections, to be taken from the list and put back."""
    found = [Http(server) for _ in range(count)]
    try:
        yield list(found)
    finally:
        for http in found:
            http.close()


async def spread(count: int, work: Callable[[int], Awaitable[None]], about: str) -> None:
    """Do something for 0, 1, … count - 1, several at once, and show how far it is."""
    numbers = iter(range(count))
    done = 0

    async def worker() -> None:
        nonlocal done
        for number in numbers:
            await work(number)
            done += 1
            if done % 100 == 0:
                progress(f"{about}: {done:,} of {count:,}")

    await asyncio.gather(*(worker() for _ in range(AT_ONCE)))


# --- A player's socket ----------------------------------------------------------------------------------


class Place(Protocol):
    """What a socket's messages are about."""

    def enter(self, socket: Socket, message: bytes) -> None:
        """The table as it stands."""

    def receive(self, socket: Socket, message: bytes, now: float) -> None:
        """Something happened there."""

    def refuse(self, message: bytes) -> None:
        """Something was refused."""


class Socket(asyncio.Protocol):
    """As little of a WebSocket as players need. The mask is zero, so that masking costs nothing here."""

    __slots__ = ("_address", "_buffer", "_hello", "_token", "_transport", "lost", "seat", "table")

    def __init__(self, token: str, address: str = "") -> None:
        self._token = token
        self._address = address
        self._buffer = b""
        self._transport: asyncio.Transport
        self._hello: asyncio.Future[None] | None = asyncio.get_running_loop().create_future()
        self.lost: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        """When the connection ended."""
        self.table: Place
        self.seat = 0

    @classmethod
    async def open(cls, server: Server, token: str, address: str = "") -> Socket:
        """A socket that has been greeted; a proxy could name another address."""
        loop = asyncio.get_running_loop()
        _, socket = await loop.create_connection(lambda: cls(token, address), server.host, server.port)
        assert socket._hello is not None
        await socket._hello
        socket._hello = None
        return socket

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        key = base64.b64encode(os.urandom(16)).decode()
        address = f"X-Forwarded-For: {self._address}\r\n" if self._address else ""
        self._transport.write(
            "GET /api/socket HTTP/1.1\r\nHost: load\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
            f"{address}Authorization: Bearer {self._token}\r\n\r\n".encode()
        )

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.lost.done():
            self.lost.set_result(time.perf_counter())
        if not Figures.now.stopping:
            Figures.now.lost += 1
        if self._hello is not None and not self._hello.done():
            self._hello.set_exception(ConnectionError(f"no socket: {self._buffer!r} {exc}"))

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        if self._buffer:
            data = self._buffer + data
        at = 0
        if self._hello is not None and data.startswith(b"HTTP/"):
            at = data.find(b"\r\n\r\n") + 4
            if at < 4:
                self._buffer = data
                return
            if not data.startswith(b"HTTP/1.1 101"):
                raise SystemExit(f"no socket: {data!r}")
        while len(data) - at >= 2:
            length, start = data[at + 1], at + 2
            if length == 126:
                if len(data) - at < 4:
                    break
                length, start = int.from_bytes(data[at + 2 : at + 4], "big"), at + 4
            elif length == 127:
                if len(data) - at < 10:
                    break
                length, start = int.from_bytes(data[at + 2 : at + 10], "big"), at + 10
            end = start + length
            if end > len(data):
                break
            kind = data[at] & 15
            if kind == 1:
                self._receive(data[start:end], now)
            elif kind == 9:
                self._frame(0x8A, data[start:end])
            at = end
        self._buffer = data[at:]

    def _receive(self, message: bytes, now: float) -> None:
        kind = message[9:13]  # {"type":"happened"…
        if kind == b"happ":
            self.table.receive(self, message, now)
        elif kind == b"hell":
            assert self._hello is not None
            self._hello.set_result(None)
        elif kind == b"tabl":
            self.table.enter(self, message)
        elif kind == b"refu":
            self.table.refuse(message)

    def send(self, text: str) -> None:
        self._frame(0x81, text.encode())

    def _frame(self, first: int, data: bytes) -> None:
        size = len(data)
        head = struct.pack("!BB", first, 128 | size) if size < 126 else struct.pack("!BBH", first, 254, size)
        self._transport.write(head + b"\0\0\0\0" + data)

    def close(self) -> None:
        self._transport.close()

    @property
    def closed(self) -> bool:
        return self._transport.is_closing()


# --- A table --------------------------------------------------------------------------------------------

NUMBER = re.compile(rb'"number":(\d+)')


class BusyTable:
    """Four players. They act in turn, one action a period, at times that are spread over all tables."""

    __slots__ = ("_awaited", "_game", "_legal", "_planned", "_received", "_sent", "entered", "id", "sockets")

    def __init__(self, key: str, sockets: Sequence[Socket]) -> None:
        self.id = key
        self.sockets = sockets
        self.entered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._awaited = 0
        """The number of the event that is waited for; of the last one, between actions."""
        self._received = 0
        self._legal: tuple[Socket, bytes] | None = None
        """Who has to decide, and the message with the legal actions."""
        self._sent = 0.0
        self._planned = 0.0
        for seat, socket in enumerate(sockets):
            socket.table, socket.seat = self, seat

    async def watch(self) -> None:
        """All players enter, one after the other, so that the last is sent nobody else's coming."""
        for socket in self.sockets:
            self.entered = asyncio.get_running_loop().create_future()
            socket.send(f'{{"type":"watch","table":"{self.id}"}}')
            await self.entered

    def enter(self, socket: Socket, message: bytes) -> None:
        if b'"legal":["' in message:
            self._legal = socket, message
        self.entered.set_result(None)

    def refuse(self, message: bytes) -> None:
        Figures.now.refused.append(message.decode())

    def start(self, period: float) -> None:
        self._planned = time.perf_counter() + random.random() * period
        asyncio.get_running_loop().call_later(self._planned - time.perf_counter(), self._act)

    def _act(self) -> None:
        """The player who has to decide takes an action at random."""
        figures = Figures.now
        if figures.stopping or self._legal is None:
            return
        socket, message = self._legal
        self._legal = None
        start = message.index(b'"legal":[') + 8
        actions = message[start + 2 : message.index(b"]", start) - 1].split(b'","')
        action = random.choice(actions).decode()
        self._received = 0
        self._awaited += 1
        self._sent = time.perf_counter()
        figures.behind.append(self._sent - self._planned)
        socket.send(
            f'{{"type":"act","table":"{self.id}","id":"{self._awaited}","seen":{self._awaited - 1},'
            f'"action":"{action}"}}'
        )

    def receive(self, socket: Socket, message: bytes, now: float) -> None:
        """Something happened, as one of the sockets received it."""
        found = NUMBER.search(message)
        assert found
        number = int(found[1])
        if b'"legal":["' in message:
            self._legal = socket, message
        if not self._sent:  # before the start, and between games
            self._awaited = max(self._awaited, number)
            if b'"kind":"dealt"' in message[:160]:
                self._received += 1
                if self._received == SEATS:
                    self._plan(now)
            return
        if number != self._awaited:
            Figures.now.odd += 1
            return
        self._received += 1
        if b'"finished":{' in message:
            socket.send(f'{{"type":"ready","table":"{self.id}"}}')
        if self._received == SEATS:
            figures = Figures.now
            figures.latencies.append((now, now - self._sent))
            self._sent = 0.0
            self._received = 0
            if self._legal is None:
                figures.games += 1  # the next deal makes the table go on
            else:
                self._plan(now)

    def _plan(self, now: float) -> None:
        """The next action is due a period after the last was, or at once if that is over."""
        self._planned = max(now, self._planned + Figures.now.period)
        self._received = 0
        asyncio.get_running_loop().call_later(self._planned - now, self._act)


class Figures:
    """What is counted while the players play."""

    now: Figures

    def __init__(self, period: float) -> None:
        self.period = period
        self.stopping = False
        self.latencies: list[tuple[float, float]] = []
        """When an action had reached everybody, and how long it took."""
        self.behind: list[float] = []
        """How much later than planned each action was sent."""
        self.lags: list[float] = []
        """How late a timer of the players' event loop was, every 5 ms."""
        self.games = 0
        self.lost = 0
        self.odd = 0
        self.refused: list[str] = []

    def clear(self) -> None:
        self.latencies, self.behind, self.lags = [], [], []
        self.games = 0


async def watch_lag(step: float = 0.005) -> None:
    while True:
        before = time.perf_counter()
        await asyncio.sleep(step)
        Figures.now.lags.append(max(0.0, time.perf_counter() - before - step))


# --- Reporting -------------------------------------------------------------------------------------------


def percentiles(rising: Sequence[float]) -> dict[str, float]:
    """Of seconds, in milliseconds."""
    if not rising:
        return {}
    last = len(rising) - 1
    places = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    return {name: round(1000 * rising[round(place * last)], 2) for name, place in places.items()}


def total(text: str, name: str) -> int:
    """The sum of a metric over its labels."""
    found = re.findall(rf"(?m)^{name}(?:{{[^}}]*}})? ([0-9.e+]+)$", text)
    return round(sum(map(float, found)))


def progress(text: str) -> None:
    if sys.stderr.isatty():
        typer.echo(f"\r\033[K{text}", nl=False, err=True)


def say(text: str) -> None:
    progress("")
    typer.echo(text)


def raise_limits() -> None:
    """As many open files as the system allows; the server inherits it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
