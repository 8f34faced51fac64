"""The soak itself: tables are played on two servers while everything happens to them; then all is checked."""

from __future__ import annotations

import asyncio
import json
import platform
import random
import re
import sys
import time
import traceback
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.server.players import Player, Proof, Seat, set_up
from tests.server.postgres import Postgres
from tests.soak.ledger import Audit, Ledger, LedgerPlayer, audit, calm, check_accounts, keep
from tests.soak.storm import Server, Storm

GROUP = 8
"""Tables that the same people play at, and that are checked together."""
PEOPLE = 6
"""In a group."""
TOGETHER = 4
"""Groups that sit down at the same time."""
SETTINGS = {"beat": 1.0, "lease": 5.0, "absence": 20.0, "idle": 40.0, "grace": 1.0}
"""Of the servers: quick enough that much happens in a short time."""
GROWTH = 48 * 2**20
"""Bytes by which the server that is spared may grow in the second half, after its first fifth."""
MOST = 300 * 2**20
"""Bytes of a server, besides those for each table: without tables it takes some 220 MiB."""
PER_TABLE = 2**18

EXPECTED: tuple[str, ...] = ()
"""Tracebacks in the servers' logs that are no fault: patterns for their text."""


@dataclass(frozen=True)
class Wanted:
    """What the command was asked for."""

    minutes: float
    tables: int
    seed: int
    folder: Path

    @property
    def finish(self) -> float:
        """Seconds in which all games must end when the storm is over."""
        return 180 + 2 * self.tables


@dataclass
class Memory:
    """What a server took."""

    most: int = 0
    early: int = 0
    """At the most, in the first fifth of the second half."""
    late: int = 0
    """At the most, in the last fifth."""
    minutes: list[int] = field(default_factory=list)
    """At each minute, from the beginning; 0 while it is down."""


@dataclass
class Report:
    """How it went."""

    seed: int
    minutes: float
    tables: int
    date: str = field(default_factory=lambda: time.strftime("%Y-%m-%d %H:%M"))
    python: str = platform.python_version()
    troubles: dict[str, int] = field(default_factory=dict)
    proof: Proof = field(default_factory=Proof)
    """What players were told, held against the logs."""
    audit: Audit = field(default_factory=Audit)
    """All acknowledgements and the whole database, at the end."""
    memory: dict[str, Memory] = field(default_factory=dict)
    tracebacks: dict[str, int] = field(default_factory=dict)
    """In the servers' logs, by their last line."""
    problems: list[str] = field(default_factory=list)

    @property
    def json(self) -> str:
        return json.dumps({"passed": not self.problems, **asdict(self)}, indent=1)

    @property
    def text(self) -> str:
        mib = 2**20
        lines = [
            f"Soak of {self.minutes:g} minutes, {self.tables} tables, seed {self.seed}, {self.date}",
            "",
            *(f"  {count:>7,} {kind}" for kind, count in sorted(self.troubles.items())),
            "",
            f"  {self.proof.games:>7,} games played to the end, {self.proof.entries:,} entries",
            f"  {self.audit.acknowledged:>7,} acknowledged actions, each once in its log",
            f"  {self.proof.told:>7,} events told, each as the log has it",
            f"  {self.proof.repeated:>7,} actions repeated, over {self.proof.sessions:,} connections",
            f"  {self.audit.tables:>7,} logs and {self.audit.games:,} records replayed by the rules",
            "",
            *(
                f"  server {name}: {used.most / mib:.0f} MiB at most; the second half "
                f"from {used.early / mib:.0f} to {used.late / mib:.0f}; "
                f"each minute {' '.join(f'{now / mib:.0f}' for now in used.minutes)}"
                for name, used in self.memory.items()
            ),
            *(f"  {count} × {line}" for line, count in self.tracebacks.items()),
            "",
            *(f"BROKEN: {problem}" for problem in self.problems),
            "Nothing is broken." if not self.problems else f"{len(self.problems)} things are broken.",
        ]
        return "\n".join(lines) + "\n"


