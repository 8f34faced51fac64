"""Where somebody is signed in, on their own page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.web.conftest import People
from tests.web.kit import PHONE, Player


def panel(player: Player) -> Locator:
    return player.page.get_by_role("region", name=player.say("me.sessions"), exact=True)


def test_devices_are_listed_and_signed_out(people: People) -> None:
    ann, phone = people(), people(size=PHONE, touch=True, locale="de-DE")
    ann.arrive("Ann")
    ann.go("/me")
    rows = panel(ann).get_by_role("listitem")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text(ann.say("me.sessions.here"))
    expect(rows).to_contain_text(re.compile("Chrom"))
    expect(panel(ann)).to_contain_text(ann.say("me.sessions.none"))
    ann.press(ann.button("me.link.make"))
    link = ann.page.get_by_role("textbox", name=ann.say("me.link"), exact=True).input_value()
    phone.go(link)
    phone.press(phone.button("me.claim.yes"))
    expect(phone.page.get_by_role("link", name="Ann", exact=True)).to_be_visible()

    ann.page.reload()
    expect(rows).to_have_count(2)
    expect(panel(ann)).not_to_contain_text(ann.say("me.sessions.none"))
    other = rows.filter(has_not_text=ann.say("me.sessions.here"))
    ann.press(other.get_by_role("button"))
    dialog = ann.page.get_by_role("dialog")
    expect(dialog).to_contain_text(ann.say("me.sessions.out.text"))
    ann.press(dialog.get_by_role("button", name=ann.say("app.cancel")))
    expect(rows).to_have_count(2)
    ann.press(other.get_by_role("button"))
    ann.press(dialog.get_by_role("button", name=ann.say("me.sessions.out"), exact=True))
    expect(rows).to_have_count(1)
    expect(panel(ann)).to_contain_text(ann.say("me.sessions.none"))
    # The other device is somebody new, at once.
    expect(phone.page.get_by_role("link", name="Ann", exact=True)).to_be_hidden()
    expect(
        phone.page.get_by_role("link", name=re.compile("^" + phone.say("name.guest", id="")))
    ).to_be_visible()


@pytest.mark.slow
def test_all_other_devices_are_signed_out(people: People) -> None:
    ann, other = people(), people()
    ann.arrive("Ann")
    ann.go("/me")
    ann.press(ann.button("me.link.make"))
    link = ann.page.get_by_role("textbox", name=ann.say("me.link"), exact=True)
    other.go(link.input_value())
    other.press(other.button("me.claim.yes"))
    expect(other.page.get_by_role("link", name="Ann", exact=True)).to_be_visible()
    ann.page.reload()
    rows = panel(ann).get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.filter(has_not_text=ann.say("me.sessions.here"))).to_contain_text("today")
    ann.press(ann.button("me.devices.out"))
    dialog = ann.page.get_by_role("dialog")
    expect(dialog).to_contain_text(ann.say("me.devices.out.text"))
    expect(rows).to_have_count(2)
    ann.press(dialog.get_by_role("button", name=ann.say("me.sessions.out"), exact=True))
    expect(rows).to_have_count(1)
    expect(dialog).to_be_hidden()
    expect(ann.button("me.link.make")).to_be_visible()  # the one before is revoked
    expect(other.page.get_by_role("link", name="Ann", exact=True)).to_be_hidden()


@pytest.mark.slow
def test_this_device_is_signed_out(people: People) -> None:
    ann, other = people(), people()
    ann.arrive("Ann")
    ann.go("/me")
    ann.press(ann.button("me.link.make"))
    link = ann.page.get_by_role("textbox", name=ann.say("me.link"), exact=True).input_value()
    other.go(link)
    other.press(other.button("me.claim.yes"))
    other.go("/me")
    here = panel(other).get_by_role("listitem").filter(has_text=other.say("me.sessions.here"))
    other.press(here.get_by_role("button"))
    dialog = other.page.get_by_role("dialog")
    expect(dialog).to_contain_text(other.say("me.sessions.out.lost"))
    other.press(dialog.get_by_role("button", name=other.say("me.sessions.out"), exact=True))
    expect(other.page.get_by_role("region", name=other.say("home.welcome.title"))).to_be_visible()
    assert other.page.url == f"{other.url}/"
    ann.page.reload()
    expect(panel(ann).get_by_role("listitem")).to_have_count(1)
    expect(ann.page.get_by_role("heading", name="Ann")).to_be_visible()
