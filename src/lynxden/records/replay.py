"""Replaying a record by the rules, and checking all of it on the way."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lynxden.games.core import Outcome, Position
from lynxden.games.errors import LynxdenError
from lynxden.games.registry import get_game
from lynxden.records.record import TRUNCATED, Record, RecordError, result_of, short


@dataclass(frozen=True)
class Step:
    """One decision of a record that the rules accept."""

    number: int
    """Counted from 1."""
    seat: int
    action: str
    before: Position
    after: Position


def start(record: Record) -> Position:
    """The position that a record starts from."""
    try:
        game = get_game(record.game)
        options = game.reduce(game.choose_options(record.edition, record.rules), **record.reduced)
        game.check_players(options, len(record.seats), record.starter)
        position = game.read_deal(options, record.starter, record.deal)
    except LynxdenError as error:
        raise RecordError(str(error)) from error
    if position.players != len(record.seats):
        raise RecordError(f"{len(record.seats)} seats, but {position.players} hands are dealt")
    return position


def steps(record: Record) -> Iterator[Step]:
    """Every decision in turn. A wrong one raises `RecordError`, which holds the game up to there."""
    position = start(record)
    for index, text in enumerate(record.actions):
        try:
            after = _carry_out(record, index, position)
        except LynxdenError as error:
            raise RecordError(str(error), index + 1, _prefix(record, index)) from error
        assert position.seat is not None
        yield Step(index + 1, position.seat, text, position, after)
        position = after
    try:
        _check_result(record, position.outcome)
    except LynxdenError as error:
        raise RecordError(str(error), prefix=replace(record, result=None)) from error


def _prefix(record: Record, decisions: int) -> Record:
    """The first decisions of a record."""
    return replace(
        record,
        actions=record.actions[:decisions],
        legal=None if record.legal is None else record.legal[:decisions],
        actors=None if record.actors is None else record.actors[:decisions],
        result=None,
    )


def _carry_out(record: Record, index: int, position: Position) -> Position:
    """One decision, checked against all that the record says about it."""
    text = record.actions[index]
    if position.seat is None:
        raise LynxdenError(f"'{text[:40]}' comes after the end of the game")
    if record.actors is not None and record.actors[index] != position.seat:
        raise LynxdenError(f"seat {record.actors[index]} is named, but seat {position.seat} has to decide")
    if record.legal is not None:
        _check_legal(record.legal[index], position)
    return position.apply(text)


def _check_legal(texts: tuple[str, ...], position: Position) -> None:
    if len(set(texts)) != len(texts):
        raise LynxdenError("the list of legal actions names one twice")
    wrong = sorted(set(texts) ^ {str(action) for action in position.legal_actions})
    if wrong:
        which = "is not legal" if wrong[0] in texts else "is missing"
        raise LynxdenError(f"in the list of legal actions '{wrong[0][:40]}' {which}")


def _check_result(record: Record, outcome: Outcome | None) -> None:
    if record.result is None:
        if outcome is not None:
            raise LynxdenError(f"the game is over ({outcome.reason}), but the result is missing")
        return
    if outcome is None:
        if record.result != TRUNCATED:
            raise LynxdenError("there is a result, but the game is not over")
        return
    for key, right in result_of(outcome).items():
        found = record.result.get(key)
        if (sorted(found) if key == "winners" and found else found) != right:
            raise LynxdenError(f"the result says {key} {short(found)}, but the rules say {right!r}")


def positions(record: Record) -> Iterator[Position]:
    """Every position from the deal to the last action."""
    yield start(record)
    for step in steps(record):
        yield step.after


def verify(record: Record) -> int:
    """Check a whole record; the number of its decisions. `RecordError` if anything is wrong."""
    return sum(1 for _ in steps(record))
