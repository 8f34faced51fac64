"""Against abuse, on the page: a host removes somebody, players report, an administrator acts."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.server.answers import finished_record
from tests.web.conftest import People
from tests.web.kit import PHONE, House, Player
from tests.web.test_pseudo import speak_pseudo, unmarked

TOKEN = "a-token-of-an-administrator"
PICTURES = os.environ.get("LYNXDEN_PICTURES", "")
"""A folder for pictures of what these tests see; none are made without it."""
NO_WORDS = re.compile(r"\w+: (?:· )?(?:\d\d\.\d\d\.\d{4}, \d\d:\d\d|[2-9a-zA-Z]{12}|[\d.]+, 2001:[\w:/]+)")
"""Dates as the browser writes them, ids, and addresses: the same in every language."""


@pytest.fixture(scope="module")
def ruled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server with an administrator."""
    found = House(tmp_path_factory.mktemp("ruled"), LYNXDEN_ADMIN_TOKEN=TOKEN, LYNXDEN_BEAT="0.2")
    yield found
    found.close()


def picture(player: Player, name: str) -> None:
    """Look at something in light and dark."""
    for scheme in ("light", "dark") if PICTURES else ():
        player.page.emulate_media(color_scheme="light" if scheme == "light" else "dark")
        player.page.wait_for_timeout(500)  # colours fade
        player.page.screenshot(path=Path(PICTURES) / f"{name}-{scheme}.png")
    if PICTURES:
        player.page.emulate_media(color_scheme="light")


def joins(player: Player, link: str, name: str) -> None:
    player.arrive(name)
    player.go(link)
    player.press(player.button("table.waiting.join"))


def test_a_host_removes_somebody(people: People, ruled: House) -> None:
    ann = people(url=ruled.url)
    ben = people(url=ruled.url, size=PHONE, touch=True, locale="de-DE")
    ann.arrive("Ann")
    link = ann.open_table("linko", "classic", ["open", "open"])
    joins(ben, link, "Ben")
    expect(ann.page.locator(".waiting .seat .name")).to_have_text(["Ann", "Ben"])
    expect(ben.button("report.open", name="Ann")).to_be_visible()
    expect(ben.button("table.waiting.remove", name="Ann")).to_have_count(0)
    picture(ann, "waiting-desk")
    picture(ben, "waiting-phone")
    ann.press(ann.button("table.waiting.remove", name="Ben"))
    picture(ann, "remove-desk")
    ann.press(ann.button("table.waiting.remove.yes"))
    expect(ann.page.locator(".waiting .seat .name")).to_have_text(["Ann"])
    expect(ben.page.get_by_text(ben.say("error.removed"))).to_be_visible()
    picture(ben, "removed-phone")
    ben.go(link)  # not even with the invitation
    expect(ben.page.get_by_text(ben.say("error.removed"))).to_be_visible()


def report(player: Player, name: str) -> None:
    """Report somebody, by their face at the table."""
    expect(player.page.locator(".play.dealing")).to_have_count(
        0
    )  # while cards are dealt, presses are ignored
    player.page.wait_for_timeout(500)  # and those soon after it, which were meant for what was there before
    player.press(player.button("report.person", name=name))
    dialog = player.page.get_by_role("dialog")
    expect(player.button("report.send")).to_be_disabled()
    dialog.get_by_label(player.say("report.reason.chat")).check()
    dialog.get_by_label(player.say("report.words")).fill("She was rude.")
    picture(player, "report-phone")
    player.press(player.button("report.send"))
    expect(player.page.get_by_text(player.say("report.sent"))).to_be_visible()
    player.press(dialog.get_by_role("button", name=player.say("app.close"), exact=True).last)


def enter(boss: Player) -> None:
    """Open the page for administrators."""
    boss.go("/admin")
    boss.page.get_by_label(boss.say("admin.token")).fill("not the token at all")
    boss.press(boss.button("admin.enter"))
    expect(boss.page.get_by_text(boss.say("admin.token.wrong"))).to_be_visible()
    boss.page.get_by_label(boss.say("admin.token")).fill(TOKEN)
    picture(boss, "admin-token-desk")
    boss.press(boss.button("admin.enter"))
    expect(boss.button("admin.refresh")).to_be_visible()


def answer(boss: Player, key: str, words: str, button: str) -> None:
    """Give a reason in a dialog, and go on."""
    boss.page.get_by_label(boss.say(key)).fill(words)
    picture(boss, f"{button}-desk")
    boss.press(boss.page.get_by_role("dialog").get_by_role("button", name=boss.say(button), exact=True))


