"""Positions and views of Linko, as people read them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from lynxden.games import core
from lynxden.games.jit import kernel
from lynxden.games.linko import rules
from lynxden.games.linko.actions import slot_cards
from lynxden.games.linko.cards import DECK, NAMES, names


@dataclass(frozen=True)
class Layer:
    """A set on the table. Printed as it was played: number cards, then jokers."""

    value: str
    size: int
    jokers: int

    def __str__(self) -> str:
        return " ".join(self.cards)

    @property
    def cards(self) -> tuple[str, ...]:
        numbers = 0 if self.value == "X" else self.size - self.jokers
        return (self.value,) * numbers + ("X",) * self.jokers


@cache
def layer_of(packed: int) -> Layer:
    """A layer from the number that the rules keep; there are few hundred."""
    return Layer(NAMES[rules.layer_value(packed)], rules.layer_size(packed), rules.layer_jokers(packed))


@kernel
def victim_of(records: Any, i: int) -> int:
    """Whose layer was snatched; kernels are cheap to call with an array, not with a record."""
    victim: int = rules.victim(records[i])
    return victim


@kernel
def slot_of(records: Any, i: int, number: int) -> int:
    """The slot that a draw means."""
    slot: int = rules.find_slot(records[i], number)
    return slot


class LinkoState(core.GameState):
    """What everybody at the table can see."""

    __slots__ = ()

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        return tuple(self._record.hand_size[: self.players].tolist())

    @property
    def display(self) -> tuple[tuple[str, ...], ...]:
        """The six slots from the left, each the cards that lie in it; an empty slot has none."""
        slots = rules.SLOTS - rules.short(self._field("options"), rules.SLOTS_SHORT)
        return tuple(slot_cards(self._record, slot) for slot in range(slots))

    @property
    def discards(self) -> tuple[str, ...]:
        """The discards; the cards that a reduced deck lacks are among them."""
        return names(self._field("discards"))

    @property
    def row(self) -> tuple[str, ...]:
        """The virtual player's cards (duel)."""
        return names(self._field("row"))

    @property
    def victim(self) -> int | None:
        """Whose layer was snatched, while it is decided what becomes of it or cards are owed for it."""
        if self._record.phase in (rules.TAKE, rules.RECLAIM, rules.DRAW):
            return victim_of(self._records, 0)
        return None

    @property
    def owed(self) -> int:
        """Cards that the deciding seat still has to draw."""
        return int(self._record.owed) if self._record.phase == rules.DRAW else 0

    def layers(self, seat: int) -> tuple[Layer, ...]:
        """The sets in front of a player, the oldest first."""
        count = self._at("layer_count", seat)
        return tuple(layer_of(packed) for packed in self._at("layers", seat)[:count].tolist())

    def known(self, seat: int) -> tuple[str, ...]:
        """Cards that everybody knows to be in a hand."""
        return names(int(self._at("known", seat)))


class LinkoPosition(LinkoState, core.Position):
    """A game of Linko at one moment, with every card."""

    __slots__ = ()

    def view(self, seat: int | None) -> LinkoView:
        found = super().view(seat)
        assert isinstance(found, LinkoView)
        return found

    def hand(self, seat: int) -> tuple[str, ...]:
        return names(int(self._at("hands", seat)))

    def all_cards(self) -> Counter[str]:
        cards = Counter([*self.deck, *self.discards, *self.row])
        cards.update(card for slot in self.display for card in slot)
        for seat in range(self.players):
            cards.update(self.hand(seat))
            cards.update(card for layer in self.layers(seat) for card in layer.cards)
        return cards

    @property
    def deck(self) -> tuple[str, ...]:
        """The deck, top card first."""
        return tuple(NAMES[code] for code in self._record.deck[: self.deck_size][::-1].tolist())


class LinkoView(LinkoState, core.View):
    """What a seat, or a spectator, may know of a game of Linko."""

    __slots__ = ()

    @property
    def hand(self) -> tuple[str, ...]:
        """The viewer's own hand; a spectator has none."""
        return () if self.viewer is None else names(int(self._at("hands", self.viewer)))

    def sample(self, rng: np.random.Generator) -> LinkoPosition:
        found = super().sample(rng)
        assert isinstance(found, LinkoPosition)
        return found

    def unseen(self) -> Counter[str]:
        """How many of each card could be in the deck or unknown in another hand."""
        left = Counter(DECK)
        left.subtract([*self.hand, *self.discards, *self.row])
        left.subtract(card for slot in self.display for card in slot)
        for seat in range(self.players):
            left.subtract(card for layer in self.layers(seat) for card in layer.cards)
            if seat != self.viewer:
                left.subtract(self.known(seat))
        return +left
