"""How long a start takes, until a game can be played: the very first one, and those after it.

    .venv/bin/python bench/start.py

Each start is a server of its own on an empty database, ended when its first table with bots is under way. The
first has an empty cache, so it compiles the rules. Told are seconds by the clock, and of the processor with
everything that the server started until then.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

PORT = 8399
STARTS = 4
LINE = "Lynxden is ready"


def start(cache: Path, data: Path, wait: bool) -> tuple[float, float, float]:
    """Seconds until a game is under way, until it can be reached, and of the processor."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    command = [sys.executable, "-m", "lynxden", "serve", "--port", str(PORT), "--data", str(data)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert LINE in server.stdout.readline()
        ready = time.monotonic() - began
        play(f"http://127.0.0.1:{PORT}")
        playing = time.monotonic() - began
        used = processor_of(server.pid)
        if wait:  # for what is compiled beside it
            while not list(cache.rglob("search-*.ready")):
                time.sleep(0.2)
            time.sleep(3)
        server.send_signal(signal.SIGTERM)
        server.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"  until it stopped, {total:.1f} s of the processor", file=sys.stderr)
    return playing, ready, used


def processor_of(pid: int) -> float:
    """Seconds of the processor of a process and of those of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def play(address: str) -> None:
    """A person begins a game of each kind with bots, which the answer shows."""
    people = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    for path, body in (
        ("/api/me", {}),
        ("/api/play", {"game": "linko"}),
        ("/api/play", {"game": "blocco"}),
    ):
        headers = {"Content-Type": "application/json", "Origin": address}
        people.open(urllib.request.Request(address + path, json.dumps(body).encode(), headers)).close()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        for number in range(STARTS):
            playing, ready, used = start(cache, Path(folder) / f"data-{number}", wait=number == 0)
            name = "first start" if number == 0 else "later start"
            print(f"{name}: ready after {ready:.1f} s, playing after {playing:.1f} s, processor {used:.1f} s")


if __name__ == "__main__":
    main()
