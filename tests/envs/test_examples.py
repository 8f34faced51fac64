"""The examples of learners do what they say."""

import re
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.test_docs import ROOT


def run(*command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_network_beats_random_players_in_pettingzoo() -> None:
    told = run("examples/pettingzoo_baselines.py", "--games", "40")
    shares = {name: float(share) for name, share in re.findall(r"(\w+): ([\d.]+)%", told)}
    assert 5 < shares["random"] < 50
    assert shares["neural"] > 85


@pytest.mark.slow
@pytest.mark.skipif(find_spec("torch") is None, reason="learning needs PyTorch: pip install torch")
def test_ppo_learns() -> None:
    told = run("examples/ppo.py", "--minutes", "0.7")
    first, last = (float(share) for share in re.findall(r"first ([\d.]+)%, last ([\d.]+)%", told)[0])
    assert last > first + 25, told
