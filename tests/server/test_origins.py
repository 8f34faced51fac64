"""Where requests come from: pages of others can change nothing."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from lynxden.server.errors import Code
from lynxden.server.http.guard import own_origin
from tests.server.answers import FOREIGN, check_headers, check_problem, token
from tests.server.kit import SECONDS, Client, Message, free_data, run, serving

CHANGES = (
    "POST /api/me", "PATCH /api/me", "DELETE /api/me", "POST /api/me/link", "DELETE /api/me/devices",
    "POST /api/tables", "PUT /api/me/mutes/x", "POST /nowhere",
)  # fmt: skip
FORMS = (
    "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "/", ";",
    "text/plain; application/json", "application/jsonp", "application/json; charset=utf-16",
)  # fmt: skip


def bearing(client: Client) -> None:
    """Let a client send its token in a header: over plain HTTP it keeps a secure cookie to itself."""
    client.http.headers["Authorization"] = f"Bearer {token(client)}"


@pytest.mark.parametrize(
    ("origin", "host", "public_url", "own"),
    [
        ("", "cards.example", "", True),
        ("http://cards.example", "cards.example", "", True),
        ("https://cards.example", "cards.example", "", True),
        ("http://CARDS.example:8060", "cards.EXAMPLE:8060", "", True),
        ("http://[::1]:8060", "[::1]:8060", "", True),
        ("http://cards.example:8061", "cards.example:8060", "", False),
        ("http://cards.example.evil.example", "cards.example", "", False),
        ("http://evil.example#cards.example", "cards.example", "", False),
        ("http://cards.example@evil.example", "cards.example", "", False),
        ("null", "cards.example", "", False),
        ("null", "", "", False),
        ("null", "null", "", False),
        ("http://", "", "", False),
        ("file://", "", "", False),
        ("ftp://cards.example", "cards.example", "", False),
        ("http://[::1", "cards.example", "", False),  # no address at all
        ("http://[::1", "[::1", "https://cards.example", True),  # nonsense, but the same nonsense
        ("\xff", "cards.example", "", False),
        ("https://cards.example", "10.0.0.1:8060", "https://cards.example", True),
        ("https://cards.example", "10.0.0.1:8060", "https://cards.example/", True),
        ("https://cards.example", "10.0.0.1:8060", "https://Cards.Example", True),
        ("http://cards.example", "cards.example", "https://cards.example", False),
        ("https://evil.example", "10.0.0.1:8060", "https://cards.example", False),
        ("http://localhost:8060", "localhost:8060", "https://cards.example", True),
    ],
)
def test_own_origin(origin: str, host: str, public_url: str, own: bool) -> None:
    headers = [(b"host", host.encode()), (b"origin", origin.encode("latin-1"))]
    assert own_origin({"headers": headers}, public_url) is own


def test_foreign_pages_can_change_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        address = "https://cards.example.org"
        async with serving(free_data(tmp_path), public_url=address) as server, await server.arrive() as ann:
            bearing(ann)
            for origin in (
                "https://evil.example",
                "null",
                "http://cards.example.org",
                "http://[::1",
                server.url + "0",
            ):
                for method, path in map(str.split, CHANGES):
                    answer = await ann.http.request(
                        method, path, json={"name": "Eve"}, headers={"origin": origin}
                    )
                    check_problem(answer, 403, Code.ORIGIN)
                    check_headers(answer)
            assert (await ann.get("/api/me"))["name"] == "Ann"
            for origin in (address, server.url):
                answer = await ann.http.patch("/api/me", json={"name": "Bea"}, headers={"origin": origin})
                assert answer.json()["name"] == "Bea"
            # Reading is no change, and without CORS headers the foreign page does not get the answer.
            answer = await ann.http.get("/api/me", headers=FOREIGN)
            assert answer.status_code == 200
            assert "access-control-allow-origin" not in answer.headers

    run(story())


def test_a_form_of_a_foreign_page_is_no_request_of_ours(tmp_path: Path) -> None:
    """Browsers that tell no origin still cannot send JSON from a form."""

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            body = b'{"name":"Eve"}'
            for kind in FORMS:
                answer = await ann.http.patch("/api/me", content=body, headers={"content-type": kind})
                check_problem(answer, 415, Code.MALFORMED)
            assert (await ann.get("/api/me"))["name"] == "Ann"
            for kind in (
                "application/json",
                "application/json; charset=UTF-8",
                "Application/JSON;charset=utf8",
            ):
                answer = await ann.http.patch("/api/me", content=body, headers={"content-type": kind})
                assert answer.status_code == 200, kind

    run(story())


def test_the_socket_takes_no_foreign_pages(tmp_path: Path) -> None:
    async def attempt(url: str, cookie: str, origin: str) -> Message:
        headers = {"Cookie": f"lynxden={cookie}"} | ({"Origin": origin} if origin else {})
        async with connect(
            url.replace("http", "ws", 1) + "/api/socket", additional_headers=headers
        ) as socket:
            found: Message = json.loads(await asyncio.wait_for(socket.recv(), SECONDS))
            return found

    async def story() -> None:
        address = "https://cards.example.org"
        async with serving(free_data(tmp_path), public_url=address) as server, await server.arrive() as ann:
            for origin in ("https://evil.example", "null", "http://cards.example.org", "http://[::1"):
                with pytest.raises(InvalidStatus) as refused:
                    await attempt(server.url, token(ann), origin)
                assert refused.value.response.status_code == 403
            for origin in ("", address, server.url):
                assert (await attempt(server.url, token(ann), origin))["type"] == "hello"
            assert server.live.context.metrics.sockets._value.get() <= 1

    run(story())
