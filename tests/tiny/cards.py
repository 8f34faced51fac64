"""Cards of Tiny as text, and as the numbers that the rules use."""

from tests.tiny import rules

NAMES = ("", *(str(value) for value in range(1, rules.VALUES + 1)))
CODES = {name: code for code, name in enumerate(NAMES) if name}
DECK = tuple(name for name in CODES for _ in range(rules.COPIES))


def names(heap: int) -> tuple[str, ...]:
    """A heap of the rules as card names."""
    return tuple(name for name, code in CODES.items() for _ in range(heap >> (8 * (code - 1)) & 15))
