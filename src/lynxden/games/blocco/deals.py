"""Deals of Blocco as game records hold them."""

from __future__ import annotations

from typing import Any

from lynxden.games import core, deals
from lynxden.games.blocco.cards import deck_of
from lynxden.games.blocco.options import BloccoOptions
from lynxden.games.blocco.position import BloccoPosition
from lynxden.games.blocco.setup import setup
from lynxden.games.errors import SetupError


def deal_of(position: BloccoPosition) -> dict[str, Any]:
    """The deal of a game about to start."""
    return {
        "hands": [list(position.hand(seat)) for seat in range(position.players)],
        "rows": [" ".join(row) for row in position.rows],
        "deck": list(position.deck),
    }


def read_deal(options: core.Options, starter: int, deal: Any) -> BloccoPosition:
    """The game that a recorded deal starts; refused unless it is a deal of the whole deck."""
    assert isinstance(options, BloccoOptions)
    hands = [deals.card_list(hand, f"hand {n}") for n, hand in enumerate(deals.listed(deal, "hands"))]
    rows = deals.card_list(deals.listed(deal, "rows"), "rows")
    deck = deals.card_list(deals.listed(deal, "deck"), "deck")
    for seat, hand in enumerate(hands):
        if len(hand) != options.hand:
            raise SetupError(f"hand {seat} has {len(hand)} cards instead of {options.hand}")
    if len(rows) != options.places:
        raise SetupError(f"the circle has {len(rows)} rows instead of {options.places}")
    everything = [*(card for hand in hands for card in hand), *rows, *deck]
    deals.check_cards(everything, deck_of(options), "the deal")
    return setup(hands, rows=rows, deck=deck, edition=options, turn=starter)
