"""A real server on a real port, and real clients, for tests."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx
import uvicorn
from websockets.asyncio.client import ClientConnection, connect

from lynxden.server.live.clock import Clock
from lynxden.server.live.server import LiveServer
from lynxden.server.serve import address_of, bind, config
from lynxden.server.settings import Settings
from lynxden.server.store.core import open_store
from tests.server.clock import FakeClock

Message = dict[str, Any]
T = TypeVar("T")
SECONDS = 20
"""How long a test waits for anything before it fails."""

FREE = {
    "requests": 0.0,
    "guests_per_hour": 0,
    "sockets_per_address": 0,
    "connections_per_address": 0,
    "messages": 1e9,
    "chat": 0.0,
    "open_tables_per_guest": 0,
    "open_tables_per_address": 0,
    "grace": 0.05,
}
"""Settings of tests that are not about limits."""


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a test's coroutine, but not for ever."""

    async def limited() -> T:
        return await asyncio.wait_for(work, 10 * SECONDS)

    return asyncio.run(limited())


class Running:
    """A server in this process, on a port of its own."""

    def __init__(self, live: LiveServer, url: str) -> None:
        self.live = live
        self.url = url

    async def arrive(self, name: str = "Ann") -> Client:
        return await Client.arrive(self.url, name)


@asynccontextmanager
async def serving(
    database: str,
    *,
    free: bool = True,
    clock: Clock | None = None,
    services: dict[str, Any] | None = None,
    **settings: Any,
) -> AsyncIterator[Running]:
    """Serve a database (of either kind) until the block ends; `services` replace those of `Context`."""
    clock = clock or Clock()
    chosen: dict[str, Any] = {**(FREE if free else {}), **settings}
    if database.startswith("postgres"):
        chosen["database"] = database
    store = await open_store(database)
    made = LiveServer(Settings(port=0, **chosen), store, clock=clock, **(services or {}))
    if isinstance(clock, FakeClock):
        clock.minds(made)
    await made.start()
    server = uvicorn.Server(config(made))
    listener = bind("127.0.0.1", 0)
    task = asyncio.create_task(server._serve(sockets=[listener]))  # without its signal handlers
    while not server.started:
        assert not task.done(), "the server did not start"
        await asyncio.sleep(0.01)
    try:
        yield Running(made, address_of(listener))
    finally:
        server.should_exit = True
        await asyncio.wait_for(task, SECONDS)


class Process:
    """A server in a process of its own: the command, as people start it."""

    def __init__(self, *flags: str, module: str = "lynxden", **environment: str) -> None:
        free = {f"LYNXDEN_{name.upper()}": str(value) for name, value in FREE.items()}
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, "serve", "--port", "0", *flags],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **free, **environment},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "ready" in line, f"the server did not start: {line}"
        self.url = line.rpartition(" ")[2].strip()

    def kill(self) -> None:
        """As if the power failed."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def stop(self) -> int:
        """As an operator stops it; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(SECONDS)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.kill()


