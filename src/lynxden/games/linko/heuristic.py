"""A quick, explainable way to play Linko: a decent opponent, and a guide for playouts.

`choose` reads only what the deciding seat may know, so it may be given a full game or a view of it. It
weighs, in hundredths of a card: the points laid, what lies open to snatching given what is known and
unseen, what is snatched and whether to keep it, the bait of a good display, the sprint to the end, and
the exhaustion of the cards. Whole numbers only, so that every machine decides alike.
"""

import numpy as np

from lynxden.games.jit import advance, below, kernel
from lynxden.games.linko import rules

CARD = 100
"""What one card on the table is worth."""
WIN = 1_000_000
CERTAIN = 1024
"""Chances are given in parts of this."""
ALL_CARDS = sum(rules.COPIES << (4 * value) for value in range(1, rules.VALUES + 1)) + (
    rules.JOKERS << (4 * rules.JOKER)
)
"""All cards of the game, as a heap."""

# What a player weighs: places in an array of weights.
(
    NOISE,  # how far luck may change the worth of an action
    JOKER_KEPT,  # a joker that stays in hand for a better set
    SPLIT,  # the cost of leaving cards of the same value in hand: they will need a turn of their own
    HEIGHT,  # for each step of a set's value: laying high cards early or late
    MORE,  # for each card of a set beyond the first
    SNATCH,  # snatching at all
    SNATCHED,  # for each card that is snatched
    DANGER,  # a card that will surely be snatched: at least this, in mid-game
    DANGER_LATE,  # the same when the end has come
    DANGER_TURN,  # how much less for each turn that is left
    BAIT,  # how much less while the display holds good cards
    TAKE_TURNS,  # turns that must be left to take a layer that joins a set
    TAKE_STRANGER,  # the same for a layer of several other cards
    TAKE_SINGLE,  # the same for one other card
    TAKE_SPARE,  # how many turns of these must be free from laying the hand
    BACK_SINGLE,  # a single card of this value or a higher one is reclaimed
    BACK_SET,  # the same for a set
    DECK,  # a card from the deck: about as good as a middling stranger
    PASS,  # no card at all
    PASS_TURNS,  # with so many turns left it is too late to lay what is drawn
    CARD_HEIGHT,  # a card from the display, for each step of its value
    JOIN,  # one that joins a set
    JOIN_MORE,  # for each card of that set
    JOIN_JOKER,  # a joker
    PAIR,  # one of two that can both be drawn
    CIRCLES,  # how much more for each turn without progress
) = range(26)
WEIGHTS = np.array(
    [
        0, 146, 45, -10, -10, 100, 80, 7, 134, 25, 30, 2, 3, 9, -1, 7, 4,
        173, 250, 2, 8, 300, 20, 600, 100, 30,
    ]
)  # fmt: skip
"""The weights of the greedy bot."""
PLAYOUTS = WEIGHTS.copy()
"""A little luck, so that a search does not count on exactly one answer."""
PLAYOUTS[NOISE] = 120
FALLIBLE = WEIGHTS.copy()
"""Knows the game, and errs where actions are close."""
FALLIBLE[NOISE] = 500
CARELESS = WEIGHTS.copy()
"""Sees neither danger nor bait, clings to nothing, and is easily misled."""
CARELESS[[NOISE, JOKER_KEPT, HEIGHT, DANGER, DANGER_LATE, BAIT]] = 1500, 0, 0, 0, 0, 0


@kernel
def choose(game, weights, rng):
    """The action of the deciding seat, as a player with these weights sees it."""
    seat = int(game.actor)
    phase = game.phase
    if phase == rules.PLAY:
        return choose_play(game, seat, weights, rng)
    if phase == rules.TAKE:
        return rules.TAKE_IT if wants_layer(game, seat, weights, rng) else rules.LEAVE_IT
    if phase == rules.RECLAIM:
        return rules.RECLAIM_IT if wants_back(game, seat, weights, rng) else rules.DISCARD_IT
    if phase == rules.SNATCH:
        return choose_set(game, seat)
    return choose_draw(game, seat, weights, rng)


