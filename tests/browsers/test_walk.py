"""A short walk through the games in the browsers that the other tests of the page do not use."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from lynxden.games.registry import get_game
from lynxden.records.record import Recorder
from tests.browsers.walk import Walker
from tests.web.kit import DESK, PHONE

pytestmark = pytest.mark.slow
GAMES = {"linko": "basic", "blocco": "standard"}


@pytest.mark.parametrize("game", GAMES)
def test_table(walker: Walker, game: str, tmp_path: Path) -> None:
    walker.play_now(game)
    for width, height in (PHONE, DESK):
        walker.wait()
        walker.check_layout(width, height)
    walker.play(8)
    for width, height in (PHONE, DESK):
        walker.check_layout(width, height)

    walker.open_dialog("app.how")
    walker.close_dialog()
    walker.open_dialog("me.settings")
    walker.choose_dark()
    walker.choose_german()
    walker.close_dialog(key=True)
    assert walker.say("table.yourturn") in walker.look("() => document.title")
    walker.check_layout(*PHONE)  # German words are long


@pytest.mark.parametrize("game", GAMES)
def test_replay(walker: Walker, game: str, tmp_path: Path) -> None:
    rng = random.Random(7)
    position = get_game(game).new(GAMES[game], 3, seed=3)
    recorder = Recorder(position, ("Ann", "Ben", "Cleo"))
    last = 0
    while not position.over:
        position = recorder.apply(rng.choice(position.legal_actions))
        last += 1
    walker.go(walker.bring(recorder.record().to_json()))
    walker.at_step(0, last)
    for step in range(1, 6):
        walker.tool("replay.forward")
        walker.at_step(step, last)
    for step in range(6, 11):
        walker.driver.press("ArrowRight")
        walker.at_step(step, last)
    walker.tool("replay.back")
    walker.at_step(9, last)
