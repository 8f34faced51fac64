"""Whether the event loop ever waits: everything that takes long at once, and people who play meanwhile.

    .venv/bin/python bench/loop.py                     a minute of it
    .venv/bin/python bench/loop.py --seconds 20 --herd 200

The server starts on a database in which another server, now dead, had 1,000 tables with running games. Then,
all at the same time and with the usual limits:

- the people of those tables come back within two seconds, and every tenth has reloaded the page,
- four people import game records of the largest size that is taken, 20 requests a second from their address,
- four people open replays of games of 600 actions, 20 requests a second from theirs,
- 50 tables of bots play without pauses, and whenever one ends, another begins,
- four people at each of 100 tables play one action a second. Their latency is measured: the time from sending
  an action until the last of the four sockets has received what happened.

How late the server's event loop was is read from its own metric, from the first moment on. Server, worker
processes and clients share the processors, and nobody is bound to any. Since the machine may be busy with
other things, a process that does nothing but wait shows how late its timers are, and the kernel how long the
server's main thread stood in line for a processor.
"""

from __future__ import annotations

import asyncio
import gc
import json
import platform
import random
import re
import secrets
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
import uvloop
from client import (
    SEATS,
    BusyTable,
    Figures,
    Http,
    Server,
    Socket,
    cpu_of,
    game_against_bots,
    percentiles,
    raise_limits,
    rss_of,
    say,
    total,
    watch_lag,
)

from lynxden.bots import NO_LIMIT, get_bot
from lynxden.games.core import Position
from lynxden.games.registry import get_game
from lynxden.records import Recorder
from lynxden.server.http.records import MOST_RECORD
from lynxden.server.ids import digest, new_id
from lynxden.server.imports import Fault, check_import
from lynxden.server.settings import Settings
from lynxden.server.store import games, guests, leases, servers, tables
from lynxden.server.store.core import Tx, open_store
from lynxden.server.store.guests import Guest
from lynxden.server.table import entries, projections
from lynxden.server.table.plans import Plan, SeatPlan
from lynxden.server.table.projections import FinishedGame
from lynxden.server.table.state import first_state

WITHIN = 2.0
"""Seconds within which everybody is back after the restart: clients wait between 0.3 and 8, and not alike."""
RELOADED = 0.1
"""The share of them who have forgotten what they had seen."""
REQUESTS = 20.0
"""A second, from one address: the usual limit."""
ASKERS = 4
"""People who import, and as many who open replays."""
LONG_GAME = 600
DAWDLED = 4500
"""Actions of the longest games that are imported; their records are filled up to the largest size."""
LONGEST_WITHOUT_DISCARD = 80
LOG_LENGTHS = (20, 250)
"""Actions played so far at the tables of the dead server."""
ENVIRONMENT = {"LYNXDEN_PROXIES": "*", "LYNXDEN_LOG_LEVEL": "warning", "LYNXDEN_ALONE": "0"}
"""Everybody has an address of their own, as if a proxy named it; all limits are the usual ones, but a bot
sits in at once for somebody who is alone with bots and not connected: so bots play by themselves."""

TICKER = """
import os, sys, threading, time
late, synced, stop = [], [], threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), stop.set()), daemon=True).start()
def sync():
    with open(sys.argv[1], "wb") as file:
        while not stop.wait(0.1):
            before = time.perf_counter()
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
            synced.append(time.perf_counter() - before)
threading.Thread(target=sync, daemon=True).start()
while not stop.is_set():
    before = time.perf_counter()
    time.sleep(0.01)
    late.append(time.perf_counter() - before - 0.01)
for found in late, synced:
    found.sort()
    print(*(round(1000 * found[int(place * (len(found) - 1))], 2) for place in (0.5, 0.99, 0.999, 1)))
"""
"""A process that waits, and now and then for the disk; it reports how late it was, and how long that took."""

addresses = (f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}" for n in count(1))


# --- What lies in the database ------------------------------------------------------------------------------


class Person:
    """A guest with the token that they have in their browser."""

    def __init__(self, name: str) -> None:
        self.guest = Guest(new_id(), name)
        self.token = secrets.token_urlsafe(24)
        self.address = next(addresses)


class Left:
    """A table that the dead server had."""

    def __init__(self, key: str, people: Sequence[Person], last: int) -> None:
        self.id = key
        self.people = people
        self.last = last


