from pathlib import Path

import pytest

from lynxden.bots import registry
from tests.arena import players


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bots of these tests are registered in this process, for one test."""
    for kind in (players.MIXED, players.RAISES, players.CHEATS, players.SLEEPS, players.SLOW):
        monkeypatch.setitem(registry._kinds, kind.name, kind)


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which commands know them."""
    return players.install(Path(tmp_path_factory.mktemp("bots")))
