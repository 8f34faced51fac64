"""Choosing is not playing, and one notices that it is one's turn."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.web.conftest import People
from tests.web.kit import PHONE, Player


def quiet(player: Player, acts: int) -> None:
    """Whatever was pressed, nothing has left the page, and it is still one's turn."""
    assert len(player.acts()) == acts, f"played by accident: {player.acts()[acts:]}"
    assert player.page.title().startswith(f"● {player.say('table.yourturn')}")


def test_choosing_is_not_playing(people: People, tmp_path: Path) -> None:
    for touch in (False, True):
        ann = people(size=PHONE, touch=touch)
        ann.arrive("Ann")
        ann.play_now("linko", "basic", 3)
        while "cards" not in (offered := ann.wait()):
            ann.decide(offered)
        hand = ann.hand()
        acts = len(ann.acts())
        play = ann.page.locator("[data-do]")
        expect(play).to_be_hidden()
        for card, _ in offered["cards"]:
            for _ in range(2):
                ann.press(ann.page.locator(f'[data-place="own:{card}"]'))
        quiet(ann, acts)
        ann.page.keyboard.press("Backspace")
        expect(play).to_be_hidden()
        group = ann.page.locator(f'[data-place="own:{hand[0]}"]')
        ann.choose_group(hand[0], 1)
        expect(group).to_have_attribute("aria-pressed", "true")
        expect(play).to_be_visible()
        ann.press(ann.page.locator("[data-clear]"))
        expect(group).to_have_attribute("aria-pressed", "false")
        quiet(ann, acts)
        # A click beside the cards plays nothing.
        ann.page.locator("h1").first.click()
        quiet(ann, acts)
        assert ann.hand() == hand
        ann.play(1)
        assert len(ann.acts()) == acts + 1


@pytest.mark.slow
def test_what_rises_is_what_is_played(people: People, tmp_path: Path) -> None:
    """The button says, and the server gets, the cards that have risen."""
    ann = people()
    ann.arrive("Ann")
    ann.play_now("linko", "duel")
    risen = """() => [...document.querySelectorAll('[data-place^="own:"]')].flatMap((group) =>
      [...group.querySelectorAll('.up')].map(() => group.dataset.card))"""
    plays = 0
    while plays < 8 and not (offered := ann.wait()).get("over"):
        if "cards" in offered:
            card, count = ann.rng.choice(offered["cards"])
            ann.choose_group(card, ann.rng.randint(1, count))
            up = ann.page.evaluate(risen)
            label = ann.page.locator("[data-do]").inner_text().splitlines()[0]
            assert label == ann.say("linko.play", cards=" ".join(up))
            ann.press(ann.page.locator("[data-do]"))
            assert ann.acts()[-1] == f"play {' '.join(up)}"
            plays += 1
        else:
            ann.decide(offered)
    assert plays > 3


def test_title_tells_the_turn(people: People, tmp_path: Path) -> None:
    ann, ben = people(), people()
    ann.arrive("Ann")
    link = ann.open_table("linko", "classic", ["open"])
    ben.go(link)
    ben.press(ben.button("table.waiting.join"))
    for _ in range(6):
        waiting = None
        while waiting is None:
            waiting = (ben, ann) if ann.look() else (ann, ben) if ben.look() else None
        other, one = waiting
        assert one.page.title() == f"● {one.say('table.yourturn')} – Linko – Lynxden"
        expect(other.page).to_have_title("Linko – Lynxden")
        one.decide(one.wait())


def test_asked_before_what_cannot_be_taken_back(people: People, tmp_path: Path) -> None:
    ann = people()
    ann.arrive("Ann")
    ann.go("/me")
    box = ann.page.get_by_label(ann.say("me.confirm"))
    assert not box.is_checked()
    box.check()
    ann.go("/")
    ann.play_now("blocco", "", 3)
    sure = ann.page.get_by_role("dialog", name=ann.say("table.confirm"))
    asked = False
    while not asked:
        items = ann.wait()["items"]
        colours = [item for item in items if item.startswith("colour:")]
        item = "pile" if "pile" in items else colours[0] if colours else items[0]
        final = item == "pile" or not any(each.startswith(("row:", "from:")) for each in items)
        acts = len(ann.acts())
        ann.page.locator(f'[data-item="{item}"]').click()
        assert len(ann.acts()) == acts, "choosing is not playing"
        ann.page.locator("[data-do]").click()
        if not final:
            continue
        expect(sure).to_be_visible()
        ann.page.keyboard.press("Escape")
        expect(sure).to_be_hidden()
        quiet(ann, acts)
        ann.page.locator(f'[data-item="{item}"]').click()
        ann.page.locator("[data-do]").click()
        sure.get_by_role("button", name=ann.say("table.confirm.yes"), exact=True).click()
        expect(sure).to_be_hidden()
        ann.wait()
        assert len(ann.acts()) == acts + 1
        asked = True
