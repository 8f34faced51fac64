"""Redeal what a seat of Linko cannot see: a full game that fits a view."""

from lynxden.games.jit import advance, below, draw_top, kernel, shuffle_deck
from lynxden.games.linko import rules


@kernel
def copies(card):
    return rules.JOKERS if card == rules.JOKER else rules.COPIES


@kernel
def seen(view, seat):
    """The cards that lie where `seat` can see them, those known to be in a hand included, as a heap."""
    heap = view.laid + view.discards + view.row
    for slot in range(rules.SLOTS):
        if rules.slot_card(view, slot):
            heap += rules.cards(rules.slot_card(view, slot), 1)
        for place in range(rules.pile_size(view, slot)):
            heap += rules.cards(int(view.piles[slot, place]), 1)
    for player in range(view.players):
        heap += view.hands[player] if player == seat else view.known[player]
    return heap


@kernel
def redeal(game, seat, rng):
    """Turn a view of `seat` (-1: a spectator) into a full game, every unseen deal equally likely.

    All unseen cards are shuffled as one deck; each other hand gets what is known of it and as many
    unseen cards as it is short of; the rest is the deck.
    """
    placed = seen(game, seat)
    game.deck_size = 0
    for card in range(1, rules.JOKER + 1):
        for _ in range(copies(card) - rules.held(placed, card)):
            game.deck[game.deck_size] = card
            game.deck_size += 1
    shuffle_deck(game, rng)
    for player in range(game.players):
        if player != seat:
            missing = int(game.hand_size[player])
            game.hands[player] = game.known[player]
            for card in range(1, rules.JOKER + 1):
                missing -= rules.held(game.known[player], card)
            for _ in range(missing):
                game.hands[player] += rules.cards(draw_top(game), 1)


@kernel
def exchange(game, seat, rng):
    """Let two cards that `seat` cannot see change places: one of another hand, and any other one.

    It is as likely as the way back, and every deal can be reached by such steps.
    """
    unknown = 0
    for player in range(game.players):
        if player != seat:
            for card in range(1, rules.JOKER + 1):
                unknown += rules.held(game.hands[player] - game.known[player], card)
    if not unknown:
        return
    rng = advance(rng)
    one = below(rng, unknown)
    rng = advance(rng)
    other = below(rng, unknown + int(game.deck_size))
    giver, given = unknown_card(game, seat, one)
    if other < unknown:
        taker, taken = unknown_card(game, seat, other)
        game.hands[taker] += rules.cards(given, 1) - rules.cards(taken, 1)
    else:
        taken = int(game.deck[other - unknown])
        game.deck[other - unknown] = given
    game.hands[giver] += rules.cards(taken, 1) - rules.cards(given, 1)


@kernel
def unknown_card(game, seat, index):
    """The player and the card of the index-th card in other hands that `seat` does not know."""
    for player in range(game.players):
        if player != seat:
            heap = game.hands[player] - game.known[player]
            for card in range(1, rules.JOKER + 1):
                index -= rules.held(heap, card)
                if index < 0:
                    return player, card
    return -1, 0
