"""The command `lynxden`: in this process, where it takes no seconds to start, and in one of its own."""

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from lynxden.cli import main

LOOKS = {"COLUMNS": "200", "NO_COLOR": "1"}
"""Wide lines without colours, whatever the terminal of the tests."""


def lynxden(*arguments: str, stdin: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command here and return what it said."""
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.dict(os.environ, LOOKS),
        patch.object(sys, "argv", ["lynxden", *arguments]),
        patch.object(sys, "stdin", io.StringIO(stdin)),
        redirect_stdout(out),
        redirect_stderr(err),
        chdir(cwd or Path.cwd()),
    ):
        try:
            main()
        except SystemExit as stopped:
            code = stopped.code
    assert isinstance(code, int)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


@contextmanager
def interruptible(
    *arguments: str, environment: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """The command in a process that SIGINT reaches, also where whoever runs the tests ignores it.

    A shell starts what runs in the background like that. The process does not outlive the test.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "lynxden", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    ) as running:
        try:
            yield running
        finally:
            running.kill()


def process(
    *arguments: str, stdin: str = "", environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command as people do, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "lynxden", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        env={**(environment or os.environ), **LOOKS},
        timeout=240,
        check=False,
    )


def until(condition: Callable[[], bool], seconds: float = 120) -> None:
    """Wait for what another process does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def children(process: int) -> list[int]:
    """The processes that a process has started."""
    try:
        return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except FileNotFoundError:
        return []


def gone(process: int) -> bool:
    """Whether a process has ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True
