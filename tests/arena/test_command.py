"""`lynxden arena`, as people run it: whole arenas, and processes that are killed or work together."""

import json
import re
import signal
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from lynxden.arena.contest import Contest
from lynxden.arena.journal import Journal
from lynxden.arena.words import number
from lynxden.games.errors import OptionsError
from lynxden.records import read_record, verify
from tests.arena.conftest import registered
from tests.commands import children, gone, interruptible, lynxden, process, until

BOTS = "greedy,random,mixed"
DEALS = "6"
GAMES = 6 * 4 * 6
CHUNKS = 2 + 4 * 6 * 4
"""Two bouts are compiled, of one chunk each; four are not."""
SAME = ("results.json", "games.csv", "records.jsonl")
"""Files that are the same to the byte for the same set-up."""


def contest(out: Path, *more: str) -> list[str]:
    return ["linko", "--bots", BOTS, "--deals", DEALS, "--seed", "4", "--records", "--out", str(out), *more]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An arena that nobody interrupted, played by one process."""
    out = tmp_path_factory.mktemp("arena") / "whole"
    with registered():
        found = lynxden("arena", *contest(out))
    assert found.returncode == 0, found.stderr
    assert "greedy" in found.stdout
    assert str(out / "report.html") in found.stdout
    return out


def same(one: Path, other: Path) -> None:
    for name in SAME:
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


def lines(out: Path) -> list[bytes]:
    journal = out / "journal.jsonl"
    return journal.read_bytes().splitlines(keepends=True) if journal.exists() else []


@pytest.mark.parametrize(
    ("workers", "blow"),
    [
        pytest.param("1", signal.SIGKILL, marks=pytest.mark.slow),
        ("2", signal.SIGKILL),
        pytest.param("2", signal.SIGINT, marks=pytest.mark.slow),
    ],
)
def test_interrupted_and_resumed_is_the_same_to_the_byte(
    workers: str, blow: signal.Signals, whole: Path, installed: dict[str, str], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with interruptible("arena", *contest(out, "--workers", workers), environment=installed) as running:
        until(lambda: len(lines(out)) > 12)
        workers_there = children(running.pid)
        running.send_signal(blow)
        assert running.wait(60) == (-blow if blow == signal.SIGKILL else 130)
        assert running.stderr is not None
        if blow == signal.SIGINT:
            assert running.stderr.read() == f"lynxden: stopped; the same command goes on with {out}\n"
    until(lambda: all(gone(worker) for worker in workers_there), 30)
    before = lines(out)
    assert len(before) < CHUNKS, "it was over before it was interrupted"
    with (out / "journal.jsonl").open("ab") as journal:
        journal.write(b'{"bout":3,"fir')  # as if the last line had been half written
    resumed = process("arena", *contest(out), environment=installed)
    assert resumed.returncode == 0, resumed.stderr
    after = lines(out)
    assert after[: len(before)] == before, "what was finished was played again"
    assert len(after) == 1 + CHUNKS
    same(whole, out)


@pytest.mark.slow
def test_two_workers_find_the_same(whole: Path, installed: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert process("arena", *contest(out, "--workers", "2"), environment=installed).returncode == 0
    same(whole, out)


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_time_and_nothing_else(
    installed: dict[str, str], tmp_path: Path
) -> None:
    bomb = tmp_path / "bomb"
    set_up = ["linko", "--edition", "duel", "--bots", "random,dies", "--deals", "5", "--out"]
    calm = process("arena", *set_up, str(tmp_path / "calm"), environment=installed)
    assert calm.returncode == 0, calm.stderr
    bomb.touch()
    more = [str(tmp_path / "shaken"), "--workers", "2"]
    armed = {**installed, "LYNXDEN_TEST_BOMB": str(bomb)}
    shaken = process("arena", *set_up, *more, environment=armed)
    assert shaken.returncode == 0, shaken.stderr
    assert not bomb.exists(), "no worker was killed"
    for name in ("results.json", "games.csv"):
        assert (tmp_path / "calm" / name).read_bytes() == (tmp_path / "shaken" / name).read_bytes()


def test_records_are_those_of_the_games(whole: Path) -> None:
    records = [
        read_record(line) for line in (whole / "records.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert len(records) == GAMES
    rows = [line.split(",") for line in (whole / "games.csv").read_text().splitlines()]
    assert rows[0][:4] == ["alone", "many", "deal", "seat"]
    for record, row in zip(records, rows[1:], strict=True):
        assert record.result is not None
        assert [str(score) for score in record.result["scores"]] == row[9:]
        assert record.extra["bots"][int(row[3])] == row[0]
        assert len(record.actions) == int(row[8])
    for record in records[::9]:
        verify(record)


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (["--deals", "7"], "deals 6 there, 7 here"),
        (["--seed", "5"], "seed 4 there, 5 here"),
        (["--limit", "3"], "limit null there, 3.0 here"),
        (["--bots", "greedy,random"], "bots greedy,random,mixed there, greedy,random here"),
    ],
)
def test_another_set_up_is_refused_and_changes_nothing(more: list[str], complaint: str, whole: Path) -> None:
    before = {path.name: path.read_bytes() for path in whole.iterdir()}
    found = lynxden("arena", *contest(whole, *more))
    assert found.returncode == 2
    assert complaint in found.stderr
    assert "belongs to another arena" in found.stderr
    assert len(found.stderr.splitlines()) == 1
    assert {path.name: path.read_bytes() for path in whole.iterdir()} == before


@pytest.mark.usefixtures("known")
def test_a_finished_arena_writes_its_report_again(whole: Path) -> None:
    before = lines(whole)
    report = (whole / "report.html").read_bytes()
    (whole / "report.html").unlink()
    assert lynxden("arena", *contest(whole)).returncode == 0
    assert (whole / "report.html").read_bytes() == report
    assert lines(whole) == before


def test_damaged_and_foreign_journals_are_refused(tmp_path: Path) -> None:
    contest = Contest("linko", "classic", 4, ("greedy", "random"), 2)
    path = tmp_path / "journal.jsonl"
    path.write_text('{"some":"file"}\n')
    with pytest.raises(OptionsError, match="no journal of an arena"):
        Journal(tmp_path, contest)
    path.write_text("not even JSON\n")
    with pytest.raises(OptionsError, match=r"line 1 of .* is damaged"):
        Journal(tmp_path, contest)
    path.unlink()
    with Journal(tmp_path, contest), pytest.raises(OptionsError, match="another arena is writing"):
        Journal(tmp_path, contest)
    with path.open("a") as file:
        file.write('{"bout":0}\n')
    with (
        Journal(tmp_path, contest) as journal,
        pytest.raises(OptionsError, match=r"line 2 .* holds no games"),
    ):
        list(journal.parts())


@pytest.mark.usefixtures("known")
def test_a_failing_bot_ends_the_command_and_keeps_what_was_finished(
    installed: dict[str, str], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    three = ["arena", "linko", "--bots", "greedy,random,raises", "--deals", "2"]
    found = lynxden(*three, "--out", str(out))
    assert found.returncode == 1
    sentence = (
        r"lynxden: bot 'raises' raised ZeroDivisionError: .* decision \d+\); the game so far is in (\S+)\n"
    )
    told = re.fullmatch(sentence, found.stderr)
    assert told is not None, found.stderr
    assert Path(told[1]).parent == out
    verify(read_record(Path(told[1]).read_text(encoding="utf-8")))
    assert len(lines(out)) == 3, "the compiled bouts were finished before"
    assert not (out / "report.html").exists()
    two = ["arena", "linko", "--bots", "random,raises", "--deals", "1", "--workers", "2"]
    without = process(*two, environment=installed)
    assert without.returncode == 1
    told = re.fullmatch(sentence, without.stderr)
    assert told is not None, without.stderr
    verify(read_record(Path(told[1]).read_text(encoding="utf-8")))
    Path(told[1]).unlink()


@pytest.mark.usefixtures("known")
def test_a_simulation_names_a_failing_bot_too(installed: dict[str, str]) -> None:
    flags = ["simulate", "linko", "--bot", "raises"]
    for found in (lynxden(*flags), process(*flags, "--workers", "2", environment=installed)):
        assert found.returncode == 2
        sentence = r"lynxden: bot 'raises' raised ZeroDivisionError: .*decision \d+\)\n"
        assert re.fullmatch(sentence, found.stderr)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "the following arguments are required: game, --bots"),
        (["linko"], "required: --bots"),
        (["poker", "--bots", "greedy,random"], "there is no game 'poker'"),
        (["linko", "--bots", "greedy,genius"], "no bot 'genius'"),
        (["linko", "--bots", "greedy"], "at least two bots"),
        (["linko", "--bots", "greedy,random", "--deals", "many"], "--deals: invalid int value: 'many'"),
        (["linko", "--bots", "greedy,random", "--workers", "0"], "at least one worker"),
        (["linko", "--bots", "greedy,random", "--records"], "say --out DIR too"),
        (["linko", "--bots", "greedy,random", "--nonsense"], "unrecognized arguments: --nonsense"),
        (["linko", "--bots", "greedy,random", "--out", "/dev/null/x"], "cannot write"),
    ],
)
def test_wrong_flags_are_one_sentence_and_exit_2(arguments: list[str], complaint: str) -> None:
    found = lynxden("arena", *arguments)
    assert found.returncode == 2
    assert complaint in found.stderr
    assert found.stderr.startswith("lynxden: ")
    assert len(found.stderr.splitlines()) == 1
    assert found.stdout == ""


def test_one_bot_alone(tmp_path: Path) -> None:
    flags = ["linko", "--bots", "greedy,random,beginner", "--alone", "greedy", "--deals", "5"]
    found = lynxden("arena", *flags, "--out", str(tmp_path / "out"))
    assert found.returncode == 0, found.stderr
    assert "3 bots, greedy alone, 5 deals in every seat: 40 games" in found.stdout
    assert re.search(r"random .* –\s+–$", found.stdout, re.MULTILINE), "it was never alone"
    marked = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "--alone greedy" in marked
    assert "| `random` | `greedy` |" not in marked
    Page().feed((tmp_path / "out" / "report.html").read_text(encoding="utf-8"))


def test_help_has_examples() -> None:
    found = lynxden("arena", "--help")
    assert found.returncode == 0
    assert "Example: lynxden arena linko --bots greedy,random --deals 200" in found.stdout
    assert "--ray [ADDRESS]" in found.stdout


ALONE = """
import runpy, sys

