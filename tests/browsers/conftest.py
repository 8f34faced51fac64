"""A server, and somebody in front of each browser."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.browsers.driver import Driver, Firefox, WebKit
from tests.browsers.walk import Walker
from tests.web.kit import House

WALKER = pytest.StashKey[Walker]()


@pytest.fixture(scope="package")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    found = House(tmp_path_factory.mktemp("house"))
    yield found
    found.close()


@pytest.fixture(scope="package", params=["firefox", "webkit"])
def driver(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    made: Driver = Firefox() if request.param == "firefox" else WebKit(tmp_path_factory.mktemp("webkit"))
    yield made
    made.close()


@pytest.fixture
def walker(driver: Driver, house: House, request: pytest.FixtureRequest) -> Iterator[Walker]:
    """Has arrived; the page must not have run into an error."""
    found = Walker(driver, house)
    request.node.stash[WALKER] = found
    found.arrive()
    yield found
    troubles = driver.troubles()
    assert not troubles, f"the page ran into errors: {troubles}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """A failed test leaves what was to be seen."""
    try:
        return (yield)
    except Exception as error:
        folder: Path | None = getattr(item, "funcargs", {}).get("tmp_path")
        walker = item.stash.get(WALKER, None)
        if folder is not None and walker is not None:
            screen = folder / "screen.png"
            try:
                walker.driver.screenshot(screen)
                error.add_note(f"Screen: {screen}")
            except Exception as other:  # the browser may be what failed
                error.add_note(f"No screen: {other}")
        raise
