"""Cards of Blocco as text, and as the numbers that the rules use."""

from collections.abc import Iterable

from lynxden.games.blocco import rules
from lynxden.games.blocco.options import BloccoOptions

NAMES = ("", "1a", "1b", "2a", "2b", "3a", "3b", "4a")
"""The name of each colour's cards; place 0 is no card. The first character is the number on them."""

CODES = {name: code for code, name in enumerate(NAMES) if name}

DECK = tuple(name for name, copies in zip(NAMES[1:], rules.COPIES, strict=True) for _ in range(copies))


def deck_of(options: BloccoOptions) -> tuple[str, ...]:
    """Every card of a game: all of `DECK`, unless it is reduced."""
    flags = options.flags
    if flags < rules.REDUCED:
        return DECK
    return tuple(name for code, name in enumerate(NAMES) if name for _ in range(rules.copies(flags, code)))


def names(heap: int) -> tuple[str, ...]:
    """A hand, or any other heap of the rules, as card names, colour by colour."""
    return tuple(name for code, name in enumerate(NAMES) if name for _ in range(heap >> (8 * code) & 127))


def heap_of(found: Iterable[int]) -> int:
    """Card numbers as a heap."""
    return sum(rules.cards(code, 1) for code in found)
