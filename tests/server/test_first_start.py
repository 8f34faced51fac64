"""A start with an empty cache: what is compiled when, and what people notice of it."""

import asyncio
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import lynxden
from lynxden.games.jit import COMPILED
from lynxden.server.live.server import LiveServer
from lynxden.server.settings import Settings
from lynxden.server.store.core import open_store
from tests.server.kit import Client, play_out

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def test_a_bot_that_is_still_being_compiled_is_waited_for_and_then_replaced(tmp_path: Path) -> None:
    async def seconds(live: LiveServer, bot: str) -> tuple[float, float]:
        """How long a decision took, and how often the bot has been replaced."""
        began = time.monotonic()
        view = lynxden.new(seed=1).view(0)
        assert await live.thinkers.think(bot, view, 1) in map(str, view.legal_actions)
        return time.monotonic() - began, live.context.metrics.bots_replaced.labels(bot)._value.get()

    async def story() -> None:
        store = await open_store(f"sqlite:///{tmp_path}/lynxden.sqlite3")
        hasty, patient = (LiveServer(Settings(bot_limit=limit), store) for limit in (0.5, 60.0))
        hasty.thinkers.prepared = prepared = asyncio.Event()
        assert (await seconds(hasty, "hunter"))[1] == 0
        waited, replaced = await seconds(hasty, "lynx")
        assert waited >= 0.5
        assert replaced == 1
        patient.thinkers.prepared = prepared
        asyncio.get_running_loop().call_later(0.2, prepared.set)
        waited, replaced = await seconds(patient, "lynx")
        assert waited >= 0.2
        assert replaced == 0
        for live in (hasty, patient):
            await live.jobs.close()
        await store.close()

    asyncio.run(story())


def test_warm_finds_that_everything_is_there(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lynxden", "warm"]
    for _ in range(2):  # what the first compiles, if this machine is new, the second finds
        found = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        assert (found.returncode, found.stdout[:23]) == (0, "Everything is compiled "), found.stderr
    assert found.stderr == ""


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_at_a_first_start_games_are_played_at_once_while_everything_is_compiled(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    command = [sys.executable, "-m", "lynxden", "serve", "--port", "0", "--data", str(tmp_path / "data")]
    environment = {**ENVIRONMENT, "XDG_CACHE_HOME": str(cache)}
    environment.pop("NUMBA_CACHE_DIR", None)

    async def play(address: str, bot: str) -> None:
        async with await Client.arrive(address, "Ann") as ann:
            await ann.connect()
            bots = [{"kind": "bot", "bot": bot}] * 3
            for game in ("linko", "blocco"):
                asked = {"game": game, "seats": [{"kind": "open"}, *bots], "speed": "instant"}
                made = await ann.post("/api/tables", asked)
                assert await play_out(ann, await ann.watch(made["id"]), random.Random(1))

    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        try:
            address = re.search(r"http://\S+", server.stdout.readline())
            assert address is not None
            assert not list(cache.rglob("*.ready")), "this was to be before anything is compiled"
            asyncio.run(play(address[0], "hunter"))
            while "every bot is ready" not in (line := server.stderr.readline()):
                assert line, "the server ended"
            assert len(list(cache.rglob("*.ready"))) == 6
            asyncio.run(play(address[0], "lynx"))
        finally:
            server.terminate()
