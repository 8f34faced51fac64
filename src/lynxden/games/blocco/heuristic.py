"""A quick, explainable way to play Blocco: a decent opponent, and a guide for playouts.

`choose` reads only what the deciding seat may know, so it may be given a full game or a view of it. It tries
every row, every colour and the score, and looks at the hand and pile that each would leave, in hundredths of
a point: how many actions are still to come, whether they suffice to lay the groups in hand and to score
them, what the unfinished groups are good for, which colours are blocked or soon will be, and the bonus.
Whole numbers only, so that every machine decides alike. The weights were found by letting thousands
of slightly different players compete.
"""

import numpy as np

from lynxden.games.blocco import rules
from lynxden.games.jit import advance, below, kernel

POINT = 100
WORST = -1_000_000

# What a player weighs: places in an array of weights.
(
    NOISE,  # how far luck may change the worth of an action
    PILE,  # a card on the blocking pile while there is time to score it: it blocks, and others can join it
    GROUP,  # a card of a whole group in hand that there is time to lay and to score
    BLOCKED,  # how much less it is worth if another player blocks its colour
    LOOSE,  # a card of an unfinished group, apart from hope
    PATIENCE,  # how many actions it takes to finish a group; with fewer to come there is less hope
    SPARE,  # an action to come that the cards in hand do not need
    BONUS,  # a card that another player has to give me
    TOP,  # the hope of such cards, for each point of the number on top of my pile
    RACE,  # laying a colour first, for each card of it that a rival is known to hold and could lay
    PACE,  # rows that the players take in 20 of their turns
    HOPE,  # what each card of an unfinished group gains by it: one of two,
    HOPE_1_OF_3,  # one of three, …
    HOPE_2_OF_3,
    HOPE_1_OF_4,
    HOPE_2_OF_4,
    HOPE_3_OF_4,
) = range(17)
WEIGHTS = np.array([0, 130, 90, 35, -80, 4, 45, 190, 40, 10, 17, 50, 50, 65, 20, 55, 65])
"""The weights of the greedy bot."""
PLAYOUTS = WEIGHTS.copy()
"""A little luck, so that a search does not count on exactly one answer."""
PLAYOUTS[NOISE] = 120
FALLIBLE = WEIGHTS.copy()
"""Knows the game, and errs where actions are close."""
FALLIBLE[NOISE] = 280
CARELESS = WEIGHTS.copy()
"""Sees no rivals, does not plan for the bonus, and is easily misled."""
CARELESS[[NOISE, BLOCKED, BONUS, TOP, RACE]] = 3000, 0, 0, 0, 0


@kernel
def choose(game, weights, rng):
    """The action of the deciding seat, as a player with these weights sees it."""
    if game.phase == rules.ACT:
        return choose_action(game, int(game.active), weights, rng)
    if game.phase == rules.FROM:
        return choose_giver(game)
    return choose_gift(game, int(game.actor), weights, rng)


@kernel
def luck(weights, rng):
    """How much better an action looks than it is, to a player who is not sure."""
    return below(rng, int(weights[NOISE])) if weights[NOISE] else 0


# --- Time -------------------------------------------------------------------------------------------


@kernel
def turns_left(game, taking, weights):
    """A guess at how many more turns each player gets."""
    rows = (int(game.deck_size) + 2) // 3 + rules.LAST_EMPTY - int(game.empty) - taking
    return 20 * max(0, rows) // (weights[PACE] * int(game.players))


# --- What a hand is worth ---------------------------------------------------------------------------


@kernel
def worth(hand, pile, top, blocked, actions, weights):
    """What a hand and a blocking pile are worth to their owner, who has so many actions to come."""
    value = worth_of_hand(hand, pile, blocked, actions, weights)
    if actions:
        value += weights[PILE] * pile + weights[TOP] * rules.number_on(top)
    return value


@kernel
def worth_of_hand(hand, pile, blocked, actions, weights):
    """The most cards are laid first, a colour an action, and the last action scores them.

    What is laid without being scored counts nothing, what is not laid counts against its owner.
    """
    groups = cards_in_groups(hand)
    hope = min(max(actions - 1, 0), weights[PATIENCE])
    value = 0
    lays = 0
    for colour in range(1, rules.COLOURS + 1):
        whole = rules.held(groups, colour)
        loose = rules.held(hand, colour) - whole
        if loose:
            gain = 2 * weights[HOPE + hope_of(rules.number_on(colour), loose)] * hope // weights[PATIENCE]
            value += loose * (weights[LOOSE] + gain)
        if whole:
            rank = colours_before(groups, colour)
            if rank < actions - 1:
                lays += 1
                value += whole * (weights[GROUP] - (weights[BLOCKED] if blocked >> (8 * colour) & 1 else 0))
            elif rank > actions - 1:
                value -= whole * POINT
    needed = lays + 1 if lays or pile else 0
    return value + weights[SPARE] * max(0, actions - needed)


