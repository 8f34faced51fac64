"""The editions of Linko: one frozen value, five presets."""

from dataclasses import dataclass, replace

from lynxden.games.errors import OptionsError
from lynxden.games.linko import rules


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

    def __post_init__(self) -> None:
        """Refuse what no rulebook offers and what would not make a game."""
        if self.virtual and self.ones_snatch:
            raise OptionsError("the virtual player does not go with ones_snatch: it is a basic game")
        if self.virtual and not (self.optional_draw and self.fewest_cards):
            raise OptionsError("the virtual player goes with optional_draw and fewest_cards only")

    @property
    def player_counts(self) -> range:
        """The duel is for two; with the optional draw it takes three or more; else two to five."""
        if self.virtual:
            return range(2, 3)
        return range(3 if self.optional_draw else 2, rules.SEATS + 1)

    @property
    def flags(self) -> int:
        """The options as the number that the rules read."""
        return (
            self.optional_draw * rules.OPTIONAL_DRAW
            + self.ones_snatch * rules.ONES_SNATCH
            + self.fewest_cards * rules.FEWEST_CARDS
            + self.virtual * rules.VIRTUAL
            + self.endless * rules.ENDLESS
        )


def options_of(flags: int) -> LinkoOptions:
    """The reverse of `flags`."""
    return LinkoOptions(
        optional_draw=bool(flags & rules.OPTIONAL_DRAW),
        ones_snatch=bool(flags & rules.ONES_SNATCH),
        fewest_cards=bool(flags & rules.FEWEST_CARDS),
        virtual=bool(flags & rules.VIRTUAL),
        endless=bool(flags & rules.ENDLESS),
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
