"""A seat's view of Linko as numbers for networks and other learners.

Everything is a small whole number of one byte, seen from the seat's own side: block 0 is the observer, block
1 the player to their left, and so on. Only what `view.look` shows is read, so a full game and a view of it
encode alike. `FIELDS` names the parts in order. The bytes are written eight at a time, as one word.
"""

from lynxden.games.jit import bytes_of_nibbles, kernel
from lynxden.games.linko import rules

PLAYER = 6
"""Words for each player."""
HEAPS = 6
HEAD = 2 * HEAPS + 4
WORDS = HEAD + rules.SEATS * PLAYER
SIZE = 8 * WORDS
HIDDEN_WORDS = 2 * rules.SEATS

FIELDS = {
    "hand": 16,  # own cards of each kind: 1 to 13, jokers; two places unused, as in all heaps
    "display": 16,  # cards of each kind on display
    "groups": 16,  # of these, cards lying in a group (duel)
    "laid": 16,  # cards of each kind in front of all players
    "discards": 16,
    "row": 16,  # the virtual player's row (duel)
    "phase": 7,  # a one at: play, snatch, take, reclaim, draw, optional draw, over
    "quiet": 1,  # turns in a row without progress
    "turn": 8,  # a one at whose turn it is
    "victim": 8,  # a one at whose layer was snatched
    "counts": 8,  # players, cards in the deck, owed, snatched this turn, then the four options
    "players": rules.SEATS * 8 * PLAYER,  # a block for each seat, empty where nobody sits
}
"""Name and length of each part, in order. A player's block: known cards (16); cards on the table (16); 1
where somebody sits, cards in hand, on the table, layers, score; value, size and jokers of the top layer, of
the one below it, and of the third; two places unused."""


@kernel
def observe(game, seat, out):
    """Write `WORDS` words that describe the game to `seat`."""
    write_heap(game.hands[seat], out, 0)
    display = 0
    for slot in range(rules.SLOTS):
        display += rules.cards(rules.slot_card(game, slot), 1)
    groups = 0
    if game.options & rules.VIRTUAL:
        for slot in range(rules.SLOTS):
            groups += group_cards(game, slot)
            display += piled_cards(game, slot)
        write_heap(groups, out, 4)
        write_heap(game.row, out, 10)
    else:
        out[4] = out[5] = out[10] = out[11] = 0
    write_heap(display, out, 2)
    write_heap(game.laid, out, 6)
    write_heap(game.discards, out, 8)
    players = int(game.players)
    out[12] = 1 << (8 * int(game.phase)) | max(0, int(game.quiet)) << 56
    out[13] = 1 << (8 * around(int(game.active) - seat, players))
    victim = rules.TAKE <= game.phase <= rules.DRAW
    out[14] = int(victim) << (8 * around(rules.victim(game) - seat, players))
    options = int(game.options)
    flags = (options & 1) | (options & 2) << 7 | (options & 4) << 14 | (options & 8) << 21
    out[15] = (
        players | int(game.deck_size) << 8 | int(game.owed) << 16 | int(game.snatched) << 24 | flags << 32
    )
    for block in range(rules.SEATS):
        at = HEAD + block * PLAYER
        if block < players:
            player = seat + block
            observe_player(game, player - players if player >= players else player, out, at)
        else:
            for word in range(PLAYER):
                out[at + word] = 0


@kernel
def write_heap(heap, out, at):
    """The count of each card, 1 to 13, then jokers, a byte each."""
    out[at] = bytes_of_nibbles(heap >> 4)
    out[at + 1] = bytes_of_nibbles(heap >> 36)


@kernel
def piled_cards(game, slot):
    """Duel: the cards that lie on the first card of a slot, as a heap."""
    heap = 0
    for place in range(rules.pile_size(game, slot)):
        heap += rules.cards(int(game.piles[slot, place]), 1)
    return heap


@kernel
def group_cards(game, slot):
    """Duel: all cards of a slot that holds a group, as a heap."""
    if not rules.pile_size(game, slot):
        return 0
    return rules.cards(rules.slot_card(game, slot), 1) + piled_cards(game, slot)


@kernel
def around(places, players):
    """Places to the left of the observer."""
    return places + players if places < 0 else places


@kernel
def observe_player(game, player, out, at):
    write_heap(game.known[player], out, at)
    count = int(game.layer_count[player])
    table = 0
    for place in range(count):
        table += rules.layer_cards(game.layers[player, place])
    write_heap(table, out, at + 2)
    sizes = 1 | int(game.hand_size[player]) << 8 | int(game.table_size[player]) << 16
    score = (rules.score(game, player) & 255) << 32
    out[at + 4] = sizes | count << 24 | score | layer_bytes(rules.top_layer(game, player)) << 40
    out[at + 5] = layer_bytes(layer_below(game, player, 2)) | layer_bytes(layer_below(game, player, 3)) << 24


@kernel
def layer_below(game, player, depth):
    """The layer so many from the top, 1 being the top itself; 0 if there is none."""
    place = int(game.layer_count[player]) - depth
    return int(game.layers[player, max(place, 0)]) * (place >= 0)


@kernel
def layer_bytes(packed):
    """Value, size and jokers of a layer, a byte each."""
    return (packed & 0x00F) | (packed & 0x0F0) << 4 | (packed & 0xF00) << 8


@kernel
def reveal(game, seat, out):
    """Write the hands of all seats, `HIDDEN_WORDS` words: the observer's own, then those to their left."""
    players = int(game.players)
    for block in range(rules.SEATS):
        player = seat + block
        player = player - players if player >= players else player
        write_heap(game.hands[player] * (block < players), out, 2 * block)
