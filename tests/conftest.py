"""What all tests share."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Before NumPy is loaded. Threads that multiply matrices wait for each other without end where tests already
# keep every processor busy: what takes four seconds alone took as many minutes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from xdist.scheduler import LoadScopeScheduling

from lynxden.games.registry import GAMES, register
from tests.tiny import TINY

TOGETHER = {
    "tests/web/test_access.py::test_axe": "scenes",
    "tests/web/test_languages.py::test_language": "scenes",
    "tests/web/test_players.py": "scenes",
    "tests/web/test_pseudo.py": "scenes",
    "tests/web/test_evening.py": "short",
    "tests/web/test_together.py": "short",
    "tests/arena/test_ray.py": "ray",
    "tests/arena/test_statistics.py": "statistics",
}
"""Tests that share something that takes long to make, such as all screens of the page."""

REAL = [
    Path(__file__).parent / place
    for place in ("arena", "bots/test_search.py", "server", "tiny/test_server.py", "versions", "web")
]
"""Tests with real clocks, real sockets, real processes and real browsers."""


class Scheduler(LoadScopeScheduling):  # type: ignore[misc]
    """Gives each process one test after the other; those of `TOGETHER` go to the same process.

    (The mark `xdist_group` was meant for that, and has no effect with the versions that we use.)
    """

    def _split_scope(self, nodeid: str) -> str:
        return next((group for start, group in TOGETHER.items() if nodeid.startswith(start)), nodeid)

    def _assign_work_unit(self, node: Any) -> None:
        """Every other process begins at the end, with the page: browsers work while servers wait."""
        if int(node.gateway.id.removeprefix("gw")) % 2:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduler:
    return Scheduler(config, log)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before all tests are spread over processes, what they need is compiled, once for all of them."""
    config = session.config
    whole = config.args_source is not pytest.Config.ArgsSource.ARGS
    if whole and config.getoption("numprocesses", None) and not config.getoption("collectonly"):
        subprocess.run([sys.executable, "-m", "tests.warm"], cwd=config.rootpath, check=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser, a server or a clock may be late on a busy machine: what fails there is run once more.

    The summary names it, as RERUN. What fails twice has failed.
    """
    for item in items:
        if any(item.path.is_relative_to(place) for place in REAL):
            item.add_marker(pytest.mark.flaky(reruns=1))


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