@kernel
def hope_of(number, loose):
    """The place of an unfinished group among the hopes: one of two, one of three, two of three and so on."""
    return (number - 2) * (number - 1) // 2 + loose - 1


@kernel
def cards_in_groups(hand):
    """The part of a hand that makes whole groups, as a heap without a total."""
    groups = 0
    for colour in range(1, rules.COLOURS + 1):
        groups |= rules.whole_groups(hand, colour) * rules.number_on(colour) << (8 * colour)
    return groups


@kernel
def colours_before(groups, colour):
    """How many colours have more cards to lay; of equal ones, those that come first."""
    mine = rules.held(groups, colour)
    count = 0
    for other in range(1, rules.COLOURS + 1):
        count += rules.held(groups, other) + (other < colour) > mine
    return count


# --- Choices ----------------------------------------------------------------------------------------


@kernel
def choose_action(game, seat, weights, rng):
    hand = int(game.hands[seat])
    pile = int(game.pile_size[seat])
    top = int(game.top[seat])
    blocked = int(game.tops) & ~rules.colour_mask(top)
    actions = int(game.left) - 1 + 2 * turns_left(game, 0, weights)
    best = -1
    best_worth = WORST
    if pile:
        best = rules.SCORE
        best_worth = POINT * pile + weights[BONUS] * bonus(game, seat, top)
        best_worth += worth(hand, 0, 0, blocked, actions, weights) + luck(weights, rng)
    for colour in range(1, rules.COLOURS + 1):
        groups = 0 if blocked >> (8 * colour) & 1 else rules.whole_groups(hand, colour)
        if groups:
            laid = groups * rules.number_on(colour)
            value = worth(hand - rules.cards(colour, laid), pile + laid, colour, blocked, actions, weights)
            value += weights[RACE] * rivals_cards(game, seat, colour)
            rng = advance(rng)
            value += luck(weights, rng)
            if value > best_worth:
                best_worth = value
                best = rules.BLOCKS + int(rules.FIRST_LAY[colour]) + groups - 1
    actions = int(game.left) - 1 + 2 * turns_left(game, 1, weights)
    for place in range(rules.PLACES):
        row = int(game.rows[place])
        if row:
            rng = advance(rng)
            value = worth(hand + row, pile, top, blocked, actions, weights) + luck(weights, rng)
            if value > best_worth:
                best_worth = value
                best = rules.TAKES + place
    return best


@kernel
def bonus(game, seat, top):
    """The cards that scoring would bring from the fullest hand."""
    most = rules.most_cards(game)
    if rules.size(game.hands[seat]) == most:
        return 0
    return min(most, rules.number_on(top))


@kernel
def rivals_cards(game, seat, colour):
    """Cards of a colour in hands that are known to hold a whole group of it."""
    found = 0
    for player in range(game.players):
        if player != seat and rules.held(game.known[player], colour) >= rules.number_on(colour):
            found += rules.held(game.known[player], colour)
    return found


@kernel
def choose_giver(game):
    """Of the players with the most cards, the one with the most points; of equals the next to the left."""
    most = rules.most_cards(game)
    best = -1
    best_score = WORST
    for steps in range(1, game.players):
        seat = rules.to_the_left(game, steps)
        if rules.size(game.hands[seat]) == most and rules.score(game, seat) > best_score:
            best_score = rules.score(game, seat)
            best = steps
    return rules.FROMS + best


@kernel
def choose_gift(game, seat, weights, rng):
    """The card that I miss least, as far as there is time to lay the others."""
    hand = int(game.hands[seat])
    blocked = int(game.tops) & ~rules.colour_mask(int(game.top[seat]))
    actions = 2 * turns_left(game, 0, weights)
    best = -1
    best_worth = WORST
    for colour in range(1, rules.COLOURS + 1):
        if rules.held(hand, colour):
            rng = advance(rng)
            value = worth_of_hand(hand - rules.cards(colour, 1), 0, blocked, actions, weights)
            value += luck(weights, rng)
            if value > best_worth:
                best_worth = value
                best = colour
    return rules.GIVES + best - 1
