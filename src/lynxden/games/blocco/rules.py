"""The rules of Blocco: the game record, the deal, what is legal, what it does, the end.

Source: an Italian rulebook that has lost its title. `docs/rules/blocco.md` has the rules in words and
lists every ruling; the functions below follow it in the same order. Nothing else in this project decides
what is legal.

Cards are numbers, 1 to 7, one for each colour: 1a 1b 2a 2b 3a 3b 4a. A hand, a row, or any other heap of
cards is one number too, with eight bits for the count of each colour, and the lowest eight for all cards
together: `held` and `size` read them, `cards` makes them, and heaps are added and subtracted like numbers.
Actions are numbers too (`TAKES` … `GIVES` below); `actions.py` gives them their names.
"""

import numpy as np

from lynxden.games.jit import draw_top, kernel, record, shuffle_deck

VERSION = 1
"""Raised when a rule changes such that a recorded game could be read differently."""

SEATS = 5
COLOURS = 7
NUMBERS = (1, 1, 2, 2, 3, 3, 4)
"""The number on each colour: the size of its groups."""
COPIES = (11, 11, 16, 16, 21, 21, 24)
CARDS = sum(COPIES)
HAND = 2
PLACES = 8
LAST_EMPTY = 5
"""The game ends when so many places are empty."""

# Blocco has one edition, so the options are 0 for the whole game. In a reduced game a byte for each size says
# how much smaller it is.
COLOURS_SHORT, COPIES_SHORT, HAND_SHORT, PLACES_SHORT = 8, 16, 24, 32
REDUCED = 1 << COLOURS_SHORT
"""Options from this number on are those of a reduced game."""
MOST_COPIES = max(COPIES)

# Whose decision it is of which kind.
ACT, FROM, GIVE, OVER = range(4)
PHASES = ("act", "choose a giver", "give", "over")

# Why a game ended.
ROWS_EXHAUSTED = 1
REASONS = ("", "rows-exhausted")

