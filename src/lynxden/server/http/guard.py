"""The outermost layer: limits, the origin of requests, and the headers of every answer."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec
from litestar.enums import ScopeType

from lynxden.server.errors import STATUS, Code, Refusal
from lynxden.server.http import slashes
from lynxden.server.http.problem import Problem
from lynxden.server.http.proxies import Proxies
from lynxden.server.limits import Buckets
from lynxden.server.live.server import LiveServer

if TYPE_CHECKING:
    from litestar.types import ASGIApp, Message, Receive, Scope, Send


CONTENT_POLICY = (
    "default-src 'none'; "
    "script-src 'self'; "
    "style-src 'self' 'unsafe-inline'; "  # cards are moved by style attributes
    "img-src 'self' data:; "
    "font-src 'self'; "
    "connect-src 'self'; "
    "manifest-src 'self'; "
    "worker-src 'self'; "
    "base-uri 'none'; "
    "form-action 'self'; "
    "frame-ancestors 'none'"
)

HEADERS = {
    "content-security-policy": CONTENT_POLICY,
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",  # addresses may hold the secret of an invitation or of a personal link
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
SAFE = ("GET", "HEAD", "OPTIONS")
ADMINISTRATION = "/api/admin"
OPERATION = ("/healthz", "/readyz", "/metrics")

access = logging.getLogger("lynxden.access")


def header(scope: Any, name: bytes) -> str:
    """A request's header, or an empty text."""
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")


def address(scope: Any) -> str:
    """The network address that a request comes from; behind a trusted proxy, the one that it names.

    A holder of an IPv6 address usually has a whole network of them, so the network counts as one.
    """
    client = scope.get("client")
    if not client:
        return "local"
    found = str(client[0])
    if ":" not in found:
        return found
    try:
        parsed = ipaddress.IPv6Address(found)
    except ValueError:
        return found
    return str(parsed.ipv4_mapped or ipaddress.IPv6Network((int(parsed) >> 64 << 64, 64)))


def own_origin(scope: Any, public_url: str) -> bool:
    """Whether a request comes from a page of this server, or from no page."""
    origin = header(scope, b"origin").lower()
    if not origin:
        return True
    scheme, _, place = origin.partition("://")
    public = urlsplit(public_url.lower())
    if public_url and place == public.netloc:
        return scheme == public.scheme  # a page without https may have been changed on the way
    return scheme in ("http", "https") and place == header(scope, b"host").lower() != ""


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, live: LiveServer) -> None:
        self.app = app
        self.live = live
        self._proxies = Proxies(live.context.settings.proxies)
        rate = live.context.settings.requests
        self._requests = Buckets(rate, max(1, 5 * rate), clock=live.context.clock.monotonic)
        self._headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
        if live.context.settings.secure:
            self._headers.append((b"strict-transport-security", b"max-age=31536000"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.HTTP:
            await self._request(self._proxies.seen(scope), receive, send)
        elif scope["type"] == ScopeType.WEBSOCKET:
            await self._socket(self._proxies.seen(scope), receive, send)
        else:
            await self.app(scope, receive, send)

    async def _request(self, scope: Any, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        status = 0
        if scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}  # the same headers; uvicorn omits the body

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *self._extra(scope, message["headers"])]
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await _answer(answer, refusal)
        elif slashes.is_plain(scope["path"]):
            try:
                await self.app(scope, receive, answer)
            except asyncio.CancelledError:  # nothing but a server that has waited long enough, and stops
                if not status:
                    await _answer(answer, Refusal(Code.UNAVAILABLE, "the server is about to stop; try again"))
        elif scope["method"] == "GET":
            await _redirect(answer, slashes.location(scope))
        else:
            await _answer(answer, Refusal(Code.NOT_FOUND, "there is no such address"))
        self._note(scope, status, time.perf_counter() - started)

    async def _socket(self, scope: Any, receive: Receive, send: Send) -> None:
        """A socket; `socket.py` checks who opens it."""
        if slashes.is_plain(scope["path"]):
            with suppress(asyncio.CancelledError):  # as above; the client comes again
                await self.app(scope, receive, send)
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": ""})  # the handshake is refused

    def _refusal(self, scope: Any) -> Refusal | None:
        if scope["path"] in OPERATION:
            return None
        where, context = address(scope), self.live.context
        if scope["path"].startswith("/api/") and not scope["path"].startswith(ADMINISTRATION):
            try:  # the page itself is shown, so that it can say so
                context.house.check_network(where, context.now())
            except Refusal as banned:
                return banned
        if not self._requests.take(where):
            return Refusal(Code.TOO_MUCH, "too many requests from your address; wait a moment")
        if scope["method"] not in SAFE and not own_origin(scope, context.settings.public_url):
            return Refusal(Code.ORIGIN, "requests from other web pages are not taken")
        return None

    def _extra(self, scope: Any, given: Any) -> list[tuple[bytes, bytes]]:
        present = {name.lower() for name, _ in given}
        extra = [(name, value) for name, value in self._headers if name not in present]
        if scope["path"].startswith("/api") and b"cache-control" not in present:
            extra.append((b"cache-control", b"no-store"))
        return extra

    def _note(self, scope: Any, status: int, seconds: float) -> None:
        """Log one line a request. Addresses may hold secrets, so the route is logged, not the path."""
        route = str(scope.get("path_template") or "-")
        self.live.context.metrics.requests.labels(route, str(status)).inc()
        if scope["path"] not in OPERATION:
            access.info(
                "%s %s %s", scope["method"], route, status, extra={"milliseconds": round(seconds * 1000, 1)}
            )


async def _redirect(send: Any, where: bytes) -> None:
    headers = [(b"location", where), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 308, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


async def _answer(send: Any, refusal: Refusal) -> None:
    body = msgspec.json.encode(Problem.of(refusal))
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refusal.code is Code.TOO_MUCH:
        headers.append((b"retry-after", b"5"))
    await send({"type": "http.response.start", "status": STATUS[refusal.code], "headers": headers})
    await send({"type": "http.response.body", "body": body})
