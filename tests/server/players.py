"""Players who outlive servers: they reconnect, ask what they missed, and repeat what was not acknowledged.

All that they were told is kept, to be held against the log afterwards.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from lynxden.records import read_record, verify
from lynxden.server.store import games, tables
from lynxden.server.store.core import Store, open_store
from lynxden.server.table import entries, views
from lynxden.server.table.state import TableState, read_log
from tests.server.kit import FREE

Message = dict[str, Any]
Where = Callable[[], str]
"""The address of a server that is thought to be there."""

SILENCE = 15.0
"""Seconds without any message after which a player looks for another connection."""
TROUBLE = (OSError, WebSocketException, httpx.HTTPError, TimeoutError, EOFError)
"""What a client sees of a server that dies."""

PLANS: tuple[tuple[str, str, int], ...] = (
    ("linko", "classic", 2),
    ("linko", "classic", 4),
    ("linko", "advanced", 3),
    ("linko", "expert", 3),
    ("linko", "duel", 2),
    ("blocco", "standard", 3),
    ("blocco", "standard", 4),
)
"""Game, edition and number of seats."""
CLOCKS: tuple[Message, ...] = (
    {"kind": "none"},
    {"kind": "decision", "seconds": 60},
    {"kind": "bank", "seconds": 300, "increment": 5},
)


@dataclass
class Seat:
    """One player's view of one table."""

    table: str
    invite: str
    seat: int | None
    """None for a spectator."""
    seen: int = 0
    began: bool = False
    """A deal was told: from then on no event may be missing."""
    told: dict[int, Message] = field(default_factory=dict)
    """Every event that was told, by number."""
    game: Message | None = None
    game_number: int = 0
    pending: Message | None = None
    """An action that was neither acknowledged nor refused."""
    deciding: bool = False
    acked: dict[str, int] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    finished: Message | None = None

    @property
    def done(self) -> bool:
        return self.finished is not None and self.pending is None

    def hear(self, what: Message) -> None:
        number = what["number"]
        assert number not in self.told, f"event {number} of table {self.table} was told twice"
        if self.began:
            assert number == self.seen + 1, f"event {self.seen + 1} of {self.table} was skipped for {number}"
        self.began = self.began or what["kind"] == "dealt"
        self.told[number] = what
        self.seen = number

    def see(self, game: Message | None, number: int) -> None:
        if game is None:
            return
        self.game, self.game_number = game, number
        self.finished = game.get("finished") or self.finished


@dataclass(eq=False)
class Account:
    """All that somebody was told and did, to be held against the log."""

    id: str = ""
    seats: dict[str, Seat] = field(default_factory=dict)
    sessions: int = 0
    repeated: int = 0


