"""What is done with is freed at once, also after errors: no cycles wait for a search through all objects."""

from __future__ import annotations

import asyncio
import gc
import random
import sqlite3
import time
import types
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from psycopg import OperationalError
from websockets.server import ServerProtocol

from lynxden.server.errors import Refusal
from lynxden.server.live.garbage import STEP, Garbage
from lynxden.server.live.jobs import Jobs
from lynxden.server.live.worker import NURSERY
from tests.server.kit import Client, Running, free_data, play_out, run, serving
from tests.server.postgres import Postgres

OTHERS = (OperationalError, sqlite3.Error, ServerProtocol)
"""Of libraries, and made for the server."""
SEATS = [{"kind": "invited"}, {"kind": "bot", "bot": "greedy"}]


class Knot:
    """Refers to itself."""

    freed = 0

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        Knot.freed += 1


def ours(garbage: list[object]) -> list[str]:
    """What of the garbage belongs to the server, by its type; of frames the function."""
    found = set()
    for each in garbage:
        kind = type(each)
        if kind is types.FrameType:
            assert isinstance(each, types.FrameType)
            if "lynxden/server" in each.f_code.co_filename:
                found.add(each.f_code.co_qualname)
        elif "lynxden.server" in kind.__module__ or issubclass(kind, OTHERS):
            found.add(str(kind))
    return sorted(found)


@contextmanager
def no_cycles() -> Iterator[None]:
    """Whatever of the server is left in cycles by the block fails the test."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield
        gc.collect()
        assert ours(gc.garbage) == []
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


async def closed(server: Running, sockets: int = 0) -> None:
    """Wait until no more sockets than that are open."""
    count = server.live.context.metrics.registry.get_sample_value
    while count("lynxden_sockets") != sockets:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)


def test_sockets_and_tables_leave_no_cycles(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            with no_cycles():
                async with await server.arrive("Ann") as ann, await server.arrive("Ben") as ben:
                    for client in (ann, ben):
                        await client.connect()
                    made = await ann.post(
                        "/api/tables", {"edition": "classic", "seats": SEATS, "speed": "instant"}
                    )
                    await ben.watch(made["id"], invite=made["invite"])
                    await play_out(ann, await ann.watch(made["id"]), random.Random(1))
                await closed(server)

    run(story())


def test_a_lost_database_leaves_no_cycles(postgres: Postgres) -> None:
    """Each error refers to all that waited for the answer: connections, tables, tasks."""

    async def story() -> None:
        async with serving(postgres.new_database(), beat=0.2) as server, await server.arrive("Ann") as ann:
            await ann.connect()
            made = await ann.post("/api/tables", {"edition": "classic", "seats": SEATS})
            shown = await ann.watch(made["id"])
            legal = shown["game"]["own"]["legal"]
            with no_cycles():
                await asyncio.to_thread(postgres.stop, "immediate")
                try:
                    for _ in range(20):
                        refused = await ann.act(made["id"], legal[0], shown["number"])
                        assert refused["code"] == "unavailable", refused
                        assert (await ann.ask("GET", "/api/me")).status_code == 503
                        assert (await ann.ask("GET", "/api/statistics")).status_code == 503
                    assert (await ann.ask("GET", "/readyz")).status_code == 503
                finally:
                    await asyncio.to_thread(postgres.start)
                await asyncio.sleep(0.5)

    run(story())


def test_errors_of_the_built_in_database_leave_no_cycles(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            store = server.live.context.store
            with no_cycles():
                for _ in range(5):
                    for work in (store.read, store.write, store.read_together, store.write_together):
                        with suppress(sqlite3.Error):
                            await work(_nonsense, 1)
                await asyncio.sleep(0.1)

    run(story())


def _nonsense(tx, *_):  # type: ignore[no-untyped-def]
    tx.all("SELECT nothing FROM nowhere")


def test_lost_and_late_workers_leave_no_cycles(tmp_path: Path) -> None:
    async def sleep(jobs: Jobs, limit: float) -> None:
        with suppress(Refusal):
            await jobs.run("test", time.sleep, 5.0, limit=limit)

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            with no_cycles():
                for _ in range(3):
                    await sleep(server.live.jobs, limit=0.05)
                lost = asyncio.create_task(sleep(server.live.jobs, limit=10))
                while not lost.done():
                    NURSERY._drop()  # its workers end with it
                    await asyncio.sleep(0.05)
                await lost
                del lost
                await asyncio.sleep(0.1)

    run(story())


@pytest.mark.parametrize("data", [b"\xff" * 4, b"\x81\x80", b"\x81\x85\0\0\0\0" + b"\xff" * 5])
def test_sockets_that_break_the_rules_leave_no_cycles(tmp_path: Path, data: bytes) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Ann") as ann:
            with no_cycles():
                rude = Client(ann.url, ann.http, ann.me)
                await rude.connect()
                assert rude.socket is not None
                rude.socket.transport.write(data)
                await asyncio.sleep(0.1)
                rude.socket.transport.abort()
                await closed(server)

    run(story())


def test_new_cycles_are_found_and_what_lives_is_set_aside() -> None:
    async def story() -> None:
        before = gc.get_threshold()
        garbage = Garbage()
        try:
            kept = [Knot() for _ in range(3)]
            Knot()
            frozen = gc.get_freeze_count()
            await asyncio.sleep(2 * STEP)
            assert Knot.freed == 1, "the one that nothing refers to"
            assert gc.get_freeze_count() > frozen
            assert not any(each is kept for each in gc.get_objects()), "it will not be looked through again"
            kept.clear()
            assert Knot.freed == 1, "cycles that were set aside wait for a full search"
            garbage._search_all()
            assert Knot.freed == 4
        finally:
            garbage.stop()
            gc.set_threshold(*before)
            gc.unfreeze()

    run(story())
