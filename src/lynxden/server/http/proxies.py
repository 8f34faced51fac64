"""Whose word is taken for where a request comes from.

Every proxy on the way adds to X-Forwarded-For whom it was asked by, at the right end. What stands left of
that was written by others, in the end by the client itself, so it is read from the right: the first address
that is not a proxy of ours is the client's.
"""

from __future__ import annotations

import ipaddress
from typing import Any

from lynxden.server.settings import EVERY_PROXY, Network, proxy_networks

MOST_HOPS = 32
"""So many addresses are looked at; nobody has more proxies in a row."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Proxies:
    """The proxies that the setting names."""

    def __init__(self, text: str) -> None:
        self._every = EVERY_PROXY in text
        self._networks: tuple[Network, ...] = proxy_networks(text)

    def is_one(self, address: str) -> bool:
        """Whether a connection from this address may be that of a proxy."""
        return self._every or self._trusted(parsed(address))

    def client(self, scope: Any) -> str | None:
        """The address that a request comes from; None if the system does not say."""
        peer = scope.get("client")
        found = str(peer[0]) if peer else None
        if not self._every and (found is None or not self._trusted(parsed(found))):
            return found
        for hop in _hops(scope["headers"]):
            address = parsed(hop)
            if address is None:  # nobody knows what it means: the proxy that wrote it is the last known
                return found
            found = str(address)
            if not self._trusted(address):
                return found
        return found

    def seen(self, scope: Any) -> Any:
        """A request with the client's own address."""
        if not (self._every or self._networks):
            return scope
        found = self.client(scope)
        return scope if found is None else {**scope, "client": (found, 0)}

    def _trusted(self, address: Address | None) -> bool:
        return address is not None and any(address in network for network in self._networks)


def parsed(text: str) -> Address | None:
    """An address, with or without a port; an IPv4 address in the guise of IPv6 as what it is."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def _hops(headers: Any) -> list[str]:
    """What the proxies wrote, the nearest first."""
    lines = [value.decode("latin-1") for name, value in headers if name == b"x-forwarded-for"]
    if not lines:
        return []
    parts = ",".join(lines).rsplit(",", MOST_HOPS)
    return list(reversed(parts[-MOST_HOPS:]))
