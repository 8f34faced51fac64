"""The option `--reduced`, which several commands have."""

from lynxden.games.core import Game, Options
from lynxden.games.reduced import read_sizes

REDUCED = "A smaller deck, for research: name=number,…, as in values=4,copies=3,hand=4."


def choose_options(game: Game, edition: str | None, reduced: str | None) -> Options:
    """The options that a command is given."""
    return game.reduce(edition, **({} if reduced is None else read_sizes(reduced)))
