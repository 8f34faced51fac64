"""A plain referee for Linko, all five editions, written from the rules alone.

Cards are texts ("1" to "13" and "X"); hands, layers, deck, row and discard pile are lists of
them. A display slot is one text, the cards lying in it with the first one leftmost ("2 13"), and
"" where it is empty: the display always has six entries. All attributes may be set by a test.

A game may be reduced: fewer values (the lowest and 13), copies of each, jokers, cards in a starting
hand (and in the row of the duel), display slots.
"""

from collections import Counter
from typing import Any

NUMBERS = [str(number) for number in range(1, 14)]
ALL_CARDS = Counter({**dict.fromkeys(NUMBERS, 8), "X": 5})
VALUES = {**{number: int(number) for number in NUMBERS}, "X": 14}
EDITIONS = {  # fewest and most players
    "classic": (2, 5),
    "basic": (3, 5),
    "advanced": (2, 5),
    "expert": (2, 5),
    "duel": (2, 2),
}


def card_list(cards: Any) -> list[str]:
    """A list of texts, copied; anything else is no list of cards."""
    if not isinstance(cards, list) or not all(isinstance(card, str) for card in cards):
        raise ValueError(f"not a list of cards: {cards!r}")
    return list(cards)


def value_of(layer: list[str]) -> int:
    """Jokers take the value of the number cards before them; alone they are higher than 13."""
    return VALUES[layer[0]]


def place_for_group(display: list[str]) -> int:
    """A 13 or X goes on the lowest single card, leftmost on ties.

    If no slot is single, it goes on the slot whose first card is lowest, leftmost on ties.
    """
    singles = [place for place, slot in enumerate(display) if len(slot.split()) == 1]
    places = singles or [place for place, slot in enumerate(display) if slot]
    return min(places, key=lambda place: value_of(display[place].split()))