def moves(start: Position, bot: str, seed: int) -> Iterator[tuple[Position, str]]:
    """A game of a bot to its end."""
    rng = np.random.default_rng(seed)
    position = start
    while position.seat is not None:
        action = str(get_bot(bot).choose(position.view(position.seat), NO_LIMIT, rng).action)
        position = position.apply(action)
        yield position, action


def dawdle(start: Position, seed: int) -> Iterator[str]:
    """A game of people who are in no hurry: they lay few cards, leave what they snatch and take theirs back.

    In expert Linko that goes on for thousands of actions if somebody discards before the hundredth turn.
    """
    rng = random.Random(seed)
    position, kept = start, 0
    while position.seat is not None:
        legal = [str(action) for action in position.legal_actions]
        rng.shuffle(legal)
        if "reclaim" in legal:
            action = "reclaim" if kept < LONGEST_WITHOUT_DISCARD else "discard"
        elif "leave" in legal:
            action = "leave"
        elif "pass" in legal:
            action = "pass"
        elif any(action.startswith("play") for action in legal):
            action = max(legal, key=lambda play: _keeps_going(position, play))
        else:
            action = legal[0]
        kept = 0 if action.startswith(("discard", "draw")) else kept + 1
        position = position.apply(action)
        yield action


def _keeps_going(position: Position, play: str) -> tuple[bool, bool, int]:
    """The order of plays for somebody who dawdles: none that ends the game, one that snatches, few cards."""
    after = position.apply(play)
    snatches = "leave" in map(str, after.legal_actions)
    return not after.over, snatches, -len(play.split())


def long_game(seed: int) -> tuple[Position, list[str]]:
    """A deal, and a game of thousands of actions from it."""
    for number in count(1000 * seed):
        start = get_game("linko").new("expert", players=SEATS, seed=number)
        actions = list(islice(dawdle(start, number), DAWDLED))
        if len(actions) == DAWDLED:
            return start, actions
    raise AssertionError


def long_record(start: Position, actions: Sequence[str]) -> str:
    """These actions, and then what bots do until the end."""
    recorder = Recorder(start, [f"Player {seat + 1}" for seat in range(SEATS)], note="")
    for action in actions:
        recorder.apply(action)
    for _, action in moves(recorder.position, "greedy", len(actions)):
        recorder.apply(action)
    return recorder.record().to_json()


def largest_record(start: Position, actions: Sequence[str]) -> bytes:
    """Filled up to the size that may be imported."""
    text = long_record(start, actions)
    assert len(text) <= MOST_RECORD, "fewer actions would do"
    return text.replace('"note":""', '"note":"' + "x" * (MOST_RECORD - len(text)) + '"', 1).encode()


def left_table(tx: Tx, people: Sequence[Person], actions: int, rng: random.Random, now: int) -> Left:
    """A table of four people with a running game, at a server that is dead."""
    plan = Plan("linko", "classic", (SeatPlan("invited"),) * SEATS, rounds=10)
    first = entries.Created(now, by=people[0].guest.id, plan=plan, invite=new_id())
    state = first_state(new_id(), first)
    log: list[entries.Entry] = [first]

    def add(entry: entries.Entry) -> None:
        nonlocal state
        state = state.after(entry)
        log.append(entry)

    for seat, person in enumerate(people):
        add(entries.Sat(now, seat, person.guest.id, person.guest.name))
        add(entries.Came(now, seat, "dead"))
    start = state.playable.deal(seed=rng.getrandbits(63))
    add(entries.Dealt(now, start.active, state.game.deal_of(start)))
    for number, (position, action) in enumerate(moves(start, "random", rng.getrandbits(31))):
        if number == actions or position.seat is None:
            break
        assert state.deciding is not None
        add(entries.Acted(now, state.deciding, action, id=str(number)))
    tables.create(tx, projections.row(state, Settings()), [entries.encode(entry) for entry in log])
    leases.take(tx, state.id, "dead", now + 1)
    return Left(state.id, people, state.last)


