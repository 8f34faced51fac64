"""Addresses have one spelling. What a proxy keeps from the world must not be served under another."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

_SLASHES = re.compile("/{2,}")
_KEPT = "/:@!$&'()*+,;=~"
"""What may stand in a path as it is; a query also has these and its own."""


def is_plain(path: str) -> bool:
    """Whether an address has neither doubled slashes nor one at its end."""
    return path == "/" or (path.startswith("/") and "//" not in path and not path.endswith("/"))


def plain(path: str) -> str:
    """An address without doubled slashes, and without one at its end."""
    return _SLASHES.sub("/", "/" + path).rstrip("/") or "/"


def location(scope: Any) -> bytes:
    """Where the plain address of a request is, with its query. It stays on this server in any case."""
    query = quote(scope.get("query_string", b""), safe=_KEPT + "%?[]")
    path = quote(plain(scope["path"]), safe=_KEPT)
    return (path + (f"?{query}" if query else "")).encode()
