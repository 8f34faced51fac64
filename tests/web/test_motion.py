"""What moves, and that nothing does for those who wish so."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.web.conftest import People
from tests.web.kit import House, Player

WATCH = """() => {
  window.seen = { flights: 0, paws: 0 };
  new MutationObserver(() => {
    window.seen.flights = Math.max(window.seen.flights, document.querySelectorAll('.flying').length);
    window.seen.paws += document.querySelectorAll('body > .paw:not([data-counted])').length;
    document.querySelectorAll('body > .paw').forEach((paw) => paw.setAttribute('data-counted', ''));
  }).observe(document.body, { childList: true, subtree: true });
}"""
MOVING = {"speed": "fast", "pace": "instant", "welcomed": True}


def test_cards_are_dealt_and_move(people: People, tmp_path: Path) -> None:
    """The first deal is dealt, cards fly, and a snatch is marked by a paw."""
    ann = people(settings=MOVING)
    ann.go("/")
    ann.page.evaluate(WATCH)
    ann.play_now("linko", "basic", 4)
    ann.page.wait_for_function("() => seen.flights > 8")  # several cards to each of four hands
    ann.wait()
    expect(ann.page.locator("[data-hand]")).to_have_css("opacity", "1")
    ann.page.evaluate("() => { seen.flights = 0; }")
    for _ in range(60):
        offered = ann.wait()
        if offered.get("over") or ann.page.evaluate("() => seen.paws > 0 && seen.flights > 0"):
            break
        ann.decide(offered)
    assert ann.page.evaluate("() => seen.flights") > 0
    assert ann.page.evaluate("() => seen.paws") > 0


@pytest.mark.slow
def test_a_gift_leaves_the_hand(people: People, tmp_path: Path) -> None:
    ann = people(settings=MOVING)
    ann.go("/")
    ann.play_now("blocco", "", 3)
    for _ in range(120):
        offered = ann.wait()
        assert not offered.get("over"), "nobody was given anything"
        giving = [item for item in offered["items"] if item.startswith("colour:")]
        if not any(item.startswith(("row:", "from:")) for item in offered["items"]):
            break
        ann.decide(offered)
    where = ann.page.locator(f'[data-place="own:{giving[0].partition(":")[2]}"]').bounding_box()
    assert where is not None
    ann.page.evaluate(
        """() => { window.start = null; new MutationObserver(() => {
          const card = document.querySelector('.flying');
          if (card && !window.start) {
            const box = card.getBoundingClientRect();
            window.start = [box.left + box.width / 2, box.top + box.height / 2];
          }
        }).observe(document.body, { childList: true, subtree: true }); }"""
    )
    ann.press(ann.page.locator(f'[data-item="{giving[0]}"]'))
    ann.press(ann.page.locator("[data-do]"))
    x, y = ann.page.wait_for_function("() => window.start").json_value()
    assert abs(x - (where["x"] + where["width"] / 2)) < where["width"], "it does not start at the hand"
    assert abs(y - (where["y"] + where["height"] / 2)) < where["height"]


def test_nothing_moves_for_those_who_wish_so(browser: Browser, house: House, tmp_path: Path) -> None:
    ann = Player(browser, house.url, settings={"speed": "normal", "pace": "instant", "welcomed": True})
    try:
        ann.page.emulate_media(reduced_motion="reduce")
        ann.go("/")
        ann.page.evaluate(WATCH)
        ann.play_now("linko", "basic", 4)
        assert not ann.play(6)
        assert ann.page.evaluate("() => [seen.flights, seen.paws]") == [0, 0]
        longest = ann.page.evaluate(
            "() => Math.max(0, ...document.getAnimations().map((each) => each.effect.getTiming().duration))"
        )
        assert longest < 20, f"something moves for {longest} ms"
        assert not ann.troubles
    finally:
        ann.close()
