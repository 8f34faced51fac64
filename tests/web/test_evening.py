"""An evening with friends: a big screen, two phones, and a laptop that joins late."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.web.conftest import People
from tests.web.kit import PHONE, SMALL, Player, play_together

TV = (1920, 1080)

AWAKE = """(() => {
  window.awake = 0;
  const request = async () => {
    window.awake += 1;
    const lock = new EventTarget();
    lock.release = async () => { window.awake -= 1; lock.dispatchEvent(new Event('release')); };
    return lock;
  };
  Object.defineProperty(navigator, 'wakeLock', { value: { request }, configurable: true });
})()"""
"""A browser without a screen grants no wake lock: this one counts them."""


def play_on(players: list[Player]) -> None:
    assert play_together(players), "the game does not end"


def test_an_evening_with_friends(people: People) -> None:
    ann = people(size=PHONE, touch=True)
    ben = people(size=SMALL, touch=True, locale="de-DE")
    screen = people(size=TV)
    cleo = people()
    for player in (ann, screen):
        player.context.add_init_script(AWAKE)
    ann.arrive("Ann")
    link = ann.open_table("linko", "duel", ["open"])
    invite = link.partition("#i=")[2]

    # The screen: who is there, and a code for the others.
    big = ann.page.get_by_role("link", name=ann.say("big.show"))
    screen.go(str(big.get_attribute("href")))
    expect(screen.page.get_by_text(screen.say("big.scan"))).to_be_visible()
    expect(screen.page.get_by_role("img", name=screen.say("home.share.qr"))).to_be_visible()
    ben.go(link)
    ben.page.get_by_label(ben.say("table.waiting.name")).fill("Ben")
    ben.press(ben.button("table.waiting.join"))

    # It shows whose turn it is in letters for the whole room, and no hand; nor was one sent.
    turn = screen.page.locator("[data-turn]")
    expect(turn).to_contain_text(re.compile("Ann|Ben"))
    assert turn.evaluate("(each) => parseFloat(getComputedStyle(each).fontSize)") > 60
    for player in (ann, ben):
        expect(player.page.locator("[data-hand]")).to_be_visible()
    assert screen.page.locator("[data-hand]").count() == 0
    expect(screen.page.locator(".seat .name")).to_have_count(2)
    assert ann.page.evaluate("() => awake") == screen.page.evaluate("() => awake") == 1

    # A phrase shows at the seat of whoever says it, and is counted until it is read.
    ben.press(ben.page.locator("[data-chat]"))
    ben.press(ben.button("phrase.good-luck"))
    said = ann.page.locator("[data-bubble]")
    expect(said).to_have_text(ann.say("phrase.good-luck"))
    expect(screen.page.locator("[data-bubble]")).to_have_text(screen.say("phrase.good-luck"))
    expect(ann.page.locator("[data-chat] .news")).to_have_text("1")
    ann.press(ann.page.locator("[data-chat]"))
    expect(ann.page.locator("[data-chat] .news")).to_have_count(0)
    for player in (ann, ben):
        player.press(
            player.page.locator("aside").get_by_role("button", name=player.say("app.close"), exact=True)
        )

    # Dinner is ready.
    ann.press(ann.button("table.leave"))
    ann.press(ann.page.get_by_role("dialog").get_by_role("button", name=ann.say("pause.pause")))
    for player in (ann, ben):
        expect(player.page.locator("[data-paused]")).to_be_visible()
    expect(screen.page.get_by_role("heading", name=screen.say("pause.title"))).to_be_visible()
    assert ben.button("pause.continue").count() == 0
    assert ann.look() is None
    assert ben.look() is None
    ann.press(ann.button("pause.continue"))
    expect(ben.page.locator("[data-paused]")).to_have_count(0)

    play_on([ann, ben])
    expect(ann.end).to_be_visible()
    assert ann.page.evaluate("() => awake") == 0, "the game is over"

    # Once more: the seats are kept by name, and the screen goes with them.
    ann.press(ann.button("table.end.rematch"))
    ann.page.wait_for_function("(old) => !location.href.includes(old)", arg=link.split("/t/")[1][:8])
    expect(ann.page.get_by_text(ann.say("evening.kept", name="Ben"))).to_be_visible()
    expect(screen.page.get_by_text(screen.say("evening.kept", name="Ben"))).to_be_visible()
    ben.press(ben.button("table.end.joinrematch"))
    play_on([ann, ben])
    standing = ann.end.locator("[data-evening] tbody tr")
    expect(standing).to_have_count(2)
    rows = [row.split() for row in standing.all_inner_texts()]
    assert {row[-3 + 1] for row in rows} == {"2"}, rows
    assert sum(int(row[-3]) for row in rows) >= 2
    chat = [m["chat"] for m in ann.received if m["type"] == "table" and m["info"]["id"] == ann.table]
    assert [line["phrase"] for line in chat[-1]] == ["good-luck"], "what was said goes on"

    # The one with the laptop comes late, by the old link: there is no bot to relieve.
    cleo.go(f"/t/{ann.table}#i={invite}")
    expect(cleo.page.get_by_text(cleo.say("evening.full"))).to_be_visible()
    assert "own" not in json.dumps([m for m in screen.received if not (m.get("game") or {}).get("finished")])


@pytest.mark.slow
def test_a_friend_relieves_a_bot(people: People) -> None:
    ann, cleo = people(size=PHONE, touch=True), people()
    ann.arrive("Ann")
    ann.open_table("linko", "duel", ["bot hunter"])
    link = ann.page.url
    ann.press(ann.button("table.share"))
    link = ann.page.get_by_role("textbox", name=ann.say("home.share.link")).input_value()
    ann.page.keyboard.press("Escape")
    cleo.go(link)
    dialog = cleo.page.get_by_role("dialog")
    expect(dialog).to_contain_text(cleo.say("evening.invited", name="Ann"))
    expect(dialog).to_contain_text(cleo.say("evening.during"))
    dialog.get_by_label(cleo.say("table.waiting.name")).fill("Cleo")
    cleo.press(dialog.get_by_role("button", name=cleo.say("evening.wait")))
    expect(cleo.page.get_by_text(cleo.say("evening.waiting"))).to_be_visible()
    expect(ann.page.get_by_text(ann.say("evening.next", name="Cleo"))).to_be_visible()
    play_on([ann])
    ann.press(ann.button("table.end.rematch"))
    expect(ann.page.get_by_text(ann.say("evening.kept", name="Cleo"))).to_be_visible()
    cleo.press(cleo.link("table.end.joinrematch"))
    cleo.press(cleo.button("table.waiting.join"))
    play_on([ann, cleo])
    rows = [row.split() for row in ann.end.locator("[data-evening] tbody tr").all_inner_texts()]
    assert len(rows) == 3, "Ann, the bot and Cleo"
