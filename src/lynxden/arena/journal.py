"""The file that keeps finished games, so that an arena can be interrupted and go on.

JSON Lines: the first line is the whole set-up, each further one a chunk of games. Lines are only ever added.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lynxden.arena.contest import FORMAT, Contest
from lynxden.arena.work import Part
from lynxden.games.errors import OptionsError

NAME = "journal.jsonl"


class Journal:
    """The journal of a folder: made, or opened if it belongs to the same set-up."""

    def __init__(self, folder: Path, contest: Contest) -> None:
        self.path = folder / NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+b")
        except OSError as error:
            raise OptionsError(f"cannot write {self.path}: {error.strerror}") from error
        try:
            _lock(self._file.fileno(), self.path)
            self._start(contest)
        except BaseException:
            self._file.close()
            raise

    def _start(self, contest: Contest) -> None:
        self._file.seek(0)
        whole = 0
        first = b""
        for line in self._file:
            if not line.endswith(b"\n"):  # written when the power went
                break
            first = first or line
            whole += len(line)
        self._file.truncate(whole)
        if first:
            self._check(first, contest)
        else:
            self._write({"format": FORMAT, **contest.as_dict()})

    def _check(self, first: bytes, contest: Contest) -> None:
        found = _read(first, self.path, 1)
        if found.get("format") != FORMAT:
            raise OptionsError(f"{self.path} is no journal of an arena: choose another folder")
        wanted = contest.as_dict()
        other = [
            f"{key} {_short(found.get(key))} there, {_short(wanted[key])} here"
            for key in wanted
            if found.get(key) != wanted[key]
        ]
        if other:
            raise OptionsError(
                f"{self.path} belongs to another arena ({'; '.join(other)}): "
                "go on with the same set-up, or choose another folder"
            )

    def parts(self) -> Iterator[Part]:
        """What has been played, in the order in which it was finished."""
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if number > 1:
                    try:
                        yield Part.from_dict(_read(line, self.path, number))
                    except (KeyError, TypeError, ValueError, AttributeError) as error:
                        raise OptionsError(f"line {number} of {self.path} holds no games") from error

    def add(self, part: Part) -> None:
        """Keep a part. It survives the end of this process the moment this returns."""
        self._write(part.as_dict())

    def _write(self, line: dict[str, Any]) -> None:
        text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
        self._file.write(text.encode() + b"\n")
        self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.fsync(self._file.fileno())
        self._file.close()


def parts_in_order(folder: Path) -> Iterator[Part]:
    """What the journal of a folder holds, in the order of bouts and games."""
    with (folder / NAME).open("rb") as file:
        file.readline()
        places: dict[tuple[int, int], int] = {}
        place = file.tell()
        for line in iter(file.readline, b""):
            found = json.loads(line)
            places[found["bout"], found["first"]] = place
            place = file.tell()
        for key in sorted(places):
            file.seek(places[key])
            yield Part.from_dict(json.loads(file.readline()))


def _lock(file: int, path: Path) -> None:
    """Two arenas in one folder would mix their games. Held until the file is closed, or the process ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise OptionsError(f"another arena is writing to {path}") from error


def _read(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError as error:
        raise OptionsError(f"line {number} of {path} is damaged: choose another folder") from error
    if not isinstance(found, dict):
        raise OptionsError(f"line {number} of {path} is no part of an arena: choose another folder")
    return found


def _short(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else json.dumps(value)
