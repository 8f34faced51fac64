"""What a seat of Linko may know: the view, as a record for kernels.

A view has the form of a game record. It starts empty and is filled by naming what is visible, so a
field that nobody thought of stays hidden. Public are all layers, the display, the row, the discards, every
size, whose decision it is, and which cards each hand is known to hold. A seat also sees its own hand.
Hidden are the rest of the other hands and the order of the deck.
"""

from lynxden.games.jit import kernel
from lynxden.games.linko import rules


@kernel
def look(game, seat, view):
    """Fill an empty record with what `seat` may know; -1 is a spectator."""
    view.options = game.options
    view.players = game.players
    view.active = game.active
    view.actor = game.actor
    view.phase = game.phase
    view.compared = game.compared
    view.snatched = game.snatched
    view.owed = game.owed
    view.quiet = game.quiet
    view.reason = game.reason
    view.deck_size = game.deck_size
    view.row_size = game.row_size
    view.laid = game.laid
    view.discards = game.discards
    view.row = game.row
    view.slots = game.slots
    view.pile_sizes = game.pile_sizes
    for slot in range(rules.SLOTS):
        for place in range(rules.pile_size(game, slot)):
            view.piles[slot, place] = game.piles[slot, place]
    for player in range(game.players):
        view.known[player] = game.known[player]
        view.hand_size[player] = game.hand_size[player]
        view.table_size[player] = game.table_size[player]
        view.tops[player] = game.tops[player]
        view.layer_count[player] = game.layer_count[player]
        for place in range(game.layer_count[player]):
            view.layers[player, place] = game.layers[player, place]
        if player == seat:
            view.hands[player] = game.hands[player]
