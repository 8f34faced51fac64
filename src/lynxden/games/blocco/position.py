"""Positions and views of Blocco, as people read them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from lynxden.games import core
from lynxden.games.blocco import rules, view
from lynxden.games.blocco.cards import CODES, NAMES, names


@dataclass(frozen=True)
class Lay:
    """Groups of one colour that were laid together on a blocking pile."""

    colour: str
    groups: int

    def __str__(self) -> str:
        return " ".join(self.cards)

    @property
    def cards(self) -> tuple[str, ...]:
        return (self.colour,) * (self.groups * int(self.colour[0]))


def lay_of(packed: int) -> Lay:
    """A lay from the number that the rules keep."""
    return Lay(NAMES[packed >> 4], packed & 15)


class BloccoState(core.GameState):
    """What everybody at the table can see."""

    __slots__ = ()

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        return tuple(rules.size(hand) for hand in self._record.hands[: self.players].tolist())

    @property
    def score_sizes(self) -> tuple[int, ...]:
        """The cards in each score pile."""
        return tuple(self._record.score_size[: self.players].tolist())

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The eight places from place 1, each the cards of its row; an empty place has none."""
        places = rules.PLACES - rules.short(self._field("options"), rules.PLACES_SHORT)
        return tuple(names(row) for row in self._record.rows[:places].tolist())

    @property
    def actions_left(self) -> int:
        """How many actions the active player has left in this turn, the one being decided included."""
        return int(self._record.left)

    @property
    def owed(self) -> int:
        """Cards that are still to be given to the active player."""
        return int(self._record.owed)

    def pile(self, seat: int) -> tuple[Lay, ...]:
        """A player's blocking pile, bottom first."""
        laid = self._at("lay_count", seat)
        return tuple(lay_of(packed) for packed in self._at("lays", seat)[:laid].tolist())

    def top(self, seat: int) -> str | None:
        """The colour that a player keeps the others from laying."""
        return NAMES[self._at("top", seat)] or None

    def known(self, seat: int) -> tuple[str, ...]:
        """Cards that everybody knows to be in a hand."""
        return names(int(self._at("known", seat)))


class BloccoPosition(BloccoState, core.Position):
    """A game of Blocco at one moment, with every card."""

    __slots__ = ()

    def view(self, seat: int | None) -> BloccoView:
        found = super().view(seat)
        assert isinstance(found, BloccoView)
        return found

    def hand(self, seat: int) -> tuple[str, ...]:
        return names(int(self._at("hands", seat)))

    def given(self, seat: int) -> tuple[str, ...]:
        """The cards that a player has given away so far."""
        return names(int(self._at("given", seat)))

    def all_cards(self) -> Counter[str]:
        """Cards once laid are in a blocking pile or, turned over, in a score pile, with the gifts."""
        cards = Counter([*self.deck, *names(self._field("laid"))])
        cards.update(card for row in self.rows for card in row)
        for seat in range(self.players):
            cards.update([*self.hand(seat), *self.given(seat)])
        return cards

    @property
    def deck(self) -> tuple[str, ...]:
        """The deck, top card first."""
        return tuple(NAMES[code] for code in self._record.deck[: self.deck_size][::-1].tolist())


class BloccoView(BloccoState, core.View):
    """What a seat, or a spectator, may know of a game of Blocco."""

    __slots__ = ()

    @property
    def hand(self) -> tuple[str, ...]:
        """The viewer's own hand; a spectator has none."""
        return () if self.viewer is None else names(int(self._record.hands[self.viewer]))

    @property
    def given(self) -> tuple[str, ...]:
        """The cards that the viewer has given away so far."""
        return () if self.viewer is None else names(int(self._record.given[self.viewer]))

    def sample(self, rng: np.random.Generator) -> BloccoPosition:
        found = super().sample(rng)
        assert isinstance(found, BloccoPosition)
        return found

    def unseen(self) -> Counter[str]:
        """How many of each card could be in the deck, or be a starting card that nobody has seen."""
        return Counter(names(view.unseen(self._record, self._seat_number)))

    def at_least(self, seat: int) -> Counter[str]:
        """How many of each card must be in a hand, as far as the viewer can tell."""
        if seat == self.viewer:
            return Counter(self.hand)
        record, viewer = self._record, self._seat_number
        return +Counter({name: view.at_least(record, viewer, seat, code) for name, code in CODES.items()})

    def at_most(self, seat: int) -> Counter[str]:
        """How many of each card may be in a hand, as far as the viewer can tell."""
        if seat == self.viewer:
            return Counter(self.hand)
        record, viewer = self._record, self._seat_number
        return +Counter({name: view.at_most(record, viewer, seat, code) for name, code in CODES.items()})

    def doubtful(self, seat: int) -> tuple[str, ...]:
        """Cards that everybody saw going into a hand, and that are still there or were given away since."""
        known = Counter(self.known(seat))
        found: list[str] = []
        for name, code in CODES.items():
            others = view.fewest(self._record, seat, code, int(self._record.unknown[seat]), True)
            found += [name] * (self.hand_sizes[seat] - others - known[name])
        return tuple(found)

    @property
    def _seat_number(self) -> int:
        return core.SPECTATOR if self.viewer is None else self.viewer
