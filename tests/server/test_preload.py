"""What a successor has read before it takes over is only a beginning: the log says how it goes on."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from lynxden.server.errors import Code, Refusal
from lynxden.server.live.preload import are_few, preload
from lynxden.server.store.core import Tx, open_store
from lynxden.server.table.state import read_log
from tests.server.kit import free_data, run, serving

GAME = {"edition": "duel", "bots": ["greedy"], "speed": "instant"}


def test_a_preloaded_table_is_as_its_log_says(tmp_path: Path) -> None:
    async def story() -> None:
        url = free_data(tmp_path)
        rng = random.Random(1)
        async with serving(url) as server, await server.arrive() as ann:
            await ann.connect()
            table = (await ann.post("/api/play", GAME))["id"]
            shown = await ann.watch(table)
            while not (legal := shown["game"]["own"]["legal"]):
                shown = await ann.next("happened", lambda message: "game" in message)
            before = await preload(url)
            assert list(before) == [table]
            number = shown.get("number") or shown["what"]["number"]
            answer = await ann.act(table, rng.choice(legal), number)
            assert answer["type"] == "ack"
        async with serving(url) as server:
            server.live.tables.expect(dict(before))
            found = (await server.live.tables.get(table)).state
            assert found.last >= answer["number"] > before[table].last
            log = await server.live.context.store.read(_bodies, table)
            whole = read_log(table, log[: found.last])
            assert found.actions == whole.actions
            assert found.position == whole.position
            assert found.seats == whole.seats

    run(story())


def test_running_tables_are_few_or_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lynxden.server.live.preload.FEW", 1)

    async def story() -> None:
        url = free_data(tmp_path)
        async with serving(url) as server, await server.arrive() as ann:
            for few in (True, True, False):
                assert await are_few(url) is few
                await ann.post("/api/play", GAME)

    run(story())


def test_a_table_that_was_deleted_meanwhile_is_gone(tmp_path: Path) -> None:
    async def story() -> None:
        url = free_data(tmp_path)
        async with serving(url) as server, await server.arrive() as ann:
            table = (await ann.post("/api/play", GAME))["id"]
            before = await preload(url)
        store = await open_store(url)
        await store.write(_delete, table)
        await store.close()
        async with serving(url) as server:
            server.live.tables.expect(before)
            with pytest.raises(Refusal, match="no table") as refusal:
                await server.live.tables.get(table)
            assert refusal.value.code is Code.NOT_FOUND

    run(story())


def _bodies(tx: Tx, table: str) -> list[str]:
    return [body for (body,) in tx.all("SELECT body FROM entries WHERE table_id = ? ORDER BY number", table)]


def _delete(tx: Tx, table: str) -> None:
    tx.run("DELETE FROM entries WHERE table_id = ?", table)
    tx.run("DELETE FROM tables WHERE id = ?", table)
