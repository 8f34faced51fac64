"""Deals of Tiny as game records hold them."""

from __future__ import annotations

from typing import Any

from lynxden.games import core, deals
from lynxden.games.errors import SetupError
from tests.tiny import rules
from tests.tiny.cards import CODES, DECK
from tests.tiny.position import TinyPosition


def deal_of(position: TinyPosition) -> dict[str, Any]:
    """The deal of a game about to start."""
    return {
        "hands": [list(position.hand(seat)) for seat in range(position.players)],
        "open": [position.open_card],
        "deck": list(position.deck),
    }


def read_deal(options: core.Options, starter: int, deal: Any) -> TinyPosition:
    """The game that a recorded deal starts; refused unless it is a deal of all twelve cards."""
    hands = [deals.card_list(hand, f"hand {n}") for n, hand in enumerate(deals.listed(deal, "hands"))]
    middle = deals.card_list(deals.listed(deal, "open"), "open")
    deck = deals.card_list(deals.listed(deal, "deck"), "deck")
    if any(len(hand) != rules.HAND for hand in hands) or len(middle) != 1:
        raise SetupError(f"each hand has {rules.HAND} cards, and one card lies open")
    order = [*(card for hand in hands for card in hand), *middle, *deck]
    deals.check_cards(order, DECK, "the deal")
    game = TinyPosition.game
    players = game.check_players(options, len(hands), starter)
    records = core.blank(rules.RECORD)
    deals.load_deck(records[0], [CODES[card] for card in order])
    game.kernels.lay_out(records, 0, options.flags, players, starter)
    return TinyPosition(records)
