"""The kernels of matrix products: asked for where they are known to help, and nowhere else."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lynxden.processor import BEGINNING, NEEDED, SETTING, WIDE, is_wide

FLAGS = "fpu avx2 " + " ".join(sorted(NEEDED))


def described(vendor: str = "AuthenticAMD", family: str = "26", flags: str = FLAGS) -> str:
    """Two cores, as Linux describes them."""
    core = f"processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nflags\t\t: {flags}\n"
    return f"{core}\n{core}"


def test_zen_5_is_wider_than_it_is_taken_for() -> None:
    assert is_wide(described())
    assert is_wide(described(family="27"))


@pytest.mark.parametrize(
    "description",
    [
        described(vendor="GenuineIntel", family="6"),  # OpenBLAS knows these
        described(family="25"),  # does 512 bits in two halves
        described(flags="fpu avx2 avx512f"),
        described(family="a new one"),
        "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\n",  # ARM
        "",
    ],
)
def test_others_are_left_alone(description: str) -> None:
    assert not is_wide(description)


def imported(first: str = "", **environment: str) -> str | None:
    """The setting after `import lynxden` in a new process."""
    code = f"{first}\nimport lynxden, os, json; print(json.dumps(os.environ.get({SETTING!r})))"
    clean = {name: value for name, value in os.environ.items() if name != SETTING}
    run = subprocess.run(
        [sys.executable, "-c", code], env={**clean, **environment}, capture_output=True, text=True, check=True
    )
    found: str | None = json.loads(run.stdout)
    return found


def test_the_choice_is_made_before_numpy_is_loaded() -> None:
    try:
        here = Path("/proc/cpuinfo").read_text(encoding="utf-8")[:BEGINNING]
    except OSError:
        here = ""
    assert imported() == (WIDE if is_wide(here) else None)
    assert imported("import numpy") is None, "too late: it stays unset, so that nothing seems to be chosen"
    assert imported(**{SETTING: "Haswell"}) == "Haswell", "who has chosen is not overruled"
