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
from lynxden.games.jit import kernel

POINT = 100
WORST = -1_000_000
PILE = 130
"""A card on the blocking pile while there is time to score it: it blocks, and others can join it."""
GROUP = 90
"""A card of a whole group in hand that there is time to lay and to score."""
BLOCKED = 35
"""How much less it is worth if another player blocks its colour."""
LOOSE = -80
"""A card of an unfinished group, apart from hope."""
PATIENCE = 4
"""How many actions it takes to finish a group, more or less; with fewer to come there is less hope."""
SPARE = 45
"""An action to come that the cards in hand do not need."""
BONUS = 190
"""A card that another player has to give me."""
TOP = 40
"""The hope of such cards, for each point of the number on top of my pile."""
RACE = 10
"""Laying a colour first, for each card of it that a rival is known to hold and could lay."""

HOPE = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [0, 50, 0, 0], [0, 50, 65, 0], [0, 20, 55, 65]], np.int8)
"""What each card of an unfinished group gains by it, by the number on the cards and how many there are."""


@kernel
def choose(game):
    """The action of whoever decides, as the heuristic sees it."""
    if game.phase == rules.ACT:
        return choose_action(game, int(game.active))
    if game.phase == rules.FROM:
        return choose_giver(game)
    return choose_gift(game, int(game.actor))


# --- Time -------------------------------------------------------------------------------------------


@kernel
def turns_left(game, taking):
    """A guess at how many more turns each player gets: players take about five rows in four turns."""
    rows = (int(game.deck_size) + 2) // 3 + rules.LAST_EMPTY - int(game.empty) - taking
    return 4 * max(0, rows) // (5 * int(game.players))


# --- What a hand is worth ---------------------------------------------------------------------------


@kernel
def worth(hand, pile, top, blocked, actions):
    """What a hand and a blocking pile are worth to their owner, who has so many actions to come."""
    value = worth_of_hand(hand, pile, blocked, actions)
    if actions:
        value += PILE * pile + TOP * rules.number_on(top)
    return value


@kernel
def worth_of_hand(hand, pile, blocked, actions):
    """The most cards are laid first, a colour an action, and the last action scores them.

    What is laid without being scored counts nothing, what is not laid counts against its owner.
    """
    groups = cards_in_groups(hand)
    hope = min(max(actions - 1, 0), PATIENCE)
    value = 0
    lays = 0
    for colour in range(1, rules.COLOURS + 1):
        whole = rules.held(groups, colour)
        loose = rules.held(hand, colour) - whole
        value += loose * (LOOSE + 2 * int(HOPE[rules.number_on(colour), loose]) * hope // PATIENCE)
        if whole:
            rank = colours_before(groups, colour)
            if rank < actions - 1:
                lays += 1
                value += whole * (GROUP - BLOCKED if blocked >> (8 * colour) & 1 else GROUP)
            elif rank > actions - 1:
                value -= whole * POINT
    needed = lays + 1 if lays or pile else 0
    return value + SPARE * max(0, actions - needed)


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
def choose_action(game, seat):
    hand = int(game.hands[seat])
    pile = int(game.pile_size[seat])
    top = int(game.top[seat])
    blocked = int(game.tops) & ~rules.colour_mask(top)
    actions = int(game.left) - 1 + 2 * turns_left(game, 0)
    best = -1
    best_worth = WORST
    if pile:
        best = rules.SCORE
        best_worth = POINT * pile + BONUS * bonus(game, seat, top) + worth(hand, 0, 0, blocked, actions)
    for colour in range(1, rules.COLOURS + 1):
        groups = 0 if blocked >> (8 * colour) & 1 else rules.whole_groups(hand, colour)
        if groups:
            laid = groups * rules.number_on(colour)
            value = worth(hand - rules.cards(colour, laid), pile + laid, colour, blocked, actions)
            value += RACE * rivals_cards(game, seat, colour)
            if value > best_worth:
                best_worth = value
                best = rules.BLOCKS + int(rules.FIRST_LAY[colour]) + groups - 1
    actions = int(game.left) - 1 + 2 * turns_left(game, 1)
    for place in range(rules.PLACES):
        row = int(game.rows[place])
        if row:
            value = worth(hand + row, pile, top, blocked, actions)
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
    seat = int(game.active)
    for _ in range(game.players - 1):
        seat = 0 if seat + 1 == game.players else seat + 1
        if rules.size(game.hands[seat]) == most and rules.score(game, seat) > best_score:
            best_score = rules.score(game, seat)
            best = seat
    return rules.FROMS + best


@kernel
def choose_gift(game, seat):
    """The card that I miss least, as far as there is time to lay the others."""
    hand = int(game.hands[seat])
    blocked = int(game.tops) & ~rules.colour_mask(int(game.top[seat]))
    actions = 2 * turns_left(game, 0)
    best = -1
    best_worth = WORST
    for colour in range(1, rules.COLOURS + 1):
        if rules.held(hand, colour):
            value = worth_of_hand(hand - rules.cards(colour, 1), 0, blocked, actions)
            if value > best_worth:
                best_worth = value
                best = colour
    return rules.GIVES + best - 1
