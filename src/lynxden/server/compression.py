"""Compressed answers: which clients take them, and how they are made. Nothing else here compresses."""

from __future__ import annotations

import gzip

FAST, BEST = 5, 9
"""How hard to try: for what is made for each answer, and for what is made once."""


def takes_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header allows gzip."""
    for part in accepted.lower().split(","):
        name, _, weight = part.partition(";")
        if name.strip() in ("gzip", "*"):
            return weight.replace(" ", "").rstrip("0.") != "q="
    return False


def compress(body: bytes, level: int = FAST) -> bytes:
    """The same bytes give the same result every time."""
    return gzip.compress(body, level, mtime=0)
