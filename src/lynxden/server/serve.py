"""Starting and stopping the server."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from lynxden.games.errors import LynxdenError, OptionsError
from lynxden.server import log_output
from lynxden.server.http.app import make_app
from lynxden.server.http.proxies import Proxies
from lynxden.server.http.slow_clients import Connections, protocol, raise_file_limit
from lynxden.server.http.websocket import Wire
from lynxden.server.live.garbage import Garbage
from lynxden.server.live.server import LiveServer
from lynxden.server.live.warm_up import warm_up
from lynxden.server.live.worker import NURSERY
from lynxden.server.settings import Settings
from lynxden.server.store.core import open_store, sqlite_path
from lynxden.server.store.lock import only_server
from lynxden.server.store.modes import make_folder

MOST_MESSAGE = 8 * 1024
"""The longest message on a socket, in bytes; ours are far shorter."""
STOP_SECONDS = 10


def run(settings: Settings, started: Callable[[str], None]) -> None:
    """Serve until a signal says to stop. `started` gets the address."""
    log_output.set_up(settings.log_level, settings.log_format)
    raise_file_limit()
    with _database_for_us(settings):
        listener = bind(settings.host, settings.port)
        if sys.platform == "win32":
            asyncio.run(_serve(settings, listener, started))
        else:
            import uvloop

            uvloop.run(_serve(settings, listener, started))


@contextmanager
def _database_for_us(settings: Settings) -> Generator[None, None, None]:
    """The built-in database serves one server: two would not know what the other writes."""
    path = sqlite_path(settings.store_url)
    if path is None:
        yield
        return
    try:
        make_folder(Path(path).parent)
    except OSError as error:
        raise LynxdenError(f"the folder {Path(path).parent} cannot be made: {error.strerror}") from error
    with only_server(path):
        yield


def bind(host: str, port: int) -> socket.socket:
    """The socket that the server listens on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named, since asyncio sends small packets at once only if it is.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        reason = error.strerror or str(error)
        raise OptionsError(
            f"cannot listen on {host} port {port} ({reason}): choose another --port or --host"
        ) from error
    return listener


def address_of(listener: socket.socket) -> str:
    """The address that people open."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "localhost", "::": "localhost"}.get(host, host)  # noqa: S104
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def _serve(settings: Settings, listener: socket.socket, started: Callable[[str], None]) -> None:
    if hasattr(os, "fork"):
        NURSERY.start()  # it loads the rules for the workers, while we do for ourselves
    warm_up()
    live = LiveServer(settings, await open_store(settings.store_url))
    server = Server(config(live), lambda: started(settings.public_url or address_of(listener)))
    # The thread that writes to the database waits this long for its turn after every statement.
    sys.setswitchinterval(0.0005)
    garbage = Garbage()
    await server.serve(sockets=[listener])
    garbage.stop()
    if not server.started and not server.should_stop:
        raise LynxdenError("the server could not start; its log says why")


class Server(uvicorn.Server):
    """Reports when it is ready, and stops in good order on a signal."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready
        self.should_stop = False
        """A signal has come."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        with super().capture_signals():
            yield
            self.should_stop = bool(self._captured_signals)
            self._captured_signals.clear()  # raised again, they would make the exit code that of a failure

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def config(live: LiveServer) -> uvicorn.Config:
    settings = live.context.settings
    return uvicorn.Config(
        make_app(live),
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        http=protocol(Connections(settings.connections_per_address, Proxies(settings.proxies).is_one)),
        ws=Wire,
        ws_max_size=MOST_MESSAGE,
        ws_per_message_deflate=False,  # messages are short, and each compressor takes much memory
        ws_ping_interval=25,
        ws_ping_timeout=25,
        backlog=4096,
        proxy_headers=False,  # `http/proxies.py` reads them
        timeout_graceful_shutdown=STOP_SECONDS,
    )
