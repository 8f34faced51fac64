"""What a seat of Tiny may know: everything but the deck and what is unknown of the other hands."""

from typing import Any

from lynxden.games.jit import kernel


@kernel
def look(game: Any, seat: int, view: Any) -> None:
    """Fill an empty record with what `seat` may know; -1 is a spectator."""
    view.options = game.options
    view.players = game.players
    view.active = game.active
    view.actor = game.actor
    view.phase = game.phase
    view.reason = game.reason
    view.open = game.open
    view.offered = game.offered
    view.deck_size = game.deck_size
    for player in range(game.players):
        view.known[player] = game.known[player]
        view.laid[player] = game.laid[player]
        view.hand_size[player] = game.hand_size[player]
        if player == seat:
            view.hands[player] = game.hands[player]
