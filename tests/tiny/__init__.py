"""Tiny: a game of twelve cards that lives in the tests alone, to prove that games can be added from outside.

`lynxden.register(TINY)` is all that the rest of the package needs to hear of it.
"""

from lynxden.games.core import make_game
from tests.tiny import (
    actions,
    cards,
    deals,
    encode,
    events,
    heuristic,
    options,
    picture,
    rules,
    sample,
    snapshot,
    view,
    why,
)
from tests.tiny.position import TinyPosition, TinyView

TINY = make_game(
    __name__, "Tiny", TinyPosition, TinyView,
    actions=actions, cards=cards, deals=deals, encode=encode, events=events, heuristic=heuristic,
    options=options, picture=picture, rules=rules, sample=sample, snapshot=snapshot, view=view, why=why,
)  # fmt: skip
