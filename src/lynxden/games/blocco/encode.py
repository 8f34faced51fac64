"""A seat's view of Blocco as numbers for networks and other learners.

Everything is a small whole number of one byte, seen from the seat's own side: block 0 is the observer, block
1 the player to their left, and so on. Only what `view.look` shows is read, so a full game and a view of it
encode alike. `FIELDS` names the parts in order. The bytes are written eight at a time, as one word: a heap
of the rules is such a word, all its cards first, then 1a 1b 2a 2b 3a 3b 4a.
"""

from lynxden.games.blocco import rules, view
from lynxden.games.jit import kernel

PLAYER = 4
"""Words for each player."""
HEAD = 3 + rules.PLACES + 3
WORDS = HEAD + rules.SEATS * PLAYER
SIZE = 8 * WORDS
HIDDEN_WORDS = rules.SEATS

FIELDS = {
    "hand": 8,  # own cards, as a heap
    "unseen": 8,  # cards in the deck, or unseen in another hand from the start
    "laid": 8,  # cards that were ever laid
    "rows": 8 * rules.PLACES,  # the eight rows, from place 1
    "phase": 8,  # a one at: act, choose a giver, give, over
    "turn": 8,  # a one at whose turn it is
    "counts": 8,  # players, cards in the deck, empty places, actions left in this turn, cards owed
    "players": rules.SEATS * 8 * PLAYER,  # a block for each seat, empty where nobody sits
}
"""Name and length of each part, in order. A player's block: cards known to be in the hand (8, without their
sum); cards seen to come in and not laid, some of which may be given away (8); a one at the colour on top of
the blocking pile (8, the first unused); 1 where somebody sits, cards in hand, in the blocking pile, in the
score pile, score, unknown starting cards, cards ever given away, the number on top of the blocking pile."""


@kernel
def observe(game, seat, out):
    """Write `WORDS` words that describe the game to `seat`."""
    out[0] = game.hands[seat]
    out[1] = view.unseen(game, seat)
    out[2] = game.laid
    for place in range(rules.PLACES):
        out[3 + place] = game.rows[place]
    players = int(game.players)
    turn = int(game.active) - seat
    out[HEAD - 3] = 1 << (8 * int(game.phase))
    out[HEAD - 2] = 1 << (8 * (turn + players if turn < 0 else turn))
    counts = players | int(game.deck_size) << 8 | int(game.empty) << 16
    out[HEAD - 1] = counts | int(game.left) << 24 | int(game.owed) << 32
    for block in range(rules.SEATS):
        at = HEAD + block * PLAYER
        if block < players:
            player = seat + block
            observe_player(game, player - players if player >= players else player, out, at)
        else:
            for word in range(PLAYER):
                out[at + word] = 0


@kernel
def observe_player(game, player, out, at):
    top = int(game.top[player])
    out[at] = game.known[player]
    out[at + 1] = game.taken[player]
    out[at + 2] = (1 << (8 * top)) & ~1
    sizes = 1 | rules.size(game.hands[player]) << 8 | int(game.pile_size[player]) << 16
    sizes |= int(game.score_size[player]) << 24 | (rules.score(game, player) & 255) << 32
    gifts = int(game.unknown[player]) << 40 | rules.size(game.given[player]) << 48
    out[at + 3] = sizes | gifts | rules.number_on(top) << 56


@kernel
def reveal(game, seat, out):
    """Write the hands of all seats, `HIDDEN_WORDS` words: the observer's own, then those to their left."""
    players = int(game.players)
    for block in range(rules.SEATS):
        player = seat + block
        player = player - players if player >= players else player
        out[block] = game.hands[player] * (block < players)
