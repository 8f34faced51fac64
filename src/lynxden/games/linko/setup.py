"""Set-up positions of Linko (for tests, puzzles and teaching), and the deals of game records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from lynxden.games import core, deals
from lynxden.games.errors import SetupError
from lynxden.games.linko import rules
from lynxden.games.linko.actions import slot_cards
from lynxden.games.linko.cards import CODES, DECK, NAMES, codes, names
from lynxden.games.linko.position import LinkoPosition, layer_of

Cards = str | Sequence[str]
"""Cards as text ("7 7 X") or as a list of names."""


def setup(
    hands: Sequence[Cards],
    layers: Sequence[str | Sequence[Cards]] | None = None,
    display: Cards = (),
    deck: Cards | None = None,
    discards: Cards | None = None,
    *,
    edition: str | core.Options | None = None,
    row: Cards = (),
    turn: int = 0,
    known: Sequence[Cards] | None = None,
    seed: int = 0,
) -> LinkoPosition:
    """A position at the start of a turn, for tests, puzzles and teaching.

    Hands are one text or list a seat; layers one text a seat, oldest first, with bars between them
    ("7 | 6 6 6 X"). Display slots are separated by spaces, or given as a list in which a text of several
    cards is a group of the duel. All 109 cards are somewhere: those you do not place are the deck, in an
    order that comes from `seed`; or the discards, if you give a deck. `known` are cards that everybody knows
    to be in a hand.
    """
    from lynxden.games.linko import LINKO

    options = LINKO.choose_options(edition)
    players = LINKO.check_players(options, len(hands), turn)
    records = np.zeros(1, rules.RECORD)
    record = records[0]
    record.options, record.players = options.flags, players
    record.active = record.actor = turn
    _lay_hands(record, hands, known)
    _lay_layers(record, layers or [""] * players)
    _lay_display(record, display)
    for code in codes(row, "the row"):
        if not options.flags & rules.VIRTUAL or code >= rules.VALUES:
            raise SetupError("only the duel has a row, and it holds cards from 1 to 12")
        record.row += rules.cards(code, 1)
        record.row_size += 1
    _lay_rest(record, deck, discards, seed)
    if not record.deck_size and not record.slots:
        raise SetupError("deck and display are both empty: the game would be over")
    return LinkoPosition(records)


def _lay_hands(record: Any, hands: Sequence[Cards], known: Sequence[Cards] | None) -> None:
    for seat, hand in enumerate(hands):
        for code in codes(hand, f"hand {seat}"):
            record.hands[seat] += rules.cards(code, 1)
            record.hand_size[seat] += 1
        if not record.hand_size[seat]:
            raise SetupError(f"hand {seat} is empty: the game would be over")
    if known is None:
        return
    if len(known) != len(hands):
        raise SetupError(f"known cards for {len(known)} seats, but there are {len(hands)} hands")
    for seat, cards in enumerate(known):
        for code in codes(cards, f"known cards of seat {seat}"):
            record.known[seat] += rules.cards(code, 1)
            if rules.held(record.known[seat], code) > rules.held(record.hands[seat], code):
                raise SetupError(f"seat {seat} is known to hold a '{NAMES[code]}' that it does not hold")


def _lay_layers(record: Any, layers: Sequence[str | Sequence[Cards]]) -> None:
    if len(layers) != record.players:
        raise SetupError(f"layers for {len(layers)} seats, but there are {record.players} hands")
    for seat, stack in enumerate(layers):
        sets = stack.split("|") if isinstance(stack, str) else stack
        for cards in sets:
            laid = codes(cards, f"layers of seat {seat}")
            if not laid:
                continue
            jokers = laid.count(rules.JOKER)
            value = min(laid)
            if len(set(laid) - {rules.JOKER}) > 1:
                raise SetupError(f"layers of seat {seat}: '{cards}' is more than one value in a layer")
            if jokers > rules.JOKERS or len(laid) - jokers > rules.COPIES:
                raise SetupError(f"layers of seat {seat}: '{cards}' is more cards than there are")
            rules.put_layer(record, seat, rules.layer(value, len(laid), jokers))
            record.table_size[seat] += len(laid)
            for code in laid:
                record.laid += rules.cards(code, 1)


def _lay_display(record: Any, display: Cards) -> None:
    slots = display.split() if isinstance(display, str) else list(display)
    if len(slots) > rules.SLOTS:
        raise SetupError(f"the display has {len(slots)} slots; there are {rules.SLOTS}")
    for slot, cards in enumerate(slots):
        lying = codes(cards, f"display slot {slot + 1}")
        if not lying:
            raise SetupError(f"display slot {slot + 1} is empty: leave empty slots out")
        if len(lying) > 1 and not record.options & rules.VIRTUAL:
            raise SetupError(f"display slot {slot + 1} holds several cards: only the duel has groups")
        if any(code < rules.VALUES for code in lying[1:]) or len(lying) > rules.PILE:
            raise SetupError(f"display slot {slot + 1}: only 13s and jokers lie on other cards")
        record.slots += rules.cards(slot, lying[0])
        record.pile_sizes += rules.cards(slot, len(lying) - 1)
        for place, code in enumerate(lying[1:]):
            record.piles[slot, place] = code


def _lay_rest(record: Any, deck: Cards | None, discards: Cards | None, seed: int) -> None:
    """Deck and discards: what is given, and the cards that lie nowhere else."""
    rest = Counter(DECK)
    rest.subtract(_placed(record))
    given_deck = [NAMES[code] for code in codes(deck or (), "the deck")]
    given_discards = [NAMES[code] for code in codes(discards or (), "the discards")]
    rest.subtract(given_deck)
    rest.subtract(given_discards)
    for card, count in rest.items():
        if count < 0:
            raise SetupError(f"there are {-count} too many of '{card}' in this position")
    if deck is None:
        order = np.random.Generator(np.random.PCG64(seed))
        given_deck = order.permutation(sorted(rest.elements(), key=CODES.__getitem__)).tolist()
    elif discards is None:
        given_discards = list(rest.elements())
    elif rest.total():
        raise SetupError(f"{rest.total()} cards lie nowhere: leave out the deck or the discards")
    load_deck(record, given_deck)
    for card in given_discards:
        record.discards += rules.cards(CODES[card], 1)


def _placed(record: Any) -> list[str]:
    """Every card that lies in a hand, a layer, the display or the row."""
    found = list(names(int(record.row)))
    for slot in range(rules.SLOTS):
        found.extend(slot_cards(record, slot))
    for seat in range(int(record.players)):
        found.extend(names(int(record.hands[seat])))
        for packed in record.layers[seat, : record.layer_count[seat]].tolist():
            found.extend(layer_of(packed).cards)
    return found


def load_deck(record: Any, cards: Sequence[str]) -> None:
    """Put cards, top first, into the deck of a record."""
    record.deck_size = len(cards)
    for place, card in enumerate(reversed(cards)):
        record.deck[place] = CODES[card]


# --- Deals, as game records hold them ---------------------------------------------------------------


def deal_of(position: core.Position) -> dict[str, Any]:
    """The deal of a game about to start."""
    assert isinstance(position, LinkoPosition)
    deal: dict[str, Any] = {
        "hands": [list(position.hand(seat)) for seat in range(position.players)],
        "display": [" ".join(cards) for cards in position.display],
        "deck": list(position.deck),
    }
    if position.options.flags & rules.VIRTUAL:
        deal["virtual"] = list(position.row)
    return deal


def read_deal(options: core.Options, starter: int, deal: Any) -> LinkoPosition:
    """The game that a recorded deal starts; refused unless it is a deal of all 109 cards."""
    virtual = bool(options.flags & rules.VIRTUAL)
    hands = [deals.card_list(hand, f"hand {n}") for n, hand in enumerate(deals.listed(deal, "hands"))]
    display = deals.card_list(deals.listed(deal, "display"), "display")
    deck = deals.card_list(deals.listed(deal, "deck"), "deck")
    row = deals.card_list(deals.listed(deal, "virtual"), "virtual") if virtual else []
    if not virtual and "virtual" in deal:
        raise SetupError("the deal has a virtual player; only the duel has one")
    for seat, hand in enumerate(hands):
        if len(hand) != rules.HAND:
            raise SetupError(f"hand {seat} has {len(hand)} cards instead of {rules.HAND}")
        if virtual and hand.count("X") < 2:
            raise SetupError(f"hand {seat} lacks the two jokers that a duel starts with")
    if len(display) != rules.SLOTS:
        raise SetupError(f"the display has {len(display)} slots instead of {rules.SLOTS}")
    if virtual and len(row) != rules.ROW:
        raise SetupError(f"the virtual player has {len(row)} cards instead of {rules.ROW}")
    lying = [card for slot in display for card in slot.split(" ")]
    everything = [*(card for hand in hands for card in hand), *lying, *deck, *row]
    deals.check_cards(everything, DECK, "the deal")
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
