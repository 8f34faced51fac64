"""The open tables, told live to everybody who looks at the lobby."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from lynxden.server import protocol
from lynxden.server.store import tables

if TYPE_CHECKING:
    from lynxden.server.connection import Connection
    from lynxden.server.hub import Hub

SHOWN = 100
"""How many open tables are listed."""
WAIT = 0.25
"""Seconds in which changes are gathered into one message."""

_row: msgspec.json.Decoder[protocol.Row] = msgspec.json.Decoder(protocol.Row)


def row_of(found: tables.TableRow) -> protocol.Row:
    """A stored table as lists show it."""
    return _row.decode(found.summary)


class Lobby:
    """Who looks at the lobby from this server."""

    def __init__(self, hub: Hub) -> None:
        self.listeners: set[Connection] = set()
        self._hub = hub
        self._due: asyncio.TimerHandle | None = None

    async def rows(self) -> tuple[protocol.Row, ...]:
        """The open tables, newest first."""
        return tuple(map(row_of, await self._hub.store.read(tables.listed, SHOWN)))

    async def listen(self, connection: Connection, on: bool) -> None:
        """Tell somebody now, and whenever something changes."""
        if not on:
            self.listeners.discard(connection)
            return
        self.listeners.add(connection)
        connection.send(protocol.encode(protocol.LobbyTables(await self.rows())))

    def changed(self) -> None:
        """An open table was made, changed or started, here or on another server."""
        if self.listeners and self._due is None and not self._hub.closing:
            self._due = asyncio.get_running_loop().call_later(WAIT, self._fire)

    def _fire(self) -> None:
        self._due = None
        self._hub.spawn(self._tell())

    async def _tell(self) -> None:
        data = protocol.encode(protocol.LobbyTables(await self.rows()))
        for listener in self.listeners:
            listener.send(data)
