"""Bots with troubles. Worker processes import this module, and know nothing else of the tests."""

from __future__ import annotations

import os
import signal
import time

from lynxden.games.core import View
from lynxden.server.live.thinkers import SUBSTITUTE, choose

SLOW = 2.0
"""Seconds that a slow bot takes."""


def slow(bot: str, view: View, seed: int, seconds: float | None = None) -> str:
    """The bot `random` takes its time."""
    if bot == "random":
        time.sleep(SLOW)
    return choose(SUBSTITUTE, view, seed, seconds)


def gone(bot: str, view: View, seed: int, seconds: float | None = None) -> str:
    """The worker dies, whichever it is."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def broken(bot: str, view: View, seed: int, seconds: float | None = None) -> str:
    raise RuntimeError("out of ideas")
