"""Records as Parquet tables: real files, written by the command and read back."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from lynxden.arena.simulation import Simulation, run
from lynxden.cli.export import export as export_command
from lynxden.games import linko
from lynxden.games.errors import OptionsError
from lynxden.records import Recorder, parquet, read_record, steps
from lynxden.records.parquet import DECISIONS, GAMES, Exported, ExportError, export
from tests.commands import lynxden

ROOT = Path(__file__).parents[1]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Games of several kinds: by bots, reduced, truncated, not over, with a blank line between them."""
    lines: list[str] = []
    run(Simulation("linko", "basic", 3, 3, 1, ("greedy", "random", "random")), write=lines.append)
    run(Simulation("blocco", "standard", 4, 2, 1, ("random",) * 4, cap=9), write=lines.append)
    small = linko.LinkoOptions(values=3, copies=2, jokers=1, hand=2, slots=1)
    run(Simulation("linko", small, 2, 2, 1, ("random",) * 2), write=lines.append)
    recorder = Recorder(linko.new("classic", 2, seed=1), ["Ann", "Ben"])
    recorder.apply(recorder.position.legal_actions[0])
    lines.insert(3, "")
    lines.append(recorder.record().to_json())
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_tables_hold_what_the_records_say(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "PIECE", 50)  # several pieces
    read: list[int] = []
    out = tmp_path / "games.parquet"
    done = export([file, file], out, progress=read.append)
    records = [read_record(line) for line in file.read_bytes().splitlines() if line] * 2
    assert done == Exported(len(records), sum(len(record.actions) for record in records))
    assert sum(read) == 2 * file.stat().st_size

    games = pq.read_table(out)
    assert {field.name: str(field.type).replace("element: ", "") for field in games.schema} == GAMES
    for number, (row, record) in enumerate(zip(games.to_pylist(), records, strict=True)):
        assert (row["game"], row["file"], row["record"]) == (number, str(file), number % 8 + 1)
        assert (row["name"], row["edition"], row["rules"]) == (record.game, record.edition, record.rules)
        assert (row["players"], row["starter"]) == (len(record.seats), record.starter)
        assert (row["seats"], row["bots"]) == (list(record.seats), record.extra.get("bots"))
        assert (row["id"], row["decisions"]) == (record.extra.get("id"), len(record.actions))
        result = record.result or {}
        assert (row["reason"], row["scores"], row["winners"]) == (
            result.get("reason"),
            result.get("scores"),
            result.get("winners"),
        )
    reasons = games.column("reason").to_pylist()[:8]
    assert reasons[3:5] == ["truncated"] * 2
    assert reasons[7] is None
    assert games.column("reduced").to_pylist()[5] == "values=3,copies=2,jokers=1,hand=2,slots=1"
    assert games.column("reduced").to_pylist()[0] is None

    made = pq.ParquetFile(tmp_path / "games-decisions.parquet")
    assert made.num_row_groups > 3
    table = made.read()
    assert {field.name: str(field.type).replace("element: ", "") for field in table.schema} == DECISIONS
    rows = iter(table.to_pylist())
    for number, record in enumerate(records):
        for step in steps(record):
            before = step.before
            assert next(rows) == {
                "game": number,
                "decision": step.number,
                "seat": before.seat,
                "active": before.active,
                "kind": before.decision,
                "action": step.action,
                "legal": len(before.legal_actions),
                "hand_size": before.hand_sizes[step.seat],
                "deck_size": before.deck_size,
                "scores": list(before.scores),
            }
    assert next(rows, None) is None


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("{nonsense", "not JSON: .*"),
        ('{"format": "lynxden/1"}', "'deal' is missing"),
        ("illegal", "decision 1: 'play 13 13 13 13 13 13' is not legal: .*"),
    ],
)
def test_a_bad_record_is_named_and_nothing_is_written(
    file: Path, tmp_path: Path, line: str, wrong: str
) -> None:
    out = tmp_path / "games.parquet"
    out.write_text("an earlier one", encoding="utf-8")
    good = file.read_text(encoding="utf-8").splitlines()
    if line == "illegal":
        record = json.loads(good[0])
        record["actions"][0] = "play 13 13 13 13 13 13"
        line = json.dumps(record)
    bad = tmp_path / "bad.jsonl"
    bad.write_text("\n".join([*good[:6], line, *good[6:]]) + "\n", encoding="utf-8")
    with pytest.raises(ExportError) as refused:
        export([file, bad], out)
    assert re.fullmatch(re.escape(f"{bad}, line 7: ") + wrong, str(refused.value))
    assert out.read_text(encoding="utf-8") == "an earlier one"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.jsonl", "games.jsonl", "games.parquet"]


def test_no_records_make_empty_tables(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").touch()
    assert export([tmp_path / "none.jsonl"], tmp_path / "x.parquet") == Exported()
    assert pq.read_table(tmp_path / "x.parquet").num_rows == 0
    assert pq.read_table(tmp_path / "x-decisions.parquet").schema.names == list(DECISIONS)
    with pytest.raises(OptionsError, match="there is no folder"):
        export([], tmp_path / "nowhere" / "x.parquet")


def without_pyarrow(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run `lynxden` as if PyArrow were not installed."""
    program = (
        "import sys; sys.modules['pyarrow'] = None; sys.argv[0] = 'lynxden'; "
        "from lynxden.cli import main; main()"
    )
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
        timeout=240,
        check=False,
    )


def test_the_command(file: Path, tmp_path: Path) -> None:
    told = lynxden("export", "games.jsonl", "--out", "t.parquet", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert re.fullmatch(r"8 games +t\.parquet\n\d+ decisions +t-decisions\.parquet\n", told.stdout)
    assert pq.read_table(tmp_path / "t.parquet").num_rows == 8


def test_decisions_can_be_left_out(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export_command([file], tmp_path / "a.parquet", decisions=False)
    assert capsys.readouterr().out.split()[:2] == ["8", "games"]
    assert pq.read_table(tmp_path / "a.parquet").num_rows == 8
    assert not (tmp_path / "a-decisions.parquet").exists()


def test_the_command_complains(file: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionsError, match="there is no file"):
        export_command([tmp_path / "nothing.jsonl"])
    with pytest.raises(OptionsError, match=r"the tables are Parquet files: call it .*t\.parquet"):
        export_command([file], tmp_path / "t.csv")
    with pytest.raises(OptionsError, match="is a folder, not a file"):
        export_command([file], tmp_path)
    told = without_pyarrow("export", "games.jsonl", cwd=tmp_path)
    complaint = "Parquet needs PyArrow, which is not installed: pip install 'lynxden[parquet]'"
    assert (told.returncode, told.stderr) == (2, f"lynxden: {complaint}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["games.jsonl"]


def test_every_column_is_documented() -> None:
    page = (ROOT / "docs" / "records.md").read_text(encoding="utf-8").partition("## Tables for analysis")[2]
    named = re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", page, re.MULTILINE)
    assert named == [*GAMES.items(), *DECISIONS.items()]
