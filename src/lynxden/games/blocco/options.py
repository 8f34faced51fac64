"""The editions of Blocco: there is one."""

from dataclasses import dataclass
from functools import cache

from lynxden.games.blocco import rules
from lynxden.games.errors import OptionsError
from lynxden.games.reduced import Size, check_sizes, flags_of, sizes_of

SIZES = {
    "colours": Size(1, rules.COLOURS, rules.COLOURS_SHORT),
    "copies": Size(1, rules.MOST_COPIES, rules.COPIES_SHORT),
    "hand": Size(1, rules.HAND, rules.HAND_SHORT),
    "places": Size(rules.PLACES - rules.LAST_EMPTY + 1, rules.PLACES, rules.PLACES_SHORT),
}
"""What a reduced deck has fewer of."""

FEWEST_PLAYERS = 3


@dataclass(frozen=True)
class BloccoOptions:
    """What differs between the editions of Blocco: nothing, so far. The whole game is the default."""

    colours: int = rules.COLOURS
    """How many colours there are, in the order 1a 1b 2a 2b 3a 3b 4a."""
    copies: int = rules.MOST_COPIES
    """How many cards there are of a colour at most."""
    hand: int = rules.HAND
    """How many cards each hand starts with."""
    places: int = rules.PLACES
    """How many places the circle has; the game ends when three rows are left."""

    def __post_init__(self) -> None:
        """Refuse what would not make a game."""
        check_sizes(self, SIZES)
        if not self.player_counts:
            raise OptionsError(
                f"a deck of {self.cards} cards is too small: {FEWEST_PLAYERS} hands of {self.hand} and"
                f" {self.places} rows need {FEWEST_PLAYERS * self.hand + self.places}"
            )

    @property
    def cards(self) -> int:
        """How many cards there are in all."""
        return sum(min(copies, self.copies) for copies in rules.COPIES[: self.colours])

    @property
    def player_counts(self) -> range:
        """Three to five, if there are cards for all hands and for the circle."""
        enough = (self.cards - self.places) // self.hand
        return range(FEWEST_PLAYERS, min(enough, rules.SEATS) + 1)

    @property
    def flags(self) -> int:
        """The options as the number that the rules read."""
        return flags_of(self, SIZES)


@cache
def options_of(flags: int) -> BloccoOptions:
    """The reverse of `flags`."""
    return BloccoOptions(**sizes_of(flags, SIZES))


EDITIONS = {"standard": BloccoOptions()}

EARLIER: dict[int, dict[str, BloccoOptions]] = {}
"""There are no earlier versions of the rules."""
