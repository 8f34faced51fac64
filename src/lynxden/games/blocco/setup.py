"""Set-up positions of Blocco, for tests, puzzles and teaching."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from lynxden.games import core, deals
from lynxden.games.blocco import rules
from lynxden.games.blocco.cards import CODES, NAMES, deck_of, heap_of
from lynxden.games.blocco.options import BloccoOptions
from lynxden.games.blocco.position import BloccoPosition
from lynxden.games.errors import SetupError

Cards = str | Sequence[str]
"""Cards as text ("2a 2a 4a") or as a list of names."""


def setup(
    hands: Sequence[Cards],
    rows: str | Sequence[Cards] | None = None,
    piles: Sequence[str | Sequence[Cards]] | None = None,
    scored: Sequence[int] | None = None,
    deck: Cards | None = None,
    *,
    edition: str | core.Options | None = None,
    turn: int = 0,
    actions_left: int = 2,
    known: Sequence[Cards] | None = None,
    seed: int = 0,
) -> BloccoPosition:
    """A position in which an action is due, for tests, puzzles and teaching.

    Hands are one text or list a seat. Rows are one text with bars between them, from place 1 ("1a | 2b 3a"),
    or a list; places left out are empty; without rows, each place has one card. Blocking piles are one text
    a seat, bottom first, with bars between what was laid ("1a 1a | 3b 3b 3b"). `scored` says how many cards
    lie in each score pile. What you do not place is the deck, in an order that comes from `seed`; if you give
    a deck, it is out of the game, as everybody knows. `known` are cards that everybody knows to be in a hand.
    """
    from lynxden.games.blocco import BLOCCO

    options = BLOCCO.choose_options(edition)
    assert isinstance(options, BloccoOptions)
    players = BLOCCO.check_players(options, len(hands), turn)
    if actions_left not in (1, 2):
        raise SetupError(f"{actions_left} actions left: a turn is two actions, and one is due")
    held = [_codes(hand, f"hand {seat}") for seat, hand in enumerate(hands)]
    laid = _read_piles(piles or [""] * players, players)
    circle = _read_rows(rows, options.places)
    top_first = _codes(deck or (), "the deck")
    loose = _rest([*held, *(lay for pile in laid for lay in pile), *circle, top_first], options, seed)
    if rows is None:
        circle, loose = [[code] for code in loose[: options.places]], loose[options.places :]
    points = list(scored or [0] * players)
    _check_scored(points, players, len(loose))
    if deck is None:
        loose, top_first = loose[: sum(points)], loose[sum(points) :]

    records = np.zeros(1, rules.RECORD)
    record = records[0]
    rules.start_turns(record, options.flags, players, turn)
    record.left = actions_left
    _lay_hands(record, held, known or [""] * players)
    _lay_piles(record, laid)
    _lay_rows(record, circle, options.places, bool(top_first))
    record.score_size[:players] = points
    record.laid += heap_of(loose) + (rules.left_out(options.flags) if options.flags >= rules.REDUCED else 0)
    deals.load_deck(record, top_first)
    return BloccoPosition(records)


def _codes(cards: Cards, where: str) -> list[int]:
    return deals.codes(cards, CODES, where)


def _read_piles(piles: Sequence[str | Sequence[Cards]], players: int) -> list[list[list[int]]]:
    """For each seat the groups that were laid, bottom first."""
    if len(piles) != players:
        raise SetupError(f"blocking piles for {len(piles)} seats, but there are {players} hands")
    found = []
    for seat, pile in enumerate(piles):
        lays = [
            _codes(cards, f"blocking pile of seat {seat}")
            for cards in (pile.split("|") if isinstance(pile, str) else pile)
        ]
        for lay in lays:
            if lay and (len(set(lay)) > 1 or len(lay) % rules.NUMBERS[lay[0] - 1]):
                shown = " ".join(NAMES[code] for code in lay)
                raise SetupError(f"blocking pile of seat {seat}: '{shown}' is not whole groups of one colour")
        found.append([lay for lay in lays if lay])
    return found


def _read_rows(rows: str | Sequence[Cards] | None, most: int) -> list[list[int]]:
    places = rows.split("|") if isinstance(rows, str) else list(rows or [])
    if len(places) > most:
        raise SetupError(f"there are {len(places)} rows for {most} places")
    return [_codes(row, f"row {place + 1}") for place, row in enumerate(places)]


def _rest(placed: Sequence[Sequence[int]], options: BloccoOptions, seed: int) -> list[int]:
    """The cards that lie nowhere yet, in an order that comes from the seed."""
    placed_cards = (code for cards in placed for code in cards)
    rest = deals.check_counts(placed_cards, (CODES[card] for card in deck_of(options)), NAMES)
    order = np.random.Generator(np.random.PCG64(seed % 2**64))
    return order.permutation(sorted(rest.elements())).tolist()  # type: ignore[no-any-return]


def _check_scored(scored: Sequence[int], players: int, loose: int) -> None:
    if len(scored) != players:
        raise SetupError(f"score piles for {len(scored)} seats, but there are {players} hands")
    if min(scored) < 0 or sum(scored) > loose:
        raise SetupError(f"score piles of {list(scored)} cards, but {loose} cards are left for them")


def _lay_hands(record: Any, hands: Sequence[Sequence[int]], known: Sequence[Cards]) -> None:
    """Hands; what is known of them counts as taken in the first span."""
    if len(known) != len(hands):
        raise SetupError(f"known cards for {len(known)} seats, but there are {len(hands)} hands")
    for seat, hand in enumerate(hands):
        seen = _codes(known[seat], f"known cards of seat {seat}")
        for code in Counter(seen) - Counter(hand):
            raise SetupError(f"seat {seat} is known to hold a '{NAMES[code]}' that it does not hold")
        record.hands[seat] = heap_of(hand)
        record.unknown[seat] = len(hand) - len(seen)
        rules.remember(record, seat, heap_of(seen))


def _lay_piles(record: Any, piles: Sequence[Sequence[Sequence[int]]]) -> None:
    for seat, pile in enumerate(piles):
        for lay in pile:
            record.lays[seat, record.lay_count[seat]] = 16 * lay[0] + len(lay) // rules.NUMBERS[lay[0] - 1]
            record.lay_count[seat] += 1
            record.pile_size[seat] += len(lay)
            record.laid += heap_of(lay)
        if pile:
            top = pile[-1][0]
            if top in record.top:
                raise SetupError(f"'{NAMES[top]}' is on top of two blocking piles")
            record.top[seat] = top
            record.tops |= rules.colour_mask(top)


def _lay_rows(record: Any, rows: Sequence[Sequence[int]], places: int, has_deck: bool) -> None:
    """While the deck lasts no place is empty; and the game must not be over."""
    for place, row in enumerate(rows):
        record.rows[place] = heap_of(row)
    filled = sum(bool(row) for row in rows)
    if filled < places and has_deck:
        raise SetupError(f"{places - filled} places are empty, but the deck has cards left to fill them")
    empty = rules.PLACES - filled
    if empty > rules.LAST_EMPTY or (empty == rules.LAST_EMPTY and record.left == 2):
        raise SetupError(f"{empty} places are empty: the game would be over")
    record.empty = empty
