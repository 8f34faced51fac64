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
    do: at.dataset.do ?? '', answer: at.dataset.answer ?? '',
    seen: shown(at) || shown(at.nextElementSibling) || shown(at.closest('label'))
      || shown(at.querySelector('.card')),
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


@pytest.mark.slow
@pytest.mark.parametrize("edition", ["duel", "classic"])
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
    expect(ann.end.get_by_role("heading", level=2)).to_be_visible()
    tab_to(ann, lambda at: at["text"] == ann.say("table.end.replay"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/g/*")
    expect(page.get_by_role("region", name=ann.say("replay.controls"))).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".controls .words > .number")).to_contain_text("1 / ")
    assert page.evaluate("() => pointed") == 0, "a pointer was used"


COLOURS = dict(zip(("1a", "1b", "2a", "2b", "3a", "3b", "4a"), "qwertyu", strict=True))
"""The keys of the colours of one's hand (Blocco), by their places."""


def test_blocco_by_keys(people: People, tmp_path: Path) -> None:
    """Rows by their numbers, colours by letters or arrows, Enter to do it."""
    ann = people(settings={"speed": "off", "pace": "instant", "welcomed": True, "game": "blocco"})
    page = ann.page
    ann.go("/")
    tab_to(ann, lambda at: at["text"] == ann.say("home.play"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/t/*")
    used: set[str] = set()
    while not (offered := ann.wait()).get("over"):
        items = offered["items"]
        before = len(ann.acts())
        others = [item for item in items if not item.startswith("row:")]
        wanted = ann.rng.choice(others or items) if ann.rng.random() < 0.6 else ann.rng.choice(items)
        kind, _, which = wanted.partition(":")
        used.add(kind)
        if kind == "row":
            page.keyboard.press(which)
        elif kind == "pile":
            page.keyboard.press("s")
        elif kind == "colour":
            page.keyboard.press(COLOURS[which])
        else:
            for _ in range(12):
                at = page.evaluate(FOCUSED)
                if at and at["item"] == wanted:
                    break
                page.keyboard.press("ArrowRight" if at and at["item"].startswith("from:") else "ArrowUp")
            assert page.evaluate(FOCUSED)["item"] == wanted, "the arrows do not lead there"
            page.keyboard.press("Space")
        expect(page.locator("[data-do]")).to_be_visible()
        assert len(ann.acts()) == before, "choosing is not playing"
        page.keyboard.press("Enter")
        expect(page.locator("[data-do]")).to_be_hidden()
        assert len(ann.acts()) == before + 1
        if len(ann.acts()) > 30 or (len(ann.acts()) > 6 and {"row", "pile", "colour"} <= used):
            break
    assert {"row", "pile", "colour"} <= used
    assert page.evaluate("() => pointed") == 0, "a pointer was used"


PRESS = """([key, code]) => document.body.dispatchEvent(
  new KeyboardEvent('keydown', { key, code, bubbles: true, cancelable: true }))"""


@pytest.mark.parametrize(
    ("layout", "keys"),
    [
        ("azerty", {"1": "&", "2": "é", "3": '"', "4": "'", "5": "(", "6": "-", "7": "è", "8": "_", "9": "ç",
                    "0": "à", "q": "a", "w": "z"}),
        pytest.param("korean", {"q": "ㅂ", "w": "ㅈ", "e": "ㄷ", "x": "Process"}, marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_other_keyboards(people: People, tmp_path: Path, layout: str, keys: dict[str, str]) -> None:
    """Keys are known by their place, whatever letters a layout or an input method gives them."""
    ann = people()
    ann.arrive("Ann")
    ann.play_now("linko", "classic", 5)
    tried: set[str] = set()
    for _ in range(60):
        offered = ann.wait()
        if offered.get("over") or len(tried) >= 2:
            break
        for card, _ in offered.get("cards", ()):
            key = KEYS.get(card, card)
            if key not in keys:
                continue
            ann.page.keyboard.press("Escape")
            code = f"Digit{key}" if key.isdecimal() else f"Key{key.upper()}"
            ann.page.evaluate(PRESS, [keys[key], code])
            group = ann.page.locator(f'[data-place="own:{card}"]')
            expect(group).to_have_attribute("aria-pressed", "true")
            tried.add(key)
        ann.page.keyboard.press("Escape")
        ann.decide(offered)
    assert len(tried) >= 2, f"only {tried} came up"


def test_focus_is_never_lost(people: People, tmp_path: Path) -> None:
    """After every decision made with keys, something visible has the focus."""
    for game in ("linko", "blocco"):
        ann = people()
        ann.arrive("Ann")
        ann.play_now(game, "basic" if game == "linko" else "", 3)
        page = ann.page
        for _ in range(3):
            offered = ann.wait()
            if offered.get("over"):
                break
            # By Tab to what is offered, and Enter or Space there.
            if "cards" in offered:
                place = f"own:{offered['cards'][0][0]}"
                tab_to(ann, at_place(place))
                page.keyboard.press("Space")
                tab_to(ann, lambda at: at["do"] == "play")
                page.keyboard.press("Enter")
            elif "items" in offered:
                item = offered["items"][0]
                tab_to(ann, lambda at, item=item: at["item"] == item)  # type: ignore[misc]
                page.keyboard.press("Space")
                tab_to(ann, lambda at: at["do"] != "")
                page.keyboard.press("Enter")
            elif offered["answers"]:
                tab_to(ann, lambda at: at["answer"] != "")
                page.keyboard.press("Enter")
            else:
                tab_to(ann, at_place(offered["piles"][0]))
                page.keyboard.press("Enter")
            ann.wait()
            found = page.evaluate(FOCUSED)
            assert found, "the focus is lost"
            assert found["seen"], f"the focus cannot be seen: {found}"
