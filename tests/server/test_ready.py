"""A server is ready if its database keeps what is written."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import httpx
import psycopg
import pytest

from lynxden.server.live import readiness
from lynxden.server.live.kept import Kept
from tests.server.kit import Process, free_data, run, serving
from tests.server.postgres import Postgres

if sys.platform == "linux":
    import resource


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets one limit another process")
def test_a_full_disk_is_not_ready(tmp_path: Path) -> None:
    async def becomes(http: httpx.AsyncClient, status: int) -> None:
        for _ in range(100):
            answer = await http.get("/readyz")
            if answer.status_code == status:
                return
            await asyncio.sleep(0.1)
        raise AssertionError(f"still {answer.status_code}: {answer.text}")

    async def story(server: Process) -> None:
        async with httpx.AsyncClient(base_url=server.url) as http:
            await becomes(http, 200)
            limits = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (0, limits[1]))  # no file may grow
            await becomes(http, 503)
            assert (await http.get("/healthz")).status_code == 200
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, limits)
            await becomes(http, 200)

    with Process("--data", str(tmp_path)) as server:
        run(story(server))


FULL = """
CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON servers EXECUTE FUNCTION full_disk();
"""


def test_a_full_disk_of_postgresql(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "SECONDS", 0.0)
    url = postgres.new_database()

    async def story() -> None:
        async with serving(url) as server, httpx.AsyncClient(base_url=server.url) as http:
            assert (await http.get("/readyz")).text == "ready\n"
            with psycopg.connect(url, autocommit=True) as db:
                db.execute(FULL)
            answer = await http.get("/readyz")
            assert (answer.status_code, answer.text) == (503, "the database does not answer\n")
            with psycopg.connect(url, autocommit=True) as db:
                db.execute("DROP FUNCTION full_disk CASCADE")
            assert (await http.get("/readyz")).text == "ready\n"

    run(story())


def test_many_questions_are_one_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, httpx.AsyncClient(base_url=server.url) as http:
            store = server.live.context.store
            check, probes = store.check, []

            async def counted() -> None:
                probes.append(1)
                await asyncio.sleep(0.05)
                await check()

            monkeypatch.setattr(store, "check", counted)
            began = asyncio.get_running_loop().time()
            for _ in range(10):
                answers = await asyncio.gather(*(http.get("/readyz") for _ in range(20)))
                assert {answer.status_code for answer in answers} == {200}
            took = asyncio.get_running_loop().time() - began
            assert 1 <= len(probes) <= 1 + took / readiness.SECONDS

    run(story())


def test_a_database_that_hangs_is_not_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "PATIENCE", 0.1)

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, httpx.AsyncClient(base_url=server.url) as http:
            store = server.live.context.store
            goes_on, probes = asyncio.Event(), []

            async def hangs() -> None:
                probes.append(1)
                await goes_on.wait()

            monkeypatch.setattr(store, "check", hangs)
            for _ in range(3):
                assert (await http.get("/readyz")).status_code == 503
            assert len(probes) == 1, "one is in flight"
            goes_on.set()
            assert (await http.get("/readyz")).status_code == 200

    run(story())


def test_kept_answers() -> None:
    async def story() -> None:
        now, runs = [0.0], []

        async def find() -> int:
            runs.append(1)
            await asyncio.sleep(0)
            if len(runs) == 2:
                raise LookupError
            return len(runs)

        kept = Kept(find, 10, lambda: now[0])
        assert set(await asyncio.gather(kept.get(), kept.get(), kept.get())) == {1}
        now[0] = 9.9
        assert await kept.get() == 1
        now[0] = 10.0
        both = await asyncio.gather(kept.get(), kept.get(), return_exceptions=True)
        assert [type(each) for each in both] == [LookupError, LookupError]
        assert len(runs) == 2
        gone = asyncio.create_task(kept.get())
        await asyncio.sleep(0)
        stays = asyncio.create_task(kept.get())
        gone.cancel()
        assert await stays == 3, "an error is not kept, and others still get the answer"

    asyncio.run(story())
