"""A server gets a successor that is ready before it stops: nothing is lost, and nobody is refused."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from tests.server.kit import Client, Message, Process, run
from tests.server.postgres import Postgres

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="successors are found in /proc")
GAME = {"edition": "duel", "bots": ["greedy"], "speed": "instant"}


def successors(pid: int) -> list[int]:
    """The servers that a server has started."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [
            int(child) for child in children if b"\0serve\0" in Path(f"/proc/{child}/cmdline").read_bytes()
        ]
    except OSError:
        return []


async def successor_of(pid: int) -> int:
    async with asyncio.timeout(30):
        while not (found := successors(pid)):
            await asyncio.sleep(0.02)
    return found[0]


async def ended(pid: int) -> None:
    """Wait until a process is gone; it may be nobody's child any more."""
    async with asyncio.timeout(60):
        while Path(f"/proc/{pid}/fd").exists() and any(Path(f"/proc/{pid}").glob("fd/*")):
            await asyncio.sleep(0.02)


async def play(ann: Client, table: str, shown: Message, until: float) -> Message:
    """Act until it is too late or the server closes the socket; what was acknowledged last."""
    rng, last = random.Random(1), {"number": 0}
    while time.monotonic() < until and ann.socket is not None:
        legal = shown["game"]["own"]["legal"]
        try:
            if legal:
                answer = await ann.act(
                    table, rng.choice(legal), shown.get("number") or shown["what"]["number"]
                )
                if answer["type"] == "ack":
                    last = answer
                else:
                    assert answer["code"] == "stale", answer  # the bot was quicker
            shown = await ann.next("happened", lambda message: "game" in message)
        except ConnectionClosed:
            return last
        if shown["game"].get("finished"):
            break
    return last


async def closed(ann: Client) -> None:
    """Wait until the server closes the socket; the game may have ended before."""
    with suppress(ConnectionClosed):
        while True:
            await ann.receive()
    ann._waiting.clear()


def ears(folder: Path) -> socket.socket:
    """Where systemd would listen."""
    found = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    found.bind(str(folder / "notify"))
    found.settimeout(30)
    return found


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def test_another_server_takes_over(tmp_path: Path, kind: str, request: pytest.FixtureRequest) -> None:
    flags = ["--data", str(tmp_path / "data")]
    if kind == "postgres":
        postgres: Postgres = request.getfixturevalue("postgres")
        flags = ["--database", postgres.new_database()]

    async def story(server: Process, systemd: socket.socket) -> None:
        assert systemd.recv(100) == b"READY=1"
        ann = await Client.arrive(server.url)
        tables = [(await ann.post("/api/play", GAME))["id"] for _ in range(3)]
        pid = server.process.pid
        for table in tables:
            await ann.connect()
            shown = await ann.watch(table)
            os.kill(pid, signal.SIGUSR2)
            os.kill(pid, signal.SIGUSR2)  # once is enough
            after = await successor_of(pid)
            last = await play(ann, table, shown, time.monotonic() + 60)
            await closed(ann)
            assert ann.socket is not None
            assert ann.socket.close_code == 1012
            # At once, and at the first attempt: the socket that people connect to was never closed.
            await ann.connect()
            shown = await ann.watch(table)
            assert shown["number"] >= last["number"]
            await ended(pid)
            assert systemd.recv(100) == f"MAINPID={after}".encode()
            assert systemd.recv(100) == b"READY=1"
            assert successors(after) == []
            pid = after
            await ann.socket.close()
        await ann.close()
        os.kill(pid, signal.SIGTERM)
        await ended(pid)
        assert server.process.wait(5) == 0

    with ears(tmp_path) as systemd, Process(*flags, NOTIFY_SOCKET=str(tmp_path / "notify")) as server:
        try:
            run(story(server, systemd))
        finally:
            assert server.process.stdout is not None
            server.process.stdout.close()


def test_a_successor_that_fails_changes_nothing(tmp_path: Path) -> None:
    async def story(server: Process) -> None:
        ann = await Client.arrive(server.url)
        table = (await ann.post("/api/play", GAME))["id"]
        await ann.connect()
        shown = await ann.watch(table)
        for _ in range(2):
            os.kill(server.process.pid, signal.SIGUSR2)
            os.kill(await successor_of(server.process.pid), signal.SIGKILL)
            async with asyncio.timeout(20):
                while successors(server.process.pid):
                    await asyncio.sleep(0.05)
            await asyncio.sleep(0.2)
        last = await play(ann, table, shown, time.monotonic() + 1)
        assert last["number"] > 0
        assert (await ann.ask("GET", "/readyz")).text == "ready\n"
        await ann.close()

    with Process("--data", str(tmp_path / "data")) as server:
        run(story(server))
        assert server.stop() == 0


def test_who_is_stopped_stops_the_successor_that_is_not_ready(tmp_path: Path) -> None:
    async def story(server: Process) -> None:
        os.kill(server.process.pid, signal.SIGUSR2)
        after = await successor_of(server.process.pid)
        os.kill(server.process.pid, signal.SIGTERM)
        await ended(after)

    with Process("--data", str(tmp_path / "data")) as server:
        run(story(server))
        assert server.process.wait(20) == 0
        assert server.process.stdout is not None
        server.process.stdout.close()
