"""What a table waits for comes in its time, though somebody sets the wall clock meanwhile."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from lynxden.server.live.actor import LiveTable
from lynxden.server.live.clock import Moments
from lynxden.server.live.tables import KEEP
from lynxden.server.store import tables
from lynxden.server.table import entries
from tests.server.clock import FakeClock
from tests.server.kit import Client, Running, free_data, play_out, run, serving

OPEN = {"kind": "open"}
HOUR, YEAR = 3600.0, 365 * 86400.0
CALM: dict[str, Any] = {"beat": 600.0, "lease": 2400.0}
"""Few heartbeats."""
SET = pytest.mark.parametrize("jump", [-HOUR, HOUR], ids=["back", "forward"])
"""How somebody sets the wall clock."""


async def alone(server: Running, **plan: Any) -> tuple[Client, LiveTable]:
    """Somebody and a bot at a table; the bot has to act in a second."""
    ann = await server.arrive("Ann")
    made = await ann.post("/api/play", {"players": 2, "edition": "classic", "speed": "normal", **plan})
    await ann.connect()
    shown = await ann.watch(made["id"])
    table = server.live.tables.loaded[made["id"]]
    await until(lambda: table.state.seats[0].here)
    assert (await ann.act(table.id, shown["game"]["own"]["legal"][0], table.state.last))["type"] == "ack"
    assert table.state.deciding == 1
    return ann, table


async def pair(server: Running, **plan: Any) -> tuple[Client, Client, LiveTable]:
    """Two people at a table that has started; the first has to decide."""
    ann, ben = await server.arrive("Ann"), await server.arrive("Ben")
    body = {"seats": [OPEN, OPEN], "edition": "classic", "speed": "slow", "public": True, **plan}
    made = await ann.post("/api/tables", body)
    await ben.post(f"/api/tables/{made['id']}/join", {})
    for person in (ann, ben):
        await person.connect()
        await person.watch(made["id"])
    table = server.live.tables.loaded[made["id"]]
    await until(lambda: all(seat.here for seat in table.state.seats))
    assert table.state.deciding == 0
    return ann, ben, table


async def until(true: Any) -> None:
    while not true():
        await asyncio.sleep(0.001)


async def lose(client: Client, table: LiveTable) -> None:
    """A connection is lost, and the server has noticed it."""
    await client.close()
    await until(lambda: all(viewer.guest.id != client.id for viewer in table.viewers))


def stand_in(table: LiveTable, seat: int) -> str:
    """Why a bot sits in for somebody."""
    return table.state.seats[seat].stand_in


# --- Moments --------------------------------------------------------------------------------------------


def test_a_moment_counts_from_when_it_was_taken() -> None:
    async def story() -> None:
        clock = FakeClock()
        old, future = clock.now() - 5000, clock.now() + 60_000
        moments = Moments(clock, [old, future])
        assert (moments.since(old), moments.since(future)) == (5000, 0), "nothing was later than now"
        clock.set_wall(HOUR)
        await clock.advance(2)
        assert (moments.since(old), moments.since(future)) == (7000, 2000)
        at = clock.now()
        moments.note(at, [at, old])
        clock.set_wall(-2 * HOUR)
        await clock.advance(0.25)
        assert (moments.since(at), moments.since(old)) == (250, 7250)
        with pytest.raises(KeyError):
            moments.since(future)

    run(story())


# --- The wall clock is set ------------------------------------------------------------------------------


@SET
def test_a_bot_acts_in_its_time(tmp_path: Path, jump: float) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock, **CALM) as server:
            ann, table = await alone(server)
            last = table.state.last
            await clock.advance(0.4)
            clock.set_wall(jump)
            await clock.advance(0.599)
            assert table.state.last == last, "too early"
            await clock.advance(0.001)
            assert table.state.last == last + 1, "too late"
            acted = await ann.next("happened", lambda message: message["what"].get("by") == "bot")
            assert acted["what"]["seat"] == 1
            assert table.state.updated_at == clock.now(), "the log has wall time"
            await ann.close()

    run(story())


def test_a_game_with_bots_goes_on_whatever_the_wall_clock_does(tmp_path: Path) -> None:
    async def story() -> None:
        clock = FakeClock()
        rng = random.Random(1)
        async with serving(free_data(tmp_path), clock=clock, **CALM) as server:
            ann, table = await alone(server)
            while table.state.phase == "running":
                clock.set_wall(rng.choice([-YEAR, -HOUR, 0.1, HOUR, YEAR]))
                if table.state.deciding == 0:
                    position = table.state.position
                    assert position is not None
                    action = str(rng.choice(position.view(0).legal_actions))
                    assert (await ann.act(table.id, action, table.state.last))["type"] == "ack"
                else:
                    last = table.state.last
                    await clock.advance(1)
                    assert table.state.last == last + 1
            await ann.close()

    run(story())


@SET
def test_a_decision_lasts_as_long_as_its_clock_says(tmp_path: Path, jump: float) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock, **CALM) as server:
            ann, ben, table = await pair(server, clock={"kind": "decision", "seconds": 30})
            await clock.advance(10)
            clock.set_wall(jump)
            await clock.advance(10)
            for person in (ann, ben):
                assert (await person.get(f"/api/tables/{table.id}"))["game"]["clock"]["left"] == 10_000
            assert (await ben.watch(table.id))["game"]["clock"]["left"] == 10_000
            await clock.advance(9.999)
            assert not stand_in(table, 0)
            await clock.advance(0.001)
            stood = await ben.happened("stoodin")
            assert (stood["what"]["seat"], stood["what"]["by"]) == (0, "time")
            await ann.close()
            await ben.close()

    run(story())


@SET
def test_a_bank_loses_the_time_that_was_taken(tmp_path: Path, jump: float) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock, **CALM) as server:
            ann, ben, table = await pair(server, clock={"kind": "bank", "seconds": 60, "increment": 2})
            await clock.advance(5)
            clock.set_wall(jump)
            await clock.advance(5)
            legal = (await ann.get(f"/api/tables/{table.id}"))["game"]["own"]["legal"]
            assert (await ann.act(table.id, legal[0], table.state.last))["type"] == "ack"
            shown = (await ann.happened("acted"))["game"]["clock"]
            assert shown == {"seat": 1, "left": 62_000, "banks": [52_000, 62_000]}
            clock.set_wall(jump)
            await clock.advance(61.999)
            assert not stand_in(table, 1)
            await clock.advance(0.001)
            assert stand_in(table, 1) == "time"
            await ann.close()
            await ben.close()
            read = await server.live.context.store.read(tables.entries, table.id, 0)
            acted = [entry for _, body in read if isinstance(entry := entries.decode(body), entries.Acted)]
            assert acted[0].took == 10_000

    run(story())


@SET
def test_absence_counts_from_the_going(tmp_path: Path, jump: float) -> None:
    """Also if the time of the going is far from that of the present decision."""

    async def story() -> None:
        clock = FakeClock()
        settings: dict[str, Any] = {"grace": 10.0, "absence": 180.0, **CALM}
        async with serving(free_data(tmp_path), clock=clock, **settings) as server:
            ann, ben, table = await pair(server, clock={"kind": "decision", "seconds": 600})
            await lose(ben, table)
            await clock.advance(9.999)
            clock.set_wall(jump)
            assert table.state.seats[1].here
            await clock.advance(0.001)
            assert not table.state.seats[1].here
            await clock.advance(100)
            clock.set_wall(jump)
            while table.state.deciding == 0:
                legal = (await ann.get(f"/api/tables/{table.id}"))["game"]["own"]["legal"]
                assert (await ann.act(table.id, legal[0], table.state.last))["type"] == "ack"
            await clock.advance(79.999)
            assert not stand_in(table, 1)
            await clock.advance(0.001)
            assert stand_in(table, 1) == "absent"
            await ann.close()

    run(story())


@SET
def test_of_two_waits_the_one_that_is_over_first_counts(tmp_path: Path, jump: float) -> None:
    async def story() -> None:
        clock = FakeClock()
        settings: dict[str, Any] = {"grace": 10.0, "absence": 180.0, **CALM}
        async with serving(free_data(tmp_path), clock=clock, **settings) as server:
            ann, ben, table = await pair(server, clock={"kind": "decision", "seconds": 30})
            await lose(ben, table)
            await clock.advance(10)
            assert not table.state.seats[1].here
            clock.set_wall(jump)
            while table.state.deciding == 0:
                legal = (await ann.get(f"/api/tables/{table.id}"))["game"]["own"]["legal"]
                assert (await ann.act(table.id, legal[0], table.state.last))["type"] == "ack"
            await clock.advance(29.999)
            assert not stand_in(table, 1)
            await clock.advance(0.001)
            assert stand_in(table, 1) == "time"
            await ann.close()

    run(story())


@SET
def test_the_next_game_of_a_match_and_the_end_of_an_empty_table(tmp_path: Path, jump: float) -> None:
    async def story() -> None:
        clock = FakeClock()
        settings: dict[str, Any] = {"pause": 60.0, "empty": 300.0, **CALM}
        async with serving(free_data(tmp_path), clock=clock, **settings) as server:
            ann = await server.arrive("Ann")
            body = {"edition": "classic", "players": 2, "rounds": 1, "speed": "instant"}
            made = await ann.post("/api/play", body)
            left = await ann.post("/api/tables", {"public": True})
            await ann.connect()
            await play_out(ann, await ann.watch(made["id"]), random.Random(1))
            match, empty = (server.live.tables.loaded[each["id"]] for each in (made, left))
            assert match.state.between
            await clock.advance(30)
            clock.set_wall(jump)
            await clock.advance(29.999)
            assert match.state.between
            await clock.advance(0.001)
            assert not match.state.between
            await clock.advance(239.999)
            assert empty.state.phase == "open"
            await clock.advance(0.001)
            assert empty.state.phase == "closed"
            await ann.close()

    run(story())


# --- Tables from the log --------------------------------------------------------------------------------


@pytest.mark.parametrize("jump", [-HOUR, -YEAR])
def test_a_table_whose_log_is_ahead_of_the_wall_clock_does_not_wait_for_it(
    tmp_path: Path, jump: float
) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock, **CALM) as server:
            ann, table = await alone(server)
            token, last = str(ann.http.cookies["lynxden"]), table.state.last
            await ann.close()
        clock.set_wall(jump)
        async with serving(free_data(tmp_path), clock=clock, **CALM) as server:
            ann = await Client.arrive(server.url, token=token)
            assert (await ann.get(f"/api/tables/{table.id}"))["number"] <= last + 1
            await clock.advance(1)
            acted = [body for _, body in await server.live.context.store.read(tables.entries, table.id, last)]
            assert any('"by":"bot"' in body for body in acted), "no later than its own pace"
            await ann.close()

    run(story())


def test_a_table_is_put_away_when_nobody_needs_it(tmp_path: Path) -> None:
    async def story() -> None:
        clock = FakeClock()
        settings: dict[str, Any] = {"beat": 5.0, "lease": 30.0, "empty": 900.0}
        async with serving(free_data(tmp_path), clock=clock, **settings) as server:
            async with await server.arrive("Ann") as ann:
                key = (await ann.post("/api/tables", {"public": True}))["id"]
                await clock.advance(KEEP - 5)
                clock.set_wall(YEAR)  # nothing to do with it
                await clock.advance(4)
                assert key in server.live.tables.loaded
                clock.set_wall(-YEAR)
                await clock.advance(6)
                assert key not in server.live.tables.loaded
                await clock.advance(900)
                assert (await ann.get(f"/api/tables/{key}"))["info"]["phase"] == "closed"

    run(story())
