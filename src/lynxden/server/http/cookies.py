"""The cookie that holds a token, and how a request's token is found."""

from __future__ import annotations

from collections.abc import Iterable

from litestar.datastructures import Cookie

COOKIE = "lynxden"
COOKIE_SECONDS = 400 * 86400
"""As long as browsers allow."""


def cookie_for(token: str, secure: bool) -> Cookie:
    """The cookie that holds a token."""
    return Cookie(
        key=COOKIE,
        value=token,
        max_age=COOKIE_SECONDS,
        httponly=True,
        samesite="lax",
        secure=secure,
        path="/",
    )


def token_of(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """The token that a request carries: a bearer token, or the cookie.

    Other pages of the same host may have set any cookies, well-formed or not: they are ignored.
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
