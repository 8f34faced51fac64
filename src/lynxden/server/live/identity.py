"""Who somebody is, without accounts: a secret token, in a cookie or in a header for programs.

Only a hash of the token is stored. A personal link carries the identity to another device: anyone opening it
gets a token of their own for the same guest. It works until it is revoked or replaced.

Each token is a session. It ends when its guest says so, when it was not used for a long time, or when the
guest is signed in on too many other devices.
"""

from __future__ import annotations

from contextlib import suppress

from lynxden.server.errors import Code, Refusal
from lynxden.server.ids import digest, new_id, new_secret
from lynxden.server.live.context import Context
from lynxden.server.live.people import NOTED_EVERY, People, notify_ended
from lynxden.server.store import guests
from lynxden.server.store.core import StoreUnavailable, Tx
from lynxden.server.store.guests import Guest, Session

BOTS_PER_GUEST = 10
DAY = 86_400_000


async def find(context: Context, token: str | None) -> Guest | None:
    """The guest of a token; refused if they are banned."""
    found = await find_session(context, token)
    return None if found is None else found.guest


async def find_session(context: Context, token: str | None) -> Session | None:
    """The session of a token; None if it has ended. Refused if its guest is banned."""
    if not token or len(token) > 200:
        return None
    found = await context.store.read_together(guests.sessions, digest(token))
    if found is None or found.seen_at < valid_since(context):
        return None
    context.house.check_guest(found.guest, context.now())
    if found.seen_at < context.now() - NOTED_EVERY:
        with suppress(StoreUnavailable):  # noted at the next use
            await context.store.write(guests.touch, found.token, context.now())
    return found


def valid_since(context: Context) -> int:
    """A session that was not used since then has ended."""
    days = context.settings.session_days
    return context.now() - days * DAY if days else 0


async def create(context: Context, name: str, device: str = "") -> tuple[Guest, str]:
    """A new guest, and the token that nobody but them will ever have; refused if no new ones are taken."""
    context.house.check_newcomers()
    guest, token = Guest(context.make_id(), name), new_secret()
    await context.store.write(guests.create, guest, digest(token), context.now(), device)
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


async def new_link(context: Context, here: Session) -> str | None:
    """The secret of a new personal link; an older one no longer works. None if the session has ended."""
    secret = new_secret()
    made = await context.store.write(
        guests.renew_link, here.guest.id, here.token, digest(secret), context.now()
    )
    return secret if made else None


async def claim(context: Context, people: People, secret: str, device: str = "") -> tuple[Guest, str]:
    """The guest of a personal link, and a token for this device. Other sessions may end for it."""
    banned = await context.store.read(guests.by_link, digest(secret))
    if banned is not None:
        context.house.check_guest(banned, context.now())
    token, most = new_secret(), context.settings.sessions_per_guest
    found = await context.store.write(_claim, digest(secret), digest(token), context.now(), device, most)
    if found is None:
        raise Refusal(Code.WHO, "this personal link is not valid, or it was revoked")
    guest, ended = found
    for session in ended:
        people.disconnect_session(guest.id, session)
    return guest, token


def _claim(
    tx: Tx, secret: str, token: str, now: int, device: str, most: int
) -> tuple[Guest, list[str]] | None:
    found = guests.claim(tx, secret, token, now, device, most)
    if found is not None:
        guest, ended = found
        for session in ended:
            notify_ended(tx, guest.id, session)
    return found


def guest_name() -> str:
    """A name for somebody who has not chosen one."""
    return f"Guest {new_id(4)}"
