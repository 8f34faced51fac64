"""Every language from the browser's own wish: complete, and nothing wider than a small screen."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.web.conftest import People
from tests.web.kit import LANGUAGES, SMALL, Player, catalogue, forms
from tests.web.scenes import Scenes, show

LOCALES = {"en": "en-GB", "de": "de-AT", "fr": "fr-FR", "it": "it-IT", "pl": "pl-PL", "ko": "ko-KR"}
PAGES = (
    "home",
    "new",
    "linko",
    "duel",
    "blocco",
    "end",
    "replay",
    "how linko",
    "how blocco",
    "me",
    "ladder",
    "claim",
)
NARROW = (
    "home",
    "new",
    "waiting",
    "linko",
    "duel",
    "blocco",
    "end",
    "how linko",
    "how blocco",
    "me",
    "import",
)

TEXTS = """() => {
  const found = new Set([document.title]);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const at = node.parentElement;
    if (at && !at.closest('script, style, option, kbd, code, pre'))
      found.add(node.data.replace(/\\s+/g, ' ').trim());
  }
  for (const each of document.querySelectorAll('[aria-label], [title], [placeholder], [alt]'))
    for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
      found.add(each.getAttribute(name) ?? '');
  for (const each of document.querySelectorAll('option:not([lang])')) found.add(each.textContent.trim());
  found.delete('');
  return [...found];
}"""
"""Everything that the page says, to eyes or to screen readers."""

WIDE = """() => {
  const width = document.documentElement.clientWidth;
  const scrolled = Math.max(document.documentElement.scrollWidth, document.body.scrollWidth);
  if (scrolled <= width) return null;
  const out = [...document.body.querySelectorAll('*')]
    .filter((each) => each.getBoundingClientRect().right > width + 1)
    .map((each) => `${each.tagName}.${each.className} "${(each.textContent ?? '').trim().slice(0, 40)}"`);
  return `${scrolled} pixels on a screen of ${width}: ${out.slice(0, 5).join('; ')}`;
}"""


@cache
def english(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """English sentences that another language says differently: the key, and how to find it."""
    found = []
    for key, text in catalogue("en").items():
        same = set(forms(catalogue(language).get(key, "")))
        for form in forms(text):
            literal = re.sub(r"\{\w+\}", "", form)
            if form in same or len(re.findall(r"[A-Za-z]{2,}", literal)) < 3:
                continue
            found.append((key, re.compile(re.sub(r"\\\{\w+\\\}", ".*", re.escape(form)))))
    return tuple(found)


KEY = re.compile(
    r"^(?:" + "|".join(sorted({key.split(".")[0] for key in catalogue("en")})) + r")(?:\.[\w-]+)+$"
)
"""What a key looks like that stands on the page instead of its text."""


def texts(player: Player) -> list[str]:
    return [str(text) for text in player.page.evaluate(TEXTS)]


@pytest.mark.parametrize(
    "language",
    [each if each == "de" else pytest.param(each, marks=pytest.mark.slow) for each in LANGUAGES],
)
def test_language(people: People, scenes: Scenes, tmp_path: Path, language: str) -> None:
    ann = people(size=SMALL, touch=True, locale=LOCALES[language])
    page = ann.page
    ann.go("/")
    page.get_by_role("heading", name=ann.say("home.welcome.title")).wait_for()
    assert page.locator("html").get_attribute("lang") == language
    assert page.get_by_label(ann.say("me.language")).input_value() == language
    faults = []
    scenes.visit(ann)
    for name, address in scenes.all.items():
        show(ann, name, address)
        assert page.locator("html").get_attribute("lang") == language
        said = texts(ann)
        if name in NARROW and (wide := page.evaluate(WIDE)):
            page.screenshot(path=tmp_path / f"{name}.png")
            faults.append(f"{name}: sideways, {wide} (see {tmp_path / name}.png)")
        faults += [f"{name}: a key is shown: {text}" for text in said if KEY.match(text)]
        faults += [
            f"{name}: a value is missing: {text}"
            for text in said
            if re.search(r"\{\w+\}|undefined|NaN", text)
        ]
        if language != "en" and name in PAGES:
            for key, pattern in english(language):
                faults += [f"{name}: {key} is English: {text}" for text in said if pattern.search(text)]
    assert not faults, "\n".join(faults)


def test_language_is_changed_at_once(people: People, tmp_path: Path) -> None:
    ann = people()
    ann.go("/me")
    ann.page.get_by_label("Language").select_option("ko")
    ann.page.get_by_label(catalogue("ko")["me.language"]).wait_for()  # type: ignore[arg-type]
    assert ann.page.locator("html").get_attribute("lang") == "ko"
    ann.page.reload()
    ann.page.get_by_label(catalogue("ko")["me.language"]).wait_for()  # type: ignore[arg-type]
    assert not set(texts(ann)) & {"Language", "Theme", "Save"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_header_keeps_a_guests_name_whole(people: People, language: str) -> None:
    ann = people(size=SMALL, touch=True, locale=LOCALES[language])
    ann.go("/")
    name = ann.page.locator("header .me span")
    name.wait_for()
    assert re.search(r"[0-9A-Za-z]{4}$", name.inner_text()), "this is no guest's name"
    assert name.evaluate("(each) => each.scrollWidth <= each.clientWidth"), "it is cut"
    home = ann.page.locator("header .brand svg").bounding_box()
    assert home is not None
    assert home["width"] > 30
