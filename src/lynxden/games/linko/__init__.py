"""Linko (also sold as Abluxxen): lay sets of equal cards, snatch the sets that yours beat."""

from collections.abc import Sequence

from lynxden.games.core import Game
from lynxden.games.jit import specialise
from lynxden.games.linko import encode, heuristic, rules, sample, view
from lynxden.games.linko.actions import (
    DISCARD,
    LEAVE,
    PASS,
    RECLAIM,
    TABLE,
    TAKE,
    Draw,
    Play,
    Snatch,
    action_of,
    number_of,
    parse,
)
from lynxden.games.linko.cards import DECK
from lynxden.games.linko.events import PHRASES, events_between
from lynxden.games.linko.options import EDITIONS, LinkoOptions, options_of
from lynxden.games.linko.picture import picture
from lynxden.games.linko.position import Layer, LinkoPosition, LinkoView
from lynxden.games.linko.setup import deal_of, load_deck, read_deal, setup

LINKO = Game(
    name="linko",
    title="Linko",
    editions=EDITIONS,
    rules=rules,
    encode=encode,
    kernels=specialise(
        "_kernels.py",
        "_kernels_linko",
        rules=rules,
        view=view,
        sample=sample,
        encode=encode,
        heuristic=heuristic,
    ),
    parse=parse,
    number_of=number_of,
    action_table=TABLE,
    action_of=action_of,
    options_of=options_of,
    position_type=LinkoPosition,
    view_type=LinkoView,
    events_between=events_between,
    phrases=PHRASES,
    picture=picture,
    deck=DECK,
    deal_of=deal_of,
    read_deal=read_deal,
    load_deck=load_deck,
)
LinkoPosition.game = LinkoView.game = LINKO


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
