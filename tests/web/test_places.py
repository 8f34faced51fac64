"""Nothing jumps: what lies at a table keeps its place through a whole game."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.web.conftest import People
from tests.web.kit import DESK, PHONE

PARTS = """() => Object.fromEntries([...document.querySelectorAll(
    '[data-place="deck"], [data-place^="slot:"], [data-place="discard"], [data-item^="row:"], ' +
    '[data-item="pile"], [data-item^="colour:"], [data-seat], [data-hand], [data-bar], [data-do], header')]
  .map((each) => {
    const box = each.getBoundingClientRect();
    const name = each.dataset.place ?? each.dataset.item ?? (each.dataset.seat && `seat ${each.dataset.seat}`)
      ?? (each.dataset.do !== undefined ? 'do' : each.tagName + each.className);
    return [name, [box.left, box.top, box.width, box.height].map(Math.round).join(' ')];
  }))"""


@pytest.mark.parametrize(
    ("game", "edition", "players", "size", "most"),
    [
        ("linko", "basic", 4, DESK, 14),
        ("blocco", "", 4, PHONE, 14),
        pytest.param("linko", "duel", 2, PHONE, 1000, marks=pytest.mark.slow),
        pytest.param("linko", "basic", 4, DESK, 1000, marks=pytest.mark.slow),
        pytest.param("linko", "expert", 5, (844, 390), 1000, marks=pytest.mark.slow),
        pytest.param("blocco", "", 4, PHONE, 1000, marks=pytest.mark.slow),
        pytest.param("blocco", "", 5, DESK, 1000, marks=pytest.mark.slow),
    ],
)
def test_nothing_jumps(
    people: People, tmp_path: Path, game: str, edition: str, players: int, size: tuple[int, int], most: int
) -> None:
    ann = people(size=size, touch=size == PHONE)
    ann.arrive("Ann")
    ann.play_now(game, edition, players)
    places: dict[str, set[str]] = {}
    decisions = 0
    while decisions < most and not (offered := ann.wait()).get("over"):
        for name, place in ann.page.evaluate(PARTS).items():
            places.setdefault(name, set()).add(place)
        ann.decide(offered)
        decisions += 1
    jumped = {name: found for name, found in places.items() if len(found) > 1}
    assert not jumped, f"after {decisions} decisions: {jumped}"
    assert decisions >= 10
    assert len(places) > 12
