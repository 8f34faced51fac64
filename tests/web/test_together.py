"""Two people by invitation, and somebody who watches."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

from lynxden.server.table.characters import NAMES
from tests.web.conftest import People
from tests.web.kit import PHONE, House, Player, play_together


def names(player: Player) -> list[str]:
    """Everybody at the table, as this person's page shows them."""
    return player.page.locator(".seat .name").all_inner_texts()


def eve_called(player: Player) -> str:
    """The name that the server gave a guest."""
    return next(str(message["name"]) for message in player.received if message["type"] == "hello")


def open_chat(player: Player) -> None:
    """On a small screen the chat is behind a button."""
    if player.touch:
        player.press(player.page.locator("[data-log]"))
    player.press(player.page.get_by_role("tab", name=re.compile(f"^{player.say('table.chat')}")))


def test_two_people(people: People, short: House) -> None:
    ann, ben = people(url=short.url), people(url=short.url, size=PHONE, touch=True, locale="de-DE")
    ann.arrive("Ann")
    link = ann.open_table("linko", "classic", ["open", "bot greedy"])
    assert link.startswith(f"{ann.url}/t/")
    assert "#i=" in link
    bot = names(ann)[1]
    assert names(ann) == ["Ann", bot]
    assert bot in NAMES

    ben.go(link)  # his first visit: he has the name of a new guest
    ben.press(ben.button("table.waiting.join"))
    for player in (ann, ben):
        hand = player.page.get_by_role("group", name=player.say("linko.hand"))
        expect(hand.get_by_role("button").first).to_be_visible()
    ben_called = ben.page.locator(".own .name").inner_text()
    assert ben_called
    assert ben_called.startswith("Gast ")  # in his language, and a guest in hers
    guest = ben_called.replace("Gast", "Guest")
    assert sorted(names(ben)) == sorted(["Ann", bot, ben_called])
    assert sorted(names(ann)) == sorted(["Ann", bot, guest])
    assert ann.page.locator(".own .name").inner_text() == "Ann"

    assert not play_together([ann, ben], 4)
    assert ann.decisions
    assert ben.decisions

    for player in (ann, ben):
        open_chat(player)
    ann.page.get_by_label(ann.say("table.chat.say")).fill("Good evening <b>Ben</b>")
    ann.press(ann.button("table.chat.send"))
    ben.press(ben.button("phrase.well-played"))
    said = ben.page.get_by_role("list", name=ben.say("table.chat")).get_by_role("listitem")
    expect(said.first).to_contain_text("Good evening <b>Ben</b>")
    expect(said.first).to_contain_text("Ann")
    expect(said.nth(1)).to_contain_text("Gut gespielt!")
    heard = ann.page.get_by_role("list", name=ann.say("table.chat")).get_by_role("listitem")
    expect(heard.nth(1)).to_contain_text("Well played!")
    expect(heard.nth(1)).to_contain_text(guest)
    assert heard.count() == 2

    if ben.touch:
        ben.press(ben.page.locator("aside").get_by_role("button", name=ben.say("app.close"), exact=True))
    before = ann.decisions + ben.decisions
    assert play_together([ann, ben], 200) or ann.decisions + ben.decisions >= before + 200
    for player in (ann, ben):
        expect(player.end).to_be_visible()
    # Both see the same points.
    points = [sorted(player.end.locator("tbody tr").all_inner_texts()) for player in (ann, ben)]
    assert sorted(points[0]) == sorted(row.replace("Gast", "Guest") for row in points[1])


def test_spectator(people: People, tmp_path: Path) -> None:
    ann, eve = people(), people()
    ann.arrive("Ann")
    ann.open_table("linko", "basic", ["bot greedy", "bot random"])
    eve.go(f"/t/{ann.table}")  # this table is not for everybody
    expect(eve.page.get_by_text(eve.say("error.not-found"))).to_be_visible()
    eve.go(ann.page.url)
    expect(eve.page.get_by_text(eve.say("table.watching"))).to_be_visible()
    # Who watches can be seen by everybody.
    for player in (ann, eve):
        watcher = player.page.get_by_role("img", name=re.compile(re.escape(eve_called(eve))))
        expect(watcher).to_be_visible()
    ann.play(2)
    offered = ann.wait()
    assert "over" not in offered, "the game is over too soon"
    expect(eve.page.locator(".seat .name")).to_have_count(3)
    assert names(eve).count("Ann") == 1
    assert not eve.page.title().startswith("●")

    # No hand: neither drawn, nor told.
    assert eve.hand() == []
    assert eve.page.locator('[data-place="hand:0"] .card:not(.back)').count() == 0
    games = [message["game"] for message in eve.received if message.get("game")]
    assert games
    assert not any("own" in game or "finished" in game for game in games)
    assert eve.look() is None, "a spectator is offered something to do"

    # Events are told, in words and to screen readers.
    steps = eve.page.get_by_role("list", name=eve.say("table.log")).get_by_role("listitem")
    before = steps.count()
    told = eve.page.locator("#live")
    words_before = told.inner_text()
    ann.decide(offered)
    expect(steps.nth(before)).to_be_visible()
    expect(told).not_to_have_text(words_before)
    expect(told).to_contain_text(re.compile("|".join(names(eve))))

    # Turned out, to the door: she may play, and sees nothing.
    ann.press(ann.button("table.share"))
    ann.page.get_by_role("dialog").get_by_label(ann.say("table.spectators")).uncheck()
    expect(eve.page.get_by_text(eve.say("evening.closed.during"))).to_be_visible()
    assert eve.page.locator('[data-place="deck"]').count() == 0
    eve.page.reload()
    expect(eve.page.get_by_text(eve.say("evening.closed.during"))).to_be_visible()
    assert eve.page.locator('[data-place="deck"]').count() == 0
    eve.go(f"/t/{ann.table}")  # without the invitation there is no such table
    expect(eve.page.get_by_role("heading", name=eve.say("table.refused"))).to_be_visible()
    ann.page.keyboard.press("Escape")
    ann.play(1)
