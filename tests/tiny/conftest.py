from collections.abc import Iterator

import pytest

from lynxden.games.registry import GAMES, register
from tests.tiny import TINY


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """In this folder the game is known to the whole package."""
    register(TINY)
    yield
    del GAMES[TINY.name]
