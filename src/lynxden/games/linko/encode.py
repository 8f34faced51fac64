"""A seat's view of Linko as numbers for networks and other learners.

Everything is a small whole number (one byte), told from the seat's own side: block 0 is the observer, block 1
the player to their left, and so on. Only what `view.look` shows is read, so a full game and a view of it
encode alike. `FIELDS` names the parts in order.
"""

from lynxden.games.jit import kernel
from lynxden.games.linko import rules

CARDS = rules.JOKER
LAYERS = 3
"""How many layers of each player are told in full, from the top."""
PLAYER = CARDS + 5 + LAYERS * 3

FIELDS = {
    "hand": CARDS,  # own cards of each kind: 1 to 13, then jokers
    "display": CARDS,  # cards of each kind on display
    "groups": CARDS,  # of these, cards lying in a group (duel)
    "laid": CARDS,  # cards of each kind in front of all players
    "discards": CARDS,
    "row": CARDS,  # the virtual player's row (duel)
    "phase": 7,  # one of: play, snatch, take, reclaim, draw, optional draw, over
    "turn": rules.SEATS,  # whose turn it is
    "victim": rules.SEATS,  # whose layer was snatched
    "counts": 3,  # cards in the deck, cards owed, whether anybody was snatched from this turn
    "options": 4,  # optional draw, ones snatch, fewest cards, virtual player
    "players": rules.SEATS * PLAYER,  # a block for each seat, empty where nobody sits
}
"""Name and length of each part, in order. A player's block: 14 known cards; 1 if somebody sits there; cards
in hand, on the table, layers, score; then three layers from the top: value, cards, jokers."""

SIZE = sum(FIELDS.values())


@kernel
def observe(game, seat, out):
    """Write `SIZE` numbers that describe the game to `seat`."""
    for place in range(SIZE):
        out[place] = 0
    for card in range(CARDS):
        out[card] = game.hands[seat, card + 1]
        out[3 * CARDS + card] = game.laid[card + 1]
        out[4 * CARDS + card] = game.discards[card + 1]
    for slot in range(rules.SLOTS):
        if game.slots[slot]:
            out[CARDS + game.slots[slot] - 1] += 1
    if game.options & rules.VIRTUAL:
        observe_duel(game, out)
    at = 6 * CARDS
    out[at + game.phase] = 1
    at += 7
    players = int(game.players)
    out[at + around(int(game.active) - seat, players)] = 1
    at += rules.SEATS
    out[at + around(rules.victim(game) - seat, players)] = rules.TAKE <= game.phase <= rules.DRAW
    at += rules.SEATS
    out[at] = game.deck_size
    out[at + 1] = game.owed
    out[at + 2] = game.snatched
    at += 3
    for flag in range(4):
        out[at + flag] = int(game.options) >> flag & 1
    at += 4
    for block in range(players):
        player = seat + block
        observe_player(game, player - players if player >= players else player, out, at + block * PLAYER)


@kernel
def around(places, players):
    """Places to the left of the observer."""
    return places + players if places < 0 else places


@kernel
def observe_duel(game, out):
    """The virtual player's row, and the groups on display."""
    for card in range(CARDS):
        out[5 * CARDS + card] = game.row[card + 1]
    for slot in range(rules.SLOTS):
        if game.pile_size[slot]:
            out[2 * CARDS + game.slots[slot] - 1] += 1
            for place in range(game.pile_size[slot]):
                out[CARDS + game.piles[slot, place] - 1] += 1
                out[2 * CARDS + game.piles[slot, place] - 1] += 1


@kernel
def observe_player(game, player, out, at):
    for card in range(CARDS):
        out[at + card] = game.known[player, card + 1]
    at += CARDS
    layers = int(game.layer_count[player])
    out[at] = 1
    out[at + 1] = game.hand_size[player]
    out[at + 2] = game.table_size[player]
    out[at + 3] = layers
    out[at + 4] = rules.score(game, player)
    at += 5
    for depth in range(LAYERS):  # without a branch: above the top of a stack lie zeros
        packed = game.layers[player, max(layers - 1 - depth, 0)] * (depth < layers)
        out[at + 3 * depth] = rules.layer_value(packed)
        out[at + 3 * depth + 1] = rules.layer_size(packed)
        out[at + 3 * depth + 2] = rules.layer_jokers(packed)
