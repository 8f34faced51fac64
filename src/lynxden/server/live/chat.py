"""What people say at a table: stored, then sent to everybody there who wants to read it."""

from __future__ import annotations

from collections.abc import Collection

from lynxden.server import protocol
from lynxden.server.errors import Code, Refusal
from lynxden.server.live.context import Context
from lynxden.server.live.viewer import Viewer
from lynxden.server.store import chat
from lynxden.server.table.state import TableState

SHOWN = 50
"""Lines that a viewer gets when entering."""


class Conversation:
    """The chat of one table, as this server has sent it on."""

    def __init__(self, context: Context, table: str) -> None:
        self._context = context
        self._table = table
        self._sent = 0
        """The last line that viewers were sent."""
        self._removed: set[int] = set()
        """The lines that viewers know to be deleted."""

    async def lines(self) -> list[protocol.ChatLine]:
        """The last lines, for somebody who enters: at least those that others have when this returns."""
        found = await self._latest()
        if self._sent > (found[-1].number if found else 0):
            found = await self._latest()
        return found

    def begin(self, lines: list[protocol.ChatLine]) -> None:
        """The first viewer has these lines."""
        self._removed = {line.number for line in lines if line.removed}
        if lines:
            self._sent = lines[-1].number

    async def say(self, viewer: Viewer, state: TableState, text: str, phrase: str) -> None:
        """Store a line. While a game runs, spectators are silent."""
        if state.seat_of(viewer.guest.id) is None and state.phase == "running":
            raise Refusal(Code.NO_SEAT, "spectators do not talk while a game is running")
        line = chat.NewLine(viewer.guest.id, viewer.guest.name, text, phrase, self._context.now())
        slow = self._context.house.switches.slow_chat
        await self._context.store.write(chat.add, self._table, line, slow)

    async def send_new(self, viewers: Collection[Viewer]) -> None:
        """Send viewers the lines that they do not have yet."""
        for line in await self._latest():
            if line.number <= self._sent:
                continue
            self._sent = line.number
            self._send(line, viewers)

    async def send_removed(self, viewers: Collection[Viewer]) -> None:
        """Send viewers which lines were deleted since they received them."""
        for line in await self._latest():
            if not line.removed or line.number in self._removed or line.number > self._sent:
                continue
            self._removed.add(line.number)
            self._send(line, viewers)

    def _send(self, line: protocol.ChatLine, viewers: Collection[Viewer]) -> None:
        data = protocol.encode(protocol.Chat(self._table, line))
        for viewer in list(viewers):
            if line.guest not in viewer.muted:
                viewer.send(data)

    async def _latest(self) -> list[protocol.ChatLine]:
        found = await self._context.store.read_together(chat.latest_of, (self._table, SHOWN))
        return [sent_line(line) for line in found]


def sent_line(line: chat.Line) -> protocol.ChatLine:
    """A stored line as it is sent."""
    return protocol.ChatLine(
        line.number, line.at, line.guest or "", line.name, line.text, line.phrase, line.removed
    )
