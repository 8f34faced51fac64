"""The headers of every answer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx

from lynxden.server.http.app import MOST_BYTES
from lynxden.server.http.cookies import COOKIE_SECONDS
from lynxden.server.http.guard import HEADERS
from tests.server.answers import FOREIGN, JSON, check_headers
from tests.server.kit import free_data, run, serving


def test_every_kind_of_answer_has_the_security_headers(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, httpx.AsyncClient(base_url=server.url) as http:
            long = b'"' + b"x" * MOST_BYTES + b'"'
            asked: list[tuple[int, str, str, dict[str, Any]]] = [
                (200, "GET", "/api/schema", {}),
                (200, "GET", "/api/schema/openapi.json", {}),
                (200, "GET", "/api/games", {}),
                (200, "HEAD", "/api/games", {}),
                (204, "OPTIONS", "/api/games", {}),
                (200, "GET", "/healthz", {}),
                (200, "GET", "/readyz", {}),
                (200, "GET", "/metrics", {}),
                (400, "POST", "/api/me", {"content": b"{", "headers": JSON}),
                (401, "GET", "/api/me", {}),
                (403, "POST", "/api/me", {"json": {}, "headers": FOREIGN}),
                (404, "GET", "/nowhere", {}),
                (404, "GET", "/api/records/nothing", {}),
                (405, "PUT", "/api/games", {}),
                (413, "POST", "/api/me", {"content": long, "headers": JSON}),
                (415, "POST", "/api/me", {"content": b"name=x"}),
                (426, "GET", "/api/socket", {}),
                (200, "POST", "/api/me", {"json": {}}),
            ]
            for status, method, path, more in asked:
                answer = await http.request(method, path, **more)
                assert answer.status_code == status, (method, path, answer.text)
                check_headers(answer)
                assert "strict-transport-security" not in answer.headers
        async with (
            serving(free_data(tmp_path), requests=0.001) as server,
            httpx.AsyncClient(base_url=server.url) as http,
        ):
            assert (await http.get("/api/games")).status_code == 200
            answer = await http.get("/api/games")
            assert answer.status_code == 429
            check_headers(answer)

    run(story())


def test_the_policy_allows_nothing_from_elsewhere() -> None:
    policy = dict(part.strip().split(" ", 1) for part in HEADERS["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["base-uri"] == "'none'"
    assert policy["form-action"] == "'self'"
    assert not re.search(r"unsafe-eval|https?:|\*", HEADERS["content-security-policy"])


def test_https_makes_the_cookie_secure(tmp_path: Path) -> None:
    async def cookie(public_url: str) -> tuple[str, httpx.Response]:
        async with (
            serving(free_data(tmp_path), public_url=public_url) as server,
            httpx.AsyncClient(base_url=server.url) as http,
        ):
            answer = await http.post("/api/me", json={})
            return answer.headers["set-cookie"], answer

    async def story() -> None:
        for address in ("https://cards.example.org", "http://cards.example.org", ""):
            text, answer = await cookie(address)
            value, *rest = [part.strip() for part in text.split(";")]
            assert re.fullmatch(r"(__Host-)?lynxden=[A-Za-z0-9_-]{32}", value)
            attributes = {part.lower() for part in rest}
            wanted = {"httponly", "path=/", "samesite=lax", f"max-age={COOKIE_SECONDS}"}
            secure = address.startswith("https")
            assert attributes == wanted | ({"secure"} if secure else set())
            assert ("strict-transport-security" in answer.headers) == secure

    run(story())


def test_head_and_options(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, httpx.AsyncClient(base_url=server.url) as http:
            for path in ("/healthz", "/readyz", "/metrics", "/api/games", "/api/schema"):
                got, head = await http.get(path), await http.head(path)
                assert head.status_code == 200
                assert head.content == b""
                if path != "/metrics":  # its figures change
                    assert head.headers["content-length"] == got.headers["content-length"]
            assert (await http.head("/nowhere")).status_code == 404
            answer = await http.options("/api/me")
            assert answer.status_code == 204
            assert answer.headers["allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH, POST"
            assert not [name for name in answer.headers if name.startswith("access-control")]
            answer = await http.request("OPTIONS", "/api/tables/x/join", headers=FOREIGN)
            assert answer.headers["allow"] == "OPTIONS, POST"
            assert not [name for name in answer.headers if name.startswith("access-control")]

    run(story())
