"""The editions of Linko: one frozen value, five presets."""

from dataclasses import dataclass, replace
from functools import cache

from lynxden.games.errors import OptionsError
from lynxden.games.linko import rules
from lynxden.games.reduced import Size, check_sizes, flags_of, sizes_of

SIZES = {
    "values": Size(2, rules.VALUES, rules.VALUES_SHORT),
    "copies": Size(1, rules.COPIES, rules.COPIES_SHORT),
    "jokers": Size(0, rules.JOKERS, rules.JOKERS_SHORT),
    "hand": Size(1, rules.HAND, rules.HAND_SHORT),
    "slots": Size(1, rules.SLOTS, rules.SLOTS_SHORT),
}
"""What a reduced deck has fewer of."""


@dataclass(frozen=True)
class LinkoOptions:
    """What differs between the editions of Linko. The default is `classic`."""

    optional_draw: bool = False
    """Who snatched nothing this turn may draw one card."""
    ones_snatch: bool = False
    """1s also snatch 13s and lone jokers."""
    fewest_cards: bool = False
    """Among tied leaders those with the fewest cards in hand win; otherwise all of them do."""
    virtual: bool = False
    """Two players and a virtual third one, whose row of cards both may snatch from."""
    endless: bool = False
    """A game may go on without progress for ever, as in the first version of these rules."""
    values: int = rules.VALUES
    """How many values the cards have: 1, 2, 3 … and always 13, which has a part in the rules."""
    copies: int = rules.COPIES
    """How many cards there are of each value."""
    jokers: int = rules.JOKERS
    """How many jokers there are."""
    hand: int = rules.HAND
    """How many cards each hand starts with; in the duel, also the cards in the row."""
    slots: int = rules.SLOTS
    """How many slots the display has."""

    def __post_init__(self) -> None:
        """Refuse what no rulebook offers and what would not make a game."""
        check_sizes(self, SIZES)
        if self.virtual and self.ones_snatch:
            raise OptionsError("the virtual player does not go with ones_snatch: it is a basic game")
        if self.virtual and not (self.optional_draw and self.fewest_cards):
            raise OptionsError("the virtual player goes with optional_draw and fewest_cards only")
        if self.virtual:
            self._check_duel()
        elif not self.player_counts:
            raise OptionsError(
                f"a deck of {self.cards} cards is too small: {self._fewest_players} hands of {self.hand}"
                f" and {self.slots} slots of the display need {self._fewest_players * self.hand + self.slots}"
            )

    def _check_duel(self) -> None:
        """Each player of a duel takes two jokers; and the row is full after every deal."""
        if self.jokers < 4 or self.hand < 2:
            raise OptionsError("a duel needs at least 4 jokers and hands of 2: each player starts with two")
        low, needed = (self.values - 1) * self.copies, 2 * (self.hand - 2) + self.slots + self.hand
        if low < needed:
            raise OptionsError(
                f"{low} cards below 13 are too few for a duel: hands, display and row can need {needed}"
            )

    @property
    def cards(self) -> int:
        """How many cards there are in all."""
        return self.values * self.copies + self.jokers

    @property
    def _fewest_players(self) -> int:
        return 3 if self.optional_draw else 2

    @property
    def player_counts(self) -> range:
        """The duel is for two; with the optional draw it takes three or more; else two to five.

        There must be cards for all hands and for the display.
        """
        if self.virtual:
            return range(2, 3)
        enough = (self.cards - self.slots) // self.hand
        return range(self._fewest_players, min(enough, rules.SEATS) + 1)

    @property
    def flags(self) -> int:
        """The options as the number that the rules read."""
        return (
            self.optional_draw * rules.OPTIONAL_DRAW
            + self.ones_snatch * rules.ONES_SNATCH
            + self.fewest_cards * rules.FEWEST_CARDS
            + self.virtual * rules.VIRTUAL
            + self.endless * rules.ENDLESS
            + flags_of(self, SIZES)
        )


@cache
def options_of(flags: int) -> LinkoOptions:
    """The reverse of `flags`."""
    return LinkoOptions(
        optional_draw=bool(flags & rules.OPTIONAL_DRAW),
        ones_snatch=bool(flags & rules.ONES_SNATCH),
        fewest_cards=bool(flags & rules.FEWEST_CARDS),
        virtual=bool(flags & rules.VIRTUAL),
        endless=bool(flags & rules.ENDLESS),
        **sizes_of(flags, SIZES),
    )


EDITIONS = {
    "classic": LinkoOptions(),
    "basic": LinkoOptions(optional_draw=True, fewest_cards=True),
    "advanced": LinkoOptions(fewest_cards=True),
    "expert": LinkoOptions(ones_snatch=True, fewest_cards=True),
    "duel": LinkoOptions(optional_draw=True, fewest_cards=True, virtual=True),
}

EARLIER = {1: {name: replace(options, endless=True) for name, options in EDITIONS.items()}}
"""The editions as earlier versions of the rules had them: games that were begun by those go on by them."""
