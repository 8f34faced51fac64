"""How long a restart takes for people: a server with many games is stopped and started again.

    .venv/bin/python bench/restart.py                     1,000 tables, each one person and three bots
    .venv/bin/python bench/restart.py --tables 200 --database postgresql://…

People play for a while. Then the server gets SIGTERM, and as soon as it has ended, another is started on the
same port, as systemd does. Clients come back as the page does: after a close that says "restart" they try
about twice a second. Measured from the signal on: when the server had ended, when the new one was ready, when
each person saw their table again, and when a bot first moved there; and the same from the moment on at which
the server closed their socket. With --handover the server gets SIGUSR2 instead: the new one gets ready while
the old one serves, and the time from the signal on says little.
"""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
import time
from typing import Annotated, Any

import typer
import uvloop
from client import (
    NUMBER,
    Figures,
    Http,
    Server,
    Socket,
    http_connections,
    percentiles,
    progress,
    raise_limits,
    say,
    spread,
)

LIMITS = {
    "LYNXDEN_REQUESTS": "0",
    "LYNXDEN_GUESTS_PER_HOUR": "0",
    "LYNXDEN_SOCKETS_PER_ADDRESS": "0",
    "LYNXDEN_CONNECTIONS_PER_ADDRESS": "0",
    "LYNXDEN_LOG_LEVEL": "warning",
}
"""Everybody here comes from one address."""
WAIT = 0.5
"""Seconds between two attempts to connect, on average; the same as in the page."""
THINKS = 1.0
"""Seconds that a person takes for a decision."""
ENOUGH = 60.0
"""Seconds after which those who are not back are counted as lost."""


class Person:
    """Somebody at a table with bots."""

    def __init__(self, server: Server, token: str, table: str) -> None:
        self.server = server
        self.token = token
        self.table = table
        self.socket: Socket
        self.seen = 0
        self.sent = 0
        self.closed = 0.0
        """When the server closed the socket."""
        self.back: float | None = None
        """When the table was seen again, in seconds after the signal."""
        self.bot_moved: float | None = None
        self.signal = 0.0
        self._entered: asyncio.Future[None]

    async def enter(self) -> None:
        self.socket = await Socket.open(self.server, self.token)
        self._entered = asyncio.get_running_loop().create_future()
        self.socket.table = _Place(self)
        self.socket.send(f'{{"type":"watch","table":"{self.table}","seen":{self.seen}}}')
        await self._entered

    async def come_back(self) -> None:
        """Try again and again, as the page does."""
        self.closed = await self.socket.lost
        while True:
            await asyncio.sleep(WAIT * (0.7 + 0.6 * random.random()))
            try:
                await self.enter()
            except (OSError, ConnectionError):
                continue
            self.back = time.perf_counter() - self.signal
            return

    def shown(self, message: bytes) -> None:
        found = NUMBER.findall(message)
        self.seen = max(self.seen, *map(int, found)) if found else self.seen
        if not self._entered.done():
            self._entered.set_result(None)
        self._think(message)

    def happened(self, message: bytes) -> None:
        found = NUMBER.search(message)
        assert found
        self.seen = int(found[1])
        if self.closed and self.bot_moved is None and b'"by":"bot"' in message:
            self.bot_moved = time.perf_counter() - self.signal
        self._think(message)

    def _think(self, message: bytes) -> None:
        if b'"legal":["' in message:
            start = message.index(b'"legal":[') + 8
            actions = message[start + 2 : message.index(b"]", start) - 1].split(b'","')
            pause = 0.05 if self.signal else THINKS * (0.5 + random.random())
            asyncio.get_running_loop().call_later(
                pause, self._act, random.choice(actions).decode(), self.seen
            )

    def _act(self, action: str, seen: int) -> None:
        if self.socket.closed:
            return  # the server has stopped meanwhile
        self.sent += 1
        self.socket.send(
            f'{{"type":"act","table":"{self.table}","id":"{self.token[:8]}{self.sent}","seen":{seen},'
            f'"action":"{action}"}}'
        )


