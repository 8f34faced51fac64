"""A server whose games of Linko are short: every hand has four cards. For tests of whole evenings.

`python -m tests.web.short serve …` is the command `lynxden` in every other respect.
"""

from __future__ import annotations

from lynxden.cli import main
from lynxden.games.core import Options, Position
from lynxden.games.linko import LINKO, setup
from tests.web.worst import Pool, start_full


def short_linko(options: Options, players: int) -> Position:
    """Two pairs in every hand, the first seat to move."""
    pool = Pool(LINKO.deck)
    hands = [pool.take(str(seat + 2), 2) + pool.take(str(seat + 8), 2) for seat in range(players)]
    return setup(hands, [[] for _ in hands], pool.any(6), edition=options)


if __name__ == "__main__":
    start_full(LINKO, short_linko)
    main()