# Every way to lay groups: the colour, how many groups, how many cards; by colour, then by groups.
_LAYS = [(c + 1, g + 1, (g + 1) * NUMBERS[c]) for c in range(COLOURS) for g in range(COPIES[c] // NUMBERS[c])]
LAYS = len(_LAYS)
LAY_COLOUR = np.array([colour for colour, _, _ in _LAYS], np.int8)
LAY_GROUPS = np.array([groups for _, groups, _ in _LAYS], np.int8)
LAY_CARDS = np.array([cards for _, _, cards in _LAYS], np.int8)
FIRST_LAY = np.array([0] + [int(np.argmax(LAY_COLOUR == c)) for c in range(1, COLOURS + 1)], np.int8)

# Action numbers.
TAKES = 0  # + place, counted from 0
BLOCKS = TAKES + PLACES  # + a way to lay groups
SCORE = BLOCKS + LAYS
FROMS = SCORE + 1  # + seats to the left of the active player
GIVES = FROMS + SEATS  # + colour - 1
ACTIONS = GIVES + COLOURS

MOST_TAKES = (CARDS - PLACES + 2) // 3 + LAST_EMPTY + 1
"""A take uses three cards of the deck, or the last ones. Without a deck it leaves a place empty; with five
such places the game ends after the turn."""
SPANS = SEATS + MOST_TAKES
"""Each seat has one span at the start, and each take starts at most one more."""
LONGEST = MOST_TAKES + 3 * CARDS
"""Each card leaves a hand once, laid or given; what was laid at once is scored at most once, and then one
giver is picked."""
SCORES = (-CARDS, CARDS)
"""A point for each scored card, one off for each in hand."""

FULL = sum(copies << 8 * (c + 1) for c, copies in enumerate(COPIES)) + CARDS
"""All cards, as a heap (below)."""
_ONES = 0x0101010101010100
_MOST = 0x7F7F7F7F7F7F7F00  # 127 of each colour

RECORD = record(
    [
        ("hands", "i8", SEATS),
        ("known", "i8", SEATS),  # the part of each hand that everybody knows of; without a total
        ("taken", "i8", SEATS),  # cards seen to come into a hand and not laid; some may be given away
        ("given", "i8", SEATS),  # what each seat has given away, which it alone knows
        ("rows", "i8", PLACES),  # clockwise
        ("laid", "i8"),  # every card that was ever laid, turned over since or not
        ("tops", "i8"),  # the places of a heap that belong to colours on top of a pile: they are blocked
        ("options", "i8"),
        ("players", "i1"),
        ("active", "i1"),  # whose turn it is
        ("actor", "i1"),  # who decides now: the active player, or a giver
        ("phase", "i1"),
        ("left", "i1"),  # actions left in this turn, the one being decided included
        ("owed", "i1"),  # cards that are still to be given
        ("reason", "i1"),  # why the game ended; 0 while it goes on
        ("deck_size", "i1"),
        ("empty", "i1"),  # places that are empty for good
        ("spans", "i1"),  # spans begun, of all seats together
        ("top", "i1", SEATS),  # the colour on top of each blocking pile; 0: no pile
        ("pile_size", "i1", SEATS),  # cards in each blocking pile
        ("lay_count", "i1", SEATS),  # how often its owner laid groups on it
        ("score_size", "i1", SEATS),  # cards in each score pile
        ("unknown", "i1", SEATS),  # starting cards that the others have not seen yet, in hand or given away
        # A span of a seat lasts from its first take after a gift to the next gift (`remember`).
        ("span", "i1", SEATS),  # the span of each seat that goes on now
        ("span_cards", "i8", SPANS),  # cards taken in that time and not laid
        ("span_given", "i1", SPANS),  # how many cards its owner gave away at the end of it
        ("span_seat", "i1", SPANS),
        ("span_before", "i1", SPANS),  # the same seat's span before it
        ("deck", "i1", CARDS),  # bottom first: the top card is deck[deck_size - 1]
        ("lays", "i1", (SEATS, LAYS)),  # blocking piles, bottom first: 16 x colour + groups
    ]
)


# --- Heaps of cards ---------------------------------------------------------------------------------


@kernel
def cards(colour, count):
    """So many cards of a colour."""
    return (count << (8 * colour)) + count


@kernel
def size(heap):
    """How many cards a heap holds."""
    return int(heap) & 127


@kernel
def held(heap, colour):
    """How many cards of a colour a heap holds."""
    return (int(heap) >> (8 * colour)) & 127


@kernel
def colour_mask(colour):
    """The place of a colour in a heap."""
    return 127 << (8 * colour)


@kernel
def one_fewer(heap):
    """A heap without a total, after one card of each colour has left it, if it had any."""
    return heap - (((heap + _MOST) >> 7) & _ONES)


@kernel
def number_on(colour):
    """The number on the cards of a colour: 1 1 2 2 3 3 4."""
    return (colour + 1) >> 1


@kernel
def whole_groups(heap, colour):
    """How many whole groups of a colour a heap holds."""
    number = number_on(colour)
    if number == 3:
        return (held(heap, colour) * 43) >> 7  # a third; processors are slow to divide
    return held(heap, colour) >> (number >> 1)


# --- The deal ---------------------------------------------------------------------------------------


@kernel
def clear(game):
    """An empty table; the deck is written anew by the deal."""
    game.options = 0
    game.players = 0
    game.active = 0
    game.actor = 0
    game.phase = ACT
    game.left = 0
    game.owed = 0
    game.reason = 0
    game.deck_size = 0
    game.empty = 0
    game.tops = 0
    game.laid = 0
    for place in range(PLACES):
        game.rows[place] = 0
    for seat in range(SEATS):
        game.top[seat] = 0
        game.pile_size[seat] = 0
        for lay in range(game.lay_count[seat]):
            game.lays[seat, lay] = 0
        game.lay_count[seat] = 0
        game.score_size[seat] = 0
        game.unknown[seat] = 0
        game.span[seat] = 0
        game.hands[seat] = 0
        game.known[seat] = 0
        game.taken[seat] = 0
        game.given[seat] = 0
    for span in range(game.spans):
        game.span_cards[span] = 0
        game.span_given[span] = 0
        game.span_seat[span] = 0
        game.span_before[span] = 0
    game.spans = 0


@kernel
def short(options, size):
    """By how much a size of a reduced game falls short of the whole game's."""
    return options >> size & 255


@kernel
def copies(options, colour):
    """How many cards of a colour there are. A reduced deck has the first colours, and few cards of each."""
    if colour > COLOURS - short(options, COLOURS_SHORT):
        return 0
    return min(held(FULL, colour), MOST_COPIES - short(options, COPIES_SHORT))


@kernel
def left_out(options):
    """The cards that a reduced deck lacks, as a heap."""
    heap = FULL
    for colour in range(1, COLOURS + 1):
        heap -= cards(colour, copies(options, colour))
    return heap


@kernel
def deal(game, options, players, starter, seed):
    """Shuffle all 120 cards and set up the table. The same seed gives the same game everywhere."""
    clear(game)
    place = 0
    for colour in range(1, COLOURS + 1):
        for _ in range(copies(options, colour)):
            game.deck[place] = colour
            place += 1
    game.deck_size = place
    shuffle_deck(game, seed)
    lay_out(game, options, players, starter)


@kernel
def lay_out(game, options, players, starter):
    """Two cards to each hand, seat by seat, then eight to the circle; the rest is the deck.

    What a reduced deck lacks counts as laid long ago. Places that a smaller circle lacks are empty for good:
    when three rows are left, it is over.
    """
    start_turns(game, options, players, starter)
    if options >= REDUCED:
        game.laid = left_out(options)
    hand = HAND - short(options, HAND_SHORT)
    for seat in range(players):
        for _ in range(hand):
            game.hands[seat] += cards(draw_top(game), 1)
        game.unknown[seat] = hand
    game.empty = short(options, PLACES_SHORT)
    for place in range(PLACES - game.empty):
        game.rows[place] = cards(draw_top(game), 1)


@kernel
def start_turns(game, options, players, starter):
    """The first of a turn's two actions is due, and the first span of each seat begins."""
    game.options = options
    game.players = players
    game.active = starter
    game.actor = starter
    game.phase = ACT
    game.left = 2
    game.spans = players
    for seat in range(players):
        game.span[seat] = seat
        game.span_seat[seat] = seat
        game.span_before[seat] = -1


# --- What is legal ----------------------------------------------------------------------------------
#
# `legal_after` is the one generator: it decides what is legal, and lists it in rising order. Picking one
# legal action at random, or marking them all, is quicker without it: `legal_count`, `legal_at` and
# `legal_mask` are those shortcuts, and the tests hold them to the generator.


@kernel
def legal_after(game, number):
    """The lowest legal action above `number`, or -1. Start with -1 to list them all."""
    phase = game.phase
    if phase == ACT:
        return act_after(game, number)
    if phase == GIVE:
        for colour in range(max(1, number - GIVES + 2), COLOURS + 1):
            if held(game.hands[game.actor], colour):
                return GIVES + colour - 1
    if phase == FROM:
        most = most_cards(game)
        for steps in range(max(1, number - FROMS + 1), game.players):
            if size(game.hands[to_the_left(game, steps)]) == most:
                return FROMS + steps
    return -1


@kernel
def legal_count(game):
    """How many actions are legal."""
    phase = game.phase
    if phase == ACT:
        seat = int(game.active)
        free = free_cards(game, seat)
        total = PLACES - int(game.empty) + (1 if game.lay_count[seat] else 0)
        for colour in range(1, COLOURS + 1):
            total += whole_groups(free, colour)
        return total
    if phase == GIVE:
        hand = int(game.hands[game.actor])
        total = 0
        for colour in range(1, COLOURS + 1):
            total += 1 if held(hand, colour) else 0
        return total
    if phase == FROM:
        return count_seats_with(game, most_cards(game))
    return 0


@kernel
def legal_at(game, index):
    """The index-th legal action, counted from 0."""
    phase = game.phase
    if phase == ACT:
        rows = PLACES - int(game.empty)
        return row_at(game, index) if index < rows else block_at(game, index - rows)
    number = legal_after(game, -1)
    for _ in range(index):
        number = legal_after(game, number)
    return number


@kernel
def legal_mask(game, row):
    """Write a 1 for each legal action and a 0 for every other."""
    if game.phase == ACT:
        act_mask(game, row)
        return
    for number in range(ACTIONS):
        row[number] = 0
    number = legal_after(game, -1)
    while number >= 0:
        row[number] = 1
        number = legal_after(game, number)


@kernel
def act_after(game, number):
    """Take any row; block with any number of groups of a colour that is free; score if there is a pile."""
    seat = int(game.active)
    for place in range(number + 1, PLACES):
        if game.rows[place]:
            return TAKES + place
    free = free_cards(game, seat)
    for lay in range(max(0, number - BLOCKS + 1), LAYS):
        if LAY_CARDS[lay] <= held(free, int(LAY_COLOUR[lay])):
            return BLOCKS + lay
    return SCORE if number < SCORE and game.lay_count[seat] else -1


@kernel
def act_mask(game, row):
    """All of these at once, without a branch."""
    seat = int(game.active)
    for place in range(PLACES):
        row[TAKES + place] = game.rows[place] != 0
    free = free_cards(game, seat)
    for lay in range(LAYS):
        row[BLOCKS + lay] = LAY_CARDS[lay] <= held(free, int(LAY_COLOUR[lay]))
    row[SCORE] = game.lay_count[seat] != 0
    for number in range(FROMS, ACTIONS):
        row[number] = 0


@kernel
def row_at(game, index):
    """Rows by their place; while the deck lasts, there is one at each."""
    if not game.empty:
        return TAKES + index
    place = 0
    while index or not game.rows[place]:
        if game.rows[place]:
            index -= 1
        place += 1
    return TAKES + place


@kernel
def block_at(game, index):
    """Blocks by colour, then by groups; scoring comes last."""
    free = free_cards(game, int(game.active))
    colour = 1
    before = 0  # blocks with earlier colours
    blocks = 0
    for other in range(1, COLOURS + 1):
        blocks += whole_groups(free, other)
        if index >= blocks:
            before = blocks
            colour = other + 1
    if colour > COLOURS:
        return SCORE
    return BLOCKS + int(FIRST_LAY[colour]) + index - before


@kernel
def free_cards(game, seat):
    """The hand without the colours on top of another player's pile; the own top colour is free."""
    return int(game.hands[seat]) & ~(int(game.tops) & ~colour_mask(int(game.top[seat])))


@kernel
def most_cards(game):
    """The size of the fullest hand."""
    most = 0
    for seat in range(game.players):
        most = max(most, size(game.hands[seat]))
    return most


@kernel
def to_the_left(game, steps):
    """The seat so many steps to the left of the active player."""
    seat = int(game.active) + steps
    return seat - int(game.players) if seat >= game.players else seat


@kernel
def count_seats_with(game, most):
    found = 0
    for seat in range(game.players):
        found += 1 if size(game.hands[seat]) == most else 0
    return found


# --- A turn -----------------------------------------------------------------------------------------


@kernel
def apply(game, action):
    """Carry out a legal action and whatever follows from it, up to the next decision or the end."""
    if action < BLOCKS:
        take(game, action - TAKES)
    elif action < SCORE:
        block(game, action - BLOCKS)
    elif action == SCORE:
        turn_pile(game)
    elif action < GIVES:
        receive_from(game, to_the_left(game, action - FROMS))
    else:
        give(game, action - GIVES + 1)


@kernel
def take(game, place):
    """A whole row goes to hand; then three deck cards go to this place and on the next two rows clockwise.

    With fewer in the deck, as many as there are. With none, the place stays empty.
    """
    seat = int(game.active)
    row = int(game.rows[place])
    game.rows[place] = 0
    game.hands[seat] += row
    remember(game, seat, row)
    if game.deck_size == 0:
        game.empty += 1
    places = PLACES - short(game.options, PLACES_SHORT)
    for _ in range(min(3, int(game.deck_size))):
        game.rows[place] += cards(draw_top(game), 1)
        place = place + 1 if place + 1 < places else 0
    action_done(game)


@kernel
def block(game, lay):
    """Whole groups of one colour go from hand on top of the blocking pile; others cannot lay it now."""
    seat = int(game.active)
    colour = int(LAY_COLOUR[lay])
    laid = int(LAY_CARDS[lay])
    game.hands[seat] -= cards(colour, laid)
    game.laid += cards(colour, laid)
    game.pile_size[seat] += laid
    game.lays[seat, game.lay_count[seat]] = 16 * colour + int(LAY_GROUPS[lay])
    game.lay_count[seat] += 1
    game.tops = (int(game.tops) & ~colour_mask(int(game.top[seat]))) | colour_mask(colour)
    game.top[seat] = colour
    recall(game, seat, colour, laid)
    action_done(game)


@kernel
def turn_pile(game):
    """The whole blocking pile goes on the score pile. Then the bonus.

    If somebody holds more cards than the active player, the player with the most gives as many cards as the
    number on the top card says; among several, the active player picks one.
    """
    seat = int(game.active)
    colour = int(game.top[seat])
    game.score_size[seat] += game.pile_size[seat]
    game.pile_size[seat] = 0
    for lay in range(game.lay_count[seat]):
        game.lays[seat, lay] = 0
    game.lay_count[seat] = 0
    game.tops = int(game.tops) & ~colour_mask(colour)
    game.top[seat] = 0

    most = most_cards(game)
    if size(game.hands[seat]) == most:
        action_done(game)
        return
    game.owed = number_on(colour)
    if count_seats_with(game, most) > 1:
        game.phase = FROM
        return
    giver = 0
    while size(game.hands[giver]) < most:
        giver += 1
    receive_from(game, giver)


@kernel
def receive_from(game, giver):
    """A giver with more cards than must be given chooses them; any other gives the whole hand."""
    whole = size(game.hands[giver])
    if whole > game.owed:
        game.actor = giver
        game.phase = GIVE
        return
    game.given[giver] += game.hands[giver]
    game.hands[giver] = 0
    game.known[giver] = 0
    game.span_given[game.span[giver]] += whole
    game.score_size[game.active] += whole
    bonus_done(game)


@kernel
def give(game, colour):
    """One card, unseen by all others, goes to the active player's score pile."""
    giver = int(game.actor)
    game.given[giver] += cards(colour, 1)
    game.hands[giver] -= cards(colour, 1)
    game.known[giver] = one_fewer(int(game.known[giver]))
    game.span_given[game.span[giver]] += 1
    game.score_size[game.active] += 1
    game.owed -= 1
    if game.owed == 0:
        bonus_done(game)


@kernel
def bonus_done(game):
    game.owed = 0
    game.actor = game.active
    game.phase = ACT
    action_done(game)


@kernel
def action_done(game):
    """A turn is two actions. After the second it passes to the left, or the game ends: five empty places."""
    game.left -= 1
    if game.left:
        return
    if game.empty >= LAST_EMPTY:
        end(game, ROWS_EXHAUSTED)
        return
    game.left = 2
    seat = int(game.active) + 1
    seat = 0 if seat == game.players else seat
    game.active = seat
    game.actor = seat


# --- What everybody remembers of a hand ---------------------------------------------------------------
#
# Everybody sees cards come into a hand and be laid, but not which are given away. `view.py` says what can
# be concluded from that, and why the following is all that needs to be remembered.


@kernel
def remember(game, seat, row):
    """Cards come into a hand, as everybody sees. After a gift they belong to a new span: they stayed."""
    span = int(game.span[seat])
    if game.span_given[span]:
        game.span_before[game.spans] = span
        span = int(game.spans)
        game.spans += 1
        game.span_seat[span] = seat
        game.span[seat] = span
    game.span_cards[span] += row
    game.taken[seat] += row
    game.known[seat] += row & ~127


@kernel
def recall(game, seat, colour, laid):
    """Cards are laid, as everybody sees: the latest of this colour that came in; else starting cards."""
    game.known[seat] -= min(laid, held(game.known[seat], colour)) << (8 * colour)
    seen = min(laid, held(game.taken[seat], colour))
    game.unknown[seat] -= laid - seen
    game.taken[seat] -= cards(colour, seen)
    span = int(game.span[seat])
    while seen:
        here = min(seen, held(game.span_cards[span], colour))
        game.span_cards[span] -= cards(colour, here)
        seen -= here
        span = int(game.span_before[span])


# --- The end ----------------------------------------------------------------------------------------


@kernel
def end(game, reason):
    game.reason = reason
    game.phase = OVER


@kernel
def score(game, seat):
    """One point for each card in the score pile, one off for each in hand; the blocking pile is nothing."""
    return int(game.score_size[seat]) - size(game.hands[seat])


@kernel
def is_winner(game, seat):
    """The highest score wins; ties are shared."""
    for other in range(game.players):
        if score(game, other) > score(game, seat):
            return False
    return True
