"""What all tests share."""

from collections.abc import Iterator

import pytest
from xdist.scheduler import LoadScopeScheduling

from lynxden.games.registry import GAMES, register
from tests.tiny import TINY

TOGETHER = {
    "tests/web/test_access.py::test_axe": "scenes",
    "tests/web/test_languages.py::test_language": "scenes",
    "tests/web/test_pseudo.py": "scenes",
    "tests/arena/test_ray.py": "ray",
}
"""Tests that share something that takes long to make, such as all screens of the page."""


class Scheduler(LoadScopeScheduling):  # type: ignore[misc]
    """Gives each process one test after the other; those of `TOGETHER` go to the same process.

    (The mark `xdist_group` was meant for that, and has no effect with the versions that we use.)
    """

    def _split_scope(self, nodeid: str) -> str:
        return next((group for start, group in TOGETHER.items() if nodeid.startswith(start)), nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduler:
    return Scheduler(config, log)


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
