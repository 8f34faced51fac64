"""The ASGI application of a server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from litestar import Litestar, Response
from litestar.datastructures import State
from litestar.exceptions import HTTPException

from lynxden.games.errors import LynxdenError
from lynxden.server.http import (
    admin,
    common,
    documents,
    me,
    options,
    pages,
    push,
    records,
    replays,
    reports,
    site,
    statistics,
    tables,
)
from lynxden.server.http.guard import Guard
from lynxden.server.http.socket import Door, handler
from lynxden.server.limits import Buckets
from lynxden.server.live.server import LiveServer
from lynxden.server.store.core import StoreUnavailable

if TYPE_CHECKING:
    from litestar.types import ASGIApp

MOST_BYTES = 256 * 1024
"""The longest body of a request; a game record is far shorter."""


@cache
def _page() -> dict[str, pages.File]:
    """The page as it is installed; to compress it takes a while."""
    return pages.load()


def make_app(live: LiveServer) -> ASGIApp:
    """The application: all routes, behind the guard. It closes the server, which was started before."""

    @asynccontextmanager
    async def life(_: Litestar) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await live.close()

    files = _page()

    def not_understood(request: common.Asked, error: HTTPException) -> Response[Any]:
        page = pages.lost(files, request) if error.status_code == 404 else None
        return page or common.not_understood(request, error)

    per_hour = live.context.settings.guests_per_hour
    newcomers = Buckets(per_hour / 3600, max(1, per_hour / 2), clock=live.context.clock.monotonic)
    keys = admin.Keys(live.context)
    handlers: dict[Any, Any] = {
        LynxdenError: common.refused,
        StoreUnavailable: common.unavailable,
        HTTPException: not_understood,
        Exception: common.failed,
    }
    routes = [
        *me.HANDLERS,
        *push.HANDLERS,
        *tables.HANDLERS,
        *records.HANDLERS,
        *statistics.HANDLERS,
        *replays.HANDLERS,
        *reports.HANDLERS,
        *admin.HANDLERS,
        *site.HANDLERS,
    ]
    app = Litestar(
        [
            *options.handlers(routes),
            *routes,
            *pages.handlers(files, keys.there),
            *documents.handlers(),
            handler(Door(live)),
        ],
        state=State(
            {
                "live": live,
                "newcomers": newcomers,
                "reporters": reports.Reporters(live.context),
                "keyring": keys,
            }
        ),
        exception_handlers=handlers,
        lifespan=[life],
        openapi_config=site.OPENAPI,
        request_class=common.Asked,
        request_max_body_size=MOST_BYTES,
        logging_config=None,
    )
    return Guard(app, live)
