"""How many tables one server process carries: scripted players over real sockets, on one machine.

    .venv/bin/python bench/load.py --tables 1000 --seconds 30     latency, CPU time and memory
    .venv/bin/python bench/load.py --find                         how many tables keep p99 below 50 ms
    .venv/bin/python bench/load.py --finished 10000               whether memory grows with finished tables

The server is `lynxden serve` with its own database in a temporary folder, on the first processor that this
process may use; the players are on the second. At every table four people play random legal actions, one
a second. Latency is the time from sending an action until the last of the four sockets has received what
happened. The players' event loop is late at times too; how late is told besides, since it is part of what
is measured.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import platform
import random
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, cast

import msgspec
import typer
import uvloop

SEATS = 4
AIM_SECONDS = 0.050
AT_ONCE = 32
"""HTTP connections, and sockets that are opened at the same time."""
FINISHING = 150
"""Tables of bots that run at once with --finished."""
LIMITS = {
    "LYNXDEN_REQUESTS": "0",
    "LYNXDEN_GUESTS_PER_HOUR": "0",
    "LYNXDEN_SOCKETS_PER_ADDRESS": "0",
    "LYNXDEN_TABLES_PER_GUEST": "100000",
    "LYNXDEN_MESSAGES": "1000",
    "LYNXDEN_LOG_LEVEL": "warning",
}
"""Everybody here comes from one address."""


# --- The server -----------------------------------------------------------------------------------------


class Server:
    """`lynxden serve` in a process of its own, bound to one processor."""

    def __init__(self, data: str, core: int | None, database: str = "") -> None:
        # The first start after a change compiles the rules, which takes memory: that is not the question.
        warm_up = "from lynxden.server.serve import warm_up; warm_up()"
        subprocess.run([sys.executable, "-c", warm_up], check=True)
        flags = ["--database", database] if database else ["--data", data]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "lynxden", "serve", "--port", "0", *flags],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **LIMITS},
            preexec_fn=None if core is None else lambda: os.sched_setaffinity(0, {core}),  # noqa: PLW1509
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if "ready" not in line:
            raise SystemExit(f"the server did not start: {line}")
        self.host, _, port = line.strip().rpartition("//")[2].rpartition(":")
        self.port = int(port)

    def rss(self) -> int:
        """Bytes in memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) * 1024

    def cpu(self) -> float:
        """Seconds of processor time so far, all threads."""
        return cpu_of(self.process.pid)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()


def cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# --- HTTP -----------------------------------------------------------------------------------------------


