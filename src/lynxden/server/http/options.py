"""OPTIONS: the methods of an address. The framework would name those of its first handler alone."""

from __future__ import annotations

from collections.abc import Iterable

from litestar import HttpMethod, Response
from litestar.handlers import HTTPRouteHandler, route


def handlers(routes: Iterable[HTTPRouteHandler]) -> list[HTTPRouteHandler]:
    """One handler for OPTIONS at each address; to be registered before the others."""
    methods: dict[str, set[str]] = {}
    for found in routes:
        for path in found.paths:
            methods.setdefault(path, {"OPTIONS"}).update(map(str, found.http_methods))
            if "GET" in found.http_methods:
                methods[path].add("HEAD")
    return [_handler(path, found) for path, found in methods.items()]


def _handler(path: str, methods: set[str]) -> HTTPRouteHandler:
    allow = ", ".join(sorted(methods))

    @route(path, http_method=HttpMethod.OPTIONS, status_code=204, include_in_schema=False)
    async def options() -> Response[None]:
        return Response(None, headers={"Allow": allow})

    return options
