"""Writes what this version stores, for later versions to read: `python -m tests.versions.write`.

Everything goes through the server's own functions, with a clock, cards and ids that are always the same.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from sqlite3 import connect
from typing import Any, Literal, get_args

import msgspec
import numpy as np

from lynxden import __version__
from lynxden.bots import NO_LIMIT, get_bot
from lynxden.games.registry import GAMES, get_game
from lynxden.records import Record, Recorder, read_record, verify
from lynxden.records.replay import steps

# Modules of the server: in this package they are named here and in `kit.py` alone.
from lynxden.server import moderation, webpush
from lynxden.server.ids import ALPHABET, digest
from lynxden.server.live.context import prepared
from lynxden.server.live.origins import LENGTH as ORIGIN
from lynxden.server.protocol import PHRASES
from lynxden.server.settings import Settings
from lynxden.server.store import (
    Store,
    Tx,
    chat,
    games,
    guests,
    leases,
    open_store,
    push,
    reports,
    servers,
    switches,
    tables,
)
from lynxden.server.store.core import Row, Value
from lynxden.server.store.guests import Guest
from lynxden.server.store.migrations import migrate
from lynxden.server.store.reports import Report
from lynxden.server.store.upkeep import TABLES
from lynxden.server.table import commands, entries, projections
from lynxden.server.table.clocks import LONGEST_PAUSE
from lynxden.server.table.plans import USUAL_BOT, Clock, Plan, SeatPlan, guide_plan
from lynxden.server.table.projections import FinishedGame, Player, TableRow
from lynxden.server.table.state import TableState, first_state
from lynxden.server.webpush import Subscription
from tests.linko.test_endless import record_of as prolonged
from tests.versions.kit import (
    FOLDER,
    PACKED,
    PLAIN,
    Facts,
    facts_of_record,
    facts_of_store,
    facts_of_table,
    plain,
)

NOW = 1_750_000_000_000
"""When the database was left; everything in it happened before."""
SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
PACE = 600
"""Milliseconds from one entry to the next."""
SOON = NOW - 3 * MINUTE
"""When the tables in use began."""
SMALL = 300_000
"""Bytes of SQL that are not packed."""
SERVER, OTHER = "srvA2345", "srvB2345"
"""Two servers that have died since."""
CAST = ("Bramble", "Tansy", "Moss", "Rowan", "Fern", "Otis", "Juniper", "Pike")

_luck = random.Random("lynxden")


def new_id(length: int = 12) -> str:
    return "".join(_luck.choice(ALPHABET) for _ in range(length))


def cast(number: int, taken: Any) -> Sequence[str]:
    """The names of bots, always in the same order."""
    return [name for name in CAST if name not in taken][:number]


# --- People ---------------------------------------------------------------------------------------------


class People:
    """Guests, and what they need to be known again."""

    def __init__(self) -> None:
        self.tokens: dict[str, str] = {}
        self.ann = self._new("Ann")
        self.ben = self._new("Ben")
        self.cleo = self._new("Cleo Ω")
        self.dan = self._new("Dan 🂡 다람쥐")
        self.eve = self._new('E\\ve "O\'Neil" 100%? :x')
        self.fay = self._new("Fay")
        self.gus = self._new("Gus")
        """Forgotten in the end."""
        self.hal = self._new("Hal")
        """Banned in the end."""
        self.robo = self._new("Robo", self.ann)
        self.idle = self._new("Idle", self.ann)
        self.rust = self._new("Rust", self.gus)
        self.link = new_id(32)
        """The secret of Ann's personal link."""
        self.second_token = new_id(32)
        """Ann's other device."""

    def _new(self, name: str, owner: Guest | None = None) -> Guest:
        guest = Guest(new_id(), name, "bot" if owner else "person", owner.id if owner else None)
        self.tokens[guest.id] = new_id(32)
        return guest

    async def write(self, store: Store) -> None:
        everybody = [found for found in vars(self).values() if isinstance(found, Guest)]
        for number, guest in enumerate(everybody):
            at = NOW - 90 * DAY + number * HOUR
            await store.write(guests.create, guest, digest(self.tokens[guest.id]), at)
            if guest is not self.idle:
                await store.write(guests.touch, digest(self.tokens[guest.id]), NOW - HOUR + number * SECOND)
        await store.write(
            guests.add_session, self.ann.id, digest(self.second_token), NOW - DAY, "Firefox · Android"
        )
        await store.write(guests.add_session, self.ben.id, digest("given up"), NOW - DAY)
        await store.write(guests.drop_session, digest("given up"))
        await store.write(guests.set_link, self.ann.id, digest("an older link"), NOW - 2 * DAY)
        await store.write(guests.set_link, self.ann.id, digest(self.link), NOW - DAY)
        await store.write(guests.set_link, self.ben.id, digest("revoked"), NOW - DAY)
        await store.write(guests.drop_link, self.ben.id)
        for one, other in (
            (self.ann, self.fay),
            (self.ann, self.gus),
            (self.fay, self.ann),
            (self.ben, self.dan),
        ):
            await store.write(guests.mute, one.id, other.id)
        await store.write(guests.unmute, self.ben.id, self.dan.id)
        await self._subscribe(store)

    async def _subscribe(self, store: Store) -> None:
        """Browsers that are reminded: not of anybody with a slow clock, whom a test would really write to."""
        await store.write(push.key, lambda: webpush.encode(bytes(range(32))))
        for number, guest in enumerate((self.fay, self.fay, self.gus)):
            keys = webpush.encode(bytes([4, *range(64)])), webpush.encode(bytes(range(16)))
            to = push.Reached(Subscription(f"https://push.example/{number}", *keys), ("en", "ko")[number % 2])
            await store.write(push.subscribe, guest.id, to, NOW - DAY + number)


