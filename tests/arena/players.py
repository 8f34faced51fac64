"""Bots of another package, as the arena meets them: some weaker, some that do what they must not.

`install` writes what a package manager would, so that a real command finds them by their entry points.
"""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lynxden.bots import BotKind, Choice, Limit, Parameter, get_bot
from lynxden.games.core import View

ROOT = Path(__file__).parents[2]


@dataclass
class Mixed:
    """Plays like the greedy bot in some of 100 decisions, else at random."""

    greedy: int = 50

    def choose(self, view: View, limit: Limit, rng: np.random.Generator) -> Choice:
        name = "greedy" if rng.integers(100) < self.greedy else "random"
        return get_bot(name).choose(view, limit, rng)


class Raises:
    """Does well as long as it has many cards."""

    def choose(self, view: View, limit: Limit, rng: np.random.Generator) -> Choice:
        assert view.viewer is not None
        if view.hand_sizes[view.viewer] < 10:
            raise ZeroDivisionError("nothing to divide by")
        return get_bot("random").choose(view, limit, rng)


class Cheats:
    def choose(self, view: View, limit: Limit, rng: np.random.Generator) -> Choice:
        return Choice(view.game.parse("play 13 13 13 13 13 13 13"))


class Sleeps:
    def choose(self, view: View, limit: Limit, rng: np.random.Generator) -> Choice:
        time.sleep(5)
        return get_bot("random").choose(view, limit, rng)


@dataclass
class Slow:
    """Thinks for so many milliseconds, whatever its limit."""

    ms: int = 5

    def choose(self, view: View, limit: Limit, rng: np.random.Generator) -> Choice:
        until = time.perf_counter() + self.ms / 1000
        while time.perf_counter() < until:
            pass
        return get_bot("greedy").choose(view, limit, rng)


class Dies:
    """Kills its process once: the first that finds the file named in the environment takes it away."""

    def choose(self, view: View, limit: Limit, rng: np.random.Generator) -> Choice:
        try:
            Path(os.environ["LYNXDEN_TEST_BOMB"]).unlink()
        except (KeyError, FileNotFoundError):
            return get_bot("random").choose(view, limit, rng)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


MIXED = BotKind("mixed", "Mixed", "For tests.", Mixed, parameters={"greedy": Parameter(0, 100, "of 100")})
RAISES = BotKind("raises", "Raises", "For tests.", Raises)
CHEATS = BotKind("cheats", "Cheats", "For tests.", Cheats, games=frozenset({"linko"}))
SLEEPS = BotKind("sleeps", "Sleeps", "For tests.", Sleeps)
SLOW = BotKind("slow", "Slow", "For tests.", Slow, parameters={"ms": Parameter(0, 1000, "milliseconds")})
DIES = BotKind("dies", "Dies", "For tests.", Dies)


def install(folder: Path) -> dict[str, str]:
    """Install them into a folder; the environment in which a command knows them."""
    about = folder / "lynxden_test_bots-1.0.dist-info"
    about.mkdir(parents=True, exist_ok=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: lynxden-test-bots\nVersion: 1.0\n")
    names = ("mixed", "raises", "cheats", "sleeps", "slow", "dies")
    entries = "".join(f"{name} = tests.arena.players:{name.upper()}\n" for name in names)
    (about / "entry_points.txt").write_text(f"[lynxden.bots]\n{entries}")
    path = [str(folder), str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, path)),
        "NO_COLOR": "1",
        "COLUMNS": "200",
    }
