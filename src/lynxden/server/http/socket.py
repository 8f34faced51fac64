"""Opening sockets: origin, limits and identity are checked here."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Any

from litestar import asgi

from lynxden.server.http.cookies import token_of
from lynxden.server.http.guard import address, own_origin
from lynxden.server.http.websocket import AT_ONCE
from lynxden.server.ids import digest
from lynxden.server.limits import Buckets
from lynxden.server.live import identity
from lynxden.server.live.connection import Budget, Close, Connection
from lynxden.server.live.house import Banned
from lynxden.server.live.server import LiveServer
from lynxden.server.store import guests
from lynxden.server.store.core import StoreUnavailable
from lynxden.server.store.guests import Guest

if TYPE_CHECKING:
    from litestar.types import Receive, Scope, Send


PATH = "/api/socket"
ADMITTED_AT_ONCE = 32
"""Sockets whose owners are looked up at the same time: after a restart everybody comes at once."""


class Door:
    """Admits sockets."""

    def __init__(self, live: LiveServer) -> None:
        self.live = live
        self._addresses: Counter[str] = Counter()
        self._budgets: dict[str, Budget] = {}
        self._admitting = asyncio.Semaphore(ADMITTED_AT_ONCE)
        rate = live.context.settings.requests
        self._handshakes = Buckets(rate, max(1, 5 * rate), clock=live.context.clock.monotonic)

    async def serve(self, scope: Any, receive: Any, send: Any) -> None:
        """One socket, from beginning to end."""
        if scope["type"] != "websocket":
            body = b'{"code":"malformed","text":"this address takes WebSocket connections only"}'
            headers = [(b"content-type", b"application/json"), (b"upgrade", b"websocket")]
            await send({"type": "http.response.start", "status": 426, "headers": headers})
            await send({"type": "http.response.body", "body": body})
            return
        await receive()  # websocket.connect
        if not own_origin(scope, self.live.context.settings.public_url):
            await send(
                {"type": "websocket.close", "code": Close.ORIGIN}
            )  # the handshake is refused: HTTP 403
            return
        await send({"type": "websocket.accept"})
        await self._admitted(scope, receive, send)

    async def _admitted(self, scope: Any, receive: Any, send: Any) -> None:
        where, most = address(scope), self.live.context.settings.sockets_per_address
        if self.live.context.house.ban_of(where, self.live.context.now()) is not None:
            await send({"type": "websocket.close", "code": Close.BANNED, "reason": "banned"})
            return
        if not self._handshakes.take(where) or (most and self._addresses[where] >= most):
            await send({"type": "websocket.close", "code": Close.TOO_MUCH, "reason": "too many connections"})
            return
        self._addresses[where] += 1
        self.live.context.metrics.sockets.inc()
        try:
            budget = self._budgets.setdefault(where, Budget())
            await self._serve(scope, receive, send, budget, where)
        finally:
            self.live.context.metrics.sockets.dec()
            self._addresses[where] -= 1
            if not self._addresses[where]:
                del self._addresses[where]
                self._budgets.pop(where, None)

    async def _serve(self, scope: Any, receive: Any, send: Any, budget: Budget, where: str) -> None:
        token = token_of(scope["headers"])
        connection: Connection | None = None
        try:
            with self.live.tables.arrivals.one():
                async with self._admitting:
                    guest = await identity.find(self.live.context, token)
                    if guest is not None and token is not None:
                        at_once = scope["extensions"].get(AT_ONCE, {}).get("send")
                        connection = await self._connection(
                            guest, token, receive, send, budget, where, at_once
                        )
            if connection is None:
                await send({"type": "websocket.close", "code": Close.WHO, "reason": "no valid identity"})
            else:
                await connection.run()
        except Banned as banned:
            await self.live.moderation.seen(banned.ban, where)
            await send({"type": "websocket.close", "code": Close.BANNED, "reason": "banned"})
        except StoreUnavailable:
            await send({"type": "websocket.close", "code": Close.RESTART, "reason": "try again"})
        finally:
            if connection is not None:
                self.live.people.connections.discard(connection)

    async def _connection(
        self, guest: Guest, token: str, receive: Any, send: Any, budget: Budget, where: str, at_once: Any
    ) -> Connection:
        live = self.live
        connection = Connection(
            live.rooms, guest, set(), receive, send, digest(token), budget, where, at_once
        )
        live.people.connections.add(connection)
        try:
            # Only now, so that nothing that is revoked or muted meanwhile is missed.
            found = await live.context.store.read_together(guests.admissions, digest(token))
            if found is None:
                connection.close(Close.WHO)
            else:
                session, connection.muted = found
                live.context.house.check_guest(session.guest, live.context.now())
        except BaseException:
            live.people.connections.discard(connection)
            raise
        return connection


def handler(door: Door) -> Any:
    """The door as a route."""

    @asgi(PATH, copy_scope=False)
    async def socket(scope: Scope, receive: Receive, send: Send) -> None:
        await door.serve(scope, receive, send)

    return socket
