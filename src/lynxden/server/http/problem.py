"""How a refusal is answered over HTTP."""

from __future__ import annotations

from typing import Self

from msgspec import Struct

from lynxden.server.errors import Refusal


class Problem(Struct, frozen=True, omit_defaults=True):
    """What was wrong."""

    code: str
    """Stable; see `docs/protocol.md`."""
    text: str
    """For people, in English."""
    until: int | None = None
    """Of a ban that ends: when, in milliseconds since 1970."""
    reason: str = ""
    """Of a ban: what the administrator gave as the reason."""
    decision: int | None = None
    """Of a game record: the decision that is wrong, counted from 1."""

    @classmethod
    def of(cls, refusal: Refusal) -> Self:
        return cls(refusal.code.value, refusal.text, refusal.until, refusal.reason, refusal.decision)