class World:
    """Everything that is there before the server starts."""

    def __init__(self, herd: int, playing: int, bots: int) -> None:
        self.players = [[Person(f"Player {seat + 1}") for seat in range(SEATS)] for _ in range(playing)]
        self.returning = [[Person(f"Returner {seat + 1}") for seat in range(SEATS)] for _ in range(herd)]
        self.hosts = [Person(f"Host {number}") for number in range(bots)]
        self.importers = [Person(f"Importer {number}") for number in range(ASKERS)]
        self.readers = [Person(f"Reader {number}") for number in range(ASKERS)]
        self.busy: list[Left] = []
        self.left: list[Left] = []
        self.replays: list[str] = []
        self.records: list[bytes] = []

    async def write(self, url: str) -> None:
        now, rng = time.time_ns() // 1_000_000, random.Random(1)
        found = [long_game(seed) for seed in range(3)]
        self.records = [largest_record(start, actions) for start, actions in found]
        long_games = [
            long_record(start, actions[: LONG_GAME + 5 * number])
            for start, actions in found
            for number in range(4)
        ]

        def fill(tx: Tx) -> None:
            servers.beat(tx, "dead", now - 3_600_000)
            people = [*self.hosts, *self.importers, *self.readers]
            for person in [*people, *(p for four in (*self.players, *self.returning) for p in four)]:
                guests.create(tx, person.guest, digest(person.token), now)
            self.busy = [left_table(tx, four, 10, rng, now) for four in self.players]
            self.left = [left_table(tx, four, rng.randint(*LOG_LENGTHS), rng, now) for four in self.returning]
            for text in long_games:
                found = check_import(text.encode())
                assert not isinstance(found, Fault), found.text
                game = FinishedGame(
                    id=new_id(),
                    table_id=None,
                    round=1,
                    game=found.game,
                    edition=found.edition,
                    record=found.record,
                    finished_at=now,
                    players=found.players,
                    rated=False,
                    imported_by=self.importers[0].guest.id,
                )
                games.add_imported(tx, game)
                self.replays.append(game.id)

        store = await open_store(url)
        await store.write(fill)
        await store.close()


# --- Everybody who does something ---------------------------------------------------------------------------


class Watcher:
    """Somebody who comes back to a table, and asks again if the server has too much to do."""

    def __init__(self, socket: Socket, table: Left, seen: int) -> None:
        self.entered: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._text = f'{{"type":"watch","table":"{table.id}","seen":{seen}}}'
        self._socket = socket
        socket.table = self

    async def watch(self, counts: Counter[str]) -> None:
        while True:
            self._socket.send(self._text)
            if await self.entered:
                return
            counts["came back: asked again"] += 1
            self.entered = asyncio.get_running_loop().create_future()
            await asyncio.sleep(1 + random.random())

    def enter(self, socket: Socket, message: bytes) -> None:  # noqa: ARG002
        self.entered.set_result(True)

    def receive(self, socket: Socket, message: bytes, now: float) -> None:
        pass

    def refuse(self, message: bytes) -> None:
        if b'"unavailable"' not in message:
            Figures.now.refused.append(message.decode())
        if not self.entered.done():
            self.entered.set_result(False)


class Rush:
    """All that goes on at the same time."""

    def __init__(self, server: Server, world: World, bots: int, bot: str) -> None:
        self.bot = bot
        self.server = server
        self.world = world
        self.bots = bots
        self.counts: Counter[str] = Counter()
        self.times: dict[str, list[float]] = {"import": [], "replay": [], "come back": []}
        self.sockets: list[Socket] = []
        self.back_at = 0.0
        """When the last one came back."""

    async def sit_down(self) -> list[BusyTable]:
        """The players of the tables whose latency is measured."""
        found = []
        for table in self.world.busy:
            sockets = await asyncio.gather(
                *(Socket.open(self.server, person.token, person.address) for person in table.people)
            )
            busy = BusyTable(table.id, sockets)
            await busy.watch()
            found.append(busy)
        return found

    async def come_back(self, table: Left) -> None:
        await asyncio.sleep(random.random() * WITHIN)
        began = time.perf_counter()
        person = table.people[0]
        socket = await Socket.open(self.server, person.token, person.address)
        self.sockets.append(socket)
        seen = 0 if random.random() < RELOADED else table.last
        await Watcher(socket, table, seen).watch(self.counts)
        self.times["come back"].append(time.perf_counter() - began)
        self.counts["came back"] += 1
        self.back_at = time.perf_counter()

    async def ask_often(
        self, person: Person, address: str, what: str, make: Callable[[], tuple[str, str, bytes | None]]
    ) -> None:
        """One request after the other, but no more than the limit allows all askers of an address."""
        http, period = Http(self.server, address), ASKERS / REQUESTS
        due = time.perf_counter() + random.random() * period
        while not Figures.now.stopping:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            due = max(due, time.perf_counter() - period) + period
            began = time.perf_counter()
            head, _ = await http.try_to(*make(), person.token)
            if head[9] == "2":
                self.times[what].append(time.perf_counter() - began)
                self.counts[what] += 1
            else:
                self.counts[f"{what}: {head[9:12]}"] += 1
        http.close()

    async def play_bots(self) -> None:
        """As many tables of bots as wanted, all the time."""
        asker, hosts = Http(self.server), [(Http(self.server, p.address), p) for p in self.world.hosts]
        started = finished = 0
        turn = count()

        async def begin() -> None:
            http, person = hosts[next(turn) % len(hosts)]
            await game_against_bots(http, person.token, "advanced", self.bot, SEATS - 1)

        while not Figures.now.stopping:
            while started - finished < self.bots:
                await begin()
                started += 1
            await asyncio.sleep(0.25)
            text = (await asker.ask("GET", "/metrics"))[1].decode()
            found = re.search(r'games_finished_total{edition="advanced",game="linko"} ([0-9.e+]+)', text)
            finished = self.counts["games of bots"] = round(float(found[1])) if found else 0


