"""Every game by name."""

import copyreg
from collections.abc import Callable, Iterable

from lynxden.games.blocco import BLOCCO
from lynxden.games.core import Game, Position
from lynxden.games.errors import GameError, OptionsError
from lynxden.games.linko import LINKO

GAMES: dict[str, Game] = {}
"""All games that this process knows; `register` adds to them."""


def register(game: Game) -> None:
    """Add a game: from now on everything in this process that takes a game by name takes this one too."""
    if game.name in GAMES:
        raise GameError(f"there is a game '{game.name}' already: {GAMES[game.name].title}")
    GAMES[game.name] = game


def from_outside() -> tuple[type[Position], ...]:
    """The kinds of positions of games that are not part of Lynxden: they can be pickled by their modules."""
    return tuple(game.position_type for game in GAMES.values() if game not in (LINKO, BLOCCO))


def learn(kinds: Iterable[type[Position]]) -> None:
    """Register the games of these positions, in a process that may not know them."""
    for kind in kinds:
        if kind.game.name not in GAMES:
            register(kind.game)


def get_game(name: str) -> Game:
    """A game by its name; `OptionsError` if there is none."""
    if name not in GAMES:
        raise OptionsError(f"there is no game '{name}'; games: {', '.join(GAMES)}")
    return GAMES[name]


def _by_name(game: Game) -> tuple[Callable[[str], Game], tuple[str]]:
    """A process has one instance of each game: a copy, or what a pickle holds, is found by the name."""
    if GAMES.get(game.name) is not game:
        raise GameError(f"the game '{game.name}' cannot be copied or pickled unless it is registered")
    return get_game, (game.name,)


copyreg.pickle(Game, _by_name)

for _game in (LINKO, BLOCCO):
    register(_game)
