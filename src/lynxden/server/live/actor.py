"""A table in this server's memory: one writer, save then send.

The log in the database is the truth, and this is a copy of it that is never ahead. Other servers may write
to the same log; the database gives each number to one entry only, and the server that comes second reads the
winner's entry and looks again whether what was wanted still makes sense.
"""

from __future__ import annotations

import asyncio
import math
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, Protocol

from lynxden.games.core import View
from lynxden.games.errors import LynxdenError
from lynxden.server import protocol
from lynxden.server.errors import Code, Refusal
from lynxden.server.live.audience import Audience
from lynxden.server.live.chat import Conversation
from lynxden.server.live.clock import Moments, Timer
from lynxden.server.live.context import Context
from lynxden.server.live.jobs import Jobs
from lynxden.server.live.tasks import Task
from lynxden.server.live.thinkers import seed_of
from lynxden.server.live.troubles import Backoff
from lynxden.server.live.viewer import Viewer
from lynxden.server.store import tables
from lynxden.server.store.core import StoreUnavailable
from lynxden.server.table import clocks, commands, entries, projections, views
from lynxden.server.table.plans import USUAL_BOT
from lynxden.server.table.state import TableState, follow

RETRY = 1.0
"""Seconds after which something is tried again that could not be stored."""
REPLAY_LIMIT = 10.0
"""Seconds in which what somebody missed must be replayed."""
DAY = 86_400.0
"""Seconds after which a timer looks again; nothing is waited for longer at once."""
RECENT = 6
"""Entries that are kept with the table after each: who missed no more than that is told at once."""
SHORT = 16
"""So few entries are replayed at once; it takes less than a millisecond."""


class Keeper(Protocol):
    """What a table needs of the server around it."""

    @property
    def context(self) -> Context: ...

    @property
    def jobs(self) -> Jobs: ...

    @property
    def bots_at_once(self) -> asyncio.Semaphore:
        """To be held while a bot's action is written, so that people need not wait for many of them."""

    @property
    def remind(self) -> Callable[[TableState], None]:
        """Tells somebody who is away that it is their turn."""

    @property
    def replaying(self) -> asyncio.Semaphore:
        """How many may have games replayed at the same time."""

    async def get(self, key: str) -> LiveTable:
        """A table by its id, for callers with a copy that was put away."""

    async def append(
        self,
        row: projections.TableRow,
        first: int,
        bodies: Sequence[str],
        finished: projections.FinishedGame | None,
        lobby: bool,
        usual: bool,
    ) -> bool:
        """Write to a table's log; False if somebody else was quicker."""

    async def unwelcome(self, state: TableState) -> frozenset[str]:
        """Those who wait for the next game in vain."""

    async def think(self, bot: str, view: View, seed: int) -> str:
        """A bot's decision, with this luck."""


class Missed(NamedTuple):
    """What a viewer missed."""

    last: int
    """Up to which entry."""
    happenings: bytes
    """As a JSON list."""


