"""A viewer of a table, as far as the table needs to know them."""

from __future__ import annotations

from typing import Protocol

from lynxden.server.errors import Refusal
from lynxden.server.store.guests import Guest


class Watched(Protocol):
    """A table, as far as a viewer needs to know it."""

    @property
    def id(self) -> str: ...


class Viewer(Protocol):
    """Somebody's socket. Compared by identity, so that it can be a key."""

    guest: Guest
    muted: set[str]
    """Whose chat they do not want to read."""

    def send(self, data: bytes) -> None:
        """Queue a message."""

    def refuse(self, refusal: Refusal, table: str = "", key: str = "") -> None:
        """Say that something was not done."""

    def watches(self, table: Watched) -> None:
        """The table sends to this viewer from now on, until it is removed."""

    def leaves(self, table: Watched) -> None:
        """The table no longer sends to this viewer."""