# --- Tables ---------------------------------------------------------------------------------------------

OPEN, INVITED = SeatPlan("open"), SeatPlan("invited")


def bot(name: str = "greedy") -> SeatPlan:
    return SeatPlan("bot", name)


def plan(game: str, edition: str, *places: SeatPlan, **more: Any) -> Plan:
    return Plan(game, edition, places, **more)


class Story:
    """A table from its first entry on, as a server would write it."""

    def __init__(self, about: str, first: entries.Created, seed: int = 1, ids: bool = True) -> None:
        self.about = about
        self.key = new_id()
        self.at = first.at
        self.seed = seed
        self.ids = ids
        """Whether players' programs name their actions."""
        self.sitter = "greedy" if len(about) % 2 else "random"
        """The bot that sits in for people."""
        self.rng = np.random.default_rng(seed)
        self.state = first_state(self.key, first)
        self.bodies = [entries.encode(first)]
        self.parts: list[tuple[TableRow, list[str], FinishedGame | None]] = []
        self._keep([self.bodies[0]], None)

    def _keep(self, bodies: list[str], finished: FinishedGame | None) -> None:
        self.parts.append((projections.row(self.state, Settings()), bodies, finished))

    async def write(self, store: Store) -> None:
        """Each change on its own, as it came."""
        (row, bodies, _), *rest = self.parts
        await store.write(tables.create, row, bodies, digest(row.host)[:ORIGIN])
        number = len(bodies) + 1
        for row, bodies, finished in rest:
            assert await store.write(tables.append, row, number, bodies, finished)
            number += len(bodies)

    # --- What happens ---------------------------------------------------------------------------------

    def add(self, *new: entries.Entry) -> Story:
        """Entries that come at once."""
        assert new, f"nothing happens at '{self.about}'"
        written, states = commands.carry_out(self.state, lambda _: new)
        ended = next((state for state in states if projections.just_ended(state)), None)
        finished = None if ended is None else projections.finished(ended)
        self.state = states[-1]
        bodies = [entries.encode(entry) for entry in written]
        self.bodies += bodies
        self._keep(bodies, finished)
        self.at += PACE
        return self

    def deal(self, state: TableState) -> commands.Dealing:
        seed = 1000 * self.seed + len(state.match.outcomes)
        start = prepared(state) or state.playable.deal(seed=seed)
        return commands.Dealing(start, new_id(), f"{_luck.getrandbits(128):032x}")

    def sit(self, *people: Guest, seat: int | None = None, invited: bool = True) -> Story:
        for guest in people:
            invite = self.state.invite if invited else ""
            program = guest.kind == "bot"
            self.add(
                *commands.sit(self.state, guest.id, guest.name, program, seat, invite, self.at, self.deal)
            )
        return self

    def leave(self, guest: Guest) -> Story:
        return self.add(*commands.leave(self.state, guest.id, self.at, self.sitter))

    def start(self, guest: Guest, name: str = "greedy") -> Story:
        return self.add(*commands.start(self.state, guest.id, self.at, name, self.deal, cast))

    def fill(self, name: str, *numbers: int) -> Story:
        """Bots in some seats; then the start."""
        names = cast(len(numbers), self.state.names)
        filled = [
            entries.Filled(self.at, number, name, called)
            for number, called in zip(numbers, names, strict=True)
        ]
        after = self.state
        for entry in filled:
            after = after.after(entry)
        return self.add(*filled, commands.dealt(after, self.at, self.deal))

    def came(self, *numbers: int, server: str = SERVER) -> Story:
        for number in numbers:
            self.add(entries.Came(self.at, number, server))
        return self

    def gone(self, *numbers: int, server: str = SERVER) -> Story:
        for number in numbers:
            self.add(entries.Gone(self.at, number, server))
        return self

    def stood_in(self, number: int, why: Literal["time", "absent", "idle"]) -> Story:
        return self.add(entries.StoodIn(self.at, number, why, self.sitter))

    def ready(self, *people: Guest) -> Story:
        for guest in people:
            self.add(*commands.ready(self.state, guest.id, self.at))
        return self

    def next_game(self, *unwelcome: Guest) -> Story:
        """The next game of the match, for which some of those who waited may not sit down."""
        vain = {guest.id for guest in unwelcome}
        return self.add(*commands.next_game(self.state, self.at, self.deal, vain))

    def remove(self, guest: Guest) -> Story:
        return self.add(*commands.remove(self.state, self.state.host, guest.id, self.at))

    def pause(self, guest: Guest) -> Story:
        return self.add(*commands.pause(self.state, guest.id, self.at, self.at - self.state.decided_at))

    def go_on(self, guest: Guest) -> Story:
        return self.add(*commands.go_on(self.state, guest.id, self.at))

    def act(self) -> Story:
        """Whoever decides does, person or bot."""
        state = self.state
        seat, position = state.deciding, state.position
        assert seat is not None
        assert position is not None
        place, view = state.seats[seat], position.view(seat)
        wish = "" if state.guide is None else state.guide.wish(view)
        action = wish or str(get_bot(place.bot or USUAL_BOT).choose(view, NO_LIMIT, self.rng).action)
        if place.decides:
            assert place.guest
            key = f"{place.guest}-{state.last}" if self.ids else ""
            took = self.at - state.decided_at
            return self.add(*commands.act(state, place.guest, action, key, state.last, self.at, took))
        by: Literal["bot", "stand-in"] = "bot" if place.kind == "bot" or place.quit else "stand-in"
        return self.add(entries.Acted(self.at, seat, action, by))

    def play(self, until: Callable[[TableState], bool], most: int = 600) -> bool:
        """Plays on until the table is as wanted; False if a game ends before, or it takes too long."""
        for _ in range(most):
            if until(self.state):
                return True
            if self.state.deciding is None:
                return False
            self.act()
        return until(self.state)

    def finish(self) -> Story:
        """Plays the present game to its end."""
        assert self.play(lambda state: state.deciding is None)
        return self