class Only:
    known = {*sys.stdlib_module_names, "lynxden", "numpy", "numba", "llvmlite"}
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in self.known and not top.startswith("_"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Only())
runpy.run_module("lynxden.arena", run_name="__main__")
"""


def test_numpy_and_numba_are_enough(tmp_path: Path) -> None:
    """Where nothing else is installed `python -m lynxden.arena` does the same."""
    arguments = ["linko", "--edition", "duel", "--bots", "greedy,random", "--deals", "5", "--out"]
    found = subprocess.run(
        [sys.executable, "-c", ALONE, *arguments, str(tmp_path / "out")],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert (tmp_path / "out" / "report.html").is_file()


# --- The report -------------------------------------------------------------------------------------------


VOID = {"meta", "wbr", "line", "circle", "rect", "br"}


class Page(HTMLParser):
    """Reads a page, and finds out whether all that is opened is closed, and what it asks for."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.wants: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.wants += [
            f"{key}={value}" for key, value in attrs if key in ("src", "href", "xlink:href", "data")
        ]
        if tag in ("script", "link", "img", "iframe", "object", "image", "use"):
            self.wants.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def shown(estimate: dict[str, float], digits: int, *, sign: bool = False, percent: bool = False) -> list[str]:
    return [number(estimate[key], digits, sign=sign, percent=percent) for key in ("value", "low", "high")]


