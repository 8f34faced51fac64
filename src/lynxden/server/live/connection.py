"""One socket: what comes in is handled in order, what goes out waits in a queue of its own.

A slow receiver never holds up anybody else: if its queue grows too long, it is let go, and can come back
for a fresh view.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec

from lynxden.games.errors import LynxdenError
from lynxden.server import protocol, sanitize
from lynxden.server.errors import Code, Refusal, refusal_of
from lynxden.server.limits import Bucket, Buckets
from lynxden.server.live.actor import LiveTable
from lynxden.server.live.context import Context
from lynxden.server.live.lobby import Lobby
from lynxden.server.live.tables import Tables
from lynxden.server.live.viewer import Watched
from lynxden.server.store.core import StoreUnavailable
from lynxden.server.store.guests import Guest
from lynxden.server.table.commands import back, ready

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

MOST_WAITING = 500
"""Messages in a queue before its receiver is let go."""
MOST_BYTES = 2**20
"""The same in bytes: a view of a table is far longer than an event."""
MOST_BYTES_PER_ADDRESS = 8 * 2**20
"""The same for all sockets from one network address together."""
MOST_TABLES = 16
"""Tables that one connection may watch."""
MOST_REFUSED = 100
"""Messages over the limit before the connection is closed."""
CHAT_BURST = 5
"""Lines of chat that somebody may say at once."""


class Close:
    """Why the server closes a socket; 4000 and up are ours."""

    RESTART = 1012
    """The server stops, or its database does not answer: come again in a moment."""
    WHO = 4401
    """No valid identity, or it was deleted: get one, then come again."""
    ORIGIN = 4403
    """The page is not one of this server. The handshake itself is refused, with HTTP 403."""
    SLOW = 4408
    """The receiver did not take its messages: come again and get a fresh view."""
    BANNED = 4423
    """An administrator has banned the guest or the network address: do not come again."""
    TOO_MUCH = 4429
    """Too many messages, or too many sockets from one address: wait before you come again."""


@dataclass
class Budget:
    """What the sockets from one network address may let wait."""

    used: int = 0
    """Bytes that wait now."""


@dataclass(frozen=True)
class Rooms:
    """Where a connection can go."""

    context: Context
    tables: Tables
    lobby: Lobby
    chatter: Buckets
    """How much each guest may say."""


class Connection:
    """A guest's socket."""

    __slots__ = (
        "_at_once",
        "_budget",
        "_close",
        "_outbox",
        "_over",
        "_rate",
        "_receive",
        "_receiving",
        "_rooms",
        "_send",
        "_waiting",
        "_wake",
        "address",
        "guest",
        "muted",
        "session",
        "tables",
    )  # fmt: skip

    def __init__(
        self,
        rooms: Rooms,
        guest: Guest,
        muted: set[str],
        receive: Receive,
        send: Send,
        session: str = "",
        budget: Budget | None = None,
        address: str = "",
        at_once: Callable[[bytes], bool] | None = None,
    ) -> None:
        self._rooms = rooms
        self.guest = guest
        self.muted = muted
        self.session = session
        """The digest of the token with which it was opened."""
        self.address = address
        """The network address that it comes from."""
        self.tables: dict[str, LiveTable] = {}
        self._receive = receive
        self._send = send
        self._at_once = at_once
        """Sends a message without waiting, if that is possible: False if not."""
        self._outbox: deque[bytes] = deque()
        self._waiting = 0
        """Bytes in the queue."""
        self._budget = budget or Budget()
        """Shared by all sockets from the same address."""
        self._wake: asyncio.Future[None] | None = None
        self._receiving: asyncio.Task[Any] | None = None
        """The socket's task, while it waits for a message."""
        self._close: int | None = None
        rate = rooms.context.settings.messages
        self._rate = Bucket(rate, 2 * rate + 20, rooms.context.clock.monotonic) if rate else None
        self._over = 0

    # --- Out ------------------------------------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """Send a message, at once if nothing waits before it."""
        if self._close is not None:
            return
        if self._at_once is not None and self._idle and self._at_once(data):
            return
        full = len(self._outbox) >= MOST_WAITING or self._waiting > MOST_BYTES
        if full or (self._waiting > 0 and self._budget.used > MOST_BYTES_PER_ADDRESS):
            self.close(Close.SLOW)
            return
        self._outbox.append(data)
        self._count(len(data))
        self._rouse()

    @property
    def _idle(self) -> bool:
        """Everything has been sent, and the writer waits for more."""
        return self._wake is not None and not self._wake.done() and not self._outbox

    def _count(self, size: int) -> None:
        """So many bytes more wait, or fewer."""
        self._waiting += size
        self._budget.used += size

    def refuse(self, refusal: Refusal, table: str = "", key: str = "") -> None:
        self._rooms.context.metrics.refused.labels(refusal.code.value).inc()
        self.send(protocol.encode(protocol.Refused(refusal.code.value, refusal.text, table, key)))

    def close(self, code: int) -> None:
        """Close the socket, after what is queued; a slow one at once."""
        if self._close is None:
            self._close = code
            if code == Close.SLOW:
                self._outbox.clear()
                self._count(-self._waiting)
            self._rouse()
            if self._receiving is not None:
                self._receiving.cancel()

    def _rouse(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    async def _write(self) -> None:
        with suppress(OSError, RuntimeError):  # the client is gone
            await self._write_all()

    async def _write_all(self) -> None:
        outbox, send = self._outbox, self._send
        while True:
            while outbox:
                data = outbox.popleft()
                self._count(-len(data))
                await send({"type": "websocket.send", "text": data.decode()})
            if self._close is not None:
                await send({"type": "websocket.close", "code": self._close})
                return
            self._wake = asyncio.get_running_loop().create_future()
            await self._wake
            self._wake = None

    # --- In -------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Serve the socket until either side closes it."""
        self.send(protocol.encode(protocol.Hello(self.guest.id, self.guest.name, protocol.VERSION)))
        writer = asyncio.create_task(self._write())
        try:
            while (data := await self._next()) is not None:
                await self._handle(data)
        finally:
            for table in list(self.tables.values()):
                self._leave(table)
            self._rooms.lobby.listeners.discard(self)
            self._close = self._close or 1000
            self._rouse()
            await asyncio.wait([writer], timeout=1 if self._close == Close.SLOW else 5)
            writer.cancel()
            self._count(-self._waiting)

    async def _next(self) -> str | bytes | None:
        """The next message; None once either side has closed the socket."""
        if self._close is not None:
            return None
        self._receiving = asyncio.current_task()
        try:
            event = await self._receive()
        except asyncio.CancelledError:
            if self._close is None or self._receiving is None:
                raise
            self._receiving.uncancel()  # it was `close` that did it
            return None
        finally:
            self._receiving = None
        if event["type"] == "websocket.disconnect" or self._close is not None:
            return None
        return event.get("text") or event.get("bytes") or ""

    async def _handle(self, data: str | bytes) -> None:
        if self._rate is not None and not self._rate.take():
            self._over += 1
            if self._over > MOST_REFUSED:
                self.close(Close.TOO_MUCH)
            most = self._rooms.context.settings.messages
            self.refuse(
                Refusal(Code.TOO_MUCH, f"at most {most:g} messages a second"), *protocol.named_in(data)
            )
            return
        try:
            message = protocol.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            named = protocol.named_in(data)
            self.refuse(Refusal(Code.MALFORMED, f"the message is not understood: {error}"), *named)
            return
        except RecursionError:
            self.refuse(Refusal(Code.MALFORMED, "the message is not understood: it is nested too deeply"))
            return
        table, key = getattr(message, "table", ""), getattr(message, "id", "")
        try:
            with self._rooms.context.metrics.message_seconds.labels(type(message).__name__.lower()).time():
                await self._obey(message)
        except LynxdenError as error:
            self.refuse(refusal_of(error), table, key)
        except StoreUnavailable:
            self.refuse(Refusal(Code.UNAVAILABLE, "the database does not answer; try again"), table, key)
        except Exception as error:
            self._rooms.context.troubles.note(
                f"a {type(message).__name__} message failed", error, table=table
            )
            self.refuse(Refusal(Code.INTERNAL, "the server made a mistake; it has been noted"), table, key)

    async def _obey(self, message: protocol.ClientMessage) -> None:
        rooms, now = self._rooms, self._rooms.context.now
        match message:
            case protocol.Act():
                await self._watched(message.table).act(self, message)
            case protocol.Watch():
                if message.table not in self.tables and len(self.tables) >= MOST_TABLES:
                    raise Refusal(Code.TOO_MUCH, f"a connection watches at most {MOST_TABLES} tables")
                with rooms.tables.arrivals.one():
                    table = await rooms.tables.get(message.table)
                    await table.watch(self, message.seen, message.invite, message.board)
            case protocol.Unwatch():
                self._leave(self._watched(message.table))
            case protocol.Back():
                await self._watched(message.table).change(lambda state: back(state, self.guest.id, now()))
            case protocol.Ready():
                await self._watched(message.table).change(lambda state: ready(state, self.guest.id, now()))
            case protocol.Say():
                await self._say(message)
            case protocol.Lobby():
                await rooms.lobby.listen(self, message.on)
            case protocol.Ping():
                self.send(protocol.encode(protocol.Pong()))

    async def _say(self, message: protocol.Say) -> None:
        table = self._watched(message.table)
        if message.phrase and message.phrase not in protocol.PHRASES:
            raise Refusal(Code.OPTIONS, f"there is no phrase '{message.phrase}'")
        words = "" if message.phrase else sanitize.line(message.text)
        if not self._rooms.chatter.take(self.guest.id):  # a person's sockets count together
            raise Refusal(
                Code.TOO_MUCH, f"not so fast: a line every {1 / self._rooms.context.settings.chat:g} seconds"
            )
        await table.say(self, words, message.phrase)

    def _watched(self, table: str) -> LiveTable:
        if table not in self.tables:
            raise Refusal(Code.NOT_WATCHING, f"watch table {table} first")
        return self.tables[table]

    def watches(self, table: Watched) -> None:
        assert isinstance(table, LiveTable)
        self.tables[table.id] = table

    def leaves(self, table: Watched) -> None:
        self.tables.pop(table.id, None)

    def _leave(self, table: LiveTable) -> None:
        """Watch a table no longer."""
        self.leaves(table)
        table.unwatch(self)
