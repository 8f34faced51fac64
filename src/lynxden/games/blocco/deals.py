"""Deals of Blocco as game records hold them."""

from __future__ import annotations

from typing import Any

from lynxden.games import core, deals
from lynxden.games.blocco import rules
from lynxden.games.blocco.cards import DECK
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
    """The game that a recorded deal starts; refused unless it is a deal of all 120 cards."""
    hands = [deals.card_list(hand, f"hand {n}") for n, hand in enumerate(deals.listed(deal, "hands"))]
    rows = deals.card_list(deals.listed(deal, "rows"), "rows")
    deck = deals.card_list(deals.listed(deal, "deck"), "deck")
    for seat, hand in enumerate(hands):
        if len(hand) != rules.HAND:
            raise SetupError(f"hand {seat} has {len(hand)} cards instead of {rules.HAND}")
    if len(rows) != rules.PLACES:
        raise SetupError(f"the circle has {len(rows)} rows instead of {rules.PLACES}")
    deals.check_cards([*(card for hand in hands for card in hand), *rows, *deck], DECK, "the deal")
    return setup(hands, rows=rows, deck=deck, edition=options, turn=starter)
