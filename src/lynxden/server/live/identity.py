"""Who somebody is, without accounts: a secret token, in a cookie or in a header for programs.

Only a hash of the token is stored. A personal link carries the identity to another device: whoever opens it
gets a token of their own for the same guest. It works until it is revoked or replaced.
"""

from __future__ import annotations

from lynxden.server.errors import Code, Refusal
from lynxden.server.ids import digest, new_id, new_secret
from lynxden.server.live.context import Context
from lynxden.server.live.people import People
from lynxden.server.store import guests
from lynxden.server.store.guests import Guest

BOTS_PER_GUEST = 10


async def find(context: Context, token: str | None) -> Guest | None:
    """The guest of a token; refused if they are banned."""
    if not token or len(token) > 200:
        return None
    found = await context.store.read(guests.by_token, digest(token))
    if found is not None:
        context.house.check_guest(found, context.now())
    return found


async def create(context: Context, name: str) -> tuple[Guest, str]:
    """A new guest, and the token that nobody but them will ever have; refused if no new ones are taken."""
    context.house.check_newcomers()
    guest, token = Guest(context.make_id(), name), new_secret()
    await context.store.write(guests.create, guest, digest(token), context.now())
    return guest, token


async def create_bot(context: Context, people: People, owner: Guest, name: str) -> tuple[Guest, str]:
    """An identity for somebody's own bot."""
    if owner.kind != "person":
        raise Refusal(Code.OPTIONS, "a bot cannot have bots of its own")
    async with people.turn(owner.id):
        if len(await context.store.read(guests.bots_of, owner.id)) >= BOTS_PER_GUEST:
            raise Refusal(Code.TOO_MUCH, f"you can have at most {BOTS_PER_GUEST} bots")
        bot, token = Guest(context.make_id(), name, "bot", owner.id), new_secret()
        await context.store.write(guests.create, bot, digest(token), context.now())
    return bot, token


async def new_link(context: Context, guest: Guest) -> str:
    """The secret of a new personal link; an older one no longer works."""
    secret = new_secret()
    await context.store.write(guests.set_link, guest.id, digest(secret), context.now())
    return secret


async def claim(context: Context, secret: str) -> tuple[Guest, str]:
    """The guest of a personal link, and a token for this device."""
    token = new_secret()
    found = await context.store.read(guests.by_link, digest(secret))
    if found is not None:
        context.house.check_guest(found, context.now())
    guest = await context.store.write(guests.claim, digest(secret), digest(token), context.now())
    if guest is None:
        raise Refusal(Code.WHO, "this personal link is not valid, or it was revoked")
    return guest, token


def guest_name() -> str:
    """A name for somebody who has not chosen one."""
    return f"Guest {new_id(4)}"