class Player(Account):
    """A person who plays at several tables over one socket at a time."""

    def __init__(self, name: str, where: Where, seed: int, pace: Callable[[], float]) -> None:
        super().__init__()
        self.name = name
        self.restless = 0.0
        """How often an action is followed by a broken connection of the player's own making."""
        self.patience = (0.02, 0.2)
        """Seconds before the player connects again, at least and at most."""
        self._where = where
        self._pace = pace
        self._rng = random.Random(seed)
        self._cookie = ""
        self._socket: ClientConnection | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def account(self) -> Account:
        return Account(self.id, self.seats, self.sessions, self.repeated)

    @property
    def headers(self) -> dict[str, str]:
        """Who this is, for the server."""
        return {"Cookie": f"lynxden={self._cookie}"} if self._cookie else {}

    # --- Requests -------------------------------------------------------------------------------------

    async def ask(self, method: str, path: str, body: object = None) -> Message:
        """A request, again and again until a server answers it."""
        while True:
            with suppress(*TROUBLE):
                async with httpx.AsyncClient(
                    base_url=self._where(), headers=self.headers, trust_env=False, verify=False, timeout=5
                ) as http:
                    answer = await http.request(method, path, json=body)
                if answer.status_code != 503:
                    assert answer.is_success, f"{path}: {answer.text}"
                    self._cookie = answer.cookies.get("lynxden") or self._cookie
                    found: Message = answer.json()
                    return found
            await asyncio.sleep(0.1)

    async def arrive(self) -> None:
        self.id = (await self.ask("POST", "/api/me", {"name": self.name}))["id"]

    async def open_table(self, body: Message) -> Seat:
        """Make a table; the host has the first seat that is no bot's."""
        made = await self.ask("POST", "/api/tables", body)
        first = next(number for number, seat in enumerate(body["seats"]) if seat["kind"] != "bot")
        return self._sits(made["id"], made["invite"], first)

    async def join(self, table: str, invite: str) -> Seat:
        answer = await self.ask("POST", f"/api/tables/{table}/join", {"invite": invite})
        return self._sits(table, invite, answer["seat"])

    def look_on(self, table: str, invite: str) -> Seat:
        return self._sits(table, invite, None)

    def _sits(self, table: str, invite: str, seat: int | None) -> Seat:
        self.seats[table] = Seat(table, invite, seat)
        return self.seats[table]

    # --- Playing --------------------------------------------------------------------------------------

    async def play(self) -> None:
        """Play until every game is over, whatever becomes of the servers."""
        while not all(seat.done for seat in self.seats.values()):
            with suppress(*TROUBLE):
                await self._session()
            for task in self._tasks:
                task.cancel()
            await asyncio.sleep(self._rng.uniform(*self.patience))

    async def _session(self) -> None:
        address = self._where().replace("http", "ws", 1) + "/api/socket"
        async with connect(
            address,
            additional_headers=self.headers,
            max_size=None,
            proxy=None,
            compression=None,
            close_timeout=1,
        ) as opened:
            self._socket = opened
            self.sessions += 1
            for seat in self.seats.values():
                seat.deciding = False
                if not seat.done:
                    await self._send(
                        {"type": "watch", "table": seat.table, "seen": seat.seen, "invite": seat.invite}
                    )
            while not all(seat.done for seat in self.seats.values()):
                text = await asyncio.wait_for(opened.recv(), SILENCE)
                await self._handle(json.loads(text))

    async def _send(self, message: Message) -> None:
        assert self._socket is not None
        await self._socket.send(json.dumps(message))

    async def _handle(self, message: Message) -> None:
        match message["type"]:
            case "table":
                seat = self.seats[message["info"]["id"]]
                self._catch_up(seat, message)
                if seat.pending is not None:
                    self.repeated += 1
                    await self._send(seat.pending)
                self._consider(seat)
            case "happened":
                seat = self.seats[message["table"]]
                seat.hear(message["what"])
                seat.see(message.get("game"), seat.seen)
                self._consider(seat)
            case "ack":
                seat = self.seats[message["table"]]
                known = seat.acked.setdefault(message["id"], message["number"])
                assert known == message["number"], f"two numbers for action {message['id']}"
                if seat.pending is not None and seat.pending["id"] == message["id"]:
                    seat.pending = None
                self._consider(seat)
            case "refused":
                await self._refused(message)

    def _catch_up(self, seat: Seat, message: Message) -> None:
        assert message.get("seat") == seat.seat
        assert message["number"] >= seat.seen, f"table {seat.table} has gone back in time"
        for what in message.get("missed", ()):
            seat.hear(what)
        if seat.began:
            assert seat.seen == message["number"], f"table {seat.table} did not tell all that was missed"
        seat.seen = message["number"]
        seat.see(message.get("game"), seat.seen)

    async def _refused(self, message: Message) -> None:
        code = message["code"]
        if code == "unavailable":  # the database has trouble: the same again, a little later
            assert self._socket is not None
            await asyncio.sleep(0.1)
            await self._socket.close()
            return
        assert code in ("stale", "not-running"), message
        seat = self.seats[message["table"]]
        assert message["id"] not in seat.acked, f"refused after it was acknowledged: {message}"
        seat.refused[message["id"]] = code
        if seat.pending is not None and seat.pending["id"] == message["id"]:
            seat.pending = None
        self._consider(seat)

    def _consider(self, seat: Seat) -> None:
        """Decide, if it is this player's turn and nothing is under way."""
        game, newest = seat.game, max(seat.acked.values(), default=0)
        if seat.pending or seat.deciding or seat.finished or game is None or seat.game_number < newest:
            return
        legal = (game.get("own") or {}).get("legal")
        if legal:
            seat.deciding = True
            task = asyncio.create_task(self._decide(seat))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _decide(self, seat: Seat) -> None:
        socket_then = self._socket
        if wait := self._pace():
            await asyncio.sleep(self._rng.uniform(0, wait))
        seat.deciding = False
        legal = ((seat.game or {}).get("own") or {}).get("legal")
        if seat.pending or not legal or self._socket is not socket_then or seat.finished:
            return
        key = f"{self._rng.getrandbits(64):x}"
        seat.pending = {
            "type": "act",
            "table": seat.table,
            "id": key,
            "seen": seat.seen,
            "action": self._rng.choice(legal),
        }
        with suppress(*TROUBLE):
            await self._send(seat.pending)
            chance = self._rng.random()
            if chance < 0.05:
                await self._send({**seat.pending})  # twice, as a nervous program may
            elif chance > 1 - self.restless:
                assert self._socket is not None
                self._socket.transport.abort()


