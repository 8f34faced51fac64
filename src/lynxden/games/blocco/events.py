"""What an action of Blocco brought about, for people: worked out from the records before and after it."""

from typing import Any

from lynxden.games.blocco import rules
from lynxden.games.blocco.cards import NAMES, names
from lynxden.games.blocco.position import lay_of
from lynxden.games.core import OPEN, Event
from lynxden.games.moments import Measure

PHRASES = {
    "takes": "{seat} takes {cards} from row {place}.",
    "fills": "New cards from place {place} clockwise: {cards}.",
    "blocks": "{seat} blocks with {cards}.",
    "scores": "{seat} scores a pile of {count} card{plural}.",
    "no bonus": "Nobody has more cards than {seat}: no bonus.",
    "picks": "{seat} chooses {other} to give the bonus.",
    "must give": "{other} must give {seat} {count} card{plural}.",
    "gives": "{seat} gives {other} {cards}.",
    "gives unseen": "{seat} gives {other} {count} card{plural}.",
    "last action": "Five places are empty: the game ends after {seat}'s next action.",
    "turn": "{seat}'s turn.",
    "rows-exhausted": "Five places are empty: the game is over.",
}

MOMENTS = {
    "largest pile": Measure(("scores",), least=3),
    "largest block": Measure(("blocks",), least=3),
    "longest row": Measure(("takes",), least=4),
}
"""The pile, the block and the row with the most cards."""


def events_between(before: Any, number: int, after: Any, viewer: int | None) -> list[Event]:
    """The action first, then what followed from it by itself, in the order it happened."""
    found = _action(before, number, after, viewer)
    if after.phase == rules.OVER:
        found.append(Event(rules.REASONS[after.reason], seat=int(before.active)))
    elif after.active != before.active:
        found.append(Event("turn", int(after.active)))
    elif after.empty == rules.LAST_EMPTY and before.empty < rules.LAST_EMPTY:
        found.append(Event("last action", int(after.active)))
    return found


def _action(before: Any, number: int, after: Any, viewer: int | None) -> list[Event]:
    seat = int(before.active)
    if number < rules.BLOCKS:
        return _take(before, number - rules.TAKES, seat)
    if number < rules.SCORE:
        return [Event("blocks", seat, cards=lay_of(int(after.lays[seat, after.lay_count[seat] - 1])).cards)]
    if number == rules.SCORE:
        scored = int(before.pile_size[seat])
        found = [Event("scores", seat, count=scored)]
        if rules.size(before.hands[seat]) == rules.most_cards(before.record):
            return [*found, Event("no bonus", seat)]
        return [*found, *_bonus(before, after, viewer)]
    if number < rules.GIVES:
        giver = int(rules.to_the_left(before.record, number - rules.FROMS))
        return [Event("picks", seat, giver), *_bonus(before, after, viewer)]
    return _gift(int(before.actor), seat, (NAMES[number - rules.GIVES + 1],), viewer)


def _take(before: Any, place: int, seat: int) -> list[Event]:
    """The row that went to hand, and the cards that the deck brought instead."""
    found = [Event("takes", seat, cards=names(int(before.rows[place])), place=place + 1)]
    top = int(before.deck_size)
    brought = tuple(NAMES[code] for code in before.deck[max(0, top - 3) : top][::-1].tolist())
    if brought:
        found.append(Event("fills", cards=brought, place=place + 1))
    return found


def _bonus(before: Any, after: Any, viewer: int | None) -> list[Event]:
    """A giver who has a choice, or who has given the whole hand."""
    seat = int(before.active)
    if after.phase == rules.GIVE:
        return [Event("must give", seat, int(after.actor), count=int(after.owed))]
    for giver in range(int(before.players)):
        gift = int(after.given[giver]) - int(before.given[giver])
        if gift:
            return _gift(giver, seat, names(gift), viewer)
    return []  # the giver is picked first


def _gift(giver: int, taker: int, cards: tuple[str, ...], viewer: int | None) -> list[Event]:
    """Everybody sees how many cards were given, the giver alone which."""
    if viewer in (giver, OPEN):
        return [Event("gives", giver, taker, cards, len(cards))]
    return [Event("gives unseen", giver, taker, count=len(cards))]
