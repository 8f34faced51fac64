"""Deals of Linko as game records hold them."""

from __future__ import annotations

from typing import Any

import numpy as np

from lynxden.games import core, deals
from lynxden.games.errors import SetupError
from lynxden.games.linko import rules
from lynxden.games.linko.cards import CODES, deck_of
from lynxden.games.linko.options import LinkoOptions
from lynxden.games.linko.position import LinkoPosition
from lynxden.games.linko.setup import setup


def deal_of(position: LinkoPosition) -> dict[str, Any]:
    """The deal of a game about to start."""
    deal: dict[str, Any] = {
        "hands": [list(position.hand(seat)) for seat in range(position.players)],
        "display": [" ".join(cards) for cards in position.display],
        "deck": list(position.deck),
    }
    if position.options.flags & rules.VIRTUAL:
        deal["virtual"] = list(position.row)
    return deal


def read_deal(options: core.Options, starter: int, deal: Any) -> LinkoPosition:
    """The game that a recorded deal starts; refused unless it is a deal of the whole deck."""
    assert isinstance(options, LinkoOptions)
    virtual = bool(options.flags & rules.VIRTUAL)
    hands = [deals.card_list(hand, f"hand {n}") for n, hand in enumerate(deals.listed(deal, "hands"))]
    display = deals.card_list(deals.listed(deal, "display"), "display")
    deck = deals.card_list(deals.listed(deal, "deck"), "deck")
    row = deals.card_list(deals.listed(deal, "virtual"), "virtual") if virtual else []
    if not virtual and "virtual" in deal:
        raise SetupError("the deal has a virtual player; only the duel has one")
    for seat, hand in enumerate(hands):
        if len(hand) != options.hand:
            raise SetupError(f"hand {seat} has {len(hand)} cards instead of {options.hand}")
        if virtual and hand.count("X") < 2:
            raise SetupError(f"hand {seat} lacks the two jokers that a duel starts with")
    if len(display) != options.slots:
        raise SetupError(f"the display has {len(display)} slots instead of {options.slots}")
    if virtual and len(row) != options.hand:
        raise SetupError(f"the virtual player has {len(row)} cards instead of {options.hand}")
    lying = [card for slot in display for card in slot.split(" ")]
    everything = [*(card for hand in hands for card in hand), *lying, *deck, *row]
    deals.check_cards(everything, deck_of(options), "the deal")
    known = [["X", "X"] if virtual else [] for _ in hands]
    position = setup(hands, display=display, deck=deck, edition=options, row=row, turn=starter, known=known)
    if virtual:
        _check_groups(position)
    return position


def _check_groups(position: LinkoPosition) -> None:
    """Groups lie where filling the row puts them: it depends on the first cards alone."""
    record = np.zeros(1, rules.RECORD)[0]
    for slot, cards in enumerate(position.display):
        record.slots += rules.cards(slot, CODES[cards[0]])
    for _ in range(sum(len(cards) - 1 for cards in position.display)):
        record.pile_sizes += rules.cards(rules.slot_to_pile_on(record), 1)
    for slot, cards in enumerate(position.display):
        if rules.pile_size(record, slot) != len(cards) - 1:
            raise SetupError(
                f"display slot {slot + 1} holds '{' '.join(cards)}': 13s and jokers that the row refuses"
                " go on the lowest single card"
            )
