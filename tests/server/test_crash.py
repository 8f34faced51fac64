"""Servers are killed in the middle of everything, and nothing that was acknowledged is lost."""

from __future__ import annotations

import asyncio
import itertools
import random
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from lynxden.games.core import View
from lynxden.server.live import cluster
from lynxden.server.live.actor import RETRY, LiveTable
from lynxden.server.live.context import fresh_deal
from lynxden.server.live.tables import KEEP
from lynxden.server.settings import Settings
from lynxden.server.store import leases
from lynxden.server.store.core import Store, StoreUnavailable
from lynxden.server.table import clocks, entries
from lynxden.server.table.commands import Dealing, dealt, sit
from lynxden.server.table.plans import Clock, Plan, SeatPlan
from lynxden.server.table.state import TableState, first_state
from tests.server.clock import FakeClock
from tests.server.kit import Client, Message, Running, free_data, run, serving
from tests.server.players import Mortal, Player, Proof, check, set_up
from tests.server.postgres import Postgres

OPEN = {"kind": "open"}
BOT = {"kind": "bot", "bot": "greedy"}


class Storm:
    """So many kills are still to come; until then nobody plays too fast."""

    def __init__(self, kills: int, pace: float) -> None:
        self.kills = kills
        self.set_up = asyncio.Event()
        """All tables are made; few kills come before."""
        self._early = kills - max(1, kills // 8)
        self._pace = pace

    def pace(self) -> float:
        return self._pace if self.kills else 0.0

    async def next(self) -> None:
        """Wait for the moment of the next kill to come near."""
        if self.kills <= self._early:
            await self.set_up.wait()


async def play_through(
    players: list[Player],
    count: int,
    rng: random.Random,
    storm: Storm,
    reaper: Callable[[], Awaitable[None]],
    limit: float,
) -> None:
    """Make the tables and play them to the end, while servers die."""

    async def play() -> None:
        await set_up(players, count, rng)
        storm.set_up.set()
        await asyncio.gather(*(player.play() for player in players))

    tasks = [asyncio.ensure_future(play()), asyncio.ensure_future(reaper())]
    done, late = await asyncio.wait(tasks, timeout=limit, return_when=asyncio.FIRST_EXCEPTION)
    for task in late:
        task.cancel()
    await asyncio.gather(*late, return_exceptions=True)
    for task in done:
        task.result()
    stuck = {
        view.table: (view.seen, view.seat, view.pending)
        for player in players
        for view in player.seats.values()
        if not view.done
    }
    assert not late, f"games that did not end: {stuck}"


def no_errors(server: Mortal) -> None:
    assert "Traceback" not in server.log(), server.log()[-5000:]


# --- One server, SQLite ---------------------------------------------------------------------------------


async def one_server(folder: Path, count: int, kills: int, seed: int, limit: float) -> Proof:
    rng = random.Random(seed)
    storm = Storm(kills, 0.4)
    server = Mortal(["--data", str(folder)], folder / "log", absence=15, idle=15)
    players = [
        Player(f"P{number}", lambda: server.url, seed + number, storm.pace)
        for number in range(max(6, count // 4))
    ]
    for player in players:
        player.restless = 0.01

    async def reaper() -> None:
        while storm.kills:
            await storm.next()
            await asyncio.sleep(rng.uniform(0.3, 1.5))
            await server.kill()
            storm.kills -= 1
            if storm.kills and rng.random() < 0.25:  # and once more while it starts
                server.launch()
                await asyncio.sleep(rng.uniform(0.2, 1.5))
                await server.kill()
                storm.kills -= 1
            await server.start()

    await server.start()
    try:
        await play_through(players, count, rng, storm, reaper, limit)
        assert server.kills >= kills
        assert await server.stop() == 0
    finally:
        await server.end()
    no_errors(server)
    proof = await check(f"sqlite:///{folder / 'lynxden.sqlite3'}", players)
    print(f"{proof} kills={server.kills}")
    return proof


def test_killed_servers_lose_nothing(tmp_path: Path) -> None:
    proof = run(one_server(tmp_path, count=12, kills=3, seed=1, limit=150))
    assert proof.games == 12


@pytest.mark.slow
@pytest.mark.parametrize("seed", [11, 12])
def test_killed_servers_lose_nothing_in_a_hundred_games(tmp_path: Path, seed: int) -> None:
    proof = run(one_server(tmp_path, count=100, kills=16, seed=seed, limit=190))
    assert proof.games == 100


# --- Two servers, PostgreSQL ----------------------------------------------------------------------------


async def two_servers(database: str, folder: Path, count: int, kills: int, seed: int, limit: float) -> Proof:
    rng = random.Random(seed)
    storm = Storm(kills, 0.4)
    servers = [
        Mortal(["--database", database], folder / f"log{name}", beat=0.3, lease=1.5, absence=15, idle=15)
        for name in "ab"
    ]

    def where() -> str:
        return rng.choice([server for server in servers if server.up] or servers).url

    players = [Player(f"P{number}", where, seed + number, storm.pace) for number in range(max(6, count // 4))]
    for player in players:
        player.restless = 0.03  # and so they move from one server to the other

    async def reaper() -> None:
        while storm.kills:
            await storm.next()
            await asyncio.sleep(rng.uniform(0.3, 1.0))
            victim = rng.choice(servers)
            await victim.kill()
            storm.kills -= 1
            await asyncio.sleep(rng.uniform(0.0, 2.5))  # sometimes long enough to be thought dead
            await victim.start()

    await asyncio.gather(*(server.start() for server in servers))
    try:
        await play_through(players, count, rng, storm, reaper, limit)
        assert sum(server.kills for server in servers) >= kills
        assert [await server.stop() for server in servers] == [0, 0]
    finally:
        for server in servers:
            await server.end()
    for server in servers:
        no_errors(server)
    proof = await check(database, players)
    print(f"{proof} kills={sum(server.kills for server in servers)}")
    return proof


@pytest.mark.slow
def test_two_servers_stand_in_for_each_other(postgres: Postgres, tmp_path: Path) -> None:
    proof = run(two_servers(postgres.new_database(), tmp_path, count=8, kills=2, seed=1, limit=150))
    assert proof.games == 8


@pytest.mark.slow
def test_two_servers_stand_in_for_each_other_in_a_hundred_games(postgres: Postgres, tmp_path: Path) -> None:
    proof = run(two_servers(postgres.new_database(), tmp_path, count=100, kills=15, seed=21, limit=190))
    assert proof.games == 100


# --- Stopping in good order -----------------------------------------------------------------------------


def test_a_server_that_is_told_to_stop_says_so_and_its_games_go_on_after_a_restart(tmp_path: Path) -> None:
    async def story() -> None:
        server = Mortal(["--data", str(tmp_path)], tmp_path / "log")
        await server.start()
        try:
            async with await Client.arrive(server.url, "Ann") as ann:
                keys = []
                for game in ("linko", "blocco", "linko"):
                    body = {"game": game, "bots": ["greedy", "random"], "speed": "instant"}
                    keys.append((await ann.post("/api/play", body))["id"])
                await ann.connect()
                shown = {key: await ann.watch(key) for key in keys}
                for key in keys[:2]:
                    await _decide(ann, shown[key])
                started = asyncio.get_running_loop().time()
                code = await server.stop()
                assert code == 0
                assert asyncio.get_running_loop().time() - started < 5
                with pytest.raises(ConnectionClosed) as closed:
                    await ann.next("nothing more")
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == 1012
                await server.start()
                await ann.connect()
                for key in keys:
                    await _play_to_the_end(ann, key)
            assert await server.stop() == 0
        finally:
            await server.end()
        no_errors(server)

    run(story())


def test_bots_go_on_at_once_when_a_killed_server_is_back(tmp_path: Path) -> None:
    """Nobody else can use its database, so nobody waits for the dead one's lease to end."""

    async def story() -> None:
        server = Mortal(["--data", str(tmp_path)], tmp_path / "log", beat=20, lease=60)
        await server.start()
        try:
            async with await Client.arrive(server.url, "Ann") as ann:
                body = {"edition": "classic", "bots": ["greedy", "greedy"], "speed": "instant"}
                key = (await ann.post("/api/play", body))["id"]
                await server.kill()
                await server.start()
                await ann.connect()
                await _play_to_the_end(ann, key)
        finally:
            await server.end()
        no_errors(server)

    run(story())


async def _decide(client: Client, shown: Message) -> None:
    legal = shown["game"]["own"]["legal"]
    if legal:
        answer = await client.act(shown["info"]["id"], legal[0], shown["number"])
        assert answer["type"] == "ack", answer


async def _play_to_the_end(client: Client, key: str) -> None:
    """Play the first legal action again and again; bots must answer."""
    shown = await client.watch(key)
    seen, game, done = shown["number"], shown["game"], 0
    while client._waiting:  # told before this view, or of other tables
        client._waiting.pop()
    while not game.get("finished"):
        if game["own"]["legal"]:
            answer = await client.act(key, game["own"]["legal"][0], seen)
            assert answer["type"] == "ack", answer
            done, game = answer["number"], {"own": {"legal": []}}
        message = await client.next("happened", lambda message: message["table"] == key)
        seen = message["what"]["number"]
        if seen >= done:  # what was told before the action is out of date
            game = message.get("game") or game


# --- The database has trouble ---------------------------------------------------------------------------


class Trouble:
    """Makes a server's next write of a kind fail: before it is kept, or after, so that nobody knows."""

    def __init__(self, store: Store) -> None:
        self.kind = ""
        self.kept = False
        self._write = store.write
        self._write_together = store.write_together
        store.write = self.write  # type: ignore[method-assign]
        store.write_together = self.write_together  # type: ignore[method-assign]

    async def write(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return await self._try(self._write, fn, *args, **kwargs)

    async def write_together(self, fn: Callable[..., Any], item: Any) -> Any:
        return await self._try(self._write_together, fn, item)

    async def _try(self, write: Callable[..., Any], fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if not self.kind or self.kind not in fn.__name__:
            return await write(fn, *args, **kwargs)
        self.kind = ""
        if self.kept:
            await write(fn, *args, **kwargs)
        raise StoreUnavailable("trouble")

    def next(self, kind: str, kept: bool) -> None:
        self.kind, self.kept = kind, kept


async def _alone_with_a_bot(server: Running) -> tuple[Client, str, Message]:
    ann = await server.arrive("Ann")
    body = {"edition": "duel", "bots": ["greedy"], "speed": "instant"}
    key = (await ann.post("/api/play", body))["id"]
    await ann.connect()
    shown = await ann.watch(key)
    while not shown["game"]["own"]["legal"]:
        shown = await ann.watch(key)
    return ann, key, shown


def _acted(folder: Path, key: str) -> list[entries.Acted]:
    with closing(sqlite3.connect(folder / "lynxden.sqlite3")) as db:
        rows = db.execute("SELECT body FROM entries WHERE table_id = ? ORDER BY number", (key,)).fetchall()
    return [entry for (body,) in rows if isinstance(entry := entries.decode(body), entries.Acted)]


@pytest.mark.parametrize("kept", [False, True])
def test_actions_whose_storing_failed_are_repeated_and_done_once(tmp_path: Path, kept: bool) -> None:
    """Every action of a game is repeated until it is acknowledged; and the bots move in between."""

    async def story() -> None:
        async with serving(free_data(tmp_path), beat=30, lease=100) as server:
            trouble = Trouble(server.live.context.store)
            ann, key, shown = await _alone_with_a_bot(server)
            table = server.live.tables.loaded[key]
            ids = [f"a{number}" for number in range(500)]
            done: dict[str, int] = {}
            while table.state.phase == "running":
                if table.state.deciding != 0:
                    await asyncio.sleep(0.005)
                    continue
                name, seen = ids[len(done)], table.state.last
                assert table.state.position is not None
                action = str(table.state.position.view(0).legal_actions[0])
                trouble.next("append", kept)
                refused = await ann.act(key, action, seen, name)
                assert refused["code"] == "unavailable", refused
                assert (refused["table"], refused["id"]) == (key, name)
                answer = await ann.act(key, action, seen, name)
                assert answer["type"] == "ack", answer
                assert await ann.act(key, action, seen, name) == answer
                done[name] = answer["number"]
            numbers = [shown["number"]]
            while numbers[-1] < table.state.last:
                numbers.append((await ann.next("happened"))["what"]["number"])
            assert numbers == list(range(numbers[0], table.state.last + 1)), "all was told, in order"
            await ann.close()
        assert [entry.id for entry in _acted(tmp_path, key) if entry.by == "player"] == list(done)

    run(story())


def test_what_was_stored_without_an_answer_is_told_soon_though_nobody_repeats_it(tmp_path: Path) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock, beat=5, lease=30) as server:
            trouble = Trouble(server.live.context.store)
            ann, key, shown = await _alone_with_a_bot(server)
            trouble.next("append", True)
            refused = await ann.act(key, shown["game"]["own"]["legal"][0], shown["number"])
            assert refused["code"] == "unavailable"
            await clock.advance(5)
            assert (await ann.happened("acted"))["what"]["by"] == "player"
            await _play_to_the_end(ann, key)
            await ann.close()

    run(story())


@pytest.mark.parametrize("kept", [False, True])
def test_a_bot_whose_action_was_not_stored_tries_again(tmp_path: Path, kept: bool) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock, beat=30, lease=100) as server:
            trouble = Trouble(server.live.context.store)
            ann, key, _ = await _alone_with_a_bot(server)
            table = server.live.tables.loaded[key]
            real, asked = server.live.thinkers.think, 0

            async def think(bot: str, view: View, seed: int) -> str:
                nonlocal asked
                asked += 1
                if asked == 1:
                    trouble.next("append", kept)
                return await real(bot, view, seed)

            server.live.thinkers.think = think  # type: ignore[method-assign]
            while not asked:
                shown = await ann.get(f"/api/tables/{key}")
                await ann.act(key, shown["game"]["own"]["legal"][0], shown["number"])
                await clock.settle()
            assert trouble.kind == "", "the bot has tried"
            assert (asked, table.state.deciding) == (1, 1)
            await clock.advance(RETRY)
            assert table.state.deciding == 0
            assert asked > 1
            await ann.close()
        by_bot = [entry for entry in _acted(tmp_path, key) if entry.by == "bot"]
        assert 0 < len(by_bot) < asked, "one of its decisions was in vain, or stored before"

    run(story())


@pytest.mark.parametrize("kept", [False, True])
def test_a_table_is_minded_though_the_taking_of_its_lease_failed(tmp_path: Path, kept: bool) -> None:
    """Somebody asks again, finds the table in memory, and its bots move all the same."""

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Ann") as ann:
            body = {"edition": "classic", "bots": ["greedy", "greedy"], "speed": "instant"}
            key = (await ann.post("/api/play", body))["id"]
            cookie = ann.http.cookies["lynxden"]
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock, beat=5, lease=30) as server:
            ann = await Client.arrive(server.url, token=cookie)
            await ann.connect()
            trouble = Trouble(server.live.context.store)
            trouble.next(leases.take.__name__, kept)
            await ann.send({"type": "watch", "table": key})
            answer = await ann.receive_any_of("table", "refused")
            assert answer["type"] == "table" or answer["code"] == "unavailable"
            await clock.advance(5)
            await _play_to_the_end(ann, key)
            await ann.close()

    run(story())


def test_somebody_whose_coming_could_not_be_stored_counts_as_there_soon(tmp_path: Path) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock, beat=30, lease=100, grace=5) as server:
            trouble = Trouble(server.live.context.store)
            async with await server.arrive("Ann") as ann:
                key = (await ann.post("/api/tables", {"seats": [OPEN, OPEN], "edition": "duel"}))["id"]
                table = server.live.tables.loaded[key]
                await ann.connect()
                trouble.next("append", False)
                await ann.watch(key)
                await clock.settle()
                assert trouble.kind == ""
                assert not table.state.seats[0].here
                await clock.advance(RETRY)
                came = await ann.happened("came")
                assert came["info"]["seats"][0]["here"] is True
            trouble.next("append", False)
            while table.viewers:
                await asyncio.sleep(0.001)
            await clock.advance(5)  # and whose going could not, as gone
            assert trouble.kind == ""
            assert table.state.seats[0].here
            await clock.advance(RETRY)
            assert not table.state.seats[0].here

    run(story())


# --- In memory, and out of it ---------------------------------------------------------------------------


def test_who_looks_on_and_then_sits_down_counts_as_there(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            ann, ben = await server.arrive("Ann"), await server.arrive("Ben")
            body = {"seats": [OPEN, OPEN, OPEN], "edition": "basic", "public": True}
            key = (await ann.post("/api/tables", body))["id"]
            await ben.connect()
            await ben.watch(key)
            await ben.post(f"/api/tables/{key}/join", {"seat": 1})
            came = await ben.happened("came")
            assert came["info"]["seats"][1]["here"] is True
            await ann.close()
            await ben.close()

    run(story())


def test_a_table_put_away_while_somebody_holds_it_is_not_split(
    tmp_path: Path,
) -> None:
    """Whoever found it just before goes on with the copy that is in memory afterwards."""

    async def story() -> None:
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock, beat=30, lease=100) as server:
            live, real = server.live, server.live.tables.get
            old: list[LiveTable] = []

            async def at_the_worst_moment(name: str) -> LiveTable:
                table = await real(name)
                if not old:
                    old.append(table)
                    await clock.advance(KEEP)
                    await live.cluster._put_away()
                    assert name not in live.tables.loaded
                return table

            live.tables.get = at_the_worst_moment  # type: ignore[method-assign, assignment]
            ann, ben = await server.arrive("Ann"), await server.arrive("Ben")
            body = {"seats": [OPEN, OPEN], "edition": "duel", "public": True}
            key = (await ann.post("/api/tables", body))["id"]
            await ann.connect()
            await ann.watch(key)
            assert live.tables.loaded[key] is not old[0]
            assert live.tables.loaded[key].viewers
            await old[0].change(lambda state: sit(state, ben.id, "Ben", False, 1, "", 1, next_game))
            assert (await ann.happened("dealt"))["game"]["own"]["hand"]
            await ann.close()
            await ben.close()

    run(story())


def test_a_table_looked_for_while_it_is_made_is_not_split(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Ann") as ann:
            live, real = server.live, server.live.context.store.write
            found: list[asyncio.Task[LiveTable]] = []

            async def write(fn: Callable[..., Any], *args: Any) -> Any:
                answer = await real(fn, *args)
                if fn.__name__ == "_create":  # stored, and not yet in memory
                    found.append(asyncio.create_task(live.tables.get(args[0].id)))
                    await asyncio.sleep(0)
                return answer

            live.context.store.write = write  # type: ignore[method-assign, assignment]
            key = (await ann.post("/api/tables", {"seats": [OPEN, OPEN], "edition": "duel"}))["id"]
            assert await found[0] is live.tables.loaded[key]
            assert live.tables.loaded[key].leased

    run(story())


def test_a_table_that_cannot_be_read_keeps_no_other_from_going_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "TOGETHER", 1)

    async def story() -> list[str]:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Ann") as ann:
            body = {"edition": "classic", "bots": ["greedy", "greedy"], "speed": "slow"}
            return [(await ann.post("/api/play", body))["id"] for _ in range(3)]

    async def later(keys: list[str]) -> None:
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock, beat=5, lease=30, alone=0) as server:
            tables_now = server.live.tables.loaded
            await clock.advance(5)
            assert all(key in tables_now and tables_now[key].leased for key in keys[1:])
            assert keys[0] not in tables_now

    keys = run(story())
    with closing(sqlite3.connect(tmp_path / "lynxden.sqlite3")) as db, db:
        db.execute("UPDATE entries SET body = '{}' WHERE table_id = ? AND number = 2", (keys[0],))
    run(later(keys))


def test_a_table_that_was_deleted_meanwhile_is_not_written_to_for_ever(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Ann") as ann:
            key = (await ann.post("/api/tables", {"seats": [OPEN, OPEN], "edition": "duel"}))["id"]
            await server.live.context.store.write(_delete, key)
            answer = await ann.ask("POST", f"/api/tables/{key}/close")
            assert answer.status_code == 404

    run(story())


def _delete(tx: Any, key: str) -> None:
    tx.run("DELETE FROM tables WHERE id = ?", key)


# --- What a table waits for -----------------------------------------------------------------------------

WHO: dict[str, list[Callable[[int], entries.Entry]]] = {
    "here": [lambda seat: entries.Came(5, seat, "a")],
    "twice here": [lambda seat: entries.Came(5, seat, "a"), lambda seat: entries.Came(5, seat, "b")],
    "gone": [lambda seat: entries.Came(5, seat, "a"), lambda seat: entries.Gone(6, seat, "a")],
    "never here": [],
    "out of time": [lambda seat: entries.Came(5, seat, "a"), lambda seat: entries.StoodIn(6, seat, "time")],
    "absent": [lambda seat: entries.StoodIn(6, seat, "absent")],
    "idle": [lambda seat: entries.Came(5, seat, "a"), lambda seat: entries.StoodIn(6, seat, "idle")],
    "quit": [lambda seat: entries.Quit(6, seat)],
    "ready": [lambda seat: entries.Came(5, seat, "a"), lambda seat: entries.Ready(6, seat)],
}
"""What may have become of a person."""


def next_game(state: TableState) -> Dealing:
    return Dealing(fresh_deal(state), "record")


def _made(clock: Clock, kinds: tuple[str, ...], rounds: int = 0) -> TableState:
    seats = tuple(SeatPlan("bot", "greedy") if kind == "bot" else SeatPlan() for kind in kinds)
    plan = Plan("linko", "classic", seats, clock=clock, rounds=rounds, speed="instant")
    state = first_state("t", entries.Created(1, by="g0", plan=plan, invite="i"))
    for number, kind in enumerate(kinds):
        if kind != "bot":
            state = state.after(entries.Sat(2, number, f"g{number}", f"P{number}"))
    return state


def _played_out(state: TableState) -> TableState:
    while state.position is not None and not state.position.over:
        seat = state.position.seat
        assert seat is not None
        action = str(state.position.view(seat).legal_actions[0])
        state = state.after(entries.Acted(4, seat, action))
    return state


@pytest.mark.parametrize("clock", [Clock(), Clock("decision", 30), Clock("bank", 30)], ids=str)
def test_a_running_table_always_waits_for_a_clock_a_bot_or_somebody_who_is_there(
    clock: Clock,
) -> None:
    settings = Settings()
    checked = 0
    for kinds in itertools.product((*WHO, "bot"), repeat=2):
        if kinds == ("bot", "bot"):
            continue
        start = _made(clock, kinds)
        start = start.after(dealt(start, 3, next_game))
        assert start.deciding is not None
        for seat in (0, 1):
            state = start
            while state.deciding != seat and state.deciding is not None:
                assert state.position is not None
                first = str(state.position.view(state.deciding).legal_actions[0])
                state = state.after(entries.Acted(4, state.deciding, first))
            if state.deciding is None:
                continue
            for number, kind in enumerate(kinds):
                for make in WHO.get(kind, []):
                    state = state.after(make(number))
            due, place = clocks.due(state, settings), state.seats[seat]
            checked += 1
            if due is None:
                assert clock.kind == "none"
                assert place.decides
                assert place.here
                assert len(state.people) == 1, "nobody else waits"
            elif not place.decides:
                assert (due.what, due.seat) == ("act", seat)
            else:
                assert due.what in ("time", "absent", "idle")
                assert due.seat == seat
                after = state.after(entries.StoodIn(due.at, seat, due.what))
                then = clocks.due(after, settings)
                assert then is not None
                assert then.what == "act", "the bot that sits in plays"
    assert checked > 150


@pytest.mark.parametrize(
    "kinds", [("here", "gone"), ("gone", "quit"), ("ready", "bot"), ("quit", "bot")], ids=str
)
def test_the_next_game_of_a_match_always_comes(kinds: tuple[str, ...]) -> None:
    state = _made(Clock(), kinds, rounds=1)
    state = _played_out(state.after(dealt(state, 3, next_game)))
    assert state.between
    for number, kind in enumerate(kinds):
        for make in WHO.get(kind, []):
            state = state.after(make(number))
    due = clocks.due(state, Settings())
    assert due is not None
    if not state.people:  # nobody is left to play for
        assert due.what == "close"
        return
    assert due.what == "deal"
    state = _played_out(state.after(dealt(state, due.at, next_game)))
    assert state.phase == "over"
    assert clocks.due(state, Settings()) is None


def test_an_open_table_is_closed_unless_somebody_is_there() -> None:
    for kinds in itertools.product(("here", "gone", "never here"), repeat=2):
        plan = Plan("linko", "classic", (SeatPlan(),) * 3)
        state = first_state("t", entries.Created(1, by="g0", plan=plan, invite="i"))
        assert clocks.due(state, Settings()) is not None
        for number, kind in enumerate(kinds):
            state = state.after(entries.Sat(2, number, f"g{number}", f"P{number}"))
            for make in WHO[kind]:
                state = state.after(make(number))
        due = clocks.due(state, Settings())
        assert (due is None) == ("here" in kinds)
        assert due is None or due.what == "close"
