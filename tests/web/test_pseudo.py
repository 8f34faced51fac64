"""A language in which every text is marked: what is not marked on a page did not come from a catalogue."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Route, expect

from lynxden.server.table import characters
from tests.web.conftest import People
from tests.web.kit import DESK, PHONE, Player, catalogue
from tests.web.scenes import LOADED, Scenes, show

OPEN, CLOSE = "⟦", "⟧"
NAMES = ("Ann", *characters.NAMES, "Chrome", "Linux")
"""Of people, bots and devices: the same in every language."""
UNITS = r"\d+(?:,\d+)?\s(?:Sek\.|Min\.|Std\.|Tage?)"
"""Times that the browser writes by itself."""

UNMARKED = """([open, close, names]) => {
  const found = new Set();
  const outside = (text, depth) => {
    let rest = '';
    for (const char of text) {
      if (char === open) depth += 1;
      else if (char === close) depth -= 1;
      else if (depth === 0) rest += char;
      if (char === open || char === close) rest += ' ';
    }
    return [rest, depth];
  };
  const check = (rest, where) => {
    const left = names.reduce((text, name) => text.replaceAll(name, ' '), rest);
    const glued = where !== 'kbd' && /[:;,!?](?!\\d)/.test(left);
    if (/\\p{L}{2,}/u.test(left) || glued) found.add(`${where}: ${rest.trim()}`);
  };
  const SKIPPED = 'script, style, noscript, time, code, [lang]:not(html), .avatar';
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let depth = 0;
  let rest = '';
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const at = node.parentElement;
    if (!at || at.closest(SKIPPED)) continue;
    [rest, depth] = outside(node.data, depth);
    check(rest, at.tagName.toLowerCase());
  }
  if (depth !== 0) found.add(`a text is cut: ${depth} marks are left open`);
  for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'aria-description'])
    for (const each of document.querySelectorAll(`[${name}]`))
      if (!each.closest(SKIPPED)) check(outside(each.getAttribute(name), 0)[0], name);
  check(outside(document.title, 0)[0], 'the title');
  return [...found];
}"""
"""Words, and punctuation between texts, that stand outside the marks."""


def marked(text: str | dict[str, str]) -> str | dict[str, str]:
    if isinstance(text, str):
        return f"{OPEN}{text}{CLOSE}"
    return {form: f"{OPEN}{words}{CLOSE}" for form, words in text.items()}


def speak_pseudo(player: Player) -> None:
    """German, but for the texts."""
    texts = {key: marked(text) for key, text in catalogue("en").items()}
    body = f"export default {json.dumps(texts, ensure_ascii=False)};"

    def answer(route: Route) -> None:
        route.fulfill(content_type="text/javascript; charset=utf-8", body=body)

    player.context.route(re.compile(r"/assets/de-[\w-]+\.js$"), answer)


def unmarked(player: Player) -> list[str]:
    found: list[str] = player.page.evaluate(UNMARKED, [OPEN, CLOSE, list(NAMES)])
    return [text for text in found if not re.fullmatch(rf"\w+: {UNITS}", text)]


def check_all(player: Player, scenes: Scenes) -> None:
    faults = []
    player.go("/")
    loading = OPEN + str(catalogue("en")["app.loading"])
    pause = marked(catalogue("en")["pause.pause"])
    player.page.get_by_role("heading", name=OPEN).first.wait_for()
    faults += [f"first visit: {fault}" for fault in unmarked(player)]
    scenes.visit(player)
    for name, address in scenes.all.items():
        show(player, name, address)
        player.page.wait_for_function(LOADED, arg=loading)
        faults += [f"{name}: {fault}" for fault in unmarked(player)]
        tools = player.page.locator("header .tools button:visible")
        for number in range(tools.count() if name in ("linko", "waiting", "no table") else 0):
            if tools.nth(number).get_attribute("aria-label") == pause:
                continue  # it opens nothing: the game stands still
            player.press(tools.nth(number))
            opened = player.page.locator("dialog[open], .sheet").first
            expect(opened).to_contain_text(OPEN)
            player.page.wait_for_function(LOADED, arg=loading)
            faults += [f"{name}, {opened.inner_text()[:40]!r}: {fault}" for fault in unmarked(player)]
            player.page.keyboard.press("Escape")
            expect(opened).to_be_hidden()
    assert not faults, "\n".join(dict.fromkeys(faults))


def test_every_text_comes_from_a_catalogue(people: People, scenes: Scenes) -> None:
    ann = people(size=DESK, locale="de-DE")
    speak_pseudo(ann)
    check_all(ann, scenes)


@pytest.mark.slow
def test_every_text_comes_from_a_catalogue_on_a_phone(people: People, scenes: Scenes) -> None:
    ann = people(size=PHONE, touch=True, locale="de-DE")
    speak_pseudo(ann)
    check_all(ann, scenes)


def test_a_refused_import_is_explained_by_a_catalogue(people: People, scenes: Scenes) -> None:
    ann = people(locale="de-DE")
    speak_pseudo(ann)
    scenes.visit(ann)
    show(ann, "import", "/import")
    ann.page.locator("textarea").fill('nonsense\n{"format": "chess"}')
    ann.press(ann.page.get_by_role("button", name=str(catalogue("en")["import.go"])))
    expect(ann.page.locator(".wrong li")).to_have_count(2)
    assert unmarked(ann) == []


def test_without_its_catalogue_the_page_is_english(people: People) -> None:
    ann = people(locale="de-DE")
    ann.context.route(re.compile(r"/assets/de-[\w-]+\.js$"), lambda route: route.abort())
    ann.go("/")
    expect(ann.page.get_by_role("heading", name=str(catalogue("en")["home.welcome.title"]))).to_be_visible()
    assert ann.page.locator("html").get_attribute("lang") == "en"
    ann.page.get_by_label(str(catalogue("en")["me.language"])).select_option("pl")
    expect(ann.page.get_by_role("heading", name=str(catalogue("pl")["home.welcome.title"]))).to_be_visible()