def created(at: int, host: Guest, what: Plan) -> entries.Created:
    bots = iter(CAST)
    named = tuple(next(bots) if place.kind == "bot" else "" for place in what.seats)
    return entries.Created(
        at,
        by=host.id,
        plan=what,
        invite=new_id(),
        names=named if any(named) else (),
        rules=GAMES[what.game].rules_version,
    )


def reach(make: Callable[[int], Story], until: Callable[[TableState], bool], most: int = 60) -> Story:
    """The first deal with which a table soon comes to where it is wanted."""
    for seed in count(1):
        found = make(seed)
        if found.play(until, most):
            return found
    raise AssertionError


def asked(decision: str, *, other: bool = False) -> Callable[[TableState], bool]:
    """A person has this decision; in another's turn, if so wanted."""

    def true(state: TableState) -> bool:
        seat, position = state.deciding, state.position
        return (
            seat is not None
            and position is not None
            and position.decision == decision
            and state.seats[seat].decides
            and (seat != position.active) == other
            and len(state.actions) > 4
        )

    return true


def rematch(old: Story, guest: Guest, about: str, seed: int) -> Story:
    """The same people play again: as the server does when the first of them asks."""
    new = Story(about, commands.rematch(old.state, guest.id, old.at), seed)
    old.add(entries.Rematched(old.at, new.key))
    return new.sit(guest, invited=False)


def open_tables(who: People) -> Iterator[Story]:
    what = plan("linko", "classic", OPEN, INVITED, bot(), OPEN, bot("random"), public=True, speed="fast")
    found = Story("open, with every kind of seat", created(SOON, who.ann, what)).sit(who.ann).came(0)
    found.sit(who.ben, seat=3).came(3, server=OTHER).gone(3, server=OTHER)
    found.add(*commands.rename(found.state, who.ben.id, "Benjamin", found.at)).leave(who.ben)
    yield found.sit(who.dan, seat=3)

    what = plan(
        "blocco", "standard", INVITED, OPEN, OPEN, bot(), bot("random"),
        clock=Clock("decision", 45), rounds=2, speed="slow",
    )  # fmt: skip
    found = Story("open, bots, a program sits there", created(SOON, who.ben, what))
    found.sit(who.ben).sit(who.robo, seat=2)
    yield found.add(*commands.watching(found.state, who.ben.id, False, found.at))

    what = plan("linko", "duel", OPEN, OPEN, public=True, clock=Clock("bank", 300, 7))
    yield Story("open, one more and it starts", created(SOON, who.cleo, what)).sit(who.cleo)

    what = plan("blocco", "standard", OPEN, OPEN, OPEN, public=True, speed="instant")
    yield Story("open, the host can start", created(SOON, who.dan, what)).sit(who.dan).came(0)

    what = plan("linko", "expert", OPEN, OPEN, OPEN)
    found = Story("open, the host removed somebody", created(SOON, who.eve, what)).sit(who.eve, who.fay)
    yield found.remove(who.fay).sit(who.dan)


def running_linko(who: People) -> Iterator[Story]:
    def classic(seed: int) -> Story:
        what = plan("linko", "classic", OPEN, INVITED, clock=Clock("bank", 120))
        return Story("running, two people with a bank", created(SOON, who.ann, what), seed).sit(
            who.ann, who.ben
        )

    yield reach(classic, asked("play"))

    def with_bots(seed: int) -> Story:
        what = plan("linko", "classic", OPEN, OPEN, OPEN, speed="instant", public=True)
        made = Story("running, one person and bots that filled the seats", created(SOON, who.ann, what), seed)
        return made.sit(who.ann).came(0).start(who.ann).gone(0)

    yield reach(with_bots, asked("take or leave"))

    def basic(seed: int) -> Story:
        what = plan("linko", "basic", OPEN, OPEN, OPEN, OPEN, speed="instant", spectators=False)
        made = Story(
            "running, bots that filled seats, open to spectators", created(SOON, who.cleo, what), seed
        )
        made.sit(who.cleo, who.dan).fill("random", 2, 3)
        return made.add(*commands.watching(made.state, who.cleo.id, True, made.at))

    yield reach(basic, asked("draw or pass"))

    def advanced(seed: int) -> Story:
        what = plan(
            "linko", "advanced", OPEN, OPEN, OPEN, OPEN, OPEN, clock=Clock("decision", 60), speed="slow"
        )
        made = Story("running, five people, one was away", created(SOON, who.ann, what), seed)
        made.sit(who.ann, who.ben, who.cleo, who.dan, who.eve).came(0, 1, 2, 3)
        made.stood_in(0, "time").act()
        return made.add(*commands.back(made.state, who.ann.id, made.at)).came(4, server=OTHER).gone(0)

    yield reach(advanced, asked("draw", other=True))

    def expert(seed: int) -> Story:
        what = plan("linko", "expert", OPEN, OPEN, OPEN, bot(), speed="instant")
        made = Story("running, bots sit in for two", created(SOON, who.eve, what), seed)
        made.sit(who.eve, who.dan, who.ben).came(0, 1).stood_in(1, "idle").stood_in(2, "absent")
        return made

    yield reach(expert, asked("reclaim or discard", other=True))

    def duel(seed: int) -> Story:
        what = plan("linko", "duel", INVITED, bot("random"), speed="instant")
        made = Story("running, actions without ids", created(SOON, who.eve, what), seed, ids=False)
        made.sit(who.eve).came(0, server=OTHER).gone(0, server=OTHER)
        return made.add(entries.Resumed(made.at)).came(0)

    yield reach(duel, asked("snatch"))

    def waits(seed: int) -> Story:
        what = plan("linko", "classic", OPEN, bot(), bot(), speed="fast")
        return Story("running, a bot decides", created(SOON, who.cleo, what), seed).sit(who.cleo)

    yield reach(waits, lambda state: len(state.actions) > 6 and not state.seats[state.deciding or 0].decides)

    def away(seed: int) -> Story:
        what = plan("linko", "basic", OPEN, OPEN, OPEN, clock=Clock("bank", 30, 0), speed="instant")
        made = Story("running, a stand-in decides", created(SOON, who.dan, what), seed)
        return made.sit(who.dan, who.eve, who.cleo).came(0, 1, 2).gone(1).stood_in(1, "time")

    yield reach(away, lambda state: state.deciding == 1 and len(state.actions) > 9)

    what = plan("linko", "duel", OPEN, OPEN, speed="instant")
    found = Story("running, a person who left is forgotten", created(SOON, who.gus, what), 5)
    found.sit(who.gus, who.dan).came(0, 1)
    found.play(lambda state: len(state.actions) == 5)
    found.leave(who.gus)
    found.play(lambda state: len(state.actions) > 12 and state.deciding == 1)
    yield found


