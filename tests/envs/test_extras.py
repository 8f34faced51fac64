"""Where a library is missing, the error says what to install."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("extra", ["pettingzoo", "gymnasium", "openspiel"])
def test_a_missing_library_is_named(extra: str) -> None:
    library = {"openspiel": "pyspiel"}.get(extra, extra)
    program = f"import sys; sys.modules['{library}'] = None; import lynxden.envs.{extra}"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1].endswith(f"install it with: pip install 'lynxden[{extra}]'")
