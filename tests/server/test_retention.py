"""What is kept, and for how long: quotas of imports, deleted games, and what is deleted because of age."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from typing import Any

import httpx
import pytest

from lynxden.server.errors import Code
from lynxden.server.live import retention
from lynxden.server.store import bans, games, guests, reports, tables
from lynxden.server.store.bans import Ban
from lynxden.server.store.reports import Report
from tests.server.answers import check_problem, finished_record
from tests.server.clock import FakeClock
from tests.server.kit import Client, Running, play_out, run, serving

DAY = 86_400.0
SELDOM: dict[str, Any] = {"beat": 1e8, "lease": 1e9}
"""Heartbeats, so that weeks pass quickly."""


@pytest.fixture(autouse=True)
def _daily(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "EVERY", DAY)


# --- Imports ----------------------------------------------------------------------------------------------


def test_a_person_imports_so_many_games_and_no_more(database_url: str) -> None:
    async def story() -> None:
        async with (
            serving(database_url, imports_per_guest=3) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Ben") as ben,
        ):
            record = finished_record()
            bot = await ann.post("/api/me/bots", {"name": "Robo"})
            made = [(await ann.post("/api/records", record))["id"] for _ in range(2)]
            headers = {"Authorization": f"Bearer {bot['token']}"}
            async with httpx.AsyncClient(base_url=server.url, headers=headers) as program:
                assert (await program.post("/api/records", json=record)).status_code == 201
                check_problem(await program.post("/api/records", json=record), 409, Code.FULL)
            answer = await ann.ask("POST", "/api/records", record)
            check_problem(answer, 409, Code.FULL)
            assert "keeps 3 imported games" in answer.json()["text"]
            assert "delete some" in answer.json()["text"]
            await ben.post("/api/records", record)  # it is each person's own
            check_problem(await ben.ask("DELETE", f"/api/records/{made[0]}"), 404, Code.NOT_FOUND)
            assert (await ann.ask("DELETE", f"/api/records/{made[0]}")).status_code == 204
            check_problem(await ann.ask("DELETE", f"/api/records/{made[0]}"), 404, Code.NOT_FOUND)
            await ann.post("/api/records", record)

    run(story())


def test_imports_at_the_same_moment_are_all_counted(database_url: str) -> None:
    async def story() -> None:
        async with serving(database_url) as server, await server.arrive("Ann") as ann:
            store, ids = server.live.context.store, iter(range(1000))
            first = (await ann.post("/api/records", finished_record()))["id"]
            game = await store.read(games.get, first)
            assert game is not None

            async def one() -> bool:
                try:
                    return await store.write(games.add_imported, replace(game, id=f"g{next(ids)}"), 5)
                except Exception:
                    return False

            assert sum(await asyncio.gather(*(one() for _ in range(20)))) == 4

    run(story())


# --- Age --------------------------------------------------------------------------------------------------


async def finished_table(client: Client) -> str:
    made = await client.post(
        "/api/tables", {"seats": [{"kind": "invited"}, {"kind": "bot", "bot": "greedy"}], "speed": "instant"}
    )
    await play_out(client, await client.watch(made["id"]), random.Random(1))
    return str(made["id"])


async def left(server: Running) -> dict[str, Any]:
    store = server.live.context.store
    return {
        "tables": set(await store.read(tables.ids)),
        "guests": {known.guest.name for known in await store.read(guests.newest, 100)},
        "games": {game.table_id or game.id for game in await store.read(games.newest, games.Chosen(), 100)},
        "reports": {report.id for report in await store.read(reports.newest, 100, True)},
    }


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "deleted"])
def test_what_is_old_is_deleted_and_what_is_in_use_never(kept: bool, database_url: str) -> None:
    days: dict[str, Any] = {
        "keep_tables": 30.0,
        "keep_imports": 20.0,
        "keep_guests": 10.0,
        "keep_reports": 5.0,
    }
    chosen: dict[str, Any] = dict.fromkeys(days, 0.0) if kept else days

    async def story() -> None:
        clock = FakeClock()
        # A person who sits alone may be away for as long as they like.
        async with serving(database_url, clock=clock, alone=1e9, empty=1e9, **SELDOM, **chosen) as server:
            store = server.live.context.store
            people = [await server.arrive(name) for name in ("Ann", "Ben", "Cyd", "Stranger")]
            ann, ben, cyd, _ = people
            await store.write(bans.add, Ban(ben.id, "guest", "Ben", "", 0))
            await ann.connect()
            over, reported = [await finished_table(ann) for _ in range(2)]
            running = (await cyd.post("/api/play", {"speed": "slow"}))["id"]
            waiting = (await ann.post("/api/tables", {"seats": [{"kind": "open"}] * 3}))["id"]
            imported = (await ann.post("/api/records", finished_record()))["id"]
            report = Report("r1", 0, reported, 1, ann.id, "Ann", cyd.id, "Cyd", "name", "")
            await store.write(reports.add, report)
            await store.write(reports.add, replace(report, id="r2", table_id=over))
            await store.write(reports.resolve, "r2", "", clock.now())
            for each in people:
                await each.close()
            before = await left(server)
            await clock.advance(4 * DAY)
            assert await left(server) == before, "nothing is old yet"
            await clock.advance(40 * DAY)
            after = await left(server)
            assert {running, waiting} <= after["tables"], "never what is in use"
            assert {"Ann", "Ben", "Cyd"} <= after["guests"], "nor whoever has games, a ban or a seat"
            assert reported in after["tables"], "nor what an administrator still has to look at"
            assert {over, reported} <= after["games"], "games that were played here stay"
            if kept:
                assert after == before
            else:
                assert after["tables"] == {running, waiting, reported}
                assert after["guests"] == {"Ann", "Ben", "Cyd"}
                assert imported not in after["games"]
                assert after["reports"] == {"r1"}

    run(story())


def test_much_is_deleted_a_little_at_a_time(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "AT_ONCE", 3)

    async def story() -> None:
        clock = FakeClock()
        async with serving(database_url, clock=clock, keep_guests=10.0, **SELDOM) as server:
            for number in range(10):
                await (await server.arrive(f"P{number}")).close()
            await clock.advance(9 * DAY)
            await (await server.arrive("Late")).close()
            await clock.advance(2 * DAY)
            assert (await left(server))["guests"] == {"Late"}
            assert b'lynxden_deleted_total{what="guests"} 10.0' in server.live.context.metrics.text()

    run(story())
