"""The figures of the pages about strategy: they count every decision, and the pages have them all."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from tools.strategy import blocco, linko
from tools.strategy.__main__ import GAMES, PAGES, put
from tools.strategy.habits import compare
from tools.strategy.log import PLAYERS, Log, play
from tools.strategy.plots import COLOURS, bars
from tools.strategy.tables import Cell, Row, Table, band, means, names, written

from lynxden.games.blocco import rules
from lynxden.games.linko import rules as linko_rules

DEALS = 16
PICTURES = PAGES["linko"].parent / "pictures"


@pytest.fixture(scope="module")
def logs() -> dict[str, Log]:
    return {name: play(name, DEALS, 1, game.FIELDS) for name, game in GAMES.items()}


def counted(table: Table, row: int = 0) -> int:
    return sum(cell.count for cell in table.rows[row].cells)


def test_linko_counts_every_decision(logs: dict[str, Log]) -> None:
    log = logs["linko"]
    tables = linko.tables(log)
    phases = np.bincount(log.before["phase"], minlength=linko_rules.OVER)
    assert counted(tables["linko-laid"]) == counted(tables["linko-lost"]) == phases[linko_rules.PLAY]
    assert counted(tables["linko-taken-left"]) == phases[linko_rules.TAKE]
    assert sum(counted(tables["linko-taken-left"], row) for row in (1, 2, 3)) == phases[linko_rules.TAKE]
    assert counted(tables["linko-reclaimed"]) == phases[linko_rules.RECLAIM]
    assert counted(tables["linko-drawn"]) == phases[linko_rules.DRAW]
    kinds = ("linko-laid", "linko-taken-left", "linko-reclaimed", "linko-drawn")
    assert sum(counted(tables[name]) for name in kinds) == len(log.action)
    assert counted(tables["linko-order"]) == counted(tables["linko-dealt"]) == DEALS * PLAYERS
    assert counted(tables["linko-end"]) == DEALS


def test_linko_follows_each_layer(logs: dict[str, Log]) -> None:
    """Cards that were laid lie on the table at the end, but for the layers that were snatched."""
    log = logs["linko"]
    d = linko.Decisions(log)
    assert d.laid[d.plays & ~d.lost].sum() == log.final["table_size"].sum()
    assert (d.plays & d.lost).sum() == d.takes.sum()


def test_blocco_counts_every_decision(logs: dict[str, Log]) -> None:
    log = logs["blocco"]
    d, tables = blocco.Decisions(log), blocco.tables(log)
    phases = np.bincount(log.before["phase"], minlength=rules.OVER)
    assert 2 * counted(tables["blocco-turns"]) == phases[rules.ACT]
    assert counted(tables["blocco-given"], 2) == phases[rules.GIVE]
    assert 2 * counted(tables["blocco-turns"]) + phases[rules.FROM] + phases[rules.GIVE] == len(log.action)
    takes, blocks, scores = ((d.kind == kind).sum() for kind in (blocco.TAKE, blocco.BLOCK, blocco.SCORE))
    assert takes + blocks + scores == phases[rules.ACT]
    offered = (d.kind == blocco.TAKE) & (d.deck > 0)
    assert counted(tables["blocco-rows"]) == rules.PLACES * offered.sum()
    assert counted(tables["blocco-blocks"], 1) == blocks
    assert counted(tables["blocco-piles"]) == scores
    assert counted(tables["blocco-givers"]) == phases[rules.FROM] > 0
    assert counted(tables["blocco-order"]) == DEALS * PLAYERS
    assert sum(cell.mean for cell in tables["blocco-left"].rows[0].cells) == pytest.approx(1)


def test_blocco_follows_each_card(logs: dict[str, Log]) -> None:
    """What was taken was laid, given or is in hand; what was scored was laid or given."""
    log = logs["blocco"]
    d = blocco.Decisions(log)
    taken, laid = d.row_size[d.kind == blocco.TAKE].sum(), d.laid[d.kind == blocco.BLOCK].sum()
    given = blocco.by_colour(log.final["given"]).sum()
    assert taken + rules.HAND * PLAYERS * DEALS == laid + given + (log.final["hands"] & 127).sum()
    scores = d.kind == blocco.SCORE
    assert d.bonus[scores].sum() == given
    assert d.pile[scores].sum() + given == log.final["score_size"].sum()
    _, gone = blocco._after(log, d)
    assert (gone >= 0).all()
    assert 0 < gone.sum() <= given  # the last turns have no next one


def test_blocco_knows_who_is_named(logs: dict[str, Log]) -> None:
    """Whoever is named holds the most cards, and gives; the table has all of it, counted one by one."""
    log = logs["blocco"]
    d = blocco.Decisions(log)
    found: dict[int, list[tuple[bool, float]]] = {-1: [], 0: [], 1: []}
    asked = 0
    for decision in np.flatnonzero(d.kind == blocco.FROM):
        hands, scored = d.hands[decision], log.before["score_size"][decision]
        giver, active = d.giver[decision], d.actor[decision]
        in_turn = [seat % PLAYERS for seat in range(active + 1, active + PLAYERS)]
        could = [seat for seat in in_turn if hands[seat] == hands.max()]
        assert giver in could
        assert len(could) > 1
        if d.kind[decision + 1] == blocco.GIVE:
            assert d.actor[decision + 1] == giver
            asked += 1
        ahead = int(np.sign(int(scored[could[0]]) - max(int(scored[seat]) for seat in could[1:])))
        found[ahead].append((giver == could[0], 1 / len(could)))
    assert asked
    for row, part in zip(blocco.tables(log)["blocco-givers"].rows, (0, 1), strict=True):
        for cell, ahead in zip(row.cells, (1, 0, -1), strict=True):
            assert cell.count == len(found[ahead])
            assert cell.mean == pytest.approx(np.mean([each[part] for each in found[ahead]]))


@pytest.mark.parametrize("game", GAMES)
def test_the_same_seed_gives_the_same_figures(logs: dict[str, Log], game: str) -> None:
    again = GAMES[game].tables(play(game, DEALS, 1, GAMES[game].FIELDS))
    assert again == GAMES[game].tables(logs[game])
    assert again != GAMES[game].tables(play(game, DEALS, 2, GAMES[game].FIELDS))


def test_a_habit_binds_one_seat() -> None:
    fields = linko.FIELDS
    for name, taken in (("takes every layer", True), ("takes none", False)):
        log = play("linko", DEALS, 1, fields, linko.HABITS[name])
        d = linko.Decisions(log)
        assert (d.taken[d.takes & d.bound] == taken).all()
        assert 0 < d.taken[d.takes & ~d.bound].mean() < 1
    log = play("linko", DEALS, 1, fields, linko.HABITS["takes just what fits a card in hand"])
    d = linko.Decisions(log)
    mine = d.takes & d.bound
    assert (d.taken == (d.held > 0))[mine].all()
    log = play("linko", DEALS, 1, fields, linko.HABITS["lays its largest set in each turn"])
    d = linko.Decisions(log)
    largest, now = linko._largest(d)
    assert now[(largest > 0) & d.bound].all()
    assert not now[(largest > 0) & ~d.bound].all()
    assert d.jokers[d.plays & ~d.alone & d.bound].any()


def test_habits_of_blocco() -> None:
    def played(name: str) -> blocco.Decisions:
        return blocco.Decisions(play("blocco", DEALS, 1, blocco.FIELDS, blocco.HABITS[name]))

    d = played("scores whenever it can")
    assert (d.kind[d.acts & d.bound & (d.pile > 0)] == blocco.SCORE).all()
    d = played("scores six cards or more, while there is a deck")
    mine = (d.kind == blocco.SCORE) & d.bound & (d.deck > 0)
    assert (d.pile[mine] >= 6).all()
    d = played("takes the largest row")
    mine = (d.kind == blocco.TAKE) & d.bound
    assert (d.row_size == d.row_sizes.max(axis=1))[mine].all()
    d = played("takes until it has eight cards")
    assert (d.kind[d.acts & d.bound & (d.own < 8) & (d.deck > 0)] == blocco.TAKE).all()
    d = played("gives its highest numbers")
    mine = (d.kind == blocco.GIVE) & d.bound
    highest = ((d.held > 0) * blocco.NUMBERS[1:]).max(axis=1)
    assert mine.any()
    assert (blocco.NUMBERS[d.gift] == highest)[mine].all()


@pytest.mark.parametrize("game", GAMES)
def test_a_page_has_all_tables_and_pictures(logs: dict[str, Log], game: str, tmp_path: Path) -> None:
    text = PAGES[game].read_text(encoding="utf-8")
    tables = GAMES[game].tables(logs[game])
    tables[f"{game}-habits"] = compare(game, GAMES[game].HABITS, 2, 1)
    assert sorted(re.findall("<!-- generated: (.*) -->", text)) == sorted(tables)
    for name, table in tables.items():
        part = text.partition(f"<!-- generated: {name} -->\n\n")[2].partition("\n\n<!-- end -->")[0]
        assert part.splitlines()[:2] == table.markdown().splitlines()[:2], name
        assert [line.split(" | ")[0] for line in part.splitlines()[2:]] == [
            f"| {row.name}" for row in table.rows
        ]
    for name, picture in GAMES[game].pictures(logs[game]).items():
        ET.fromstring(picture)
        assert f"(pictures/{name}.svg)" in text
        assert 1000 < (PICTURES / f"{name}.svg").stat().st_size < 30_000
    copy = tmp_path / "page.md"
    copy.write_text(text, encoding="utf-8")
    put(copy, {name: table.markdown() for name, table in tables.items()})
    changed = copy.read_text(encoding="utf-8")
    assert changed != text
    assert re.sub(r"\n\|.*", "", changed) == re.sub(r"\n\|.*", "", text)


def test_a_page_without_a_place_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Nothing\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="no place for the table laid"):
        put(page, {"laid": "| |"})
    assert page.read_text(encoding="utf-8") == "# Nothing\n"


def test_tables_in_words() -> None:
    assert names((1, 2, 4), 1) == ["1", "2", "3 to 4", "5 or more"]
    where = band(np.array([1, 1, 2, 3, 4, 9] * 20), (1, 2, 4))
    cells = means(where, 4, np.array([1, 0, 1, 0, 0, 0] * 20))
    assert [(cell.mean, cell.count) for cell in cells] == [(0.5, 40), (1, 20), (0, 40), (0, 20)]
    shown = Table("cards", names((1, 2, 4), 1), [Row("taken", cells, "%")]).markdown()
    assert shown.splitlines()[-1] == "| taken | 50 % | 100 % | 0 % | 0 % |"
    assert written(means(np.zeros(19, int), 1, np.ones(19))[0], "%") == "–"
    assert [written(Cell(mean, 20), ".1") for mean in (-0.06, -0.04, 0.04)] == ["−0.1", "0.0", "0.0"]


def test_no_line_crosses_out_a_figure() -> None:
    """The line of what chance would give lies behind the bars, whose figures are on them."""
    picture = bars("Wins", "place", ("first", "second"), [Cell(0.27, 100), Cell(0.23, 100)], 0.25)
    assert picture.index('stroke-dasharray="7 4"') < picture.index(f'fill="{COLOURS[0]}"')
