"""What a release must pass: `make release-check`, after `make wheel`.

    python -m tools.release_check
    python -m tools.release_check --python python3.12 --python python3.13

The wheel in dist is installed alone into an empty environment, without Node and without the sources; its
server is started, shows its page and its documents, and a bot plays a game of each kind there through the
public protocol. An sdist is built beside it, the metadata is looked at, and pip is asked whether it would
find the packages of each extra.
"""

from __future__ import annotations

import argparse
import email.message
import email.parser
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
SECONDS = 900


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def wheel() -> Path:
    """The wheel that was built."""
    found = sorted(DIST.glob("lynxden-*.whl"))
    if len(found) != 1:
        raise SystemExit(f"there should be one wheel in {DIST}, not {len(found)}: make wheel")
    return found[0]


def check_contents(path: Path) -> list[str]:
    """What is wrong with what is in a wheel."""
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
    wanted = (
        "lynxden/py.typed",
        "lynxden/server/web/index.html",
        "lynxden/server/site/index.html",
        "lynxden/docs/rules/linko.md",
    )
    strangers = [name for name in names if not name.startswith(("lynxden/", "lynxden-"))]
    return [f"{name} is missing" for name in wanted if name not in names] + [
        f"{name} does not belong there" for name in strangers
    ]


def metadata_of(path: Path) -> email.message.Message:
    with zipfile.ZipFile(path) as archive:
        name = next(each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        return email.parser.Parser().parsestr(archive.read(name).decode())


def check_metadata(found: email.message.Message) -> list[str]:
    """What is wrong with what a wheel says of itself."""
    wrong = [
        f"{field} is missing"
        for field in ("Summary", "License-Expression", "License-File", "Requires-Python", "Keywords")
        if not found[field]
    ]
    classifiers = found.get_all("Classifier") or []
    wrong += [
        f"no classifier {each}"
        for each in ("Programming Language :: Python :: 3", "Typing :: Typed")
        if each not in classifiers
    ]
    if len(str(found.get_payload())) < 1000:
        wrong.append("the long description is missing")
    wrong += [
        f"an address that nobody answers at: {url}"
        for url in found.get_all("Project-URL") or []
        if "example." in url
    ]
    citation = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    if citation is None or citation[1] != found["Version"]:
        wrong.append(f"CITATION.cff is not about {found['Version']}")
    return wrong


class Place:
    """An empty environment, with the wheel and nothing else."""

    def __init__(self, python: str, folder: Path) -> None:
        self.folder = folder
        subprocess.run([python, "-m", "venv", str(folder / "venv")], check=True, timeout=SECONDS)
        self.bin = folder / "venv" / "bin"
        self.environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith(("PYTHON", "LYNXDEN"))
            },
            "PATH": str(self.bin),  # no Node, no compiler, nothing
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
        self.run("python", "-m", "pip", "install", "-qq", str(wheel()))

    def run(self, *command: str) -> str:
        """What a command prints; `SystemExit` with what it complained about if it fails."""
        found = subprocess.run(
            [str(self.bin / command[0]), *command[1:]],
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        if found.returncode:
            raise SystemExit(f"{' '.join(command)} failed:\n{found.stdout}{found.stderr}")
        return found.stdout

    def serve(self, then: Callable[[str], None]) -> None:
        """Start the server, and do something with its address."""
        command = [str(self.bin / "lynxden"), "serve", "--port", "0", "--data", str(self.folder / "data")]
        with subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                address = re.search(r"http://\S+", server.stdout.readline())
                if address is None:
                    raise SystemExit("the server did not start")
                then(address[0])
            finally:
                server.terminate()
        if server.returncode:
            raise SystemExit(f"the server ended with {server.returncode}")


class Guest:
    """Somebody who uses the HTTP interface."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())

    def get(self, path: str) -> str:
        with self._opener.open(self.address + path) as answer:
            return str(answer.read().decode())

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        request = urllib.request.Request(
            self.address + path, json.dumps(body or {}).encode(), {"Content-Type": "application/json"}
        )
        with self._opener.open(request) as answer:
            return json.loads(answer.read() or b"null")


def play(place: Place, address: str) -> None:
    """The page and the documents are there, and examples/bot.py plays a game to its end."""
    ann = Guest(address)
    for path, part in (("/", "<script"), ("/docs/index.html", "Lynxden"), ("/api/schema", "/api/play")):
        if part not in ann.get(path):
            raise SystemExit(f"{path} does not show what it should")
    ann.post("/api/me", {"name": "Ann"})
    robo = ann.post("/api/me/bots", {"name": "Robo"})
    for game, players in (("linko", 2), ("blocco", 3)):
        seats = [{"kind": "invited"}] * 2 + [{"kind": "bot", "bot": "hunter"}] * (players - 2)
        table = ann.post("/api/tables", {"game": game, "seats": seats})
        command = [str(place.bin / "python"), str(ROOT / "examples" / "bot.py"), address, robo["token"]]
        with subprocess.Popen(
            [*command, table["id"], table["invite"]], env=place.environment, stdout=subprocess.PIPE, text=True
        ) as bot:
            assert bot.stdout is not None
            while ann_plays(ann, table["id"]) is None and bot.poll() is None:
                pass
            ann.post(f"/api/tables/{table['id']}/leave")  # a bot of the server has her seat from now on
            said = bot.stdout.read()
        if "scores:" not in said:
            raise SystemExit(f"the bot did not play {game} to its end:\n{said}")
        say(f"  a game of {game}: {said.strip().splitlines()[-1]}")


def ann_plays(ann: Guest, table: str) -> str | None:
    """The phase of a table once the game runs."""
    time.sleep(0.2)
    phase = json.loads(ann.get(f"/api/tables/{table}"))["info"]["phase"]
    return str(phase) if phase == "running" else None


def check_sdist(place: Place) -> None:
    """Build an sdist, and look whether the page is in it."""
    place.run("python", "-m", "pip", "install", "-qq", "hatchling")
    subprocess.run(
        [str(place.bin / "python"), "-m", "hatchling", "build", "-t", "sdist", "-d", str(DIST)],
        cwd=ROOT,
        check=True,
        timeout=SECONDS,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    (path,) = DIST.glob("lynxden-*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for name in ("pyproject.toml", "src/lynxden/server/web/index.html", "src/lynxden/server/site/index.html"):
        if name not in names:
            raise SystemExit(f"{name} is not in {path.name}")
    say(f"{path.name} is complete")


def main(args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Check the wheel in dist as a release.")
    parser.add_argument("--python", action="append", help="another Python to try; may be repeated")
    pythons = [sys.executable, *(parser.parse_args(args).python or ())]
    found = metadata_of(wheel())
    wrong = check_contents(wheel()) + check_metadata(found)
    if wrong:
        raise SystemExit("\n".join(wrong))
    say(f"{wheel().name}: its contents and metadata are complete")
    for python in pythons:
        with tempfile.TemporaryDirectory() as folder:
            place = Place(python, Path(folder))
            version = place.run("python", "-c", "import sys; print(sys.version.split()[0])").strip()
            say(f"Python {version}: {place.run('lynxden', '--version').strip()}")
            place.run("lynxden", "games")
            place.run("lynxden", "simulate", "linko", "--games", "100", "--records", "games.jsonl")
            place.run("lynxden", "verify", "games.jsonl")
            place.serve(lambda address, place=place: play(place, address))  # type: ignore[misc]
            if python == pythons[0]:
                check_sdist(place)
                for extra in found.get_all("Provides-Extra") or []:
                    place.run("python", "-m", "pip", "install", "-qq", "--dry-run", f"{wheel()}[{extra}]")
                    say(f"  the extra {extra} resolves")
    say("Everything a release needs is there.")


if __name__ == "__main__":
    main()
