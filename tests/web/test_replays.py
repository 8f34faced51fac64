"""Replays: links to a moment, steps, what each side saw; and games that come from elsewhere."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Route, expect

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
    link = player.page.get_by_role("link", name=re.compile(".*".join(NAMES)))
    expect(link).to_be_visible()
    return str(link.get_attribute("href"))


def open_cards(player: Player, seat: int, side: int = 0) -> list[str]:
    """The cards of a hand that lie open (Linko), seen from a side."""
    place = f'[data-place="hand:{seat}"] .card' if seat == side else f'[data-seat="{seat}"] .open .card'
    return [str(card.get_attribute("aria-label")) for card in player.page.locator(place).all()]


def number(player: Player) -> Locator:
    """Where the replay stands."""
    return player.page.locator(".controls .words > .number")


def asked(player: Player) -> list[str]:
    """Whose views of the game the page has asked the server for, in order."""
    found = [re.search(r"/replay(?:\?viewer=(\w+))?$", answer.url) for answer in player.answers]
    return [each[1] or "open" for each in found if each]


def test_moment(people: People, tmp_path: Path) -> None:
    record, positions = played("linko", "classic")
    ann = people()
    address = brought(ann, record)
    ann.go(f"{address}#12")
    page = ann.page
    last = len(positions) - 1
    expect(number(ann)).to_have_text(f"12 / {last}")
    assert re.search(r"#12$", page.url)

    game = get_game("linko")

    def check(step: int) -> None:
        """The page shows the table as the rules have it."""
        expect(number(ann)).to_have_text(f"{step} / {last}")
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


def test_sides(people: People, tmp_path: Path) -> None:
    """Everybody's view of one moment: what is shown, what is said, and what the server was asked for."""
    record, positions = played("linko", "classic")
    game, last = get_game("linko"), len(positions) - 1
    ann = people()
    ann.go(f"{brought(ann, record)}#40")
    page = ann.page
    expect(number(ann)).to_have_text(f"40 / {last}")
    assert asked(ann) == ["open"]
    side, hands = page.get_by_label(ann.say("replay.side")), page.get_by_label(ann.say("replay.hands"))
    log = page.get_by_role("list", name=ann.say("replay.log"))
    secret = re.compile(r"(\w+) draws (?!a card)[\dX ]+ from the deck")
    held = game.snapshot.revealed(positions[40]).hands

    def shown(cards: list[str]) -> list[str]:
        return sorted("X" if card == ann.say("card.X") else card for card in cards)

    def check(seat: int | None) -> None:
        """The page shows one hand, or none, and tells of no card that this viewer did not see drawn."""
        bottom = seat or 0
        expect(page.locator(f'[data-hand][data-place="hand:{bottom}"]')).to_be_visible()
        expect(page.locator(".open")).to_have_count(0)
        expect(number(ann)).to_have_text(f"40 / {last}")
        if seat is None:
            expect(page.locator('[data-place^="own:"]')).to_have_count(0)
            backs = page.locator(f'[data-hand][data-place="hand:{bottom}"] .card')
            expect(backs).to_have_count(len(held[bottom]))
        else:
            assert shown(open_cards(ann, seat, seat)) == sorted(held[seat])
        told = set(secret.findall(log.inner_text()))
        assert told == (set() if seat is None else {NAMES[seat]} & told)

    everything = set(secret.findall(log.inner_text()))
    assert len(everything) > 1, "too few cards are drawn from the deck: choose another seed"
    hands.uncheck()
    check(0)
    side.select_option("Ben")
    check(1)
    side.select_option("Cleo")
    check(2)
    side.select_option(ann.say("replay.spectator"))
    check(None)
    assert asked(ann) == ["open", "0", "1", "2", "spectator"]

    # What has been seen once is there at once, and turning an open table needs nobody.
    side.select_option("Ben")
    check(1)
    hands.check()
    for seat, name in enumerate(NAMES):
        side.select_option(name)
        expect(page.locator(f'[data-hand][data-place="hand:{seat}"]')).to_be_visible()
        assert [shown(open_cards(ann, each, seat)) for each in range(3)] == [sorted(cards) for cards in held]
    hands.blur()  # keys that are pressed there are its own
    page.keyboard.press("h")
    check(2)
    assert set(secret.findall(log.inner_text())) <= {"Cleo"}
    assert len(asked(ann)) == 5