def running_blocco(who: People) -> Iterator[Story]:
    def act(seed: int) -> Story:
        what = plan("blocco", "standard", INVITED, bot(), bot("random"), speed="instant")
        return Story("running, one person and bots", created(SOON, who.ann, what), seed).sit(who.ann)

    yield reach(act, asked("act"), 30)

    def giver(seed: int) -> Story:
        what = plan("blocco", "standard", OPEN, OPEN, OPEN, bot("random"), speed="instant", public=True)
        made = Story("running, a program plays, a person left", created(SOON, who.cleo, what), seed)
        made.sit(who.cleo, who.eve, who.robo).came(0, 1, 2)
        made.play(lambda state: len(state.actions) == 4)
        return made.leave(who.eve)

    yield reach(giver, asked("choose a giver"))

    def give(seed: int) -> Story:
        what = plan("blocco", "standard", OPEN, OPEN, OPEN, OPEN, OPEN, clock=Clock("bank", 90, 10))
        made = Story("running, five people with banks", created(SOON, who.ben, what), seed)
        made.sit(who.ben, who.ann, who.cleo, who.dan, who.eve).came(0, 1, 2, 3)
        return made.stood_in(4, "absent").stood_in(2, "time").act().add(entries.Back(made.at, 4))

    yield reach(give, asked("give", other=True))

    what = plan("blocco", "standard", OPEN, OPEN, bot(), rounds=1, speed="instant")
    found = Story("running, the second game of a match", created(NOW - 10 * MINUTE, who.dan, what), 3)
    found.sit(who.dan, who.ann).came(0, 1).finish().ready(who.dan, who.ann).next_game()
    found.play(lambda state: state.deciding == 1 and len(state.actions) > 7)
    yield found


def paused(who: People) -> Iterator[Story]:
    """Games that are stopped, or were: by the host, by others, and until the server went on by itself."""

    def banks(seed: int) -> Story:
        what = plan("linko", "classic", OPEN, OPEN, clock=Clock("bank", 120))
        made = Story("running, paused, with banks", created(SOON, who.ben, what), seed)
        return made.sit(who.ben, who.cleo).came(0, 1)

    yield reach(banks, asked("play")).pause(who.ben)

    what = plan("blocco", "standard", OPEN, OPEN, OPEN, bot(), speed="instant")
    found = Story("running, the host has left and paused it", created(SOON, who.eve, what), 2)
    found.sit(who.eve, who.ann, who.dan).came(0, 1, 2)
    found.play(lambda state: len(state.actions) == 6)
    yield found.leave(who.eve).pause(who.eve)

    what = plan("linko", "duel", OPEN, OPEN, clock=Clock("decision", 60))
    found = Story("running, went on after two pauses", created(NOW - 2 * DAY, who.cleo, what), 3)
    found.sit(who.cleo, who.dan).came(0, 1).act().pause(who.cleo)
    found.at += LONGEST_PAUSE
    found.add(entries.Continued(found.at)).act()
    found.gone(0).pause(who.dan).go_on(who.dan)  # while the host is away
    found.play(lambda state: len(state.actions) == 8)
    yield found


def guided(who: People) -> Iterator[Story]:
    """First games: with a prepared deal, and never among the finished games."""
    for game in GAMES:
        what = guide_plan(game, "instant")
        begun = Story("running, a guided first game", created(SOON, who.fay, what)).sit(who.fay).came(0)
        assert begun.play(lambda state: len(state.actions) > 8 and state.deciding == 0)
        yield begun
        yield Story("over, a guided first game", created(NOW - DAY, who.cleo, what)).sit(who.cleo).finish()


