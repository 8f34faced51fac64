"""The processes that long work is done in, so that it can be stopped and never holds up the event loop.

    python -m lynxden.server.live.worker FD      (started by `Nursery`, not by people)

A server starts one *nursery*: a process that loads the rules of all games and then does nothing but fork
workers, each of which is ready at once and shares the nursery's memory. A worker takes one call after the
other from its socket. It is killed when a call overruns its time, and another is forked in its place.
"""

from __future__ import annotations

import atexit
import gc
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from lynxden.games.jit import interpret
from lynxden.games.registry import from_outside, learn
from lynxden.server.errors import Code, Refusal

HEADER = struct.Struct("!I")
PID = struct.Struct("!q")
FORK, LOAD, ANSWER = b"f", b"l", b"a"
"""What the nursery is asked to do."""
NICE = 5
"""Workers leave the processor to the event loop when both want it."""

Call = tuple[Callable[..., Any], tuple[Any, ...]]


class WorkerLost(Refusal):
    """A worker, or the nursery, is gone."""

    def __init__(self, why: str) -> None:
        super().__init__(Code.UNAVAILABLE, f"a part of the server failed; try again ({why})")


# --- On the server's side -------------------------------------------------------------------------------


class Nursery:
    """The process that forks workers. One serves all servers of a Python process; it ends with that."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def start(self) -> None:
        """Start it, unless it runs; returns at once, while it loads the rules."""
        with self._lock:
            self._ensure()

    def fork(self) -> tuple[int, socket.socket]:
        """A new worker: its process id, and the socket that it takes calls from. Waits until it is ready."""
        with self._lock:
            control = self._ensure()
            ours, theirs = socket.socketpair()
            try:
                with theirs:
                    socket.send_fds(control, [FORK], [theirs.fileno()])
                    answer = control.recv(PID.size, socket.MSG_WAITALL)
                if len(answer) < PID.size:
                    raise WorkerLost("the nursery ended")
            except (OSError, WorkerLost) as error:
                ours.close()
                self._drop()
                raise WorkerLost(f"no worker could be started: {error}") from error
            (pid,) = PID.unpack(answer)
            if pid < 0:
                ours.close()
                raise WorkerLost("no worker could be started: the system has no room for another process")
            return pid, ours

    def load_everything(self) -> None:
        """Load what has been compiled since it started, for all workers to come. Waits until it has."""
        self._ask(LOAD)

    def wait(self) -> None:
        """Wait until it has loaded the rules."""
        self._ask(ANSWER)

    def _ask(self, what: bytes) -> None:
        with self._lock:
            try:
                control = self._ensure()
                control.sendall(what)
                if control.recv(1) != what:
                    raise WorkerLost("the nursery ended")
            except OSError as error:
                self._drop()
                raise WorkerLost(f"the nursery failed: {error}") from error

    def _ensure(self) -> socket.socket:
        if self._control is not None and self._process is not None and self._process.poll() is None:
            return self._control
        self._drop()
        ours, theirs = socket.socketpair()
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        environment = {**os.environ, **threads, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-m", "lynxden.server.live.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        self._control = ours
        return ours

    def _drop(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


NURSERY = Nursery()
atexit.register(NURSERY._drop)


def packed(work: Callable[..., Any], args: tuple[Any, ...]) -> bytes:
    """A call as a worker takes it. The function is named, not sent, so it must be one of a module."""
    call = pickle.dumps((work, args), pickle.HIGHEST_PROTOCOL)
    data = pickle.dumps((from_outside(), call), pickle.HIGHEST_PROTOCOL)
    return HEADER.pack(len(data)) + data


def unpacked(data: bytes) -> Any:
    """What a call returned; `RuntimeError` with the worker's traceback if it failed."""
    good, value = pickle.loads(data)  # noqa: S301 - from our own worker
    if good:
        return value
    raise RuntimeError(value)


# --- On the worker's side -------------------------------------------------------------------------------


def _serve(connection: socket.socket) -> None:
    """Take calls until the server closes the socket."""
    with connection, connection.makefile("rb") as stream:
        while len(head := stream.read(HEADER.size)) == HEADER.size:
            (size,) = HEADER.unpack(head)
            found = answer(stream.read(size))
            connection.sendall(HEADER.pack(len(found)) + found)


def answer(data: bytes) -> bytes:
    """Carry out a call; what came of it."""
    try:
        games, call = pickle.loads(data)  # noqa: S301 - from our own server
        learn(games)
        work, args = pickle.loads(call)  # noqa: S301 - the same
        return pickle.dumps((True, work(*args)), pickle.HIGHEST_PROTOCOL)
    except Exception:
        return pickle.dumps((False, traceback.format_exc()), pickle.HIGHEST_PROTOCOL)


def _nursery(control: socket.socket) -> None:
    from lynxden.server.live.warm_up import EVERYTHING, LATER, PLAY, missing, warm_up

    if missing(PLAY):
        interpret(True)  # until we are told to load what was compiled meanwhile
    else:
        warm_up(PLAY if missing(LATER) else EVERYTHING)
    gc.collect()
    gc.freeze()  # what is there now is never looked at again, so that workers share its pages
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system buries the dead
    with suppress(OSError):  # the server is gone, in the middle of something
        while _obey(control):
            pass
    os.killpg(0, signal.SIGKILL)  # the workers, whatever they do, and ourselves


def _obey(control: socket.socket) -> bool:
    """Wait for the server to ask for something, and do it; False when the server is gone."""
    from lynxden.server.live.warm_up import warm_up

    message, handles, *_ = socket.recv_fds(control, 1, 1)
    if not message:
        return False
    if message == LOAD:
        interpret(False)
        warm_up()
        gc.collect()
        gc.freeze()
    if message != FORK:
        control.sendall(message)
        return True
    try:
        pid = os.fork()
    except OSError:
        pid = -1
    if pid == 0:
        control.close()
        _be_worker(handles[0])
    os.close(handles[0])
    control.sendall(PID.pack(pid))
    return True


def _be_worker(handle: int) -> None:
    code = 1
    try:
        os.nice(NICE)
        _serve(socket.socket(fileno=handle))
        code = 0
    except OSError:  # the server is gone
        code = 0
    finally:
        os._exit(code)  # nothing of the nursery's is to be tidied up here


def _main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the server; we end with it
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.setpgrp()  # a group of the nursery and its workers
    _nursery(socket.socket(fileno=int(sys.argv[1])))


if __name__ == "__main__":
    _main()
