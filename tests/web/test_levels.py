"""Opponents by level: chosen on the page, met at the table, and remembered."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from lynxden.bots import kinds, levels
from tests.web.conftest import People
from tests.web.kit import LANGUAGES, QUICK, SMALL, House, Player

BOTS = [kind.name for kind in levels()]


def bots_at(house: House, table: str) -> list[str]:
    """Who plays, by the log of the server."""
    return [seat.bot for seat in house.states(table)[-1][1].seats if seat.kind == "bot"]


def remembered(player: Player) -> str:
    return str(json.loads(player.page.evaluate("localStorage.getItem('lynxden')"))["bot"])


@pytest.mark.parametrize("bot", [BOTS[0], *(pytest.param(bot, marks=pytest.mark.slow) for bot in BOTS[1:])])
def test_the_level_of_last_time_is_chosen_again(people: People, house: House, bot: str) -> None:
    ann = people(size=SMALL, touch=True)
    ann.arrive("Ann")
    ann.play_now("linko", "basic", 3, bot)
    ann.play(2)
    assert bots_at(house, ann.table) == [bot, bot]
    plates = ann.page.locator(".plate .kind")
    expect(plates.filter(has_text=ann.say(f"bot.{bot}"))).to_have_count(2)
    expect(plates.filter(has_text=ann.say(f"bot.{bot}")).first).to_have_attribute(
        "title", f"{ann.say(f'bot.{bot}')} – {ann.say(f'bot.{bot}.about')}"
    )
    ann.go("/")
    ann.page.reload()
    expect(ann.level(bot)).to_be_checked()
    expect(ann.page.get_by_text(ann.say(f"bot.{bot}.about"))).to_be_visible()


@pytest.mark.parametrize(
    "before", ["greedy", *(pytest.param(bot, marks=pytest.mark.slow) for bot in ("random", "gone"))]
)
def test_whoever_chose_another_bot_before_meets_the_hunter(people: People, house: House, before: str) -> None:
    ann = people(settings={**QUICK, "bot": before})
    ann.arrive("Ann")
    expect(ann.level("hunter")).to_be_checked()
    ann.play_now("linko", "basic", 3)
    assert bots_at(house, ann.table) == ["hunter", "hunter"]
    assert remembered(ann) == "hunter"


def test_arrow_keys_choose_a_level_and_readers_hear_what_it_is_like(people: People) -> None:
    ann = people()
    ann.arrive("Ann")
    group = ann.page.get_by_role("group", name=ann.say("home.bot"), exact=True)
    assert group.get_by_role("radio").count() == len(BOTS)
    ann.level("hunter").focus()
    ann.page.keyboard.press("ArrowRight")
    expect(ann.level("lynx")).to_be_checked()
    expect(ann.level("lynx")).to_be_focused()
    expect(ann.level("lynx")).to_have_accessible_description(ann.say("bot.lynx.about"))
    ann.page.reload()
    expect(ann.level("lynx")).to_be_checked()
    for bot in BOTS:  # one sentence is to be seen, all can be heard
        expect(group.get_by_text(ann.say(f"bot.{bot}.about"))).to_be_visible(visible=bot == "lynx")
        expect(ann.level(bot)).to_have_accessible_description(ann.say(f"bot.{bot}.about"))


@pytest.mark.parametrize(
    "size", [SMALL, *(pytest.param(size, marks=pytest.mark.slow) for size in ((390, 664), (844, 390)))]
)
def test_play_now_is_on_the_first_screen(people: People, size: tuple[int, int]) -> None:
    for language in LANGUAGES:
        ann = people(size=size, touch=True, locale=language, settings={**QUICK, "welcomed": True})
        ann.go("/")
        box = ann.button("home.play").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= size[1], f"{language}: the button ends at {box}"
        for bot in BOTS:
            name = ann.page.locator("label", has=ann.level(bot)).locator(".name")
            whole = "(name) => name.offsetHeight < 24 && name.scrollWidth <= name.clientWidth"
            assert name.evaluate(whole), f"{language}: the name of {bot} does not fit"


def test_a_new_table_seats_bots_by_level_and_has_others_for_who_looks(people: People, house: House) -> None:
    ann = people()
    ann.arrive("Ann")
    ann.go("/new")
    seat = ann.page.get_by_label(ann.say("home.seat", number=2))

    def offered() -> list[str]:
        values: list[str] = seat.locator("option").evaluate_all("(all) => all.map((each) => each.value)")
        return [value.removeprefix("bot ") for value in values if value.startswith("bot ")]

    expect(seat.locator("option[value='bot shadow']")).to_have_count(1)
    assert offered() == BOTS
    ann.press(ann.page.locator("summary", has_text=ann.say("home.bots.more")))
    expect(seat.locator("optgroup")).to_have_count(1)
    assert offered() == [kind.name for kind in kinds()]
    ann.open_table("linko", "basic", ["bot shadow", "bot kitten", "bot random"])
    assert bots_at(house, ann.table) == ["shadow", "kitten", "random"]


def test_empty_seats_go_to_bots_of_the_chosen_level(people: People, house: House) -> None:
    ann = people(size=SMALL, touch=True, locale="de-DE")
    ann.arrive("Ann")
    ann.open_table("blocco", "standard", ["open", "open"])
    ann.press(ann.page.locator("label", has=ann.level("kitten")))
    ann.press(ann.button("table.waiting.start"))
    ann.wait()
    assert bots_at(house, ann.table) == ["kitten", "kitten"]
    ann.go("/")
    expect(ann.level("kitten")).to_be_checked()
