"""What the handlers share: who sent a request, and how errors are answered."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Request, Response
from litestar.datastructures import ResponseHeader, State
from litestar.exceptions import ClientException, HTTPException
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import Parameter

from lynxden.games.errors import LynxdenError
from lynxden.server.errors import STATUS, Code, Refusal, refusal_of
from lynxden.server.http.cookies import token_of
from lynxden.server.http.guard import address
from lynxden.server.http.problem import Problem
from lynxden.server.live import identity
from lynxden.server.live.house import Banned
from lynxden.server.live.server import LiveServer
from lynxden.server.store import games
from lynxden.server.store.core import StoreUnavailable
from lynxden.server.store.guests import Guest, Session
from lynxden.server.table.projections import FinishedGame


class Asked(Request[Any, Any, State]):
    """A request. Its body must be sent as JSON: a form on a page of another site cannot do that."""

    async def json(self) -> Any:
        kind, parameters = self.content_type
        if kind != "application/json" or parameters.get("charset", "utf-8").lower() not in ("utf-8", "utf8"):
            raise HTTPException("the body must be JSON in UTF-8, sent as application/json", status_code=415)
        try:
            return await super().json()
        except UnicodeDecodeError as error:
            raise ClientException("the body is not UTF-8") from error
        except RecursionError as error:
            raise ClientException("the body is nested too deeply") from error


Path = Annotated[str, Parameter(min_length=1, max_length=64, pattern="^[A-Za-z0-9-]+$")]
"""An id in an address."""


def problems(*statuses: int) -> dict[int, ResponseSpec]:
    """The errors that a handler can answer with, for the description of the interface."""
    body = (415,) if 413 in statuses else ()
    return {
        status: ResponseSpec(Problem, description=DESCRIPTIONS[status], generate_examples=False)
        for status in sorted({*statuses, *body, 429, 503})
    }


DESCRIPTIONS = {
    400: "The request is not understood, or its options cannot be combined.",
    401: "No identity, or one that is not valid.",
    403: "Not allowed.",
    404: "Not found.",
    405: "The address does not take this method.",
    409: "Not possible now.",
    413: "The request is too long.",
    415: "The body is not JSON.",
    429: "Too many requests.",
    503: "The database does not answer, or the server is busy or about to stop.",
}


def live_of(request: Asked) -> LiveServer:
    live: LiveServer = request.app.state.live
    return live


async def asker(request: Asked) -> Guest:
    """The guest who sent a request; refused without an identity."""
    guest = await asker_or_nobody(request)
    if guest is None:
        raise nobody()
    return guest


def nobody() -> Refusal:
    """The refusal for a request without an identity."""
    return Refusal(Code.WHO, "no identity: get one with POST /api/me, or send a valid token")


async def asker_or_nobody(request: Asked) -> Guest | None:
    """The guest who sent a request, if it has an identity; refused if they are banned."""
    session = await session_of(request)
    return None if session is None else session.guest


async def session_of(request: Asked) -> Session | None:
    """The session of a request, if it has an identity; refused if its guest is banned."""
    live = live_of(request)
    try:
        return await identity.find_session(live.context, token_of(request.scope["headers"]))
    except Banned as banned:
        await live.moderation.seen(banned.ban, address(request.scope))
        raise


async def finished_game(request: Asked, game: str) -> FinishedGame:
    """A finished game that the asker may see; for others a private one does not exist."""
    found = await live_of(request).context.store.read(games.get, game)
    if found is not None and found.private:
        guest = await asker_or_nobody(request)
        found = found if found.shown_to(guest.id if guest else None) else None
    if found is None:
        raise Refusal(Code.NOT_FOUND, f"there is no finished game {game}")
    return found


def _problem(refusal: Refusal) -> Response[Problem]:
    headers: list[ResponseHeader] = []
    if refusal.code is Code.TOO_MUCH:
        headers.append(ResponseHeader(name="Retry-After", value="5"))
    return Response(
        Problem.of(refusal),
        status_code=STATUS[refusal.code],
        media_type="application/json",
        headers=headers,
    )


def refused(request: Asked, error: LynxdenError) -> Response[Problem]:
    refusal = refusal_of(error)
    live_of(request).context.metrics.refused.labels(refusal.code.value).inc()
    return _problem(refusal)


def unavailable(_: Asked, error: StoreUnavailable) -> Response[Problem]:  # noqa: ARG001
    return _problem(Refusal(Code.UNAVAILABLE, "the database does not answer; try again"))


_CODES = {401: Code.WHO, 404: Code.NOT_FOUND, 413: Code.TOO_LARGE, 429: Code.TOO_MUCH}
_TEXTS = {
    404: "there is no such address",
    405: "this address does not take that method",
    413: "the body is too long",
}


def not_understood(_: Asked, error: HTTPException) -> Response[Problem]:
    """Errors of the framework: no such address, a body that is no JSON or has wrong fields."""
    text = _TEXTS.get(error.status_code, error.detail)
    if isinstance(error.extra, list) and error.extra:
        text = "; ".join(_wrong(e) for e in error.extra if isinstance(e, dict))
    code = _CODES.get(error.status_code, Code.MALFORMED)
    allow = (error.headers or {}).get("Allow") or (error.headers or {}).get("allow")
    return Response(
        Problem(code.value, text),
        status_code=error.status_code,
        media_type="application/json",
        headers={"Allow": allow.replace("GET", "GET, HEAD")} if allow else None,
    )


def _wrong(found: dict[str, Any]) -> str:
    """What is wrong with one part of a request."""
    key, message = found.get("key", "data"), found.get("message", "")
    if key == "data" and message == "'data'":  # the framework means that there is none
        return "the request needs a body: a JSON object"
    return f"{'body' if key == 'data' else key}: {message}"


def failed(request: Asked, error: Exception) -> Response[Problem]:
    """A fault of the server: logged, and not described to the client."""
    live_of(request).context.log.error(
        "a request failed", exc_info=error, extra={"route": request.scope.get("path_template")}
    )
    return Response(
        Problem(Code.INTERNAL.value, "the server made a mistake; it has been noted"),
        status_code=500,
        media_type="application/json",
    )
