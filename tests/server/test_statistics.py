"""Statistics stay cheap however many games there are and however many people ask."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from lynxden.server.live import statistics
from lynxden.server.store import games
from lynxden.server.store.core import StoreUnavailable, Tx, open_store
from tests.server.kit import free_data, run, serving

MANY = """
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
INSERT INTO games (id, table_id, round, game, edition, record, finished_at, rated, imported_by)
SELECT 'game' || n, 'table' || n, 1, CASE n % 3 WHEN 0 THEN 'blocco' ELSE 'linko' END, 'classic',
    ?, n, 0, CASE n % 10 WHEN 0 THEN 'ann' END FROM numbers
"""


def many(tx: Tx, count: int) -> None:
    """So many finished games, each with a record of two kilobytes; every tenth from elsewhere."""
    tx.run(MANY, count, "x" * 2000)


def plan_of(tx: Tx) -> str:
    return str(
        tx.all(
            "EXPLAIN QUERY PLAN SELECT game, edition, count(*) FROM games WHERE imported_by IS NULL "
            "GROUP BY game, edition"
        )
    )


def test_games_are_counted_without_reading_them(tmp_path: Path) -> None:
    async def story() -> None:
        store = await open_store(free_data(tmp_path))
        try:
            assert "COVERING INDEX games_here" in await store.read(plan_of)
            await store.write(many, 100)
            counted = await store.read(games.counts)
            assert counted == {("blocco", "classic"): 30, ("linko", "classic"): 60}
        finally:
            await store.close()

    run(story())


def test_counting_is_done_once_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []
    counts = games.counts

    def counted(tx: Tx) -> dict[tuple[str, str], int]:
        runs.append(1)
        time.sleep(0.05)
        return counts(tx)

    monkeypatch.setattr(games, "counts", counted)

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            await asyncio.gather(*(ann.get("/api/statistics") for _ in range(30)))
            assert len(runs) == 1
            assert await ann.get("/api/statistics") == {"games": [], "tables": {}}
            assert len(runs) == 1

    run(story())


def test_old_figures_are_counted_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "SECONDS", 0.0)

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            assert (await ann.get("/api/statistics"))["tables"] == {}
            await ann.post(
                "/api/tables", {"game": "linko", "edition": "classic", "seats": [{"kind": "open"}] * 2}
            )
            assert (await ann.get("/api/statistics"))["tables"] == {"open": 1}
            await server.live.context.store.close()
            assert (await ann.ask("GET", "/api/statistics")).status_code == 503
            with pytest.raises(StoreUnavailable):
                await server.live.statistics.get()

    run(story())


@pytest.mark.slow
def test_two_hundred_thousand_games(tmp_path: Path) -> None:
    async def story() -> None:
        store = await open_store(free_data(tmp_path))
        try:
            await store.write(many, 200_000)
            for _ in range(3):
                began = time.perf_counter()
                counted = await store.read(games.counts)
                took = time.perf_counter() - began
                print(f"counted in {1000 * took:.1f} ms")
            assert sum(counted.values()) == 180_000
            assert took < 0.3
        finally:
            await store.close()

    run(story())
