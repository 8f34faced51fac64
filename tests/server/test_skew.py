"""Servers whose clocks differ from that of the database which they share."""

from __future__ import annotations

import asyncio
import logging
import time

import httpx
import pytest

from lynxden.server.live.clock import Clock
from tests.server.kit import SECONDS, run, serving
from tests.server.postgres import Postgres


class Wrong(Clock):
    """A clock that is wrong by so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._wrong = round(seconds * 1000)

    def now(self) -> int:
        return time.time_ns() // 1_000_000 + self._wrong


@pytest.mark.parametrize(("seconds", "where"), [(30.0, "ahead of"), (-30.0, "behind")])
def test_a_wrong_clock_is_told(
    seconds: float, where: str, postgres: Postgres, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        database = postgres.new_database()
        async with (
            serving(database, clock=Wrong(seconds), beat=0.05, lease=100.0) as server,
            httpx.AsyncClient(base_url=server.url) as http,
        ):
            async with asyncio.timeout(SECONDS):
                while not server.live.skew.text():
                    await asyncio.sleep(0.02)
            await asyncio.sleep(0.5)  # some more heartbeats
            ready = await http.get("/readyz")
            assert ready.status_code == 200, "it is no reason to fail"
            assert ready.text.startswith("ready\n")
            assert f" s {where} the database's" in ready.text
            found = (await http.get("/metrics")).text
            line = next(line for line in found.splitlines() if line.startswith("lynxden_clock_skew_seconds "))
            assert abs(float(line.split()[1]) - seconds) < 1

    with caplog.at_level(logging.WARNING, "lynxden.server"):
        run(story())
    told = [record for record in caplog.records if "the clock of this server" in record.getMessage()]
    assert len(told) == 1, "once, not at every heartbeat"


def test_a_right_clock_is_not_worth_a_word(database_url: str, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        async with (
            serving(database_url, beat=0.05, lease=100.0) as server,
            httpx.AsyncClient(base_url=server.url) as http,
        ):
            await asyncio.sleep(0.5)
            assert (await http.get("/readyz")).text == "ready\n"
            assert abs(server.live.skew.seconds) < 1

    run(story())
    assert not [record for record in caplog.records if "the clock of this server" in record.getMessage()]