def waiting(who: People) -> Iterator[Story]:
    """People and programs who want the seat of a bot while a game is played."""
    what = plan("linko", "classic", OPEN, bot(), bot(), bot("random"), speed="instant", public=True)
    found = Story("running, people wait for the rematch", created(SOON, who.ann, what), 4)
    found.sit(who.ann).came(0)
    found.play(lambda state: len(state.actions) > 5 and state.deciding == 0)
    found.sit(who.fay).sit(who.robo, seat=3).sit(who.dan, seat=2).leave(who.dan)
    yield found.sit(who.eve, seat=2).remove(who.eve)

    what = plan("blocco", "standard", OPEN, bot(), bot(), bot("random"), rounds=1, speed="instant")
    found = Story("running, some waited for this game", created(NOW - 10 * MINUTE, who.ben, what), 5)
    found.sit(who.ben).came(0)
    found.play(lambda state: len(state.actions) == 10)
    found.sit(who.cleo, who.robo, who.gus).finish().ready(who.ben).next_game(who.gus)
    found.play(lambda state: len(state.actions) > 5 and state.deciding == 0)
    yield found

    what = plan("linko", "classic", OPEN, bot(), bot(), speed="instant")
    found = Story("over, two wait for a rematch, one forgotten", created(NOW - DAY, who.ben, what), 6)
    yield found.sit(who.ben, who.dan, who.gus).finish()

    old = Story("over, somebody waited for the rematch", created(NOW - 5 * MINUTE, who.cleo, what), 7)
    old.sit(who.cleo, who.ben).finish()
    yield old
    yield rematch(old, who.cleo, "open, a rematch with a seat for somebody who waited", 9)


def between_games(who: People) -> Iterator[Story]:
    what = plan("linko", "basic", OPEN, OPEN, bot(), rounds=1, speed="instant")
    found = Story("between games, one is ready", created(NOW - 4 * MINUTE, who.ann, what), 2)
    yield found.sit(who.ann, who.ben).came(0, 1).finish().ready(who.ben)

    what = plan("blocco", "standard", OPEN, bot(), bot(), rounds=2, speed="instant")
    found = Story("between games, nobody is ready", created(NOW - 4 * MINUTE, who.eve, what), 2)
    yield found.sit(who.eve).finish()


def tables_that_are_over(who: People) -> Iterator[Story]:
    day = count(20, -1)

    def made(about: str, what: Plan, *people: Guest, seed: int = 1, at: int = 0) -> Story:
        return Story(about, created(at or NOW - next(day) * DAY, people[0], what), seed).sit(*people)

    what = plan("linko", "expert", OPEN, OPEN, OPEN)
    yield (
        Story("deleted since", created(NOW - 60 * DAY, who.ann, what), 9)
        .sit(who.ann, who.ben, who.dan)
        .finish()
    )

    what = plan("linko", "classic", OPEN, OPEN, rounds=3, public=True, speed="instant")
    found = made("over, a match of six games among people", what, who.ann, who.ben)
    for _ in range(5):
        found.finish().ready(who.ann, who.ben).next_game()
    yield found.finish()

    what = plan("linko", "basic", OPEN, OPEN, OPEN, public=True)
    yield made("over, three people", what, who.ann, who.ben, who.cleo).finish()
    what = plan("linko", "advanced", OPEN, OPEN, OPEN, OPEN, clock=Clock("decision", 20))
    yield made("over, four people, one forgotten", what, who.gus, who.dan, who.cleo, who.eve).finish()
    what = plan("linko", "expert", OPEN, OPEN, bot("random"), spectators=False, clock=Clock("bank", 60, 3))
    found = made("over, one left", what, who.eve, who.cleo)
    found.play(lambda state: len(state.actions) == 10)
    yield found.leave(who.cleo).finish()
    what = plan("linko", "duel", OPEN, OPEN, speed="slow")
    yield made("over, against a program", what, who.ann, who.robo).finish()
    what = plan("blocco", "standard", OPEN, OPEN, OPEN)
    yield made("over, three people, of Blocco", what, who.cleo, who.dan, who.ann).finish()

    what = plan("blocco", "standard", OPEN, OPEN, OPEN, bot(), OPEN, speed="fast")
    old = made("over, a rematch waits", what, who.ben, who.ann, who.gus, who.eve, at=NOW - 5 * MINUTE)
    old.play(lambda state: len(state.actions) == 20)
    old.leave(who.gus).leave(who.eve).finish()
    again = rematch(old, who.ben, "open, a rematch with seats that are kept", 4)
    yield old
    yield again

    what = plan("linko", "classic", OPEN, OPEN, bot("random"), speed="instant")
    old = made(
        "over, a rematch is being played", what, who.dan, who.eve, seed=3, at=NOW - 5 * MINUTE
    ).finish()
    again = rematch(old, who.eve, "running, a rematch", 6)
    again.sit(who.dan, invited=False)
    again.play(lambda state: len(state.actions) > 6 and state.seats[state.deciding or 0].decides)
    yield old
    yield again

    what = plan("linko", "classic", INVITED, bot(), speed="instant")
    yield made("over, one person and a bot", what, who.ann, seed=7).finish()

    what = plan("linko", "classic", OPEN, OPEN, OPEN, speed="instant")
    old = made("over, somebody was removed before", what, who.dan, who.fay, at=NOW - 5 * MINUTE)
    old.remove(who.fay).sit(who.eve, who.ben).finish()
    yield old
    yield rematch(old, who.dan, "open, a rematch without the one who was removed", 8)