# --- Measuring --------------------------------------------------------------------------------------------


def family(pid: int) -> list[int]:
    """A process's children and theirs."""
    found = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [*found, *(below for child in found for below in family(child))]


def in_line(pid: int) -> tuple[float, float]:
    """Seconds that a process's main thread ran, and stood in line for a processor."""
    ran, waited, _ = Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()
    return int(ran) / 1e9, int(waited) / 1e9


def read_histogram(text: str, name: str, labels: str = "") -> list[tuple[float, int]]:
    """The upper ends of a histogram's buckets, and how many samples lie below them."""
    form = rf'(?m)^{name}_bucket{{{labels}le="([^"]+)"}} ([0-9.e+]+)$'
    return [(float(end), round(float(number))) for end, number in re.findall(form, text)]


def shares(buckets: Sequence[tuple[float, int]]) -> dict[str, float]:
    """Below how many milliseconds these shares of the samples are, as far as the buckets show."""
    last = buckets[-1][1]
    places = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999, "max": 1.0}
    return {
        name: next(1000 * end for end, number in buckets if number >= place * last)
        for name, place in places.items()
    }


def job_table(text: str) -> dict[str, Any]:
    """How many jobs of each kind there were, their mean time, and below what time 99 % were."""
    found = {}
    for kind in sorted(set(re.findall(r'lynxden_job_seconds_count{kind="(\w+)"}', text))):
        number = _value(text, f'lynxden_job_seconds_count{{kind="{kind}"}}')
        seconds = _value(text, f'lynxden_job_seconds_sum{{kind="{kind}"}}')
        buckets = read_histogram(text, "lynxden_job_seconds", f'kind="{kind}",')
        found[kind] = {
            "number": round(number),
            "mean ms": round(1000 * seconds / max(1, number), 2),
            "p99 below ms": shares(buckets)["p99"],
        }
    failed = re.findall(r'lynxden_jobs_failed_total{kind="(\w+)",why="(\w+)"} ([0-9.e+]+)', text)
    return {**found, "failed": {f"{kind}: {why}": round(float(number)) for kind, why, number in failed}}


def _value(text: str, name: str) -> float:
    found = re.search(rf"(?m)^{re.escape(name)} ([0-9.e+-]+)$", text)
    return float(found[1]) if found else 0.0


