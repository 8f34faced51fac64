"""Reminders: where a person's browser can be reached while it is closed."""

from __future__ import annotations

from typing import Annotated

from litestar import get, post, put
from litestar.params import JSONBody
from msgspec import Meta, Struct

from lynxden.server import webpush
from lynxden.server.errors import Code, Refusal
from lynxden.server.http.common import Asked, asker, live_of, problems
from lynxden.server.store import push
from lynxden.server.webpush import MOST_ENDPOINT, Subscription

Endpoint = Annotated[str, Meta(min_length=1, max_length=MOST_ENDPOINT)]
Key = Annotated[str, Meta(min_length=1, max_length=200)]


class PushKey(Struct, frozen=True):
    key: str
    """The server's public key, for `PushManager.subscribe`; empty if this server sends no reminders."""


class Subscribe(Struct, frozen=True, forbid_unknown_fields=True):
    """A subscription of the browser's Push API."""

    endpoint: Endpoint
    """The https address of the push service."""
    p256dh: Key
    auth: Key
    language: Annotated[str, Meta(max_length=10)] = "en"
    """The language of the reminder."""


class Unsubscribe(Struct, frozen=True, forbid_unknown_fields=True):
    endpoint: Endpoint


@get("/api/push", responses=problems())
async def push_key(request: Asked) -> PushKey:
    """The key with which a browser asks its push service for reminders from this server."""
    if not webpush.AVAILABLE:
        return PushKey("")
    return PushKey(webpush.public_key(await live_of(request).reminders.private_key()))


@put("/api/me/push", status_code=204, responses=problems(400, 401, 403, 413))
async def subscribe(request: Asked, data: JSONBody[Subscribe]) -> None:
    """Be reminded when it is my turn in a slow game and I am away.

    That is for ten browsers at most; one more replaces the oldest.
    """
    live, guest = live_of(request), await asker(request)
    if not webpush.AVAILABLE:
        raise Refusal(Code.NOT_FOUND, "this server sends no reminders: it has no `cryptography` package")
    found = Subscription(data.endpoint, data.p256dh, data.auth)
    webpush.check(found, bool(live.context.settings.push_local))
    now = live.context.now()
    await live.context.store.write(push.subscribe, guest.id, push.Reached(found, data.language), now)


@post("/api/me/push/end", status_code=204, responses=problems(400, 401, 403, 413))
async def unsubscribe(request: Asked, data: JSONBody[Unsubscribe]) -> None:
    """Be reminded in this browser no longer."""
    live, guest = live_of(request), await asker(request)
    await live.context.store.write(push.unsubscribe, guest.id, data.endpoint)


HANDLERS = [push_key, subscribe, unsubscribe]
