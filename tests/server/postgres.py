"""A real PostgreSQL for tests: started in a temporary folder, on a free port, gone afterwards."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

_SETTINGS = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = '{folder}'
shared_buffers = 16MB
max_connections = 100
"""


@dataclass
class Postgres:
    """A running server."""

    bindir: Path
    folder: Path
    port: int
    user: dict[str, Any]
    """As whom to run its programs."""
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def url(self, name: str) -> str:
        return f"postgresql://lynxden@127.0.0.1:{self.port}/{name}"

    def new_database(self) -> str:
        """The address of a database with nothing in it."""
        name = f"test{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name}")
        return self.url(name)

    def run(self, statement: str) -> None:
        """Carries out a statement as the administrator."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as db:
            db.execute(statement)

    def cut(self, url: str) -> None:
        """Breaks every connection to a database, as a network may."""
        name = url.rpartition("/")[2]
        self.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")

    def program(self, name: str, *args: str) -> None:
        done = subprocess.run(
            [self.bindir / name, *args],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # a pipe would stay open as long as the server runs
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=60,
            **self.user,
        )
        if done.returncode:
            log = self.folder / "log"
            told = log.read_text() if log.exists() else ""
            raise RuntimeError(f"{name} failed with exit code {done.returncode}\n{told}")

    def start(self) -> None:
        self.program("pg_ctl", "start", "-w", "-D", "data", "-l", "log")

    def stop(self, mode: str = "fast") -> None:
        """In good order; with `immediate` as if it had crashed."""
        self.program("pg_ctl", "stop", "-w", "-m", mode, "-D", "data")

    def watch(self) -> subprocess.Popen[bytes]:
        """Ends and removes the server as soon as its input ends: also if the tests are killed."""
        script = 'cat; "$0" stop -w -m immediate -D data; cd /; rm -rf "$1"'
        return subprocess.Popen(
            ["/bin/sh", "-c", script, self.bindir / "pg_ctl", self.folder],
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # an interrupt from the keyboard is not meant for it
            **self.user,
        )


@contextmanager
def start_postgres() -> Iterator[Postgres]:
    """A new server with an empty cluster."""
    bindir = find_binaries()
    folder = Path(tempfile.mkdtemp(prefix="lynxden-postgres-"))  # its sockets need a short path
    user = _user(folder)
    server = Postgres(bindir, folder, _free_port(), user)
    try:
        # The files of the empty cluster need not be safe from a power cut; all that is written later is.
        server.program(
            "initdb", "-D", "data", "-U", "lynxden", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"
        )
        with (folder / "data" / "postgresql.conf").open("a") as file:
            file.write(_SETTINGS.format(port=server.port, folder=folder))
        with server.watch():  # leaving it ends its input, and waits
            server.start()
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def find_binaries() -> Path:
    """The folder of `initdb` and `postgres`; Debian does not put it on the path."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    if asked := shutil.which("pg_config"):
        told = subprocess.run([asked, "--bindir"], capture_output=True, text=True, check=True)
        folders.insert(0, Path(told.stdout.strip()))
    debian = Path("/usr/lib/postgresql").glob("*/bin")
    folders += sorted(debian, key=lambda folder: (len(folder.parent.name), folder.parent.name), reverse=True)
    for folder in folders:
        if all((folder / name).exists() for name in ("initdb", "pg_ctl", "postgres")):
            return folder
    raise RuntimeError("no PostgreSQL server was found; `make postgres` installs it (Debian: postgresql)")


def _user(folder: Path) -> dict[str, Any]:
    """PostgreSQL refuses to run as root: there, somebody else runs it, and owns its folder."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name for entry in pwd.getpwall()}
    entry = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    os.chown(folder, entry.pw_uid, entry.pw_gid)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
