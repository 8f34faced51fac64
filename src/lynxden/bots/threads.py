"""One core for a decision: NumPy's matrix products use no others.

They are small here. Several threads gain little on a free machine, and on a busy one they wait for each
other: a decision takes ten times as long.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """As long as this lasts, matrices are multiplied by one thread."""
    libraries = _libraries()
    return nullcontext() if libraries is None else libraries.limit(limits=1, user_api="blas")


@cache
def _libraries() -> Any:
    """Those that multiply matrices; None on a machine that has NumPy and Numba alone."""
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    return ThreadpoolController()
