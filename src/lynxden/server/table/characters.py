"""The names of bots at a table. The page has a face for each name.

A name is drawn when a bot gets its seat, and is in the log from then on: a change here changes no earlier
game.
"""

from collections.abc import Callable, Collection, Sequence

from lynxden.server.table.plans import SeatPlan

NAMES = (
    "Bramble", "Tansy", "Moss", "Rowan", "Fern", "Otis", "Juniper", "Pike",
    "Sorrel", "Wren", "Basil", "Ember", "Flint", "Clover", "Rook", "Marlow",
)  # fmt: skip

Casting = Callable[[int, Collection[str]], Sequence[str]]
"""Draws this many different names, none of which is taken."""


def free(taken: Collection[str]) -> list[str]:
    """The names that nobody at a table has; capitals make no difference."""
    others = {name.casefold() for name in taken}
    return [name for name in NAMES if name.casefold() not in others]


def for_plan(seats: Sequence[SeatPlan], taken: Collection[str], cast: Casting) -> tuple[str, ...]:
    """The names of a new table's bots, by seat; empty for other seats, and nothing if there are no bots."""
    bots = [number for number, seat in enumerate(seats) if seat.kind == "bot"]
    named = dict(zip(bots, cast(len(bots), taken), strict=True)) if bots else {}
    return tuple(named.get(number, "") for number in range(len(seats))) if named else ()
