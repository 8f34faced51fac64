"""What happens at a table by itself: clocks run out, games are dealt, bots act. `clocks` says when."""

from __future__ import annotations

import asyncio
import math
from typing import Literal, Protocol

from lynxden.games.core import View
from lynxden.server.live.arrivals import Arrivals
from lynxden.server.live.clock import Moments, Timer
from lynxden.server.live.context import Context
from lynxden.server.live.thinkers import seed_of
from lynxden.server.live.troubles import Backoff
from lynxden.server.table import clocks, commands, entries
from lynxden.server.table.plans import USUAL_BOT
from lynxden.server.table.state import TableState

DAY = 86_400.0
"""Seconds after which a timer looks again; nothing is waited for longer at once."""


class Thinking(Protocol):
    """What is needed of the server to run bots and to deal."""

    @property
    def context(self) -> Context: ...

    @property
    def arrivals(self) -> Arrivals:
        """People who are on their way to a table."""

    @property
    def bots_at_once(self) -> asyncio.Semaphore:
        """To be held while a bot's action is written, so that people need not wait for many of them."""

    async def think(self, bot: str, view: View, seed: int) -> str:
        """A bot's decision, with this luck."""

    async def unwelcome(self, state: TableState) -> frozenset[str]:
        """Those who wait for the next game in vain."""


class Timed(Protocol):
    """A table, as far as its timer needs to know it."""

    state: TableState
    leased: bool

    async def change(self, command: commands.Command) -> TableState:
        """Write what a command says, then send it."""


class DueTimer:
    """The timer of one table, for what falls due next.

    Only the timer itself refers to the table, until it is cancelled: so a table that was put away is freed
    at once.
    """

    def __init__(self, server: Thinking, moments: Moments) -> None:
        self._server = server
        self._context = server.context
        self._moments = moments
        self._timer: Timer | None = None
        self._backoff = Backoff()
        self._not_before = 0.0
        """When what failed last may be tried again, in monotonic time."""

    def quiet_for(self, state: TableState) -> float:
        """Seconds until something happens though nobody acts."""
        due = self._next(state)
        return math.inf if due is None else self._wait(due) / 1000

    def set(self, table: Timed) -> None:
        """Wait for what falls due next, if this server holds the table's lease."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not table.leased or self._context.tasks.closing:
            return
        due = self._next(table.state)
        if due is not None:
            delay = min(max(0, self._wait(due)) / 1000, DAY)
            delay = max(delay, self._not_before - self._context.clock.monotonic())
            self._timer = self._context.clock.call_later(delay, lambda: self._fire(table))

    def _next(self, state: TableState) -> clocks.Due | None:
        """What happens next if nobody does anything."""
        return min(clocks.waits(state, self._context.settings), key=self._wait, default=None)

    def _wait(self, due: clocks.Due) -> int:
        """Milliseconds until something is due."""
        return due.wait - self._moments.since(due.since)

    def _fire(self, table: Timed) -> None:
        self._timer = None
        self._context.tasks.spawn(self._run(table))

    async def _run(self, table: Timed) -> None:
        try:
            due = self._next(table.state)
            if due is None or self._wait(due) > 0 or not table.leased:
                self.set(table)
            elif due.what == "act":
                await self._bot_acts(table, due.seat)
            else:
                deals = due.what == "deal"
                unwelcome = await self._server.unwelcome(table.state) if deals else frozenset()
                await table.change(lambda state: self._entries(state, due, unwelcome))
            self._backoff.succeeded()
        except Exception as error:
            self._context.troubles.note("a table's timer failed", error, table=table.state.id)
            self._not_before = self._context.clock.monotonic() + self._backoff.failed()
            self.set(table)

    def _entries(self, state: TableState, due: clocks.Due, unwelcome: frozenset[str]) -> commands.Entries:
        """What to write, if it is still due."""
        if due not in clocks.waits(state, self._context.settings):
            return ()
        now = self._context.now()
        match due.what:
            case "time" | "absent" | "idle":
                return [entries.StoodIn(now, due.seat, due.what, USUAL_BOT)]
            case "deal":
                return commands.next_game(state, now, self._context.next_game, unwelcome)
            case "continue":
                return [entries.Continued(now)]
            case "close":
                return [entries.Closed(now, "empty")]
        return ()

    async def _bot_acts(self, table: Timed, seat: int) -> None:
        """A bot thinks, outside the event loop and the lock; then its action is taken like any other."""
        state = table.state
        place, position = state.seats[seat], state.position
        assert position is not None
        by: Literal["bot", "stand-in"] = "bot" if place.by_bot else "stand-in"
        seed = seed_of(state.luck, len(state.actions))
        view = position.view(seat)
        wish = state.guide.wish(view) if state.guide is not None else ""
        action = wish or await self._server.think(place.bot, view, seed)

        def command(now_state: TableState) -> commands.Entries:
            if not table.leased:
                return ()  # this server is about to stop: the next one asks the bot again
            if now_state.changed != state.changed or now_state.seats[seat].decides:
                return ()  # the player is back, or another server was quicker
            if now_state.deciding != seat or now_state.paused:
                return ()  # the table was closed meanwhile, or the game stopped
            return [entries.Acted(self._context.now(), seat, action, by)]

        await self._server.arrivals.pass_by()
        async with self._server.bots_at_once:
            await table.change(command)
        if self._timer is None:
            self.set(table)
