"""Positions and views of Tiny, as people read them."""

from __future__ import annotations

from collections import Counter

from lynxden.games import core
from tests.tiny.cards import NAMES, names


class TinyState(core.GameState):
    """What everybody at the table can see."""

    __slots__ = ()

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        return tuple(self._record.hand_size[: self.players].tolist())

    @property
    def open_card(self) -> str | None:
        return NAMES[self._field("open")] or None

    @property
    def offered(self) -> str | None:
        return NAMES[self._field("offered")] or None

    def laid(self, seat: int) -> tuple[str, ...]:
        return names(int(self._at("laid", seat)))

    def known(self, seat: int) -> tuple[str, ...]:
        return names(int(self._at("known", seat)))


class TinyPosition(TinyState, core.Position):
    """A game of Tiny at one moment, with every card."""

    __slots__ = ()

    def hand(self, seat: int) -> tuple[str, ...]:
        return names(int(self._at("hands", seat)))

    @property
    def deck(self) -> tuple[str, ...]:
        return tuple(NAMES[code] for code in self._record.deck[: self.deck_size][::-1].tolist())

    def all_cards(self) -> Counter[str]:
        cards = Counter(self.deck)
        cards.update(card for card in (self.open_card, self.offered) if card)
        for seat in range(self.players):
            cards.update([*self.hand(seat), *self.laid(seat)])
        return cards


class TinyView(TinyState, core.View):
    """What a seat, or a spectator, may know of a game of Tiny."""

    __slots__ = ()

    @property
    def hand(self) -> tuple[str, ...]:
        return () if self.viewer is None else names(int(self._at("hands", self.viewer)))