@kernel
def luck(weights, rng):
    """How much better an action looks than it is, to a player who is not sure."""
    return below(rng, int(weights[NOISE])) if weights[NOISE] else 0


# --- What can be known ------------------------------------------------------------------------------


@kernel
def hidden_cards(game, seat):
    """Cards that `seat` cannot place: the deck, and the unknown part of the other hands."""
    count = int(game.deck_size)
    for player in range(game.players):
        if player != seat:
            count += unknown_in_hand(game, player)
    return count


@kernel
def unknown_in_hand(game, player):
    count = int(game.hand_size[player])
    known = game.known[player]
    for card in range(1, rules.JOKER + 1):
        count -= rules.held(known, card)
    return count


@kernel
def unseen_cards(game, seat):
    """Every card that `seat` cannot place (the cards of groups apart), as a heap."""
    heap = ALL_CARDS - game.laid - game.discards - game.row - game.hands[seat]
    for player in range(game.players):
        if player != seat:
            heap -= game.known[player]
    for slot in range(rules.SLOTS):
        if rules.slot_card(game, slot):
            heap -= rules.cards(rules.slot_card(game, slot), 1)
    return heap


@kernel
def cards_to_draw(game):
    """Draws that are left in deck and display."""
    count = int(game.deck_size)
    for slot in range(rules.SLOTS):
        if rules.slot_card(game, slot):
            count += 1
    return count


