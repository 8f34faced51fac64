"""For operators and programmers: health, metrics, and the description of the HTTP interface."""

from __future__ import annotations

import secrets
from html import escape
from typing import Any

from litestar import MediaType, Response, Router, get
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin, OpenAPIRenderPlugin
from litestar.openapi.spec import Contact, License

from lynxden import __version__
from lynxden.server.errors import Code, Refusal
from lynxden.server.http.common import Asked, live_of


@get("/healthz", media_type=MediaType.TEXT, include_in_schema=False)
async def healthz() -> str:
    """The process lives."""
    return "ok\n"


@get("/readyz", media_type=MediaType.TEXT, include_in_schema=False)
async def readyz(request: Asked) -> Response[str]:
    """The server can serve: its database keeps what is written, and it is not about to stop."""
    trouble = await live_of(request).readiness.trouble()
    if trouble:
        return Response(f"{trouble}\n", status_code=503, media_type=MediaType.TEXT)
    skew = live_of(request).skew.text()
    return Response(f"ready\n{skew}\n" if skew else "ready\n", media_type=MediaType.TEXT)


@get("/metrics", media_type=MediaType.TEXT, include_in_schema=False)
async def metrics(request: Asked) -> Response[bytes]:
    """Metrics for Prometheus; with a token, if the settings have one."""
    live = live_of(request)
    wanted = live.context.settings.metrics_token
    given = request.headers.get("authorization", "").encode()
    if wanted and not secrets.compare_digest(given, f"Bearer {wanted}".encode()):
        raise Refusal(Code.WHO, "the figures need the metrics token")
    return Response(
        live.context.metrics.text(), media_type="text/plain; version=0.0.4"
    )  # the charset is added


class PlainPage(OpenAPIRenderPlugin):
    """The description as a page without scripts or anything from another site."""

    def render(self, request: Any, openapi_schema: dict[str, Any]) -> bytes:  # noqa: ARG002
        return page(openapi_schema).encode()

    def receive_router(self, router: Router) -> None:
        """Unknown addresses below this one get the usual answer, not a page of the framework."""
        router.routes[:] = [route for route in router.routes if "{" not in route.path]


def page(schema: dict[str, Any]) -> str:
    """The interface for people: every address with what it takes and gives."""
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>",
        f"<title>{escape(schema['info']['title'])}</title>",
        "<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;"
        "margin:2rem auto;padding:0 1rem}h2{margin:2rem 0 .2rem;font-size:1rem}"
        "code{font:.95em ui-monospace,monospace}"
        ".m{display:inline-block;min-width:4.5rem;font-weight:700}p{margin:.2rem 0}</style>",
        f"<h1>{escape(schema['info']['title'])}</h1><p>{escape(schema['info'].get('description', ''))}</p>",
        "<p>As JSON: <a href='/api/schema/openapi.json'><code>/api/schema/openapi.json</code></a></p>",
    ]
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            about = operation.get("description") or operation.get("summary", "")
            parts.append(f"<h2><span class=m>{method.upper()}</span> <code>{escape(path)}</code></h2>")
            parts.append(f"<p>{escape(about)}</p>")
            body = operation.get("requestBody", {}).get("content", {})
            parts += [f"<p>Takes: {_kind(content.get('schema', {}))}</p>" for content in body.values()]
            for status, answer in operation.get("responses", {}).items():
                kinds = [_kind(content.get("schema", {})) for content in answer.get("content", {}).values()]
                text = escape(answer.get("description", ""))
                parts.append(f"<p>{escape(status)}: {', '.join(kinds) or '–'} <small>{text}</small></p>")
    parts.append("<h1>Types</h1>")
    for name, form in schema.get("components", {}).get("schemas", {}).items():
        parts.append(
            f"<h2 id='{escape(name)}'><code>{escape(name)}</code></h2>"
            f"<p>{escape(form.get('description', ''))}</p>"
        )
        for field, kind in form.get("properties", {}).items():
            about = escape(kind.get("description", ""))
            parts.append(f"<p><code>{escape(field)}</code>: {_kind(kind)} {about}</p>")
    return "\n".join(parts)


def _kind(schema: dict[str, Any]) -> str:
    """A schema in a few words, with links to the named ones."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f"<a href='#{name}'><code>{name}</code></a>"
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return " or ".join(_kind(each) for each in schema[key])
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}" if isinstance(schema.get("items"), dict) else "list"
    kind = schema.get("type", "anything")
    return escape(" or ".join(kind) if isinstance(kind, list) else str(kind))


OPENAPI = OpenAPIConfig(
    title="Lynxden",
    version=__version__,
    description="Tables, records and statistics of a Lynxden server. Games are played over its socket.",
    path="/api/schema",
    contact=Contact(name="Lynxden"),
    license=License(name="MIT", identifier="MIT"),
    render_plugins=[PlainPage(path="/"), JsonRenderPlugin(path="/openapi.json")],
    use_handler_docstrings=True,
)

HANDLERS = [healthz, readyz, metrics]
