"""Strict reading: a record has the right structure or is refused. Nothing in a file is trusted or run."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import IOBase
from typing import Any, BinaryIO

from lynxden.records.record import FIRST_RULES, FORMAT, KEYS, Record, RecordError, check_text, short

MOST_BYTES = 4 * 2**20
"""A line longer than this is no game."""


@dataclass(frozen=True)
class Fault:
    """A record of a file that could not be read, or that the rules refuse."""

    number: int
    """Which record of the file, counted from 1."""
    error: RecordError

    def __str__(self) -> str:
        return f"record {self.number}, {self.error}"


def read_records(lines: BinaryIO | Iterable[bytes]) -> Iterator[tuple[int, Record | Fault]]:
    """Every record of a file opened in binary mode, numbered from 1; blank lines do not count."""
    number = 0
    for line in _short_lines(lines) if isinstance(lines, IOBase) else lines:
        if line.strip():
            number += 1
            try:
                yield number, read_record(line)
            except RecordError as error:
                yield number, Fault(number, error)


def _short_lines(file: IOBase) -> Iterator[bytes]:
    """The lines of a file; of one that is too long only the beginning."""
    while line := file.readline(MOST_BYTES + 2):
        yield line
        while line and len(line) > MOST_BYTES and not line.endswith(b"\n"):
            line = file.readline(MOST_BYTES + 2)


def read_record(line: bytes | str) -> Record:
    """One line of JSON as a record of the right structure; `verify` checks whether the game is legal."""
    return _shape(_decode(line))


def _decode(line: bytes | str) -> dict[str, Any]:
    if len(line) > MOST_BYTES:
        raise RecordError(f"a line of {len(line)} bytes; a record has at most {MOST_BYTES}")
    try:
        text = line if isinstance(line, str) else line.decode("utf-8")
        if text.startswith("\ufeff"):
            raise RecordError("not JSON: it starts with a byte order mark; UTF-8 needs none")
        found = json.loads(text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float)
    except UnicodeDecodeError as error:
        raise RecordError(f"not UTF-8: byte {error.start} cannot be read") from error
    except json.JSONDecodeError as error:
        raise RecordError(f"not JSON: {error.msg} at character {error.pos + 1}") from error
    except RecursionError as error:
        raise RecordError("not a record: nested too deeply") from error
    except RecordError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise RecordError("not a record: it holds a number that is far too long") from error
    if not isinstance(found, dict):
        raise RecordError("not a record: a line must hold one JSON object")
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key in counts if counts[key] > 1)
        raise RecordError(f"the key {short(twice)} appears twice")
    return found


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise RecordError("not a record: it holds a number that is far too large")
    return value


def _constant(name: str) -> Any:
    raise RecordError(f"not JSON: {name} is no value")


def _shape(found: dict[str, Any]) -> Record:
    form = _need(found, "format")
    if form != FORMAT:
        raise RecordError(f"the format is {short(form)}; this reader knows '{FORMAT}'")
    deal = _need(found, "deal")
    if not isinstance(deal, dict):
        raise RecordError("'deal' must be an object")
    actions = _texts(_need(found, "actions"), "actions")
    seats = _texts(_need(found, "seats"), "seats")
    if not seats:
        raise RecordError("'seats' must name the players")
    starter = _need(found, "starter")
    if not _is_seat(starter, len(seats)):
        raise RecordError(f"'starter' must be a seat from 0 to {len(seats) - 1}, not {short(starter)}")
    return Record(
        game=check_text(_need(found, "game"), "game"),
        edition=check_text(_need(found, "edition"), "edition"),
        rules=_rules(found["rules"]) if "rules" in found else FIRST_RULES,
        reduced=_reduced(found["reduced"]) if "reduced" in found else {},
        seats=seats,
        starter=starter,
        deal=deal,
        actions=actions,
        result=_result(found["result"], len(seats)) if "result" in found else None,
        legal=_legal(found["legal"], len(actions)) if "legal" in found else None,
        actors=_actors(found["actors"], len(actions), len(seats)) if "actors" in found else None,
        extra={key: value for key, value in found.items() if key not in KEYS},
    )


def _need(found: dict[str, Any], key: str) -> Any:
    if key not in found:
        raise RecordError(f"'{key}' is missing")
    return found[key]


def _texts(value: Any, key: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise RecordError(f"'{key}' must be a list of texts")
    return tuple(check_text(text, key) for text in value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_seat(value: Any, players: int) -> bool:
    return _is_whole(value) and 0 <= value < players


def _rules(value: Any) -> int:
    if not _is_whole(value) or value < 1:
        raise RecordError(f"'rules' must be a version, a whole number from 1 on, not {short(value)}")
    return int(value)


def _reduced(value: Any) -> dict[str, int]:
    if not isinstance(value, dict) or not value or not all(map(_is_whole, value.values())):
        raise RecordError("'reduced' must be an object of sizes, whole numbers by their names")
    return value


def _result(value: Any, players: int) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise RecordError("'result' must be an object")
    if value.get("reason") == "truncated":
        if set(value) != {"reason"}:
            raise RecordError("a truncated game has no result but its reason")
        return value
    reason, scores, winners = (value.get(key) for key in ("reason", "scores", "winners"))
    if not isinstance(reason, str):
        raise RecordError("the result must have a reason")
    if not isinstance(scores, list) or len(scores) != players or not all(map(_is_whole, scores)):
        raise RecordError(f"the result must have {players} scores, whole numbers, one a seat")
    if not isinstance(winners, list) or not all(_is_seat(seat, players) for seat in winners):
        raise RecordError(f"the winners must be seats from 0 to {players - 1}")
    if not winners or len(set(winners)) != len(winners):
        raise RecordError("the winners must be at least one seat, none of them twice")
    return value


def _legal(value: Any, decisions: int) -> tuple[tuple[str, ...], ...]:
    if not isinstance(value, list) or len(value) != decisions:
        raise RecordError(f"'legal' must be a list as long as the actions ({decisions})")
    return tuple(_texts(texts, "legal") for texts in value)


def _actors(value: Any, decisions: int, players: int) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) != decisions:
        raise RecordError(f"'actors' must be a list as long as the actions ({decisions})")
    if not all(_is_seat(seat, players) for seat in value):
        raise RecordError(f"'actors' must be seats from 0 to {players - 1}")
    return tuple(value)
