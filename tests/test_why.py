"""Every place of the table can be chosen, or has one reason why not; and the reason is true.

What is expected here is worked out from the cards on the table, in the words of the rulebooks, and not from
the rules' own numbers.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from lynxden.games.blocco.actions import Block, From, Give, Score, Take
from lynxden.games.blocco.position import BloccoPosition
from lynxden.games.core import Game, Position
from lynxden.games.linko.actions import Draw, Play, Snatch
from lynxden.games.linko.position import LinkoPosition
from tests.kit import EVERY, VARIANTS, random_game
from tests.tiny import TINY

Reason = tuple[str, int | None, int]
"""Code, seat and count."""
SLOTS = [f"slot:{slot}" for slot in range(6)]
ROWS = [f"row:{place}" for place in range(1, 9)]
COLOURS = ["1a", "1b", "2a", "2b", "3a", "3b", "4a"]
POSITIONS = 80
"""So many of each game are looked at, spread over its whole length."""


def rank(card: str) -> int:
    return 14 if card == "X" else int(card)


# --- What there is, and what can be chosen ----------------------------------------------------------------


def places(position: Position) -> set[str]:
    """Every place that the deciding player could point at."""
    if isinstance(position, LinkoPosition):
        return {"hand", "deck", *SLOTS, *(f"row:{value}" for value in position.row)}
    found = {*ROWS, *(f"colour:{colour}" for colour in COLOURS), "pile"}
    if position.decision == "choose a giver":
        found |= {f"seat:{seat}" for seat in range(position.players) if seat != position.seat}
    return found


def chosen_by(position: Position, action: object) -> Iterator[str]:
    """The places that an action uses."""
    match action:
        case Play():
            yield "hand"
        case Draw(()):
            yield "deck"
        case Draw(cards):
            assert isinstance(position, LinkoPosition)
            yield from (SLOTS[slot] for slot, found in enumerate(position.display) if found == cards)
        case Snatch(value):
            yield f"row:{value}"
        case Take(place):
            yield f"row:{place}"
        case Block(colour, _) | Give(colour):
            yield f"colour:{colour}"
        case Score():
            yield "pile"
        case From(seat):
            yield f"seat:{seat}"


def reasons(position: Position, seat: int) -> dict[str, Reason]:
    """The reason of each place, as a seat is told it."""
    found: dict[str, Reason] = {}
    for why in position.game.snapshot.private(position.view(seat)).why:
        assert why.places, "a reason without a place"
        named = places(position) if why.places == ("*",) else why.places
        for place in named:
            assert place not in found, f"{place} has two reasons"
            found[place] = why.code, why.seat, why.count
    return found


# --- What the rulebooks say -------------------------------------------------------------------------------


def linko(position: LinkoPosition) -> dict[str, Reason]:
    """Why the deciding player of Linko cannot choose what cannot be chosen."""
    row = Counter(position.row)
    hand, deck, slots = ["hand"], ["deck"], SLOTS
    virtual = [f"row:{value}" for value in row]
    found: dict[str, Reason]
    match position.decision:
        case "play":
            found = dict.fromkeys([*deck, *slots], ("play-first", None, 0))
            return found | dict.fromkeys(virtual, ("row-play", None, 0))
        case "take or leave":
            assert position.victim is not None
            size = position.layers(position.victim)[-1].size
            return dict.fromkeys(places(position), ("take-first", position.victim, size))
        case "reclaim or discard":
            return dict.fromkeys(places(position), ("reclaim-first", position.active, 0))
        case "snatch":
            played = position.layers(position.active)[-1]
            found = dict.fromkeys([*hand, *deck, *slots], ("snatch-first", None, 0))
            for value, count in row.items():
                if count != played.size:
                    found[f"row:{value}"] = "row-size", None, played.size
                elif rank(value) >= rank(played.value):
                    found[f"row:{value}"] = "row-value", None, 0
            return found
    first = (
        ("draw-first", None, position.owed) if position.decision == "draw" else ("optional-first", None, 0)
    )
    found = dict.fromkeys([*hand, *virtual], first)
    if not position.deck:
        found["deck"] = "deck-empty", None, 0
    return found | {
        slot: ("slot-empty", None, 0)
        for slot, cards in zip(slots, position.display, strict=True)
        if not cards
    }


def blocco(position: BloccoPosition) -> dict[str, Reason]:
    """The same for Blocco."""
    seat = position.seat
    assert seat is not None
    hand = Counter(position.hand(seat))
    colours = {f"colour:{colour}": colour for colour in COLOURS}
    none: dict[str, Reason] = {
        place: ("none", None, 0) for place, colour in colours.items() if not hand[colour]
    }
    if position.decision == "give":
        return none | dict.fromkeys([*ROWS, "pile"], ("give-first", position.active, position.owed))
    if position.decision == "choose a giver":
        first: dict[str, Reason] = dict.fromkeys([*ROWS, *colours, "pile"], ("pick-first", None, 0))
        sizes = position.hand_sizes
        others = [other for other in range(position.players) if other != seat]
        return first | {
            f"seat:{other}": ("fewer-cards", None, 0) for other in others if sizes[other] < max(sizes)
        }
    found = none
    for place, row in zip(ROWS, position.rows, strict=True):
        if not row:
            found[place] = "row-empty", None, 0
    for place, colour in colours.items():
        blockers = [
            other for other in range(position.players) if other != seat and position.top(other) == colour
        ]
        missing = int(colour[0]) - hand[colour]
        if hand[colour] and blockers:
            (blocker,) = blockers
            found[place] = "blocked", blocker, 0
        elif hand[colour] and missing > 0:
            found[place] = "incomplete", None, missing
    if not position.pile(seat):
        found["pile"] = "pile-empty", None, 0
    return found


def expected(position: Position, seat: int) -> dict[str, Reason]:
    if position.over:
        return dict.fromkeys(places(position), ("over", None, 0))
    if seat != position.seat:
        return dict.fromkeys(places(position), ("wait", position.seat, 0))
    if isinstance(position, LinkoPosition):
        return linko(position)
    assert isinstance(position, BloccoPosition)
    return blocco(position)


# --- The tests --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "edition", "players"), [variant for variant in VARIANTS if variant.values[0] is not TINY]
)
def test_every_place_can_be_chosen_or_says_why_not(game: Game, edition: str, players: int) -> None:
    for seed in range(3):
        positions = list(random_game(game, edition, players, seed))
        kinds = {position.decision: position for position in positions}
        for position in [*positions[:: 1 + len(positions) // POSITIONS], *kinds.values(), *positions[-9:]]:
            for seat in range(players):
                told = reasons(position, seat)
                assert told == expected(position, seat), position
                if seat == position.seat:
                    can = {place for act in position.legal_actions for place in chosen_by(position, act)}
                    assert can | told.keys() == places(position)
                    assert not can & told.keys()
                else:
                    assert told.keys() == places(position)


@pytest.mark.parametrize("game", EVERY.values(), ids=EVERY)
def test_every_reason_occurs_and_has_words(game: Game) -> None:
    seen: set[str] = set()
    for edition, options in game.editions.items():
        for seed in range(12):
            for position in random_game(game, edition, options.player_counts[-1], seed):
                for seat in (position.seat or 0, (position.seat or 0) - 1):
                    private: Any = game.snapshot.private(position.view(seat % position.players))
                    seen |= {why.code for why in private.why}
    assert seen == set(game.why.MEANINGS)
    for text in game.why.MEANINGS.values():
        assert text.format(seat="Ann", count=2, plural="s").endswith(".")
