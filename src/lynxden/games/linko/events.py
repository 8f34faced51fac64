"""What an action of Linko brought about, for people: worked out from the records before and after it."""

from typing import Any

from lynxden.games.core import OPEN, Event
from lynxden.games.linko import rules
from lynxden.games.linko.actions import slot_cards
from lynxden.games.linko.cards import NAMES, names
from lynxden.games.linko.position import layer_of, slot_of, victim_of
from lynxden.games.moments import Measure

PHRASES = {
    "plays": "{seat} plays {cards}.",
    "snatches": "{seat} snatches {cards} from {other}.",
    "row": "{seat} snatches {cards} from the virtual player.",
    "takes": "{seat} takes {cards}; {other} must draw {count}.",
    "leaves": "{seat} leaves {cards} to {other}.",
    "reclaims": "{seat} takes {cards} back.",
    "discards": "{seat} discards {cards} and must draw {count}.",
    "draws": "{seat} draws {cards} from the display.",
    "draws unseen": "{seat} draws a card from the deck.",
    "draws seen": "{seat} draws {cards} from the deck.",
    "passes": "{seat} doesn't draw.",
    "refill": "The display is refilled: {cards}.",
    "row refill": "The virtual player gets {cards}.",
    "group": "{cards} is added to the display.",
    "turn": "{seat}'s turn.",
    "hand-empty": "{seat} played their last card. The game is over.",
    "cards-exhausted": "The deck and display are empty. The game is over.",
    "no-progress": "No card was drawn or discarded for 100 turns. The game is over.",
}

MOMENTS = {
    "last set": Measure(("plays",), by="end", least=1),
    "largest set": Measure(("plays",), least=3),
    "most snatched": Measure(("snatches", "row"), by="turn", least=3),
    "most snatches": Measure(("snatches", "row"), by="times"),
}
"""The set that ended the game, the largest one, the most cards and the most sets snatched in one turn."""


def events_between(before: Any, number: int, after: Any, viewer: int | None) -> list[Event]:
    """The action first, then what followed from it by itself, in the order it happened."""
    seat = int(before.actor)
    found = [*_action(before, number, after, seat, viewer)]
    found += _row_refill(before, number, after)
    found += _display_refill(before, number, after)
    if after.phase == rules.OVER:
        found.append(Event(rules.REASONS[after.reason], seat=seat))
    elif after.phase == rules.SNATCH:
        pass  # the set is chosen first
    elif after.phase == rules.TAKE and _is_new_snatch(before, after):
        victim = victim_of(after.records, 0)
        layer = layer_of(int(after.tops[victim]))
        found.append(Event("snatches", int(after.active), victim, layer.cards))
    elif after.phase == rules.PLAY:
        found.append(Event("turn", int(after.active)))
    return found


def _action(before: Any, number: int, after: Any, seat: int, viewer: int | None) -> list[Event]:
    phase = before.phase
    if phase == rules.PLAY:
        return [Event("plays", seat, cards=layer_of(int(after.tops[seat])).cards)]
    if phase == rules.SNATCH:
        value = number - rules.SNATCHES + 1
        return [Event("row", seat, cards=(NAMES[value],) * rules.held(before.row, value))]
    if phase in (rules.TAKE, rules.RECLAIM):
        victim = victim_of(before.records, 0)
        cards = layer_of(int(before.tops[victim])).cards
        kind = {
            rules.TAKE_IT: "takes",
            rules.LEAVE_IT: "leaves",
            rules.RECLAIM_IT: "reclaims",
            rules.DISCARD_IT: "discards",
        }[number]
        other = victim if phase == rules.TAKE else None
        return [Event(kind, seat, other, cards, len(cards))]
    if number == rules.PASS:
        return [Event("passes", seat)]
    if number == rules.DRAW_DECK:
        if viewer in (seat, OPEN):
            card = NAMES[int(before.deck[before.deck_size - 1])]
            return [Event("draws seen", seat, cards=(card,))]
        return [Event("draws unseen", seat, count=1)]
    return [Event("draws", seat, cards=slot_cards(before, slot_of(before.records, 0, number)))]


def _row_refill(before: Any, number: int, after: Any) -> list[Event]:
    """Duel: what the deck brought to the row, and the 13s and jokers that went to the display."""
    if before.phase != rules.SNATCH:
        return []
    value = number - rules.SNATCHES + 1
    left = before.row - rules.cards(value, rules.held(before.row, value))
    turned_up = names(int(after.row - left))
    found = [Event("row refill", cards=turned_up)] if turned_up else []
    for slot in range(rules.SLOTS):
        gained = after.piles[slot, rules.pile_size(before.record, slot) : rules.pile_size(after.record, slot)]
        found += [Event("group", cards=(NAMES[code],)) for code in gained.tolist()]
    return found


def _display_refill(before: Any, number: int, after: Any) -> list[Event]:
    if before.phase not in (rules.DRAW, rules.OPTIONAL) or after.phase == rules.OVER:
        return []
    drawn = -1
    if number >= rules.DRAW_CARD:
        drawn = slot_of(before.records, 0, number)
    old, new = int(before.slots), int(after.slots)
    cards = tuple(
        NAMES[new >> 4 * slot & 15]
        for slot in range(rules.SLOTS)
        if new >> 4 * slot & 15 and (slot == drawn or not old >> 4 * slot & 15)
    )
    return [Event("refill", cards=cards)] if cards else []


def _is_new_snatch(before: Any, after: Any) -> bool:
    return bool(before.phase == rules.PLAY or before.compared != after.compared)
