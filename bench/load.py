"""How many tables one server process carries: scripted players over real sockets, on one machine.

    .venv/bin/python bench/load.py --tables 1000 --seconds 30     latency, CPU time and memory
    .venv/bin/python bench/load.py --find                         how many tables keep p99 below 50 ms
    .venv/bin/python bench/load.py --servers 2 --database postgresql://…   two, people of a table on both
    .venv/bin/python bench/load.py --finished 10000               whether memory grows with finished tables

The server is `lynxden serve` with its own database in a temporary folder, on the first processor that this
process may use; the players are on the second. Several servers run wherever there is room. At every table
four people play random legal actions, one a second. Latency is the time from sending an action until the
last of the four sockets has received what happened. The players' event loop is late at times too; how late
is reported besides, since it is part of what is measured.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
import typer
import uvloop
from client import (
    AT_ONCE,
    SEATS,
    BusyTable,
    Figures,
    Http,
    Server,
    Socket,
    game_of_bots,
    http_connections,
    percentiles,
    progress,
    raise_limits,
    say,
    spread,
    total,
    watch_lag,
)

AIM_SECONDS = 0.050
FINISHING = 150
"""Tables of bots that run at once with --finished."""
LIMITS = {
    "LYNXDEN_REQUESTS": "0",
    "LYNXDEN_GUESTS_PER_HOUR": "0",
    "LYNXDEN_SOCKETS_PER_ADDRESS": "0",
    "LYNXDEN_TABLES_PER_GUEST": "100000",
    "LYNXDEN_MESSAGES": "1000",
    "LYNXDEN_LOG_LEVEL": "warning",
}
"""Everybody here comes from one address."""


# --- Measuring ------------------------------------------------------------------------------------------


class Crowd:
    """All players of the servers; those of a table are spread over all of them."""

    def __init__(self, servers: Sequence[Server], game: str) -> None:
        self.servers = servers
        self.game = game
        self.tables: list[BusyTable] = []
        self.memory: dict[str, Any] = {"after start": self.rss()}

    def rss(self) -> int:
        return sum(server.rss() for server in self.servers)

    def cpu(self) -> float:
        return sum(server.cpu() for server in self.servers)

    async def grow(self, count: int, period: float) -> None:
        """Have so many tables in all, and let the new ones play."""
        first = len(self.tables)
        new = count - first
        if new <= 0:
            return
        rss = self.rss
        tokens: list[str] = [""] * (new * SEATS)
        sockets: list[Any] = [None] * (new * SEATS)
        tables: list[Any] = [None] * new
        with http_connections(self.servers[0], AT_ONCE) as pool:

            async def arrive(number: int) -> None:
                http = pool.pop()
                tokens[number] = await http.new_guest(f"Player {first * SEATS + number}")
                pool.append(http)

            async def connect(number: int) -> None:
                sockets[number] = await Socket.open(self.servers[number % len(self.servers)], tokens[number])

            async def sit(number: int) -> None:
                http = pool.pop()
                mine = tokens[number * SEATS : (number + 1) * SEATS]
                plan = {"game": self.game, "seats": [{"kind": "invited"}] * SEATS, "rounds": 10}
                made = await http.post("/api/tables", plan, mine[0])
                for token in mine[1:]:
                    await http.post(f"/api/tables/{made['id']}/join", {"invite": made["invite"]}, token)
                pool.append(http)
                tables[number] = BusyTable(made["id"], sockets[number * SEATS : (number + 1) * SEATS])

            async def watch(number: int) -> None:
                await tables[number].watch()

            await spread(len(tokens), arrive, "guests")
            guests = rss()
            await spread(len(sockets), connect, "sockets")
            await asyncio.sleep(1)
            idle = rss()
            await spread(new, sit, "tables")
            seated = rss()
            await spread(new, watch, "players entering")
            await asyncio.sleep(1)
            watching = rss()
        if not self.tables:
            self.memory |= {
                "after guests": guests,
                "with idle sockets": idle,
                "with tables": seated,
                "watching": watching,
                "per idle socket": (idle - guests) / (new * SEATS),
                "per table": (watching - idle) / new,
            }
        self.tables += tables
        for table in tables:
            table.start(period)

    async def measure(self, seconds: float) -> dict[str, Any]:
        """Let everybody play, and report how it went."""
        figures = Figures.now
        await self._wait(max(3.0, 2 * figures.period), "warming up")
        figures.clear()
        began, cpu, own = time.perf_counter(), self.cpu(), time.process_time()
        await self._wait(seconds, f"{len(self.tables):,} tables")
        took = time.perf_counter() - began
        latencies = sorted(latency for _, latency in figures.latencies)
        actions = len(latencies)
        used = self.cpu() - cpu
        return {
            "tables": len(self.tables),
            "sockets": len(self.tables) * SEATS,
            "seconds": round(took, 1),
            "actions": actions,
            "actions a second": round(actions / took, 1),
            "games": figures.games,
            "latency ms": percentiles(latencies),
            "server cpu": round(used / took, 3),
            "server cpu ms an action": round(1000 * used / max(1, actions), 3),
            "server rss": self.rss(),
            "generator cpu": round((time.process_time() - own) / took, 3),
            "generator timer lag ms": percentiles(sorted(figures.lags)),
            "generator behind plan ms": percentiles(sorted(figures.behind)),
            "refused": len(figures.refused),
            "lost sockets": figures.lost,
            "odd numbers": figures.odd,
        }

    async def _wait(self, seconds: float, about: str) -> None:
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            progress(f"{about}: {left:.0f} s left, {len(Figures.now.latencies):,} actions")
            await asyncio.sleep(min(1.0, left))

    def leave(self) -> None:
        Figures.now.stopping = True
        for table in self.tables:
            for socket in table.sockets:
                socket.close()


async def load(servers: Sequence[Server], counts: Sequence[int], options: Options) -> dict[str, Any]:
    """Measure with more and more tables, until an action is too slow."""
    Figures.now = Figures(options.period)
    crowd = Crowd(servers, options.game)
    runs: list[dict[str, Any]] = []
    lag = asyncio.create_task(watch_lag())
    for count in counts:
        await crowd.grow(count, options.period)
        run = await crowd.measure(options.seconds)
        runs.append(run)
        show(run)
        if options.find and run["latency ms"]["p99"] >= 1000 * AIM_SECONDS:
            break
    lag.cancel()
    crowd.memory["playing"] = crowd.rss()
    show_memory(crowd.memory)
    if Figures.now.refused:
        say(f"refused, for example: {Figures.now.refused[0]}")
    crowd.leave()
    await asyncio.sleep(0.5)
    kept = [run["tables"] for run in runs if run["latency ms"]["p99"] < 1000 * AIM_SECONDS]
    say(f"p99 below {1000 * AIM_SECONDS:.0f} ms: {max(kept, default=0):,} tables")
    return {"runs": runs, "memory": crowd.memory, "most tables": max(kept, default=0)}


# --- Many finished tables -------------------------------------------------------------------------------


async def finish(server: Server, count: int, every: int) -> dict[str, Any]:
    """Have bots finish many tables that people began and left."""
    samples: list[dict[str, Any]] = []
    started = 0
    with http_connections(server, 5) as pool:
        tokens = await pool[0].new_guest("Host"), await pool[0].new_guest("Friend")
        asker, *workers = pool

        async def figures() -> tuple[int, int, int]:
            """Games finished, tables in memory, entries written."""
            text = (await asker.ask("GET", "/metrics"))[1].decode()
            return (
                total(text, "lynxden_games_finished_total"),
                total(text, "lynxden_tables"),
                total(text, "lynxden_entries_total"),
            )

        async def begin(http: Http) -> None:
            await game_of_bots(http, tokens, "classic")

        finished, mark, began = 0, 0, time.perf_counter()
        while finished < count:
            wanted = min(count - started, FINISHING - (started - finished))
            while wanted > 0:
                batch = workers[:wanted]
                await asyncio.gather(*map(begin, batch))
                started += len(batch)
                wanted -= len(batch)
            await asyncio.sleep(0.05)
            finished, held, entries = await figures()
            progress(f"{finished:,} of {count:,} tables finished")
            if finished >= mark:
                mark = finished // every * every + every
                sample = {"finished": finished, "rss": server.rss(), "tables in memory": held}
                samples.append(sample)
                say(
                    f"{finished:>8,} tables finished   {sample['rss'] / 2**20:7.1f} MiB   "
                    f"{held:,} in memory   {entries:,} entries"
                )
        took = time.perf_counter() - began
        await asyncio.sleep(30)  # tables that nobody needs are put away after some 20 seconds
        finished, held, entries = await figures()
        samples.append({"finished": finished, "rss": server.rss(), "tables in memory": held})
        say(f"half a minute later: {server.rss() / 2**20:.1f} MiB, {held:,} tables in memory")
    half = [sample["rss"] for sample in samples[len(samples) // 2 :]]
    return {
        "finished": finished,
        "seconds": round(took, 1),
        "entries a second": round(entries / took),
        "growth in the second half": max(half) - half[0],
        "samples": samples,
    }


# --- Reporting --------------------------------------------------------------------------------------------


def show(run: dict[str, Any]) -> None:
    """One measurement for people."""

    def times(name: str) -> str:
        return "  ".join(f"{place} {value:.1f}" for place, value in run[name].items())

    say(
        f"{run['tables']:,} tables, {run['sockets']:,} sockets, {run['actions a second']:,} actions a second "
        f"for {run['seconds']} s, {run['games']} games ended\n"
        f"  latency, ms          {times('latency ms')}\n"
        f"  server               {run['server cpu']:.0%} of a processor, "
        f"{run['server cpu ms an action']:.3f} ms an action, {run['server rss'] / 2**20:.0f} MiB\n"
        f"  players              {run['generator cpu']:.0%} of a processor\n"
        f"    timers late, ms    {times('generator timer lag ms')}\n"
        f"    behind plan, ms    {times('generator behind plan ms')}\n"
        f"  refused {run['refused']}, lost sockets {run['lost sockets']}, odd numbers {run['odd numbers']}"
    )


def show_memory(memory: dict[str, Any]) -> None:
    for name, value in memory.items():
        say(f"  memory {name:18} {value / 1024:10,.1f} KiB")


# --- The command ----------------------------------------------------------------------------------------


class Options(msgspec.Struct, frozen=True):
    """What the command was asked for."""

    seconds: float
    period: float
    game: str
    find: bool


def cores() -> tuple[int | None, int | None]:
    """A processor for the server and one for the players; None where they cannot be chosen."""
    if not hasattr(os, "sched_getaffinity"):
        return None, None
    found = sorted(os.sched_getaffinity(0))
    if len(found) < 2:
        raise SystemExit("two processors are needed: one for the server, one for the players")
    return found[0], found[1]


def main(
    tables: Annotated[int, typer.Option(help="Tables of four players.")] = 1000,
    seconds: Annotated[float, typer.Option(help="How long to measure, each time.")] = 30,
    period: Annotated[float, typer.Option(help="Seconds between the actions of a table.")] = 1,
    game: Annotated[str, typer.Option(help="linko or blocco.")] = "linko",
    find: Annotated[bool, typer.Option("--find", help="Add tables until p99 is 50 ms or more.")] = False,
    step: Annotated[int, typer.Option(help="--find: tables more each time.")] = 250,
    most: Annotated[int, typer.Option(help="--find: tables at most.")] = 4000,
    finished: Annotated[int, typer.Option(help="Instead: have bots finish so many tables.")] = 0,
    every: Annotated[int, typer.Option(help="--finished: tables between two looks at memory.")] = 500,
    database: Annotated[str, typer.Option(help="postgresql://… instead of SQLite.")] = "",
    servers: Annotated[int, typer.Option(help="Server processes that share a PostgreSQL.")] = 1,
) -> None:
    """Measure one server process under load."""
    raise_limits()
    if servers > 1 and (not database or finished):
        raise SystemExit("several servers need --database postgresql://…, and cannot be had with --finished")
    server_core, own_core = cores() if servers == 1 else (None, None)
    if own_core is not None:
        os.sched_setaffinity(0, {own_core})
    options = Options(seconds, period, game, find)
    with tempfile.TemporaryDirectory(prefix="lynxden-load-") as data:
        running = [Server(data, LIMITS, server_core, database) for _ in range(servers)]
        try:
            if finished:
                found = uvloop.run(finish(running[0], finished, every))
            else:
                counts = range(step, most + 1, step) if find else [tables]
                found = uvloop.run(load(running, counts, options))
        finally:
            for server in running:
                server.stop()
    found = {
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "command": " ".join(sys.argv),
        **found,
    }
    typer.echo(json.dumps(found))


if __name__ == "__main__":
    typer.run(main)
