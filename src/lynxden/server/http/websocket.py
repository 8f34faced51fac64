"""The lowest layer of a socket: protection from hostile clients below the level of messages."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame
from websockets.http11 import Request
from websockets.protocol import State

STALLED = 20.0
"""Seconds for which a client may read nothing of what is sent to it."""
AT_ONCE = "lynxden.at_once"
"""In the extensions of a socket's ASGI scope: how to send without waiting."""
MOST_FRAGMENTS = 64
"""Fragments of one message. Their bytes are limited elsewhere, but fragments may be empty."""


class Wire(WebSocketsSansIOProtocol):
    """A socket that is closed if the client does not read, or sends a message in too many fragments."""

    _stalled: asyncio.TimerHandle | None = None

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if not self.close_sent:
            self.scope["extensions"][AT_ONCE] = {"send": self.send_at_once}

    def send_at_once(self, data: bytes) -> bool:
        """Send a text without waiting; False if that is not possible now.

        It is what ASGI does with a text, without its detours.
        """
        if self.conn.state is not State.OPEN or self.close_sent or not self.writable.is_set():
            return False
        if self.disconnected or self.transport.is_closing():
            return False
        size = len(data)
        if size < 126:
            head = bytes((0x81, size))
        elif size < 65536:
            head = b"\x81\x7e" + size.to_bytes(2, "big")
        else:
            head = b"\x81\x7f" + size.to_bytes(8, "big")
        self.transport.write(head + data)
        return True

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(STALLED, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._read_on()

    def connection_lost(self, exc: Exception | None) -> None:
        self._read_on()
        super().connection_lost(exc)
        # An error that the other side made refers to all that it came through, and so to the parser.
        self.conn.parser_exc = self.conn.handshake_exc = None
        # The scope belongs to this socket and must not refer to it: so both are freed at once.
        scope = getattr(self, "scope", None)
        if scope is not None:
            scope["extensions"].pop(AT_ONCE, None)

    def _read_on(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def handle_ping(self) -> None:
        """Answered, unless the client does not read the answers: they would pile up."""
        if self.writable.is_set():
            super().handle_ping()
        else:
            self.conn.data_to_send()

    def handle_cont(self, event: Frame) -> None:
        if len(self.frames) >= MOST_FRAGMENTS:
            self._fail(CloseCode.MESSAGE_TOO_BIG)
        else:
            super().handle_cont(event)

    def send_receive_event_to_app(self) -> None:
        if self.curr_msg_data_type == "text":
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self._fail(CloseCode.INVALID_DATA)
                return
        super().send_receive_event_to_app()

    def _fail(self, code: CloseCode) -> None:
        """Close at once. It is the client's fault, so nothing is logged."""
        self.frames = []
        if not self.close_sent:
            self.conn.fail(code)
            self.handle_parser_exception()
