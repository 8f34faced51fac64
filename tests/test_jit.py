"""Compiled code that is kept for the next process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lynxden.games.jit import COMPILED

pytestmark = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")

SAVE = """
import sys
import numpy as np
from numba import int8, int16, int32, int64, float32, types
from rules import twice

kinds = [int8, int16, int32, int64, float32]
kinds = [types.UniTuple(kind, count) for kind in kinds for count in (1, 2)]
print("ready", flush=True)
sys.stdin.readline()
for kind in kinds[int(sys.argv[1])::2] if len(sys.argv) > 1 else kinds:
    twice.compile((kind,))
print(sum(twice.stats.cache_misses.values()), sum(twice.stats.cache_hits.values()))
for count in () if len(sys.argv) > 1 else (1, 2):
    assert twice(tuple(np.int8(n) for n in range(count))) == 2 * sum(range(count))
    assert twice(tuple(np.float32(n + 0.5) for n in range(count))) == 2 * sum(n + 0.5 for n in range(count))
"""
RULES = """
from lynxden.games.jit import kernel

@kernel
def twice(numbers):
    total = numbers[0] * 0
    for number in numbers:
        total += number + number
    return total
"""


def test_two_processes_that_compile_at_once_keep_what_both_have_compiled(tmp_path: Path) -> None:
    """Numba alone loses some of it, and may save different code under one name."""
    (tmp_path / "rules.py").write_text(RULES)
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment.pop("NUMBA_CACHE_DIR", None)

    def start(*args: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", SAVE, *args],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    both = [start("0"), start("1")]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.communicate()[0].split() for process in both] == [["5", "0"]] * 2
    after = start()
    assert after.communicate("go\n")[0].split() == ["ready", "0", "10"]
    assert after.returncode == 0


PLAY = """
import lynxden
from lynxden.games.jit import interpret, interpreting

interpret(True)
assert interpreting()
for game in ("linko", "blocco"):
    position = lynxden.new(game, seed=5)
    while position.seat is not None:
        position = position.apply(position.legal_actions[-1])
interpret(False)
assert not interpreting()
"""


COMPILE = """
from pathlib import Path
from lynxden.games.jit import is_new
from lynxden.games.linko import rules

folder = Path(rules.__file__).parent
assert is_new(folder)
rules.cards(1, 1)
assert not is_new(folder)
"""


def test_games_are_played_before_anything_is_compiled(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    environment.pop("NUMBA_CACHE_DIR", None)
    subprocess.run([sys.executable, "-W", "error", "-c", PLAY], env=environment, check=True)
    assert not list(tmp_path.rglob("*.nbc"))
    subprocess.run([sys.executable, "-c", COMPILE], env=environment, check=True)
    assert list(tmp_path.rglob("*.nbc")), "compiled code lies elsewhere: this test shows nothing"
