"""The cookie that holds a token, and how a request's token is found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from litestar.datastructures import Cookie

PLAIN = "lynxden"
"""The cookie's name without https; version 0.1 used it everywhere."""
HOST = f"__Host-{PLAIN}"
"""With https. Browsers take a cookie of such a name from this very host alone, and only over https: no other
host of the same domain can put a token of its own in its place."""
COOKIE_SECONDS = 400 * 86400
"""As long as browsers allow."""


class Carried(NamedTuple):
    """The tokens that a request carries; None where there is none."""

    bearer: str | None
    host: str | None
    """In the cookie of https."""
    plain: str | None
    """In the cookie without https, or of version 0.1."""

    @property
    def token(self) -> str | None:
        """The one that counts."""
        return next((token for token in self if token is not None), None)


def carried(headers: Iterable[tuple[bytes, bytes]]) -> Carried:
    """The tokens that a request carries: as a bearer token, and in cookies.

    Other pages of the same host may have set any cookies, well-formed or not: they are ignored.
    """
    bearer: str | None = None
    cookies: dict[str, str] = {}
    for name, value in headers:
        if name == b"authorization" and bearer is None and value[:7].lower() == b"bearer ":
            bearer = value[7:].decode("latin-1").strip()
        elif name == b"cookie":
            for part in value.decode("latin-1").split(";"):
                key, _, text = part.partition("=")
                cookies.setdefault(key.strip(), text.strip().strip('"'))
    return Carried(bearer, cookies.get(HOST), cookies.get(PLAIN))


def token_of(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """The token that a request carries."""
    return carried(headers).token


def cookies_for(token: str, before: Carried, secure: bool) -> list[Cookie]:
    """The cookie that holds a token; one of the old name goes."""
    return _cookies(token, COOKIE_SECONDS, before, secure)


def no_cookies(before: Carried, secure: bool) -> list[Cookie]:
    """Removes the cookie, and one of the old name."""
    return _cookies("", 0, before, secure)


def _cookies(value: str, seconds: int, before: Carried, secure: bool) -> list[Cookie]:
    found = [_cookie(HOST if secure else PLAIN, value, seconds, secure)]
    if secure and before.plain is not None:
        found.append(_cookie(PLAIN, "", 0, secure))
    return found


def _cookie(name: str, value: str, seconds: int, secure: bool) -> Cookie:
    return Cookie(
        key=name, value=value, max_age=seconds, httponly=True, samesite="lax", secure=secure, path="/"
    )
