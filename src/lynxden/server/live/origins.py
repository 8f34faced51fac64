"""Network addresses as the lobby counts them: hashed with a secret of the database, and never stored."""

from __future__ import annotations

import hashlib
import hmac

from lynxden.server.live.context import Context
from lynxden.server.store import switches

LENGTH = 16
"""Characters of a hash that are kept."""


class Origins:
    """The same address has the same hash on every server of a database."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._salt = b""

    async def of(self, address: str) -> str:
        """What stands for an address."""
        if not self._salt:
            self._salt = (await self._context.store.write(switches.salt)).encode()
        return hmac.new(self._salt, address.encode(), hashlib.sha256).hexdigest()[:LENGTH]
