"""Reading the deals of game records strictly: what both a game and a record need checked."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lynxden.games.errors import SetupError


def codes(cards: str | Iterable[str], known: Mapping[str, int], where: str) -> list[int]:
    """Card names ("7 7 X", or a list of them) as the numbers that the rules use."""
    found = cards.split() if isinstance(cards, str) else list(cards)
    for card in found:
        if not isinstance(card, str) or card not in known:
            raise SetupError(f"{where}: {str(card)[:20]!r} is no card; cards are {', '.join(known)}")
    return [known[card] for card in found]


def load_deck(record: Any, cards: Sequence[int]) -> None:
    """Put cards, top first, into the deck of a record."""
    record["deck_size"] = len(cards)
    record["deck"][: len(cards)] = cards[::-1]


def check_counts(cards: Iterable[int], whole: Iterable[int], names: Sequence[str]) -> Counter[int]:
    """Refuse a position with more of a card than there are; what is left of the deck otherwise."""
    rest = Counter(whole)
    rest.subtract(cards)
    for code, count in rest.items():
        if count < 0:
            excess = "is 1 card" if count == -1 else f"are {-count} cards"
            raise SetupError(f"there {excess} '{names[code]}' too many in this position")
    return rest


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
    if not all(isinstance(card, str) for card in cards):
        raise SetupError(f"{what} must hold cards as texts")
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