def test_the_report_needs_nothing_and_holds_all_figures(whole: Path) -> None:
    text = (whole / "report.html").read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == []
    assert page.wants == []
    assert not re.search(r"https?:|//[a-z]|@import|url\(|@font-face", text)
    for wanted in ("prefers-color-scheme: dark", "@media print", "max-width", 'name="viewport"'):
        assert wanted in text
    found = json.loads((whole / "results.json").read_text(encoding="utf-8"))
    timed = json.loads((whole / "times.json").read_text(encoding="utf-8"))
    marked = (whole / "report.md").read_text(encoding="utf-8")
    figures = []
    for rung in found["ladder"]:
        figures += [*shown(rung["rating"], 0), *shown(rung["margin"], 2, sign=True)]
    for bout in (*found["bouts"], *found["ladder"]):
        figures += shown(bout["margin"], 2, sign=True)
        figures += [*shown(bout["wins"], 1, percent=True), *shown(bout["rank"], 2)]
    for pair in found["pairs"]:
        figures += shown(pair["margin"], 2, sign=True)
    figures += [number(each["mean"], 2) for each in found["scores"].values()]
    figures += list(found["ends"])
    for figure in figures:
        assert figure in page.text, figure
        assert figure.replace("−", "-") in marked.replace("−", "-"), figure
    assert set(timed["bots"]) == {"greedy", "random", "mixed"}
    assert all(each["mean"] <= each["longest"] for each in timed["bots"].values())
    assert all(each["p95"] <= each["longest"] for each in timed["bots"].values())
    assert text.count('class="chart"') == 3 + 3 + 3 + 1 + len(found["ends"]) + 3


def test_figures_are_those_of_the_games(whole: Path) -> None:
    """The table of games, added up by hand, gives the figures of the report."""
    rows = [line.split(",") for line in (whole / "games.csv").read_text().splitlines()[1:]]
    found = json.loads((whole / "results.json").read_text(encoding="utf-8"))
    assert found["games"] == len(rows) == GAMES
    for bout in found["bouts"]:
        mine = [row for row in rows if row[:2] == [bout["alone"], bout["many"]]]
        assert len(mine) == bout["games"] == 24
        assert bout["margin"]["value"] == pytest.approx(sum(float(row[4]) for row in mine) / 24, abs=1e-3)
        assert bout["rank"]["value"] == pytest.approx(sum(float(row[5]) for row in mine) / 24, abs=1e-3)
        assert bout["wins"]["value"] == pytest.approx(sum(float(row[6]) for row in mine) / 24, abs=1e-3)
        assert bout["margin"]["low"] < bout["margin"]["value"] < bout["margin"]["high"]
    assert sum(found["ends"].values()) == GAMES
    assert sum(found["length"]["counts"].values()) == GAMES
    assert sum(sum(each["counts"].values()) for each in found["scores"].values()) == 4 * GAMES
    assert [rung["bot"] for rung in found["ladder"]] == ["greedy", "mixed", "random"]
