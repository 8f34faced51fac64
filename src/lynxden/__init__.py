"""Lynxden: play, study and research the card games Linko and Blocco."""

from collections.abc import Sequence

from lynxden.games.core import Action, Event, Loop, Options, Outcome, Position, View
from lynxden.games.errors import (
    ActionError,
    GameError,
    IllegalAction,
    LynxdenError,
    MalformedAction,
    OptionsError,
    OutOfTurn,
    SetupError,
)
from lynxden.games.registry import GAMES, get_game, register

__version__ = "0.2.0"


def new(
    game: str = "linko",
    edition: str | Options | None = None,
    players: int | None = None,
    seed: int | None = None,
    deck: Sequence[str] | str | None = None,
    starter: int = 0,
) -> Position:
    """Deal a game by name: `lynxden.new("linko", edition="classic", players=4, seed=1)`."""
    return get_game(game).new(edition, players, seed, deck, starter)


__all__ = [
    "GAMES",
    "Action",
    "ActionError",
    "Event",
    "GameError",
    "IllegalAction",
    "Loop",
    "LynxdenError",
    "MalformedAction",
    "Options",
    "OptionsError",
    "OutOfTurn",
    "Outcome",
    "Position",
    "SetupError",
    "View",
    "get_game",
    "new",
    "register",
]
