"""Everything can be done with the keys alone, and one always sees where one is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.web.conftest import People
from tests.web.kit import Player

KEYS = {"10": "0", "11": "q", "12": "w", "13": "e", "X": "x"}
"""The keys of cards whose key is not what is printed on them."""

FOCUSED = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const shown = (element) => {
    if (!element) return false;
    const style = getComputedStyle(element);
    return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
  };
  return {
    tag: at.tagName, text: (at.getAttribute('aria-label') || at.textContent || '').trim().slice(0, 60),
    name: at.getAttribute('name') ?? '', value: at.value ?? '',
    place: at.closest('[data-place]')?.dataset.place ?? '', item: at.dataset.item ?? '',
    seen: shown(at) || shown(at.nextElementSibling) || shown(at.closest('label')),
  };
}"""
"""Where the focus is, and whether it can be seen: at the element, or at what is drawn for it."""


def tab_to(player: Player, wanted: Callable[[dict[str, str]], bool], most: int = 60) -> None:
    """Press Tab until the wanted element has the focus; every stop on the way must be visible."""
    for _ in range(most):
        found = player.page.evaluate(FOCUSED)
        if found and wanted(found):
            assert found["seen"], f"the focus cannot be seen: {found}"
            return
        player.page.keyboard.press("Tab")
        found = player.page.evaluate(FOCUSED)
        assert found is None or found["seen"], f"the focus cannot be seen: {found}"
    raise AssertionError("the Tab key does not lead there")


def at_place(place: str) -> Callable[[dict[str, str]], bool]:
    return lambda at: at["place"] == place


def type_through(player: Player) -> None:
    """Play a game of Linko to its end with keys."""
    keyboard = player.page.keyboard
    for _ in range(500):
        offered = player.wait()
        if offered.get("over"):
            return
        if "cards" in offered:
            card, count = max(offered["cards"], key=lambda each: each[1])
            for _ in range(count):
                keyboard.press(KEYS.get(card, card))
            expect(player.page.locator("[data-do]")).to_be_visible()
            keyboard.press("Enter")
        elif offered["row"]:
            value = offered["row"][0].partition(":")[2]
            keyboard.press(KEYS.get(value, value))
        elif "deck" in offered["piles"]:
            keyboard.press("d")
        elif offered["piles"]:
            keyboard.press(str(int(offered["piles"][0].partition(":")[2]) + 1))
        else:
            letters = {"leave": "l", "discard": "d", "pass": "p"}
            keyboard.press(next(letters[answer] for answer in offered["answers"] if answer in letters))
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("edition", ["duel", pytest.param("classic", marks=pytest.mark.slow)])
def test_a_game_by_keys_alone(people: People, tmp_path: Path, edition: str) -> None:
    ann = people()
    page = ann.page
    ann.go("/")
    expect(ann.button("home.play")).to_be_visible()
    tab_to(ann, lambda at: at["tag"] == "INPUT" and at["name"] != "game")
    page.keyboard.press("Control+a")
    page.keyboard.type("Ann")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Ann", exact=True)).to_be_visible()

    edition_box = page.get_by_label(ann.say("home.edition"))
    tab_to(ann, lambda at: at["tag"] == "SELECT")
    assert page.evaluate(FOCUSED)["value"] == edition_box.input_value()
    page.keyboard.type(ann.say(f"edition.{edition}")[:4])
    expect(edition_box).to_have_value(edition)
    tab_to(ann, lambda at: at["tag"] == "BUTTON" and at["text"] == ann.say("home.play"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/t/*")

    type_through(ann)
    expect(ann.end.get_by_role("heading")).to_be_visible()
    tab_to(ann, lambda at: at["text"] == ann.say("table.end.replay"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/g/*")
    expect(page.get_by_role("region", name=ann.say("replay.controls"))).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".controls .words > .number")).to_contain_text("1 / ")
    assert page.evaluate("() => pointed") == 0, "a pointer was used"


def test_blocco_by_keys(people: People, tmp_path: Path) -> None:
    """Rows by their numbers, colours by the arrows, Enter to do it."""
    ann = people(settings={"speed": "off", "pace": "instant", "welcomed": True, "game": "blocco"})
    page = ann.page
    ann.go("/")
    tab_to(ann, lambda at: at["text"] == ann.say("home.play"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/t/*")
    seen: set[str] = set()
    for _ in range(12):
        items = ann.wait().get("items")
        if not items:
            break
        before = len(ann.acts())
        rows = [item for item in items if item.startswith("row:")]
        others = [item for item in items if not item.startswith("row:")]
        if not rows or (others and len(seen) < 2):
            wanted = others[0]
            for _ in range(30):
                at = page.evaluate(FOCUSED)
                item = at["item"] if at else ""
                if item == wanted:
                    break
                if wanted.startswith("from:"):
                    page.keyboard.press("ArrowUp")
                else:
                    above = not item or item.startswith(("row:", "from:"))
                    page.keyboard.press("ArrowDown" if above else "ArrowRight")
            found = page.evaluate(FOCUSED)
            assert found["item"] == wanted, "the arrows do not lead there"
            assert found["seen"], f"the focus cannot be seen: {found}"
            page.keyboard.press("Space")
            seen.add(wanted)
        else:
            page.keyboard.press(rows[0][-1])
        expect(page.locator("[data-do]")).to_be_visible()
        assert len(ann.acts()) == before, "choosing is not playing"
        page.keyboard.press("Enter")
        expect(page.locator("[data-do]")).to_be_hidden()
    assert seen
    assert len(ann.acts()) > 5
    assert page.evaluate("() => pointed") == 0, "a pointer was used"
