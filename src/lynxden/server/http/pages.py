"""The page: built files that come with the package, held in memory, compressed once."""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from litestar import MediaType, Response, get
from litestar.params import Parameter

from lynxden.server.compression import BEST, compress, takes_gzip
from lynxden.server.errors import Code, Refusal
from lynxden.server.http.common import Asked, live_of
from lynxden.server.http.previews import preview_of, with_preview

FOLDER = Path(__file__).parents[1] / "web"
ADDRESSES = [
    "/",
    "/new",
    "/import",
    "/how",
    "/me",
    "/how/{part:str}",
    "/me/{part:str}",
    "/t/{part:str}",
    "/g/{part:str}",
    "/p/{part:str}",
    "/ladder",
    "/ladder/{game:str}/{edition:str}",
    "/big/{part:str}",
]
"""The addresses that show the page; its router knows what they mean."""
ADMINISTRATION = "/admin"
"""The same, where there is an administrator's token."""
FOR_EVER = "public, max-age=31536000, immutable"
"""For files whose names change with their content."""
PACKED = {".html", ".js", ".css", ".svg", ".json", ".webmanifest"}
MISSING = "The page is not built: in a copy of the sources, `make web` does it. See also /api/schema.\n"

mimetypes.add_type("application/manifest+json", ".webmanifest")
mimetypes.add_type("text/javascript", ".js")


@dataclass(frozen=True)
class File:
    body: bytes
    packed: bytes | None
    kind: str


def load(folder: Path = FOLDER) -> dict[str, File]:
    """Every built file by its address; nothing if the page was not built."""
    found = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file():
            body = path.read_bytes()
            packed = compress(body, BEST) if path.suffix in PACKED else None
            kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
            found["/" + path.relative_to(folder).as_posix()] = File(body, packed, kind)
    return found


def lost(files: dict[str, File], request: Asked) -> Response[Any] | None:
    """The page for an address that a person opened and that does not exist; None for other requests."""
    wanted = request.method == "GET" and "text/html" in request.headers.get("accept", "")
    if not wanted or request.url.path.startswith("/api/") or "/index.html" not in files:
        return None
    return _answer(request, files["/index.html"], "no-cache", 404)


def handlers(files: dict[str, File], administration: bool = False) -> list[Any]:
    """The routes of the page and of its files."""

    @get([*ADDRESSES, ADMINISTRATION] if administration else ADDRESSES, include_in_schema=False)
    async def page(request: Asked) -> Response[Any]:
        if "/index.html" not in files:
            return Response(MISSING, status_code=503, media_type=MediaType.TEXT)
        plain = files["/index.html"]
        base = live_of(request).context.settings.public_url.rstrip("/") or str(request.base_url).rstrip("/")
        body = with_preview(plain.body, await preview_of(request), base, request.url.path, files)
        answer = _answer(request, File(body, compress(body), plain.kind), "no-cache")
        answer.headers["Vary"] = "Accept-Encoding, Accept-Language"
        return answer

    @get("/assets/{name:str}", include_in_schema=False)
    async def asset(request: Asked, name: Annotated[str, Parameter(max_length=200)]) -> Response[Any]:
        found = files.get(f"/assets/{name}")
        if found is None:
            raise Refusal(Code.NOT_FOUND, "there is no such file")
        return _answer(request, found, FOR_EVER)

    others = [name for name in files if name.count("/") == 1 and name != "/index.html"]
    if not others:
        return [page, asset]

    @get(others, include_in_schema=False)
    async def other(request: Asked) -> Response[Any]:
        return _answer(request, files[request.url.path], "no-cache")

    return [page, asset, other]


def _answer(request: Asked, file: File, cache: str, status: int = 200) -> Response[Any]:
    return answer(request, file, {"Cache-Control": cache}, status)


def answer(request: Asked, file: File, headers: dict[str, str], status: int = 200) -> Response[Any]:
    """A file, compressed for those who take it so."""
    headers = {**headers, "Vary": "Accept-Encoding"}
    body = file.body
    if file.packed is not None and takes_gzip(request.headers.get("accept-encoding", "")):
        body = file.packed
        headers["Content-Encoding"] = "gzip"
    return Response(body, status_code=status, media_type=file.kind, headers=headers)
