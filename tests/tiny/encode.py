"""A seat's view of Tiny as numbers: bytes, written eight at a time."""

from typing import Any

from lynxden.games.jit import kernel
from tests.tiny import rules

WORDS = 2 + 2 * rules.SEATS
SIZE = 8 * WORDS
HIDDEN_WORDS = rules.SEATS
FIELDS = {
    "hand": 4,
    "offered": 4,  # a one at the card
    "open": 4,  # a one at the card
    "counts": 4,  # phase, players, cards in the deck, 1 in the sour edition
    "players": 16 * rules.SEATS,
}
"""The block of a player: cards laid (4), cards known (4), cards in hand, 1 on turn, six unused."""


@kernel
def one_at(value: int) -> int:
    return rules.card(value) if value else 0


@kernel
def observe(game: Any, seat: int, out: Any) -> None:
    """Write `WORDS` words that describe the game to `seat`."""
    out[0] = int(game.hands[seat]) | one_at(int(game.offered)) << 32
    counts = int(game.phase) | int(game.players) << 8 | int(game.deck_size) << 16 | int(game.options) << 24
    out[1] = one_at(int(game.open)) | counts << 32
    for block in range(rules.SEATS):
        at = 2 + 2 * block
        out[at] = 0
        out[at + 1] = 0
        if block < game.players:
            player = seat + block
            player = player - int(game.players) if player >= game.players else player
            out[at] = int(game.laid[player]) | int(game.known[player]) << 32
            out[at + 1] = int(game.hand_size[player]) | int(game.active == player) << 8


@kernel
def reveal(game: Any, seat: int, out: Any) -> None:
    """Write the hands of all seats, a word each, from the observer's to the left."""
    for block in range(rules.SEATS):
        player = seat + block
        player = player - int(game.players) if player >= game.players else player
        out[block] = int(game.hands[player]) * (block < game.players)
