"""The actions of Tiny: values with one text form each, and the numbers that the rules use for them."""

from dataclasses import dataclass

from lynxden.games.core import Action, Records
from lynxden.games.errors import MalformedAction
from tests.tiny import rules
from tests.tiny.cards import CODES


@dataclass(frozen=True, slots=True)
class Offer:
    """Offer a card to the player on the left."""

    card: str

    def __str__(self) -> str:
        return f"offer {self.card}"


@dataclass(frozen=True, slots=True)
class Answer:
    """Take the card that is offered, or refuse it."""

    word: str

    def __str__(self) -> str:
        return self.word


TAKE = Answer("take")
REFUSE = Answer("refuse")
TABLE: tuple[Action, ...] = (*(Offer(card) for card in CODES), TAKE, REFUSE)
assert len(TABLE) == rules.ACTIONS
_NUMBERS = {action: number for number, action in enumerate(TABLE)}
_TEXTS = {str(action): action for action in TABLE}
LONGEST_TEXT = max(map(len, _TEXTS))


def parse(text: str) -> Action:
    if text not in _TEXTS:
        raise MalformedAction(f"'{text[:40]}' is no action of Tiny; actions are {', '.join(_TEXTS)}")
    return _TEXTS[text]


def action_of(records: Records, number: int) -> Action:
    return TABLE[number]


def number_of(records: Records, action: Action) -> int:
    return _NUMBERS.get(action, -1)
