"""Clients that hold connections without using them: requests that never end, too many from one address."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 20.0
"""In which a request must have come: from the opening of a connection, or from its first byte, to its end."""


class Connections:
    """How many connections each address has; those of proxies are not counted."""

    def __init__(self, most: int, is_proxy: Callable[[str], bool]) -> None:
        self._most = most
        self._is_proxy = is_proxy
        self._open: Counter[str] = Counter()

    def add(self, address: str) -> bool:
        """One more, if the address may have it."""
        if not self._most or self._is_proxy(address):
            return True
        if self._open[address] >= self._most:
            return False
        self._open[address] += 1
        return True

    def remove(self, address: str) -> None:
        if self._open[address] > 1:
            self._open[address] -= 1
        else:
            del self._open[address]


def protocol(connections: Connections, seconds: float = REQUEST_SECONDS) -> type[H11Protocol]:
    """HTTP with a limit of time for each request, and of connections for each address."""

    class PromptProtocol(H11Protocol):
        _late: asyncio.TimerHandle | None = None
        _address = ""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            address = self.client[0] if self.client else "local"
            if not connections.add(address):
                transport.abort()
                return
            self._address = address
            self._expect()

        def connection_lost(self, exc: Exception | None) -> None:
            self._release()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.transport.get_protocol() is not self:  # it is a WebSocket now
                return
            if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):  # a part of a request
                self._expect()
            else:
                self._cancel()

        def shutdown(self) -> None:
            """The server stops: half a request is not waited for."""
            if self.conn.their_state is h11.SEND_BODY:
                self.transport.abort()
            else:
                super().shutdown()

        def handle_websocket_upgrade(self, event: Any) -> None:
            self._release()  # sockets are counted and watched over elsewhere
            super().handle_websocket_upgrade(event)

        def _expect(self) -> None:
            if self._late is None:
                self._late = self.loop.call_later(seconds, self.transport.abort)

        def _cancel(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

        def _release(self) -> None:
            self._cancel()
            if self._address:
                connections.remove(self._address)
                self._address = ""

    return PromptProtocol


def raise_file_limit() -> None:
    """Allow as many open connections as the system lets us have."""
    try:
        import resource
    except ImportError:  # not on this system
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
