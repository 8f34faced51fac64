"""Another server in the place of this one, without a pause: it gets ready while this one still serves.

On a signal (`SIGNAL`) a server starts its *successor*: the same command again, with the program as it is
installed by then, which inherits the socket that people connect to. When the successor has loaded everything
that takes time, this one stops as usual and gives the database up, and the successor takes it. A client
that connects in between waits in line at the socket. If the successor fails before that, nothing has changed.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress

SIGNAL: signal.Signals | None = getattr(signal, "SIGUSR2", None)
"""What asks for it; None where there is no such signal."""
HANDLES = "LYNXDEN_HANDOVER"
"""In a successor's environment: its handles of the socket and of the line to its predecessor."""
WARM = b"w"


class Successor:
    """The next server, from the side of the one that goes."""

    def __init__(self, listener: socket.socket) -> None:
        """Start it."""
        self.line, theirs = socket.socketpair()
        self.line.setblocking(False)
        handles = listener.fileno(), theirs.fileno()
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, *sys.orig_argv[1:]],
                pass_fds=handles,
                env={**os.environ, HANDLES: " ".join(map(str, handles))},
            )

    def is_warm(self) -> bool:
        """To be asked when the line has something to say; False if the successor has ended."""
        try:
            return self.line.recv(1) == WARM
        except OSError:
            return False

    def close(self) -> None:
        """Let it begin, if it is warm; this server does not need the database any more."""
        self.line.close()


class Predecessor:
    """The server that goes, from the side of its successor."""

    def __init__(self, listener: int, line: int) -> None:
        self.listener = socket.socket(fileno=listener)
        self._line = socket.socket(fileno=line)
        for handle in (self.listener, self._line):
            handle.set_inheritable(False)  # not for workers

    @classmethod
    def of(cls, handles: str) -> Predecessor | None:
        """The server that started this one, if one did."""
        return cls(*map(int, handles.split())) if handles else None

    def relieve(self) -> None:
        """Say that this server is warm, and wait until the other has given the database up, or is dead."""
        with self._line as line, suppress(OSError):
            line.sendall(WARM)
            line.recv(1)


def notify_systemd(text: str) -> None:
    """Send the service manager a line, if one has started this server."""
    where = os.environ.get("NOTIFY_SOCKET")
    if where:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line, suppress(OSError):
            line.sendto(text.encode(), "\0" + where[1:] if where.startswith("@") else where)