class Soak:
    """Two servers, a database, and people."""

    def __init__(self, wanted: Wanted, postgres: Postgres) -> None:
        self.wanted = wanted
        self.report = Report(wanted.seed, wanted.minutes, wanted.tables)
        self._postgres = postgres
        self._database = postgres.new_database()
        self._rng = random.Random(wanted.seed)
        wanted.folder.mkdir(parents=True, exist_ok=True)
        for old in wanted.folder.glob("*.log"):
            old.unlink()
        self._ledger = Ledger(wanted.folder / "ledger.jsonl")
        self.servers = [Server(name, self._database, wanted.folder, **SETTINGS) for name in "ab"]
        self._groups: dict[asyncio.Task[None], list[Player]] = {}
        self._started = 0
        self._coming = 0
        """Groups whose tables are being made."""
        self._storming = True
        self._checks: list[Future[Proof | str]] = []
        self._checker = ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=calm)
        self._began = time.monotonic()

    async def run(self) -> Report:
        report, wanted = self.report, self.wanted
        seconds = 60 * wanted.minutes
        self._say("starting two servers")
        try:
            await asyncio.gather(*(server.start() for server in self.servers))
            self._began = time.monotonic()
            storm = Storm(wanted.seed, seconds, self.servers, self._postgres, self._seats, report.problems)
            watching = asyncio.create_task(self._watch(seconds))
            playing = asyncio.create_task(self._play(seconds))
            await storm.rage()
            report.troubles = dict(storm.counts)
            self._storming = False
            await playing
            await self._finish()
            watching.cancel()
            await self._stop()
        finally:
            for server in self.servers:
                await server.end()
            self._ledger.close()
        self._check_logs()
        self._check_memory()
        await self._check_accounts()
        self._say("replaying every log by the rules")
        report.audit = await audit(self._database, self._ledger.path)
        report.problems += report.audit.problems
        if not report.audit.acknowledged:
            report.problems.append("nothing was acknowledged")
        return report

    # --- Playing --------------------------------------------------------------------------------------

    def _where(self) -> str:
        return self._rng.choice([server for server in self.servers if server.up] or self.servers).url

    def _pace(self) -> float:
        """Seconds that people think at most; the more tables, the longer."""
        return min(12.0, max(1.5, self.wanted.tables / 25)) if self._storming else 0.0

    def _seats(self) -> list[Seat]:
        """Of all tables that are being played."""
        players = [player for group in self._groups.values() for player in group if player.sessions]
        return [seat for player in players for seat in player.seats.values() if seat.table and not seat.done]

    def _running(self) -> int:
        return len({seat.table for seat in self._seats()})

    async def _play(self, seconds: float) -> None:
        """Have so many tables at a time: new people come when others are done."""
        while time.monotonic() < self._began + seconds:
            free = max(GROUP, self.wanted.tables) - self._running() - GROUP * self._coming
            if free >= GROUP and self._coming < TOGETHER:
                players = [self._player(number) for number in range(PEOPLE)]
                self._started += 1
                self._coming += 1
                task = asyncio.create_task(self._group(self._started, players))
                self._groups[task] = players
                task.add_done_callback(self._groups.pop)
            await asyncio.sleep(0.25)

    def _player(self, number: int) -> Player:
        seed = self.wanted.seed + PEOPLE * self._started + number
        player = LedgerPlayer(self._ledger, f"P{number}", self._where, seed, self._pace)
        player.restless = 0.02
        player.patience = (0.2, 2.0)
        return player

    async def _group(self, number: int, players: list[Player]) -> None:
        try:
            await set_up(players, GROUP, random.Random(f"{self.wanted.seed} group {number}"))
        except Exception:
            self.report.problems.append(
                f"group {number} could not sit down: {traceback.format_exc(limit=-3)}"
            )
            return
        finally:
            self._coming -= 1
        ended = await asyncio.gather(*(player.play() for player in players), return_exceptions=True)
        failed = [error for error in ended if isinstance(error, BaseException)]
        for error in failed:
            where = "".join(traceback.format_exception(error, limit=-2))
            self.report.problems.append(f"group {number}: {where}")
        if not failed:  # of the others the ledger is checked
            path = self.wanted.folder / f"group-{number}.pickle"
            keep(path, [player.account() for player in players])
            self._checks.append(self._checker.submit(check_accounts, self._database, path))

    async def _finish(self) -> None:
        """All games end soon, now that nothing disturbs them."""
        until = time.monotonic() + self.wanted.finish
        while self._groups and time.monotonic() < until:
            await asyncio.sleep(0.5)
        stuck = {(seat.table, seat.seen) for seat in self._seats()}
        for table, seen in sorted(stuck):
            self.report.problems.append(f"table {table} did not end; its last event was {seen}")
        for task in list(self._groups):
            task.cancel()
        await asyncio.gather(*self._groups, return_exceptions=True)

    async def _stop(self) -> None:
        for server in self.servers:
            if server.pid is None:
                continue  # a problem was noted when it did not start
            code = await server.stop()
            if code:
                self.report.problems.append(f"server {server.name} stopped with exit code {code}")

    # --- Watching -------------------------------------------------------------------------------------

    async def _watch(self, seconds: float) -> None:
        """Tell how it goes, and look at the servers' memory."""
        while True:
            passed = time.monotonic() - self._began
            for server in self.servers:
                used = self.report.memory.setdefault(server.name, Memory())
                now = server.memory()
                used.most = max(used.most, now)
                if passed >= 60 * len(used.minutes):
                    used.minutes.append(now)
                if 0.5 * seconds <= passed < 0.6 * seconds:
                    used.early = max(used.early, now)
                elif 0.9 * seconds <= passed < seconds:
                    used.late = max(used.late, now)
            left = f"{seconds - passed:.0f} s left" if passed < seconds else "games are ending"
            self._say(
                f"{left}; {self._running()} tables, {self._ledger.count:,} acknowledged, "
                f"{len(self._checks) * GROUP} games done, {len(self.report.problems)} broken",
                often=True,
            )
            await asyncio.sleep(1)

    _said = 0.0

    def _say(self, text: str, often: bool = False) -> None:
        """A line that is written over on a terminal; elsewhere one every fifteen seconds."""
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{text}")
        elif not often or time.monotonic() > self._said + 15:
            self._said = time.monotonic()
            sys.stderr.write(text + "\n")
        sys.stderr.flush()

    # --- Checking -------------------------------------------------------------------------------------

    async def _check_accounts(self) -> None:
        total: dict[str, Any] = asdict(self.report.proof)
        for number, check in enumerate(self._checks, 1):
            self._say(f"checking what players were told: {number} of {len(self._checks)}", often=True)
            found = await asyncio.wrap_future(check)
            if isinstance(found, str):
                self.report.problems.append(found)
            else:
                total = {key: value + asdict(found)[key] for key, value in total.items()}
        self.report.proof = Proof(**total)
        self._checker.shutdown()

    def _check_logs(self) -> None:
        for server in self.servers:
            for found in tracebacks(server.log()):
                line = last_line(found)
                self.report.tracebacks[line] = self.report.tracebacks.get(line, 0) + 1
                if not any(re.search(pattern, found) for pattern in EXPECTED):
                    self.report.problems.append(f"the log of server {server.name} has a traceback: {line}")

    def _check_memory(self) -> None:
        limit = MOST + PER_TABLE * self.wanted.tables
        for name, used in self.report.memory.items():
            if used.most > limit:
                self.report.problems.append(
                    f"server {name} took {used.most / 2**20:.0f} MiB, more than {limit / 2**20:.0f}"
                )
        spared = self.report.memory[self.servers[-1].name]
        if self.wanted.minutes >= 10 and spared.late > spared.early + GROWTH:
            self.report.problems.append(
                f"server {self.servers[-1].name} grew from {spared.early / 2**20:.0f} "
                f"to {spared.late / 2**20:.0f} MiB in the second half"
            )


def tracebacks(log: str) -> list[str]:
    """Each message of a server's log that has a traceback."""
    messages = re.split(r"^(?=\d{4}-\d\d-\d\d |Getting ready|lynxden: )", log, flags=re.MULTILINE)
    return [message for message in messages if "Traceback" in message]


def last_line(found: str) -> str:
    """What a traceback ends with: the error."""
    lines = [line.strip(" |+-") for line in found.splitlines()]
    return next(line for line in reversed(lines) if line)[:200]


async def soak(wanted: Wanted, postgres: Postgres) -> Report:
    """Run it, and leave the report in its folder."""
    made = Soak(wanted, postgres)
    try:
        return await made.run()
    except BaseException as error:
        made.report.problems.append(f"the soak itself failed: {type(error).__name__}: {error}")
        raise
    finally:
        (wanted.folder / "report.json").write_text(made.report.json)
        (wanted.folder / "report.txt").write_text(made.report.text)
        for server in made.servers:
            with suppress(OSError):
                server.clock.path.unlink()
