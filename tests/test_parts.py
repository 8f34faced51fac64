"""Somebody who writes a game hears what its modules lack: from the type checker, and when it is imported."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A copy of a whole game, under another name, to be damaged."""
    folder = tmp_path / "broken"
    left_out = shutil.ignore_patterns("test_*", "conftest.py", "__pycache__")
    shutil.copytree(ROOT / "tests" / "tiny", folder, ignore=left_out)
    for file in folder.glob("*.py"):
        file.write_text(file.read_text(encoding="utf-8").replace("tests.tiny", "broken"), encoding="utf-8")
    return folder


def damage(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder), str(ROOT / "src")])
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "MYPYPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def mypy(folder: Path) -> str:
    """What the type checker says of the game, with the settings of this project."""
    settings, cache = ROOT / "pyproject.toml", folder.parent / "cache"
    flags = (f"--config-file={settings}", f"--cache-dir={cache}")
    return python(folder.parent, "-m", "mypy", *flags, "-p", "broken").stdout


def test_the_type_checker_names_what_is_missing(broken: Path) -> None:
    assert "Success" in mypy(broken)
    damage(broken / "rules.py", "def legal_count(", "def count_legal(")
    damage(broken / "encode.py", "FIELDS = {", "PARTS = {")
    damage(broken / "snapshot.py", "    decision: str\n", "")
    damage(broken / "snapshot.py", "        decision=view.decision,\n", "")
    damage(broken / "why.py", "def why(view: TinyView, records: Records,", "def why(view: TinyView,")
    damage(broken / "position.py", "def known(", "def known_cards(")
    said = mypy(broken)
    for part, lacking in (
        ("rules", "legal_count"),
        ("encode", "FIELDS"),
        ("snapshot", "Public: expected"),
        ("why", "def why"),
    ):
        wrong = rf'__init__.py:\d+: error: Argument "{part}" to "make_game".*?(?=error:|\Z)'
        found = re.search(wrong, said, re.S)
        assert found is not None, said
        assert lacking in found[0], said
    assert re.search(r"abstract attributes? .*known", said), said


def test_a_game_that_lacks_something_cannot_be_made(broken: Path) -> None:
    damage(broken / "rules.py", "def legal_count(", "def count_legal(")
    damage(broken / "rules.py", '        ("reason", "i1"),\n', "")
    damage(broken / "events.py", "PHRASES = {", "WORDS = {")
    found = python(broken.parent, "-c", "import broken")
    assert found.returncode == 1
    assert found.stderr.splitlines()[-1] == (
        "lynxden.games.errors.GameError: the game 'broken' lacks broken.events.PHRASES,"
        " broken.rules.legal_count, broken.rules.RECORD['reason']; games/parts.py says what they are"
    )


def test_a_game_that_nobody_has_registered_cannot_be_pickled(broken: Path) -> None:
    code = "import pickle, broken; pickle.dumps(broken.TINY)"
    found = python(broken.parent, "-c", code)
    assert "the game 'broken' cannot be copied or pickled unless it is registered" in found.stderr


@pytest.mark.parametrize("name", ["Broken", "bröken", "bro-ken", "7broken"])
def test_names_are_plain(name: str) -> None:
    from lynxden.games.core import make_game
    from lynxden.games.errors import GameError
    from tests import tiny
    from tests.tiny.position import TinyPosition, TinyView

    with pytest.raises(GameError, match="small letters, digits and underscores, not"):
        make_game(
            f"somewhere.{name}", "Broken", TinyPosition, TinyView,
            actions=tiny.actions, cards=tiny.cards, deals=tiny.deals, encode=tiny.encode, events=tiny.events,
            heuristic=tiny.heuristic, options=tiny.options, picture=tiny.picture, rules=tiny.rules,
            sample=tiny.sample, snapshot=tiny.snapshot, view=tiny.view, why=tiny.why,
        )  # fmt: skip
