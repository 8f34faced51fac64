"""Set-up positions of Linko, for tests, puzzles and teaching."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from lynxden.games import core, deals
from lynxden.games.errors import SetupError
from lynxden.games.linko import rules
from lynxden.games.linko.cards import CODES, NAMES, deck_of
from lynxden.games.linko.options import LinkoOptions
from lynxden.games.linko.position import LinkoPosition

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
    quiet: int = 0,
    seed: int = 0,
) -> LinkoPosition:
    """A position at the start of a turn, for tests, puzzles and teaching.

    Hands are one text or list a seat; layers one text a seat, oldest first, with bars between them
    ("7 | 6 6 6 X"). Display slots are separated by spaces, or given as a list in which a text of several
    cards is a group of the duel. All 109 cards are somewhere: those you do not place are the deck, in an
    order that comes from `seed`; or the discards, if you give a deck. A display of fewer than six slots is
    filled up after the next draw. `known` are cards that everybody knows to be in a hand, `quiet` are the
    turns that have gone by without progress.
    """
    from lynxden.games.linko import LINKO

    options = LINKO.choose_options(edition)
    assert isinstance(options, LinkoOptions)
    players = LINKO.check_players(options, len(hands), turn)
    held = [_codes(hand, f"hand {seat}") for seat, hand in enumerate(hands)]
    laid = _read_layers(layers or [""] * players, players)
    slots = _read_display(display, options)
    in_row = _codes(row, "the row")
    top_first = _codes(deck or (), "the deck")
    discarded = _codes(discards or (), "the discards")
    placed = [*held, *(cards for stack in laid for cards in stack), *slots, in_row, top_first, discarded]
    rest = _rest(placed, options, seed)
    if deck is None:
        top_first = rest
    elif discards is None:
        discarded = rest
    elif rest:
        raise SetupError(f"{len(rest)} cards lie nowhere: leave out the deck or the discards")

    records = np.zeros(1, rules.RECORD)
    record = records[0]
    # By names in brackets, which is five times quicker: logs are full of deals.
    record["options"], record["players"] = options.flags, players
    record["active"] = record["actor"] = turn
    if not 0 <= quiet < rules.QUIET_TURNS:
        raise SetupError(f"0 to {rules.QUIET_TURNS - 1} turns can have gone by without progress, not {quiet}")
    record["quiet"] = quiet
    _lay_hands(record, held, known or [""] * players)
    for seat, stack in enumerate(laid):
        for cards in stack:
            rules.put_layer(record, seat, rules.layer(min(cards), len(cards), cards.count(rules.JOKER)))
            record.table_size[seat] += len(cards)
            record.laid += _heap(cards)
    record["slots"] = sum([cards[0] << 4 * slot for slot, cards in enumerate(slots)])
    record["pile_sizes"] = sum([len(cards) - 1 << 4 * slot for slot, cards in enumerate(slots)])
    for slot, cards in enumerate(slots):
        if len(cards) > 1:
            record.piles[slot, : len(cards) - 1] = cards[1:]
    _lay_row(record, in_row, options)
    record["discards"] = _heap(discarded) + (
        rules.left_out(options.flags) if options.flags >= rules.REDUCED else 0
    )
    deals.load_deck(record, top_first)
    if not slots and (not top_first or options.flags & rules.VIRTUAL):
        raise SetupError("the display is empty: there must be cards to draw")
    return LinkoPosition(records)


def _codes(cards: Cards, where: str) -> list[int]:
    return deals.codes(cards, CODES, where)


@cache
def _one(code: int) -> int:
    """A heap of one card."""
    return int(rules.cards(code, 1))


def _heap(cards: Sequence[int]) -> int:
    return sum([_one(code) for code in cards])


def _read_layers(layers: Sequence[str | Sequence[Cards]], players: int) -> list[list[list[int]]]:
    """For each seat the sets in front of them, the oldest first."""
    if len(layers) != players:
        raise SetupError(f"layers for {len(layers)} seats, but there are {players} hands")
    found = []
    for seat, stack in enumerate(layers):
        sets = stack.split("|") if isinstance(stack, str) else stack
        read = [_codes(cards, f"layers of seat {seat}") for cards in sets]
        for cards in read:
            if len(set(cards) - {rules.JOKER}) > 1:
                shown = " ".join(NAMES[code] for code in cards)
                raise SetupError(f"layers of seat {seat}: '{shown}' is more than one value in a layer")
        found.append([cards for cards in read if cards])
    return found


def _read_display(display: Cards, options: LinkoOptions) -> list[list[int]]:
    """For each slot the cards that lie in it."""
    slots = display.split() if isinstance(display, str) else list(display)
    if len(slots) > options.slots:
        raise SetupError(f"the display has {len(slots)} slots; there are {options.slots}")
    found = [_codes(cards, f"display slot {slot + 1}") for slot, cards in enumerate(slots)]
    for slot, lying in enumerate(found):
        if not lying:
            raise SetupError(f"display slot {slot + 1} is empty: leave empty slots out")
        if len(lying) > 1 and not options.virtual:
            raise SetupError(f"display slot {slot + 1} holds several cards: only the duel has groups")
        if any(code < rules.VALUES for code in lying[1:]):
            raise SetupError(f"display slot {slot + 1}: only 13s and jokers lie on other cards")
    return found


def _rest(placed: Sequence[Sequence[int]], options: LinkoOptions, seed: int) -> list[int]:
    """The cards that lie nowhere yet, in an order that comes from the seed."""
    placed_cards = (code for cards in placed for code in cards)
    rest = deals.check_counts(placed_cards, (CODES[card] for card in deck_of(options)), NAMES)
    if not any(rest.values()):
        return []
    order = np.random.Generator(np.random.PCG64(seed % 2**64))
    return order.permutation(sorted(rest.elements())).tolist()  # type: ignore[no-any-return]


def _lay_hands(record: Any, hands: Sequence[Sequence[int]], known: Sequence[Cards]) -> None:
    if len(known) != len(hands):
        raise SetupError(f"known cards for {len(known)} seats, but there are {len(hands)} hands")
    held, sizes, seen_by_all = record["hands"], record["hand_size"], record["known"]
    for seat, hand in enumerate(hands):
        if not hand:
            raise SetupError(f"hand {seat} is empty: the game would be over")
        seen = _codes(known[seat], f"known cards of seat {seat}")
        for code in Counter(seen) - Counter(hand) if seen else ():
            raise SetupError(f"seat {seat} is known to hold a '{NAMES[code]}' that it does not hold")
        held[seat] = _heap(hand)
        sizes[seat] = len(hand)
        seen_by_all[seat] = _heap(seen)


def _lay_row(record: Any, row: Sequence[int], options: LinkoOptions) -> None:
    """Duel: the virtual player's cards."""
    if row and not options.virtual:
        raise SetupError("only the duel has a row")
    if len(row) > options.hand or any(code >= rules.VALUES for code in row):
        raise SetupError(f"the row holds at most {options.hand} cards, from 1 to 12")
    record["row"] = _heap(row)
    record["row_size"] = len(row)
