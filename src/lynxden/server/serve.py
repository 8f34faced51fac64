"""Starting and stopping the server."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import socket
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import cast

import uvicorn

from lynxden.games.errors import LynxdenError, OptionsError
from lynxden.games.jit import interpret, interpreting
from lynxden.server import handover, log_output
from lynxden.server.handover import Predecessor, Successor, notify_systemd
from lynxden.server.http.app import make_app
from lynxden.server.http.proxies import Proxies
from lynxden.server.http.slow_clients import Connections, protocol, raise_file_limit
from lynxden.server.http.websocket import Wire
from lynxden.server.live.garbage import Garbage
from lynxden.server.live.patience import patiently
from lynxden.server.live.preload import are_few, preload
from lynxden.server.live.preparation import Preparation
from lynxden.server.live.server import LiveServer
from lynxden.server.live.warm_up import EVERYTHING, PLAY, Part, Report, missing, prepare, warm_up
from lynxden.server.live.worker import NURSERY, WorkerLost
from lynxden.server.settings import Settings
from lynxden.server.store.core import Store, open_store, sqlite_path
from lynxden.server.store.lock import only_server
from lynxden.server.store.modes import make_folder
from lynxden.server.table.state import TableState

MOST_MESSAGE = 8 * 1024
"""The longest message on a socket, in bytes; ours are far shorter."""
STOP_SECONDS = 10

log = logging.getLogger("lynxden.server")


def run(
    settings: Settings,
    started: Callable[[str], None],
    compiling: Callable[[Sequence[Part]], AbstractContextManager[Report]],
) -> None:
    """Serve until a signal says to stop.

    `started` gets the address; `compiling` shows what a first start compiles.
    """
    log_output.set_up(settings.log_level, settings.log_format)
    raise_file_limit()
    predecessor = Predecessor.of(os.environ.pop(handover.HANDLES, ""))
    preloaded: dict[str, TableState] = {}
    if predecessor is not None:
        _compile(compiling)
        _get_warm()
        with suppress(WorkerLost):  # then the first job tries again
            NURSERY.wait()  # there is time: the server before this one still serves
        preloaded = asyncio.run(patiently(partial(preload, settings.store_url), log))
        _rehearse(settings)
        predecessor.relieve()
    with _database_for_us(settings):
        if Preparation.possible() and missing(PLAY) and _few_tables(settings):
            interpret(True)  # until everything is compiled, beside us
        else:
            _compile(compiling)
        listener = bind(settings.host, settings.port) if predecessor is None else predecessor.listener
        served = _serve(settings, listener, started, preloaded)
        if sys.platform == "win32":
            successor = asyncio.run(served)
        else:
            import uvloop

            successor = uvloop.run(served)
    if successor is not None:
        successor.close()


def _compile(compiling: Callable[[Sequence[Part]], AbstractContextManager[Report]]) -> None:
    """Compile what is needed to play, as far as it is missing."""
    with compiling(missing(PLAY)) as report:
        prepare(PLAY, report)


def _few_tables(settings: Settings) -> bool:
    return asyncio.run(patiently(partial(are_few, settings.store_url), log))


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


def _rehearse(settings: Settings) -> None:
    """Make a server that serves nobody: everything is loaded then, also what is loaded at the first use."""
    config(LiveServer(settings, cast(Store, None))).load()
    gc.collect()
    gc.freeze()


@cache
def _get_warm() -> None:
    """Load everything that takes time."""
    if hasattr(os, "fork"):
        NURSERY.start()  # it loads the rules for the workers, and more, while we do for ourselves
        if not interpreting():
            warm_up(PLAY)
    else:
        warm_up(EVERYTHING)


async def _serve(
    settings: Settings,
    listener: socket.socket,
    started: Callable[[str], None],
    preloaded: dict[str, TableState],
) -> Successor | None:
    """Serve until a signal says to stop; the server that goes on, if there is one."""
    _get_warm()
    live = LiveServer(settings, await patiently(partial(open_store, settings.store_url), log))
    live.tables.expect(preloaded)
    try:
        await live.start()
    except BaseException:
        await live.close()
        raise
    preparation = Preparation(live.context, live.jobs)
    live.thinkers.prepared = preparation.done

    def ready() -> None:
        # Before anybody knows that it is ready: a signal that nothing handles would end it.
        if handover.SIGNAL is not None:
            asyncio.get_running_loop().add_signal_handler(handover.SIGNAL, server.hand_over, listener)
        started(settings.public_url or address_of(listener))
        notify_systemd("READY=1")
        preparation.start()

    server = Server(config(live), ready)
    # The thread that writes to the database waits this long for its turn after every statement.
    sys.setswitchinterval(0.0005)
    garbage = Garbage()
    await server.serve(sockets=[listener])
    garbage.stop()
    if not server.started and not server.should_stop:
        raise LynxdenError("the server could not start; its log says why")
    return server.relieved_by()


class Server(uvicorn.Server):
    """Reports when it is ready, and stops in good order on a signal."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready
        self.should_stop = False
        """A signal has come."""
        self.successor: Successor | None = None
        """Who may take this server's place."""
        self._relieved = False

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

    def hand_over(self, listener: socket.socket) -> None:
        """Start a successor, and stop when it is warm."""
        if self.successor is not None or self.should_exit:
            return
        log.info("another server gets ready to take the place of this one")
        try:
            self.successor = Successor(listener)
        except OSError as error:
            log.error("no other server could be started: %s", error)
            return
        asyncio.get_running_loop().add_reader(self.successor.line, self._successor_answered)

    def relieved_by(self) -> Successor | None:
        """The server that goes on. One that is not ready when this one is stopped is stopped, too."""
        if self.successor is not None and not self._relieved:
            self.successor.process.terminate()
            self.successor.close()
            return None
        return self.successor

    def _successor_answered(self) -> None:
        """The successor is warm, or has failed."""
        assert self.successor is not None
        asyncio.get_running_loop().remove_reader(self.successor.line)
        if self.successor.is_warm():
            notify_systemd(f"MAINPID={self.successor.process.pid}")
            self._relieved = True
            self.should_exit = True
        else:
            log.error("the other server failed before it was ready; this one goes on")
            self.successor.close()
            self.successor = None


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
