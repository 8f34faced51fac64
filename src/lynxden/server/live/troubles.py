"""Errors that come again and again: each kind is logged once, then counted, and logged again each minute."""

from __future__ import annotations

import logging
import math
import random

from lynxden.server.errors import Code, Refusal
from lynxden.server.live.clock import Clock
from lynxden.server.store.core import StoreUnavailable

QUIET = 60.0
"""Seconds in which an error of a kind is counted, not logged."""
FIRST, LONGEST = 1.0, 30.0
"""Seconds before the second attempt, and before any later one at most."""


def passes(error: BaseException) -> bool:
    """No fault of the program: the database does not answer, a worker was lost, or there is much to do."""
    if isinstance(error, Refusal):
        return error.code is Code.UNAVAILABLE
    return isinstance(error, StoreUnavailable)


class Troubles:
    """What goes wrong on one server. A full disk is not made fuller by a log of it."""

    def __init__(self, log: logging.Logger, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._kinds: dict[str, tuple[float, int]] = {}
        """When an error of each kind was logged last, and how many have come since."""

    def note(self, what: str, error: BaseException, **extra: str) -> None:
        """Something went wrong: `what` says where, and names the kind together with the error's type."""
        more = self._due(f"{what}: {type(error).__name__}")
        if more is None:
            return
        text = f"{what}: {error}{more}"
        found = None if passes(error) else error  # a line says all there is to say
        self._log.log(logging.ERROR if found else logging.WARNING, text, exc_info=found, extra=extra)

    def warn(self, kind: str, text: str) -> None:
        """Something is not as it should be, and no error."""
        more = self._due(kind)
        if more is not None:
            self._log.warning("%s%s", text, more)

    def _due(self, kind: str) -> str | None:
        """How many of a kind were only counted, in words; None if this one is counted, too."""
        now = self._clock.monotonic()
        logged, more = self._kinds.get(kind, (-math.inf, 0))
        if now - logged < QUIET:
            self._kinds[kind] = logged, more + 1
            return None
        self._kinds[kind] = now, 0
        return f" (and {more} times more since the last line)" if more else ""


class Backoff:
    """How long to wait before the next attempt: longer each time, and never the same for everybody."""

    def __init__(self) -> None:
        self._failures = 0

    def failed(self) -> float:
        """The seconds to wait after one more failure."""
        wait: float = min(LONGEST, FIRST * 2**self._failures)
        self._failures = min(self._failures + 1, 16)
        return wait * random.uniform(0.5, 1.0)

    def succeeded(self) -> None:
        self._failures = 0
