"""An arena on a Ray cluster: the same games, and workers that are killed."""

import importlib.util
import os
import secrets
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import process, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("ray") is None, reason="Ray is not installed: pip install 'lynxden[ray]'"
    ),
]
SET_UP = [
    *("arena", "linko", "--edition", "duel", "--bots", "greedy,random,dies", "--deals", "5"),
    *("--records", "--out"),
]
SAME = ("results.json", "games.csv", "records.jsonl")


def same(one: Path, other: Path) -> None:
    for name in SAME:
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


@pytest.fixture(scope="module")
def secured(installed: dict[str, str]) -> dict[str, str]:
    """Clusters of these tests have a token of their own: whoever may use a cluster may run anything on it."""
    return {
        **installed,
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_USAGE_STATS_ENABLED": "0",
    }


@pytest.fixture(scope="module")
def local(installed: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("local") / "out"
    found = process(*SET_UP, str(out), environment=installed)
    assert found.returncode == 0, found.stderr
    return out


def listens(address: str) -> bool:
    host, _, port = address.rpartition(":")
    with socket.socket() as there:
        return there.connect_ex((host, int(port))) == 0


def test_a_cluster_of_two_workers_finds_the_same_though_one_is_killed(
    local: Path, secured: dict[str, str], tmp_path: Path
) -> None:
    bomb = tmp_path / "bomb"
    bomb.touch()
    armed = {**secured, "LYNXDEN_TEST_BOMB": str(bomb)}
    found = process(*SET_UP, str(tmp_path / "out"), "--ray", "--workers", "2", environment=armed)
    assert found.returncode == 0, found.stderr
    assert not bomb.exists(), "no worker was killed"
    same(local, tmp_path / "out")


def test_a_cluster_that_runs_already(local: Path, secured: dict[str, str], tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    start = ["start", "--head", "--port", address.rpartition(":")[2], "--num-cpus", "2", "--block"]
    cluster = subprocess.Popen(
        [sys.executable, "-m", "ray.scripts.scripts", *start, "--include-dashboard", "false"],
        env=secured,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until(lambda: listens(address))
        found = process(*SET_UP, str(tmp_path / "out"), "--ray", address, environment=secured)
        assert found.returncode == 0, found.stderr
        same(local, tmp_path / "out")
    finally:
        os.killpg(cluster.pid, signal.SIGTERM)
        cluster.wait(60)


def test_a_failing_bot_is_named(secured: dict[str, str], tmp_path: Path) -> None:
    two = ["arena", "linko", "--bots", "random,raises", "--deals", "1"]
    found = process(*two, "--out", str(tmp_path), "--ray", environment=secured)
    assert found.returncode == 1
    assert "bot 'raises' raised ZeroDivisionError" in found.stderr
    assert list(tmp_path.glob("failed-*.jsonl"))
