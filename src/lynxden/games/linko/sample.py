"""Redeal what a seat of Linko cannot see: a full game that fits a view."""

from lynxden.games.jit import kernel, shuffle_deck
from lynxden.games.linko import rules


@kernel
def copies(card):
    return rules.JOKERS if card == rules.JOKER else rules.COPIES


@kernel
def seen(view, seat, card):
    """How many of a card lie where `seat` can see them, cards known to be in a hand included."""
    count = int(view.laid[card]) + int(view.discards[card]) + int(view.row[card])
    for slot in range(rules.SLOTS):
        if view.slots[slot] == card:
            count += 1
        for place in range(view.pile_size[slot]):
            if view.piles[slot, place] == card:
                count += 1
    for player in range(view.players):
        count += int(view.hands[player, card] if player == seat else view.known[player, card])
    return count


@kernel
def redeal(game, seat, rng):
    """Turn a view of `seat` (-1: a spectator) into a full game, every unseen deal equally likely.

    All unseen cards are shuffled as one deck; each other hand gets what is known of it and as many
    unseen cards as it is short of; the rest is the deck.
    """
    game.deck_size = 0
    for card in range(1, rules.JOKER + 1):
        for _ in range(copies(card) - seen(game, seat, card)):
            game.deck[game.deck_size] = card
            game.deck_size += 1
    shuffle_deck(game, rng)
    for player in range(game.players):
        if player != seat:
            missing = int(game.hand_size[player])
            for card in range(1, rules.JOKER + 1):
                game.hands[player, card] = game.known[player, card]
                missing -= int(game.known[player, card])
            for _ in range(missing):
                game.hands[player, rules.draw_top(game)] += 1
