"""A seat's view of Linko as numbers for networks and other learners.

Everything is told from the seat's own side: block 0 is the observer, block 1 the player to their
left, and so on. Only what `view.look` shows is read, so a full game and a view of it encode alike.
`FIELDS` names the parts in order; `docs/engine.md` explains how to read them.
"""

import numpy as np

from lynxden.games.jit import kernel
from lynxden.games.linko import rules

CARDS = rules.JOKER
LAYERS = 3
"""How many layers of each player are told in full, from the top."""
PLAYER = CARDS + 3 + LAYERS * 4 + 3

FIELDS = {
    "hand": CARDS,  # own cards of each kind, / 8
    "display": CARDS,  # cards of each kind on display, / 8
    "groups": CARDS,  # of these, cards lying in a group (duel), / 8
    "discards": CARDS,  # / 8
    "row": CARDS,  # the virtual player's row (duel), / 8
    "unseen": CARDS,  # cards of each kind that could be anywhere unseen, / 8
    "phase": 6,  # one of six: play, snatch, take, reclaim, draw, optional draw
    "turn": rules.SEATS,  # whose turn it is
    "victim": rules.SEATS,  # whose layer is compared or was snatched
    "counts": 4,  # deck / 64, display slots / 6, cards owed / 8, snatched this turn
    "options": 4,
    "seats": 4,  # 2, 3, 4 or 5 players
    "players": rules.SEATS * PLAYER,
}
"""Name and length of each part, in order. A player: 14 known cards / 8, hand / 16, unknown cards / 16,
table / 32, then three layers from the top (there is one, value / 14, cards / 8, jokers / 5), then number of
layers / 16, whether the observer's hand could beat the top, score minus own score / 32."""

SIZE = sum(FIELDS.values())

EIGHTH = np.float32(1 / 8)


@kernel
def observe(game, seat, out):
    """Write `SIZE` numbers that describe the game to `seat`."""
    for place in range(SIZE):
        out[place] = 0.0
    at = 0
    for card in range(1, CARDS + 1):
        out[at + card - 1] = game.hands[seat, card] * EIGHTH
    at += CARDS
    occupied = 0
    for slot in range(rules.SLOTS):
        if game.slots[slot]:
            occupied += 1
            out[at + game.slots[slot] - 1] += EIGHTH
            if game.pile_size[slot]:
                out[at + CARDS + game.slots[slot] - 1] += EIGHTH
                for place in range(game.pile_size[slot]):
                    card = int(game.piles[slot, place])
                    out[at + card - 1] += EIGHTH
                    out[at + CARDS + card - 1] += EIGHTH
    at += 2 * CARDS
    for card in range(1, CARDS + 1):
        out[at + card - 1] = game.discards[card] * EIGHTH
        out[at + CARDS + card - 1] = game.row[card] * EIGHTH
    at += 2 * CARDS
    unseen = at
    for card in range(1, CARDS):
        out[unseen + card - 1] = 1.0
    out[unseen + CARDS - 1] = rules.JOKERS * EIGHTH
    for card in range(CARDS):  # what was written above is seen
        out[unseen + card] -= out[card] + out[CARDS + card] + out[3 * CARDS + card]
        out[unseen + card] -= out[4 * CARDS + card]
    at += CARDS
    if game.phase < rules.OVER:
        out[at + game.phase] = 1.0
    at += 6
    players = int(game.players)
    out[at + around(int(game.active) - seat, players)] = 1.0
    at += rules.SEATS
    if game.phase == rules.TAKE or game.phase == rules.RECLAIM or game.phase == rules.DRAW:
        out[at + around(rules.victim(game) - seat, players)] = 1.0
    at += rules.SEATS
    out[at] = game.deck_size * np.float32(1 / 64)
    out[at + 1] = occupied * np.float32(1 / 6)
    out[at + 2] = game.owed * EIGHTH
    out[at + 3] = game.snatched
    at += 4
    for flag in range(4):
        out[at + flag] = (int(game.options) >> flag) & 1
    at += 4
    out[at + players - 2] = 1.0
    at += 4
    for player in range(players):
        observe_player(
            game, seat, player, out, at + around(player - seat, players) * PLAYER, unseen
        )


@kernel
def around(steps, players):
    """Places to the left of the observer."""
    return steps + players if steps < 0 else steps


@kernel
def observe_player(game, seat, player, out, at, unseen):
    """One player's block; the cards seen here are taken off the unseen ones."""
    known = 0
    for card in range(1, CARDS + 1):
        count = int(game.known[player, card])
        known += count
        out[at + card - 1] = count * EIGHTH
        if player != seat:
            out[unseen + card - 1] -= count * EIGHTH
    at += CARDS
    out[at] = game.hand_size[player] * np.float32(1 / 16)
    out[at + 1] = (int(game.hand_size[player]) - known) * np.float32(1 / 16)
    out[at + 2] = game.table_size[player] * np.float32(1 / 32)
    at += 3
    layers = int(game.layer_count[player])
    for place in range(layers):
        packed = int(game.layers[player, place])
        jokers = rules.layer_jokers(packed)
        value = rules.layer_value(packed)
        depth = layers - 1 - place
        if depth < LAYERS:
            out[at + depth * 4] = 1.0
            out[at + depth * 4 + 1] = value * np.float32(1 / 14)
            out[at + depth * 4 + 2] = rules.layer_size(packed) * EIGHTH
            out[at + depth * 4 + 3] = jokers * np.float32(1 / 5)
        out[unseen + rules.JOKER - 1] -= jokers * EIGHTH
        out[unseen + value - 1] -= (rules.layer_size(packed) - jokers) * EIGHTH
    at += LAYERS * 4
    out[at] = layers * np.float32(1 / 16)
    out[at + 1] = can_beat(game, seat, player)
    out[at + 2] = (rules.score(game, player) - rules.score(game, seat)) * np.float32(1 / 32)


@kernel
def can_beat(game, seat, player):
    """Whether some play from `seat`'s hand would snatch this player's top layer."""
    top = rules.top_layer(game, player)
    if player == seat or top == 0:
        return False
    size = rules.layer_size(top)
    jokers = int(game.hands[seat, rules.JOKER])
    for value in range(1, CARDS + 1):
        if rules.beats(game, value, rules.layer_value(top)):
            held = int(game.hands[seat, value])
            if value == rules.JOKER:
                if held >= size:
                    return True
            elif held and held + jokers >= size:
                return True
    return False
