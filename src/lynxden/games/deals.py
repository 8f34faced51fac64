"""Reading the deals of game records strictly: what both a game and a record need checked."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from lynxden.games.errors import SetupError


def listed(deal: Any, key: str) -> list[Any]:
    """A list inside a recorded deal."""
    if not isinstance(deal, dict):
        raise SetupError("the deal must be an object")
    found = deal.get(key)
    if not isinstance(found, list):
        raise SetupError(f"the deal must have a list '{key}'")
    return found


def card_list(cards: Any, where: str) -> list[str]:
    """A list of texts inside a recorded deal."""
    if not isinstance(cards, list) or not all(isinstance(card, str) for card in cards):
        raise SetupError(f"{where} must be a list of texts")
    return cards


def check_cards(cards: Sequence[str], whole: Sequence[str], what: str) -> None:
    """Refuse cards that are not exactly the game's deck, naming the first few that are wrong."""
    have, want = Counter(cards), Counter(whole)
    if have == want:
        return
    unknown = [card for card in have if card not in want]
    if unknown:
        raise SetupError(f"{what} holds {unknown[0][:20]!r}, which is no card of this game")
    wrong = [
        f"{have[card]} of '{card}' instead of {count}" for card, count in want.items() if have[card] != count
    ]
    raise SetupError(
        f"{what} has {len(cards)} cards that are not the game's {len(whole)}: "
        + ", ".join(wrong[:3])
        + (", …" if len(wrong) > 3 else "")
    )
