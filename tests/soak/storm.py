"""Everything that can happen to servers, all at once: each kind of trouble comes at moments of its own."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path

from websockets.asyncio.client import connect

from tests.server.players import TROUBLE, Mortal, Player, Seat
from tests.server.postgres import Postgres
from tests.soak.server import WrongClock

STOP_SECONDS = 20
"""In which a server must have stopped: `TimeoutStopSec` of the service."""
START_SECONDS = 180
WRONG = 240_000
"""Milliseconds by which the clocks of all servers may be wrong."""
APART = 1_000
"""Milliseconds by which one may differ from the others."""


class Server(Mortal):
    """A server whose clock is wrong, and which is started again whenever it is down."""

    def __init__(self, name: str, database: str, folder: Path, **settings: float) -> None:
        super().__init__(
            ["--database", database], folder / f"{name}.log", module="tests.soak.server", **settings
        )
        self.name = name
        self.clock = WrongClock(folder / f"{name}.clock")
        self._environment["SOAK_CLOCK"] = str(self.clock.path)
        self.lock = asyncio.Lock()
        """Held by whoever does something to it."""

    def children(self) -> list[int]:
        """Its nursery and workers."""
        found, parents = [], [self.pid]
        while parents:
            parent = parents.pop()
            with suppress(OSError):
                text = Path(f"/proc/{parent}/task/{parent}/children").read_text()
                more = [int(word) for word in text.split()]
                found += more
                parents += more
        return found

    def memory(self) -> int:
        """Bytes of the server itself; 0 if it is not there."""
        with suppress(OSError, IndexError):
            return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        return 0


class Storm:
    """Troubles of all kinds, until it is told to end."""

    def __init__(
        self,
        seed: int,
        seconds: float,
        servers: Sequence[Server],
        postgres: Postgres,
        seats: Callable[[], Sequence[Seat]],
        problems: list[str],
    ) -> None:
        """`seats` are those that are taken at the time."""
        self.counts: Counter[str] = Counter()
        self.problems = problems
        self._seats = seats
        self._seed = seed
        self._servers = servers
        self._postgres = postgres
        self._began = time.monotonic()
        self._end = self._began + seconds
        self._half = self._began + seconds / 2
        self._wrong = 0
        self._held: set[asyncio.Task[None]] = set()
        self._database_down = 0.0
        """When the database was down last."""

    async def rage(self) -> None:
        """Let it come; returns when everything is up again."""
        kinds: dict[Callable[[random.Random], Awaitable[None]], float] = {
            self.kill: 25,
            self.restart: 40,
            self.freeze: 20,
            self.lose_a_worker: 20,
            self.database: 60,
            self.cut: 30,
            self.set_clocks: 10,
            self.set_one_clock: 15,
            self.slow_client: 3,
            self.half_open: 2,
        }
        # A short storm has some of everything too.
        most = (self._end - self._began) / 2
        await asyncio.gather(*(self._again(kind, min(mean, most)) for kind, mean in kinds.items()))
        for task in self._held:
            task.cancel()
        await asyncio.gather(*self._held, return_exceptions=True)

    async def _again(self, kind: Callable[[random.Random], Awaitable[None]], mean: float) -> None:
        name = kind.__name__
        rng = random.Random(f"{self._seed} {name}")
        await self._pause(rng.uniform(0, mean))
        while time.monotonic() < self._end:
            try:
                await kind(rng)
            except Exception as error:
                self.problems.append(f"{name}: {type(error).__name__}: {error}")
            await self._pause(rng.expovariate(1 / mean))

    async def _pause(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, min(seconds, self._end - time.monotonic())))

    # --- Servers --------------------------------------------------------------------------------------

    def _mortal(self, rng: random.Random) -> Server:
        """A server to be ended; in the second half one is spared, to see whether its memory grows."""
        spared = len(self._servers) - 1 if time.monotonic() > self._half else len(self._servers)
        return self._servers[rng.randrange(spared)]

    async def kill(self, rng: random.Random) -> None:
        server, away = self._mortal(rng), rng.choice((0.0, 1.0, 5.0, 15.0))
        async with server.lock:
            if server.pid is not None:
                await server.kill()
            self.counts["servers killed"] += 1
            await self._pause(away)
            await self.start(server)

    async def restart(self, rng: random.Random) -> None:
        server = self._mortal(rng)
        async with server.lock:
            if server.pid is None:
                return
            began = time.monotonic()
            code = await server.stop()
            took = time.monotonic() - began
            if code != 0:
                self.problems.append(f"server {server.name} stopped with exit code {code} after {took:.1f} s")
            self.counts["servers restarted"] += 1
            await self.start(server)

    async def start(self, server: Server) -> None:
        """As systemd does: again, if the database was down just then."""
        until = time.monotonic() + START_SECONDS
        while True:
            began = time.monotonic()
            try:
                await asyncio.wait_for(server.start(), START_SECONDS)
            except AssertionError:
                await server.end()
                if self._database_down < began - 1 or time.monotonic() > until:
                    raise
                self.counts["starts without a database"] += 1
                await asyncio.sleep(1)
            else:
                return

    async def freeze(self, rng: random.Random) -> None:
        server, seconds = rng.choice(self._servers), rng.choice((0.5, 3.0, 8.0, 15.0, 25.0))
        async with server.lock:
            pid = server.pid
            if pid is None:
                return
            os.kill(pid, signal.SIGSTOP)
            self.counts["servers stopped for a while"] += 1
            await self._pause(seconds)
            os.kill(pid, signal.SIGCONT)

    async def lose_a_worker(self, rng: random.Random) -> None:
        found = rng.choice(self._servers).children()
        if found:
            with suppress(ProcessLookupError):
                os.kill(rng.choice(found), signal.SIGKILL)
                self.counts["worker processes killed"] += 1

    # --- The database ---------------------------------------------------------------------------------

    async def database(self, rng: random.Random) -> None:
        mode, away = rng.choice(("fast", "immediate")), rng.choice((0.0, 0.0, 2.0, 8.0))
        self._database_down = time.monotonic() + 3600
        await asyncio.to_thread(self._postgres.stop, mode)
        await self._pause(away)
        await asyncio.to_thread(self._postgres.start)
        self._database_down = time.monotonic()
        self.counts[f"database restarted ({mode})"] += 1

    async def cut(self, _: random.Random) -> None:
        """Every connection of a server to the database breaks."""
        with suppress(Exception):  # it may be down just now
            await asyncio.to_thread(self._postgres.cut, self._postgres.url("test1"))
            self.counts["connections to the database cut"] += 1

    # --- Clocks ---------------------------------------------------------------------------------------

    async def set_clocks(self, rng: random.Random) -> None:
        """The clocks of all servers jump, forward or back."""
        step = rng.choice((-1, 1)) * round(rng.choice((500, 3_000, 15_000, 60_000, WRONG)) * rng.random())
        self._wrong = max(-WRONG, min(WRONG, self._wrong + step))
        for server in self._servers:
            server.clock.milliseconds = self._wrong
        self.counts["clocks set"] += 1

    async def set_one_clock(self, rng: random.Random) -> None:
        """One is a little off, as clocks are."""
        rng.choice(self._servers).clock.milliseconds = self._wrong + rng.randint(-APART, APART)
        self.counts["one clock set"] += 1

    # --- Clients --------------------------------------------------------------------------------------

    async def slow_client(self, rng: random.Random) -> None:
        """Somebody watches many tables, and reads nothing."""
        server, seconds, seats = rng.choice(self._servers), rng.uniform(5, 90), self._seats()
        seats = rng.sample(seats, min(16, len(seats)))
        self._hold(self._watch_and_sleep(server, seats, seconds, rng.random() < 0.5))
        self.counts["clients that read nothing"] += 1

    async def _watch_and_sleep(
        self, server: Server, seats: Sequence[Seat], seconds: float, vanish: bool
    ) -> None:
        lazy = Player("Lazy", lambda: server.url, 0, lambda: 0.0)
        await asyncio.wait_for(lazy.arrive(), 30)
        sock = socket.create_connection(("127.0.0.1", server.port), 5)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        sock.setblocking(False)
        async with connect(
            server.url.replace("http", "ws", 1) + "/api/socket",
            sock=sock,
            additional_headers=lazy.headers,
            max_queue=1,
            compression=None,
            ping_interval=None,
            close_timeout=0.1,
        ) as opened:
            for seat in seats:
                message = {"type": "watch", "table": seat.table, "invite": seat.invite}
                await opened.send(json.dumps(message))
            await asyncio.sleep(seconds)
            if vanish:
                opened.transport.abort()

    async def half_open(self, rng: random.Random) -> None:
        """A connection that stays where it is: nothing, half a head, half a body, half a frame."""
        server, seconds = rng.choice(self._servers), rng.uniform(1, 120)
        data = rng.choice((
            b"",
            b"GET /api/games HTTP/1.1\r\nHost: x\r\n",
            b"POST /api/me HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
            b"\x16\x03\x01\x02\x00\x01",
        ))  # fmt: skip
        self._hold(self._hang(server, data, seconds))
        self.counts["half-open connections"] += 1

    async def _hang(self, server: Server, data: bytes, seconds: float) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        try:
            writer.write(data)
            await asyncio.sleep(seconds)
        finally:
            writer.transport.abort()

    def _hold(self, work: Awaitable[None]) -> None:
        async def quietly() -> None:
            with suppress(*TROUBLE):
                await work

        task = asyncio.create_task(quietly())
        self._held.add(task)
        task.add_done_callback(self._held.discard)
