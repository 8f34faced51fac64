"""A newcomer's first game, from the home page to its end, and what can be done then."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.web.conftest import People
from tests.web.kit import DESK, PHONE, SMALL, House, scores

SCREENS = {
    "desk": (DESK, False),
    "phone": (PHONE, True),
    "small": (SMALL, True),
    "tablet": ((820, 1180), True),
}


@pytest.mark.parametrize(
    ("game", "edition", "players", "screen"),
    [
        ("linko", "basic", 3, "phone"),
        pytest.param("linko", "duel", 2, "desk", marks=pytest.mark.slow),
        pytest.param("blocco", "", 3, "tablet", marks=pytest.mark.slow),
        pytest.param("linko", "classic", 4, "small", marks=pytest.mark.slow),
        pytest.param("linko", "advanced", 3, "desk", marks=pytest.mark.slow),
        pytest.param("linko", "expert", 5, "phone", marks=pytest.mark.slow),
        pytest.param("blocco", "", 5, "small", marks=pytest.mark.slow),
    ],
)
def test_first_game(
    people: People, house: House, tmp_path: Path, game: str, edition: str, players: int, screen: str
) -> None:
    size, touch = SCREENS[screen]
    ann = people(size=size, touch=touch)
    ann.arrive("Ann")
    ann.play_now(game, edition, players)
    assert ann.play(), "the game does not end"
    assert ann.decisions > 3

    found = scores(ann.end)
    assert len(found) == players
    assert "Ann" in found
    for name, (parts, points) in found.items():
        assert sum(parts) == points, f"{name}: {parts} do not add up to {points}"
    best = max(points for _, points in found.values())
    truth = house.states(ann.table)[-1][1]
    assert truth.position is not None
    assert truth.position.outcome is not None
    outcome = truth.position.outcome
    assert {name: points for name, (_, points) in found.items()} == dict(
        zip(truth.names, outcome.scores, strict=True)
    )
    winners = {truth.names[seat] for seat in outcome.winners}  # some editions have rules for ties
    assert all(found[name][1] == best for name in winners)
    marked = ann.end.locator("tbody tr.winner th").all_inner_texts()
    assert {text.strip().splitlines()[-1].strip() for text in marked} == winners
    heading = ann.end.get_by_role("heading", level=2).inner_text()
    assert (
        heading == ann.say("table.end.won") if "Ann" in winners else all(name in heading for name in winners)
    )

    table = ann.table
    ann.press(ann.link("table.end.replay"))
    ann.page.wait_for_url(re.compile(r"/g/[A-Za-z0-9]{12}"))
    controls = ann.page.get_by_role("region", name=ann.say("replay.controls"))
    expect(controls).to_be_visible()
    assert scores(ann.page.get_by_role("table")) == found, "the replay tells other points"
    ann.page.go_back()

    ann.press(ann.button("table.end.rematch"))
    ann.page.wait_for_url(lambda url: "/t/" in url and table not in url)
    assert not ann.wait().get("over"), "the rematch begins with an end"
    before = len(ann.acts())
    ann.play(1)
    assert len(ann.acts()) == before + 1
