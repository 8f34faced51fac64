"""Who somebody is, without accounts: a secret token in a cookie, or in a header for programs.

Only a hash of the token is stored. A personal link carries the identity to another device: whoever opens it
gets a token of their own for the same guest. It works until it is revoked or replaced.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lynxden.server.errors import Code, Refusal
from lynxden.server.ids import digest, new_id, new_secret
from lynxden.server.store import guests
from lynxden.server.store.guests import Guest

if TYPE_CHECKING:
    from lynxden.server.hub import Hub

COOKIE = "lynxden"
COOKIE_SECONDS = 400 * 86400
"""As long as browsers allow."""
BOTS_PER_GUEST = 10


def token_of(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """The token that a request carries: a bearer token, or the cookie.

    Other pages of the same host may have set any cookies, well-formed or not: they are passed over.
    """
    token = None
    for name, value in headers:
        if name == b"authorization" and value[:7].lower() == b"bearer ":
            return value[7:].decode("latin-1").strip()
        if name == b"cookie" and token is None:
            token = _cookie(value.decode("latin-1"))
    return token


def _cookie(text: str) -> str | None:
    for part in text.split(";"):
        name, _, value = part.partition("=")
        if name.strip() == COOKIE:
            return value.strip().strip('"')
    return None


async def find(hub: Hub, token: str | None) -> Guest | None:
    """The guest of a token."""
    if not token or len(token) > 200:
        return None
    return await hub.store.read(guests.by_token, digest(token))


async def create(hub: Hub, name: str) -> tuple[Guest, str]:
    """A new guest, and the token that nobody but them will ever have."""
    guest, token = Guest(hub.make_id(), name), new_secret()
    await hub.store.write(guests.create, guest, digest(token), hub.now())
    return guest, token


async def create_bot(hub: Hub, owner: Guest, name: str) -> tuple[Guest, str]:
    """An identity for somebody's own bot."""
    if owner.kind != "person":
        raise Refusal(Code.OPTIONS, "a bot cannot have bots of its own")
    async with hub.turn(owner.id):
        if len(await hub.store.read(guests.bots_of, owner.id)) >= BOTS_PER_GUEST:
            raise Refusal(Code.TOO_MUCH, f"you can have at most {BOTS_PER_GUEST} bots")
        bot, token = Guest(hub.make_id(), name, "bot", owner.id), new_secret()
        await hub.store.write(guests.create, bot, digest(token), hub.now())
    return bot, token


async def new_link(hub: Hub, guest: Guest) -> str:
    """The secret of a new personal link; an older one no longer works."""
    secret = new_secret()
    await hub.store.write(guests.set_link, guest.id, digest(secret), hub.now())
    return secret


async def claim(hub: Hub, secret: str) -> tuple[Guest, str]:
    """The guest of a personal link, and a token for this device."""
    guest = await hub.store.read(guests.by_link, digest(secret))
    if guest is None:
        raise Refusal(Code.WHO, "this personal link is not valid, or it was revoked")
    token = new_secret()
    await hub.store.write(guests.add_session, guest.id, digest(token), hub.now())
    return guest, token


def guest_name() -> str:
    """A name for somebody who has not chosen one."""
    return f"Guest {new_id(4)}"
