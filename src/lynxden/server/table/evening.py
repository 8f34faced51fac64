"""The standing of an evening: the games of a table, and of the tables of which it is a rematch, by person."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from lynxden.games.core import Outcome


class EveningRow(Struct, frozen=True, omit_defaults=True):
    """What somebody has reached in an evening."""

    name: str
    """Their name at their last game."""
    guest: str = ""
    """The person's public id; empty for a bot of the server."""
    games: int = 0
    """Games played to the end."""
    won: int = 0
    """Games won; a shared win counts for everybody who shares it."""
    points: int = 0
    """Points of all these games."""


Evening = tuple[EveningRow, ...]


def add(evening: Evening, players: Iterable[tuple[str, str]], outcome: Outcome) -> Evening:
    """The standing after one more game; `players` are the guests and names, by seat."""
    found = {_key(each.guest, each.name): each for each in evening}
    for seat, (guest, name) in enumerate(players):
        before = found.get(_key(guest, name), EveningRow(name, guest))
        found[_key(guest, name)] = replace(
            before,
            name=name,
            games=before.games + 1,
            won=before.won + (seat in outcome.winners),
            points=before.points + outcome.scores[seat],
        )
    return tuple(found.values())


def _key(guest: str, name: str) -> tuple[str, str]:
    """People are known by their ids, whatever they are called; bots by their names."""
    return (guest, "") if guest else ("", name)
