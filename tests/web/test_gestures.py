"""Nothing is played by accident: no gesture but a plain press makes a decision, and one press makes one."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import CDPSession, Locator, expect

from tests.web.conftest import People
from tests.web.kit import DESK, PHONE, SMALL, Player

ANSWERED = 700
"""Milliseconds after which whatever a gesture set off has been sent."""


def at_cards(player: Player, wanted: int = 1) -> str:
    """Play on until cards can be chosen of which there are so many; the value."""
    for _ in range(200):
        offered = player.wait()
        assert not offered.get("over"), "the game is over too soon"
        for card, count in offered.get("cards", ()):
            if count >= wanted and card != "X":
                return str(card)
        player.decide(offered)
    raise AssertionError(f"never {wanted} equal cards")


def sit(people: People, size: tuple[int, int] = DESK, touch: bool = False, game: str = "linko") -> Player:
    ann = people(size=size, touch=touch)
    ann.arrive("Ann")
    ann.play_now(game, "basic" if game == "linko" else "", 3)
    return ann


def middle(what: Locator) -> tuple[float, float]:
    box = what.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


class Finger:
    """A finger on the glass, below what Playwright offers."""

    def __init__(self, player: Player) -> None:
        self.page = player.page
        self.session: CDPSession = player.context.new_cdp_session(player.page)

    def _send(self, kind: str, *points: tuple[float, float]) -> None:
        spots = [{"x": x, "y": y} for x, y in points]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": spots})

    def press(self, at: tuple[float, float], held: int = 30) -> None:
        self._send("touchStart", at)
        self.page.wait_for_timeout(held)
        self._send("touchEnd")

    def swipe(self, start: tuple[float, float], by: tuple[float, float]) -> None:
        self._send("touchStart", start)
        for step in range(1, 11):
            self._send("touchMove", (start[0] + by[0] * step / 10, start[1] + by[1] * step / 10))
            self.page.wait_for_timeout(12)
        self._send("touchEnd")


def nothing_sent(player: Player, gesture: Callable[[], Any], what: str) -> None:
    before = len(player.acts())
    gesture()
    player.page.wait_for_timeout(ANSWERED)
    assert len(player.acts()) == before, f"{what} has played {player.acts()[before:]}"


@pytest.mark.parametrize("size", [SMALL, pytest.param(PHONE, marks=pytest.mark.slow)])
def test_fingers_that_slip(people: People, tmp_path: Path, size: tuple[int, int]) -> None:
    ann = sit(people, size, touch=True)
    card = at_cards(ann)
    finger = Finger(ann)
    group = ann.page.locator(f'[data-place="own:{card}"]')
    for by in ((0, -90), (0, 90), (-90, 0), (90, -90)):
        nothing_sent(ann, partial(finger.swipe, middle(group), by), f"a swipe by {by} on a card")
    nothing_sent(ann, lambda: finger.press(middle(group), 900), "a long press on a card")
    ann.choose_group(card, 1)
    play = ann.page.locator("[data-do]")
    expect(play).to_be_visible()
    nothing_sent(ann, lambda: finger.swipe(middle(play), (0, -90)), "a swipe on the button")
    nothing_sent(ann, lambda: finger.press(middle(play), 900), "a long press on the button")
    for pile in ("deck", "slot:0", "slot:3"):
        where = middle(ann.page.locator(f'[data-place="{pile}"]'))
        nothing_sent(ann, partial(finger.swipe, where, (60, 60)), f"a swipe on {pile}")
        nothing_sent(ann, partial(finger.press, where), f"a tap on {pile}, which is not to be drawn from")
    for _ in range(3):
        finger.press(middle(group))  # three quick taps choose, and no more
    nothing_sent(ann, lambda: None, "a triple tap on a card")


@pytest.mark.parametrize(
    ("touch", "game"),
    [
        (False, "linko"),
        pytest.param(True, "linko", marks=pytest.mark.slow),
        pytest.param(False, "blocco", marks=pytest.mark.slow),
        (True, "blocco"),
    ],
)
@pytest.mark.parametrize(
    "pause", [230, *(pytest.param(pause, marks=pytest.mark.slow) for pause in (0, 120, 300))]
)
def test_repeated_presses_decide_once(
    people: People, tmp_path: Path, touch: bool, game: str, pause: int
) -> None:
    """Whatever is asked next, the second and third press belong to the first."""
    ann = sit(people, PHONE if touch else DESK, touch, game)
    rounds = 0
    for _ in range(20):
        offered = ann.wait()
        if offered.get("over") or rounds == 3:
            break
        if "cards" in offered:
            card, count = max(offered["cards"], key=lambda each: each[1])
            ann.choose_group(card, count)
            button = ann.page.locator("[data-do]")
        elif "items" in offered:
            ann.choose_item(offered["items"][0])
            button = ann.page.locator("[data-do]")
        elif offered["answers"]:
            button = ann.page.locator("[data-answer]").first
        else:
            button = ann.page.locator(f'[data-place="{offered["piles"][0]}"]')
        where = middle(button)
        before = len(ann.acts())
        finger = Finger(ann)
        gaps, last = [], time.monotonic()
        for _ in range(3):
            if touch:
                finger.press(where, 10)
            else:
                ann.page.mouse.click(*where)
            ann.page.wait_for_timeout(pause)
            gaps.append(time.monotonic() - last)
            last = time.monotonic()
        ann.page.wait_for_timeout(ANSWERED)
        sent = ann.acts()[before:]
        if max(gaps) > 0.45:
            continue  # the machine was too busy to press so fast: these were three presses of their own
        if not sent:
            continue  # the first came before the picture was at rest, and the others belong to it
        assert len(sent) == 1, f"three presses {pause} ms apart: {sent}"
        rounds += 1
    assert rounds, "no three presses came so fast"


def test_double_click_and_held_keys(people: People, tmp_path: Path) -> None:
    ann = sit(people)
    card = at_cards(ann)
    group = ann.page.locator(f'[data-place="own:{card}"]')
    nothing_sent(ann, group.dblclick, "a double click on a card")
    ann.page.keyboard.press("Escape")
    ann.choose_group(card, 1)
    before = len(ann.acts())
    ann.page.locator("[data-do]").dblclick()
    ann.page.wait_for_timeout(ANSWERED)
    assert len(ann.acts()) == before + 1
    card = at_cards(ann)
    ann.choose_group(card, 1)
    before = len(ann.acts())
    ann.page.keyboard.down("Enter")
    for _ in range(30):  # as a key that is held repeats
        ann.page.keyboard.down("Enter")
        ann.page.wait_for_timeout(33)
    ann.page.keyboard.up("Enter")
    ann.page.wait_for_timeout(ANSWERED)
    assert len(ann.acts()) == before + 1, f"a held key: {ann.acts()[before:]}"


def chosen(player: Player) -> list[int]:
    """How many cards of each value have risen."""
    found: list[int] = player.page.evaluate(
        """() => [...document.querySelectorAll('[data-place^="own:"]')]
          .map((group) => group.querySelectorAll('.up').length)"""
    )
    return found


def test_one_input_model(people: People, tmp_path: Path) -> None:
    """Mouse, finger and pen choose the same on the same card; dragging takes what a click there would."""
    ann = sit(people, (820, 1180), touch=True)
    card = at_cards(ann, 2)
    group = ann.page.locator(f'[data-place="own:{card}"]')
    count = group.locator(".card").count()
    finger, mouse = Finger(ann), ann.page.mouse
    session = ann.context.new_cdp_session(ann.page)

    def spot(nth: int) -> tuple[float, float]:
        box = group.locator(".card").nth(nth).bounding_box()
        assert box is not None
        return box["x"] + 5, box["y"] + box["height"] * 0.3

    def pen(at: tuple[float, float]) -> None:
        for kind, held in (("mousePressed", 1), ("mouseReleased", 0)):
            where = {"x": at[0], "y": at[1], "button": "left", "buttons": held}
            press = {"type": kind, "clickCount": 1, "pointerType": "pen", **where}
            session.send("Input.dispatchMouseEvent", press)

    for nth in range(count):
        results = []
        for press in (lambda at: mouse.click(*at), finger.press, pen):
            ann.page.keyboard.press("Escape")
            ann.page.wait_for_timeout(200)
            press(spot(nth))
            ann.page.wait_for_timeout(60)
            results.append((chosen(ann), ann.page.locator("[data-do]").inner_text()))
        assert results[0] == results[1] == results[2], f"card {nth + 1} of {count}: {results}"
        assert sum(results[0][0]) == nth + 1, "the cards up to the one that was pressed rise"

        # Dragged a little way and let go in nowhere: chosen as by a click, and not played.
        ann.page.keyboard.press("Escape")
        ann.page.wait_for_timeout(200)
        start = spot(nth)
        mouse.move(*start)
        mouse.down()
        mouse.move(start[0] + 5, start[1] - 40, steps=5)
        assert chosen(ann) == results[0][0]
        assert ann.page.locator(".drop-may").count() > 0, "it is not shown where it may be dropped"
        nothing_sent(ann, mouse.up, "a drag to nowhere")


def test_dragging_plays_what_rises_and_can_be_called_off(people: People, tmp_path: Path) -> None:
    ann = sit(people)
    card = at_cards(ann, 2)
    group = ann.page.locator(f'[data-place="own:{card}"]')
    nth = group.locator(".card").nth(1).bounding_box()
    assert nth is not None
    start = nth["x"] + 5, nth["y"] + 20
    target = middle(ann.page.locator('[data-drop="table"]'))
    mouse = ann.page.mouse

    def drag_over() -> None:
        mouse.move(*start)
        mouse.down()
        mouse.move(start[0], start[1] - 30, steps=4)
        mouse.move(*target, steps=6)

    drag_over()
    expect(ann.page.locator(".drop-here")).to_have_count(1)
    ann.page.keyboard.press("Escape")
    nothing_sent(ann, mouse.up, "a drag that was called off")
    ann.page.keyboard.press("Escape")
    before = len(ann.acts())
    drag_over()
    mouse.up()
    ann.page.wait_for_timeout(ANSWERED)
    assert ann.acts()[before:] == [f"play {card} {card}"]


def test_a_finger_does_not_drag(people: People, tmp_path: Path) -> None:
    ann = sit(people, PHONE, touch=True)
    card = at_cards(ann)
    start = middle(ann.page.locator(f'[data-place="own:{card}"]'))
    end = middle(ann.page.locator('[data-drop="table"]'))
    finger = Finger(ann)
    nothing_sent(
        ann, lambda: finger.swipe(start, (end[0] - start[0], end[1] - start[1])), "a finger that drags a card"
    )
