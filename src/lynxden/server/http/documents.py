"""The documentation at /docs: a built site that comes with the package. Most people never open it."""

from __future__ import annotations

import asyncio
import hashlib
import mimetypes
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from litestar import MediaType, Response, get
from litestar.params import Parameter

from lynxden.server.compression import BEST, compress
from lynxden.server.errors import Code, Refusal
from lynxden.server.http.common import Asked
from lynxden.server.http.pages import FOR_EVER, PACKED, File, answer

FOLDER = Path(__file__).parents[1] / "site"
HOME = "/docs/index.html"
MISSING = (
    "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
    "<title>Lynxden</title><style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;"
    "max-width:40rem;margin:4rem auto;padding:0 1rem}</style><h1>The documentation is not here</h1>"
    "<p>This copy of Lynxden came without it. In a copy of the sources <code>make docs</code> builds it; "
    "the same pages are in the folder <code>docs</code> there.</p>"
    "<p><a href='/how'>How to play</a> · <a href='/api/schema'>The HTTP interface</a></p>\n"
)


def handlers() -> list[Any]:
    """The routes of the site; files are read when they are asked for, and the last ones kept."""
    folder = FOLDER
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}

    @lru_cache(maxsize=64)
    def read(name: str) -> tuple[File, str]:
        path = folder / name
        body = path.read_bytes()
        packed = compress(body, BEST) if path.suffix in PACKED else None
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return File(body, packed, kind), f'"{hashlib.sha256(body).hexdigest()[:20]}"'

    @get("/docs", include_in_schema=False)
    async def home() -> Response[Any]:
        if not there:
            return Response(MISSING, status_code=404, media_type=MediaType.HTML)
        return Response(b"", status_code=302, headers={"Location": HOME, "Cache-Control": "no-cache"})

    @get("/docs/{path:path}", include_in_schema=False)
    async def file(request: Asked, path: Annotated[str, Parameter(max_length=300)]) -> Response[Any]:
        name = str(path).lstrip("/")
        if not there:
            return Response(MISSING, status_code=404, media_type=MediaType.HTML)
        if name not in there:
            raise Refusal(Code.NOT_FOUND, "there is no such page; /docs has a search")
        found, mark = await asyncio.to_thread(read, name)
        # Sphinx adds what changes with a file to the addresses of scripts and styles.
        headers = {"Cache-Control": FOR_EVER if "v" in request.query_params else "no-cache", "ETag": mark}
        if request.headers.get("if-none-match") == mark:
            return Response(b"", status_code=304, headers=headers)
        return answer(request, found, headers)

    return [home, file]
