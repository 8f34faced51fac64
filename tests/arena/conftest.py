from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest

from lynxden.bots import registry
from tests.arena import players


@contextmanager
def registered() -> Iterator[None]:
    """The bots of these tests are registered in this process, for a while."""
    kinds = (players.MIXED, players.RAISES, players.CHEATS, players.SLEEPS, players.SLOW)
    with patch.dict(registry._kinds, {kind.name: kind for kind in kinds}):
        yield


@pytest.fixture
def known() -> Iterator[None]:
    """The bots of these tests are registered in this process, for one test."""
    with registered():
        yield


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which commands know them."""
    return players.install(Path(tmp_path_factory.mktemp("bots")))
