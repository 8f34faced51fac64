"""The actions of Linko: values with one text form each, and the numbers that the rules use for them."""

import re
from dataclasses import dataclass
from typing import Any

from lynxden.games.core import Action, Records
from lynxden.games.errors import MalformedAction
from lynxden.games.linko import rules
from lynxden.games.linko.cards import NAMES


@dataclass(frozen=True, slots=True)
class Play:
    """Lay these cards: number cards of one value, then jokers; or jokers alone."""

    cards: tuple[str, ...]

    def __str__(self) -> str:
        return "play " + " ".join(self.cards)


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw one display slot, named by the cards that lie in it; no cards: the top of the deck."""

    cards: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "draw " + (" ".join(self.cards) or "deck")


@dataclass(frozen=True, slots=True)
class Snatch:
    """Which beaten set of the virtual player's row to snatch (duel)."""

    value: str

    def __str__(self) -> str:
        return f"snatch {self.value}"


@dataclass(frozen=True, slots=True)
class Word:
    """One of the choices that need no cards."""

    word: str

    def __str__(self) -> str:
        return self.word


TAKE = Word("take")
"""The snatched layer goes to my hand."""
LEAVE = Word("leave")
"""The snatched layer is left to its owner."""
RECLAIM = Word("reclaim")
"""My snatched layer goes back to my hand."""
DISCARD = Word("discard")
"""My snatched layer is discarded, and I draw."""
PASS = Word("pass")
"""No optional draw."""


def _fixed_actions() -> dict[int, Action]:
    """Every action that means the same in all positions; only groups of the duel do not."""
    found: dict[int, Action] = {}
    for value in range(1, rules.VALUES + 1):
        for count in range(1, rules.COPIES + 1):
            for jokers in range(rules.WIDTH):
                place = ((value - 1) * rules.COPIES + count - 1) * rules.WIDTH + jokers
                found[rules.PLAYS + place] = Play((NAMES[value],) * count + ("X",) * jokers)
    for jokers in range(1, rules.JOKERS + 1):
        found[rules.LONE_JOKERS + jokers - 1] = Play(("X",) * jokers)
    found[rules.TAKE_IT] = TAKE
    found[rules.LEAVE_IT] = LEAVE
    found[rules.RECLAIM_IT] = RECLAIM
    found[rules.DISCARD_IT] = DISCARD
    found[rules.PASS] = PASS
    found[rules.DRAW_DECK] = Draw()
    for card in range(1, rules.JOKER + 1):
        found[rules.DRAW_CARD + card - 1] = Draw((NAMES[card],))
    for value in range(1, rules.VALUES):
        found[rules.SNATCHES + value - 1] = Snatch(NAMES[value])
    return found


_ACTIONS = _fixed_actions()
TABLE = tuple(_ACTIONS.get(number) for number in range(rules.ACTIONS))
"""The action of each number; None for groups, which depend on the display."""
_NUMBERS = {action: number for number, action in _ACTIONS.items()}
_TEXTS = {str(action): action for action in _ACTIONS.values()}
LONGEST_TEXT = len("draw 12" + " 13" * rules.COPIES + " X" * rules.JOKERS)
"""All 13s and jokers on one card; no set that can be played is longer."""
_GROUP = re.compile(r"draw ([1-9]|1[0-3]|X)(?: (?:13|X)){1,13}")


def parse(text: str) -> Action:
    """The action that a text means."""
    found = _TEXTS.get(text)
    if found is not None:
        return found
    if _GROUP.fullmatch(text):
        return Draw(tuple(text.split()[1:]))
    raise MalformedAction(_complaint(text))


def _complaint(text: str) -> str:
    """What is wrong with a text that is no action, and what would be right."""
    shown = text if len(text) <= 40 else text[:40] + "…"
    word = text.split(" ", maxsplit=1)[0]
    if word == "play":
        return (
            f"'{shown}' is no action: lay cards of one value, then jokers, as in 'play 7 7 X';"
            f" there are {rules.COPIES} cards of each value 1 to 13 and {rules.JOKERS} jokers"
        )
    if word == "draw":
        return f"'{shown}' is no action: 'draw deck', or a display slot by its cards, as in 'draw 7'"
    if word == "snatch":
        return f"'{shown}' is no action: name a value of the row, 'snatch 1' to 'snatch 12'"
    return f"'{shown}' is no action of Linko: play, snatch, take, leave, reclaim, discard, draw or pass"


def slot_cards(record: Any, slot: int) -> tuple[str, ...]:
    """The cards in a display slot, bottom first; none if it is empty."""
    first = int(record.slots) >> (4 * slot) & 15
    if not first:
        return ()
    size = int(record.pile_sizes) >> (4 * slot) & 15
    return (NAMES[first], *(NAMES[code] for code in record.piles[slot, :size].tolist()))


def action_of(records: Records, number: int) -> Action:
    """The action that a number means in a position."""
    found = TABLE[number]
    if found is not None:
        return found
    return Draw(slot_cards(records[0], number - rules.DRAW_PILE))


def number_of(records: Records, action: Action) -> int:
    """The number of an action in a position; -1 if it names a group that is not on display."""
    number = _NUMBERS.get(action)
    if number is not None:
        return number
    if isinstance(action, Draw):
        for slot in range(rules.SLOTS):
            if slot_cards(records[0], slot) == action.cards:
                return rules.DRAW_PILE + slot
    return -1
