"""Replays: links to a moment, steps, hidden hands; and games that come from elsewhere."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from lynxden.games.core import Position
from lynxden.games.registry import get_game
from lynxden.records.record import Recorder
from tests.web.conftest import People
from tests.web.kit import PHONE, SMALL, Player

NAMES = ("Ann", "Ben", "Cleo")


def played(game: str, edition: str) -> tuple[str, list[Position]]:
    """A game of random actions: its record, and every position from the deal on."""
    rng = random.Random(7)
    position = get_game(game).new(edition, len(NAMES), seed=3)
    recorder = Recorder(position, NAMES)
    positions = [position]
    while not positions[-1].over:
        positions.append(recorder.apply(rng.choice(positions[-1].legal_actions)))
    return recorder.record().to_json(), positions


def brought(player: Player, record: str) -> str:
    """Import a record through the page; the address of its replay."""
    player.go("/import")
    player.page.get_by_label(player.say("import.paste")).fill(record)
    player.press(player.button("import.go"))
    link = player.page.get_by_role("link", name=", ".join(NAMES))
    expect(link).to_be_visible()
    return str(link.get_attribute("href"))


def open_cards(player: Player, seat: int) -> list[str]:
    """The cards of a hand that lie open (Linko), seen from the first seat."""
    place = '[data-place="hand:0"] .card' if seat == 0 else f'[data-seat="{seat}"] .open .card'
    return [str(card.get_attribute("aria-label")) for card in player.page.locator(place).all()]


def test_moment(people: People, tmp_path: Path) -> None:
    record, positions = played("linko", "classic")
    ann = people()
    address = brought(ann, record)
    ann.go(f"{address}#12")
    page = ann.page
    number = page.locator(".controls .words > .number")
    last = len(positions) - 1
    expect(number).to_have_text(f"12 / {last}")
    assert re.search(r"#12$", page.url)

    game = get_game("linko")

    def check(step: int) -> None:
        """The page shows the table as the rules have it."""
        expect(number).to_have_text(f"{step} / {last}")
        public = game.snapshot.public(positions[step].view(None))
        revealed = game.snapshot.revealed(positions[step])
        deck = page.locator('[data-place="deck"] .badge')
        expect(deck).to_have_text(str(public.deck_size))
        for seat in range(3):
            shown = sorted(open_cards(ann, seat))
            wanted = sorted(ann.say("card.X") if card == "X" else card for card in revealed.hands[seat])
            assert shown == wanted, f"step {step}, seat {seat}"

    check(12)
    for key, step in (("replay.forward", 13), ("replay.back", 12), ("replay.end", last), ("replay.start", 0)):
        ann.button(key).click()
        check(step)
    for key, step in (("ArrowRight", 1), ("End", last), ("ArrowLeft", last - 1), ("Home", 0)):
        page.keyboard.press(key)
        check(step)
    page.get_by_role("list", name=ann.say("replay.log")).locator('[data-step="20"]').click()
    check(20)
    page.wait_for_url("**/g/*#20")  # the address follows
    page.evaluate("() => { location.hash = '#31'; }")
    check(31)
    ann.go(f"{address}#99999")
    check(last)
    ann.button("replay.back").click()
    check(last - 1)

    # Hidden hands.
    page.get_by_label(ann.say("replay.hands")).uncheck()
    for button in ("replay.back", "replay.back", "replay.start"):
        ann.button(button).click()
        assert open_cards(ann, 1) == open_cards(ann, 2) == []
    own = sorted(game.snapshot.revealed(positions[0]).hands[0])
    assert [sorted(card for card in ann.hand())] == [own]
    told = page.get_by_role("list", name=ann.say("replay.log")).inner_text()
    secret = re.compile(r"(Ben|Cleo) draws (?!a card)[\dX ]+ from the deck")
    assert not secret.search(told)
    page.get_by_label(ann.say("replay.hands")).check()
    assert open_cards(ann, 1) != []


def test_blocco_moment_on_a_phone(people: People, tmp_path: Path) -> None:
    record, positions = played("blocco", "standard")
    ann = people(size=PHONE, touch=True)
    address = brought(ann, record)
    ann.go(f"{address}#9")
    expect(ann.page.locator(".controls .words > .number")).to_have_text(f"9 / {len(positions) - 1}")
    assert not ann.page.get_by_label(ann.say("replay.hands")).is_checked()
    assert ann.page.locator(".player .open").count() == 0, "hands are open"
    ann.page.get_by_label(ann.say("replay.hands")).check()
    expect(ann.page.locator(".player .open")).to_have_count(2)
    ann.press(ann.button("replay.forward"))
    expect(ann.page.locator(".controls .words > .number")).to_have_text(f"10 / {len(positions) - 1}")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("not json", "import.notjson"),
        ('{"game": "linko"}', None),
    ],
)
def test_bad_records(people: People, tmp_path: Path, text: str, complaint: str | None) -> None:
    ann = people(size=SMALL)
    ann.go("/import")
    ann.page.get_by_label(ann.say("import.paste")).fill(text)
    ann.press(ann.button("import.go"))
    expect(ann.page.get_by_role("heading", name=ann.say("import.none"))).to_be_visible()
    if complaint:
        expect(ann.page.get_by_text(ann.say(complaint))).to_be_visible()


def test_no_such_game(people: People, tmp_path: Path) -> None:
    ann = people()
    ann.go("/g/nothing-1")
    expect(ann.page.get_by_role("heading", name=ann.say("replay.missing"))).to_be_visible()
