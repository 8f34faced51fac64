"""Golden games: any change in what happens, or in how it is told, shows up here as a difference to read."""

import pytest

from lynxden.games.jit import interpreted
from lynxden.games.registry import GAMES
from tests.golden.write import FOLDER, golden_game

EDITIONS = [(game, edition) for game in GAMES for edition in GAMES[game].editions]


@pytest.mark.parametrize(("game", "edition"), EDITIONS)
def test_golden_game(game: str, edition: str) -> None:
    check(game, edition)


@pytest.mark.parametrize(("game", "edition"), EDITIONS)
def test_golden_game_as_plain_python(game: str, edition: str) -> None:
    """As at a first start, while the rules are being compiled."""
    with interpreted():
        check(game, edition)


def check(game: str, edition: str) -> None:
    written = (FOLDER / f"{game}-{edition}.txt").read_text(encoding="utf-8")
    assert golden_game(GAMES[game], edition) == written
