"""All bots by name, those of other packages included."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from lynxden.bots import Bot, BotKind, Choice, Limit, check_bot, kinds, levels, register, registry
from lynxden.games.core import View
from lynxden.games.errors import OptionsError

EXAMPLE = Path(__file__).parents[2] / "examples" / "bot_package"


def test_people_choose_from_four_levels() -> None:
    assert [kind.name for kind in levels("linko")] == ["kitten", "hunter", "lynx", "shadow"]
    assert levels("linko") == levels("blocco") == levels()
    assert [kind.level for kind in levels()] == [1, 2, 3, 4]
    others = [kind.name for kind in kinds() if kind.level is None]
    assert others == sorted(others), "levels come first, then the others by name"
    assert {"beginner", "greedy", "random", "search"} <= set(others)
    for kind in kinds():
        assert kind.title
        assert kind.description.endswith(".")


def explode(**_: int) -> Bot:
    raise AssertionError("this bot must not be made")


@pytest.fixture
def sleeper(monkeypatch: pytest.MonkeyPatch) -> BotKind:
    """A bot that plays Linko's duel alone, and must not be made."""
    kinds()
    monkeypatch.setattr(registry, "_kinds", dict(registry._kinds))
    return register(
        BotKind(
            "sleeper", "Sleeper", "Sleeps.", explode, games=frozenset({"linko"}), editions=frozenset({"duel"})
        )
    )


def test_a_name_is_checked_without_making_the_bot(sleeper: BotKind) -> None:
    assert str(check_bot("sleeper", "linko", "duel")) == "sleeper"
    with pytest.raises(OptionsError, match="bot 'sleeper' does not play blocco"):
        check_bot("sleeper", "blocco")
    with pytest.raises(OptionsError, match="bot 'sleeper' does not play linko classic"):
        check_bot("sleeper", "linko", "classic")


def test_two_bots_cannot_share_a_name(sleeper: BotKind) -> None:
    assert register(sleeper) == sleeper, "the same one may come twice"
    with pytest.raises(OptionsError, match="two bots called 'sleeper'"):
        register(BotKind("sleeper", "Another", "Sleeps.", explode))
    with pytest.raises(OptionsError, match="names no bot"):
        register(BotKind("No Name", "Another", "Sleeps.", explode))


def installed(folder: Path, entry: str | None = None) -> dict[str, str]:
    """An environment in which the example is installed: its module, and the metadata that pip writes."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    metadata = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    points = project["entry-points"]["lynxden.bots"].items()
    lines = "".join(f"{name} = {entry or value}\n" for name, value in points)
    (metadata / "entry_points.txt").write_text(f"[lynxden.bots]\n{lines}")
    path = os.pathsep.join([str(folder), str(EXAMPLE), *sys.path])
    return {**os.environ, "PYTHONPATH": path}


def simulate(environment: dict[str, str], bots: str) -> subprocess.CompletedProcess[str]:
    command = ["simulate", "linko", "--games", "2", "--bots", bots, "--workers", "2"]
    return subprocess.run(
        [sys.executable, "-m", "lynxden", *command],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_bot_of_another_package_plays(tmp_path: Path) -> None:
    found = simulate(installed(tmp_path), "magpie:worlds=2,random,random")
    assert found.returncode == 0, found.stderr
    assert "magpie:worlds=2" in found.stdout


def test_a_package_that_offers_something_else_is_named(tmp_path: Path) -> None:
    found = simulate(installed(tmp_path, "lynxden_magpie:Magpie"), "greedy,random,random")
    assert found.returncode != 0
    assert "'magpie' of lynxden.bots is no BotKind" in " ".join(found.stderr.split())


class Curious:
    """Notes what it is given."""

    def __init__(self) -> None:
        self.given: list[object] = []

    def choose(self, view: View, limit: Limit, rng: np.random.Generator) -> Choice:
        self.given.append(view)
        return Choice(view.legal_actions[0])


def test_a_bot_gets_only_a_view(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a simulation, what a bot is handed is the view of its own seat, and nothing else."""
    from lynxden.arena.simulation import Simulation, run

    kinds()
    monkeypatch.setattr(registry, "_kinds", dict(registry._kinds))
    curious = Curious()
    register(BotKind("curious", "Curious", "Looks.", lambda: curious))
    registry._make.cache_clear()
    run(Simulation("blocco", "standard", 3, 1, 1, ("curious", "random", "random")))
    assert curious.given
    assert all(isinstance(view, View) and view.viewer == 0 for view in curious.given)
