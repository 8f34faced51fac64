"""Browsers and servers for the tests of the page."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, sync_playwright

from tests.web.kit import ARGS, CHROMIUM, House, Player
from tests.web.scenes import Scenes, make_scenes

People = Callable[..., Player]
PLAYERS = pytest.StashKey[list[Player]]()


# Not for the whole session: while Playwright runs, no other test of this process could use asyncio.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield found
        found.close()


@pytest.fixture(scope="package")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server for all tests that do not kill it."""
    found = House(tmp_path_factory.mktemp("house"))
    yield found
    found.close()


@pytest.fixture(scope="package")
def short(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server whose games of Linko are soon over."""
    found = House(tmp_path_factory.mktemp("short"), module="tests.web.short")
    yield found
    found.close()


@pytest.fixture(scope="package")
def scenes(browser: Browser, house: House) -> Scenes:
    """Every screen, made once."""
    return make_scenes(browser, house.url)


@pytest.fixture
def people(browser: Browser, house: House, request: pytest.FixtureRequest) -> Iterator[People]:
    """Makes players; none of their pages may have run into an error."""
    made: list[Player] = []
    request.node.stash[PLAYERS] = made

    def make(**more: Any) -> Player:
        url = more.pop("url", house.url)
        made.append(Player(browser, url, seed=len(made) + 1, **more))
        return made[-1]

    yield make
    for player in made:
        player.close()
    troubles = [trouble for player in made for trouble in player.troubles]
    assert not troubles, f"the page ran into errors: {troubles}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """A failed test leaves what was to be seen."""
    try:
        return (yield)
    except Exception as error:
        folder: Path | None = getattr(item, "funcargs", {}).get("tmp_path")
        made: list[Player] = item.stash.get(PLAYERS, [])
        for number, player in enumerate(made):
            if folder is None:
                continue
            screen = folder / f"screen-{number}.png"
            try:
                player.page.screenshot(path=screen, timeout=5000)
                error.add_note(f"Screen of player {number}, at {player.page.url}: {screen}")
            except Error as other:
                error.add_note(f"No screen of player {number}: {other}")
        raise
