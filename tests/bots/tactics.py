"""Positions in which any expert knows what to do, and what that is."""

from collections.abc import Callable
from dataclasses import dataclass

from lynxden.games import blocco, linko
from lynxden.games.core import Position


@dataclass(frozen=True)
class Puzzle:
    name: str
    position: Callable[[], Position]
    then: tuple[str, ...]
    """What happens before the decision."""
    solutions: frozenset[str]

    def reached(self) -> Position:
        position = self.position()
        for action in self.then:
            position = position.apply(action)
        return position


def _linko(name: str, best: str, *args: object, then: str = "", **more: object) -> Puzzle:
    actions = tuple(action for action in then.split(", ") if action)
    return Puzzle(name, lambda: linko.setup(*args, **more), actions, frozenset(best.split(" / ")))  # type: ignore[arg-type]


def _blocco(name: str, best: str, *args: object, then: str = "", **more: object) -> Puzzle:
    actions = tuple(action for action in then.split(", ") if action)
    return Puzzle(name, lambda: blocco.setup(*args, **more), actions, frozenset(best.split(" / ")))  # type: ignore[arg-type]


SOME = "2 3 4 5 6 8"
LINKO = [
    _linko("win now", "play 7 7", ["7 7", "2 3 4 5", "2 3 4 5"], ["5 5 5", "6", "8"], SOME),
    _linko("win now with a joker", "play 9 X", ["9 X", "2 3 4 5", "2 3 4"], ["5 5 5", "6", "8 8"], SOME),
    _linko("win now with all jokers", "play 8 8 X X", ["8 8 X X", "2 3 4", "2 3"], ["5", "6", "7"], SOME),
    _linko("win rather than snatch", "play 11 11 11", ["11 11 11", "3 4"], ["2 2", "10 10"], SOME),
    _linko(
        "win the duel now",
        "play 9 9",
        ["9 9", "2 3 4 5"],
        ["8 8 8", "7"],
        SOME,
        edition="duel",
        row="1 1 2 2 3 3 4 4 5 5 6 6 7",
    ),
    _linko(
        "snatch first, end the game later",
        "play 7 7",
        ["7 7 7", "2 3", "2 4 9"],
        ["5 5 5 5", "11 11 11 11 | 12 12 12 12 | 6 6", "8"],
        SOME,
    ),
    _linko(
        "snatch the big layer",
        "play 6 6 6 6 6",
        ["6 6 6 6 6 2 3", "8 9 10 11 4", "8 9 10 12"],
        ["1", "3 3 3 3 3", "7"],
        SOME,
    ),
    _linko(
        "snatch from who is about to win",
        "play 5 5 5 5",
        ["5 5 5 5 1 2 13", "9", "8 9 10 12 12 3"],
        ["12 12 12", "2 | 13 13 | 4 4 4 4", "7 7"],
        SOME,
    ),
    _linko(
        "1s beat 13s",
        "play 1 1 1 1",
        ["1 1 1 1 5 7", "8 9 10 11", "8 9 10 12"],
        ["3", "13 13 13 13", "7"],
        SOME,
        edition="expert",
    ),
    _linko(
        "lay first what cannot be snatched",
        "play 10 10",
        ["8 8 10 10", "9 9 1"],
        ["5", "4 4 4"],
        SOME,
        known=["", "9 9 1"],
    ),
    _linko(
        "take what joins a set",
        "take",
        ["6 6 5 5 5 2 3 9", "8 9 10 11 12 2 4 4", "8 9 10 12 7 1 4"],
        ["1", "5 5", "7"],
        SOME,
        then="play 6 6",
    ),
    _linko(
        "take the jokers",
        "take",
        ["6 6 4 4 12 12 9", "8 9 10 11 12 2 4", "8 9 10 12 7 1 4"],
        ["1", "5 X", "7"],
        SOME,
        then="play 6 6",
    ),
    _linko(
        "refuse what cannot be laid any more",
        "leave",
        ["6 6 6 6 2", "8 9 10 11", "8"],
        ["9 9 9 9 9 9", "3 3 3 3", "7 7"],
        SOME,
        then="play 6 6 6 6",
    ),
    _linko(
        "take to end the game ahead",
        "take",
        ["6 6 2", "8 9 10 11", "8 9 4 4"],
        ["9 9 9 9 9 9", "3 3", "7"],
        "8 8",
        deck="",
        then="play 6 6",
    ),
    _linko(
        "leave what would end the game behind",
        "leave",
        ["6 6 4 4", "8 9 10 11 3", "8 2 9 10"],
        ["9", "3 3", "13 13 13 | 12 12"],
        "4 4",
        deck="",
        then="play 6 6",
    ),
    _linko(
        "reclaim a large set",
        "reclaim",
        ["6 6 6 6 1 2", "3 8 10 11 11 9", "8 9 4 4 12 13"],
        ["9", "5 5 5 5", "7"],
        "1 2 3 4 1 2",
        then="play 6 6 6 6, leave",
    ),
    _linko(
        "trade a 1 for a joker",
        "discard",
        ["6 5 5 8 9 9", "12 12 12 10 10 11 11", "8 9 4 4 12 13"],
        ["9 9", "1", "7 7"],
        "X 2 3 4 1 2",
        then="play 6, leave",
    ),
    _linko(
        "draw the joker",
        "draw X",
        ["6 5 5 8 9 9", "12 12 12 10 10 11 11", "8 9 4 4 12 13"],
        ["9 9", "1", "7 7"],
        "X 2 3 4 1 2",
        then="play 6, take",
    ),
    _linko(
        "draw what joins a set",
        "draw 9",
        ["6 5 5 8 7 7", "9 9 9 9 10 11 11 11", "8 2 4 4 12 13"],
        ["9 9", "1", "7 7"],
        "9 2 3 4 1 2",
        then="play 6, take",
    ),
    _linko(
        "no draw when the end is near",
        "pass",
        ["6 6 10", "2 3 9", "8"],
        ["13 13 13 13 13", "4", "7"],
        SOME,
        edition="basic",
        then="play 6 6",
    ),
    _linko(
        "draw the last card to win",
        "draw 3",
        ["6 10 12", "2 5 9", "8 8"],
        ["13 13 13 13 13 13", "4 4", "7 7"],
        "3",
        deck="",
        edition="basic",
        then="play 6",
    ),
    _linko(
        "snatch the set that joins",
        "snatch 5",
        ["9 9 5 5 5 8 12", "2 3 4 8 10 11 12"],
        ["11", "13"],
        "8 8 3 2 1 1",
        edition="duel",
        row="1 1 5 5 2 2 2 3 3 3 4 4 4",
        then="play 9 9",
    ),
]

