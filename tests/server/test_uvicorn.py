"""What `http/websocket.py` relies on in uvicorn and websockets, by name: an upgrade that changes it fails."""

from __future__ import annotations

import ast
import asyncio
import inspect
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.frames import CloseCode, Frame, Opcode
from websockets.protocol import Protocol

from lynxden.server.http import websocket
from lynxden.server.http.websocket import Wire
from tests.server.kit import free_data, run, serving

OVERRIDDEN: dict[str, list[str]] = {
    "pause_writing": [],
    "resume_writing": [],
    "connection_lost": ["exc"],
    "handle_connect": ["event"],
    "handle_ping": [],
    "handle_cont": ["event"],
    "send_receive_event_to_app": [],
}
"""Methods that uvicorn calls and `Wire` has its own of, with what they are called with."""
CALLED: dict[str, list[str]] = {"handle_parser_exception": []}
"""Methods that `Wire` calls besides."""
ATTRIBUTES = {
    "loop",
    "transport",
    "writable",
    "conn",
    "frames",
    "curr_msg_data_type",
    "close_sent",
    "disconnected",
}
"""What `Wire` looks at or sets."""
LATER = {"scope"}
"""The same, from `handle_connect` on."""
OWN = {"_stalled", "_read_on", "_fail", "send_at_once"}
CONNECTION: dict[str, list[str]] = {"fail": ["code", "reason"], "data_to_send": []}
"""What it asks of the connection, which is of websockets."""
STATE = {"state", "parser_exc", "handshake_exc"}
"""What it looks at or sets there."""

WHERE = f"uvicorn {uvicorn.__version__}: look at src/lynxden/server/http/websocket.py"


def parameters(function: Any) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name != "self"]