class Http:
    """One connection that is kept, for one request at a time."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter | None = None
        self._used = 0.0

    async def ask(self, method: str, path: str, body: object = None, token: str = "") -> tuple[str, bytes]:
        """The head and the body of the answer."""
        if self._writer is None or time.monotonic() - self._used > 2:  # the server keeps it for 5 seconds
            self.close()
            self._reader, self._writer = await asyncio.open_connection(self._server.host, self._server.port)
        data = b"" if body is None else msgspec.json.encode(body)
        lines = [f"{method} {path} HTTP/1.1", "Host: load", f"Content-Length: {len(data)}"]
        if data:
            lines.append("Content-Type: application/json")
        if token:
            lines.append(f"Authorization: Bearer {token}")
        self._writer.write("\r\n".join([*lines, "", ""]).encode() + data)
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        found = re.search(r"(?i)\r\ncontent-length: *(\d+)", head)
        answer = await self._reader.readexactly(int(found[1])) if found else b""
        self._used = time.monotonic()
        if head[9] != "2":
            raise SystemExit(f"{method} {path}: {head.splitlines()[0]} {answer.decode(errors='replace')}")
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
    """Do something for 0, 1, … count - 1, several at once, and tell how far it is."""
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


class Socket(asyncio.Protocol):
    """As little of a WebSocket as players need. The mask is zero, so that masking costs nothing here."""

    __slots__ = ("_buffer", "_hello", "_token", "_transport", "seat", "table")

    def __init__(self, token: str) -> None:
        self._token = token
        self._buffer = b""
        self._transport: asyncio.Transport
        self._hello: asyncio.Future[None] | None = asyncio.get_running_loop().create_future()
        self.table: BusyTable
        self.seat = 0

    @classmethod
    async def open(cls, server: Server, token: str) -> Socket:
        """A socket that has been greeted."""
        loop = asyncio.get_running_loop()
        _, socket = await loop.create_connection(lambda: cls(token), server.host, server.port)
        assert socket._hello is not None
        await socket._hello
        socket._hello = None
        return socket

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        key = base64.b64encode(os.urandom(16)).decode()
        self._transport.write(
            "GET /api/socket HTTP/1.1\r\nHost: load\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
            f"Authorization: Bearer {self._token}\r\n\r\n".encode()
        )

    def connection_lost(self, exc: Exception | None) -> None:
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
            self.table.hear(self, message, now)
        elif kind == b"hell":
            assert self._hello is not None
            self._hello.set_result(None)
        elif kind == b"tabl":
            self.table.enter(self, message)
        elif kind == b"refu":
            Figures.now.refused.append(message.decode())

    def send(self, text: str) -> None:
        self._frame(0x81, text.encode())

    def _frame(self, first: int, data: bytes) -> None:
        size = len(data)
        head = struct.pack("!BB", first, 128 | size) if size < 126 else struct.pack("!BBH", first, 254, size)
        self._transport.write(head + b"\0\0\0\0" + data)

    def close(self) -> None:
        self._transport.close()


# --- A table --------------------------------------------------------------------------------------------

NUMBER = re.compile(rb'"number":(\d+)')


class BusyTable:
    """Four players. They act in turn, one action a period, at times that are spread over all tables."""

    __slots__ = ("_awaited", "_game", "_heard", "_legal", "_planned", "_sent", "entered", "id", "sockets")

    def __init__(self, key: str, sockets: Sequence[Socket]) -> None:
        self.id = key
        self.sockets = sockets
        self.entered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._awaited = 0
        """The number of the event that is waited for; of the last one, between actions."""
        self._heard = 0
        self._legal: tuple[Socket, bytes] | None = None
        """Who has to decide, and the message with the legal actions."""
        self._sent = 0.0
        self._planned = 0.0
        for seat, socket in enumerate(sockets):
            socket.table, socket.seat = self, seat

    async def watch(self) -> None:
        """All players enter, one after the other, so that the last hears of nobody else."""
        for socket in self.sockets:
            self.entered = asyncio.get_running_loop().create_future()
            socket.send(f'{{"type":"watch","table":"{self.id}"}}')
            await self.entered

    def enter(self, socket: Socket, message: bytes) -> None:
        if b'"legal":["' in message:
            self._legal = socket, message
        self.entered.set_result(None)

    def start(self, period: float) -> None:
        self._planned = time.perf_counter() + random.random() * period
        asyncio.get_running_loop().call_later(self._planned - time.perf_counter(), self._act)

    def _act(self) -> None:
        """Whoever has to decide takes an action at random."""
        figures = Figures.now
        if figures.stopping or self._legal is None:
            return
        socket, message = self._legal
        self._legal = None
        start = message.index(b'"legal":[') + 8
        actions = message[start + 2 : message.index(b"]", start) - 1].split(b'","')
        action = random.choice(actions).decode()
        self._heard = 0
        self._awaited += 1
        self._sent = time.perf_counter()
        figures.behind.append(self._sent - self._planned)
        socket.send(
            f'{{"type":"act","table":"{self.id}","id":"{self._awaited}","seen":{self._awaited - 1},'
            f'"action":"{action}"}}'
        )

    def hear(self, socket: Socket, message: bytes, now: float) -> None:
        """Something happened, as one of the sockets received it."""
        found = NUMBER.search(message)
        assert found
        number = int(found[1])
        if b'"legal":["' in message:
            self._legal = socket, message
        if not self._sent:  # before the start, and between games
            self._awaited = max(self._awaited, number)
            if b'"kind":"dealt"' in message[:160]:
                self._heard += 1
                if self._heard == SEATS:
                    self._plan(now)
            return
        if number != self._awaited:
            Figures.now.odd += 1
            return
        self._heard += 1
        if b'"finished":{' in message:
            socket.send(f'{{"type":"ready","table":"{self.id}"}}')
        if self._heard == SEATS:
            figures = Figures.now
            figures.latencies.append((now, now - self._sent))
            self._sent = 0.0
            self._heard = 0
            if self._legal is None:
                figures.games += 1  # the next deal makes the table go on
            else:
                self._plan(now)

    def _plan(self, now: float) -> None:
        """The next action is due a period after the last was, or at once if that is over."""
        self._planned = max(now, self._planned + Figures.now.period)
        self._heard = 0
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


# --- Measuring ------------------------------------------------------------------------------------------


class Crowd:
    """All players of a server."""

    def __init__(self, server: Server, game: str) -> None:
        self.server = server
        self.game = game
        self.tables: list[BusyTable] = []
        self.memory: dict[str, Any] = {"after start": server.rss()}

    async def grow(self, count: int, period: float) -> None:
        """Have so many tables in all, and let the new ones play."""
        first = len(self.tables)
        new = count - first
        if new <= 0:
            return
        rss = self.server.rss
        tokens: list[str] = [""] * (new * SEATS)
        sockets: list[Any] = [None] * (new * SEATS)
        tables: list[Any] = [None] * new
        with http_connections(self.server, AT_ONCE) as pool:

            async def arrive(number: int) -> None:
                http = pool.pop()
                tokens[number] = await http.new_guest(f"Player {first * SEATS + number}")
                pool.append(http)

            async def connect(number: int) -> None:
                sockets[number] = await Socket.open(self.server, tokens[number])

            async def sit(number: int) -> None:
                http = pool.pop()
                mine = tokens[number * SEATS : (number + 1) * SEATS]
                plan = {"game": self.game, "seats": [{"kind": "invited"}] * SEATS, "rounds": 10}
                made = await http.post("/api/tables", plan, mine[0])
                for token in mine[1:]:
                    await http.post(f"/api/tables/{made['id']}/join", {"invite": made["invite"]}, token)
                pool.append(http)
                tables[number] = BusyTable(made["id"], sockets[number * SEATS : (number + 1) * SEATS])

            async def watch(number: int) -> None:
                await tables[number].watch()

            await spread(len(tokens), arrive, "guests")
            guests = rss()
            await spread(len(sockets), connect, "sockets")
            await asyncio.sleep(1)
            idle = rss()
            await spread(new, sit, "tables")
            seated = rss()
            await spread(new, watch, "players entering")
            await asyncio.sleep(1)
            watching = rss()
        if not self.tables:
            self.memory |= {
                "after guests": guests,
                "with idle sockets": idle,
                "with tables": seated,
                "watching": watching,
                "per idle socket": (idle - guests) / (new * SEATS),
                "per table": (watching - idle) / new,
            }
        self.tables += tables
        for table in tables:
            table.start(period)

    async def measure(self, seconds: float) -> dict[str, Any]:
        """Let everybody play, and tell how it went."""
        figures, server = Figures.now, self.server
        await self._wait(max(3.0, 2 * figures.period), "warming up")
        figures.clear()
        began, cpu, own = time.perf_counter(), server.cpu(), time.process_time()
        await self._wait(seconds, f"{len(self.tables):,} tables")
        took = time.perf_counter() - began
        latencies = sorted(latency for _, latency in figures.latencies)
        actions = len(latencies)
        used = server.cpu() - cpu
        return {
            "tables": len(self.tables),
            "sockets": len(self.tables) * SEATS,
            "seconds": round(took, 1),
            "actions": actions,
            "actions a second": round(actions / took, 1),
            "games": figures.games,
            "latency ms": percentiles(latencies),
            "server cpu": round(used / took, 3),
            "server cpu ms an action": round(1000 * used / max(1, actions), 3),
            "server rss": server.rss(),
            "generator cpu": round((time.process_time() - own) / took, 3),
            "generator timer lag ms": percentiles(sorted(figures.lags)),
            "generator behind plan ms": percentiles(sorted(figures.behind)),
            "refused": len(figures.refused),
            "lost sockets": figures.lost,
            "odd numbers": figures.odd,
        }

    async def _wait(self, seconds: float, about: str) -> None:
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            progress(f"{about}: {left:.0f} s left, {len(Figures.now.latencies):,} actions")
            await asyncio.sleep(min(1.0, left))

    def leave(self) -> None:
        Figures.now.stopping = True
        for table in self.tables:
            for socket in table.sockets:
                socket.close()


def percentiles(rising: Sequence[float]) -> dict[str, float]:
    """Of seconds, in milliseconds."""
    if not rising:
        return {}
    last = len(rising) - 1
    places = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    return {name: round(1000 * rising[round(place * last)], 2) for name, place in places.items()}


async def load(server: Server, counts: Sequence[int], options: Options) -> dict[str, Any]:
    """Measure with more and more tables, until an action is too slow."""
    Figures.now = Figures(options.period)
    crowd = Crowd(server, options.game)
    runs: list[dict[str, Any]] = []
    lag = asyncio.create_task(watch_lag())
    for count in counts:
        await crowd.grow(count, options.period)
        run = await crowd.measure(options.seconds)
        runs.append(run)
        show(run)
        if options.find and run["latency ms"]["p99"] >= 1000 * AIM_SECONDS:
            break
    lag.cancel()
    crowd.memory["playing"] = server.rss()
    show_memory(crowd.memory)
    if Figures.now.refused:
        say(f"refused, for example: {Figures.now.refused[0]}")
    crowd.leave()
    await asyncio.sleep(0.5)
    kept = [run["tables"] for run in runs if run["latency ms"]["p99"] < 1000 * AIM_SECONDS]
    say(f"p99 below {1000 * AIM_SECONDS:.0f} ms: {max(kept, default=0):,} tables")
    return {"runs": runs, "memory": crowd.memory, "most tables": max(kept, default=0)}


# --- Many finished tables -------------------------------------------------------------------------------


async def finish(server: Server, count: int, every: int) -> dict[str, Any]:
    """Have bots finish many tables: a person starts a game against a bot, and leaves at once."""
    samples: list[dict[str, Any]] = []
    started = 0
    with http_connections(server, 5) as pool:
        token = await pool[0].new_guest("Host")
        asker, *workers = pool

        async def figures() -> tuple[int, int, int]:
            """Games finished, tables in memory, entries written."""
            text = (await asker.ask("GET", "/metrics"))[1].decode()
            return (
                total(text, "lynxden_games_finished_total"),
                total(text, "lynxden_tables"),
                total(text, "lynxden_entries_total"),
            )

        async def begin(http: Http) -> None:
            made = await http.post("/api/play", {"game": "linko", "players": 2, "speed": "instant"}, token)
            await http.post(f"/api/tables/{made['id']}/leave", None, token)

        finished, mark, began = 0, 0, time.perf_counter()
        while finished < count:
            wanted = min(count - started, FINISHING - (started - finished))
            while wanted > 0:
                batch = workers[:wanted]
                await asyncio.gather(*map(begin, batch))
                started += len(batch)
                wanted -= len(batch)
            await asyncio.sleep(0.05)
            finished, held, entries = await figures()
            progress(f"{finished:,} of {count:,} tables finished")
            if finished >= mark:
                mark = finished // every * every + every
                sample = {"finished": finished, "rss": server.rss(), "tables in memory": held}
                samples.append(sample)
                say(
                    f"{finished:>8,} tables finished   {sample['rss'] / 2**20:7.1f} MiB   "
                    f"{held:,} in memory   {entries:,} entries"
                )
        took = time.perf_counter() - began
        await asyncio.sleep(30)  # tables that nobody needs are put away after some 20 seconds
        finished, held, entries = await figures()
        samples.append({"finished": finished, "rss": server.rss(), "tables in memory": held})
        say(f"half a minute later: {server.rss() / 2**20:.1f} MiB, {held:,} tables in memory")
    half = [sample["rss"] for sample in samples[len(samples) // 2 :]]
    return {
        "finished": finished,
        "seconds": round(took, 1),
        "entries a second": round(entries / took),
        "growth in the second half": max(half) - half[0],
        "samples": samples,
    }


def total(text: str, name: str) -> int:
    """The sum of a metric over its labels."""
    found = re.findall(rf"(?m)^{name}(?:{{[^}}]*}})? ([0-9.e+]+)$", text)
    return round(sum(map(float, found)))


# --- Telling --------------------------------------------------------------------------------------------


def progress(text: str) -> None:
    if sys.stderr.isatty():
        typer.echo(f"\r\033[K{text}", nl=False, err=True)


def say(text: str) -> None:
    progress("")
    typer.echo(text)


def show(run: dict[str, Any]) -> None:
    """One measurement for people."""

    def times(name: str) -> str:
        return "  ".join(f"{place} {value:.1f}" for place, value in run[name].items())

    say(
        f"{run['tables']:,} tables, {run['sockets']:,} sockets, {run['actions a second']:,} actions a second "
        f"for {run['seconds']} s, {run['games']} games ended\n"
        f"  latency, ms          {times('latency ms')}\n"
        f"  server               {run['server cpu']:.0%} of a processor, "
        f"{run['server cpu ms an action']:.3f} ms an action, {run['server rss'] / 2**20:.0f} MiB\n"
        f"  players              {run['generator cpu']:.0%} of a processor\n"
        f"    timers late, ms    {times('generator timer lag ms')}\n"
        f"    behind plan, ms    {times('generator behind plan ms')}\n"
        f"  refused {run['refused']}, lost sockets {run['lost sockets']}, odd numbers {run['odd numbers']}"
    )


def show_memory(memory: dict[str, Any]) -> None:
    for name, value in memory.items():
        say(f"  memory {name:18} {value / 1024:10,.1f} KiB")


# --- The command ----------------------------------------------------------------------------------------


class Options(msgspec.Struct, frozen=True):
    """What the command was asked for."""

    seconds: float
    period: float
    game: str
    find: bool


def cores() -> tuple[int | None, int | None]:
    """A processor for the server and one for the players; None where they cannot be chosen."""
    if not hasattr(os, "sched_getaffinity"):
        return None, None
    found = sorted(os.sched_getaffinity(0))
    if len(found) < 2:
        raise SystemExit("two processors are needed: one for the server, one for the players")
    return found[0], found[1]


def raise_limits() -> None:
    """As many open files as the system allows; the server inherits it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def main(
    tables: Annotated[int, typer.Option(help="Tables of four players.")] = 1000,
    seconds: Annotated[float, typer.Option(help="How long to measure, each time.")] = 30,
    period: Annotated[float, typer.Option(help="Seconds between the actions of a table.")] = 1,
    game: Annotated[str, typer.Option(help="linko or blocco.")] = "linko",
    find: Annotated[bool, typer.Option("--find", help="Add tables until p99 is 50 ms or more.")] = False,
    step: Annotated[int, typer.Option(help="--find: tables more each time.")] = 250,
    most: Annotated[int, typer.Option(help="--find: tables at most.")] = 4000,
    finished: Annotated[int, typer.Option(help="Instead: have bots finish so many tables.")] = 0,
    every: Annotated[int, typer.Option(help="--finished: tables between two looks at memory.")] = 500,
    database: Annotated[str, typer.Option(help="postgresql://… instead of SQLite.")] = "",
) -> None:
    """Measure one server process under load."""
    raise_limits()
    server_core, own_core = cores()
    if own_core is not None:
        os.sched_setaffinity(0, {own_core})
    options = Options(seconds, period, game, find)
    with tempfile.TemporaryDirectory(prefix="lynxden-load-") as data:
        server = Server(data, server_core, database)
        try:
            if finished:
                found = uvloop.run(finish(server, finished, every))
            else:
                counts = range(step, most + 1, step) if find else [tables]
                found = uvloop.run(load(server, counts, options))
        finally:
            server.stop()
    found = {
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "command": " ".join(sys.argv),
        **found,
    }
    typer.echo(json.dumps(found))


if __name__ == "__main__":
    typer.run(main)
