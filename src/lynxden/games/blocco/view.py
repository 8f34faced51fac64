"""What a seat of Blocco may know: the view, as a record for kernels.

A view has the form of a game record. It starts empty and is filled by naming what is visible, so a
field that nobody thought of stays hidden. Public are the rows, the blocking piles, every size, whose
decision it is, every card that was laid, and what everybody remembers of each hand. A seat also sees its
own hand and the cards it gave away. Hidden are the other hands, the other gifts and the order of the deck;
their heaps hold a total and no colours.

**What everybody remembers of a hand.** Cards come into it from rows, seen by all; cards are laid from it,
seen by all; cards are given away, and only their number is seen. The two starting cards are unseen. So
a card that was seen to come in and not laid is in the hand, or it is among the gifts that its owner
made *later*. That last word matters, hence the spans: the takes of a seat are divided by its gifts.
`span_cards` are the cards that came in during a span and were not laid; `span_given` is how many
cards were given at its end. A gift is made of cards from its own span and those before it, and of
starting cards; what came in after the last gift is in the hand for sure.

When a colour is laid, the latest cards of that colour are crossed off first. Equal cards are alike, so
nothing is lost by that: older cards can have gone into every gift that younger ones can have gone into.
If there were none left, starting cards were laid, and `unknown` falls. With that, the deals that fit the
view are exactly the deals that fit all that happened in public: a hand and its owner's gifts are the
owner's starting cards and spans, and each gift is drawn from what was there at the time.

`known` is the lowest count of each colour that this leaves for a hand, kept up to date because it is
asked so often: a take adds to it, a lay takes away from it, each card given lowers every colour by one,
and it never falls below zero. `fewest` works the same out from the spans, and the highest count as well.
"""

from lynxden.games.blocco import rules
from lynxden.games.jit import kernel


@kernel
def look(game, seat, view):
    """Fill an empty record with what `seat` may know; -1 is a spectator."""
    view.options = game.options
    view.players = game.players
    view.active = game.active
    view.actor = game.actor
    view.phase = game.phase
    view.left = game.left
    view.owed = game.owed
    view.reason = game.reason
    view.deck_size = game.deck_size
    view.empty = game.empty
    view.spans = game.spans
    view.tops = game.tops
    view.laid = game.laid
    for place in range(rules.PLACES):
        view.rows[place] = game.rows[place]
    for player in range(game.players):
        view.top[player] = game.top[player]
        view.pile_size[player] = game.pile_size[player]
        view.lay_count[player] = game.lay_count[player]
        for lay in range(game.lay_count[player]):
            view.lays[player, lay] = game.lays[player, lay]
        view.score_size[player] = game.score_size[player]
        view.unknown[player] = game.unknown[player]
        view.span[player] = game.span[player]
        view.known[player] = game.known[player]
        view.taken[player] = game.taken[player]
        if player == seat:
            view.hands[player] = game.hands[player]
            view.given[player] = game.given[player]
        else:
            view.hands[player] = rules.size(game.hands[player])
            view.given[player] = rules.size(game.given[player])
    for span in range(game.spans):
        view.span_cards[span] = game.span_cards[span]
        view.span_given[span] = game.span_given[span]
        view.span_seat[span] = game.span_seat[span]
        view.span_before[span] = game.span_before[span]


@kernel
def unseen(game, seat):
    """The heap of cards that `seat` (-1: a spectator) cannot place: the deck, and others' starting cards.

    Cards seen to go into another hand are not among them, though they may have been given away.
    """
    heap = rules.FULL - int(game.laid)
    for place in range(rules.PLACES):
        heap -= int(game.rows[place])
    for player in range(game.players):
        if player == seat:
            heap -= int(game.hands[player]) + int(game.given[player])
        else:
            heap -= int(game.taken[player])
    return heap


@kernel
def fewest(game, player, colour, start, others):
    """The fewest cards of a colour that a hand can hold, if `start` of its starting cards have that colour.

    With `others`, the fewest cards of all other colours. As many as possible went into every gift.
    """
    held = start
    for span in range(game.spans):
        if game.span_seat[span] == player:
            came = rules.held(game.span_cards[span], colour)
            if others:
                came = rules.size(game.span_cards[span]) - came
            held = max(0, held + came - int(game.span_given[span]))
    return held


@kernel
def at_least(game, seat, player, colour):
    """How many cards of a colour `seat` can be sure of in another hand."""
    heap = unseen(game, seat)
    strangers = rules.size(heap) - rules.held(heap, colour)
    return fewest(game, player, colour, max(0, int(game.unknown[player]) - strangers), False)


@kernel
def at_most(game, seat, player, colour):
    """How many cards of a colour may be in another hand, as far as `seat` can tell."""
    unknown = int(game.unknown[player])
    start = min(unknown, rules.held(unseen(game, seat), colour))
    return rules.size(game.hands[player]) - fewest(game, player, colour, unknown - start, True)
