"""The actions of Blocco: values with one text form each, and the numbers that the rules use for them."""

from dataclasses import dataclass

from lynxden.games.blocco import rules
from lynxden.games.blocco.cards import CODES, NAMES
from lynxden.games.core import Action, Records
from lynxden.games.errors import MalformedAction


@dataclass(frozen=True, slots=True)
class Take:
    """Take the row at a place, counted from 1."""

    place: int

    def __str__(self) -> str:
        return f"take {self.place}"


@dataclass(frozen=True, slots=True)
class Block:
    """Lay so many groups of a colour on the blocking pile."""

    colour: str
    groups: int

    def __str__(self) -> str:
        return f"block {self.colour} {self.groups}"


@dataclass(frozen=True, slots=True)
class Score:
    """Turn the blocking pile onto the score pile."""

    def __str__(self) -> str:
        return "score"


@dataclass(frozen=True, slots=True)
class From:
    """Which of the players with the most cards gives; seats are counted from 0, from 1 in the text.

    Its number counts seats from the active player on, as observations do.
    """

    seat: int

    def __str__(self) -> str:
        return f"from {self.seat + 1}"


@dataclass(frozen=True, slots=True)
class Give:
    """Give one card of a colour away."""

    colour: str

    def __str__(self) -> str:
        return f"give {self.colour}"


SCORE = Score()


def _all_actions() -> list[Action | None]:
    """Every action, in the order of the numbers; None where that depends on the position."""
    blocks = [
        Block(NAMES[colour], groups)
        for colour, groups in zip(rules.LAY_COLOUR.tolist(), rules.LAY_GROUPS.tolist(), strict=True)
    ]
    return [
        *(Take(place + 1) for place in range(rules.PLACES)),
        *blocks,
        SCORE,
        *(None for _ in range(rules.SEATS)),  # from a seat
        *(Give(colour) for colour in CODES),
    ]


TABLE = tuple(_all_actions())
"""The action of each number; None for seats to the left."""
_NUMBERS = {action: number for number, action in enumerate(TABLE) if action is not None}
_TEXTS = {str(action): action for action in (*_NUMBERS, *map(From, range(rules.SEATS)))}
LONGEST_TEXT = max(map(len, _TEXTS))


def parse(text: str) -> Action:
    """The action that a text means."""
    found = _TEXTS.get(text)
    if found is None:
        raise MalformedAction(_complaint(text))
    return found


def _complaint(text: str) -> str:
    """What is wrong with a text that is no action, and what would be right."""
    shown = text if len(text) <= 40 else text[:40] + "…"
    word = text.split(" ", maxsplit=1)[0]
    if word == "take":
        return f"'{shown}' is no action: name a place of the circle, 'take 1' to 'take {rules.PLACES}'"
    if word == "block":
        return (
            f"'{shown}' is no action: lay groups of a colour, as in 'block 2a 2'; at most 11 groups of"
            " 1a and 1b, 8 of 2a and 2b, 7 of 3a and 3b, 6 of 4a"
        )
    if word == "from":
        return f"'{shown}' is no action: name a seat counted from 1, 'from 1' to 'from {rules.SEATS}'"
    if word == "give":
        return f"'{shown}' is no action: name one card, as in 'give 3a'; cards are {', '.join(CODES)}"
    return f"'{shown}' is no action of Blocco: take, block, score, from or give"


def action_of(records: Records, number: int) -> Action:
    """The action that a number means in a position."""
    found = TABLE[number]
    if found is not None:
        return found
    return From(giver_of(records, number))


def giver_of(records: Records, number: int) -> int:
    """The seat that is named by the number of a `From`."""
    return int(rules.to_the_left(records[0], number - rules.FROMS))


def number_of(records: Records, action: Action) -> int:
    """The number of an action in a position; -1 if it is none of this game, or names an empty seat."""
    found = _NUMBERS.get(action, -1)
    if found >= 0 or not isinstance(action, From):
        return found
    players = records["players"].item()
    if not 0 <= action.seat < players:
        return -1
    return int(rules.FROMS + (action.seat - records["active"].item()) % players)