class _Place:
    """What a socket's messages are about."""

    def __init__(self, person: Person) -> None:
        self._person = person

    def enter(self, socket: Socket, message: bytes) -> None:
        if socket is self._person.socket:
            self._person.shown(message)

    def receive(self, socket: Socket, message: bytes, now: float) -> None:  # noqa: ARG002
        if socket is self._person.socket:
            self._person.happened(message)

    def refuse(self, message: bytes) -> None:
        Figures.now.refused.append(message.decode())


async def restart(server: Server, tables: int, seconds: float, speed: str, again: Any) -> dict[str, Any]:
    """Play, stop the server, start another, and report when everybody was back."""
    Figures.now = Figures(1)
    people: list[Person] = []
    with http_connections(server, 32) as pool:

        async def sit(number: int) -> None:
            http: Http = pool.pop()
            token = await http.new_guest(f"Player {number}")
            made = await http.post("/api/play", {"game": "linko", "players": 4, "speed": speed}, token)
            pool.append(http)
            person = Person(server, token, made["id"])
            await person.enter()
            people.append(person)

        await spread(tables, sit, "tables")
    for left in range(round(seconds), 0, -1):
        progress(f"playing: {left} s left")
        await asyncio.sleep(1)
    Figures.now.stopping = True
    signal_at = time.perf_counter()
    for person in people:
        person.signal = signal_at
    stopping = asyncio.create_task(asyncio.to_thread(again))
    returning = [asyncio.create_task(person.come_back()) for person in people]
    ended, ready = await stopping
    cpu, own, began = server.cpu(), time.process_time(), time.perf_counter()
    await asyncio.wait(returning, timeout=ENOUGH)
    cpu, own, took = server.cpu() - cpu, time.process_time() - own, time.perf_counter() - began
    end = signal_at + ENOUGH
    while any(person.bot_moved is None for person in people) and time.perf_counter() < end:
        await asyncio.sleep(0.05)
    back = sorted(person.back for person in people if person.back is not None)
    moved = sorted(person.bot_moved for person in people if person.bot_moved is not None)
    away = sorted(person.back - (person.closed - signal_at) for person in people if person.back is not None)
    still = sorted(
        person.bot_moved - (person.closed - signal_at) for person in people if person.bot_moved is not None
    )
    found = {
        "tables": tables,
        "ended s": round(ended - signal_at, 2),
        "ready s": round(ready - signal_at, 2),
        "back ms": percentiles(back),
        "bot moved ms": percentiles(moved),
        "away ms": percentiles(away),
        "no bot for ms": percentiles(still),
        "until all were back": f"{took:.2f} s; the server's processor {cpu:.2f} s, the players' {own:.2f} s",
        "not back": tables - len(back),
        "no bot moved": tables - len(moved),
        "refused": len(Figures.now.refused),
    }
    say("\n".join(f"  {name:14} {value}" for name, value in found.items()))
    if Figures.now.refused:
        say(f"refused, for example: {Figures.now.refused[0]}")
    for person in people:
        person.socket.close()
    return found


def main(
    tables: Annotated[int, typer.Option(help="Tables of one person and three bots.")] = 1000,
    seconds: Annotated[float, typer.Option(help="How long to play before the restart.")] = 20,
    database: Annotated[str, typer.Option(help="postgresql://… instead of SQLite.")] = "",
    speed: Annotated[str, typer.Option(help="The pace of the bots; normal is a second.")] = "normal",
    handover: Annotated[bool, typer.Option("--handover", help="The new server gets ready before.")] = False,
) -> None:
    """Measure a restart."""
    raise_limits()
    with tempfile.TemporaryDirectory(prefix="lynxden-restart-") as data:
        server = Server(data, LIMITS, None, database)

        def again() -> tuple[float, float]:
            if handover:
                server.hand_over()
                return time.perf_counter(), time.perf_counter()
            server.stop()
            ended = time.perf_counter()
            server.start()
            return ended, time.perf_counter()

        try:
            found = uvloop.run(restart(server, tables, seconds, speed, again))
        finally:
            server.stop()
    typer.echo(json.dumps({"date": time.strftime("%Y-%m-%d"), **found}))


if __name__ == "__main__":
    typer.run(main)
