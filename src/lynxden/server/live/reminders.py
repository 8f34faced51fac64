"""Reminders for people who are away: it is their turn, in a game whose clock runs for hours or days.

They go out after the move is stored and sent, in threads of their own: nobody waits for a push service.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import msgspec

from lynxden.server import webpush
from lynxden.server.live.context import Context
from lynxden.server.store import push
from lynxden.server.store.core import StoreUnavailable
from lynxden.server.table.state import TableState

SLOW = 3600
"""Seconds on a clock from which somebody need not sit before the table all the time."""
AT_ONCE = 4
"""Threads."""
MOST_WAITING = 1000
"""Reminders under way; further ones are dropped."""
TTL = 86_400
"""Seconds for which a push service keeps a message for a browser that is off."""


class Reminders:
    """What one server sends to closed browsers."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._threads = ThreadPoolExecutor(AT_ONCE, "push")
        self._waiting = 0
        self._key = ""

    async def private_key(self) -> str:
        if not self._key:
            self._key = await self._context.store.write(push.key, webpush.new_key)
        return self._key

    def turn(self, state: TableState) -> None:
        """A decision is waited for: remind the person, if they are away and the game is a slow one."""
        seat = state.deciding
        if seat is None or state.paused or not webpush.AVAILABLE or self._waiting >= MOST_WAITING:
            return
        place, clock = state.seats[seat], state.plan.clock
        slow = clock.kind != "none" and clock.seconds >= SLOW
        if slow and place.decides and not place.here and not place.program and place.guest:
            self._waiting += 1
            self._context.tasks.spawn(self._remind(place.guest, state.id, state.plan.game))

    async def _remind(self, guest: str, table: str, game: str) -> None:
        try:
            for reached in await self._context.store.read(push.of_guest, guest):
                await self._send(guest, reached, table, game)
        except StoreUnavailable:
            pass  # the game is there all the same
        finally:
            self._waiting -= 1

    async def _send(self, guest: str, reached: push.Reached, table: str, game: str) -> None:
        context, to = self._context, reached.subscription
        # No cards, no names: what is on the lock screen of a phone is for everybody.
        text = msgspec.json.encode(
            {"kind": "turn", "table": table, "game": game, "language": reached.language}
        )
        contact = context.settings.push_contact or context.settings.public_url or "mailto:nobody@localhost"
        local = bool(context.settings.push_local)
        private = await self.private_key()

        def work() -> bool:
            signed = webpush.signature(private, to.endpoint, contact, context.now() // 1000)
            return webpush.deliver(to, text, table, signed, TTL, local)

        try:
            valid = await asyncio.get_running_loop().run_in_executor(self._threads, work)
        except webpush.PushError as error:
            context.log.info("a reminder was not delivered: %s", error)
            return
        if not valid:
            await context.store.write(push.unsubscribe, guest, to.endpoint)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
