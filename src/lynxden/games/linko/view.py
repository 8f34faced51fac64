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
    view.reason = game.reason
    view.deck_size = game.deck_size
    view.row_size = game.row_size
    for slot in range(rules.SLOTS):
        view.slots[slot] = game.slots[slot]
        view.pile_size[slot] = game.pile_size[slot]
        for place in range(game.pile_size[slot]):
            view.piles[slot, place] = game.piles[slot, place]
    for card in range(1, rules.JOKER + 1):
        view.laid[card] = game.laid[card]
        view.discards[card] = game.discards[card]
        view.row[card] = game.row[card]
    for player in range(game.players):
        view.hand_size[player] = game.hand_size[player]
        view.table_size[player] = game.table_size[player]
        view.layer_count[player] = game.layer_count[player]
        for place in range(game.layer_count[player]):
            view.layers[player, place] = game.layers[player, place]
        for card in range(1, rules.JOKER + 1):
            view.known[player, card] = game.known[player, card]
            if player == seat:
                view.hands[player, card] = game.hands[player, card]
