"""Every game by name."""

from lynxden.games.blocco import BLOCCO
from lynxden.games.core import Game
from lynxden.games.errors import OptionsError
from lynxden.games.linko import LINKO

GAMES: dict[str, Game] = {game.name: game for game in (LINKO, BLOCCO)}


def get_game(name: str) -> Game:
    if name not in GAMES:
        raise OptionsError(f"there is no game '{name}'; games: {', '.join(GAMES)}")
    return GAMES[name]
