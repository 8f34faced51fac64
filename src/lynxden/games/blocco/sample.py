"""Redeal what a seat of Blocco cannot see: a full game that fits a view."""

from lynxden.games.blocco import rules, view
from lynxden.games.jit import advance, below, draw_top, kernel, shuffle_deck, stream


@kernel
def redeal(game, seat, rng):
    """Turn a view of `seat` (-1: a spectator) into a full game.

    All unseen cards are shuffled as one deck, and each other player gets their unknown starting cards from
    it; the rest is the deck. Then the spans pass by once more: the cards that came in join the hand, and
    the gift is drawn from it blindly. So every deal of the unseen cards is equally likely, and so is
    every choice of the cards given, among those that can have been given (`view.py`); all of them fit what
    happened in public, and no others do. It is no guess at what a giver would rather keep.
    """
    left = view.unseen(game, seat)
    game.deck_size = 0
    for colour in range(1, rules.COLOURS + 1):
        for _ in range(rules.held(left, colour)):
            game.deck[game.deck_size] = colour
            game.deck_size += 1
    shuffle_deck(game, rng)
    for player in range(game.players):
        if player != seat:
            game.hands[player] = 0
            game.given[player] = 0
            for _ in range(game.unknown[player]):
                game.hands[player] += rules.cards(draw_top(game), 1)
    rng = stream(rng, 1)
    for span in range(game.spans):
        player = int(game.span_seat[span])
        if player != seat:
            game.hands[player] += game.span_cards[span]
            for _ in range(game.span_given[span]):
                rng = advance(rng)
                colour = colour_at(game.hands[player], below(rng, rules.size(game.hands[player])))
                game.hands[player] -= rules.cards(colour, 1)
                game.given[player] += rules.cards(colour, 1)


@kernel
def colour_at(heap, index):
    """The colour of the index-th card of a heap."""
    colour = 1
    while index >= rules.held(heap, colour):
        index -= rules.held(heap, colour)
        colour += 1
    return colour