class LiveTable:
    """One table and those who watch it from this server."""

    def __init__(self, keeper: Keeper, state: TableState) -> None:
        self._keeper = keeper
        self._context = keeper.context
        self.state = state
        self.viewers: dict[Viewer, int | None] = {}
        """Who is sent what happens here, with their seats; None for spectators and for boards."""
        self._boards: dict[Viewer, bool] = {}
        """Those of them that show the table on a screen for everybody; whether with the invitation."""
        # Without a reference back to the table: so it is freed at once when it is put away.
        sits = weakref.WeakMethod(self._sits)
        self.audience = Audience(
            self._context,
            state.id,
            self.viewers,
            lambda guest: (found := sits()) is not None and found(guest),
        )
        """Those of them who look on, here and at other servers."""
        self.chat = Conversation(self._context, state.id)
        self.leased = False
        """This server holds the table's lease: it runs the bots and the clocks."""
        self.put_away = False
        """No longer in the server's memory: callers that still have this copy go on with a new one."""
        self.idle_since = self._context.clock.monotonic()
        """Since when nobody watches or asks for it."""
        self._lock = asyncio.Lock()
        self._unsure = False
        """A write or a reading failed without an answer: the log may be ahead."""
        self._moments = Moments(self._context.clock, clocks.moments(state))
        """Those that the table's clocks count from."""
        self._timer: Timer | None = None
        self._backoff = Backoff()
        self._not_before = 0.0
        """When what failed last may be tried again, in monotonic time."""
        self._entering = 0
        """How many are about to watch the table."""
        self._meanwhile: list[tuple[entries.Entry, TableState]] = []
        """What has happened since the first of them began to."""
        self._recent: deque[tuple[entries.Entry, TableState]] = deque(maxlen=RECENT)
        """What has happened last, and the table after each."""

    @property
    def id(self) -> str:
        return self.state.id

    @property
    def busy(self) -> bool:
        """Something is being written or read."""
        return self._lock.locked()

    @property
    def unsure(self) -> bool:
        """The log may be ahead, and nobody has read it since."""
        return self._unsure

    @property
    def settled(self) -> bool:
        """Nobody counts as connected to this server who is not."""
        return self.state.settled or not any(
            self._context.id in seat.servers and not self._is_here(number)
            for number, seat in enumerate(self.state.seats)
        )

    @property
    def quiet_for(self) -> float:
        """Seconds until something happens here though nobody acts, as far as this server runs it."""
        due = self._next_due() if self.leased else None
        return math.inf if due is None else self._wait(due) / 1000

    def as_seen(self) -> views.Views:
        """The table as it may be seen now, by its own clocks."""
        state = self.state
        return views.Views(state, state.decided_at + self._moments.since(state.decided_at))

    # --- Writing ------------------------------------------------------------------------------------

    async def change(
        self, command: commands.Command, saved: Callable[[int], None] | None = None
    ) -> TableState:
        """Write what a command says, then send it. `saved` is called with the last number before that."""
        async with self._lock:
            if not self.put_away:
                return await self._change(command, saved)
        return await (await self._keeper.get(self.id)).change(command, saved)

    async def _change(self, command: commands.Command, saved: Callable[[int], None] | None) -> TableState:
        if self._unsure:
            await self._catch_up()
        behind = self._context.shared
        while True:
            try:
                written, states = commands.carry_out(self.state, command)
            except LynxdenError:
                # What this copy refuses may be right by now: another server may have written.
                if behind and await self._catch_up():
                    behind = False
                    continue
                raise
            if not written:
                return self.state
            if await self._save(written, states):
                break
            if not await self._catch_up():  # nobody was quicker: an administrator has deleted the table
                raise Refusal(Code.NOT_FOUND, f"there is no table {self.id} any more")
        try:
            if saved is not None:
                saved(states[-1].last)
            for entry, state in zip(written, states, strict=True):
                self._take(entry, state)
        finally:
            self.schedule()
        return self.state

    async def _save(self, written: commands.Entries, states: Sequence[TableState]) -> bool:
        bodies = [entries.encode(entry) for entry in written]
        ended = next((state for state in states if projections.just_ended(state)), None)
        finished = projections.finished(ended) if ended is not None else None
        row = projections.row(states[-1], self._context.settings)
        lobby = row.listed or self.state.listed
        try:
            usual = projections.alike(self.state, states[-1])
            return await self._keeper.append(row, self.state.last + 1, bodies, finished, lobby, usual)
        except BaseException:
            self._unsure = True
            raise

    async def catch_up(self) -> None:
        """Take what other servers have written."""
        async with self._lock:
            await self._catch_up()

    async def receive(self, last: int, bodies: Sequence[str]) -> None:
        """Take entries that another server has written and sent, the last one with this number.

        The log is read only if they do not follow directly on what is known here.
        """
        async with self._lock:
            if last <= self.state.last:
                return
            if self._unsure or self.state.last + len(bodies) != last:
                try:
                    await self._catch_up()
                except StoreUnavailable:  # a heartbeat tries again
                    self._unsure = True
                return
            self._unsure = True  # until all are taken
            try:
                for body in bodies:
                    self._take(*follow(self.state, body))
                self._unsure = False
            finally:
                self.schedule()

    async def follow(self) -> None:
        """Take and send all that was written elsewhere; what cannot be read now, a heartbeat reads later."""
        try:
            await self.catch_up()
            await self.chat.send_new(self.viewers)
        except StoreUnavailable:
            self._unsure = True

    async def _catch_up(self) -> bool:
        """Whether there was something new."""
        self._unsure = True  # until the log has been read
        before = self.state
        try:
            wanted = before.id, before.last
            for number, body in await self._context.store.read_together(tables.logs, wanted):
                assert number == self.state.last + 1
                self._take(*follow(self.state, body))
            self._unsure = False
        finally:
            self.schedule()  # whatever the caller makes of it: the table may wait for somebody else now
        return self.state is not before

    # --- Sending ------------------------------------------------------------------------------------

    def _take(self, entry: entries.Entry, state: TableState) -> None:
        """Go on to the next state and send it to every viewer."""
        self.state = state
        self._recent.append((entry, state))
        self._moments.note(entry.at, clocks.moments(state))
        if self._entering:
            self._meanwhile.append((entry, state))
        if isinstance(entry, entries.Sat | entries.Stood | entries.Quit):
            for viewer in self.viewers:
                self.viewers[viewer] = self._seat_of(viewer)
            self.audience.changed()
        if isinstance(entry, entries.Dealt | entries.Quit) and not state.spectators:
            self._turn_out_spectators()  # before the start everybody may look; cards are for players alone
        if self.viewers:
            self._send(entry, state)
        if isinstance(entry, entries.Dealt | entries.Acted | entries.Continued) and self.leased:
            self._keeper.remind(state)
        if isinstance(entry, entries.Stood | entries.Waits) and entry.removed:
            self._turn_out(entry.removed)
        if isinstance(entry, entries.Watching) and not entry.open:
            self._turn_out_spectators()
        if isinstance(entry, entries.Sat | entries.Gone) and self._is_here(entry.seat):
            # Somebody sits down who looks on already, or another server thought that this one was dead.
            self._context.tasks.spawn(self._came(entry.seat))

    def _send(self, entry: entries.Entry, state: TableState) -> None:
        seen = self.as_seen()
        made: dict[tuple[int | None, bool], bytes] = {}
        for viewer, seat in self.viewers.items():
            key = seat, viewer.guest.id == state.host
            if key not in made:
                made[key] = seen.happened(entry, seat, viewer.guest.id)
            viewer.send(made[key])

    def _sits(self, guest: str) -> bool:
        return self.state.seat_of(guest) is not None

    def _seat_of(self, viewer: Viewer) -> int | None:
        """The seat whose cards a viewer is shown."""
        return None if viewer in self._boards else self.state.seat_of(viewer.guest.id)

    def _turn_out_spectators(self) -> None:
        for viewer in [viewer for viewer, seat in self.viewers.items() if seat is None]:
            inside = viewer.guest.id == self.state.host or self._sits(viewer.guest.id)
            if not inside and not self._boards.get(viewer):
                viewer.refuse(Refusal(Code.NO_SPECTATORS, "this table is closed to spectators"), self.id)
                self.unwatch(viewer)
                viewer.leaves(self)

    def _turn_out(self, guest: str) -> None:
        """The host has removed somebody."""
        for viewer in [viewer for viewer in self.viewers if viewer.guest.id == guest]:
            viewer.refuse(Refusal(Code.REMOVED, "the host has removed you from this table"), self.id)
            self.unwatch(viewer)
            viewer.leaves(self)

    # --- Coming and going ---------------------------------------------------------------------------

    async def watch(self, viewer: Viewer, seen: int, invite: str, board: bool = False) -> None:
        """Show the table to somebody, from now on; `board`: on a screen that everybody sees."""
        if self._unsure or self._context.shared or seen > self.state.last:
            await self.catch_up()
        self.check_watcher(viewer.guest.id, invite, board)
        self._entering += 1
        try:
            missed = await self._missed(None if board else self.state.seat_of(viewer.guest.id), viewer, seen)
            async with self._lock:  # nothing happens between reading and sending
                present = not self.put_away
                seat = await self._show(viewer, invite, missed, board) if present else None
        finally:
            self._entering -= 1
            if not self._entering:
                self._meanwhile.clear()
        if not present:
            await (await self._keeper.get(self.id)).watch(viewer, seen, invite, board)
        elif seat is not None:
            await self._came(seat)

    async def _missed(self, seat: int | None, viewer: Viewer, seen: int) -> Missed:
        """What somebody missed of the present game so far, as this seat or a spectator may know it.

        If there were actions, the game is played again to know what came of them. That takes a while, so it
        is done in another process, and others may act meanwhile: `_meanwhile` keeps that.
        """
        state = self.state
        if not state.dealt or seen >= state.last:
            return Missed(state.last, b"[]")
        seen = max(seen, state.dealt - 1)
        if self._recent and self._recent[0][1].last <= seen + 1:
            recent = [
                views.happening_json(entry, after, seat) for entry, after in self._recent if after.last > seen
            ]
            return Missed(state.last, views.joined(recent))
        replay = state.position is not None and len(state.actions) > 0 and seen < state.changed
        first = state.dealt if replay else seen + 1
        log = await self._context.store.read_together(tables.logs, (state.id, first - 1))
        bodies = [body for number, body in log if number <= state.last]
        if not replay:
            return Missed(state.last, views.without_cards(first, bodies, seat))
        wanted = state.plan.game, state.playable.options, first, bodies, seen, seat
        if len(bodies) <= SHORT:
            return Missed(state.last, views.replayed(*wanted))
        async with self._keeper.replaying:
            happenings = await self._keeper.jobs.run(
                "missed", views.replayed, *wanted, owner=viewer.guest.id, limit=REPLAY_LIMIT
            )
        return Missed(state.last, happenings)

    async def _show(self, viewer: Viewer, invite: str, missed: Missed, board: bool) -> int | None:
        """Send somebody all there is to see, and what happens from now on; their seat."""
        lines = await self.chat.lines()
        state = self.state
        self.check_watcher(viewer.guest.id, invite, board)
        self._boards.pop(viewer, None)
        if board:
            self._boards[viewer] = invite == state.invite
        before, seat = self.viewers.get(viewer), self._seat_of(viewer)
        happenings = [missed.happenings] if state.dealt <= missed.last else []
        happenings += [
            views.happening_json(entry, after, seat)
            for entry, after in self._meanwhile
            if after.last > missed.last and after.last >= state.dealt
        ]
        if not self.viewers:
            self.chat.begin(lines)
        shown = [line for line in lines if line.guest not in viewer.muted]
        self.viewers[viewer] = seat
        viewer.watches(self)
        viewer.send(self.as_seen().fresh(seat, viewer.guest.id, views.joined(happenings), shown))
        self.audience.came(viewer, seat)
        if before is not None and not self._is_here(before):  # what showed a hand is a board now
            self._context.tasks.later(self._context.settings.grace, self._gone, before)
        return seat

    def check_watcher(self, guest: str, invite: str, board: bool = False) -> None:
        """Refuse those who may not see this table."""
        state = self.state
        if state.seat_of(guest) is not None or guest == state.host:
            return
        if not commands.may_enter(state, guest, invite):
            raise commands.no_table(state.id)
        commands.check_not_removed(state, guest)
        if not state.spectators and state.phase in ("running", "over"):
            if board and invite == state.invite:
                return
            raise Refusal(Code.NO_SPECTATORS, "this table is closed to spectators")

    async def _came(self, seat: int) -> None:
        """A player is connected here. A bot that filled in gives the seat back."""

        def command(state: TableState) -> list[entries.Entry]:
            now, place = self._context.now(), state.seats[seat]
            if not self._is_here(seat) or state.settled:
                return []
            found: list[entries.Entry] = []
            if self._context.id not in place.servers:
                found.append(entries.Came(now, seat, self._context.id))
            if place.stand_in and state.phase == "running":
                found.append(entries.Back(now, seat))
            return found

        await self._note(command, self._came, seat)

    def unwatch(self, viewer: Viewer) -> None:
        """Somebody no longer looks; if a player stays away, the others are sent that."""
        seat = self.viewers.pop(viewer, None)
        self._boards.pop(viewer, None)
        self.audience.left(viewer)
        if not self.viewers:
            self.idle_since = self._context.clock.monotonic()
        if seat is not None and not self._is_here(seat):
            self._context.tasks.later(self._context.settings.grace, self._gone, seat)

    async def _gone(self, seat: int) -> None:
        def command(state: TableState) -> list[entries.Entry]:
            if self._is_here(seat) or self._context.id not in state.seats[seat].servers:
                return []
            if state.settled:
                return []
            return [entries.Gone(self._context.now(), seat, self._context.id)]

        await self._note(command, self._gone, seat)

    async def _note(self, command: commands.Command, again: Callable[[int], Task], seat: int) -> None:
        """Write who is there; if the database does not answer, later."""
        try:
            await self.change(command)
        except StoreUnavailable:
            self._context.tasks.later(RETRY, again, seat)
        except Refusal as refusal:
            if refusal.code is not Code.READ_ONLY:
                raise

    def _is_here(self, seat: int) -> bool:
        return seat in self.viewers.values()

    async def take_over(self, before: str) -> None:
        """A server has died that held the lease: its people are gone, and clocks start anew."""

        def command(state: TableState) -> list[entries.Entry]:
            now, seat = self._context.now(), state.deciding
            if state.settled:
                return []
            found: list[entries.Entry] = [
                entries.Gone(now, number, before)
                for number, place in enumerate(state.seats)
                if before in place.servers
            ]
            if seat is not None and state.seats[seat].decides:
                found.append(entries.Resumed(now))
            return found

        await self.change(command)

    async def miss(self, alive: set[str]) -> None:
        """Servers have died: those who were connected to them are gone."""

        def command(state: TableState) -> list[entries.Entry]:
            if state.settled:
                return []
            return [
                entries.Gone(self._context.now(), number, server)
                for number, seat in enumerate(state.seats)
                for server in sorted(seat.servers - alive)
            ]

        if command(self.state):
            await self.change(command)

    # --- What people do -----------------------------------------------------------------------------

    async def act(self, viewer: Viewer, message: protocol.Act) -> None:
        """A player's decision: checked, stored, acknowledged, sent."""
        if message.seen > self.state.last:
            await self.catch_up()

        def acknowledge(number: int) -> None:
            viewer.send(protocol.encode(protocol.Ack(self.id, message.id, number)))

        def command(state: TableState) -> commands.Entries:
            now, took = self._context.now(), self._moments.since(state.decided_at)
            return commands.act(state, viewer.guest.id, message.action, message.id, message.seen, now, took)

        try:
            await self.change(command, acknowledge)
        except commands.Repeated as repeated:
            acknowledge(repeated.number)

    async def pause(self, guest: str) -> TableState:
        """Somebody stops the game for a while."""
        return await self.change(
            lambda state: commands.pause(
                state, guest, self._context.now(), self._moments.since(state.decided_at)
            )
        )

    async def say(self, viewer: Viewer, text: str, phrase: str) -> None:
        """A line of chat, for everybody at the table."""
        await self.chat.say(viewer, self.state, text, phrase)
        await self.chat.send_new(self.viewers)

    # --- What happens by itself ---------------------------------------------------------------------

    def schedule(self) -> None:
        """Set the timer for whatever falls due next, if this server holds the lease."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self.leased or self._context.tasks.closing:
            return
        due = self._next_due()
        if due is not None:
            delay = min(max(0, self._wait(due)) / 1000, DAY)
            delay = max(delay, self._not_before - self._context.clock.monotonic())
            self._timer = self._context.clock.call_later(delay, self._fire)

    def _next_due(self) -> clocks.Due | None:
        """What happens next if nobody does anything."""
        return min(clocks.waits(self.state, self._context.settings), key=self._wait, default=None)

    def _wait(self, due: clocks.Due) -> int:
        """Milliseconds until something is due."""
        return due.wait - self._moments.since(due.since)

    def _fire(self) -> None:
        self._timer = None
        self._context.tasks.spawn(self._run_due())

    def stop(self) -> None:
        """Run its clocks and bots no longer."""
        self.leased = False
        self.schedule()

    async def _run_due(self) -> None:
        try:
            due = self._next_due()
            if due is None or self._wait(due) > 0 or not self.leased:
                self.schedule()
            elif due.what == "act":
                await self._bot_acts(due.seat)
            else:
                unwelcome = await self._keeper.unwelcome(self.state) if due.what == "deal" else frozenset()
                await self.change(lambda state: self._due_entries(state, due, unwelcome))
            self._backoff.succeeded()
        except Exception as error:
            self._context.troubles.note("a table's timer failed", error, table=self.id)
            self._not_before = self._context.clock.monotonic() + self._backoff.failed()
            self.schedule()

    def _due_entries(self, state: TableState, due: clocks.Due, unwelcome: frozenset[str]) -> commands.Entries:
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

    async def _bot_acts(self, seat: int) -> None:
        """A bot thinks, outside the event loop and the lock; then its action is taken like any other."""
        state = self.state
        place, position = state.seats[seat], state.position
        assert position is not None
        by: Literal["bot", "stand-in"] = "bot" if place.kind == "bot" or place.quit else "stand-in"
        seed = seed_of(state.luck, len(state.actions))
        view = position.view(seat)
        wish = state.guide.wish(view) if state.guide is not None else ""
        action = wish or await self._keeper.think(place.bot, view, seed)

        def command(now_state: TableState) -> commands.Entries:
            if now_state.changed != state.changed or now_state.seats[seat].decides:
                return ()  # the player is back, or another server was quicker
            if now_state.deciding != seat or now_state.paused:
                return ()  # the table was closed meanwhile, or the game stopped
            return [entries.Acted(self._context.now(), seat, action, by)]

        async with self._keeper.bots_at_once:
            await self.change(command)
        if self._timer is None:
            self.schedule()
