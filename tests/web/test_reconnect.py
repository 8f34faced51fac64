"""Connections that break and servers that die, in the middle of a decision."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from lynxden.server.table import entries
from tests.web.conftest import People
from tests.web.kit import PHONE, House, Player


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[House]:
    """A server that may be killed."""
    found = House(tmp_path / "data")
    yield found
    found.close()


def numbers(player: Player) -> list[int]:
    """The events that a page came to know, in the order in which it did."""
    found: list[int] = []
    for message in player.received:
        if message["type"] == "happened":
            found.append(message["what"]["number"])
        elif message["type"] == "table":
            found.extend(what["number"] for what in message.get("missed", ()))
    return found


def waits_for_cards(player: Player) -> None:
    """Play until it is to be chosen what to play."""
    while "cards" not in (offered := player.wait()):
        assert not offered.get("over"), "the game is over too soon"
        player.decide(offered)


def test_lost_connection(people: People, house: House, tmp_path: Path) -> None:
    ann = people(size=PHONE, touch=True)
    ann.arrive("Ann")
    ann.play_now("linko", "basic", 3)
    ann.play(2)
    waits_for_cards(ann)
    before, hand = ann.look(), ann.hand()
    banner = ann.page.get_by_text(ann.say("app.reconnecting"))

    ann.cut()
    expect(banner).to_be_visible()
    ann.mend()
    expect(banner).to_be_hidden()
    assert ann.wait() == before, "another decision is offered"
    assert ann.hand() == hand

    # What is played without a connection is played when there is one again, and once.
    ann.cut()
    expect(banner).to_be_visible()
    acts = len(ann.acts())
    ann.choose_group(hand[0], 1)
    ann.press(ann.page.locator("[data-do]"))
    assert len(ann.acts()) == acts, "it was sent without a connection"
    ann.mend()
    expect(banner).to_be_hidden()
    ann.page.wait_for_function(
        "(count) => document.querySelectorAll('[data-place^=\"own:\"] .card').length !== count",
        arg=len(hand),
    )
    ann.play(3)
    ann.wait()
    assert numbers(ann) == sorted(set(numbers(ann))), "an event was told twice"
    log = map(entries.decode, house.entries(ann.table))
    acted = [entry for entry in log if isinstance(entry, entries.Acted)]
    mine = [entry.action for entry in acted if entry.seat == 0 and entry.by == "player"]
    wanted = {message["id"]: message["action"] for message in ann.sent if message["type"] == "act"}
    assert mine == list(wanted.values()), "an action was lost, or played twice"


def test_server_dies(people: People, mortal: House, tmp_path: Path) -> None:
    ann = people(url=mortal.url)
    ann.arrive("Ann")
    ann.play_now("linko", "duel")
    ann.play(3)
    waits_for_cards(ann)
    before, hand, table = ann.look(), ann.hand(), ann.table
    entries = len(mortal.entries(table))
    banner = ann.page.get_by_text(ann.say("app.reconnecting"))

    mortal.crash()
    expect(banner).to_be_visible()
    mortal.restart()
    expect(banner).to_be_hidden()
    assert ann.wait() == before, "another decision is offered"
    assert ann.hand() == hand
    assert ann.table == table
    assert ann.page.evaluate("() => performance.getEntriesByType('navigation').length") == 1
    ann.play(6)
    assert len(mortal.entries(table)) > entries + 6
