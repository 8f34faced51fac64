"""The open tables, sent live to everybody who looks at the lobby."""

from __future__ import annotations

import msgspec

from lynxden.server import protocol
from lynxden.server.live.clock import Timer
from lynxden.server.live.context import Context
from lynxden.server.live.viewer import Viewer
from lynxden.server.store import tables
from lynxden.server.table.projections import TableRow

SHOWN = 100
"""How many open tables are listed."""
WAIT = 0.25
"""Seconds in which changes are gathered into one message."""

_row: msgspec.json.Decoder[protocol.Row] = msgspec.json.Decoder(protocol.Row)


def row_of(found: TableRow) -> protocol.Row:
    """A stored table as lists show it."""
    return _row.decode(found.summary)


class Lobby:
    """Who looks at the lobby from this server."""

    def __init__(self, context: Context) -> None:
        self.listeners: set[Viewer] = set()
        self._context = context
        self._due: Timer | None = None

    async def rows(self) -> tuple[protocol.Row, ...]:
        """The open tables: hosts and network addresses take turns, newest first."""
        return tuple(map(row_of, await self._context.store.read(tables.listed, SHOWN)))

    async def listen(self, listener: Viewer, on: bool) -> None:
        """Send them now, and whenever something changes."""
        if not on:
            self.listeners.discard(listener)
            return
        self.listeners.add(listener)
        listener.send(protocol.encode(protocol.LobbyTables(await self.rows())))

    def changed(self) -> None:
        """An open table was made, changed or started, here or on another server."""
        if self.listeners and self._due is None and not self._context.tasks.closing:
            self._due = self._context.clock.call_later(WAIT, self._fire)

    def _fire(self) -> None:
        self._due = None
        self._context.tasks.spawn(self._send())

    async def _send(self) -> None:
        data = protocol.encode(protocol.LobbyTables(await self.rows()))
        for listener in self.listeners:
            listener.send(data)
