"""The command line, as people run it: real files, exit codes and plain sentences.

What a new process may change is shown with one; all the rest runs in this one, where nothing is loaded again.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lynxden import __version__
from lynxden.bench import figures
from lynxden.bots import NO_LIMIT, get_bot
from lynxden.games.registry import GAMES
from lynxden.records import read_record, verify
from tests.commands import interruptible, lynxden, process, until


def test_a_process_of_its_own(tmp_path: Path) -> None:
    """It says and leaves behind what it does in this one, and what is wrong comes without a traceback."""
    file = tmp_path / "games.jsonl"
    played = process("simulate", "linko", "--games", "3", "--records", str(file))
    assert (played.returncode, played.stderr) == (0, "")
    assert "\x1b" not in played.stdout
    checked = process("verify", str(file))
    assert checked.returncode == 0
    assert checked.stdout == lynxden("verify", str(file)).stdout
    wrong = ["simulate", "linko", "--games", "0"]
    found, here = process(*wrong), lynxden(*wrong)
    assert (found.returncode, found.stdout, found.stderr) == (2, "", here.stderr)
    assert len(found.stderr.splitlines()) == 1


def test_an_interrupted_simulation_says_how_far_it_came(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    arguments = ["simulate", "linko", "--games", "10000000", "--records", str(file)]
    with interruptible(*arguments) as running:
        until(lambda: file.exists() and file.stat().st_size > 0)
        running.send_signal(signal.SIGINT)
        said, complaint = running.communicate(timeout=60)
    games = len(file.read_text(encoding="utf-8").splitlines())
    told = f"stopped after {games:,} of 10,000,000 games; their records are in {file}"
    assert (running.returncode, said, complaint) == (130, "", f"lynxden: {told}\n")
    assert lynxden("verify", str(file)).returncode == 0, "each of them is whole"


def test_every_command_says_that_it_was_stopped(tmp_path: Path) -> None:
    pipe = tmp_path / "games.jsonl"
    os.mkfifo(pipe)
    with interruptible("verify", str(pipe)) as running:
        with pipe.open("wb"):  # as soon as the command reads it
            running.send_signal(signal.SIGINT)
            said, complaint = running.communicate(timeout=60)
    assert (running.returncode, said, complaint) == (130, "", "lynxden: stopped\n")


def test_version_and_help() -> None:
    assert lynxden("--version").stdout == f"lynxden {__version__}\n"
    shown = lynxden("--help")
    assert shown.returncode == 0
    assert lynxden().stdout == shown.stdout
    for command in ("play", "simulate", "arena", "verify", "replay", "games", "bench"):
        assert command in shown.stdout
        assert f"Example: lynxden {command}" in lynxden(command, "--help").stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--nonsense"], "No such option: --nonsense"),
        (["nonsense"], "No such command 'nonsense'"),
        (["simulate"], "Missing argument"),
        (["simulate", "poker"], "there is no game 'poker'"),
        (["simulate", "linko", "--edition", "blitz"], "no edition 'blitz'; editions: classic"),
        (["simulate", "linko", "--players", "7"], "2 to 5 players, not 7"),
        (["simulate", "linko", "--games", "0"], "at least one game"),
        (["simulate", "linko", "--games", "many"], "--games"),
        (["simulate", "linko", "--bot", "genius"], "no bot 'genius'"),
        (["simulate", "linko", "--bots", "random,greedy", "--players", "3"], "as many bots"),
        (["simulate", "linko", "--workers", "0"], "at least one worker"),
        (["simulate", "linko", "--cap", "0"], "from 1 to"),
        (["simulate", "linko", "--legal"], "--records"),
        (["simulate", "linko", "--records", "/nowhere/f.jsonl"], "cannot write"),
        (["verify", "/nowhere/f.jsonl"], "no file"),
        (["verify"], "Missing argument"),
        (["replay", "/nowhere/f.jsonl"], "no file"),
        (["play", "linko", "--seat", "9"], "no seat 9"),
        (["play", "linko", "--bots", "greedy,greedy"], "3 opponents"),
        (["bench", "chess"], "no game 'chess'"),
    ],
)
def test_wrong_flags_are_one_sentence_and_exit_2(arguments: list[str], complaint: str) -> None:
    found = lynxden(*arguments)
    assert found.returncode == 2
    assert complaint in found.stderr
    assert found.stderr.startswith("lynxden: ")
    assert len(found.stderr.splitlines()) == 1
    assert found.stdout == ""


@pytest.mark.parametrize("game", ["linko", pytest.param("blocco", marks=pytest.mark.slow)])
def test_simulate_verify_replay(game: str, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    common = ["simulate", game, "--games", "120", "--seed", "1"]
    one = lynxden(*common, "--records", str(file), "--legal")
    assert one.returncode == 0, one.stderr
    for word in ("games       120", "decisions", "length", "ends", "mean score", "win share", "decisions/s"):
        assert word in one.stdout
    assert "\x1b" not in one.stdout + one.stderr
    again = tmp_path / "again.jsonl"
    lynxden(*common, "--records", str(again), "--legal", "--workers", "2")
    assert again.read_bytes() == file.read_bytes()
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    decisions = sum(len(record["actions"]) for record in records)
    assert all(len(record["legal"]) == len(record["actors"]) == len(record["actions"]) for record in records)
    found = lynxden("verify", str(file), str(again))
    assert found.returncode == 0
    assert found.stdout.splitlines()[-1] == f"240 records, {2 * decisions} decisions, 0 faults"
    shown = lynxden("replay", str(file), "--game", "7")
    assert shown.returncode == 0
    assert "wins" in shown.stdout
    stepped = lynxden("replay", str(file), "--step", stdin="\n\nq\n")
    assert stepped.returncode == 0
    assert stepped.stdout.count("Enter: next decision") == 3
    assert "has no record 500" in lynxden("replay", str(file), "--game", "500").stderr


def test_verify_tells_faults(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    lynxden("simulate", "linko", "--games", "3", "--records", str(file))
    lines = file.read_text(encoding="utf-8").splitlines()
    broken = json.loads(lines[1])
    broken["actions"][5] = "play 99"
    file.write_text("\n".join([lines[0], json.dumps(broken), "junk", lines[2]]) + "\n", encoding="utf-8")
    found = lynxden("verify", str(file))
    assert found.returncode == 1
    first, second, last = found.stdout.splitlines()
    assert "record 2, decision 6: 'play 99' is no action" in first
    assert "record 3, not JSON" in second
    good = sum(len(json.loads(line)["actions"]) for line in (lines[0], lines[2]))
    assert last == f"4 records, {good + 5} decisions, 2 faults"
    shown = lynxden("replay", str(file), "--game", "2")
    assert shown.returncode == 1
    assert "decision 6" in shown.stderr
    assert "   5  " in shown.stdout


def test_truncated_games_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    found = lynxden("simulate", "linko", "--games", "5", "--cap", "20", "--records", str(file))
    assert "truncated 5 (100.0%)" in found.stdout
    lines = file.read_text(encoding="utf-8").splitlines()
    assert all(json.loads(line)["result"] == {"reason": "truncated"} for line in lines)
    assert lynxden("verify", str(file)).stdout.strip() == "5 records, 100 decisions, 0 faults"


def test_bots_by_seat() -> None:
    found = lynxden("simulate", "linko", "--games", "20", "--bots", "greedy, random,random")
    rows = [line.split() for line in found.stdout.splitlines() if "%" in line and line.split()[0].isdigit()]
    assert [row[1] for row in rows] == ["greedy", "random", "random"]
    assert rows[0][3] > rows[1][3]


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_in_the_terminal(game: str, tmp_path: Path) -> None:
    """A person who plays as the greedy bot would, with some asking and fumbling on the way."""
    position = GAMES[game].new(seed=5)
    bot = get_bot("greedy")
    rng = np.random.default_rng(1)
    typed = ["", "?", "log", "table", "rules", "nonsense", "save", "save /nowhere/x.jsonl"]
    while position.seat is not None:
        action = bot.choose(position.view(position.seat), NO_LIMIT, rng).action
        if position.seat == 1:
            text = str(action)
            typed.append(text.lower() if len(typed) % 2 else text.partition(" ")[2] or text)
        position = position.apply(action)
    found = lynxden(
        "play",
        game,
        "--seed",
        "5",
        "--seat",
        "2",
        "--name",
        "Ann",
        "--save",
        "mine.jsonl",
        stdin="\n".join(typed) + "\n",
        cwd=tmp_path,
    )
    assert found.returncode == 0, found.stderr
    assert "Legal now:" in found.stdout
    assert "'nonsense' is not legal now" in found.stdout
    assert "wins" in found.stdout
    record = read_record((tmp_path / "mine.jsonl").read_text(encoding="utf-8"))
    assert verify(record) == len(record.actions)
    assert position.outcome is not None
    assert record.result is not None
    assert record.result["scores"] == list(position.outcome.scores)
    assert record.seats[1] == "Ann"


def test_leaving_a_game_early() -> None:
    for stdin in ("", "quit\n"):
        found = lynxden("play", "linko", stdin=stdin)
        assert found.returncode == 0
        assert "Bye!" in found.stdout


def test_the_terminal_shows_no_hidden_card() -> None:
    """Before the first move the hands of the others are unknown."""
    found = lynxden("play", "linko", "--seed", "1", stdin="quit\n")
    assert found.stdout.count("13 unknown") == 3


def test_games_lists_editions() -> None:
    found = lynxden("games").stdout.split()
    for game in GAMES.values():
        assert game.name in found
        assert set(game.editions) <= set(found)


def test_bench_prints_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "ROUNDS", 1)
    found = lynxden("bench", "linko", "--seconds", "0.1")
    assert found.returncode == 0, found.stderr
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    assert {"random playouts, one core", "game record"} <= {line["what"] for line in lines}
    assert all(line["value"] > 0 and line["hardware"] and line["date"] for line in lines)


@pytest.mark.parametrize(
    ("arguments", "stdin", "complaint"),
    [
        (["play", "linko", "--name", "a\tb"], "", "control character"),
        (["simulate", "linko", "--cap", "99999999999999999999"], "", "cap must be"),
        (["simulate", "linko", "--bot", "greedy", "--bots", "random,random"], "", "use one of them"),
        (["simulate", "linko", "--games", "5", "--records", "/dev/full"], "", "No space left"),
        (["verify", "/"], "", "is a folder"),
    ],
)
def test_odd_requests_are_one_sentence_too(arguments: list[str], stdin: str, complaint: str) -> None:
    found = lynxden(*arguments, stdin=stdin)
    assert found.returncode == 2
    assert complaint in found.stderr
    assert "Traceback" not in found.stderr


def test_a_game_without_standard_input(tmp_path: Path) -> None:
    command = f"{sys.executable} -m lynxden play linko --save {tmp_path}/left.jsonl <&-"
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False)
    assert found.returncode == 0
    assert "Bye!" in found.stdout
    assert verify(read_record((tmp_path / "left.jsonl").read_text(encoding="utf-8"))) == 0


def test_hostile_files_cannot_reach_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "evil.jsonl"
    file.write_bytes(b'{"a\\u001b[31m":1,"a\\u001b[31m":2}\n\xef\xbb\xbf{}\n')
    found = lynxden("verify", str(file))
    assert found.returncode == 1
    assert "\x1b" not in found.stdout
    assert "byte order mark" in found.stdout


def test_a_record_with_a_bad_deal_is_named(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    lynxden("simulate", "linko", "--games", "2", "--records", str(file))
    lines = file.read_text(encoding="utf-8").splitlines()
    broken = json.loads(lines[1])
    broken["deal"]["deck"][0] = "Q"
    file.write_text(lines[0] + "\n" + json.dumps(broken) + "\n", encoding="utf-8")
    found = lynxden("replay", str(file), "--game", "2")
    assert found.returncode == 1
    assert "record 2" in found.stderr


def test_the_rules_can_be_read_at_the_table() -> None:
    assert "Snatch" in lynxden("play", "linko", stdin="rules\nquit\n").stdout
