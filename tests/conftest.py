"""What all tests share."""

from collections.abc import Iterator

import pytest

from lynxden.games.registry import GAMES, register
from tests.tiny import TINY


@pytest.fixture(autouse=True)
def tiny_is_known(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that is run with the game of the tests has it registered, and no other test has."""
    callspec = getattr(request.node, "callspec", None)
    wanted = callspec is not None and any(
        value is TINY or value == TINY.name for value in callspec.params.values()
    )
    if wanted:
        register(TINY)
    yield
    if wanted:
        del GAMES[TINY.name]
