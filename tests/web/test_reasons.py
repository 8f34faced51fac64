"""What cannot be chosen says why, in words of the rules; the words come with the server's view."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.web.conftest import People
from tests.web.kit import LANGUAGES, Player, catalogue, forms

REASON = ".story.reason"


def own(player: Player) -> dict[str, Any]:
    """What the seat was last sent besides the public part."""
    for message in reversed(player.received):
        game = message.get("game") or {}
        if game.get("own"):
            found: dict[str, Any] = game["own"]
            return found
    raise AssertionError("nothing was sent")


def reason_of(player: Player, place: str) -> dict[str, Any] | None:
    for why in own(player)["why"]:
        if place in why["places"] or "*" in why["places"]:
            return dict(why)
    return None


def is_text_of(text: str, game: str, code: str) -> bool:
    """Whether a text on the page is that of a reason, with whatever was filled in."""
    found = catalogue("en").get(f"{game}.why.{code}") or catalogue("en")[f"table.why.{code}"]
    starts = [form.partition("{")[0] for form in forms(found)]
    return any(text.startswith(start) for start in starts)


@pytest.mark.parametrize("game", ["linko", "blocco"])
def test_every_place_says_why(people: People, tmp_path: Path, game: str) -> None:
    ann = people()
    ann.arrive("Ann")
    ann.play_now(game, "basic" if game == "linko" else "", 3)
    seen: set[str] = set()
    for _ in range(9):
        offered = ann.wait()
        if offered.get("over"):
            break
        acts = len(ann.acts())
        where = '[data-place="deck"], [data-place^="slot:"]' if game == "linko" else "[data-item]"
        for each in ann.page.locator(where).all():
            if each.get_attribute("aria-disabled") != "true":
                continue
            place = str(each.get_attribute("data-place" if game == "linko" else "data-item"))
            why = reason_of(ann, place)
            assert why, f"{place} cannot be chosen, and the server does not say why"
            if why["code"] in seen and len(seen) < 3:
                continue
            each.click(force=True)  # it cannot be chosen, but be asked
            expect(ann.page.locator(REASON)).to_be_visible()
            text = ann.page.locator(REASON).inner_text()
            assert is_text_of(text, game, why["code"]), f"{place}: {why} is told as '{text}'"
            expect(ann.page.locator("#live")).to_contain_text(text)
            seen.add(why["code"])
        assert len(ann.acts()) == acts, "asking why is not playing"
        ann.decide(offered)
    assert len(seen) >= 2, f"only {seen} came up"


def test_by_keyboard_too(people: People, tmp_path: Path) -> None:
    ann = people()
    ann.arrive("Ann")
    ann.play_now("linko", "basic", 3)
    while "cards" not in (offered := ann.wait()):
        ann.decide(offered)
    for _ in range(40):
        ann.page.keyboard.press("Tab")
        if ann.page.evaluate("() => document.activeElement?.dataset.place") == "deck":
            break
    expect(ann.page.locator(REASON)).to_have_text(ann.say("linko.why.play-first"))


def test_reasons_in_every_language() -> None:
    from lynxden.games.registry import GAMES

    for game in GAMES.values():
        for code in game.why.MEANINGS:
            for language in LANGUAGES:
                words = catalogue(language)
                assert f"{game.name}.why.{code}" in words or f"table.why.{code}" in words, (
                    language,
                    game.name,
                    code,
                )
