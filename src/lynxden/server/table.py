"""A table in this server's memory: one writer, save then tell.

The log in the database is the truth, and this is a copy of it that is never ahead. Other servers may write
to the same log; the database gives each number to one entry only, and whoever comes second reads the
winner's entry and looks again whether what was wanted still makes sense.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Literal

from lynxden.games.errors import LynxdenError
from lynxden.server import clocks, log, protocol, seats, stored, tell
from lynxden.server.audience import Audience
from lynxden.server.errors import Code, Refusal
from lynxden.server.state import TableState
from lynxden.server.store import chat, tables
from lynxden.server.store.core import StoreUnavailable

if TYPE_CHECKING:
    from lynxden.server.connection import Connection
    from lynxden.server.hub import Hub

Make = Callable[[TableState], seats.Entries]
"""From the table as it stands to what is to be written; may refuse."""

PHRASE_MARK = "\x01"
"""Before the name of a quick phrase in stored chat; no line of chat holds control characters."""
LONG_GAME, LONG_GAME_BOT = 600, "random"
"""Expert play can go round in circles. After so many actions bots leave it to chance, which ends any game."""
STAND_IN = "greedy"
"""The bot that sits in for people."""
CHAT_SHOWN = 50
"""Lines of chat that a viewer gets when entering."""
RETRY = 1.0
"""Seconds after which something is tried again that could not be stored."""


class Table:
    """One table and those who watch it from this server."""

    def __init__(self, hub: Hub, state: TableState) -> None:
        self.hub = hub
        self.state = state
        self.viewers: dict[Connection, int | None] = {}
        self.audience = Audience(self)
        """Those of them who look on, here and at other servers."""
        self.held = False
        """This server holds the table's lease: it moves the bots and minds the clocks."""
        self.put_away = False
        """No longer in the server's memory: whoever still has this copy goes on with a new one."""
        self.idle_since = time.monotonic()
        """Since when nobody watches or asks for it."""
        self._lock = asyncio.Lock()
        self._unsure = False
        """A write or a reading failed without an answer: the log may be ahead."""
        self._timer: asyncio.TimerHandle | None = None
        self._chat_seen = 0

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
        return self.state.phase in ("over", "closed") or not any(
            self.hub.id in seat.servers and not self._is_here(number)
            for number, seat in enumerate(self.state.seats)
        )

    # --- Writing ------------------------------------------------------------------------------------

    async def change(self, make: Make, saved: Callable[[int], None] | None = None) -> TableState:
        """Write entries, then tell everybody. `saved` hears the last number before anybody is told."""
        async with self._lock:
            if not self.put_away:
                return await self._change(make, saved)
        return await (await self.hub.table(self.state.id)).change(make, saved)

    async def _change(self, make: Make, saved: Callable[[int], None] | None) -> TableState:
        if self._unsure:
            await self._catch_up()
        behind = self.hub.shared
        while True:
            try:
                entries = make(self.state)
                states = [self.state]
                for entry in entries:
                    states.append(states[-1].after(entry))
            except LynxdenError:
                # What this copy refuses may be right by now: another server may have written.
                if behind and await self._catch_up():
                    behind = False
                    continue
                raise
            if not entries:
                return self.state
            if await self._save(entries, states[1:]):
                break
            if not await self._catch_up():  # nobody was quicker: an administrator has deleted the table
                raise Refusal(Code.NOT_FOUND, f"there is no table {self.state.id} any more")
        try:
            if saved is not None:
                saved(states[-1].last)
            for entry, state in zip(entries, states[1:], strict=True):
                self._take(entry, state)
        finally:
            self.schedule()
        return self.state

    async def _save(self, entries: seats.Entries, states: list[TableState]) -> bool:
        bodies = [log.encode(entry) for entry in entries]
        finished = next((stored.finished(state) for state in states if _just_ended(state)), None)
        row = stored.row(states[-1], self.hub.settings)
        lobby = row.listed or self.state.listed
        try:
            return await self.hub.append(row, self.state.last + 1, bodies, finished, lobby)
        except BaseException:
            self._unsure = True
            raise

    async def catch_up(self) -> None:
        """Take what other servers have written."""
        async with self._lock:
            await self._catch_up()

    async def follow(self) -> None:
        """Take and tell all that was written elsewhere; what cannot be read now, a heartbeat reads later."""
        try:
            await self.catch_up()
            await self.tell_chat()
        except StoreUnavailable:
            self._unsure = True

    async def _catch_up(self) -> bool:
        """Whether there was something new."""
        self._unsure = True  # until the log has been read
        before = self.state
        try:
            for number, body in await self.hub.store.read(tables.entries, before.id, before.last):
                assert number == self.state.last + 1
                entry = log.decode(body)
                self._take(entry, self.state.after(entry))
            self._unsure = False
        finally:
            self.schedule()  # whatever the caller makes of it: the table may wait for somebody else now
        return self.state is not before

    # --- Telling ------------------------------------------------------------------------------------

    def _take(self, entry: log.Entry, state: TableState) -> None:
        """Go on to the next state and tell every viewer."""
        self.state = state
        if isinstance(entry, log.Sat | log.Stood | log.Quit):
            for viewer in self.viewers:
                self.viewers[viewer] = state.seat_of(viewer.guest.id)
            self.audience.changed()
        if isinstance(entry, log.Dealt | log.Quit) and not state.spectators:
            self._turn_out_spectators()  # before the start everybody may look; cards are for players alone
        if self.viewers:
            self._tell(entry, state)
        if isinstance(entry, log.Watching) and not entry.open:
            self._turn_out_spectators()
        if isinstance(entry, log.Sat | log.Gone) and self._is_here(entry.seat):
            # Somebody sits down who looks on already, or another server thought that this one was dead.
            self.hub.spawn(self._came(entry.seat))

    def _tell(self, entry: log.Entry, state: TableState) -> None:
        teller = tell.Teller(state, self.hub.now())
        made: dict[tuple[int | None, bool], bytes] = {}
        for viewer, seat in self.viewers.items():
            key = seat, viewer.guest.id == state.host
            if key not in made:
                made[key] = teller.happened(entry, seat, viewer.guest.id)
            viewer.send(made[key])

    def _turn_out_spectators(self) -> None:
        for viewer in [viewer for viewer, seat in self.viewers.items() if seat is None]:
            if viewer.guest.id != self.state.host:
                viewer.refuse(
                    Refusal(Code.NO_SPECTATORS, "this table is closed to spectators"), self.state.id
                )
                viewer.forget(self)

    # --- Coming and going ---------------------------------------------------------------------------

    async def watch(self, viewer: Connection, seen: int, invite: str) -> None:
        """Show the table to somebody, from now on."""
        if self._unsure or self.hub.shared or seen > self.state.last:
            await self.catch_up()
        self.check_watcher(viewer.guest.id, invite)
        async with self._lock:  # nothing happens between reading and telling
            present = not self.put_away
            seat = await self._show(viewer, seen, invite) if present else None
        if not present:
            await (await self.hub.table(self.state.id)).watch(viewer, seen, invite)
        elif seat is not None:
            await self._came(seat)

    async def _show(self, viewer: Connection, seen: int, invite: str) -> int | None:
        """Tell somebody all there is to see, and what happens from now on; their seat."""
        state = self.state
        entries: list[tuple[int, str]] = []
        if seen < state.last and state.position is not None:
            entries = await self.hub.store.read(tables.entries, state.id, state.dealt - 1)
        lines = await self._chat_so_far()
        self.check_watcher(viewer.guest.id, invite)
        seat = state.seat_of(viewer.guest.id)
        decoded = [(number, log.decode(body)) for number, body in entries if number <= state.last]
        missed = tell.missed(state, decoded, seen, seat)
        if not self.viewers and lines:
            self._chat_seen = lines[-1].number
        heard = [line for line in lines if line.guest not in viewer.muted]
        self.viewers[viewer] = seat
        viewer.tables[state.id] = self
        viewer.send(tell.Teller(state, self.hub.now()).fresh(seat, viewer.guest.id, missed, heard))
        self.audience.came(viewer, seat)
        return seat

    async def _chat_so_far(self) -> list[protocol.ChatLine]:
        """At least the lines that were told to others before this returns."""
        lines = await self.hub.chat_lines(self.state.id, CHAT_SHOWN)
        if self._chat_seen > (lines[-1].number if lines else 0):
            lines = await self.hub.chat_lines(self.state.id, CHAT_SHOWN)
        return lines

    def check_watcher(self, guest: str, invite: str) -> None:
        """Refuse whoever may not see this table."""
        state = self.state
        if state.seat_of(guest) is not None or guest == state.host:
            return
        if not seats.may_enter(state, guest, invite):
            raise seats.no_table(state.id)
        if not state.spectators and state.phase in ("running", "over"):
            raise Refusal(Code.NO_SPECTATORS, "this table is closed to spectators")

    async def _came(self, seat: int) -> None:
        """A player is connected here. A bot that sat in gives the seat back."""

        def entries(state: TableState) -> list[log.Entry]:
            now, place = self.hub.now(), state.seats[seat]
            if not self._is_here(seat) or state.phase in ("over", "closed"):
                return []
            found: list[log.Entry] = []
            if self.hub.id not in place.servers:
                found.append(log.Came(now, seat, self.hub.id))
            if place.stand_in and state.phase == "running":
                found.append(log.Back(now, seat))
            return found

        await self._note(entries, self._came, seat)

    def unwatch(self, viewer: Connection) -> None:
        """Somebody no longer looks; if a player stays away, the others are told."""
        seat = self.viewers.pop(viewer, None)
        self.audience.left(viewer)
        if not self.viewers:
            self.idle_since = time.monotonic()
        if seat is not None and not self._is_here(seat):
            self.hub.later(self.hub.settings.grace, self._gone, seat)

    async def _gone(self, seat: int) -> None:
        def entries(state: TableState) -> list[log.Entry]:
            if self._is_here(seat) or self.hub.id not in state.seats[seat].servers:
                return []
            if state.phase in ("over", "closed"):
                return []
            return [log.Gone(self.hub.now(), seat, self.hub.id)]

        await self._note(entries, self._gone, seat)

    async def _note(self, make: Make, again: Callable[[int], Coroutine[Any, Any, None]], seat: int) -> None:
        """Write who is there; if the database does not answer, later."""
        try:
            await self.change(make)
        except StoreUnavailable:
            self.hub.later(RETRY, again, seat)

    def _is_here(self, seat: int) -> bool:
        return seat in self.viewers.values()

    async def take_over(self, before: str) -> None:
        """A server has died that minded this table: its people are gone, and clocks start anew."""

        def entries(state: TableState) -> list[log.Entry]:
            now, seat = self.hub.now(), state.deciding
            if state.phase in ("over", "closed"):
                return []
            found: list[log.Entry] = [
                log.Gone(now, number, before)
                for number, place in enumerate(state.seats)
                if before in place.servers
            ]
            if seat is not None and state.seats[seat].decides:
                found.append(log.Resumed(now))
            return found

        await self.change(entries)

    async def miss(self, alive: set[str]) -> None:
        """Servers have died: whoever was connected to them is gone."""

        def entries(state: TableState) -> list[log.Entry]:
            if state.phase in ("over", "closed"):
                return []
            return [
                log.Gone(self.hub.now(), number, server)
                for number, seat in enumerate(state.seats)
                for server in sorted(seat.servers - alive)
            ]

        if entries(self.state):
            await self.change(entries)

    # --- What people do -----------------------------------------------------------------------------

    async def act(self, viewer: Connection, message: protocol.Act) -> None:
        """A player's decision: checked, stored, acknowledged, told."""
        if message.seen > self.state.last:
            await self.catch_up()

        def acknowledge(number: int) -> None:
            viewer.send(protocol.encode(protocol.Ack(self.state.id, message.id, number)))

        def entries(state: TableState) -> seats.Entries:
            return seats.act(state, viewer.guest.id, message.action, message.id, message.seen, self.hub.now())

        try:
            await self.change(entries, acknowledge)
        except seats.Repeated as repeated:
            acknowledge(repeated.number)

    async def say(self, viewer: Connection, text: str, phrase: str) -> None:
        """A line of chat, for everybody at the table. While a game runs, spectators are silent."""
        state = self.state
        if state.seat_of(viewer.guest.id) is None and state.phase == "running":
            raise Refusal(Code.NO_SEAT, "spectators do not talk while a game is running")
        body = PHRASE_MARK + phrase if phrase else text
        guest = viewer.guest
        await self.hub.store.write(chat.add, state.id, guest.id, guest.name, body, self.hub.now())
        await self.tell_chat()

    async def tell_chat(self) -> None:
        """Tell viewers the lines that they have not heard yet."""
        for line in await self.hub.chat_lines(self.state.id, CHAT_SHOWN):
            if line.number <= self._chat_seen:
                continue
            self._chat_seen = line.number
            data = protocol.encode(protocol.Chat(self.state.id, line))
            for viewer in self.viewers:
                if line.guest not in viewer.muted:
                    viewer.send(data)

    # --- What happens by itself ---------------------------------------------------------------------

    def schedule(self) -> None:
        """Set the timer for whatever falls due next, if this server minds the table."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self.held or self.hub.closing:
            return
        due = clocks.due(self.state, self.hub.settings)
        if due is not None:
            delay = min(max(0, due.at - self.hub.now()) / 1000, 86400)
            self._timer = asyncio.get_running_loop().call_later(delay, self._fire)

    def _fire(self) -> None:
        self._timer = None
        self.hub.spawn(self._run_due())

    def stop(self) -> None:
        """Mind the table no longer."""
        self.held = False
        self.schedule()

    async def _run_due(self) -> None:
        try:
            due = clocks.due(self.state, self.hub.settings)
            if due is None or due.at > self.hub.now() or not self.held:
                self.schedule()
            elif due.what == "act":
                await self._bot_acts(due.seat)
            else:
                await self.change(lambda state: self._due_entries(state, due))
        except Exception:
            self.hub.log.exception("a table's timer failed", extra={"table": self.state.id})
            self.hub.later(RETRY, self._again)

    async def _again(self) -> None:
        self.schedule()

    def _due_entries(self, state: TableState, due: clocks.Due) -> seats.Entries:
        """What to write, if it is still due."""
        if clocks.due(state, self.hub.settings) != due:
            return ()
        now = self.hub.now()
        match due.what:
            case "time" | "absent" | "idle":
                return [log.StoodIn(now, due.seat, due.what)]
            case "deal":
                return [seats.dealt(state, now, self.hub.deal)]
            case "close":
                return [log.Closed(now, "empty")]
        return ()

    async def _bot_acts(self, seat: int) -> None:
        """A bot thinks, outside the event loop and the lock; then its action is taken like any other."""
        state = self.state
        place, position = state.seats[seat], state.position
        assert position is not None
        bot = place.bot if place.kind == "bot" else STAND_IN
        if len(state.actions) > LONG_GAME:
            bot = LONG_GAME_BOT
        by: Literal["bot", "stand-in"] = "bot" if place.kind == "bot" or place.quit else "stand-in"
        action = await self.hub.think(bot, position.view(seat))

        def entries(now_state: TableState) -> seats.Entries:
            if now_state.changed != state.changed or now_state.seats[seat].decides:
                return ()  # the player is back, or another server was quicker
            return [log.Acted(self.hub.now(), seat, action, by)]

        await self.change(entries)
        if self._timer is None:
            self.schedule()


def _just_ended(state: TableState) -> bool:
    """Whether the state's last entry ended a game."""
    return state.changed == state.last and state.position is not None and state.position.over
