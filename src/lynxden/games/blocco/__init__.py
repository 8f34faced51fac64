"""Blocco: collect groups of a colour, lay them to block the others, and score them at the right moment."""

from collections.abc import Sequence

from lynxden.games.blocco import (
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
from lynxden.games.blocco.actions import (
    SCORE,
    Block,
    From,
    Give,
    Score,
    Take,
    parse,
)
from lynxden.games.blocco.guide import GUIDE
from lynxden.games.blocco.options import BloccoOptions
from lynxden.games.blocco.position import BloccoPosition, BloccoView, Lay
from lynxden.games.blocco.setup import setup
from lynxden.games.core import make_game

BLOCCO = make_game(
    __name__, "Blocco", BloccoPosition, BloccoView,
    actions=actions, cards=cards, deals=deals, encode=encode, events=events, heuristic=heuristic,
    options=options, picture=picture, rules=rules, sample=sample, snapshot=snapshot, view=view, why=why,
    guide=GUIDE,
)  # fmt: skip


def new(
    edition: str | BloccoOptions | None = None,
    players: int | None = None,
    seed: int | None = None,
    deck: Sequence[str] | str | None = None,
    starter: int = 0,
) -> BloccoPosition:
    """Deal a game, from a seed or from an explicit deck (top card first)."""
    position = BLOCCO.new(edition, players, seed, deck, starter)
    assert isinstance(position, BloccoPosition)
    return position


__all__ = [
    "BLOCCO",
    "SCORE",
    "BloccoOptions",
    "BloccoPosition",
    "BloccoView",
    "Block",
    "From",
    "Give",
    "Lay",
    "Score",
    "Take",
    "new",
    "parse",
    "setup",
]
