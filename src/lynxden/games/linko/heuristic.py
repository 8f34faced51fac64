"""A quick, explainable way to play Linko: a decent opponent, and a guide for playouts.

`choose` reads only what the deciding seat may know, so it may be given a full game or a view of it. It
weighs, in hundredths of a card: the points laid, what lies open to snatching given what is known and
unseen, what is snatched and whether to keep it, the bait of a good display, the sprint to the end, and
the exhaustion of the cards. Whole numbers only, so that every machine decides alike.
"""

from lynxden.games.jit import kernel
from lynxden.games.linko import rules

CARD = 100
"""What one card on the table is worth."""
WIN = 1_000_000
JOKER_KEPT = 110
"""What a joker is worth that stays in hand for a better set."""
SPLIT = 45
"""What it costs to leave cards of the same value in hand: they will need a turn of their own."""
CERTAIN = 1024
"""Chances are told in parts of this."""
ALL_CARDS = sum(rules.COPIES << (4 * value) for value in range(1, rules.VALUES + 1)) + (
    rules.JOKERS << (4 * rules.JOKER)
)
"""All cards of the game, as a heap."""


@kernel
def choose(game):
    """The action of whoever decides, as the heuristic sees it."""
    seat = int(game.actor)
    phase = game.phase
    if phase == rules.PLAY:
        return choose_play(game, seat)
    if phase == rules.TAKE:
        return rules.TAKE_IT if wants_layer(game, seat) else rules.LEAVE_IT
    if phase == rules.RECLAIM:
        return rules.RECLAIM_IT if wants_back(game, seat) else rules.DISCARD_IT
    if phase == rules.SNATCH:
        return choose_set(game, seat)
    return choose_draw(game, seat)


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
def choose_play(game, seat):
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
    pressure = urgency(game, seat)
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
                worth = worth_of_play(game, seat, value, count, jokers, answered)
                worth -= danger * size * (pressure - bait(game, seat, size)) // (CERTAIN + danger)
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
def urgency(game, seat):
    """How much a lost layer hurts, in hundredths: little in mid-game, double when the end is near."""
    turns = turns_left(game, seat)
    if cards_to_draw(game) < 6:
        turns = min(turns, 3)
    return max(40, 200 - 25 * turns)


@kernel
def matches_a_top(game, seat, count):
    for player in range(game.players):
        if player != seat and rules.layer_size(rules.top_layer(game, player)) == count:
            return True
    return False


@kernel
def worth_of_play(game, seat, value, count, jokers, answered):
    """What laying these cards is worth, apart from the danger of losing them."""
    size = count + jokers
    if size == game.hand_size[seat]:
        # My last cards end the game: the best play if it wins, the worst if it loses.
        final = lead(game, seat) + 2 * size
        return WIN + final if final > 0 else final * CARD - WIN
    worth = size * CARD - jokers * JOKER_KEPT
    if value < rules.JOKER and rules.held(game.hands[seat], value) > count:
        worth -= SPLIT
    if answered:
        for player in range(game.players):
            if player != seat:
                theirs = rules.top_layer(game, player)
                if rules.layer_size(theirs) == size and rules.beats(game, value, rules.layer_value(theirs)):
                    worth += 60 * size + CARD
    return worth


@kernel
def bait(game, seat, size):
    """Being snatched is less bad while the display holds cards that would join my sets."""
    if size > 2:
        return 0
    for slot in range(rules.SLOTS):
        card = rules.slot_card(game, slot)
        if card == rules.JOKER or (card and rules.held(game.hands[seat], card) >= 2):
            return 30
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
def wants_layer(game, seat):
    """Take a layer that joins a set or makes one, while there is time to lay it again."""
    victim = rules.victim(game)
    packed = rules.top_layer(game, victim)
    size = rules.layer_size(packed)
    if size >= cards_to_draw(game):
        # The victim's draw would exhaust the cards and end the game: take it if that wins.
        return final_lead_after_exhaustion(game, seat, victim, size) > 0
    turns = turns_left(game, seat)
    spare = turns - values_in_hand(game, seat)
    value = rules.layer_value(packed)
    if value == rules.JOKER or rules.layer_jokers(packed):
        return turns >= 2
    if rules.held(game.hands[seat], value):
        return turns >= 2
    return size >= 2 and spare >= 0 and turns >= 3


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
def wants_back(game, seat):
    """Reclaim sets, high cards and what joins a set; trade poor cards for a draw of my choice."""
    packed = rules.top_layer(game, seat)
    size = rules.layer_size(packed)
    value = rules.layer_value(packed)
    if size >= cards_to_draw(game):
        return lead(game, seat) - size - cards_to_draw(game) <= 0
    if value == rules.JOKER or rules.layer_jokers(packed):
        return True
    if size >= 2 or rules.held(game.hands[seat], value):
        return True
    return not best_slot_joins(game, seat) and value >= 7


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
def choose_draw(game, seat):
    """Jokers and cards that join a set; otherwise luck, or no card at all if that is allowed."""
    best = -1
    best_worth = 130  # a card from the deck is about as good as a middling stranger
    if game.phase == rules.OPTIONAL:
        best = rules.PASS
        best_worth = 250
        if turns_left(game, seat) <= 2:
            best_worth = WIN  # too late to lay what is drawn now
        if cards_to_draw(game) == 1 and lead(game, seat) > 1:
            best_worth = -WIN  # the last card: drawing it ends the game, and I am ahead
    elif game.deck_size:
        best = rules.DRAW_DECK
    else:
        best_worth = -WIN
    for slot in range(rules.SLOTS):
        if rules.slot_card(game, slot):
            worth = worth_of_slot(game, seat, slot)
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
def worth_of_slot(game, seat, slot):
    worth = worth_of_card(game, seat, rules.slot_card(game, slot))
    for place in range(rules.pile_size(game, slot)):
        worth += worth_of_card(game, seat, int(game.piles[slot, place])) - CARD // 2
    return worth


@kernel
def worth_of_card(game, seat, card):
    """A card in hand: jokers always fit, cards that join a set need no turn of their own."""
    if card == rules.JOKER:
        return 600
    worth = 8 * card
    held = rules.held(game.hands[seat], card)
    if held:
        worth += 300 + 20 * held
    if game.owed >= 2:
        equal = 0
        for slot in range(rules.SLOTS):
            if rules.slot_card(game, slot) == card:
                equal += 1
        if equal >= 2:
            worth += 150
    return worth
