"""An evening with friends: a big screen, two phones, and a laptop that joins late."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.conftest import People
from tests.web.kit import PHONE, QUICK, SMALL, House, Player, play_together

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


AT_A_FACE = """() => {
  const said = document.querySelector('[data-bubble]')?.getBoundingClientRect();
  return said && [...document.querySelectorAll('[data-seat] .face')].some((each) => {
    const face = each.getBoundingClientRect();
    const apart = Math.max(said.top - face.bottom, face.top - said.bottom);
    return apart > 0 && apart < 16 && said.left < face.right && said.right > face.left;
  });
}"""
"""What is said begins at somebody's face, and does not cover it."""


@pytest.mark.slow
def test_an_evening_with_friends(people: People, short: House) -> None:
    ann = people(url=short.url, size=PHONE, touch=True)
    ben = people(url=short.url, size=SMALL, touch=True, locale="de-DE")
    screen, cleo = people(url=short.url, size=TV), people(url=short.url)
    for player in (ann, screen):
        player.context.add_init_script(AWAKE)
    ann.arrive("Ann")
    link = ann.open_table("linko", "basic", ["open", "bot random"])
    first = ann.table

    # The screen: who is there, and a code for the others.
    big = ann.page.get_by_role("link", name=ann.say("big.show"))
    screen.go(str(big.get_attribute("href")))
    expect(screen.page.get_by_text(screen.say("big.scan"))).to_be_visible()
    expect(screen.page.get_by_role("img", name=screen.say("home.share.qr"))).to_be_visible()
    ben.go(link)
    ben.page.get_by_label(ben.say("table.waiting.name")).fill("Ben")
    ben.press(ben.button("table.waiting.join"))
    see_the_board(screen, [ann, ben])
    speak(ben, ann, screen)
    have_dinner(ann, ben, screen)

    # The one with the laptop comes late, and relieves the bot in the next game.
    cleo.go(link)
    dialog = cleo.page.get_by_role("dialog")
    expect(dialog).to_contain_text(cleo.say("evening.invited", name="Ann"))
    expect(dialog).to_contain_text(cleo.say("evening.during"))
    dialog.get_by_label(cleo.say("table.waiting.name")).fill("Cleo")
    cleo.press(dialog.get_by_role("button", name=cleo.say("evening.wait")))
    expect(cleo.page.get_by_text(cleo.say("evening.waiting"))).to_be_visible()
    expect(ann.page.get_by_text(ann.say("evening.next", name="Cleo"))).to_be_visible()
    assert play_together([ann, ben]), "the game does not end"
    expect(ann.end).to_be_visible()
    assert ann.page.evaluate("() => awake") == 0, "the game is over"

    # Once more: seats are kept by name, what was said goes on, and the screen goes with them.
    ann.press(ann.button("table.end.rematch"))
    for player in (ann, screen):
        for name in ("Ben", "Cleo"):
            expect(player.page.get_by_text(player.say("evening.kept", name=name))).to_be_visible()
    assert ann.table != first
    ben.press(ben.button("table.end.joinrematch"))
    cleo.press(cleo.link("table.end.joinrematch"))
    cleo.press(cleo.button("table.waiting.join"))
    see_the_board(screen, [ann, ben, cleo])
    chat = [m["chat"] for m in ann.received if m["type"] == "table" and m["info"]["id"] == ann.table]
    assert [line["phrase"] for line in chat[-1]] == ["good-luck"]
    assert play_together([ann, ben, cleo]), "the game does not end"
    see_the_standing(ann)
    see_the_standing(screen)
    shown = [message["game"] for message in screen.received if message.get("game")]
    assert len(shown) > 5
    assert not any("own" in game for game in shown), "a screen is sent no hand"


def see_the_board(screen: Player, playing: list[Player]) -> None:
    """Whose turn it is, in letters for the whole room; and no hand."""
    turn = screen.page.locator("[data-turn]")
    expect(turn).to_contain_text("’s turn")
    assert turn.evaluate("(each) => parseFloat(getComputedStyle(each).fontSize)") > 60
    expect(screen.page.locator(".seat .name")).to_have_count(3)
    for player in playing:
        expect(player.page.locator("[data-hand]")).to_be_visible()
    assert screen.page.locator("[data-hand]").count() == 0
    for player in (playing[0], screen):
        assert player.page.evaluate("() => awake") == 1