LAST = "1a 2b 3b 4a | 2a 3a | 2b 1b"
"""Rows that are left for the last action of a game: five places are empty."""


def _last(
    name: str, best: str, hands: list[str], piles: list[str], scored: list[int], then: str = ""
) -> Puzzle:
    """The last action of a game."""
    return _blocco(name, best, hands, LAST, piles, scored, deck="", actions_left=1, then=then)


FOUR = "1a 2b | 2a 3a | 2b 1b | 3b"
"""Four rows are left: whoever takes the next one ends the game after the turn."""

SIX = "1a | 1b | 2a | 2b | 1a | 1b"
"""Some turns are left, and cards with a 3 no longer come."""

BLOCCO = [
    _last("score at the end", "score", ["1a 1a 3b", "2a 2a", "3a"], ["2b 2b 2b 2b", "", ""], [10, 10, 9]),
    _last(
        "lay more than could be scored", "block 4a 2", ["4a " * 8, "2a", "3a"], ["1b", "", ""], [16, 10, 9]
    ),
    _last("lay all groups", "block 1a 3", ["1a 1a 1a", "2a 2a", "3a"], ["", "", ""], [10, 11, 9]),
    _last(
        "lay the colour with most cards",
        "block 3a 2",
        ["1a 1a " + "3a " * 6, "2a", "3b"],
        [""] * 3,
        [12, 9, 9],
    ),
    _last("lay rather than take", "block 1b 1", ["1b 3a 4a 4a", "2a", "3b"], [""] * 3, [14, 10, 9]),
    _last("take the fewest cards", "take 2 / take 3", ["3a", "2a", "3b"], [""] * 3, [12, 9, 9]),
    _last(
        "a bonus is worth more than a lay",
        "score",
        ["1a 1a", "2a 2b 3a 3b 4a", "3b"],
        ["4a 4a 4a 4a", "", ""],
        [8, 12, 9],
    ),
    _last(
        "lay rather than help the leader",
        "block 2a 2",
        ["2a 2a 2a 2a", "2b " * 6 + "3a 3b", "3b"],
        ["1a", "", ""],
        [12, 17, 5],
    ),
    _last(
        "let the weaker one give",
        "from 3",
        ["1a", "2a 2b 3a", "3b 4a 1b"],
        ["3a 3a 3a", "", ""],
        [10, 13, 5],
        then="score",
    ),
    _blocco(
        "end the game before a rival scores",
        "take 4",
        ["1b", "3a", "2a"],
        FOUR,
        ["", "4a " * 12, ""],
        [10, 5, 6],
        deck="",
        actions_left=1,
    ),
    _blocco(
        "end the game with the smallest row",
        "take 4",
        ["2a 3b", "3a", "2a"],
        FOUR,
        ["", "3a " * 9, ""],
        [14, 9, 6],
        deck="",
        actions_left=1,
    ),
    _blocco(
        "do not end the game with a pile unscored",
        "score",
        ["1b", "3a", "2a"],
        FOUR,
        ["4a " * 8, "", ""],
        [5, 10, 9],
        deck="",
        actions_left=1,
    ),
    _blocco(
        "do not end the game behind",
        "block 2a 2 / block 3a 1",
        ["2a 2a 2a 2a 3a 3a 3a", "3b", "2b"],
        FOUR,
        ["", "1a", ""],
        [5, 10, 9],
        deck="",
        actions_left=1,
    ),
    _blocco(
        "score first, for the bonus",
        "score / block 1b 1",
        ["1b", "3a 3a", "2a"],
        FOUR,
        ["4a " * 4, "3a " * 9, ""],
        [10, 5, 14],
        deck="",
    ),
    _blocco(
        "give what is in no group",
        "give 3a",
        ["", "4a 4a 4a 4a 3a", "2a 2b"],
        SIX,
        ["1a", "", ""],
        [5, 5, 5],
        deck="",
        then="score",
        known=["", "4a 4a 4a 4a 3a", "2a 2b"],
    ),
    _blocco(
        "take the row that completes a group",
        "take 1",
        ["4a 4a 4a", "1a 1b", "2a"],
        "4a | 3b | 3b | 3a | 3b | 3a",
        ["", "", ""],
        [5, 5, 5],
        deck="",
    ),
    _blocco(
        "take the row that completes two groups",
        "take 3",
        ["2a 2b", "1a 1b", "2a"],
        "4a | 3b | 2a 2b | 3a | 3b | 3a",
        ["", "", ""],
        [5, 5, 5],
        deck="",
    ),
    _blocco(
        "score a pile for a large bonus",
        "score",
        ["", "3a 3a 3b 3b 2a 2a 1a", "2b"],
        "1a | 2a | 2b | 3a",
        ["4a " * 4, "", ""],
        [0, 0, 0],
        deck="",
        actions_left=1,
    ),
    _blocco(
        "block the rival's colour at the end",
        "block 4a 1",
        ["4a " * 4 + "3a 3a 3a", "4a " * 8, "1b"],
        FOUR,
        ["", "", ""],
        [12, 14, 0],
        deck="",
        actions_left=1,
        known=["", "4a " * 8, "1b"],
    ),
    _blocco(
        "lay before the last score",
        "block 3b 2",
        ["3b " * 6, "3a 3a", "2a"],
        FOUR,
        ["2a 2a", "", ""],
        [8, 13, 6],
        deck="",
    ),
    _blocco(
        "score when it is the last chance",
        "score",
        ["1b 2b 3b", "3a", "2a", "1a"],
        FOUR,
        ["2a 2a 2a 2a", "1b 1b", "3b 3b 3b", ""],
        [5, 6, 7, 4],
        deck="",
        actions_left=1,
    ),
]