def closed_tables(who: People) -> Iterator[Story]:
    what = plan("linko", "classic", OPEN, OPEN, public=True)
    found = Story("closed by the host", created(NOW - DAY, who.ann, what)).sit(who.ann)
    yield found.add(*commands.close(found.state, who.ann.id, found.at))
    what = plan("blocco", "standard", OPEN, OPEN, OPEN)
    found = Story("closed because the host left", created(NOW - DAY, who.ben, what)).sit(who.ben, who.cleo)
    yield found.leave(who.ben)
    found = (
        Story("closed because nobody was there", created(NOW - DAY, who.dan, what))
        .sit(who.dan)
        .came(0)
        .gone(0)
    )
    yield found.add(entries.Closed(found.at + 10 * MINUTE, "empty"))

    found = Story("closed by an administrator", created(NOW - DAY, who.cleo, what)).sit(who.cleo)
    yield found.add(*commands.close_by_admin(found.state, "", found.at))
    what = plan("linko", "basic", OPEN, OPEN, bot(), public=True)
    found = Story("closed by an administrator, with a reason", created(NOW - DAY, who.eve, what))
    found.sit(who.eve, who.fay).came(0, 1)
    found.play(lambda state: len(state.actions) == 5)
    yield found.add(*commands.close_by_admin(found.state, 'not "nice" – sorry', found.at))


CHAPTERS = (
    open_tables,
    running_linko,
    running_blocco,
    paused,
    guided,
    waiting,
    between_games,
    tables_that_are_over,
    closed_tables,
)


# --- Records --------------------------------------------------------------------------------------------


def recorded(game: str, edition: str, players: int, seed: int, most: int = 400, **extra: Any) -> Recorder:
    """A game of bots, up to so many decisions."""
    rng = np.random.default_rng(seed)
    names = ["Ann", "Ben ❤", 'Cl"eo', "Dan\\", "이브"][:players]
    start = get_game(game).new(edition, players, seed, starter=seed % players)
    found = Recorder(start, names, **extra)
    for _ in range(most):
        seat = found.position.seat
        if seat is None:
            break
        found.apply(get_bot("greedy").choose(found.position.view(seat), NO_LIMIT, rng).action)
    return found


def in_full(record: Record) -> Record:
    """With all that a record may say of each decision."""
    told = list(steps(record))
    return replace(
        record,
        legal=tuple(tuple(map(str, step.before.legal_actions)) for step in told),
        actors=tuple(step.seat for step in told),
    )


def records() -> Iterator[Record]:
    for name, game in GAMES.items():
        for edition, options in game.editions.items():
            for players in options.player_counts:
                yield recorded(name, edition, players, seed=players).record()
            fewest = options.player_counts[0]
            yield recorded(name, edition, fewest, 11, 0).record()
            yield recorded(name, edition, fewest, 12, 15).record()
            yield recorded(name, edition, fewest, 13, 25).record(truncated=True)
            yield in_full(recorded(name, edition, fewest, 14, 12, event="Tournament €1", table=7).record())
            yield in_full(
                recorded(name, edition, fewest, 15, 8, tags=["a", None, {"b": 1.5}]).record(truncated=True)
            )
            extra: Facts = {"id": f"{name}-{edition}-16", "played_at": NOW, "notes": "end"}
            yield recorded(name, edition, fewest, 16, **extra).record()
        yield in_full(
            recorded(name, next(iter(game.editions)), game.editions[edition].player_counts[0], 17).record()
        )
    yield prolonged(0, rules=1, actions=350)  # by the first version of the rules it goes on
    yield prolonged(0, rules=2, actions=1000)


# --- Everything -----------------------------------------------------------------------------------------


async def talk(store: Store, who: People, stories: Sequence[Story]) -> None:
    """Chat at several tables: phrases, and texts of every kind."""
    texts = ("hello there", 'it\'s "fine" \\ 100% – ok?; -- no', "안녕 😀 привет", "$1 :name {x} %s")
    for number, story in enumerate(stories):
        people = [g for g in vars(who).values() if isinstance(g, Guest) and g.id in _ever(story)]
        for turn in range(number % 4):
            guest = people[turn % len(people)]
            text = texts[(number + turn) % len(texts)]
            at = story.at - MINUTE + turn * SECOND
            await store.write(chat.add, story.key, chat.NewLine(guest.id, guest.name, text, "", at))
    most = stories[0]
    for number, phrase in enumerate(PHRASES):
        guest = (who.ann, who.dan, who.fay, who.gus)[number % 4]
        at = NOW - MINUTE + number * SECOND
        await store.write(chat.add, most.key, chat.NewLine(guest.id, guest.name, "", phrase, at))


def _ever(story: Story) -> set[str]:
    """Everybody who has ever sat at a table."""
    log = map(entries.decode, story.bodies)
    return {entry.guest for entry in log if isinstance(entry, entries.Sat)}


async def bring(store: Store, who: People, lines: Sequence[Record]) -> None:
    """Games from elsewhere, as the server takes them."""
    whole = [record for record in lines if record.result is not None and "scores" in record.result]
    some = [record for record in whole if record.extra or record.legal is not None]
    for number, record in enumerate([*some[:4], *(r for r in some if r.game == "blocco")]):
        assert record.result is not None
        scores, winners = record.result["scores"], record.result["winners"]
        finished = FinishedGame(
            id=new_id(),
            table_id=None,
            round=1,
            game=record.game,
            edition=record.edition,
            record=record.to_json(),
            finished_at=NOW - DAY + number,
            players=tuple(
                Player(seat, None, name, scores[seat], seat in winners)
                for seat, name in enumerate(record.seats)
            ),
            rated=False,
            imported_by=(who.ann, who.fay, who.gus)[number % 3].id,
        )
        assert await store.write(games.add_imported, finished)


