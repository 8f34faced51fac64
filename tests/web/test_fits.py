"""The table fits every window: the fullest tables that occur, everything in sight, nothing covered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.conftest import People
from tests.web.kit import SIZES, House, Player

TABLES = [
    ("linko", "expert", 5),
    ("linko", "duel", 2),
    ("linko", "classic", 4),
    ("blocco", "", 5),
    ("blocco", "", 3),
]
NARROWEST = [(360, 640), (640, 400), (844, 390), (1366, 650), (1920, 1080)]
"""Those windows of each kind that have the least room."""
STRIP = 20
"""Pixels of every value or colour in hand that are to be seen."""

LOOK = """() => {
  const faults = [];
  const [wide, high] = [innerWidth, innerHeight];
  const all = (where) => [...document.querySelectorAll(where)];
  const name = (each) => each.dataset.place ?? each.dataset.item ?? each.dataset.do ?? each.className;
  const inside = (box) =>
    box.left >= -0.5 && box.top >= -0.5 && box.right <= wide + 0.5 && box.bottom <= high + 0.5;
  // How wide an element is to be seen, somewhere in its upper half.
  const seen = (each) => {
    const box = each.getBoundingClientRect();
    let best = 0;
    for (const part of [0.15, 0.3, 0.45]) {
      let count = 0;
      for (let x = Math.ceil(box.left); x < box.right; x += 2) {
        const hit = document.elementFromPoint(x, box.top + box.height * part);
        if (hit && each.contains(hit)) count += 2;
      }
      best = Math.max(best, count);
    }
    return best;
  };
  const own = all('[data-place^="own:"]').filter((each) => each.querySelector('.card'));
  let cards = 0;
  for (const group of own) {
    for (const card of group.querySelectorAll('.card')) {
      if (!inside(card.getBoundingClientRect())) faults.push(`a card of ${name(group)} is outside`);
      cards += 1;
    }
    const strip = seen(group);
    if (strip < STRIP) faults.push(`only ${strip} px of ${name(group)} can be seen`);
  }
  const choices = all('[aria-disabled="false"], [data-do], [data-answer]')
    .filter((each) => each.closest('.stage'));
  for (const choice of choices) {
    const box = choice.getBoundingClientRect();
    if (!inside(box)) faults.push(`${name(choice)} is outside: ${JSON.stringify(box)}`);
    else if (seen(choice) < 16) faults.push(`${name(choice)} is covered`);
  }
  const bar = document.querySelector('[data-bar]').getBoundingClientRect();
  if (!inside(bar)) faults.push('the action bar is outside');
  const hit = document.elementFromPoint(bar.left + 30, bar.bottom - 8);
  if (!hit?.closest('[data-bar]')) faults.push('the action bar is covered');
  for (const seat of all('[data-seat]'))
    if (!inside(seat.getBoundingClientRect())) faults.push(`seat ${seat.dataset.seat} is outside`);
  const page = document.scrollingElement;
  if (page.scrollHeight > high || page.scrollWidth > wide)
    faults.push(`the page scrolls: ${page.scrollWidth} × ${page.scrollHeight}`);
  const width = Math.max(...own.map((group) => group.querySelector('.card').getBoundingClientRect().width));
  return { faults, cards, choices: choices.length, width };
}""".replace("STRIP", str(STRIP))


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    found = House(tmp_path_factory.mktemp("full"), module="tests.web.worst")
    yield found
    found.close()


def look(player: Player, size: tuple[int, int]) -> dict[str, Any]:
    """What is seen in a window of this size; a busy machine may need a while to draw it."""
    player.page.set_viewport_size({"width": size[0], "height": size[1]})
    for _ in range(20):
        player.page.wait_for_timeout(120)
        found: dict[str, Any] = player.page.evaluate(LOOK)
        if not found["faults"]:
            break
    return found


@pytest.mark.parametrize(
    ("game", "edition", "players", "sizes"),
    [
        *((*TABLES[each], NARROWEST) for each in (0, 3)),
        *(pytest.param(*table, SIZES, marks=pytest.mark.slow) for table in TABLES),
    ],
)
def test_the_fullest_tables_fit(
    people: People,
    full: House,
    tmp_path: Path,
    game: str,
    edition: str,
    players: int,
    sizes: list[tuple[int, int]],
) -> None:
    ann = people(url=full.url)
    ann.arrive("Ann")
    ann.play_now(game, edition, players)
    ann.wait()
    faults = []
    for size in sizes:
        found = look(ann, size)
        assert found["cards"] == (30 if game == "linko" else 25), "not the table that was set up"
        assert found["choices"] > 6
        faults += [f"{size[0]} × {size[1]}: {fault}" for fault in found["faults"]]
        least = {(1920, 1080): 100, (2560, 1440): 130}.get(size, 0)
        if found["width"] < least:
            faults.append(f"{size[0]} × {size[1]}: own cards are {found['width']} px wide, not {least}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("game", "edition", "players"),
    [pytest.param(*TABLES[each], marks=pytest.mark.slow) for each in (0, 1, 3)],
)
def test_chosen_cards_and_answers_fit(
    people: People, full: House, tmp_path: Path, game: str, edition: str, players: int
) -> None:
    """The same with a choice made, and with the question that follows."""
    ann = people(url=full.url)
    ann.arrive("Ann")
    ann.play_now(game, edition, players)
    offered = ann.wait()
    faults = []
    for moment in ("chosen", "then"):
        if moment == "chosen" and "cards" in offered:
            ann.page.keyboard.press("9")
            ann.page.keyboard.press("9")
        elif moment == "chosen":
            ann.page.locator('[data-item^="colour:"][aria-disabled="false"]').first.click()
        else:
            ann.page.locator("[data-do]").click()
            ann.wait()
        for size in SIZES:
            found = look(ann, size)
            faults += [f"{moment}, {size[0]} × {size[1]}: {fault}" for fault in found["faults"]]
        assert ann.page.locator("[data-do]").count() == (moment == "chosen")
        ann.page.set_viewport_size({"width": 1280, "height": 800})
    assert not faults, "\n".join(faults)
