"""A table in this server's memory: one writer, save then send.

The log in the database is the truth, and this is a copy of it that is never ahead. Other servers may write
to the same log; the database gives each number to one entry only, and the server that comes second reads the
winner's entry and looks again whether what was wanted still makes sense.
"""

from __future__ import annotations

import asyncio
import math
import weakref
from collections.abc import Callable, Sequence
from typing import Protocol

from lynxden.games.errors import LynxdenError
from lynxden.server import protocol
from lynxden.server.errors import Code, Refusal
from lynxden.server.live.audience import Audience
from lynxden.server.live.chat import Conversation
from lynxden.server.live.clock import Moments
from lynxden.server.live.due import DueTimer, Thinking
from lynxden.server.live.missed import History, Missed, Replaying
from lynxden.server.live.tasks import Task
from lynxden.server.live.viewer import Viewer
from lynxden.server.store import tables
from lynxden.server.store.core import StoreUnavailable
from lynxden.server.table import clocks, commands, entries, presence, projections, views
from lynxden.server.table.state import TableState, follow

RETRY = 1.0
"""Seconds after which something is tried again that could not be stored."""


class Keeper(Thinking, Replaying, Protocol):
    """What a table needs of the server around it."""

    @property
    def remind(self) -> Callable[[TableState], None]:
        """Remind a player who is away that it is their turn."""

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
        self._due = DueTimer(keeper, self._moments)
        self._history = History(keeper)

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
        return self._due.quiet_for(self.state) if self.leased else math.inf

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
        self._history.add(entry, state)
        self._moments.note(entry.at, clocks.moments(state))
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
            self._turn_out_guest(entry.removed)
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
                self._turn_out(viewer, presence.closed_to_spectators())

    def _turn_out_guest(self, guest: str) -> None:
        """The host has removed somebody."""
        for viewer in [viewer for viewer in self.viewers if viewer.guest.id == guest]:
            self._turn_out(viewer, Refusal(Code.REMOVED, "the host has removed you from this table"))

    def _turn_out(self, viewer: Viewer, refusal: Refusal) -> None:
        viewer.refuse(refusal, self.id)
        self.unwatch(viewer)
        viewer.leaves(self)

    # --- Coming and going ---------------------------------------------------------------------------

    async def watch(self, viewer: Viewer, seen: int, invite: str, board: bool = False) -> None:
        """Show the table to somebody, from now on; `board`: on a screen that everybody sees."""
        if self._unsure or self._context.shared or seen > self.state.last:
            await self.catch_up()
        self.check_watcher(viewer.guest.id, invite, board)
        with self._history.entering():
            seat = None if board else self.state.seat_of(viewer.guest.id)
            missed = await self._history.missed(self.state, seat, viewer.guest.id, seen)
            async with self._lock:  # nothing happens between reading and sending
                present = not self.put_away
                seat = await self._show(viewer, invite, missed, board) if present else None
        if not present:
            await (await self._keeper.get(self.id)).watch(viewer, seen, invite, board)
        elif seat is not None:
            await self._came(seat)

    async def _show(self, viewer: Viewer, invite: str, missed: Missed, board: bool) -> int | None:
        """Send somebody all there is to see, and what happens from now on; their seat."""
        lines = await self.chat.lines()
        state = self.state
        self.check_watcher(viewer.guest.id, invite, board)
        self._boards.pop(viewer, None)
        if board:
            self._boards[viewer] = invite == state.invite
        before, seat = self.viewers.get(viewer), self._seat_of(viewer)
        if not self.viewers:
            self.chat.begin(lines)
        shown = [line for line in lines if line.guest not in viewer.muted]
        self.viewers[viewer] = seat
        viewer.watches(self)
        happenings = self._history.complete(missed, state, seat)
        viewer.send(self.as_seen().fresh(seat, viewer.guest.id, happenings, shown))
        self.audience.came(viewer, seat)
        if before is not None and not self._is_here(before):  # what showed a hand is a board now
            self._context.tasks.later(self._context.settings.grace, self._gone, before)
        return seat

    def check_watcher(self, guest: str, invite: str, board: bool = False) -> None:
        """Refuse those who may not see this table."""
        presence.check_watcher(self.state, guest, invite, board)

    async def _came(self, seat: int) -> None:
        """A player is connected here. A bot that filled in gives the seat back."""

        def command(state: TableState) -> commands.Entries:
            here = self._is_here(seat)
            return presence.came(state, seat, self._context.id, self._context.now()) if here else ()

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
        """A player is no longer connected here, unless they have come back."""

        def command(state: TableState) -> commands.Entries:
            here = self._is_here(seat)
            return () if here else presence.gone(state, seat, self._context.id, self._context.now())

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
        await self.change(lambda state: presence.taken_over(state, before, self._context.now()))

    async def miss(self, alive: set[str]) -> None:
        """Servers have died: those who were connected to them are gone."""

        def command(state: TableState) -> commands.Entries:
            return presence.only_at(state, alive, self._context.now())

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
        self._due.set(self)

    def stop(self) -> None:
        """Run its clocks and bots no longer."""
        self.leased = False
        self.schedule()
