"""A server whose games begin at the fullest tables that occur, for tests of what fits a window.

`python -m tests.web.worst serve …` is the command `lynxden` in every respect but one: whatever is dealt, the
game starts from a set-up position, with the first seat to move.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from lynxden.cli import main
from lynxden.games.blocco import BLOCCO
from lynxden.games.blocco import setup as set_up_blocco
from lynxden.games.core import Game, Options, Position
from lynxden.games.linko import LINKO
from lynxden.games.linko import setup as set_up_linko

SETS = 12
"""In front of every opponent."""
HAND = 30
VALUES = [str(value) for value in range(1, 14)]


class Pool:
    """The cards that lie nowhere yet."""

    def __init__(self, cards: Iterable[str]) -> None:
        self.left = Counter(cards)

    def take(self, card: str, count: int = 1) -> list[str]:
        assert self.left[card] >= count, f"no {count} × {card} left"
        self.left[card] -= count
        return [card] * count

    def any(self, count: int, but: Iterable[str] = ()) -> list[str]:
        """Cards of which most are left."""
        found: list[str] = []
        for _ in range(count):
            card = max((each for each in self.left if each not in but), key=lambda each: self.left[each])
            found += self.take(card)
        return found


def fullest_linko(options: Options, players: int) -> Position:
    """Thirty cards of all fourteen values in hand, and twelve sets before every opponent."""
    duel = LINKO.edition_of(options) == "duel"
    pool = Pool(LINKO.deck)
    row = [card for value in VALUES[:12] for card in pool.take(value)] + pool.take("6") if duel else []
    own = [card for value in VALUES for card in pool.take(value, 2)] + pool.take("X", HAND - 2 * len(VALUES))
    display = [*pool.any(6, but=("13", "X"))]
    if duel:
        for slot, more in ((0, ["13", "13"]), (2, ["13", "X"]), (5, ["13"])):
            display[slot] = " ".join([display[slot], *(card for each in more for card in pool.take(each))])
    tops = [pool.take(value, 3) for value in ("7", "11", "10", "9", "8")[:players]]
    layers = [_sets(pool, SETS - 1 if seat else 3, top) for seat, top in enumerate(tops)]
    hands = [own, *(pool.any(2) for _ in range(players - 1))]
    known = [own[:8], *(hand[:1] for hand in hands[1:])]
    return set_up_linko(hands, layers, display, edition=options, row=row, known=known)


def _sets(pool: Pool, below: int, top: list[str]) -> list[list[str]]:
    return [*([card] for card in pool.any(below, but=("X",))), top]


def fullest_blocco(options: Options, players: int) -> Position:
    """Twenty-five cards of all seven colours in hand, long rows, and blocking piles of several lays."""
    pool = Pool(BLOCCO.deck)
    own = _several(pool, {"1a": 2, "1b": 2, "2a": 4, "2b": 4, "3a": 5, "3b": 4, "4a": 4})
    lays = [
        ["1b", "2a 2a", "1a"],
        ["1b", "3a 3a 3a", "2b 2b"],
        ["2a 2a", "1b", "3b 3b 3b"],
        ["3a 3a 3a"],
        ["4a 4a 4a 4a"],
    ]
    piles = [[_taken(pool, lay.split()) for lay in lays[seat]] for seat in range(players)]
    rows = [pool.any(count) for count in (6, 1, 7, 2, 8, 3, 5, 4)]
    hands = [own, *(pool.any(4) for _ in range(players - 1))]
    known = [own[:9], *([] for _ in hands[1:])]
    return set_up_blocco(hands, rows, piles, [9] + [2] * (players - 1), edition=options, known=known)


def _several(pool: Pool, counts: dict[str, int]) -> list[str]:
    return [card for each, count in counts.items() for card in pool.take(each, count)]


def _taken(pool: Pool, cards: list[str]) -> list[str]:
    return [card for each in cards for card in pool.take(each)]


def start_full(game: Game, fullest: Any) -> None:
    """Make every deal of a game that position. A deal tells no more than that it is one."""

    def read_deal(options: Options, starter: int, deal: Any) -> Position:
        found: Position = fullest(options, deal["players"])
        return found

    object.__setattr__(game, "deal_of", lambda position: {"players": position.players})
    object.__setattr__(game, "read_deal", read_deal)


if __name__ == "__main__":
    start_full(LINKO, fullest_linko)
    start_full(BLOCCO, fullest_blocco)
    main()
