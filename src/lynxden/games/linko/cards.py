"""Cards of Linko as text, and as the numbers that the rules use."""

from lynxden.games.linko import rules
from lynxden.games.linko.options import LinkoOptions

NAMES = ("", *(str(value) for value in range(1, rules.VALUES + 1)), "X")
"""The name of each card number; place 0 is no card."""

CODES = {name: code for code, name in enumerate(NAMES) if name}

DECK = tuple(name for name in NAMES[1:] for _ in range(rules.JOKERS if name == "X" else rules.COPIES))


def deck_of(options: LinkoOptions) -> tuple[str, ...]:
    """Every card of a game: all of `DECK`, unless it is reduced."""
    flags = options.flags
    if flags < rules.REDUCED:
        return DECK
    return tuple(name for code, name in enumerate(NAMES) if name for _ in range(rules.copies(flags, code)))


def names(heap: int) -> tuple[str, ...]:
    """A hand, or any other heap of the rules, as card names, lowest first, jokers last."""
    return tuple(name for code, name in enumerate(NAMES) if name for _ in range(heap >> (4 * code) & 15))
