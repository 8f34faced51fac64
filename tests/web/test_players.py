"""The end of a game, and what stays of it: best moments, ratings, the pages of players and of the ladder."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Route, expect

from tests.web.conftest import People
from tests.web.kit import DESK, PHONE, play_together
from tests.web.scenes import Scenes


@pytest.mark.parametrize(
    "size", [PHONE, *(pytest.param(size, marks=pytest.mark.slow) for size in (DESK, (844, 390)))]
)
def test_what_comes_late_moves_no_button(people: People, scenes: Scenes, size: tuple[int, int]) -> None:
    ann = people(size=size)
    scenes.visit(ann)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    for late in ("**/moments", "**/result"):
        ann.page.route(late, hold)
    ann.go(scenes.end)
    expect(ann.end).to_be_visible()
    ann.page.wait_for_timeout(400)  # it fades in
    buttons = ann.end.locator(".buttons .button")
    before = [button.bounding_box() for button in buttons.all()]
    assert len(held) == 2
    assert len(before) > 3
    for route in held:
        route.continue_()
    expect(ann.end.get_by_role("heading", name=ann.say("players.moments"))).to_be_attached()
    assert [button.bounding_box() for button in buttons.all()] == before


@pytest.mark.slow
def test_a_rated_game_leaves_its_mark(people: People) -> None:
    ann, ben = people(), people(size=PHONE, touch=True)
    ann.arrive("Ann")
    ben.arrive("Ben")
    link = ann.open_table("linko", "classic", ["open"])
    ben.go(link)
    ben.press(ben.button("table.waiting.join"))
    play_together([ann, ben])
    for player in (ann, ben):
        end = player.end
        expect(end).to_be_visible()
        expect(end.get_by_role("columnheader", name=player.say("players.rating"), exact=True)).to_be_visible()
        expect(end.get_by_role("heading", name=player.say("players.moments"))).to_be_visible()
    moments = ann.end.get_by_role("listitem")
    expect(moments.first).to_be_visible()
    href = moments.first.get_by_role("link").get_attribute("href") or ""
    step = int(href.rpartition("#")[2])
    assert step > 0
    ann.press(ann.end.get_by_role("link", name="Ben", exact=True))
    expect(ann.page).to_have_url(re.compile(r"/p/"))
    expect(ann.page.get_by_role("heading", name="Ben")).to_be_visible()
    games = ann.page.get_by_role("region", name=ann.say("me.games"), exact=True)
    expect(games.get_by_role("listitem")).to_have_count(1)
    games.get_by_label(ann.say("players.filter"), exact=True).select_option("blocco standard")
    expect(games).to_contain_text(ann.say("players.filter.none"))
    ann.press(games.get_by_role("button", name=ann.say("players.filter.clear")))
    expect(games.get_by_role("listitem")).to_have_count(1)
    games.get_by_label(ann.say("players.filter.opponent")).select_option("Ann")
    expect(games.get_by_role("listitem")).to_have_count(1)
    ratings = ann.page.get_by_role("region", name=ann.say("players.ratings"), exact=True)
    ann.press(ratings.get_by_role("link").first)
    expect(ann.page.get_by_role("heading", name=ann.say("players.ladder"))).to_be_visible()
    expect(ann.page.get_by_text(ann.say("players.ladder.none"))).to_be_visible()
    ann.go(href)
    expect(ann.page.get_by_role("slider").first).to_have_value(str(step))
