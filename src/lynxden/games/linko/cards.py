"""Cards of Linko as text, and as the numbers that the rules use."""

from collections.abc import Iterable

from lynxden.games.errors import SetupError
from lynxden.games.linko import rules

NAMES = ("", *(str(value) for value in range(1, rules.VALUES + 1)), "X")
"""The name of each card number; place 0 is no card."""

CODES = {name: code for code, name in enumerate(NAMES) if name}

DECK = tuple(name for name in NAMES[1:] for _ in range(rules.JOKERS if name == "X" else rules.COPIES))


def names(heap: int) -> tuple[str, ...]:
    """A hand, or any other heap of the rules, as card names, lowest first, jokers last."""
    return tuple(name for code, name in enumerate(NAMES) if name for _ in range(heap >> (4 * code) & 15))


def codes(cards: str | Iterable[str], where: str) -> list[int]:
    """Card names ("7 7 X", or a list of them) as numbers."""
    found = cards.split() if isinstance(cards, str) else list(cards)
    for card in found:
        if card not in CODES:
            raise SetupError(f"{where}: {card[:20]!r} is no card; cards are 1 to 13 and X")
    return [CODES[card] for card in found]
