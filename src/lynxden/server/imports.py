"""A game record from elsewhere, checked and prepared to be stored. Pure: worker processes run it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from lynxden.records import RecordError, read_record, verify
from lynxden.server import sanitize
from lynxden.server.protocol import NAME_LENGTH
from lynxden.server.table.projections import Player


class ImportedGame(NamedTuple):
    """A finished game from elsewhere."""

    game: str
    edition: str
    players: tuple[Player, ...]
    record: str
    """As it is stored: one line of JSON."""


class Fault(NamedTuple):
    """What is wrong with a record."""

    text: str
    decision: int | None = None
    """The decision that is wrong, counted from 1."""


def check_import(body: bytes) -> ImportedGame | Fault:
    """The game of a record, verified by the rules; or what is wrong with it."""
    try:
        found = read_record(body)
        verify(found)
    except RecordError as error:
        return Fault(str(error), error.decision)
    if found.reduced:
        return Fault("games with a reduced deck cannot be imported; this server shows whole games")
    if found.result is None or "scores" not in found.result:
        return Fault("only finished games can be imported; this one has no result")
    scores, winners = found.result["scores"], found.result["winners"]
    found = replace(found, seats=tuple(_name(seat, name) for seat, name in enumerate(found.seats)))
    players = tuple(
        Player(seat, None, name, scores[seat], seat in winners) for seat, name in enumerate(found.seats)
    )
    return ImportedGame(found.game, found.edition, players, found.to_json())


def _name(seat: int, name: str) -> str:
    """A player's name in a record from elsewhere, made valid as a name on this server."""
    return sanitize.tidy(name)[:NAME_LENGTH].strip() or f"Player {seat + 1}"