@kernel
def turns_left(game, seat):
    """A guess at how many turns remain: the shortest other hand, at three cards in two turns.

    Or until the cards run out, if everybody draws one a turn.
    """
    shortest = 99
    for player in range(game.players):
        if player != seat:
            shortest = min(shortest, int(game.hand_size[player]))
    rounds = 1
    cards = cards_to_draw(game)
    while cards >= game.players:
        cards -= int(game.players)
        rounds += 1
    return min((2 * shortest + 2) // 3, rounds)


@kernel
def values_in_hand(game, seat):
    """How many turns this hand needs, laying all cards of a value at once."""
    count = 0
    for value in range(1, rules.VALUES + 1):
        if rules.held(game.hands[seat], value):
            count += 1
    return count


@kernel
def lead(game, seat):
    """Points ahead of the best other player; negative if behind."""
    best = -200
    for player in range(game.players):
        if player != seat:
            best = max(best, rules.score(game, player))
    return rules.score(game, seat) - best


# --- Playing ----------------------------------------------------------------------------------------


@kernel
def choose_play(game, seat, weights, rng):
    """The best set to lay: all cards of a value, or as many as some opponent's top layer has.

    For each size the values are tried from the top, so that the danger from higher sets adds up on the way.
    """
    hand = game.hands[seat]
    held_jokers = rules.held(hand, rules.JOKER)
    largest = 1
    for value in range(1, rules.VALUES + 1):
        largest = max(largest, rules.held(hand, value))
    hidden = max(1, hidden_cards(game, seat))
    unseen = unseen_cards(game, seat)
    pressure = urgency(game, seat, weights)
    lure = bait(game, seat, weights)
    best = -1
    best_worth = -10 * WIN
    for size in range(1, largest + held_jokers + 1):
        answered = matches_a_top(game, seat, size)
        threat = 0
        for value in range(rules.JOKER, 0, -1):
            danger = threat
            if value >= rules.VALUES and game.options & rules.ONES_SNATCH:
                danger += threats(game, seat, 1, size, hidden, unseen)
            held = 0 if value == rules.JOKER else rules.held(hand, value)
            for jokers in range(max(0, size - held), min(size, held_jokers) + 1):
                count = size - jokers
                if value < rules.JOKER and count == 0:
                    continue
                if count < held and (jokers or not answered):
                    continue
                rng = advance(rng)
                worth = worth_of_play(game, seat, value, count, jokers, answered, weights)
                worth -= danger * size * (pressure - (lure if size <= 2 else 0)) // (CERTAIN + danger)
                worth += luck(weights, rng)
                if worth > best_worth:
                    best_worth = worth
                    best = play_number(value, count, jokers)
            threat += threats(game, seat, value, size, hidden, unseen)
    return best


@kernel
def play_number(value, count, jokers):
    if value == rules.JOKER:
        return rules.LONE_JOKERS + jokers - 1
    return rules.PLAYS + ((value - 1) * rules.COPIES + count - 1) * rules.WIDTH + jokers


@kernel
def urgency(game, seat, weights):
    """How much a lost card hurts: little in mid-game, much when the end is near."""
    turns = turns_left(game, seat)
    if cards_to_draw(game) < 6:
        turns = min(turns, 3)
    pressure = max(weights[DANGER], weights[DANGER_LATE] - weights[DANGER_TURN] * turns)
    if game.quiet >= 2 * int(game.players):
        pressure += weights[CIRCLES] * int(game.quiet)  # what is laid comes back, again and again
    return pressure


@kernel
def matches_a_top(game, seat, count):
    for player in range(game.players):
        if player != seat and rules.layer_size(rules.top_layer(game, player)) == count:
            return True
    return False


@kernel
def worth_of_play(game, seat, value, count, jokers, answered, weights):
    """What laying these cards is worth, apart from the danger of losing them."""
    size = count + jokers
    if size == game.hand_size[seat]:
        # My last cards end the game: the best play if it wins, the worst if it loses.
        final = lead(game, seat) + 2 * size
        return WIN + final if final > 0 else final * CARD - WIN
    worth = size * CARD - jokers * weights[JOKER_KEPT] + value * weights[HEIGHT] + (size - 1) * weights[MORE]
    if value < rules.JOKER and rules.held(game.hands[seat], value) > count:
        worth -= weights[SPLIT]
    if answered:
        for player in range(game.players):
            if player != seat:
                theirs = rules.top_layer(game, player)
                if rules.layer_size(theirs) == size and rules.beats(game, value, rules.layer_value(theirs)):
                    worth += weights[SNATCHED] * size + weights[SNATCH]
    return worth


@kernel
def bait(game, seat, weights):
    """Losing a small layer is less bad while the display holds cards that would join my sets."""
    for slot in range(rules.SLOTS):
        card = rules.slot_card(game, slot)
        if card == rules.JOKER or (card and rules.held(game.hands[seat], card) >= 2):
            return weights[BAIT]
    return 0


@kernel
def threats(game, seat, card, size, hidden, unseen):
    """How many opponents hold `size` of a card, on average, in parts of `CERTAIN`.

    What is known of a hand counts in full; of the unseen cards it has its share.
    """
    loose = rules.held(unseen, card)
    total = 0
    for player in range(game.players):
        if player != seat:
            missing = size - rules.held(game.known[player], card)
            if missing <= 0:
                total += CERTAIN
            elif missing <= loose:
                unknown = unknown_in_hand(game, player)
                expected = CERTAIN * loose * unknown // hidden
                chance = expected
                for nth in range(2, missing + 1):
                    chance = chance * expected // (CERTAIN * nth)
                total += min(chance, CERTAIN)
    return total


# --- Snatched layers --------------------------------------------------------------------------------


@kernel
def wants_layer(game, seat, weights, rng):
    """Take a layer that joins a set or makes one, while there is time to lay it again."""
    victim = rules.victim(game)
    packed = rules.top_layer(game, victim)
    size = rules.layer_size(packed)
    if size >= cards_to_draw(game):
        # The victim's draw would exhaust the cards and end the game: take it if that wins.
        return final_lead_after_exhaustion(game, seat, victim, size) > 0
    turns = turns_left(game, seat)
    value = rules.layer_value(packed)
    if rules.layer_jokers(packed) or rules.held(game.hands[seat], value):
        needed = weights[TAKE_TURNS]
    else:
        needed = weights[TAKE_STRANGER] if size >= 2 else weights[TAKE_SINGLE]
        needed = max(needed, values_in_hand(game, seat) + weights[TAKE_SPARE])
    return (turns - needed) * CARD + luck(weights, rng) >= 0


@kernel
def final_lead_after_exhaustion(game, seat, victim, size):
    """My lead once I have taken the layer and the victim has drawn all that is left."""
    mine = rules.score(game, seat) - size
    best = rules.score(game, victim) - size - cards_to_draw(game)
    for player in range(game.players):
        if player != seat and player != victim:
            best = max(best, rules.score(game, player))
    return mine - best


@kernel
def wants_back(game, seat, weights, rng):
    """Reclaim sets, high cards and what joins a set; trade poor cards for a draw of my choice."""
    packed = rules.top_layer(game, seat)
    size = rules.layer_size(packed)
    value = rules.layer_value(packed)
    if size >= cards_to_draw(game):
        return lead(game, seat) - size - cards_to_draw(game) <= 0
    if rules.layer_jokers(packed) or rules.held(game.hands[seat], value):
        return True
    if size >= 2:
        return value * CARD + luck(weights, rng) >= weights[BACK_SET] * CARD
    return (
        not best_slot_joins(game, seat) and value * CARD + luck(weights, rng) >= weights[BACK_SINGLE] * CARD
    )


@kernel
def best_slot_joins(game, seat):
    """Whether the display offers a joker or a card of which I hold some."""
    for slot in range(rules.SLOTS):
        card = rules.slot_card(game, slot)
        if card == rules.JOKER or (card and rules.held(game.hands[seat], card)):
            return True
    return False


@kernel
def choose_set(game, seat):
    """Duel: of the beaten sets of the row, the one that joins most cards in hand."""
    best = -1
    best_worth = -1
    for value in range(1, rules.VALUES):
        if rules.row_set_is_beaten(game, value):
            worth = rules.held(game.hands[seat], value) * 16 + value
            if worth > best_worth:
                best_worth = worth
                best = value
    return rules.SNATCHES + best - 1


# --- Drawing ----------------------------------------------------------------------------------------


@kernel
def choose_draw(game, seat, weights, rng):
    """Jokers and cards that join a set; otherwise luck, or no card at all if that is allowed."""
    best = -1
    best_worth = weights[DECK] + luck(weights, rng)
    if game.phase == rules.OPTIONAL:
        best = rules.PASS
        best_worth = weights[PASS] + luck(weights, rng)
        if turns_left(game, seat) <= weights[PASS_TURNS]:
            best_worth = WIN  # too late to lay what is drawn now
        if cards_to_draw(game) == 1 and lead(game, seat) > 1:
            best_worth = -WIN  # the last card: drawing it ends the game, and I am ahead
    elif game.deck_size:
        best = rules.DRAW_DECK
    else:
        best_worth = -WIN
    for slot in range(rules.SLOTS):
        if rules.slot_card(game, slot):
            rng = advance(rng)
            worth = worth_of_slot(game, seat, slot, weights) + luck(weights, rng)
            if worth > best_worth:
                best_worth = worth
                best = slot_action(game, slot)
    if best < 0 or (best_worth == -WIN and game.deck_size):
        best = rules.DRAW_DECK
    return best


@kernel
def slot_action(game, slot):
    """The action that draws this slot, or the leftmost one with the same cards."""
    if not rules.pile_size(game, slot):
        return rules.DRAW_CARD + rules.slot_card(game, slot) - 1
    for left in range(slot):
        if rules.same_cards(game, left, slot):
            return rules.DRAW_PILE + left
    return rules.DRAW_PILE + slot


@kernel
def worth_of_slot(game, seat, slot, weights):
    worth = worth_of_card(game, seat, rules.slot_card(game, slot), weights)
    for place in range(rules.pile_size(game, slot)):
        worth += worth_of_card(game, seat, int(game.piles[slot, place]), weights) - CARD // 2
    return worth


@kernel
def worth_of_card(game, seat, card, weights):
    """A card in hand: jokers always fit, cards that join a set need no turn of their own."""
    if card == rules.JOKER:
        return weights[JOIN_JOKER]
    worth = weights[CARD_HEIGHT] * card
    held = rules.held(game.hands[seat], card)
    if held:
        worth += weights[JOIN] + weights[JOIN_MORE] * held
    if game.owed >= 2:
        equal = 0
        for slot in range(rules.SLOTS):
            if rules.slot_card(game, slot) == card:
                equal += 1
        if equal >= 2:
            worth += weights[PAIR]
    return worth