async def moderate(store: Store, who: People, stories: Sequence[Story]) -> None:
    """What an administrator does; nothing that keeps the others from playing on."""
    at = NOW - HOUR
    await moderation.ban_guest(store, who.hal.id, "spam – again", None, True, at, _at_no_table)
    await moderation.ban_network(store, "2001:db8:1:2::7", "", NOW + DAY, at)
    await moderation.ban_network(store, "203.0.113.7", "lifted", None, at)
    await moderation.unban(store, "203.0.113.7")
    for open_ in (False, True):
        await store.write(switches.set_registration, open_)
    for seconds in (7.5, 0):
        await moderation.set_slow_chat(store, seconds)
    await moderation.delete_chat(store, stories[3].key, [2])
    match = _found(stories, "over, a match of six games among people")
    second = (await store.read(games.of_table, match.key))[1]
    await moderation.delete_game(store, second.id, at)


async def report(store: Store, who: People, stories: Sequence[Story]) -> None:
    """What players report: two reports wait, one is dealt with; of each, somebody may be forgotten later."""
    where = _found(stories, "closed by an administrator, with a reason")
    lines = await store.read(chat.latest, where.key, 50)
    for reporter, guest, reason, words in (
        (who.fay, who.eve, "chat", 'it\'s "rude" – 다람쥐'),
        (who.gus, who.eve, "other", ""),
        (who.eve, who.gus, "name", "?"),
    ):
        made = Report(
            id=new_id(),
            at=NOW - HOUR,
            table_id=where.key,
            entry=where.state.last,
            reporter=reporter.id,
            reporter_name=reporter.name,
            guest=guest.id,
            name=guest.name,
            reason=reason,
            words=words,
            chat=tuple(msgspec.to_builtins(line) for line in lines),
        )
        await store.write(reports.add, made)
    await moderation.resolve(store, made.id, "talked to them", NOW - MINUTE)


def _found(stories: Sequence[Story], about: str) -> Story:
    return next(story for story in stories if story.about == about)


async def _at_no_table(table: str, command: commands.Command) -> None:
    raise AssertionError("nobody sits at an open table")


async def fill(store: Store, who: People, lines: Sequence[Record]) -> list[Story]:
    """Everything that the database is to hold; the tables that stay."""
    await who.write(store)
    stories = [story for chapter in CHAPTERS for story in chapter(who)]
    for story in stories:
        assert story.state.updated_at < NOW, f"'{story.about}' lies in the future"
        await story.write(store)
    await talk(store, who, stories)
    await bring(store, who, lines)
    await moderate(store, who, stories)
    await report(store, who, stories)
    await store.write(servers.beat, SERVER, NOW - MINUTE)
    await store.write(servers.beat, OTHER, NOW - HOUR)
    for story in stories:
        for server in (SERVER, OTHER):
            if any(server in seat.servers for seat in story.state.seats):
                await store.write(leases.take, story.key, server, 0)
    assert await store.write(guests.forget, who.gus.id)
    assert await store.write(tables.delete_old, NOW - 30 * DAY) == 1
    return [story for story in stories if story.about != "deleted since"]


# --- Is it all there? -----------------------------------------------------------------------------------


def check_entries(bodies: Sequence[str]) -> None:
    """Every kind of entry occurs, every value of a choice, and whatever can be left out with and without."""
    seen: dict[tuple[type, str], set[str]] = {}

    def note(found: Any) -> None:
        if isinstance(found, msgspec.Struct):
            for name in found.__struct_fields__:
                value = getattr(found, name)
                seen.setdefault((type(found), name), set()).add(repr(value))
                note(value)
        elif isinstance(found, tuple):
            for each in found:
                note(each)

    for body in bodies:
        note(entries.decode(body))
    missing = []
    kinds: list[type[msgspec.Struct]] = [*get_args(entries.Known), Plan, SeatPlan, Clock]
    for kind in kinds:
        for field in msgspec.inspect.type_info(kind).fields:  # type: ignore[attr-defined]
            values = seen.get((kind, field.name), set())
            wanted: set[str] = set()
            if isinstance(field.type, msgspec.inspect.LiteralType):
                wanted = {repr(value) for value in field.type.values}
            elif isinstance(field.type, msgspec.inspect.BoolType):
                wanted = {"True", "False"}
            least = 1 if field.required else 2
            if wanted - values or len(values) < least:
                missing.append(
                    f"{kind.__name__}.{field.name}: {sorted(wanted - values) or 'always the same'}"
                )
    assert not missing, "\n".join(missing)


def check_tables(found: Facts) -> None:
    """Every game in every edition, every phase, every decision, every kind of seat."""
    states = list(found["tables"].values())
    editions = {(name, edition) for name, game in GAMES.items() for edition in game.editions}
    assert {(state["game"], state["edition"]) for state in states} == editions
    assert {(game["game"], game["edition"]) for game in found["games"].values()} == editions
    assert {state["phase"] for state in states} == {"open", "running", "over", "closed"}
    assert {state["closed"] for state in states} == {"", "host", "empty", "admin"}
    for name in ("between", "paused", "guide", "removed", "evening"):
        assert {bool(state[name]) for state in states} == {True, False}, name
    decisions = {
        (state["game"], state["cards"]["decision"]) for state in states if state["phase"] == "running"
    }
    assert decisions == {(name, decision) for name, game in GAMES.items() for decision in game.rules.PHASES}
    places = [seat for state in states for seat in state["seats"]]
    assert {seat["kind"] for seat in places} == {"open", "invited", "person", "bot"}
    assert {seat["stand_in"] for seat in places} == {"", "time", "absent", "idle"}
    for name in ("program", "reserved", "next_guest", "next_program", "here", "quit", "ready", "bank"):
        assert {bool(seat[name]) for seat in places} == {True, False}, name
    assert {game["private"] for game in found["games"].values()} == {True, False}
    assert any(found["ladders"].values())
    told = [line for lines in found["chat"].values() for line in lines]
    assert {line.get("phrase", "") for line in told} == {"", *PHRASES}
    assert {line["guest"] == "" for line in told} == {True, False}


