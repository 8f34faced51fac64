"""The rules of Linko, in every edition: the game record, the deal, what is legal, what it does, the end.

Sources: the Italian, Korean and French rulebooks of the first edition (2015) for `classic`, the Polish
rulebook of 2022 for the other four. `docs/rules/linko.md` has the rules in words and lists every
ruling; the functions below follow it in the same order. Nothing else in this project decides what is
legal.

Cards are numbers: 1 to 13, and 14 for a joker, so that jokers alone are simply the highest value.
A hand, or any other heap of cards, is one number too, with four bits for the count of each card: `held`
reads them, `cards` makes them, and heaps are added and subtracted like numbers. The display is kept alike,
with four bits a slot. One number is read from memory at once, which is most of what makes this fast.
Actions are numbers too (`PLAYS` … `SNATCHES` below); `actions.py` gives them their names.
"""

import numpy as np

from lynxden.games.jit import count_bits, draw_top, kernel, nth_bit, record, shuffle_deck

VERSION = 2
"""Raised when a rule changes such that a recorded game could be read differently. Version 1 knew no end
without progress; it can still be played, by an option."""

SEATS = 5
VALUES = 13
JOKER = 14
COPIES, JOKERS = 8, 5
CARDS = VALUES * COPIES + JOKERS
HAND = 13
SLOTS = 6
ROW = 13
PILE = 14
"""The most cards one slot can hold: its first card, eight 13s and five jokers."""

# Options are flags in one number; `options.py` names them.
OPTIONAL_DRAW, ONES_SNATCH, FEWEST_CARDS, VIRTUAL, ENDLESS = 1, 2, 4, 8, 16

# Above them, a byte for each size says how much smaller it is in a reduced game; the whole game has zeros.
VALUES_SHORT, COPIES_SHORT, JOKERS_SHORT, HAND_SHORT, SLOTS_SHORT = 8, 16, 24, 32, 40
REDUCED = 1 << VALUES_SHORT
"""Options from this number on are those of a reduced game."""

# Whose decision it is of which kind: the phases of a turn.
PLAY, SNATCH, TAKE, RECLAIM, DRAW, OPTIONAL, OVER = range(7)

PHASES = ("play", "snatch", "take or leave", "reclaim or discard", "draw", "draw or pass", "over")

# Why a game ended.
HAND_EMPTY, CARDS_EXHAUSTED, NO_PROGRESS = 1, 2, 3
REASONS = ("", "hand-empty", "cards-exhausted", "no-progress")

QUIET_TURNS = 100
"""After so many turns in a row without progress a game ends: no card drawn, none discarded, none added to the
virtual player's row."""

# Action numbers. Laying n number cards of a value with j jokers: 8 x 6 numbers for each value.
PLAYS = 0
WIDTH = JOKERS + 1
LONE_JOKERS = PLAYS + VALUES * COPIES * WIDTH
TAKE_IT = LONE_JOKERS + JOKERS
LEAVE_IT = TAKE_IT + 1
RECLAIM_IT = LEAVE_IT + 1
DISCARD_IT = RECLAIM_IT + 1
PASS = DISCARD_IT + 1
DRAW_DECK = PASS + 1
DRAW_CARD = DRAW_DECK + 1  # + card - 1: a slot that holds just this card
DRAW_PILE = DRAW_CARD + JOKER  # + slot: a slot that holds a group (duel)
SNATCHES = DRAW_PILE + SLOTS  # + value - 1: a set of the virtual player's row (duel)
ACTIONS = SNATCHES + VALUES - 1

