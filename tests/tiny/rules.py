"""The rules of Tiny, a game that exists for the tests alone: it proves that a game can be added from outside.

Twelve cards, three each of 1 to 4; two or three players with three cards in hand; one card lies open, the
rest is the deck. The active player offers a card to the player on the left, who takes it or refuses it. A
card that was taken lies in front of the taker, and the active player gets the open card for it, as everybody
sees; the next card of the deck is turned up. A card that was refused lies in front of the active player. Then
the turn passes to the left. Whoever has no card to offer ends the game.

Cards in front of a player count what they show; in the edition `sour`, 4s count four points off.

Cards are numbers, 1 to 4. A hand, or any other heap, is one number with eight bits for the count of each.
"""

from typing import Any

import numpy as np

from lynxden.games.jit import draw_top, kernel, record, shuffle_deck

VERSION = 1
"""Raised when a rule changes such that a recorded game could be read differently."""

SEATS = 3
VALUES = 4
COPIES = 3
CARDS = VALUES * COPIES
HAND = 3

SOUR = 1
"""The one option."""

OFFER, ANSWER, OVER = range(3)
PHASES = ("offer", "answer", "over")
NOTHING_TO_OFFER = 1
REASONS = ("", "nothing-to-offer")

# Action numbers.
OFFERS = 0  # + value - 1
TAKE = OFFERS + VALUES
REFUSE = TAKE + 1
ACTIONS = REFUSE + 1

LONGEST = 2 * CARDS
"""Each card is offered once at most, and answered once."""
SCORES = (-VALUES * COPIES, sum(range(1, VALUES + 1)) * COPIES)

RECORD = record(
    [
        ("hands", "i4", SEATS),
        ("known", "i4", SEATS),  # the part of each hand that everybody knows of
        ("laid", "i4", SEATS),  # the cards in front of each player
        ("options", "i1"),
        ("players", "i1"),
        ("active", "i1"),
        ("actor", "i1"),
        ("phase", "i1"),
        ("reason", "i1"),
        ("open", "i1"),  # the open card; 0: none
        ("offered", "i1"),  # the card that is offered; 0: none
        ("deck_size", "i1"),
        ("hand_size", "i1", SEATS),
        ("deck", "i1", CARDS),
    ]
)


@kernel
def card(value: int) -> int:
    """One card as a heap."""
    return 1 << (8 * (value - 1))


@kernel
def held(heap: int, value: int) -> int:
    """How many of a card a heap holds."""
    return (int(heap) >> (8 * (value - 1))) & 15


@kernel
def left_of(game: Any, seat: int) -> int:
    return 0 if seat + 1 == game.players else seat + 1


# --- The deal ---------------------------------------------------------------------------------------


@kernel
def deal(game: Any, options: int, players: int, starter: int, seed: np.uint64) -> None:
    """Shuffle all twelve cards and set up the table."""
    for place in range(CARDS):
        game.deck[place] = place // COPIES + 1
    game.deck_size = CARDS
    shuffle_deck(game, seed)
    lay_out(game, options, players, starter)


@kernel
def lay_out(game: Any, options: int, players: int, starter: int) -> None:
    """Three cards to each hand, seat by seat, then one to the middle; the rest is the deck."""
    game.options = options
    game.players = players
    game.active = starter
    game.actor = starter
    game.phase = OFFER
    game.reason = 0
    game.offered = 0
    for seat in range(SEATS):
        game.hands[seat] = 0
        game.known[seat] = 0
        game.laid[seat] = 0
        game.hand_size[seat] = 0
    for seat in range(players):
        for _ in range(HAND):
            game.hands[seat] += card(draw_top(game))
        game.hand_size[seat] = HAND
    game.open = draw_top(game)


# --- What is legal ----------------------------------------------------------------------------------


@kernel
def legal_after(game: Any, number: int) -> int:
    """The lowest legal action above `number`, or -1. Start with -1 to list them all."""
    if game.phase == OFFER:
        for value in range(max(1, number - OFFERS + 2), VALUES + 1):
            if held(game.hands[game.active], value):
                return OFFERS + value - 1
    elif game.phase == ANSWER:
        if number < TAKE:
            return TAKE
        if number < REFUSE:
            return REFUSE
    return -1


@kernel
def legal_count(game: Any) -> int:
    count = 0
    number = legal_after(game, -1)
    while number >= 0:
        count += 1
        number = legal_after(game, number)
    return count


@kernel
def legal_at(game: Any, index: int) -> int:
    number = legal_after(game, -1)
    for _ in range(index):
        number = legal_after(game, number)
    return number


@kernel
def legal_mask(game: Any, row: Any) -> None:
    for number in range(ACTIONS):
        row[number] = 0
    number = legal_after(game, -1)
    while number >= 0:
        row[number] = 1
        number = legal_after(game, number)


# --- A turn -----------------------------------------------------------------------------------------


@kernel
def apply(game: Any, action: int) -> None:
    """Carry out a legal action, up to the next decision or the end."""
    if action < TAKE:
        offer(game, action - OFFERS + 1)
    else:
        answer(game, action == TAKE)


@kernel
def offer(game: Any, value: int) -> None:
    """A card of the active player is offered, open, to the player on the left."""
    seat = int(game.active)
    game.hands[seat] -= card(value)
    game.hand_size[seat] -= 1
    if held(game.known[seat], value):
        game.known[seat] -= card(value)
    game.offered = value
    game.phase = ANSWER
    game.actor = left_of(game, seat)


@kernel
def answer(game: Any, taken: bool) -> None:
    """A card that was taken is paid for with the open card; a refused one lies in front of its owner."""
    seat = int(game.active)
    if taken:
        game.laid[game.actor] += card(int(game.offered))
        receive_open_card(game, seat)
    else:
        game.laid[seat] += card(int(game.offered))
    game.offered = 0
    next_turn(game)


@kernel
def receive_open_card(game: Any, seat: int) -> None:
    if game.open:
        game.hands[seat] += card(int(game.open))
        game.known[seat] += card(int(game.open))
        game.hand_size[seat] += 1
        game.open = draw_top(game) if game.deck_size else 0


@kernel
def next_turn(game: Any) -> None:
    """The turn passes to the left; whoever has nothing to offer ends the game."""
    seat = left_of(game, int(game.active))
    game.active = seat
    game.actor = seat
    game.phase = OFFER
    if not game.hand_size[seat]:
        game.phase = OVER
        game.reason = NOTHING_TO_OFFER


# --- The end ----------------------------------------------------------------------------------------


@kernel
def worth(options: int, value: int) -> int:
    """What a card counts."""
    return -value if options & SOUR and value == VALUES else value


@kernel
def score(game: Any, seat: int) -> int:
    points = 0
    for value in range(1, VALUES + 1):
        points += held(game.laid[seat], value) * worth(int(game.options), value)
    return points


@kernel
def is_winner(game: Any, seat: int) -> bool:
    """The highest score wins; ties are shared."""
    for other in range(game.players):  # noqa: SIM110 (compiled: no generators)
        if score(game, other) > score(game, seat):
            return False
    return True
