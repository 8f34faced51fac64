"""The event loop that never waits: who takes turns at the workers, and how late the loop is."""

from __future__ import annotations

import asyncio
import time

from prometheus_client import CollectorRegistry

from lynxden.server.live.jobs import Job, Queue
from lynxden.server.live.lateness import STEP, Lateness
from lynxden.server.metrics import Metrics
from tests.server.kit import run


def order(*jobs: tuple[str, str]) -> list[tuple[str, str]]:
    """The order in which jobs (kind and owner) are taken."""

    async def story() -> list[tuple[str, str]]:
        queue = Queue(100, 100)
        for kind, owner in jobs:
            queue.add(Job(kind, b"", owner, 1.0))
        found = []
        while (job := queue.take()) is not None:
            found.append((job.kind, job.owner))
        assert not queue
        return found

    return run(story())


def test_a_table_that_is_loaded_does_not_wait_for_all_bots() -> None:
    bot, load = ("bot", ""), ("load", "")
    assert order(bot, bot, bot, bot, load, load) == [bot, load, bot, load, bot, bot]


def late_for(metrics: Metrics, seconds: float) -> float:
    """How many samples were later than that, at an end of a bucket."""
    registry: CollectorRegistry = metrics.registry
    name = "lynxden_loop_late_seconds"
    below = registry.get_sample_value(f"{name}_bucket", {"le": str(seconds)})
    count = registry.get_sample_value(f"{name}_count")
    assert below is not None
    assert count is not None
    return count - below


def test_a_loop_that_is_held_up_is_late() -> None:
    """Every moment that passes meanwhile counts."""

    async def story() -> None:
        metrics = Metrics()
        lateness = Lateness(metrics.late)
        lateness.start()
        await asyncio.sleep(0.2)
        before = late_for(metrics, 0.1)
        time.sleep(0.3)
        await asyncio.sleep(2 * STEP)
        lateness.stop()
        assert late_for(metrics, 0.1) - before >= 0.19 / STEP
        count = metrics.registry.get_sample_value("lynxden_loop_late_seconds_count")
        await asyncio.sleep(5 * STEP)
        assert metrics.registry.get_sample_value("lynxden_loop_late_seconds_count") == count, "it stopped"

    run(story())
