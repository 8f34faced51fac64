"""Reduced decks: a whole game, made small enough for exact methods by its options.

A game that offers it has `SIZES` in its `options.py`: which of its sizes can be lowered, each a field of the
options. In the number that the rules read, each size is a byte that says by how much it falls short of the
whole game's, so that the whole game has zeros there. The cards that are left out lie where everybody sees
them, as if they had been played, so that no other rule, bot or observation has to know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lynxden.games.errors import OptionsError


class Size(NamedTuple):
    """One size of a game that can be lowered."""

    least: int
    whole: int
    """What it is in the whole game."""
    shift: int
    """Where its byte is among the flags."""


Sizes = Mapping[str, Size]


def check_sizes(options: Any, sizes: Sizes) -> None:
    """Refuse sizes that there are not."""
    for name, size in sizes.items():
        value = getattr(options, name)
        if type(value) is not int or not size.least <= value <= size.whole:
            shown = repr(value)[:40]
            raise OptionsError(
                f"'{name}' must be a whole number from {size.least} to {size.whole}, not {shown}"
            )


def flags_of(options: Any, sizes: Sizes) -> int:
    """The sizes as the rules read them."""
    return sum([(size.whole - getattr(options, name)) << size.shift for name, size in sizes.items()])


def sizes_of(flags: int, sizes: Sizes) -> dict[str, int]:
    """The reverse of `flags_of`."""
    return {name: size.whole - (flags >> size.shift & 255) for name, size in sizes.items()}


def read_sizes(text: str) -> dict[str, int]:
    """Sizes as people write them: values=3,copies=2."""
    found: dict[str, int] = {}
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        if not equals or not value.strip().isdecimal():
            raise OptionsError(
                f"'{part.strip()[:40]}' is no size: write name=number, as in values=3,copies=2"
            )
        if name.strip() in found:
            raise OptionsError(f"the size '{name.strip()[:40]}' is given twice")
        found[name.strip()] = int(value)
    return found
