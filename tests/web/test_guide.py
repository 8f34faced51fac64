"""The guided first game, played through at the real table; and the rules to look things up in."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import Error, Locator, expect

from tests.web.conftest import People
from tests.web.kit import DESK, LANGUAGES, PHONE, QUICK, SMALL, House, Player, catalogue, forms
from tests.web.test_access import violations
from tests.web.test_languages import LOCALES

LANDSCAPE = (844, 390)
WELCOMED = {**QUICK, "welcomed": True}
IDEAS = {
    "linko": ["goal", "lay", "optional", "snatch", "take", "reclaim", "draw", "joker", "leave", "last"],
    "blocco": ["goal", "take", "block", "score", "blocked", "give", "free", "on", "gaps", "last"],
}

STEP = """() => {
  if (document.querySelector('section.end')) return { over: true };
  const bubble = document.querySelector('aside.bubble.placed:not(.quiet)');
  if (!bubble || !document.querySelector('[data-ready]') || bubble.closest('.hushed')) return null;
  const box = bubble.getBoundingClientRect();
  const rings = [...document.querySelectorAll('.ring')].map((ring) => ring.getBoundingClientRect());
  if (!rings.length) return null; // it is being looked for
  const covered = rings.filter(({ left, right, top, bottom }) =>
    Math.min(box.right, right) - Math.max(box.left, left) > 1 &&
    Math.min(box.bottom, bottom) - Math.max(box.top, top) > 1).length;
  // The arrow as it is drawn, and words that are to be read beside it.
  const drawn = [...document.querySelectorAll('[data-arrow] .over, [data-arrow] .beak')]
    .map((each) => each.getBoundingClientRect());
  const words = '.bubble .words p, .bubble .count, .plate .name, [data-bar] .prompt';
  const texts = [...document.querySelectorAll(words)].map((each) => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return [each, range.getBoundingClientRect()];
  }).filter(([each, { left, right, top, bottom }]) => getComputedStyle(each).opacity !== '0' &&
    document.elementFromPoint((left + right) / 2, (top + bottom) / 2)?.contains(each));
  const crossed = texts.filter(([, text]) => drawn.some((line) =>
    Math.min(line.right + 2, text.right) > Math.max(line.left - 2, text.left) &&
    Math.min(line.bottom, text.bottom) - Math.max(line.top, text.top) > 1)).map(([each]) => each.innerText);
  return {
    crossed,
    over: false, idea: bubble.dataset.idea, covered, arrow: document.querySelector('[data-arrow]') !== null,
    outside: box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight,
    text: bubble.querySelector('.words p:last-child').innerText,
    kind: bubble.querySelector('.kind')?.innerText ?? '',
    next: bubble.querySelector('[data-next]') !== null,
  };
}"""
"""What the guide says, once it waits for something; null before."""
COVERS = """(element) => {
  const { left, top, width, height } = element.getBoundingClientRect();
  return document.elementFromPoint(left + width / 2, top + height / 2)?.closest('.bubble') != null;
}"""


def begin(ann: Player, game: str) -> None:
    ann.go(f"/how/{game}")
    ann.press(ann.button("guide.start"))
    ann.page.wait_for_url("**/t/*")


def step(ann: Player) -> dict[str, Any]:
    found: dict[str, Any] = ann.page.wait_for_function(STEP).json_value()
    return found


def now(ann: Player) -> dict[str, Any]:
    """The cards as they were sent last."""
    found: dict[str, Any] = [message for message in ann.received if message.get("game")][-1]["game"]
    return found


def reach(ann: Player, what: Locator) -> None:
    """Press something; the words of the guide go elsewhere if they are pressed."""
    for _ in range(3):
        if not what.evaluate(COVERS):
            break
        ann.press(ann.page.locator(".bubble .words"))
        ann.page.wait_for_timeout(200)
    ann.press(what)


def do(ann: Player, action: str) -> None:
    """Carry an action out as somebody with a hand would."""
    page = ann.page
    kind, *rest = action.split()
    before = len(ann.acts())
    if kind == "play":
        for card, count in Counter(rest).items():
            group = page.locator(f'[data-place="own:{card}"]')
            for _ in range(2):
                if group.evaluate(COVERS):
                    ann.press(page.locator(".bubble .words"))
            ann.choose_group(card, count)
        ann.press(page.locator(f'[data-action="{action}"]'))
    elif kind == "draw":
        shown = [" ".join(slot) for slot in now(ann)["public"]["display"]]
        place = "deck" if rest == ["deck"] else f"slot:{shown.index(' '.join(rest))}"
        reach(ann, page.locator(f'[data-place="{place}"]'))
    elif not rest and kind != "score":
        reach(ann, page.locator(f'[data-answer="{kind}"]'))
    else:
        item = "pile" if kind == "score" else f"{'row' if kind == 'take' else 'colour'}:{rest[0]}"
        able = page.locator(f'[data-action="{action}"]')
        for _ in range(5):  # a press soon after something has moved is not taken for one
            reach(ann, page.locator(f'[data-item="{item}"]'))
            with suppress(Error):
                able.wait_for(timeout=2000)
                break
        ann.press(able)
    page.wait_for_timeout(20)
    assert ann.acts()[before:] == [action]


def check(ann: Player, said: dict[str, Any], game: str) -> None:
    """It points at something that can be seen, in the right language."""
    assert not said["covered"], f"{said['idea']} covers what it is about"
    assert not said["outside"], f"{said['idea']} is not wholly to be seen"
    assert said["arrow"], f"{said['idea']} has no arrow"
    assert not said["crossed"], f"the arrow of {said['idea']} crosses {said['crossed']}"
    texts = {key: text for key, text in catalogue(ann.language).items() if key.startswith(f"{game}.guide.")}
    pattern = [
        key
        for key, text in texts.items()
        for form in forms(text)
        if re.fullmatch(re.sub(r"\\\{\w+\\\}", ".+", re.escape(form)), said["text"])
    ]
    assert pattern, f"this is none of the guide's texts: {said['text']}"


def follow(ann: Player, game: str) -> list[str]:
    """Do all that is proposed; the ideas in the order in which they came up."""
    ideas: list[str] = []
    for _ in range(40):
        said = step(ann)
        if said["over"]:
            return ideas
        check(ann, said, game)
        assert said["kind"] == "", "a kind word for what was proposed"
        if said["idea"] not in ideas:
            ideas.append(said["idea"])
        if said["next"]:
            ann.press(ann.page.locator("[data-next]"))
            ann.page.locator("[data-next]").wait_for(state="detached")
        else:
            do(ann, now(ann)["advice"])
    raise AssertionError(f"the guide comes to no end: {ideas}")


@pytest.mark.parametrize(
    ("game", "language", "size"),
    [
        ("linko", "en", SMALL),
        pytest.param("blocco", "pl", SMALL, marks=pytest.mark.slow),
        *(
            pytest.param(game, language, size, marks=pytest.mark.slow)
            for number, language in enumerate(LANGUAGES)
            for game in IDEAS
            for size in [(SMALL, PHONE, LANDSCAPE, DESK, (1920, 1080), (640, 400))[number]]
        ),
    ],
)
def test_the_guided_game(
    people: People, house: House, game: str, language: str, size: tuple[int, int]
) -> None:
    ann = people(size=size, touch=size[0] < 900, locale=LOCALES[language], settings=WELCOMED)
    begin(ann, game)
    assert follow(ann, game) == IDEAS[game]
    table = ann.table
    state = house.states(table)[-1][1]
    assert state.plan.guide
    expect(ann.end).to_contain_text(ann.say("guide.ended"))
    expect(ann.end).to_contain_text(ann.say(f"{game}.guide.end"))
    assert ann.link("table.end.replay").count() == 0
    ann.press(ann.button("guide.play"))
    ann.page.wait_for_url(lambda url: "/t/" in url and table not in url)
    ann.wait()
    assert not house.states(ann.table)[-1][1].plan.guide
    expect(ann.page.locator(".bubble")).to_have_count(0)


@pytest.mark.parametrize(
    ("game", "size"), [("linko", SMALL), pytest.param("blocco", DESK, marks=pytest.mark.slow)]
)
def test_other_moves_get_a_kind_word(people: People, game: str, size: tuple[int, int]) -> None:
    ann = people(size=size, touch=size == SMALL, settings=WELCOMED)
    begin(ann, game)
    ann.press(ann.button("guide.next"))
    kind = [ann.say(f"guide.kind.{word}") for word in ("one", "two", "three")]
    other = False
    for turn in range(7):
        ann.page.wait_for_function("() => !document.querySelector('[data-next]')")
        said = step(ann)
        if said["over"]:
            break
        check(ann, said, game)
        assert said["kind"] in (kind if other else [""]), said
        cards = now(ann)
        choices = [action for action in cards["own"]["legal"] if action != cards["advice"]]
        # Not what would end the game, and not always the same.
        other = bool(choices) and turn % 3 != 2
        do(ann, choices[turn * 5 % len(choices)] if other else cards["advice"])
    assert turn == 6


@pytest.mark.slow
def test_it_can_be_put_aside_and_taken_up_again(people: People) -> None:
    ann = people(settings=WELCOMED)
    begin(ann, "linko")
    step(ann)
    assert violations(ann, "guide") == []
    bubble = ann.page.locator("aside.bubble")
    ann.press(bubble.get_by_role("button", name=ann.say("guide.hide")))
    expect(bubble).to_have_count(0)
    do(ann, "play 12 12")
    ann.page.locator('[data-answer="pass"]').wait_for()
    ann.press(ann.page.locator("header").get_by_role("button", name=ann.say("guide.show")))
    assert step(ann)["idea"] == "optional"
    ann.page.reload()
    assert step(ann)["idea"] == "optional", "whoever comes back is told what is true now"
    ann.press(ann.page.get_by_role("button", name=ann.say("table.leave"), exact=True))
    dialog = ann.page.get_by_role("dialog")
    expect(dialog).to_contain_text(ann.say("guide.leave"))
    ann.press(dialog.get_by_role("button", name=ann.say("guide.leave.yes"), exact=True))
    ann.page.wait_for_url(lambda url: "/t/" not in url)


def test_with_the_keyboard_alone(people: People) -> None:
    ann = people(settings=WELCOMED)
    page = ann.page
    ann.go("/how/linko")
    ann.button("guide.start").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/t/*")
    step(ann)
    page.locator("[data-next]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-bar]")).to_be_focused()
    assert step(ann)["idea"] == "lay"
    live = page.locator('aside.bubble [aria-live="polite"]')
    expect(live).to_contain_text("6")
    for _ in range(3):
        page.keyboard.press("6")
    expect(live).to_have_text(ann.say("guide.do"))
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('aside.bubble')?.dataset.idea === 'optional'")
    assert ann.acts() == ["play 6 6 6"]
    assert page.evaluate("() => pointed") == 0


def test_newcomers_are_offered_it_and_others_are_not(people: People) -> None:
    ann = people()
    page = ann.page
    ann.go("/")
    offer = page.get_by_role("region", name=ann.say("guide.offer.title"))
    expect(offer).to_be_visible()
    order = "(offer) => offer.compareDocumentPosition(document.querySelector('#play')) & 4"
    assert offer.evaluate(order), "it comes after *Play now*"
    ann.press(offer.get_by_role("button", name=ann.say("guide.offer.game", game="Blocco")))
    page.wait_for_url("**/t/*")
    assert step(ann)["idea"] == "goal"
    ann.go("/")
    expect(ann.button("home.play")).to_be_visible()
    page.wait_for_timeout(500)
    expect(offer).to_have_count(0)
    expect(page.get_by_role("heading", name=ann.say("home.running"))).to_have_count(0)

    ben = people()
    ben.go("/")
    turned_down = ben.page.get_by_role("region", name=ben.say("guide.offer.title"))
    ben.press(turned_down.get_by_role("button", name=ben.say("guide.offer.no")))
    expect(turned_down).to_have_count(0)
    ben.page.reload()
    expect(ben.button("home.play")).to_be_visible()
    ben.page.wait_for_timeout(500)
    expect(turned_down).to_have_count(0)


def test_whoever_came_back_without_a_game_finds_it_below(people: People) -> None:
    ann = people(size=SMALL, touch=True, settings=WELCOMED)
    ann.go("/")
    offer = ann.page.get_by_role("region", name=ann.say("guide.offer.title"))
    offer.wait_for()
    assert offer.evaluate("(offer) => offer.compareDocumentPosition(document.querySelector('#play')) & 2")


def test_rules_can_be_searched(people: People) -> None:
    ann = people(settings=WELCOMED)
    page = ann.page
    ann.go("/how/linko")
    rules = page.locator(".how section:visible")
    expect(rules).to_have_count(9)
    page.keyboard.press("/")
    field = page.get_by_role("searchbox", name=ann.say("how.search"))
    expect(field).to_be_focused()
    page.keyboard.type("LYNXES even")
    expect(rules).to_have_count(1)
    expect(rules.first).to_contain_text(ann.say("how.linko.joker.title"))
    assert page.evaluate("() => CSS.highlights.get('rule').size") >= 2
    expect(page.get_by_role("status").filter(has_text="1 rule found")).to_have_count(1)
    field.fill("tie")
    expect(page.locator(".how [data-rule]:visible")).to_have_count(4)
    field.fill("checkmate")
    expect(rules).to_have_count(0)
    expect(page.get_by_text(ann.say("how.search.none", text="checkmate"))).to_be_visible()
    ann.press(ann.button("how.search.clear"))
    expect(rules).to_have_count(9)
    expect(field).to_be_focused()
    page.keyboard.type("deck")
    page.keyboard.press("Escape")
    expect(field).to_have_value("")
    expect(rules).to_have_count(9)


def test_editions_are_explained_where_they_are_chosen(people: People) -> None:
    ann = people(settings=WELCOMED)
    for path in ("/", "/new"):
        for edition in ("basic", "expert", "duel"):
            ann.go(path)
            if path == "/":
                ann.page.get_by_label(ann.say("home.edition")).select_option(edition)
            else:
                ann.choose("home.edition", f"edition.{edition}")
            expect(ann.page.get_by_text(ann.say(f"how.edition.linko.{edition}"))).to_be_visible()