class Line(asyncio.Transport):
    """A connection that keeps what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.calls: list[str] = []

    def write(self, data: Any) -> None:
        self.written += bytes(data)

    def abort(self) -> None:
        self.calls.append("abort")

    def close(self) -> None:
        self.calls.append("close")

    def pause_reading(self) -> None:
        self.calls.append("pause_reading")

    def resume_reading(self) -> None:
        self.calls.append("resume_reading")

    def is_closing(self) -> bool:
        return "close" in self.calls


async def _nothing(scope: Any, receive: Any, send: Any) -> None:
    pass


def made(kind: type[WebSocketsSansIOProtocol]) -> tuple[WebSocketsSansIOProtocol, Line]:
    """A connection as uvicorn makes one."""
    config = uvicorn.Config(_nothing, ws=Wire, lifespan="off", log_config=None, ws_ping_interval=None)
    config.load()
    found, line = kind(config=config, server_state=ServerState(), app_state={}), Line()
    found.connection_made(line)
    return found, line


def test_everything_that_is_relied_on_is_named_here() -> None:
    assert websocket.__file__ is not None
    tree = ast.parse(Path(websocket.__file__).read_text(encoding="utf-8"))
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    }
    assert used - OWN == ATTRIBUTES | LATER | set(CALLED)
    defined = {name for name, value in vars(Wire).items() if inspect.isfunction(value)}
    assert defined - OWN == set(OVERRIDDEN)
    asked = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "conn"
    }
    assert asked == set(CONNECTION) | STATE


def test_there_is_the_class() -> None:
    assert Wire.__bases__ == (WebSocketsSansIOProtocol,)
    assert issubclass(WebSocketsSansIOProtocol, asyncio.Protocol), WHERE
    config = uvicorn.Config(_nothing, ws=Wire, log_config=None)
    config.load()
    assert config.ws_protocol_class is Wire, f"{WHERE}: `ws` no longer takes a class"


@pytest.mark.parametrize("name", [*OVERRIDDEN, *CALLED])
def test_there_are_the_methods(name: str) -> None:
    found = vars(WebSocketsSansIOProtocol).get(name)
    assert inspect.isfunction(found), f"{WHERE}: there is no method `{name}` any more"
    assert not inspect.iscoroutinefunction(found), f"{WHERE}: `{name}` is to be awaited now"
    expected = {**OVERRIDDEN, **CALLED}[name]
    assert parameters(found) == expected, f"{WHERE}: `{name}` takes other arguments"
    if name in OVERRIDDEN:
        assert parameters(vars(Wire)[name]) == expected


@pytest.mark.parametrize("name", CONNECTION)
def test_there_are_the_methods_of_the_connection(name: str) -> None:
    found = getattr(Protocol, name, None)
    assert inspect.isfunction(found), f"{WHERE}: there is no `Protocol.{name}` any more"
    assert parameters(found) == CONNECTION[name], f"{WHERE}: `{name}` takes other arguments"


def test_there_are_the_attributes() -> None:
    async def story() -> None:
        found, line = made(WebSocketsSansIOProtocol)
        missing = ATTRIBUTES - set(vars(found))
        assert not missing, f"{WHERE}: a connection has no {missing} any more"
        assert found.loop is asyncio.get_running_loop()
        assert found.transport is line
        assert isinstance(found.conn, Protocol), f"{WHERE}: connections are of another kind"
        assert isinstance(found.writable, asyncio.Event)
        assert found.frames == []
        assert found.close_sent is False

    run(story())


def test_they_mean_what_they_meant() -> None:
    async def story() -> None:
        found, line = made(WebSocketsSansIOProtocol)
        assert found.writable.is_set()
        found.pause_writing()
        assert not found.writable.is_set(), f"{WHERE}: `writable` says something else"
        found.resume_writing()
        assert found.writable.is_set()
        told: list[tuple[str, list[bytes]]] = []
        found.send_receive_event_to_app = lambda: told.append(  # type: ignore[method-assign]
            (found.curr_msg_data_type, list(found.frames))
        )
        found.handle_text(Frame(Opcode.TEXT, b"a", fin=False))
        found.handle_cont(Frame(Opcode.CONT, b"b", fin=False))
        assert (found.frames, told) == ([b"a", b"b"], []), f"{WHERE}: `frames` holds something else"
        found.handle_cont(Frame(Opcode.CONT, b"c"))
        found.handle_bytes(Frame(Opcode.BINARY, b"d"))
        assert told == [("text", [b"a", b"b", b"c"]), ("bytes", [b"d"])], (
            f"{WHERE}: a whole message is told in another way"
        )
        assert line.written == b""

    run(story())


def accepted(found: WebSocketsSansIOProtocol, line: Line) -> None:
    """Open the socket, as if the application had accepted it."""
    key = b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    key += b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    found.data_received(key)
    found.conn.send_response(found.response)
    found.conn.data_to_send()
    found.handshake_complete = True
    line.written = b""


def test_what_is_sent_at_once_is_what_asgi_sends() -> None:
    async def story() -> None:
        found, line = made(Wire)
        assert isinstance(found, Wire)
        assert not found.send_at_once(b"too early")
        accepted(found, line)
        extensions: Any = found.scope["extensions"]
        at_once = extensions[websocket.AT_ONCE]["send"]
        for size in (0, 1, 125, 126, 127, 65535, 65536, 70000):
            text = "x" * size
            await found.send({"type": "websocket.send", "text": text})
            expected, line.written = line.written, b""
            assert at_once(text.encode())
            assert line.written == expected, f"{WHERE}: a text of {size} bytes looks different"
            line.written = b""
        found.pause_writing()
        assert not at_once(b"nobody reads")
        found.resume_writing()
        await found.send({"type": "websocket.close", "code": 1000})
        line.written = b""
        assert not at_once(b"too late")
        assert line.written == b""
        while found.tasks:
            await asyncio.sleep(0)
        if found.close_timer is not None:
            found.close_timer.cancel()

    run(story())


def test_failing_says_why_and_closes() -> None:
    async def story() -> None:
        found, line = made(Wire)
        accepted(found, line)
        found.data_received(Frame(Opcode.TEXT, b"\xff").serialize(mask=True))
        assert CloseCode.INVALID_DATA.to_bytes(2) in line.written, f"{WHERE}: nobody is told why"
        assert found.close_sent, f"{WHERE}: `close_sent` is no longer set"
        assert "close" in line.calls, f"{WHERE}: the line stays open"
        while found.tasks:
            await asyncio.sleep(0)

    run(story())


def test_sockets_of_the_server_are_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[type[Any]] = []
    before = Wire.connection_made

    def connection_made(self: Wire, transport: Any) -> None:
        seen.append(type(self))
        before(self, transport)

    async def story() -> None:
        monkeypatch.setattr(Wire, "connection_made", connection_made)
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            await ann.connect()

    run(story())
    assert seen == [Wire]
