"""A plain referee for Blocco, written from the rules alone.

Cards are texts, a colour code each ("1a" to "4a"); hands, piles, rows and deck are lists of them.
A row without cards is an empty place: there are always eight rows. All attributes may be set by
a test.

A game may be reduced: fewer colours (the first ones), at most so many copies of each, cards in a
starting hand, places of the circle.
"""

from collections import Counter
from typing import Any

ALL_CARDS = Counter({"1a": 11, "1b": 11, "2a": 16, "2b": 16, "3a": 21, "3b": 21, "4a": 24})
PLACES = 8


def card_list(cards: Any) -> list[str]:
    """A list of texts, copied; anything else is no list of cards."""
    if not isinstance(cards, list) or not all(isinstance(card, str) for card in cards):
        raise ValueError(f"not a list of cards: {cards!r}")
    return list(cards)


def number_on(card: str) -> int:
    """The number on a card is the size of a group of its colour."""
    return int(card[0])


class Referee:
    """One game of Blocco: who decides, what is legal, and what an action does."""

    def __init__(
        self, edition: str, starter: int, deal: dict[str, Any], reduced: dict[str, int] | None = None
    ) -> None:
        """The deal lies as the record says; the caller chooses the start player."""
        if edition != "standard":
            raise ValueError(f"unknown edition: {edition!r}")
        if not isinstance(deal, dict) or not isinstance(deal.get("hands"), list):
            raise ValueError("the deal has no hands")
        self.hands = [card_list(hand) for hand in deal["hands"]]
        self.rows = [[card] for card in card_list(deal.get("rows"))]  # clockwise
        self.deck = card_list(deal.get("deck"))  # top first
        self.blocking: list[list[str]] = [[] for _ in self.hands]  # bottom first, top last
        self.scored: list[list[str]] = [[] for _ in self.hands]
        self.players = len(self.hands)
        self.turn = starter  # the active player
        self.phase = "action"  # or from, give, over
        self.actions_left = 2  # of this turn, the one being done included
        self.bonus = 0  # cards still to be given to the active player
        self.giver = starter  # who gives in phase give
        self.result: dict[str, Any] | None = None
        reduced = reduced or {}
        self.hand_size = reduced.get("hand", 2)
        self.places = reduced.get("places", PLACES)
        colours = list(ALL_CARDS.items())[: reduced.get("colours", 7)]
        self.whole_deck = Counter({card: min(count, reduced.get("copies", 24)) for card, count in colours})
        self._check_deal()

    def _check_deal(self) -> None:
        """120 cards, 3 to 5 players: 2 to each hand, 8 rows of one card; the rest is the deck."""
        if not 3 <= self.players <= 5:
            raise ValueError(f"Blocco is not for {self.players} players")
        if not isinstance(self.turn, int) or self.turn not in range(self.players):
            raise ValueError(f"no such start player: {self.turn!r}")
        if self.all_cards() != self.whole_deck:
            raise ValueError("the cards dealt are not the 120 cards, or those of the reduced deck")
        if any(len(hand) != self.hand_size for hand in self.hands):
            raise ValueError(f"every hand has {self.hand_size} cards")
        if len(self.rows) != self.places:
            raise ValueError(f"there are {self.places} rows")

    def all_cards(self) -> Counter[str]:
        """Every card, wherever it lies."""
        cards = list(self.deck)
        for group in self.hands + self.rows + self.blocking + self.scored:
            cards.extend(group)
        return Counter(cards)

    # ---------------------------------------------------------------- what may be done

    @property
    def actor(self) -> int | None:
        """The giver chooses the cards of a gift; all else is the active player's."""
        if self.phase == "over":
            return None
        if self.phase == "give":
            return self.giver
        return self.turn

    def legal(self) -> set[str]:
        """All legal actions of the one who must decide now."""
        if self.phase == "action":
            return self._takes() | self._blocks() | self._scorings()
        if self.phase == "from":
            return {f"from {seat + 1}" for seat in self._most_cards()}
        if self.phase == "give":
            return {f"give {card}" for card in self.hands[self.giver]}
        return set()

    def _takes(self) -> set[str]:
        """Any one row that is there; places count from 1."""
        return {f"take {place + 1}" for place in range(self.places) if self.rows[place]}

    def _blocks(self) -> set[str]:
        """One or more whole groups of one colour that tops no other player's blocking pile."""
        hand = self.hands[self.turn]
        blocks = set()
        for colour in set(hand) - self._blocked_colours():
            most_groups = hand.count(colour) // number_on(colour)
            for groups in range(1, most_groups + 1):
                blocks.add(f"block {colour} {groups}")
        return blocks

    def _blocked_colours(self) -> set[str]:
        """Only the top of another player's pile blocks: not one's own, not covered groups."""
        return {
            self.blocking[seat][-1]
            for seat in range(self.players)
            if seat != self.turn and self.blocking[seat]
        }

    def _scorings(self) -> set[str]:
        """The blocking pile may be turned unless it is empty."""
        return {"score"} if self.blocking[self.turn] else set()

    def _most_cards(self) -> list[int]:
        """The players with the most cards in hand."""
        most = max(len(hand) for hand in self.hands)
        return [seat for seat in range(self.players) if len(self.hands[seat]) == most]

    # ---------------------------------------------------------------- doing it

    def apply(self, text: str) -> None:
        """Perform one legal action, and all that the rules then do by themselves."""
        if text not in self.legal():
            raise ValueError(f"illegal: {text!r}")
        verb, *rest = text.split()
        if verb == "take":
            self._take(int(rest[0]) - 1)
        elif verb == "block":
            self._block(rest[0], int(rest[1]))
        elif verb == "score":
            self._score()
        elif verb == "from":
            self._receive_from(int(rest[0]) - 1)
        else:
            self._give(rest[0])

    def _take(self, place: int) -> None:
        """The row goes to hand; three deck cards go there and on the next two rows clockwise."""
        self.hands[self.turn].extend(self.rows[place])
        self.rows[place] = []
        for step in range(3):
            if self.deck:
                self.rows[(place + step) % self.places].append(self.deck.pop(0))
        self._action_done()

    def _block(self, colour: str, groups: int) -> None:
        """The groups go on top of the blocking pile; surplus cards stay in hand."""
        for _ in range(groups * number_on(colour)):
            self.hands[self.turn].remove(colour)
            self.blocking[self.turn].append(colour)
        self._action_done()

    def _score(self) -> None:
        """The whole blocking pile goes on the score pile; then the bonus.

        If the active player has the most cards, alone or tied, there is none. Otherwise whoever
        has the most gives as many cards as the number on the top card; the active player picks
        among several.
        """
        self.bonus = number_on(self.blocking[self.turn][-1])
        self.scored[self.turn].extend(self.blocking[self.turn])
        self.blocking[self.turn] = []
        givers = self._most_cards()
        if self.turn in givers:
            self._action_done()
        elif len(givers) > 1:
            self.phase = "from"
        else:
            self._receive_from(givers[0])

    def _receive_from(self, giver: int) -> None:
        """A giver with more cards than must be given chooses; any other gives all."""
        self.giver = giver
        hand = self.hands[giver]
        if len(hand) > self.bonus:
            self.phase = "give"
        else:
            self.scored[self.turn].extend(hand)
            self.hands[giver] = []
            self._action_done()

    def _give(self, card: str) -> None:
        """The giver chooses card by card; the cards go on the active player's score pile."""
        self.hands[self.giver].remove(card)
        self.scored[self.turn].append(card)
        self.bonus -= 1
        if self.bonus == 0:
            self._action_done()

    def _action_done(self) -> None:
        """A turn is exactly two actions; then the left neighbour's, unless the game is over.

        The game ends after the turn in which three rows were left: the fifth place became empty.
        """
        self.bonus = 0
        self.phase = "action"
        self.actions_left -= 1
        if self.actions_left > 0:
            return
        if sum(bool(row) for row in self.rows) <= 3:
            self._finish()
        else:
            self.turn = (self.turn + 1) % self.players
            self.actions_left = 2

    # ---------------------------------------------------------------- the end

    def _finish(self) -> None:
        """Score pile minus hand; the blocking pile counts nothing; ties are shared."""
        self.phase = "over"
        scores = [len(pile) - len(hand) for pile, hand in zip(self.scored, self.hands, strict=True)]
        winners = [seat for seat in range(self.players) if scores[seat] == max(scores)]
        self.result = {"reason": "rows-exhausted", "scores": scores, "winners": winners}