def speak(ben: Player, ann: Player, screen: Player) -> None:
    """A phrase shows at the seat of whoever says it, and is counted until it is read."""
    ben.press(ben.page.locator("[data-chat]"))
    ben.press(ben.button("phrase.good-luck"))
    for player in (ann, screen):
        expect(player.page.locator("[data-bubble]")).to_have_text(player.say("phrase.good-luck"))
        player.page.wait_for_function(AT_A_FACE)
    expect(ann.page.locator("[data-chat] .news")).to_have_text("1")
    ann.press(ann.page.locator("[data-chat]"))
    expect(ann.page.locator("[data-chat] .news")).to_have_count(0)
    for player in (ann, ben):
        player.press(
            player.page.locator("aside").get_by_role("button", name=player.say("app.close"), exact=True)
        )
    expect(ann.page.locator("[data-bubble]")).to_have_count(0)


def have_dinner(ann: Player, ben: Player, screen: Player) -> None:
    """The host stops the game, and goes on."""
    ann.press(ann.button("table.leave"))
    ann.press(ann.page.get_by_role("dialog").get_by_role("button", name=ann.say("pause.pause")))
    for player in (ann, ben):
        expect(player.page.locator("[data-paused]")).to_be_visible()
        assert player.look() is None, "nothing is offered"
    expect(screen.page.get_by_role("heading", name=screen.say("pause.title"))).to_be_visible()
    assert ben.button("pause.continue").count() == 0
    ann.press(ann.button("pause.continue"))
    expect(ben.page.locator("[data-paused]")).to_have_count(0)


def see_the_standing(player: Player) -> None:
    """Ann and Ben have played twice, the bot and Cleo once."""
    rows = player.page.locator("[data-evening] tbody tr")
    expect(rows).to_have_count(4)
    cells = {row.split()[-4]: row.split()[-3:] for row in rows.all_inner_texts()}
    played = {name: int(games) for name, (_, games, _) in cells.items()}
    assert (played["Ann"], played["Ben"], played["Cleo"]) == (2, 2, 1), cells
    assert sum(played.values()) == 6
    assert sum(int(won) for won, _, _ in cells.values()) >= 2


@pytest.mark.parametrize("to_the_end", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_door_of_a_table_without_spectators(people: People, to_the_end: bool) -> None:
    """Whoever has the link can sit down from the next game on, and sees no card before."""
    ann, ben = people(), people()
    ann.arrive("Ann")
    made = ann.context.request.post(
        "/api/tables",
        data={
            "edition": "duel",
            "seats": [{"kind": "open"}, {"kind": "bot", "bot": "random"}],
            "spectators": False,
            "speed": "instant",
        },
    ).json()
    ann.go(made["path"])
    ben.go(made["path"])
    expect(ben.page.get_by_text(ben.say("evening.closed.during"))).to_be_visible()
    ben.page.get_by_label(ben.say("table.waiting.name")).fill("Ben")
    ben.press(ben.button("evening.wait"))
    expect(ben.page.get_by_role("status").filter(has_text=ben.say("evening.waiting"))).to_be_visible()
    assert not [message for message in ben.received if message.get("game")]
    if not to_the_end:
        return
    assert ann.play()
    ann.press(ann.button("table.end.rematch"))
    # He comes along by himself; when he sits down, the game begins.
    ben.page.wait_for_url(lambda url: "/t/" in url and made["id"] not in url)
    ben.press(ben.button("table.waiting.join"))
    ben.page.locator('[data-place="deck"]').wait_for()
    assert ben.table == ann.table


def test_a_host_without_a_name_is_asked_for_one(people: People) -> None:
    ann, ben = people(settings={**QUICK, "welcomed": True}), people()
    ann.go("/")
    link = ann.open_table("linko", "basic", ["open", "open"])
    ben.go(link)
    ann.page.get_by_label(ann.say("me.name"), exact=True).fill("Ann")
    ann.press(ann.button("me.save"))
    expect(ben.page.get_by_text(ben.say("table.waiting.invites", name="Ann"))).to_be_visible()