class Client:
    """A person's program: HTTP with a cookie, and a socket."""

    def __init__(self, url: str, http: httpx.AsyncClient, me: Message) -> None:
        self.url = url
        self.http = http
        self.me = me
        self.socket: ClientConnection | None = None
        self.received: list[str] = []
        """Everything that came over the socket, as it came."""
        self._waiting: list[Message] = []
        self._number = 0

    @classmethod
    async def arrive(cls, url: str, name: str = "Ann", token: str = "") -> Client:
        """A new guest, or the owner of a token."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        http = httpx.AsyncClient(base_url=url, headers=headers, timeout=SECONDS)
        answer = await http.post("/api/me", json={"name": name})
        assert answer.status_code == 200, answer.text
        return cls(url, http, answer.json())

    @property
    def id(self) -> str:
        return str(self.me["id"])

    # --- HTTP -----------------------------------------------------------------------------------------

    async def ask(self, method: str, path: str, body: object = None) -> httpx.Response:
        return await self.http.request(method, path, json=body)

    async def post(self, path: str, body: object = None) -> Message:
        """A request that must succeed."""
        answer = await self.http.post(path, json=body)
        assert answer.is_success, f"{path}: {answer.text}"
        found: Message = answer.json() if answer.content else {}
        return found

    async def get(self, path: str) -> Any:
        answer = await self.http.get(path)
        assert answer.is_success, f"{path}: {answer.text}"
        return answer.json()

    # --- The socket -----------------------------------------------------------------------------------

    async def connect(self, **more: Any) -> Message:
        """Open the socket; the greeting."""
        headers = {}
        if "Authorization" in self.http.headers:
            headers["Authorization"] = self.http.headers["Authorization"]
        elif self.http.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        address = self.url.replace("http", "ws", 1) + "/api/socket"
        # Without a limit: a client that leaves much unread would not see the answer to its closing either.
        self.socket = await connect(
            address, additional_headers=headers, max_size=None, max_queue=None, **more
        )
        return await self.next("hello")

    async def send(self, message: object) -> None:
        assert self.socket is not None
        await self.socket.send(message if isinstance(message, str | bytes) else json.dumps(message))

    async def receive(self) -> Message:
        """The next message, of any kind."""
        if self._waiting:
            return self._waiting.pop(0)
        return await self._read()

    async def _read(self) -> Message:
        assert self.socket is not None
        text = await asyncio.wait_for(self.socket.recv(), SECONDS)
        assert isinstance(text, str)
        self.received.append(text)
        found: Message = json.loads(text)
        return found

    async def next(self, kind: str, where: Callable[[Message], bool] = lambda _: True) -> Message:
        """The next message of a kind; others that came before it wait for `receive`."""
        for place, message in enumerate(self._waiting):
            if message["type"] == kind and where(message):
                return self._waiting.pop(place)
        while True:
            message = await self._read()
            if message["type"] == kind and where(message):
                return message
            self._waiting.append(message)

    async def happened(self, kind: str) -> Message:
        """The next event of a kind; events before it are dropped."""
        while True:
            message = await self.next("happened")
            if message["what"]["kind"] == kind:
                return message

    async def watch(self, table: str, seen: int = 0, invite: str = "") -> Message:
        await self.send({"type": "watch", "table": table, "seen": seen, "invite": invite})
        return await self.receive_answer("table")

    async def receive_answer(self, kind: str) -> Message:
        """The answer to what was just sent; a refusal fails the test."""
        while True:
            message = await self.receive_any_of(kind, "refused")
            assert message["type"] == kind, message
            return message

    async def receive_any_of(self, *kinds: str) -> Message:
        for place, message in enumerate(self._waiting):
            if message["type"] in kinds:
                return self._waiting.pop(place)
        while True:
            message = await self._read()
            if message["type"] in kinds:
                return message
            self._waiting.append(message)

    async def act(self, table: str, action: str, seen: int, key: str = "") -> Message:
        """Act, and the answer: an ack or a refusal."""
        self._number += 1
        await self.send(
            {
                "type": "act",
                "table": table,
                "id": key or f"{self.id}-{self._number}",
                "seen": seen,
                "action": action,
            }
        )
        return await self.receive_any_of("ack", "refused")

    async def refused(self, message: object) -> Message:
        """Send something that must be refused; the refusal."""
        await self.send(message)
        return await self.next("refused")

    async def close(self) -> None:
        if self.socket is not None:
            await self.socket.close()
        await self.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


async def play_out(client: Client, table: Message, rng: random.Random) -> list[Message]:
    """Play random legal actions from a `table` message to the end of the game; every event on the way."""
    name, seen, game = table["info"]["id"], table["number"], table.get("game")
    events: list[Message] = []
    while True:
        if game is not None and game.get("finished"):
            return events
        legal = game["own"]["legal"] if game and game.get("own") else []
        if legal:
            answer = await client.act(name, rng.choice(legal), seen)
            assert answer["type"] == "ack", answer
        message = await client.next("happened", lambda message: message["table"] == name)
        events.append(message)
        assert message["what"]["number"] == seen + 1, "an event number was skipped or repeated"
        seen = message["what"]["number"]
        game = message.get("game") or (None if legal else game)


def free_data(tmp: Path) -> str:
    """The address of a fresh SQLite file."""
    return f"sqlite:///{tmp / 'lynxden.sqlite3'}"


LEAK = re.compile(
    r"Traceback|File \"|\.py\b|site-packages|/src/|/home/|lynxden\.|litestar|msgspec|0x[0-9a-f]{6}", re.I
)
"""What no answer may tell of the server's inside."""


def check_telling(text: str) -> None:
    """An answer must not tell of the server's inside."""
    found = LEAK.search(text)
    assert found is None, f"an answer tells {found[0]!r}: {text[:500]}"