# --- Tables ---------------------------------------------------------------------------------------------


async def set_up(players: Sequence[Player], count: int, rng: random.Random) -> None:
    """Everybody arrives, and so many tables of all kinds are made; some have a spectator."""
    await asyncio.gather(*(player.arrive() for player in players))
    waiting = asyncio.Semaphore(8)

    async def one(number: int) -> None:
        game, edition, size = PLANS[number % len(PLANS)]
        people = rng.randint(1, size)
        kinds = [{"kind": "open"}] * people + [
            {"kind": "bot", "bot": rng.choice(("greedy", "random"))} for _ in range(size - people)
        ]
        rng.shuffle(kinds)
        clock = rng.choice(CLOCKS)
        body = {
            "game": game, "edition": edition, "seats": kinds, "speed": "instant", "clock": clock,
            "public": rng.random() < 0.5,
        }  # fmt: skip
        by_load = sorted(players, key=lambda player: (len(player.seats), rng.random()))
        chosen, onlooker = by_load[:people], by_load[people]
        for player in chosen:
            player.seats[f"-{number}"] = Seat("", "", None)  # keeps the place while the server is asked
        async with waiting:
            first = await chosen[0].open_table(body)
            for player in chosen[1:]:
                await player.join(first.table, first.invite)
        if number % 4 == 0 and len(onlooker.seats) < 14:
            onlooker.look_on(first.table, first.invite)
        for player in chosen:
            del player.seats[f"-{number}"]

    await asyncio.gather(*map(one, range(count)))


# --- What was proved ------------------------------------------------------------------------------------


@dataclass
class Proof:
    """How much was held against the log."""

    games: int = 0
    acknowledged: int = 0
    told: int = 0
    entries: int = 0
    repeated: int = 0
    sessions: int = 0


async def check(database: str, players: Sequence[Account]) -> Proof:
    """Hold everything that was told and acknowledged against the log."""
    store = await open_store(database)
    try:
        proof = Proof(
            repeated=sum(player.repeated for player in players),
            sessions=sum(player.sessions for player in players),
        )
        ids = {table for player in players for table in player.seats}
        for table in sorted(ids):
            await _check_table(store, table, players, proof)
        await _check_ratings(store, players)
        return proof
    finally:
        await store.close()


async def _check_table(store: Store, table: str, players: Sequence[Account], proof: Proof) -> None:
    rows = await store.read(tables.entries, table, 0)
    assert [number for number, _ in rows] == list(range(1, len(rows) + 1)), "the log's numbers have gaps"
    row = await store.read(tables.get, table)
    assert row is not None
    assert row.last == len(rows)
    log = [entries.decode(body) for _, body in rows]
    state = read_log(table, (body for _, body in rows))
    assert state.phase == "over", f"table {table} is {state.phase}"
    views = [player.seats[table] for player in players if table in player.seats]
    _check_actions(log, views)
    after = _states(table, log)
    for view in views:
        _check_told(view, log, after)
    await _check_record(store, state, views)
    proof.games += 1
    proof.entries += len(rows)
    proof.acknowledged += sum(len(view.acked) for view in views)
    proof.told += sum(len(view.told) for view in views)


def _check_actions(log: Sequence[entries.Entry], views: Sequence[Seat]) -> None:
    """Every acknowledged action is in the log, once, at its number; none is there that was refused."""
    stored = {
        (entry.seat, entry.id): number
        for number, entry in enumerate(log, 1)
        if isinstance(entry, entries.Acted) and entry.id
    }
    by_players = sum(isinstance(entry, entries.Acted) and entry.by == "player" for entry in log)
    assert len(stored) == by_players, "an action is in the log twice"
    acked = {
        (view.seat, key): number
        for view in views
        if view.seat is not None
        for key, number in view.acked.items()
    }
    assert acked == stored, "the log holds other actions than those acknowledged"
    refused = {(view.seat, key) for view in views for key in view.refused}
    assert not refused & set(stored), "a refused action was stored"


