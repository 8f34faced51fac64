"""Closed sockets and finished tables are freed at once: no cycles wait for a search through all objects."""

from __future__ import annotations

import asyncio
import gc
import random
from pathlib import Path

from lynxden.server.live.garbage import STEP, Garbage
from tests.server.kit import free_data, play_out, run, serving


class Knot:
    """Refers to itself."""

    freed = 0

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        Knot.freed += 1


def ours(garbage: list[object]) -> list[str]:
    """What of the garbage belongs to the server, by its type."""
    return sorted({str(type(each)) for each in garbage if "lynxden.server" in type(each).__module__})


def test_sockets_and_tables_leave_no_cycles(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            seats = [{"kind": "invited"}, {"kind": "bot", "bot": "greedy"}]
            async with await server.arrive("Ann") as ann, await server.arrive("Ben") as ben:
                gc.collect()
                gc.disable()
                gc.set_debug(gc.DEBUG_SAVEALL)
                for client in (ann, ben):
                    await client.connect()
                made = await ann.post(
                    "/api/tables", {"game": "linko", "edition": "classic", "seats": seats, "speed": "instant"}
                )
                await ben.watch(made["id"], invite=made["invite"])
                await play_out(ann, await ann.watch(made["id"]), random.Random(1))
            while server.live.context.metrics.registry.get_sample_value("lynxden_sockets"):
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
            gc.collect()
            assert ours(gc.garbage) == []

    try:
        run(story())
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


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
