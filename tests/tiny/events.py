"""What an action of Tiny brought about: told from the records before and after it."""

from typing import Any

from lynxden.games.core import Event
from lynxden.games.moments import Measure
from tests.tiny import rules
from tests.tiny.cards import NAMES

PHRASES = {
    "offers": "{seat} offers {other} {cards}.",
    "takes": "{seat} takes {cards} from {other}.",
    "refuses": "{seat} refuses {cards}; it stays with {other}.",
    "receives": "{seat} receives {cards}.",
    "turn": "{seat}'s turn.",
    "nothing-to-offer": "{seat} has nothing to offer: the game is over.",
}

MOMENTS = {"last card": Measure(("receives",), by="end", least=1)}


def events_between(before: Any, number: int, after: Any, viewer: int | None) -> list[Event]:
    """The action first, then what followed from it by itself."""
    active, actor = int(before.active), int(before.actor)
    if number < rules.TAKE:
        return [Event("offers", active, int(after.actor), (NAMES[number - rules.OFFERS + 1],))]
    offered = (NAMES[before.offered],)
    found = [Event("takes" if number == rules.TAKE else "refuses", actor, active, offered)]
    if number == rules.TAKE and before.open:
        found.append(Event("receives", active, cards=(NAMES[before.open],)))
    if after.phase == rules.OVER:
        return [*found, Event(rules.REASONS[after.reason], int(after.active))]
    return [*found, Event("turn", int(after.active))]