async def rush(
    server: Server, data: str, world: World, seconds: float, bots: int, bot: str
) -> dict[str, Any]:
    Figures.now = figures = Figures(1.0)
    pid = server.process.pid
    ticker = subprocess.Popen(
        [sys.executable, "-S", "-c", TICKER, f"{data}/ticker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    lag = asyncio.create_task(watch_lag())
    cpu, line, own = server.cpu(), in_line(pid), time.process_time()
    children = family(pid)
    before = {child: cpu_of(child) for child in children}
    began = time.perf_counter()

    found = Rush(server, world, bots, bot)
    busy = await found.sit_down()
    await asyncio.sleep(0.5)
    for table in busy:
        table.start(figures.period)
    records, replays = count(), count()
    theirs, others = next(addresses), next(addresses)

    def an_import() -> tuple[str, str, bytes]:
        return "POST", "/api/records", world.records[next(records) % len(world.records)]

    def a_replay() -> tuple[str, str, None]:
        return "GET", f"/api/records/{world.replays[next(replays) % len(world.replays)]}/replay", None

    work = [
        *(found.come_back(table) for table in world.left),
        *(found.ask_often(person, theirs, "import", an_import) for person in world.importers),
        *(found.ask_often(person, others, "replay", a_replay) for person in world.readers),
        found.play_bots(),
    ]
    tasks = [asyncio.create_task(each) for each in work]
    while (left := seconds - (time.perf_counter() - began)) > 0:
        await asyncio.sleep(min(0.5, left))
        for task in tasks:
            if task.done():
                task.result()
    took = time.perf_counter() - began
    figures.stopping = True
    lag.cancel()
    text = (await Http(server).ask("GET", "/metrics"))[1].decode()
    after_line = in_line(pid)
    result = {
        "seconds": round(took, 1),
        "loop late, ms below": shares(read_histogram(text, "lynxden_loop_late_seconds")),
        "loop late, buckets": read_histogram(text, "lynxden_loop_late_seconds"),
        "moves": len(figures.latencies),
        "moves ms": percentiles(sorted(latency for _, latency in figures.latencies)),
        "moves ms, afterwards": percentiles(
            sorted(latency for at, latency in figures.latencies if at > found.back_at)
        ),
        "store, ms below": shares(read_histogram(text, "lynxden_store_seconds")),
        "done": dict(found.counts),
        **{f"{what} ms": percentiles(sorted(times)) for what, times in found.times.items()},
        "tables in memory": total(text, "lynxden_tables"),
        "entries written": total(text, "lynxden_entries_total"),
        "jobs": job_table(text),
        "server cpu": round((server.cpu() - cpu) / took, 3),
        "server's main thread ran": round((after_line[0] - line[0]) / took, 3),
        "server's main thread stood in line": round((after_line[1] - line[1]) / took, 3),
        "server rss": server.rss(),
        "workers cpu": round(sum(cpu_of(child) - before.get(child, 0.0) for child in family(pid)) / took, 3),
        "workers rss": {child: rss_of(child) for child in family(pid)},
        "clients cpu": round((time.process_time() - own) / took, 3),
        "clients' timers late ms": percentiles(sorted(figures.lags)),
        "clients behind plan ms": percentiles(sorted(figures.behind)),
        "refused": len(figures.refused),
        "refused, for example": figures.refused[:1],
        "lost sockets": figures.lost,
        "odd numbers": figures.odd,
    }
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for socket in [*found.sockets, *(socket for table in busy for socket in table.sockets)]:
        socket.close()
    places = ("p50", "p99", "p99.9", "max")
    late, synced = (
        dict(zip(places, map(float, line.split()), strict=True))
        for line in ticker.communicate()[0].splitlines()
    )
    return {**result, "an idle process late ms": late, "writing 4 KiB to the disk ms": synced}


def show(found: dict[str, Any]) -> None:
    """What was measured, for people."""
    for name, value in found.items():
        if isinstance(value, dict) and all(isinstance(inner, dict) for inner in value.values()):
            for inner, more in value.items():
                say(f"  {name}, {inner:10} {_told(more)}")
        else:
            say(f"  {name:36} {_told(value)}")


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return "  ".join(f"{name} {_told(inner)}" for name, inner in value.items())
    if isinstance(value, int) and value > 10_000_000:
        return f"{value / 2**20:.0f} MiB"
    return str(value)


def main(
    seconds: Annotated[float, typer.Option(help="How long to measure.")] = 60,
    herd: Annotated[int, typer.Option(help="Tables of the dead server whose people come back.")] = 1000,
    playing: Annotated[int, typer.Option(help="Tables of people whose latency is measured.")] = 100,
    bots: Annotated[int, typer.Option(help="Tables of bots that play without pauses.")] = 50,
    bot: Annotated[
        str, typer.Option(help="Which bot has three of the four seats; the usual one has the fourth.")
    ] = "greedy",
    database: Annotated[str, typer.Option(help="postgresql://… instead of SQLite; it must be empty.")] = "",
) -> None:
    """Measure how late the event loop is when there is much to do."""
    raise_limits()
    with tempfile.TemporaryDirectory(prefix="lynxden-loop-") as data:
        world = World(herd, playing, bots)
        uvloop.run(world.write(database or f"sqlite:///{data}/lynxden.sqlite3"))
        gc.collect()
        gc.freeze()
        gc.disable()  # the clients shall not be late on their own account
        server = Server(data, ENVIRONMENT, database=database)
        try:
            found = uvloop.run(rush(server, data, world, seconds, bots, bot))
        finally:
            server.stop()
    show(found)
    about = {"date": time.strftime("%Y-%m-%d"), "python": platform.python_version(), "command": sys.argv}
    typer.echo(json.dumps({**about, **found}))


if __name__ == "__main__":
    typer.run(main)