def _states(table: str, log: Sequence[entries.Entry]) -> list[TableState | None]:
    """The table after each entry; None for the first, which nobody is told."""
    from lynxden.server.table.state import first_state

    first = log[0]
    assert isinstance(first, entries.Created)
    state = first_state(table, first)
    states: list[TableState | None] = [None]
    for entry in log[1:]:
        state = state.after(entry)
        states.append(state)
    return states


def _check_told(view: Seat, log: Sequence[entries.Entry], after: Sequence[TableState | None]) -> None:
    """Nobody was told anything but what the log holds, and from the deal on everything."""
    for number, what in view.told.items():
        state = after[number - 1]
        assert state is not None
        expected = views.happening(number, log[number - 1], state.position, view.seat)
        assert what == json.loads(msgspec.json.encode(expected)), f"event {number} of {view.table}"
    dealt = next(number for number, entry in enumerate(log, 1) if isinstance(entry, entries.Dealt))
    ended = max(number for number, entry in enumerate(log, 1) if isinstance(entry, entries.Acted))
    told = [number for number in view.told if number >= dealt]
    assert told == list(range(told[0], told[-1] + 1)), "events were skipped, repeated or out of order"
    assert told[-1] >= ended
    assert told[0] == dealt, "the beginning was not told"


async def _check_record(store: Store, state: TableState, views: Sequence[Seat]) -> None:
    """The stored game is the one that was played, and its end is what everybody was told."""
    kept = await store.read(games.get, state.record_id)
    assert kept is not None, "the finished game was not kept"
    record = read_record(kept.record)
    assert verify(record) == len(record.actions)
    assert record == state.record()
    assert record.result is not None
    assert [player.score for player in kept.players] == list(record.result["scores"])
    for view in views:
        assert view.finished is not None
        assert view.finished["record"] == kept.id
        told = view.finished["outcome"]
        assert list(told["scores"]) == list(record.result["scores"])
        assert list(told["winners"]) == list(record.result["winners"])


async def _check_ratings(store: Store, players: Sequence[Account]) -> None:
    """Every rated game has counted once for everybody who played it themselves, if there were several."""
    for player in players:
        rated = 0
        for table, view in player.seats.items():
            if view.seat is None:
                continue
            for kept in await store.read(games.of_table, table):
                own = [each.seat for each in kept.players if each.guest is not None and each.own]
                rated += kept.rated and len(own) > 1 and view.seat in own
        ratings = await store.read(games.ratings_of, player.id)
        assert sum(rating.games for rating in ratings.values()) == rated


# --- Servers --------------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Mortal:
    """`lynxden serve` that is killed and started again, always at the same address."""

    def __init__(
        self, flags: Sequence[str], logfile: Path, module: str = "lynxden", **settings: float
    ) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.up = False
        self.kills = 0
        self._flags = flags
        self._module = module
        self._logfile = logfile
        chosen = {**FREE, "tables_per_guest": 0, **settings}
        self._environment = {f"LYNXDEN_{name.upper()}": str(value) for name, value in chosen.items()}
        self._process: subprocess.Popen[str] | None = None

    def launch(self) -> None:
        """Start the process, and do not wait for it."""
        assert self._process is None
        with self._logfile.open("a") as file:
            self._process = subprocess.Popen(
                [sys.executable, "-m", self._module, "serve", "--port", str(self.port), *self._flags],
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
                env={**os.environ, **self._environment},
            )

    async def start(self) -> None:
        """Start, and wait until it serves."""
        self.launch()
        assert self._process is not None
        assert self._process.stdout is not None
        line = await asyncio.to_thread(self._process.stdout.readline)
        assert "ready" in line, f"the server did not start: {line}\n{self.log()}"
        self.up = True

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    async def kill(self) -> None:
        """As if the power failed."""
        assert self._process is not None
        self.up = False
        self.kills += 1
        self._process.kill()
        await self._gone()

    async def stop(self) -> int:
        """As an operator stops it; its exit code."""
        assert self._process is not None
        self.up = False
        self._process.terminate()
        return await self._gone()

    async def _gone(self) -> int:
        assert self._process is not None
        assert self._process.stdout is not None
        code = await asyncio.to_thread(self._process.wait, 20)
        self._process.stdout.close()
        self._process = None
        return code

    async def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            await self._gone()

    def log(self) -> str:
        return self._logfile.read_text()
