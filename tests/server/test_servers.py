"""Several servers on one PostgreSQL: one table, wherever people are connected."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from lynxden.server.live.actor import LiveTable
from lynxden.server.live.tables import KEEP
from lynxden.server.store import games, tables
from lynxden.server.store.core import open_store
from lynxden.server.table import entries
from tests.server.clock import FakeClock
from tests.server.kit import SECONDS, Client, Message, Process, Running, run, serving
from tests.server.postgres import Postgres, start_postgres

OPEN = {"kind": "open"}
BOT = {"kind": "bot", "bot": "greedy"}
QUICK: dict[str, Any] = {"beat": 0.2, "lease": 1.0}
SLOW: dict[str, Any] = {"beat": 30.0, "lease": 100.0}
"""So that nothing is found out by a heartbeat alone."""


@asynccontextmanager
async def two(database: str, **settings: Any) -> AsyncIterator[tuple[Running, Running]]:
    async with serving(database, **settings) as a, serving(database, **settings) as b:
        yield a, b


async def also_at(client: Client, url: str) -> Client:
    """The same person on another server."""
    http = httpx.AsyncClient(base_url=url, cookies=client.http.cookies, timeout=SECONDS)
    return Client(url, http, client.me)


async def watching(client: Client, table: str, invite: str = "") -> Message:
    await client.connect()
    return await client.watch(table, invite=invite)


async def pair(a: Running, b: Running, **options: Any) -> tuple[Client, Client, str, Message, Message]:
    """Ann at one server and Ben at the other, at one table that has just started."""
    ann, ben = await a.arrive("Ann"), await b.arrive("Ben")
    body = {"edition": "classic", "seats": [OPEN, OPEN], "speed": "instant", "public": True, **options}
    made = await ann.post("/api/tables", body)
    await ben.post(f"/api/tables/{made['id']}/join", {})
    first = await watching(ann, made["id"])
    second = await watching(ben, made["id"])
    return ann, ben, made["id"], first, second


async def stored(database: str, table: str) -> list[entries.AnyEntry]:
    """The log, straight from the database."""
    store = await open_store(database)
    try:
        rows = await store.read(tables.entries, table, 0)
    finally:
        await store.close()
    assert [number for number, _ in rows] == list(range(1, len(rows) + 1))
    return [entries.decode(body) for _, body in rows]


async def until(condition: Any, seconds: float = SECONDS) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


async def close(*clients: Client) -> None:
    for client in clients:
        await client.close()


class Follower:
    """What one socket is told of one table, in order."""

    def __init__(self, client: Client, shown: Message) -> None:
        self.client = client
        self.table = shown["info"]["id"]
        self.seen: int = shown["number"]
        self.game: Message = shown["game"]
        self.told: list[tuple[int, str]] = []

    async def upto(self, number: int) -> None:
        """Hear everything up to an event."""
        while self.seen < number:
            message = await self.client.next("happened", lambda message: message["table"] == self.table)
            what = message["what"]
            assert what["number"] == self.seen + 1, "an event was skipped or repeated"
            self.seen = what["number"]
            self.told.append((self.seen, what["kind"]))
            self.game = message.get("game") or self.game

    @property
    def legal(self) -> list[str]:
        found: list[str] = self.game["own"]["legal"]
        return found


# --- Telling --------------------------------------------------------------------------------------------


def test_a_table_made_at_one_server_is_listed_joined_and_watched_at_the_other(postgres: Postgres) -> None:
    async def story() -> None:
        async with two(postgres.new_database(), **SLOW) as (a, b):
            ann, ben, eve = await a.arrive("Ann"), await b.arrive("Ben"), await b.arrive("Eve")
            await eve.connect()
            await eve.send({"type": "lobby"})
            assert (await eve.next("lobby"))["tables"] == []
            body = {"edition": "classic", "seats": [OPEN, OPEN], "public": True}
            made = await ann.post("/api/tables", body)
            key = made["id"]
            joined = await ben.post(f"/api/tables/{key}/join", {})  # at once
            assert joined["seat"] == 1
            await until(lambda: a.live.tables.loaded[key].state.phase == "running")
            assert a.live.tables.loaded[key].leased
            assert not b.live.tables.loaded[key].leased
            lobby = await eve.next("lobby")
            while lobby["tables"]:  # it may have been seen before Ben came
                lobby = await eve.next("lobby")
            shown = [await watching(who, key) for who in (ann, ben)]
            await eve.watch(key)
            assert [message["seat"] for message in shown] == [0, 1]
            await ann.send({"type": "say", "table": key, "text": "Hello over there"})
            for who in (ann, ben, eve):
                line = (await who.next("chat"))["line"]
                assert (line["name"], line["text"]) == ("Ann", "Hello over there")
            await ben.send({"type": "say", "table": key, "phrase": "hello"})
            for who in (ann, ben, eve):
                assert (await who.next("chat"))["line"]["phrase"] == "hello"
            await close(ann, ben, eve)

    run(story())


def test_both_servers_tell_the_same_and_take_actions(postgres: Postgres) -> None:
    database = postgres.new_database()

    async def story() -> None:
        rng = random.Random(1)
        async with two(database, **SLOW) as (a, b):
            ann, ben, key, first, second = await pair(a, b)
            eve, kim = await a.arrive("Eve"), await b.arrive("Kim")
            everybody = [
                Follower(ann, first),
                Follower(ben, second),
                Follower(eve, await watching(eve, key)),
                Follower(kim, await watching(kim, key)),
            ]
            players = everybody[:2]
            for who in everybody:
                await who.upto(a.live.tables.loaded[key].state.last)
            while not everybody[0].game.get("finished"):
                decider = next(who for who in players if who.legal)
                answer = await decider.client.act(key, rng.choice(decider.legal), decider.seen)
                assert answer["type"] == "ack", answer
                for who in everybody:
                    await who.upto(answer["number"])
            assert len({str(who.told[-20:]) for who in everybody}) == 1
            assert len({str(who.game["finished"]) for who in everybody}) == 1
            await close(ann, ben, eve, kim)
        log = await stored(database, key)
        acted = [number for number, entry in enumerate(log, 1) if isinstance(entry, entries.Acted)]
        assert [number for number, kind in everybody[0].told if kind == "acted"] == acted

    run(story())


def test_entries_that_were_not_received_are_read(postgres: Postgres) -> None:
    """A server that misses notifications, and gets some twice, still shows every event once and in order."""

    async def story() -> None:
        rng = random.Random(2)
        async with two(postgres.new_database(), **SLOW) as (a, b):
            ann, ben, key, first, second = await pair(a, b)
            receive, reads = b.live.cluster._about_table, 0
            loaded = b.live.tables.loaded[key]
            catch_up = loaded._catch_up

            def unsteady(table: LiveTable, what: str) -> None:
                for _ in range(rng.choice([0, 1, 1, 2])):
                    receive(table, what)

            async def counted() -> bool:
                nonlocal reads
                reads += 1
                return await catch_up()

            b.live.cluster._about_table = unsteady  # type: ignore[method-assign]
            loaded._catch_up = counted  # type: ignore[method-assign]
            players = [Follower(ann, first), Follower(ben, second)]
            for _ in range(60):
                here = a.live.tables.loaded[key].state
                if here.deciding is None:
                    break
                if here.deciding == 0:
                    await players[0].upto(here.last)
                    answer = await ann.act(key, rng.choice(players[0].legal), players[0].seen)
                else:
                    await players[0].upto(here.last)
                    assert here.position is not None
                    action = str(rng.choice(here.position.legal_actions))
                    answer = await ben.act(key, action, here.last)
                assert answer["type"] == "ack", answer
                await until(lambda number=answer["number"]: a.live.tables.loaded[key].state.last >= number)
            await loaded.catch_up()
            await players[1].upto(loaded.state.last)
            assert [number for number, _ in players[1].told] == list(
                range(second["number"] + 1, loaded.state.last + 1)
            )
            assert 0 < reads < 60, "either nothing was missed, or everything was read"
            await close(ann, ben)

    run(story())


# --- Everybody at once ----------------------------------------------------------------------------------


def test_nothing_is_done_twice_though_everybody_acts_everywhere_at_once(postgres: Postgres) -> None:
    """Whoever decides sends the action to both servers, and another one; whoever does not decide acts too."""
    database = postgres.new_database()

    async def answer(client: Client, key: str, action: str, seen: int, name: str) -> Message:
        message = {"type": "act", "table": key, "id": name, "seen": seen, "action": action}
        await client.send(message)
        while True:
            message = await client.receive()
            if message["type"] in ("ack", "refused") and message["id"] == name:
                return message

    async def story() -> None:
        rng = random.Random(2)
        acked: dict[str, int] = {}
        async with two(database, **SLOW) as (a, b):
            ann, ben, key, _, _ = await pair(a, b)
            ann_b, ben_a = await also_at(ann, b.url), await also_at(ben, a.url)
            await watching(ann_b, key)
            await watching(ben_a, key)
            sockets = {0: (ann, ann_b), 1: (ben, ben_a)}
            step = 0
            while True:
                shown = await ann.get(f"/api/tables/{key}"), await ben.get(f"/api/tables/{key}")
                if shown[0]["game"].get("finished"):
                    break
                seen, step = max(each["number"] for each in shown), step + 1
                seat = next(n for n in (0, 1) if shown[n]["game"]["own"]["legal"])
                legal = shown[seat]["game"]["own"]["legal"]
                here, there = sockets[seat]
                other = sockets[1 - seat]
                same, rival = rng.choice(legal), rng.choice(legal)
                answers = await asyncio.gather(
                    answer(here, key, same, seen, f"s{step}"),
                    answer(there, key, same, seen, f"s{step}"),
                    answer(other[0], key, rival, seen, f"o{step}"),
                )
                assert [found["type"] for found in answers[:2]] == ["ack", "ack"], answers
                assert answers[0]["number"] == answers[1]["number"]
                assert answers[2]["code"] in ("out-of-turn", "stale", "not-running"), answers
                acked[f"s{step}"] = answers[0]["number"]
            await close(ann, ben, ann_b, ben_a)
            ratings = await a.live.context.store.read(games.ratings_of, ann.id)
            assert [rating.games for rating in ratings.values()] == [1], "the game was rated once"
        log = await stored(database, key)
        found = {e.id: n for n, e in enumerate(log, 1) if isinstance(e, entries.Acted)}
        assert found == acked
        assert sum(isinstance(entry, entries.Acted) for entry in log) == len(acked)

    run(story())


def test_of_two_decisions_for_one_seat_one_is_stored(postgres: Postgres) -> None:
    database = postgres.new_database()

    async def story() -> None:
        async with two(database, **SLOW) as (a, b):
            ann, ben, key, first, _ = await pair(a, b)
            ann_b = await also_at(ann, b.url)
            shown = await watching(ann_b, key)
            legal = first["game"]["own"]["legal"]
            answers = await asyncio.gather(
                ann.act(key, legal[0], shown["number"], "here"),
                ann_b.act(key, legal[-1], shown["number"], "there"),
            )
            assert sorted(answer["type"] for answer in answers) == ["ack", "refused"]
            refused = next(answer for answer in answers if answer["type"] == "refused")
            assert refused["code"] in ("stale", "out-of-turn")
            await close(ann, ben, ann_b)
        assert sum(isinstance(entry, entries.Acted) for entry in await stored(database, key)) == 1

    run(story())


def test_an_action_repeated_at_the_other_server_is_acknowledged_and_not_done_again(
    postgres: Postgres,
) -> None:
    database = postgres.new_database()

    async def story() -> None:
        async with two(database, **SLOW) as (a, b):
            ann, ben, key, first, _ = await pair(a, b)
            action = first["game"]["own"]["legal"][0]
            done = await ann.act(key, action, first["number"], "once")
            assert done["type"] == "ack", done
            ann_b = await also_at(ann, b.url)
            await watching(ann_b, key)
            again = await ann_b.act(key, action, first["number"], "once")
            assert again == done
            await close(ann, ben, ann_b)
        assert sum(isinstance(entry, entries.Acted) for entry in await stored(database, key)) == 1

    run(story())


def test_a_server_that_lags_behind_does_not_refuse_wrongly(postgres: Postgres) -> None:
    """Ben sits down at a server that has not heard yet that the seat became free."""

    async def story() -> None:
        async with two(postgres.new_database(), **SLOW) as (a, b):
            ann, ben, kim = await a.arrive("Ann"), await a.arrive("Ben"), await b.arrive("Kim")
            body = {"edition": "basic", "seats": [OPEN, OPEN, OPEN], "public": True}
            key = (await ann.post("/api/tables", body))["id"]
            await ben.post(f"/api/tables/{key}/join", {"seat": 1})
            await kim.get(f"/api/tables/{key}")  # now the other server has it in memory
            b.live.cluster._receive = lambda _: None  # type: ignore[method-assign, assignment]
            b.live.tables.loaded[key].catch_up = b.live.tables.loaded[key].follow = _nothing  # type: ignore[method-assign]
            await ben.post(f"/api/tables/{key}/leave")
            joined = await kim.post(f"/api/tables/{key}/join", {"seat": 1})
            assert joined["seat"] == 1
            await close(ann, ben, kim)

    run(story())


async def _nothing() -> None:
    pass


# --- Who minds a table ----------------------------------------------------------------------------------


def test_a_server_that_stops_leaves_its_tables_to_the_other_at_once(postgres: Postgres) -> None:
    database = postgres.new_database()

    async def story() -> None:
        async with serving(database, **SLOW) as b:
            async with serving(database, **SLOW) as a:
                ann = await a.arrive("Ann")
                body = {"edition": "duel", "seats": [OPEN, BOT], "speed": "instant"}
                key = (await ann.post("/api/tables", body))["id"]
                ann_b = await also_at(ann, b.url)
                shown = await watching(ann_b, key)
                assert a.live.tables.loaded[key].leased
                assert not b.live.tables.loaded[key].leased
            await until(lambda: b.live.tables.loaded[key].leased, 2)
            follower = Follower(ann_b, shown)
            await follower.upto(b.live.tables.loaded[key].state.last)
            await _play_with_bot(follower, b, 6)
            await close(ann, ann_b)

    run(story())


async def _play_with_bot(follower: Follower, server: Running, decisions: int) -> None:
    """Decide so often; a bot that is minded answers in between."""
    table = server.live.tables.loaded[follower.table]
    for _ in range(decisions):
        await until(lambda: table.state.phase != "running" or table.state.deciding == 0)
        await follower.upto(table.state.last)
        if table.state.phase != "running":
            return
        answer = await follower.client.act(follower.table, follower.legal[0], follower.seen)
        assert answer["type"] == "ack", answer


def test_the_tables_of_a_killed_server_are_taken_over(postgres: Postgres) -> None:
    """Its people are gone, clocks start anew, and bots go on."""
    database = postgres.new_database()

    async def story() -> None:
        async with serving(database, **QUICK) as b:
            a = await asyncio.to_thread(
                Process, "--database", database, LYNXDEN_BEAT="0.2", LYNXDEN_LEASE="1.0"
            )
            with a:
                ann = await Client.arrive(a.url, "Ann")
                ben = await b.arrive("Ben")
                clock = {"kind": "decision", "seconds": 600}
                body = {
                    "edition": "classic", "seats": [OPEN, OPEN, BOT], "speed": "instant",
                    "public": True, "clock": clock,
                }  # fmt: skip
                key = (await ann.post("/api/tables", body))["id"]
                lone = (await ann.post("/api/tables", {"seats": [OPEN, OPEN], "edition": "duel"}))["id"]
                await watching(ann, key)
                await ann.watch(lone)
                await ben.post(f"/api/tables/{key}/join", {})
                await watching(ben, key)
                table = b.live.tables.loaded[key]
                await until(lambda: table.state.seats[0].here and table.state.seats[1].here)
                await asyncio.to_thread(a.kill)
                gone = await ben.happened("gone")
                assert gone["what"]["seat"] == 0
                assert not gone["info"]["seats"][0].get("here", False)
                await ben.happened("resumed")
                assert table.leased
                ann_b = await also_at(ann, b.url)
                follower = Follower(ann_b, await watching(ann_b, key))
                answer = await ann_b.act(key, follower.legal[0], follower.seen)
                assert answer["type"] == "ack"
                # Where nobody else was, too: nobody is there any more, so the table will be closed.
                await until(
                    lambda: (
                        lone in b.live.tables.loaded and not b.live.tables.loaded[lone].state.seats[0].here
                    )
                )
                row = await b.live.context.store.read(tables.get, lone)
                assert row is not None
                assert row.wake_at is not None
                await close(ann, ben, ann_b)

    run(story())


def test_a_table_put_away_by_one_server_is_minded_by_the_other(postgres: Postgres) -> None:
    database = postgres.new_database()

    async def story() -> None:
        clock = FakeClock()
        async with two(database, clock=clock, **SLOW) as (a, b):
            ann = await a.arrive("Ann")
            body = {"edition": "duel", "seats": [OPEN, BOT], "speed": "instant"}
            key = (await ann.post("/api/tables", body))["id"]
            ann_b = await also_at(ann, b.url)
            shown = await watching(ann_b, key)
            await clock.advance(KEEP)
            await a.live.cluster._put_away()
            assert key not in a.live.tables.loaded
            await until(lambda: b.live.tables.loaded[key].leased)
            follower = Follower(ann_b, shown)
            await _play_with_bot(follower, b, 4)
            await close(ann, ann_b)

    run(story())


def test_a_lease_whose_answer_was_lost_is_minded_all_the_same(postgres: Postgres) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with serving(postgres.new_database(), clock=clock, beat=5.0, lease=30.0) as a:
            ann = await a.arrive("Ann")
            body = {"edition": "duel", "seats": [OPEN, BOT], "speed": "instant"}
            key = (await ann.post("/api/tables", body))["id"]
            await clock.settle()
            a.live.tables.loaded[key].stop()  # the database says that it is ours, and nobody here minds it
            await clock.advance(4.9)
            assert not a.live.tables.loaded[key].leased
            await clock.advance(0.1)
            assert a.live.tables.loaded[key].leased
            a.live.tables.loaded[key].stop()
            del a.live.tables.loaded[key]  # not even in memory
            await clock.advance(5)
            assert a.live.tables.loaded[key].leased
            await close(ann)

    run(story())


@pytest.mark.parametrize("why", ["time", "absent"])
def test_a_bot_sits_in_once_though_two_servers_mind_the_clock(postgres: Postgres, why: str) -> None:
    database = postgres.new_database()

    async def story() -> None:
        clock = FakeClock()
        settings: dict[str, Any] = {**SLOW, "grace": 1.0, "absence": 20.0, "idle": 60.0}
        async with two(database, clock=clock, **settings) as (a, b):
            plan = {"kind": "decision", "seconds": 20} if why == "time" else {"kind": "none"}
            ann, ben, key, _, _ = await pair(a, b, clock=plan, speed="slow")
            here, there = a.live.tables.loaded[key], b.live.tables.loaded[key]
            await until(lambda: all(seat.here for seat in (*here.state.seats, *there.state.seats)))
            there.leased = True  # as if it had thought the other dead
            there.schedule()
            if why == "absent":
                await ann.close()
                await until(lambda: not here.viewers)
                await clock.advance(1)
                await until(lambda: not there.state.seats[0].here)
            await clock.advance(19.9)
            assert not here.state.seats[0].stand_in
            await clock.advance(0.1)
            stood = await ben.happened("stoodin")
            assert (stood["what"]["seat"], stood["what"]["by"]) == (0, why)
            await until(lambda: here.state.last == there.state.last)
            await clock.settle()
            await close(ann, ben)
        told = [type(e) for e in await stored(database, key) if isinstance(e, entries.StoodIn | entries.Back)]
        assert told == [entries.StoodIn]

    run(story())


# --- Who is there ---------------------------------------------------------------------------------------


def test_a_person_at_two_servers_is_there_until_both_are_left(postgres: Postgres) -> None:
    async def story() -> None:
        async with two(postgres.new_database(), **SLOW) as (a, b):
            ann, ben, key, _, _ = await pair(a, b)
            ann_b = await also_at(ann, b.url)
            await watching(ann_b, key)
            table = a.live.tables.loaded[key]
            await until(lambda: len(table.state.seats[0].servers) == 2)
            await ann.close()
            gone = await ben.happened("gone")
            assert gone["info"]["seats"][0]["here"] is True
            await ann_b.close()
            gone = await ben.happened("gone")
            assert not gone["info"]["seats"][0].get("here", False)
            await ben.close()

    run(story())


def test_a_server_that_was_thought_dead_says_that_its_people_are_there(postgres: Postgres) -> None:
    async def story() -> None:
        async with two(postgres.new_database(), **SLOW) as (a, b):
            ann, ben, key, _, _ = await pair(a, b)
            await until(lambda: a.live.tables.loaded[key].state.seats[1].here)
            await b.live.tables.loaded[key].miss({b.live.context.id})
            came = await ben.happened("came")
            while came["what"]["seat"] != 0:
                came = await ben.happened("came")
            await until(lambda: a.live.context.id in b.live.tables.loaded[key].state.seats[0].servers)
            await close(ann, ben)

    run(story())


# --- The database goes away -----------------------------------------------------------------------------


def test_a_restart_of_the_database_loses_nothing() -> None:
    with start_postgres() as own:
        database = own.new_database()

        async def story() -> None:
            async with two(database, **QUICK) as (a, b):
                ann, ben, key, first, second = await pair(a, b)
                here, there = Follower(ann, first), Follower(ben, second)
                last = a.live.tables.loaded[key].state.last
                await here.upto(last)
                await there.upto(last)
                action = here.legal[0]
                await asyncio.to_thread(own.program, "pg_ctl", "stop", "-w", "-m", "immediate", "-D", "data")
                refused = await ann.act(key, action, here.seen, "now")
                assert refused["code"] == "unavailable", refused
                answer = await ann.ask("GET", f"/api/tables/{key}")
                assert answer.status_code == 503
                await asyncio.to_thread(own.start)
                answers = [refused]
                while answers[-1]["type"] == "refused":
                    assert answers[-1]["code"] == "unavailable"
                    answers.append(await ann.act(key, action, here.seen, "now"))
                await here.upto(answers[-1]["number"])
                await there.upto(answers[-1]["number"])  # the other server listens again
                await ben.send({"type": "say", "table": key, "text": "Are you there?"})
                assert (await ann.next("chat"))["line"]["text"] == "Are you there?"
                await close(ann, ben)
            log = await stored(database, key)
            assert [entry.id for entry in log if isinstance(entry, entries.Acted)] == ["now"]

        run(story())