# How many number cards and jokers each of a value's plays takes, in the order of their numbers.
PLAY_CARDS = np.array([play // WIDTH + 1 for play in range(COPIES * WIDTH)], np.int8)
PLAY_JOKERS = np.array([play % WIDTH for play in range(COPIES * WIDTH)], np.int8)

WORDS = COPIES * WIDTH // 8
"""Words of eight actions that a value's plays take."""

LONGEST = (QUIET_TURNS * (CARDS + 1) + CARDS) * 11 + CARDS
"""Each turn with progress takes a card off deck or display for good, and there are at most 100 turns between
two of them. A turn has at most 11 decisions besides draws: the play, a set of the row, two for each of four
opponents, and a pass. Real games have a few hundred."""
SCORES = (-CARDS, CARDS)
"""A point for each card on the table, one off for each in hand."""

RECORD = record(
    [
        ("hands", "i8", SEATS),
        ("known", "i8", SEATS),  # the part of each hand that everybody knows of
        ("laid", "i8"),  # cards in front of all players together
        ("discards", "i8"),
        ("row", "i8"),  # the virtual player's cards (duel)
        ("slots", "i8"),  # the first card of each display slot; 0: an empty slot
        ("pile_sizes", "i8"),  # how many cards lie on it (duel)
        ("options", "i8"),
        ("tops", "i2", SEATS),  # the top layer of each player, once more: it is looked at most
        ("players", "i1"),
        ("active", "i1"),  # whose turn it is
        ("actor", "i1"),  # who decides now: the active player, or a victim
        ("phase", "i1"),
        ("compared", "i1"),  # how many opponents the played layer was compared with
        ("snatched", "i1"),  # 1 once anybody was snatched from this turn
        ("owed", "i1"),  # cards the actor still has to draw
        ("quiet", "i1"),  # turns in a row without progress; -1: there was some in this turn
        ("reason", "i1"),  # why the game ended; 0 while it goes on
        ("deck_size", "i1"),
        ("row_size", "i1"),
        ("hand_size", "i1", SEATS),
        ("table_size", "i1", SEATS),  # cards in front of each player
        ("layer_count", "i1", SEATS),
        ("piles", "i1", (SLOTS, PILE)),
        ("deck", "i1", CARDS),  # bottom first: the top card is deck[deck_size - 1]
        ("layers", "i2", (SEATS, CARDS)),  # bottom first, each packed by `layer`
    ]
)


# --- Heaps of cards ---------------------------------------------------------------------------------


@kernel
def cards(card, count):
    """So many of a card."""
    return count << (4 * card)


@kernel
def held(heap, card):
    """How many of a card are in a heap."""
    return heap >> (4 * card) & 15


@kernel
def slot_card(game, slot):
    """The first card of a display slot; 0 if the slot is empty."""
    return held(game.slots, slot)


@kernel
def pile_size(game, slot):
    """How many cards lie on the first card of a slot: more than none make a group (duel)."""
    return held(game.pile_sizes, slot)


# --- Layers -----------------------------------------------------------------------------------------


@kernel
def layer(value, count, jokers):
    """A set on the table as one number: its value, how many cards, how many of them jokers."""
    return value | (count << 4) | (jokers << 8)


@kernel
def layer_value(packed):
    return int(packed) & 15


@kernel
def layer_size(packed):
    return (int(packed) >> 4) & 15


@kernel
def layer_jokers(packed):
    return int(packed) >> 8


@kernel
def layer_cards(packed):
    """The cards of a set as a heap."""
    jokers = layer_jokers(packed)
    return cards(layer_value(packed), layer_size(packed) - jokers) + cards(JOKER, jokers)


@kernel
def top_layer(game, seat):
    """The last set laid in front of a player, the only one that can be snatched; 0 if there is none."""
    return int(game.tops[seat])


@kernel
def put_layer(game, seat, packed):
    """Lay a set on top of a player's others."""
    game.layers[seat, game.layer_count[seat]] = packed
    game.layer_count[seat] += 1
    game.tops[seat] = packed


@kernel
def lift_layer(game, seat):
    """Take the top layer off a player's table."""
    packed = top_layer(game, seat)
    below = int(game.layer_count[seat]) - 1
    game.layer_count[seat] = below
    game.layers[seat, below] = 0
    game.tops[seat] = game.layers[seat, below - 1] if below else 0
    game.table_size[seat] -= layer_size(packed)
    game.laid -= layer_cards(packed)
    return packed


# --- The deal ---------------------------------------------------------------------------------------


@kernel
def clear(game):
    """An empty table; the deck is written anew by the deal."""
    game.options = 0
    game.players = 0
    game.active = 0
    game.actor = 0
    game.phase = PLAY
    game.compared = 0
    game.snatched = 0
    game.owed = 0
    game.quiet = 0
    game.reason = 0
    game.deck_size = 0
    game.row_size = 0
    game.laid = 0
    game.discards = 0
    game.row = 0
    game.slots = 0
    for slot in range(SLOTS):
        for place in range(pile_size(game, slot)):
            game.piles[slot, place] = 0
    game.pile_sizes = 0
    for seat in range(SEATS):
        game.hands[seat] = 0
        game.known[seat] = 0
        game.hand_size[seat] = 0
        game.table_size[seat] = 0
        game.tops[seat] = 0
        for place in range(game.layer_count[seat]):
            game.layers[seat, place] = 0
        game.layer_count[seat] = 0


@kernel
def short(options, size):
    """By how much a size of a reduced game falls short of the whole game's."""
    return options >> size & 255


@kernel
def copies(options, card):
    """How many of a card there are: 8, and 5 jokers. A reduced deck has the lowest values, and always 13s."""
    if card == JOKER:
        return JOKERS - short(options, JOKERS_SHORT)
    if VALUES - short(options, VALUES_SHORT) <= card < VALUES:
        return 0
    return COPIES - short(options, COPIES_SHORT)


@kernel
def left_out(options):
    """The cards that a reduced deck lacks, as a heap."""
    heap = cards(JOKER, JOKERS - copies(options, JOKER))
    for card in range(1, VALUES + 1):
        heap += cards(card, COPIES - copies(options, card))
    return heap


@kernel
def deal(game, options, players, starter, seed):
    """Shuffle all 109 cards and set up the table. The same seed gives the same game everywhere."""
    clear(game)
    place = 0
    for card in range(1, JOKER + 1):
        count = copies(options, card)
        for copy in range(count):
            game.deck[place + copy] = card
        place += count
    game.deck_size = place
    shuffle_deck(game, seed)
    lay_out(game, options, players, starter)


@kernel
def lay_out(game, options, players, starter):
    """13 cards to each hand, seat by seat, then six to the display; the rest is the deck.

    Duel: each player first takes two jokers, so 11 cards follow; then the virtual row is filled.
    What a reduced deck lacks counts as discarded, as everybody knows.
    """
    game.options = options
    game.players = players
    game.active = starter
    game.actor = starter
    game.phase = PLAY
    if options >= REDUCED:
        game.discards = left_out(options)
    if options & VIRTUAL:
        take_jokers(game)
    hand = HAND - short(options, HAND_SHORT)
    for seat in range(players):
        dealt = 0
        for _ in range(hand - int(game.hand_size[seat])):
            dealt += cards(draw_top(game), 1)
        game.hands[seat] += dealt
        game.hand_size[seat] = hand
    refill_display(game)
    if options & VIRTUAL:
        fill_row(game)
        game.quiet = 0


@kernel
def take_jokers(game):
    """Duel: two jokers to each player, as everybody sees; the topmost four, the deck closing up."""
    found = 0
    place = int(game.deck_size) - 1
    while found < 4:
        if game.deck[place] == JOKER:
            for above in range(place, int(game.deck_size) - 1):
                game.deck[above] = game.deck[above + 1]
            draw_top(game)
            add_to_hand(game, found // 2, JOKER, 1)
            game.known[found // 2] += cards(JOKER, 1)
            found += 1
        place -= 1


@kernel
def add_to_hand(game, seat, card, count):
    game.hands[seat] += cards(card, count)
    game.hand_size[seat] += count


# --- What is legal ----------------------------------------------------------------------------------
#
# `legal_after` is the one generator: it decides what is legal, and lists it in rising order. Picking one
# legal action at random, or marking them all, is quicker without it: `legal_count`, `legal_at` and
# `legal_mask` are those shortcuts, and the tests hold them to the generator.


@kernel
def legal_after(game, number):
    """The lowest legal action above `number`, or -1. Start with -1 to list them all."""
    phase = game.phase
    if phase == PLAY:
        return play_after(game, number)
    if phase == DRAW:
        return draw_after(game, number)
    if phase == OPTIONAL:
        return PASS if number < PASS else draw_after(game, number)
    if phase == TAKE:
        return either_after(number, TAKE_IT, LEAVE_IT)
    if phase == RECLAIM:
        return either_after(number, RECLAIM_IT, DISCARD_IT)
    if phase == SNATCH:
        return beaten_set_after(game, number)
    return -1


@kernel
def legal_count(game):
    """How many actions are legal."""
    phase = game.phase
    if phase == PLAY:
        jokers = held(game.hands[game.active], JOKER)
        return (int(game.hand_size[game.active]) - jokers) * (jokers + 1) + jokers
    if phase == DRAW:
        return count_draws(game)
    if phase == OPTIONAL:
        return 1 + count_draws(game)
    if phase == TAKE or phase == RECLAIM:
        return 2
    if phase == SNATCH:
        return count_beaten_sets(game)
    return 0


@kernel
def legal_at(game, index):
    """The index-th legal action, counted from 0."""
    phase = game.phase
    if phase == PLAY:
        return play_at(game, index)
    if phase == DRAW:
        return draw_at(game, index)
    if phase == OPTIONAL:
        return PASS if index == 0 else draw_at(game, index - 1)
    if phase == TAKE:
        return TAKE_IT + index
    if phase == RECLAIM:
        return RECLAIM_IT + index
    return beaten_set_at(game, index)


@kernel
def legal_mask(game, row):
    """Write a 1 for each legal action and a 0 for every other."""
    if game.phase == PLAY:
        play_mask(game, row)
        return
    for number in range(ACTIONS):
        row[number] = 0
    number = legal_after(game, -1)
    while number >= 0:
        row[number] = 1
        number = legal_after(game, number)


@kernel
def play_mask(game, row):
    """All plays at once, without a branch: enough cards of the value, and enough jokers."""
    hand = game.hands[game.active]
    held_jokers = np.int8(held(hand, JOKER))
    for value in range(VALUES):
        held_cards = np.int8(held(hand, value + 1))
        for play in range(COPIES * WIDTH):
            row[PLAYS + value * COPIES * WIDTH + play] = (
                PLAY_CARDS[play] <= held_cards and PLAY_JOKERS[play] <= held_jokers
            )
    for number in range(LONE_JOKERS, ACTIONS):
        row[number] = number - LONE_JOKERS < held_jokers


@kernel
def legal_word(game, word):
    """Eight places of a mask, a byte each, as one number: masks by many threads a game."""
    first = 8 * word
    if game.phase == PLAY:
        return play_word(game, word)
    found = 0
    if first + 8 > LONE_JOKERS:  # nothing but plays comes before that
        number = legal_after(game, first - 1)
        while first <= number < first + 8:
            found |= 1 << (8 * (number - first))
            number = legal_after(game, number)
    return found


@kernel
def play_word(game, word):
    """Eight plays: the words of a value come one after the other, and then that of jokers alone."""
    hand = game.hands[game.active]
    held_jokers = held(hand, JOKER)
    found = 0
    if word >= LONE_JOKERS // 8:
        for place in range(8):
            found |= int(8 * word + place < LONE_JOKERS + held_jokers) << (8 * place)
        return found
    value = word // WORDS + 1
    held_cards = held(hand, value)
    play = 8 * (word - (value - 1) * WORDS)
    count = play // WIDTH + 1
    jokers = play % WIDTH
    for place in range(8):
        found |= int(count <= held_cards and jokers <= held_jokers) << (8 * place)
        jokers += 1
        if jokers == WIDTH:
            count += 1
            jokers = 0
    return found


@kernel
def play_after(game, number):
    """Any number of cards of any one value, with any number of jokers; or jokers alone."""
    hand = game.hands[game.active]
    held_jokers = held(hand, JOKER)
    number += 1
    if number < LONE_JOKERS:
        value = number // (COPIES * WIDTH) + 1
        count = number % (COPIES * WIDTH) // WIDTH + 1
        jokers = number % WIDTH
        if jokers > held_jokers:
            count += 1
            jokers = 0
        while value <= VALUES and count > held(hand, value):
            value += 1
            count = 1
            jokers = 0
        if value <= VALUES:
            return PLAYS + ((value - 1) * COPIES + count - 1) * WIDTH + jokers
        number = LONE_JOKERS
    return number if number < LONE_JOKERS + held_jokers else -1


@kernel
def play_at(game, index):
    """Plays by value, then by number cards, then by jokers; jokers alone come last."""
    hand = game.hands[game.active]
    width = held(hand, JOKER) + 1
    value = 1
    before = 0  # plays with lower values
    plays = 0
    for card in range(1, VALUES + 1):
        plays += held(hand, card) * width
        if index >= plays:
            before = plays
            value = card + 1
    index -= before
    if value > VALUES:
        return LONE_JOKERS + index
    first = PLAYS + (value - 1) * COPIES * WIDTH
    while index >= width:
        index -= width
        first += WIDTH
    return first + index


@kernel
def either_after(number, one, other):
    """Two choices."""
    if number < one:
        return one
    return other if number < other else -1


@kernel
def single_cards(game):
    """The cards that lie alone in a display slot, as a set of bits: equal slots are one choice."""
    slots = game.slots
    piles = game.pile_sizes
    found = 0
    for slot in range(SLOTS):
        if not held(piles, slot):
            found |= 1 << held(slots, slot)
    return found & ~1  # an empty slot is no card


@kernel
def is_first_of_its_kind(game, slot):
    """Whether this slot holds a group, and no slot to its left holds the same cards."""
    if not pile_size(game, slot):
        return False
    for left in range(slot):
        if same_cards(game, left, slot):
            return False
    return True


@kernel
def same_cards(game, left, right):
    if slot_card(game, left) != slot_card(game, right) or pile_size(game, left) != pile_size(game, right):
        return False
    for place in range(pile_size(game, left)):
        if game.piles[left, place] != game.piles[right, place]:
            return False
    return True


@kernel
def draw_after(game, number):
    """Draws: the deck if it has cards, and every different slot of the display."""
    if number < DRAW_DECK and game.deck_size:
        return DRAW_DECK
    if number < DRAW_PILE - 1:
        first = max(1, number - DRAW_CARD + 2)
        singles = single_cards(game) >> first << first
        if singles:
            return DRAW_CARD + nth_bit(singles, 0) - 1
    if game.options & VIRTUAL:
        for slot in range(max(0, number - DRAW_PILE + 1), SLOTS):
            if is_first_of_its_kind(game, slot):
                return DRAW_PILE + slot
    return -1


@kernel
def count_draws(game):
    count = (1 if game.deck_size else 0) + count_bits(single_cards(game))
    if game.options & VIRTUAL:
        for slot in range(SLOTS):
            if is_first_of_its_kind(game, slot):
                count += 1
    return count


@kernel
def draw_at(game, index):
    if game.deck_size:
        if index == 0:
            return DRAW_DECK
        index -= 1
    singles = single_cards(game)
    count = count_bits(singles)
    if index < count:
        return DRAW_CARD + nth_bit(singles, index) - 1
    index -= count
    for slot in range(SLOTS):
        if is_first_of_its_kind(game, slot):
            if index == 0:
                return DRAW_PILE + slot
            index -= 1
    return -1


@kernel
def row_set_is_beaten(game, value):
    """Duel: the layer just played beats all cards of a value in the row, if they are as many and lower."""
    played = top_layer(game, int(game.active))
    return held(game.row, value) == layer_size(played) and beats(game, layer_value(played), value)


@kernel
def beaten_set_after(game, number):
    """Duel: the choice among the sets of the row that the played layer beats."""
    for value in range(max(1, number - SNATCHES + 2), VALUES):
        if row_set_is_beaten(game, value):
            return SNATCHES + value - 1
    return -1


@kernel
def count_beaten_sets(game):
    count = 0
    for value in range(1, VALUES):
        if row_set_is_beaten(game, value):
            count += 1
    return count


@kernel
def beaten_set_at(game, index):
    for value in range(1, VALUES):
        if row_set_is_beaten(game, value):
            if index == 0:
                return SNATCHES + value - 1
            index -= 1
    return -1


# --- A turn -----------------------------------------------------------------------------------------


@kernel
def apply(game, action):
    """Carry out a legal action and whatever follows from it, up to the next decision or the end."""
    phase = game.phase
    if phase == PLAY:
        play(game, action)
    elif phase == TAKE:
        if action == TAKE_IT:
            take(game)
        else:
            leave(game)
    elif phase == RECLAIM:
        if action == RECLAIM_IT:
            reclaim(game)
        else:
            discard(game)
    elif phase == DRAW:
        draw(game, action)
    elif phase == OPTIONAL:
        if action == PASS:
            pass_turn(game)
        else:
            game.owed = 1
            draw(game, action)
    elif phase == SNATCH:
        snatch_from_row(game, action - SNATCHES + 1)


@kernel
def play(game, action):
    """Lay cards of one value as a new top layer. Jokers take the value of the cards they join."""
    seat = int(game.active)
    if action < LONE_JOKERS:
        value = action // (COPIES * WIDTH) + 1
        count = action % (COPIES * WIDTH) // WIDTH + 1
        jokers = action % WIDTH
        lay_from_hand(game, seat, value, count)
    else:
        value = JOKER
        count = 0
        jokers = action - LONE_JOKERS + 1
    if jokers:
        lay_from_hand(game, seat, JOKER, jokers)
    put_layer(game, seat, layer(value, count + jokers, jokers))

    # The last card of a hand ends the game at once: nothing is snatched, nothing is drawn.
    if game.hand_size[seat] == 0:
        end(game, HAND_EMPTY)
        return

    game.snatched = 0
    game.compared = 0
    if game.options & VIRTUAL and count_beaten_sets(game):
        game.snatched = 1
        game.phase = SNATCH
    else:
        compare_next(game)


@kernel
def lay_from_hand(game, seat, card, count):
    game.hands[seat] -= cards(card, count)
    game.hand_size[seat] -= count
    game.table_size[seat] += count
    game.laid += cards(card, count)
    # A seat that was known to hold some of these holds that many fewer now.
    known = game.known[seat]
    game.known[seat] = known - cards(card, min(count, held(known, card)))


@kernel
def beats(game, value, other):
    """Strictly higher beats. Expert: a 1 also beats a 13 and jokers alone."""
    if value > other:
        return True
    return bool(game.options & ONES_SNATCH) and value == 1 and other >= VALUES


@kernel
def compare_next(game):
    """Compare the played layer with each opponent's top layer, clockwise, each once.

    As many cards of strictly higher value must snatch; what lies below is not compared this turn.
    Once all are compared the turn ends, in some editions with a draw for who snatched nothing.
    """
    played = top_layer(game, int(game.active))
    while game.compared < game.players - 1:
        game.compared += 1
        theirs = top_layer(game, victim(game))
        if layer_size(theirs) == layer_size(played) and beats(game, layer_value(played), layer_value(theirs)):
            game.snatched = 1
            game.phase = TAKE
            game.actor = game.active
            return
    game.actor = game.active
    if game.options & OPTIONAL_DRAW and not game.snatched:
        game.phase = OPTIONAL
    else:
        pass_turn(game)


@kernel
def pass_turn(game):
    """The turn goes to the left, unless too many have gone by without progress."""
    if game.quiet < QUIET_TURNS:
        game.quiet += 1
    if game.quiet == QUIET_TURNS and not game.options & ENDLESS:
        end(game, NO_PROGRESS)
        return
    game.active = clockwise(game, 1)
    game.actor = game.active
    game.phase = PLAY


@kernel
def clockwise(game, places):
    """The seat so many places to the left of the active player, and less than once around."""
    seat = int(game.active) + places
    return seat - int(game.players) if seat >= game.players else seat


@kernel
def victim(game):
    """The opponent whose top layer is being compared or was snatched."""
    return clockwise(game, int(game.compared))


@kernel
def take(game):
    """The active player takes the snatched layer; the victim draws as many cards."""
    seat = victim(game)
    packed = lift_layer(game, seat)
    layer_to_hand(game, int(game.active), packed)
    owe(game, seat, layer_size(packed))


@kernel
def leave(game):
    """The snatched layer is left to the victim, who decides what becomes of it."""
    game.phase = RECLAIM
    game.actor = victim(game)


@kernel
def reclaim(game):
    """The victim takes the layer back into hand and draws nothing."""
    seat = victim(game)
    layer_to_hand(game, seat, lift_layer(game, seat))
    compare_next(game)


@kernel
def discard(game):
    """The victim discards the layer and draws as many cards."""
    seat = victim(game)
    packed = lift_layer(game, seat)
    game.discards += layer_cards(packed)
    game.quiet = -1
    owe(game, seat, layer_size(packed))


@kernel
def layer_to_hand(game, seat, packed):
    """A layer goes to a hand, as everybody sees. A joker in a hand is a joker again."""
    add_known(game, seat, layer_cards(packed), layer_size(packed))


@kernel
def add_known(game, seat, heap, size):
    """A heap of so many cards goes to a hand, as everybody sees."""
    game.hands[seat] += heap
    game.known[seat] += heap
    game.hand_size[seat] += size


# --- Drawing ----------------------------------------------------------------------------------------


@kernel
def owe(game, seat, count):
    """A draw that is owed is compulsory, even where too few cards are left to satisfy it."""
    game.owed = count
    game.actor = seat
    game.phase = DRAW


@kernel
def draw(game, action):
    """One card from the deck, unseen, or one slot of the display, seen by all."""
    seat = int(game.actor)
    game.quiet = -1
    if action == DRAW_DECK:
        add_to_hand(game, seat, draw_top(game), 1)
    else:
        take_slot(game, seat, find_slot(game, action))

    # Deck and display both empty end the game at that instant, even in mid-draw.
    if game.deck_size == 0 and game.slots == 0:
        end(game, CARDS_EXHAUSTED)
        return

    game.owed -= 1
    if game.owed == 0:
        # Only after the whole draw is the display refilled.
        refill_display(game)
        if game.phase == OPTIONAL:
            pass_turn(game)
        else:
            compare_next(game)


@kernel
def find_slot(game, action):
    """The leftmost slot that a draw means."""
    if action >= DRAW_PILE:
        return action - DRAW_PILE
    leftmost = -1
    for slot in range(SLOTS - 1, -1, -1):
        if slot_card(game, slot) == action - DRAW_CARD + 1 and not pile_size(game, slot):
            leftmost = slot
    return leftmost


@kernel
def take_slot(game, seat, slot):
    """A slot is drawn whole: a group of the duel counts as one card drawn."""
    heap = cards(slot_card(game, slot), 1)
    size = pile_size(game, slot)
    for place in range(size):
        heap += cards(int(game.piles[slot, place]), 1)
        game.piles[slot, place] = 0
    add_known(game, seat, heap, 1 + size)
    game.slots -= cards(slot, slot_card(game, slot))
    game.pile_sizes -= cards(slot, size)


@kernel
def refill_display(game):
    """Fill the empty slots from the deck, left to right, as far as it goes."""
    for slot in range(SLOTS - short(game.options, SLOTS_SHORT)):
        if slot_card(game, slot) == 0 and game.deck_size:
            game.slots += cards(slot, draw_top(game))


# --- The virtual player of the duel -----------------------------------------------------------------


@kernel
def snatch_from_row(game, value):
    """The chosen set of the row goes to hand, nobody draws for it, and the row is refilled at once."""
    count = held(game.row, value)
    game.row -= cards(value, count)
    game.row_size -= count
    add_known(game, int(game.active), cards(value, count), count)
    fill_row(game)
    compare_next(game)


@kernel
def fill_row(game):
    """Turn up deck cards until the row has 13 cards or the deck is out; 13s and jokers go to the display.

    In a reduced game the row has as many cards as each hand has at the start, as in the whole one.
    """
    row = ROW - short(game.options, HAND_SHORT)
    while game.row_size < row and game.deck_size:
        card = draw_top(game)
        if card < VALUES:
            game.row += cards(card, 1)
            game.row_size += 1
            game.quiet = -1
        else:
            slot = slot_to_pile_on(game)
            game.piles[slot, pile_size(game, slot)] = card
            game.pile_sizes += cards(slot, 1)


@kernel
def slot_to_pile_on(game):
    """The lowest single card of the display, leftmost on ties; without one, the lowest first card."""
    best = -1
    for slot in range(SLOTS):
        if slot_card(game, slot) and not pile_size(game, slot):
            if best < 0 or slot_card(game, slot) < slot_card(game, best):
                best = slot
    if best >= 0:
        return best
    for slot in range(SLOTS):
        if slot_card(game, slot) and (best < 0 or slot_card(game, slot) < slot_card(game, best)):
            best = slot
    return best


# --- The end ----------------------------------------------------------------------------------------


@kernel
def end(game, reason):
    """Everything stops dead: no more draws, no further victims, no refill."""
    game.reason = reason
    game.phase = OVER


@kernel
def score(game, seat):
    """One point for each card in front of a player, one off for each in hand."""
    return int(game.table_size[seat]) - int(game.hand_size[seat])


@kernel
def is_winner(game, seat):
    """The highest score wins. Ties: all of them, or in later editions who has the fewest cards in hand."""
    for other in range(game.players):
        if score(game, other) > score(game, seat):
            return False
        if game.options & FEWEST_CARDS and score(game, other) == score(game, seat):
            if game.hand_size[other] < game.hand_size[seat]:
                return False
    return True
