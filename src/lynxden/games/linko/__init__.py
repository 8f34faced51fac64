"""Linko (also sold as Abluxxen): lay sets of equal cards, snatch the sets that yours beat."""

from collections.abc import Sequence

from lynxden.games.core import make_game
from lynxden.games.linko import (
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
from lynxden.games.linko.actions import (
    DISCARD,
    LEAVE,
    PASS,
    RECLAIM,
    TAKE,
    Draw,
    Play,
    Snatch,
    parse,
)
from lynxden.games.linko.guide import GUIDE
from lynxden.games.linko.options import LinkoOptions
from lynxden.games.linko.position import Layer, LinkoPosition, LinkoView
from lynxden.games.linko.setup import setup

LINKO = make_game(
    __name__, "Linko", LinkoPosition, LinkoView,
    actions=actions, cards=cards, deals=deals, encode=encode, events=events, heuristic=heuristic,
    options=options, picture=picture, rules=rules, sample=sample, snapshot=snapshot, view=view, why=why,
    guide=GUIDE,
)  # fmt: skip


def new(
    edition: str | LinkoOptions | None = None,
    players: int | None = None,
    seed: int | None = None,
    deck: Sequence[str] | str | None = None,
    starter: int = 0,
) -> LinkoPosition:
    """Deal a game, from a seed or from an explicit deck (top card first)."""
    position = LINKO.new(edition, players, seed, deck, starter)
    assert isinstance(position, LinkoPosition)
    return position


__all__ = [
    "DISCARD",
    "LEAVE",
    "LINKO",
    "PASS",
    "RECLAIM",
    "TAKE",
    "Draw",
    "Layer",
    "LinkoOptions",
    "LinkoPosition",
    "LinkoView",
    "Play",
    "Snatch",
    "new",
    "parse",
    "setup",
]
