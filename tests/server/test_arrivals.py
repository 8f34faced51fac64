"""While many people come at once, bots let them in first; but they do not wait for ever."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path

import pytest

from lynxden.server.live import arrivals
from tests.server.kit import Client, free_data, run, serving

GAME = {"edition": "classic", "players": 3, "bots": ["greedy", "greedy"], "speed": "instant"}


def test_bots_wait_while_many_are_on_their_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "PATIENCE", 60.0)

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            await ann.connect()
            with ExitStack() as on_their_way:
                for _ in range(arrivals.FEW + 1):
                    on_their_way.enter_context(server.live.tables.arrivals.one())
                table = await _begin(ann)
                assert await _bot_moves(ann, within=0.5) is False
            assert await _bot_moves(ann, within=10)
            with ExitStack() as on_their_way:
                for _ in range(arrivals.FEW):
                    on_their_way.enter_context(server.live.tables.arrivals.one())
                assert server.live.tables.loaded[table].leased
                await asyncio.wait_for(server.live.tables.arrivals.pass_by(), 1)

    run(story())


def test_bots_lose_their_patience(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "PATIENCE", 0.3)

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            await ann.connect()
            with ExitStack() as on_their_way:
                for _ in range(100):
                    on_their_way.enter_context(server.live.tables.arrivals.one())
                await _begin(ann)
                assert await _bot_moves(ann, within=10)

    run(story())


async def _begin(ann: Client) -> str:
    """A game in which a bot is to move."""
    table: str = (await ann.post("/api/play", GAME))["id"]
    shown = await ann.watch(table)
    legal = shown["game"]["own"]["legal"]
    if legal:
        await ann.act(table, legal[0], shown["number"])
    return table


async def _bot_moves(ann: Client, within: float) -> bool:
    try:
        async with asyncio.timeout(within):
            await ann.next("happened", lambda message: message["what"].get("by") == "bot")
    except TimeoutError:
        return False
    return True
