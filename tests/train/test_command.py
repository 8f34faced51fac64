"""The command of a training, and its settings; these need no PyTorch."""

import sys
from pathlib import Path

import pytest

from lynxden.games.errors import OptionsError
from lynxden.train.command import run
from lynxden.train.config import Config

SETTINGS = Path(__file__).parents[2] / "examples" / "training"


def test_without_pytorch_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(OptionsError, match=r"pip install 'lynxden\[train\]'"):
        run(["linko", "--minutes", "1", "--out", str(tmp_path / "out")], "lynxden train")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["poker"], "no game 'poker'"),
        (["linko", "--minutes", "0"], "needs minutes or iterations"),
        (["linko", "--minutes", "many"], "--minutes"),
        (["linko", "--device", "tpu"], "--device"),
        (["linko", "--config", "nowhere.toml"], "nowhere.toml cannot be read"),
    ],
)
def test_wrong_options_are_named(arguments: list[str], fault: str, tmp_path: Path) -> None:
    with pytest.raises(OptionsError, match=fault):
        run([*arguments, "--out", str(tmp_path)], "lynxden train")


def test_settings_come_from_a_file_and_from_the_command(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("rate = 1\nlanes = 64\nsteps = 4\nminibatch = 128\nseed = 9\n", encoding="utf-8")
    config = Config.read("linko", path, seed=3, minutes=None)
    assert (config.rate, config.lanes, config.seed, config.minutes) == (1.0, 64, 3, 25.0)
    assert Config.of(config.to_dict()) == config
    for text, fault in (
        ("speed = 3", "no setting 'speed'"),
        ("lanes = 'many'", "lanes must be of the kind int"),
        ("compile = 1", "compile must be of the kind bool"),
        ("minibatch = 1000", "do not divide"),
        ("lanes = 0", "lanes must be at least 1"),
        (
            "lanes = 64\nminibatch = 64\nheuristic = 0.5\nforks = 33",
            "forks must be from 0 to 32, the games among",
        ),
        ("lanes = 4096\nminibatch = 64\nforks = 1", "forks must be at least 64 here, or 0: each of the 4096"),
        ("forks = 1\nexploit = true", "not together with exploit"),
        ("lanes =", "is no TOML"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(OptionsError, match=fault):
            Config.read("linko", path)


@pytest.mark.parametrize("path", sorted(SETTINGS.glob("*.toml")), ids=lambda path: path.stem)
def test_the_settings_of_stages_are_settings(path: Path) -> None:
    config = Config.read("blocco" if path.stem.startswith("blocco") else "linko", path)
    assert config != Config(config.game)


def test_most_games_are_the_main_ones_and_every_table_is_played() -> None:
    config = Config("linko", lanes=1000, steps=1, minibatch=10)
    tables = config.tables()
    assert len(tables) == 1000
    assert 390 <= tables.count(("classic", 4)) <= 410
    assert len(set(tables)) == 16
    assert len(set(Config("blocco", lanes=10, steps=1, minibatch=10).tables())) == 3