def test_a_player_reports_and_an_administrator_acts(people: People, ruled: House) -> None:
    ann = people(url=ruled.url, size=PHONE, touch=True)
    cyd = people(url=ruled.url, locale="fr-FR")
    ann.arrive("Ann")
    link = ann.open_table("linko", "classic", ["open"])
    joins(cyd, link, "Cyd")
    expect(cyd.page.get_by_role("group", name=cyd.say("linko.hand"))).to_be_visible()
    cyd.press(cyd.page.get_by_role("tab", name=re.compile(f"^{cyd.say('table.chat')}")))
    cyd.page.get_by_label(cyd.say("table.chat.say")).fill("Something bad")
    cyd.press(cyd.button("table.chat.send"))
    chat = cyd.page.get_by_role("list", name=cyd.say("table.chat"))
    expect(chat.get_by_text("Something bad")).to_be_visible()
    picture(ann, "plate-phone")
    picture(cyd, "plate-desk")
    report(ann, "Cyd")

    boss = people(url=ruled.url, locale="it-IT")
    enter(boss)
    expect(boss.page.get_by_text("She was rude.")).to_be_visible()
    expect(boss.page.get_by_text("Something bad")).to_be_visible()
    picture(boss, "admin-desk")
    boss.press(boss.button("admin.line.delete", number=1))
    expect(cyd.page.get_by_text(cyd.say("table.chat.removed"))).to_be_visible()
    expect(cyd.page.get_by_text("Something bad")).to_have_count(0)

    boss.press(boss.button("admin.ban").first)
    answer(boss, "admin.ban.reason", "Rude as can be", "admin.ban")
    expect(cyd.page.get_by_text(cyd.say("error.banned"))).to_be_visible()
    expect(cyd.page.get_by_text("Rude as can be")).to_be_visible()
    picture(cyd, "banned-desk")
    cyd.go("/")
    expect(cyd.page.get_by_text(cyd.say("error.banned"))).to_be_visible()
    boss.press(boss.button("admin.report.done"))
    expect(boss.page.get_by_text("She was rude.")).to_have_count(0)
    boss.press(boss.button("admin.close").first)
    answer(boss, "admin.close.reason", "It is late.", "admin.close")
    expect(ann.page.get_by_text(ann.say("table.closed.admin"))).to_be_visible()
    expect(ann.page.get_by_text("It is late.")).to_be_visible()
    picture(ann, "closed-phone")
    boss.press(boss.button("admin.unban.label", name="Cyd"))
    expect(boss.button("admin.unban.label", name="Cyd")).to_have_count(0)
    cyd.press(cyd.button("app.retry"))
    expect(cyd.page.get_by_role("link", name="Cyd", exact=True)).to_be_visible()


@pytest.mark.slow
def test_an_administrator_takes_no_newcomers_for_a_while(people: People, ruled: House) -> None:
    boss = people(url=ruled.url, size=PHONE, touch=True, locale="pl-PL")
    enter(boss)
    taken = boss.page.get_by_label(boss.say("admin.registration"))
    taken.click()
    expect(taken).not_to_be_checked()
    picture(boss, "admin-phone")
    new = people(url=ruled.url, size=PHONE, touch=True, locale="ko-KR")
    new.go("/")
    expect(new.page.get_by_text(new.say("error.no-newcomers"))).to_be_visible()
    picture(new, "newcomer-phone")
    new.go("/me#0123456789abcdefghijkl")  # somebody whom the server knows may come
    expect(new.button("me.claim.yes")).to_be_visible()
    new.go("/")
    boss.page.reload()  # the tab knows the token
    expect(taken).not_to_be_checked()
    taken.click()
    expect(taken).to_be_checked()
    new.press(new.button("app.retry"))
    expect(new.page.get_by_role("region", name=new.say("home.welcome.title"))).to_be_visible()


def test_without_a_token_there_is_no_such_page(people: People) -> None:
    player = people()
    answer = player.page.goto("/admin")
    assert answer is not None
    assert answer.status == 404


@pytest.mark.slow
def test_somebody_deletes_a_game_that_they_imported(people: People, ruled: House) -> None:
    ann = people(url=ruled.url, size=PHONE, touch=True)
    ann.arrive("Ann")
    made = ann.page.request.post("/api/records", data=finished_record()).json()
    ann.go("/me")
    ann.press(ann.button("me.games.delete"))
    picture(ann, "delete-import-phone")
    ann.press(ann.page.get_by_role("dialog").get_by_role("button", name=ann.say("me.games.delete")))
    expect(ann.button("me.games.delete")).to_have_count(0)
    assert ann.page.request.get(f"/api/records/{made['id']}").status == 404


def test_the_administrators_page_comes_from_a_catalogue(people: People, ruled: House) -> None:
    ann, ben, boss = people(url=ruled.url), people(url=ruled.url), people(url=ruled.url, locale="de-DE")
    for player, name in ((ann, "Ann"), (ben, "Tansy")):
        player.arrive(name)
    made = ann.context.request.post(
        "/api/tables", data={"seats": [{"kind": "open"}] * 3, "public": True}
    ).json()
    ben.context.request.post(f"/api/tables/{made['id']}/join", data={})
    report = {"guest": ben.context.request.get("/api/me").json()["id"], "reason": "name"}
    assert ann.context.request.post(f"/api/tables/{made['id']}/reports", data=report).ok
    ban = boss.context.request.post(
        "/api/admin/bans/networks",
        data={"network": "203.0.113.9", "days": 3},
        headers={"authorization": f"Bearer {TOKEN}"},
    )
    assert ban.ok, ban.text()
    speak_pseudo(boss)
    boss.go("/admin")
    boss.page.locator('input[type="password"]').wait_for()
    faults = unmarked(boss)
    boss.page.locator('input[type="password"]').fill(TOKEN)
    boss.page.locator("form button").click()
    expect(boss.page.get_by_text("203.0.113.9").first).to_be_visible()
    faults += unmarked(boss)
    for button in boss.page.locator("main .columns button:visible:enabled").all():
        button.click()
        dialog = boss.page.locator("dialog[open]")
        if dialog.count():
            faults += unmarked(boss)
            boss.page.keyboard.press("Escape")
            expect(dialog).to_be_hidden()
        if not button.is_visible():
            break  # something was done, and the rest is another page
    faults = [fault for fault in faults if not NO_WORDS.fullmatch(fault)]
    assert not faults, "\n".join(dict.fromkeys(faults))
