"""The guided first game of Linko: in five turns the learner meets every idea once, and empties the hand.

If the learner does as proposed: three 6s are laid; two 9s snatch two 4s, which are taken; the 9s are snatched
and discarded, a joker and a 12 are drawn; with the joker four 12s snatch four 3s, which are left; five 5s are
laid, and the three 4s end the game. `tests/test_guides.py` plays it.
"""

from lynxden.games.guide import LEARNER, Guide, rest_of
from lynxden.games.linko.cards import DECK
from lynxden.games.linko.position import LinkoView

HANDS = (
    "4 5 5 5 5 5 6 6 6 9 9 12 12",
    "1 1 2 3 4 4 7 8 10 10 11 13 13",
    "1 2 3 3 3 3 7 7 8 9 10 11 13",
)
DISPLAY = "X 7 12 1 10 2"
PLAYS = (
    ("6 6 6", "9 9", "12 12 12 X", "5 5 5 5 5", "4 4 4"),
    ("4 4", "10 10", "2", "13"),
    ("8", "3 3 3 3", "7 7"),
)
"""What each seat would like to lay, in this order."""


def wishes(view: LinkoView) -> list[str]:
    seat = view.viewer
    plays = [f"play {cards}" for cards in PLAYS[seat or 0]]
    if seat != LEARNER:
        # The others leave what they snatch, and take back what is left to them: the learner has the choice.
        return [*plays, "leave", "reclaim", "pass", "draw 7", "draw deck"]
    # A set is worth taking if it goes together with what one has.
    victim = view.victim if view.decision == "take or leave" else None
    answer = "take" if victim is not None and view.layers(victim)[-1].value in view.hand else "leave"
    instead = "discard" if ("X",) in view.display else "reclaim"
    groups = sorted(dict.fromkeys(view.hand), key=view.hand.count, reverse=True)
    wanted = [f"draw {card}" for card in ("X", *groups)]
    largest = [f"play {' '.join([card] * view.hand.count(card))}" for card in groups]
    return [*plays, answer, instead, "pass", *wanted, "draw deck", *largest]


_used = [card for cards in (*HANDS, DISPLAY) for card in cards.split()]
GUIDE = Guide(
    edition="basic",
    players=len(HANDS),
    deal={
        "hands": [hand.split() for hand in HANDS],
        "display": DISPLAY.split(),
        "deck": rest_of(DECK, _used),
    },
    wishes=wishes,
)