@pytest.mark.slow
def test_a_side_that_does_not_come(people: People, tmp_path: Path) -> None:
    """The old side stays until the other is there; if it cannot be had, that is said."""
    record, positions = played("linko", "classic")
    last = len(positions) - 1
    ann = people()
    address = brought(ann, record)
    page = ann.page
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    page.route("**/replay?viewer=1", hold)
    ann.go(f"{address}#7")
    side = page.get_by_label(ann.say("replay.side"))
    page.get_by_label(ann.say("replay.hands")).uncheck()
    expect(page.locator(".open")).to_have_count(0)
    side.select_option("Ben")
    expect(page.locator('.options[aria-busy="true"]')).to_be_visible()
    ann.button("replay.forward").click()
    expect(number(ann)).to_have_text(f"8 / {last}")
    expect(page.locator('[data-hand][data-place="hand:0"]')).to_be_visible()

    waiting.pop().abort()
    trouble = page.get_by_role("alert")
    expect(trouble).to_contain_text(ann.say("replay.unseen"))
    expect(page.locator('[data-hand][data-place="hand:0"]')).to_be_visible()
    page.unroute("**/replay?viewer=1")
    trouble.get_by_role("button", name=ann.say("app.retry")).click()
    expect(page.locator('[data-hand][data-place="hand:1"]')).to_be_visible()
    expect(trouble).to_have_count(0)
    expect(number(ann)).to_have_text(f"8 / {last}")
    assert side.locator("option:checked").inner_text() == "Ben"


def test_blocco_moment_on_a_phone(people: People, tmp_path: Path) -> None:
    record, positions = played("blocco", "standard")
    ann = people(size=PHONE, touch=True)
    address = brought(ann, record)
    ann.go(f"{address}#9")
    expect(number(ann)).to_have_text(f"9 / {len(positions) - 1}")
    hands = ann.page.get_by_label(ann.say("replay.hands"))
    assert not hands.is_checked()
    assert ann.page.locator(".player .open").count() == 0, "hands are open"
    assert asked(ann) == ["0"], "a phone need not know the other hands"
    hands.check()
    expect(ann.page.locator(".player .open")).to_have_count(2)
    hands.uncheck()
    expect(ann.page.locator(".player .open")).to_have_count(0)

    def check(seat: int) -> None:
        """Whoever gives is told to have given cards; which, only the giver is told."""
        expect(ann.page.locator(f'[data-hand][data-place="hand:{seat}"]')).to_be_visible()
        told = ann.page.get_by_role("list", name=ann.say("replay.log")).inner_text()
        events = [event for position in positions for event in position.events(seat)]
        unseen = [NAMES[event.seat or 0] for event in events if event.kind == "gives unseen"]
        assert re.findall(r"(\w+) gives \w+ \d+ cards?", told) == unseen

    givers = {
        event.seat for position in positions for event in position.events() if event.kind == "gives unseen"
    }
    assert givers, "nobody gives anything: choose another seed"
    for seat in (0, *givers):
        ann.page.get_by_label(ann.say("replay.side")).select_option(NAMES[seat or 0])
        check(seat or 0)
    ann.press(ann.button("replay.forward"))
    expect(number(ann)).to_have_text(f"10 / {len(positions) - 1}")


@pytest.mark.slow
def test_whoever_played_sees_their_own_side_first(people: People, tmp_path: Path) -> None:
    """Also on a phone, where no hand but theirs is open."""
    ann = people(size=PHONE, touch=True)
    ann.arrive("Ann")
    body = {
        "game": "linko",
        "edition": "duel",
        "seats": [{"kind": "bot", "bot": "greedy"}, {"kind": "open"}],
        "speed": "instant",
    }
    table = ann.page.evaluate(
        """async (body) => (await (await fetch('/api/tables', {
             method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' },
           })).json()).id""",
        body,
    )
    ann.go(f"/t/{table}")
    assert ann.play(), "the game does not end"
    ann.press(ann.link("table.end.replay"))
    ann.page.wait_for_url("**/g/*")
    expect(ann.page.locator('[data-hand][data-place="hand:1"]')).to_be_visible()
    expect(ann.page.locator(".open")).to_have_count(0)
    assert asked(ann) == ["0", "1"]


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