def check_columns(path: Path) -> None:
    """Every table of the database is dumped, and every column has something to tell at least once."""
    with closing(connect(path)) as db:
        names = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert names == {*TABLES, "migrations"}
        missing = []
        for table in TABLES:
            for _, column, _, _, default, _ in db.execute(f"PRAGMA table_info({table})"):
                usual = "NULL" if default is None else default
                if not db.execute(f"SELECT 1 FROM {table} WHERE {column} IS NOT {usual} LIMIT 1").fetchall():
                    missing.append(f"{table}.{column}: always {usual}")
    assert not missing, "\n".join(missing)


def check_records(lines: Sequence[Record]) -> None:
    for record in lines:
        assert read_record(record.to_json()) == record
        assert verify(record) == len(record.actions)
    reasons = {str(record.result["reason"]) if record.result else "" for record in lines}
    assert reasons == {"", "truncated", *(reason for game in GAMES.values() for reason in game.rules.REASONS)}


# --- The files ------------------------------------------------------------------------------------------


class Noted(Tx):
    """Not a database: notes what an empty one would be told."""

    def __init__(self) -> None:
        self.statements: list[str] = []

    def all(self, sql: str, *args: Value) -> list[Row]:
        return []

    def locked(self, sql: str, *args: Value) -> list[Row]:
        return []

    def run(self, sql: str, *args: Value) -> int:
        for value in args:
            sql = sql.replace("?", literal(value), 1)
        self.statements.append(sql)
        return 0

    def notify(self, *texts: str) -> None:
        pass


def literal(value: Value) -> str:
    """A value as SQL has it."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        assert "\0" not in value
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def dump(path: Path) -> str:
    """An SQLite file as statements that PostgreSQL takes as well."""
    noted = Noted()
    migrate(noted, NOW - 100 * DAY)
    lines = noted.statements
    with closing(connect(path)) as db:
        for table in TABLES:
            columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            order = "created_at, id" if table == "guests" else ", ".join(columns[:3])  # owners before bots
            for row in db.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY {order}"):
                values = ", ".join(map(literal, row))
                lines.append(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({values})")
    return "".join(f"{line};\n" for line in lines)


def spread(found: Facts) -> str:
    """JSON that a person can search: a line for each thing."""
    parts = []
    for key, value in found.items():
        if isinstance(value, dict | list) and value:
            open_, close = "{}" if isinstance(value, dict) else "[]"
            items = value.items() if isinstance(value, dict) else ((None, each) for each in value)
            told = [("" if name is None else json.dumps(name) + ": ") + _line(each) for name, each in items]
            parts.append(f"{json.dumps(key)}: {open_}\n  " + ",\n  ".join(told) + f"\n {close}")
        else:
            parts.append(f"{json.dumps(key)}: {_line(value)}")
    return "{\n " + ",\n ".join(parts) + "\n}\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


async def _database(path: Path, who: People, lines: Sequence[Record]) -> Facts:
    store = await open_store(f"sqlite:///{path}")
    try:
        stories = await fill(store, who, lines)
        found = await facts_of_store(store)
    finally:
        await store.close()
    check_entries([body for story in stories for body in story.bodies])
    check_tables(found)
    assert set(found["tables"]) == {story.key for story in stories}
    for story in stories:
        kept = {key: value for key, value in found["tables"][story.key].items() if key not in ("row", "ids")}
        assert kept == plain(facts_of_table(story.state)), f"'{story.about}' reads otherwise than it was"
    return {"about": {story.key: story.about for story in stories}, **found}


def write(folder: Path) -> None:
    """Writes a folder that must not exist yet."""
    _luck.seed("lynxden")
    lines = list(records())
    check_records(lines)
    who = People()
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "lynxden.sqlite3"
        found = asyncio.run(_database(path, who, lines))
        check_columns(path)
        sql = dump(path).encode()
    folder.mkdir()
    if len(sql) < SMALL:
        (folder / PLAIN).write_bytes(sql)
    else:
        (folder / PACKED).write_bytes(gzip.compress(sql, 9, mtime=0))
    text = "".join(record.to_json() + "\n" for record in lines)
    (folder / "records.jsonl").write_text(text, encoding="utf-8")
    told = {
        "version": __version__,
        "now": NOW,
        "tokens": {guest: token for guest, token in who.tokens.items() if guest in found["guests"]},
        "second_token": who.second_token,
        "link": {"guest": who.ann.id, "secret": who.link},
        **found,
        "records": [plain(facts_of_record(record)) for record in lines],
    }
    (folder / "expected.json").write_text(spread(told), encoding="utf-8")


if __name__ == "__main__":
    target = FOLDER / __version__
    if target.exists():
        sys.exit(f"{target} exists already: what a version has written is never changed")
    write(target)
    for file in sorted(target.iterdir()):
        print(f"{file.relative_to(FOLDER)}: {file.stat().st_size:,} bytes")