class Referee:
    """One game of Linko: who decides, what is legal, and what an action does."""

    def __init__(
        self,
        edition: str,
        starter: int,
        deal: dict[str, Any],
        rules: int = 2,
        reduced: dict[str, int] | None = None,
    ) -> None:
        """The deal lies as the record says; the caller chooses the start player."""
        if edition not in EDITIONS:
            raise ValueError(f"unknown edition: {edition!r}")
        if not isinstance(deal, dict) or not isinstance(deal.get("hands"), list):
            raise ValueError("the deal has no hands")
        self.edition = edition
        self.hands = [card_list(hand) for hand in deal["hands"]]
        self.display = card_list(deal.get("display"))
        self.deck = card_list(deal.get("deck"))  # top first
        self.row = card_list(deal.get("virtual", []))  # of the virtual player, in duel only
        self.fronts: list[list[list[str]]] = [[] for _ in self.hands]  # layers, bottom first
        self.discards: list[str] = []
        self.players = len(self.hands)
        self.turn = starter  # the active player
        self.phase = "play"  # or snatch, take, reclaim, draw, option, over
        self.to_compare: list[int] = []  # opponents whose top is yet to be compared this turn
        self.victim = starter  # whose top layer is being snatched
        self.drawer = starter  # who draws in phase draw
        self.owed = 0  # how many cards they still draw
        self.snatched = False  # whether anybody, or the row, was snatched this turn
        self.idle_turns = 0  # in a row, in which no card was drawn, discarded or added to the row
        self.progress = False  # whether that was done in this turn
        self.rules = rules
        self.result: dict[str, Any] | None = None
        reduced = reduced or {}
        self.hand_size = reduced.get("hand", 13)
        self.slots = reduced.get("slots", 6)
        kept = [*NUMBERS[: reduced.get("values", 13) - 1], "13"]
        self.whole_deck = +Counter(
            {**dict.fromkeys(kept, reduced.get("copies", 8)), "X": reduced.get("jokers", 5)}
        )
        self._check_deal()

    # ---------------------------------------------------------------- the deal

    def _check_deal(self) -> None:
        """109 cards: 13 to each hand, six display slots, in duel a row of 13; the rest is deck."""
        fewest, most = EDITIONS[self.edition]
        if not fewest <= self.players <= most:
            raise ValueError(f"{self.edition} is not for {self.players} players")
        if not isinstance(self.turn, int) or self.turn not in range(self.players):
            raise ValueError(f"no such start player: {self.turn!r}")
        if self.all_cards() != self.whole_deck:
            raise ValueError("the cards dealt are not the 109 cards, or those of the reduced deck")
        if any(len(hand) != self.hand_size for hand in self.hands):
            raise ValueError(f"every hand has {self.hand_size} cards")
        if len(self.display) != self.slots:
            raise ValueError(f"the display has {self.slots} slots")
        if any(not slot or " ".join(slot.split()) != slot for slot in self.display):
            raise ValueError("a slot is its cards with one space between them")
        if self.edition == "duel":
            self._check_duel()
        elif self.row or any(" " in slot for slot in self.display):
            raise ValueError("rows and groups are for the duel only")

    def _check_duel(self) -> None:
        """Two jokers to each hand; 13 cards from 1 to 12 in the row; 13s and Xs made groups."""
        if any(hand.count("X") < 2 for hand in self.hands):
            raise ValueError("each player of a duel takes two jokers")
        if len(self.row) != self.hand_size or "13" in self.row or "X" in self.row:
            raise ValueError(f"the row has {self.hand_size} cards from 1 to 12")
        slots = [slot.split() for slot in self.display]
        added = [card for slot in slots for card in slot[1:]]
        if any(card not in ("13", "X") for card in added):
            raise ValueError("only 13s and jokers are put on display cards")
        expected = [slot[0] for slot in slots]
        for _ in added:
            expected[place_for_group(expected)] += " +"
        if [len(slot) for slot in slots] != [len(slot.split()) for slot in expected]:
            raise ValueError("a 13 or joker was put on the wrong display card")

    def all_cards(self) -> Counter[str]:
        """Every card, wherever it lies."""
        cards = self.deck + self.discards + self.row
        for hand in self.hands:
            cards = cards + hand
        for front in self.fronts:
            for layer in front:
                cards = cards + layer
        for slot in self.display:
            cards = cards + slot.split()
        return Counter(cards)

    # ---------------------------------------------------------------- what may be done

    @property
    def actor(self) -> int | None:
        """The victim reclaims or discards, the drawer draws; all else is the active player's."""
        if self.phase == "over":
            return None
        if self.phase == "reclaim":
            return self.victim
        if self.phase == "draw":
            return self.drawer
        return self.turn

    def legal(self) -> set[str]:
        """All legal actions of the one who must decide now."""
        if self.phase == "play":
            return self._plays()
        if self.phase == "snatch":
            return {f"snatch {value}" for value in self._beaten_sets()}
        if self.phase == "take":
            return {"take", "leave"}
        if self.phase == "reclaim":
            return {"reclaim", "discard"}
        if self.phase == "draw":
            return self._draws()
        if self.phase == "option":
            return self._draws() | {"pass"}
        return set()

    def _plays(self) -> set[str]:
        """One or more cards of one value, with or without jokers; or jokers alone."""
        hand = self.hands[self.turn]
        jokers = hand.count("X")
        plays = {"play" + " X" * count for count in range(1, jokers + 1)}
        for number in set(hand) - {"X"}:
            for count in range(1, hand.count(number) + 1):
                numbers = "play" + f" {number}" * count
                for with_jokers in range(jokers + 1):
                    plays.add(numbers + " X" * with_jokers)
        return plays

    def _draws(self) -> set[str]:
        """The drawer picks the deck or any display slot; equal slots are one choice."""
        draws = {f"draw {slot}" for slot in self.display if slot}
        if self.deck:
            draws.add("draw deck")
        return draws

    def _beaten_sets(self) -> list[str]:
        """The sets of the row with the same number of cards and a lower value."""
        played = self.fronts[self.turn][-1]
        sets = Counter(self.row)
        return [card for card in sets if self._beats(played, [card] * sets[card])]

    def _beats(self, played: list[str], other: list[str]) -> bool:
        """Same number of cards and strictly higher value.

        Expert: also when the played layer's value is 1 and the other is 13 or jokers alone.
        """
        if len(played) != len(other):
            return False
        if self.edition == "expert" and value_of(played) == 1 and value_of(other) >= 13:
            return True
        return value_of(played) > value_of(other)

    # ---------------------------------------------------------------- doing it

    def apply(self, text: str) -> None:
        """Perform one legal action, and all that the rules then do by themselves."""
        if text not in self.legal():
            raise ValueError(f"illegal: {text!r}")
        verb, _, rest = text.partition(" ")
        if verb == "play":
            self._play(rest.split())
        elif verb == "snatch":
            self._snatch_from_row(rest)
        elif verb == "take":
            self._take()
        elif verb == "leave":
            self.phase = "reclaim"
        elif verb == "reclaim":
            self._reclaim()
        elif verb == "discard":
            self._discard()
        elif verb == "draw":
            self._draw(rest)
        else:  # pass: no optional draw
            self._next_turn()

    def _play(self, cards: list[str]) -> None:
        """The cards are a new top layer; if that emptied the hand, the game ends at once.

        Otherwise it is compared with the row (in duel) and then with each opponent, clockwise.
        """
        for card in cards:
            self.hands[self.turn].remove(card)
        self.fronts[self.turn].append(cards)
        if not self.hands[self.turn]:
            self._finish("hand-empty")
            return
        self.snatched = False
        self.to_compare = [(self.turn + step) % self.players for step in range(1, self.players)]
        if self._beaten_sets():
            self.phase = "snatch"
        else:
            self._compare_next()

    def _snatch_from_row(self, value: str) -> None:
        """All cards of that value go to hand; nobody draws; the row is refilled at once."""
        self.hands[self.turn].extend(card for card in self.row if card == value)
        self.row = [card for card in self.row if card != value]
        self.snatched = True
        self._fill_row()
        self._compare_next()

    def _fill_row(self) -> None:
        """Deck cards join the row up to 13 cards; a 13 or X goes on a display slot instead."""
        while self.deck and len(self.row) < self.hand_size:
            card = self.deck.pop(0)
            if card in ("13", "X"):
                self.display[place_for_group(self.display)] += f" {card}"
            else:
                self.row.append(card)
                self.progress = True

    def _compare_next(self) -> None:
        """Each opponent's top layer is compared once; a beaten one must be snatched.

        After the last: if nobody was snatched, basic and duel offer a draw of one card.
        """
        played = self.fronts[self.turn][-1]
        while self.to_compare:
            self.victim = self.to_compare.pop(0)
            layers = self.fronts[self.victim]
            if layers and self._beats(played, layers[-1]):
                self.snatched = True
                self.phase = "take"
                return
        if self.edition in ("basic", "duel") and not self.snatched:
            self.phase = "option"
        else:
            self._next_turn()

    def _take(self) -> None:
        """The active player takes the layer into hand; the victim draws as many cards."""
        layer = self.fronts[self.victim].pop()
        self.hands[self.turn].extend(layer)
        self._victim_draws(len(layer))

    def _reclaim(self) -> None:
        """The victim takes the layer back into hand and draws nothing."""
        self.hands[self.victim].extend(self.fronts[self.victim].pop())
        self._compare_next()

    def _discard(self) -> None:
        """The victim discards the layer and draws as many cards."""
        layer = self.fronts[self.victim].pop()
        self.discards.extend(layer)
        self.progress = True
        self._victim_draws(len(layer))

    def _victim_draws(self, count: int) -> None:
        """A draw that is owed is compulsory and as long as owed."""
        self.drawer = self.victim
        self.owed = count
        self.phase = "draw"

    def _draw(self, source: str) -> None:
        """One card from the deck, or one whole slot; the display is refilled after the last.

        When deck and display are both empty the game ends at that instant.
        """
        if self.phase == "option":
            self.drawer = self.turn
            self.owed = 1
        self.progress = True
        if source == "deck":
            self.hands[self.drawer].append(self.deck.pop(0))
        else:
            self.hands[self.drawer].extend(source.split())
            self.display[self.display.index(source)] = ""  # the leftmost of equal slots
        self.owed -= 1
        if not self.deck and not any(self.display):
            self._finish("cards-exhausted")
        elif self.owed == 0:
            self._refill_display()
            if self.drawer == self.turn:  # that was the optional draw, which ends the turn
                self._next_turn()
            else:
                self._compare_next()

    def _refill_display(self) -> None:
        """Empty slots are filled from the deck, leftmost first, as far as it allows."""
        for place in range(self.slots):
            if not self.display[place] and self.deck:
                self.display[place] = self.deck.pop(0)

    def _next_turn(self) -> None:
        """The turn passes to the left. A hundred turns without progress in a row end the game."""
        self.idle_turns = 0 if self.progress else self.idle_turns + 1
        self.progress = False
        if self.idle_turns == 100 and self.rules > 1:
            self._finish("no-progress")
            return
        self.turn = (self.turn + 1) % self.players
        self.phase = "play"

    # ---------------------------------------------------------------- the end

    def _finish(self, reason: str) -> None:
        """Everything stops dead: +1 for each card in front, -1 for each in hand.

        Highest wins. Classic: all tied leaders win. Else the fewest cards in hand, then shared.
        """
        self.phase = "over"
        scores = [
            sum(len(layer) for layer in front) - len(hand)
            for front, hand in zip(self.fronts, self.hands, strict=True)
        ]
        winners = [seat for seat in range(self.players) if scores[seat] == max(scores)]
        if self.edition != "classic":
            fewest = min(len(self.hands[seat]) for seat in winners)
            winners = [seat for seat in winners if len(self.hands[seat]) == fewest]
        self.result = {"reason": reason, "scores": scores, "winners": winners}
