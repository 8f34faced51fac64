"""The HTTP interface under attack: headers, cookies, origins, errors, identities, what is kept and logged."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

import lynxden
from lynxden.records import Recorder
from lynxden.server import log_output
from lynxden.server.errors import STATUS, Code
from lynxden.server.http import pages
from lynxden.server.http.app import MOST_BYTES
from lynxden.server.http.cookies import COOKIE_SECONDS, token_of
from lynxden.server.http.guard import HEADERS, own_origin
from lynxden.server.http.records import MOST_RECORD
from lynxden.server.http.site import page
from lynxden.server.settings import Settings
from tests.server.kit import SECONDS, Client, Message, Running, check_telling, free_data, run, serving

JSON = {"content-type": "application/json"}
FOREIGN = {"origin": "https://evil.example"}
CHANGES = (
    "POST /api/me", "PATCH /api/me", "DELETE /api/me", "POST /api/me/link", "DELETE /api/me/devices",
    "POST /api/tables", "PUT /api/me/mutes/x", "POST /nowhere",
)  # fmt: skip
FORMS = (
    "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "/", ";",
    "text/plain; application/json", "application/jsonp", "application/json; charset=utf-16",
)  # fmt: skip
NO_BODIES = (
    b"", b"{", b"nope", b"[]", b"null", b"5", b'"x"', b"[" * 200_000, b'{"a":' * 40_000, b'{"a":NaN}',
    b'{"a":1e999}', b'{"a":' + b"9" * 5000 + b"}", b'{"a":"\xff"}', b'{"a":"\\ud800"}', b'{"a":"\x00"}',
    b"\xef\xbb\xbf{}", '{"name":"x"}'.encode("utf-16"), b'{"name":"x"} {}', b'{"unknown":1}',
)  # fmt: skip
NOWHERE = (
    "/nowhere", "/api", "/api/", "/api/nowhere", "/api/schema/swagger", "/api/schema/openapi.yaml",
    "/api/tables/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "/..%5c..%5cwindows", "/t/a/b",
    "/static/../../etc/passwd", "/api/records/a%2fb", "/" + "a" * 8000, "/%00", "/%ff%fe",
)  # fmt: skip


def check_problem(answer: httpx.Response, status: int, code: Code) -> None:
    """An error as every error must be: JSON of one form, a known code, and nothing of the inside."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    found = answer.json()
    assert set(found) == {"code", "text"}
    assert found["code"] == code.value
    assert len(found["text"]) > 10
    check_telling(answer.text)


def check_headers(answer: httpx.Response) -> None:
    for name, value in HEADERS.items():
        assert answer.headers.get_list(name) == [value], f"{answer.request.url}: {name}"
    assert "server" not in answer.headers
    assert "x-powered-by" not in answer.headers
    if answer.request.url.path.startswith("/api"):
        assert answer.headers["cache-control"] == "no-store"


def token(client: Client) -> str:
    return str(client.http.cookies["lynxden"])


def bearing(client: Client) -> None:
    """Let a client send its token in a header: over plain HTTP it keeps a secure cookie to itself."""
    client.http.headers["Authorization"] = f"Bearer {token(client)}"


def finished_record(name: str = "Ann") -> dict[str, Any]:
    """A game that was played elsewhere."""
    recorder = Recorder(lynxden.new("linko", players=2, seed=1), [name, "Ben"])
    while not recorder.position.over:
        recorder.apply(recorder.position.legal_actions[0])
    return recorder.record().to_dict()


# --- Headers --------------------------------------------------------------------------------------------


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


# --- Cookies --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cookies", "found"),
    [
        (["lynxden=abc"], "abc"),
        (["a=b; lynxden=abc; c=d"], "abc"),
        (["a=b;lynxden=abc"], "abc"),
        (['lynxden="abc"'], "abc"),
        (['settings={"a": [1, 2]}; lynxden=abc'], "abc"),  # other programs on localhost set such
        (["expires=now; path; =; ;;; lynxden=abc"], "abc"),
        (["a@b(c)=d e f; lynxden=abc"], "abc"),
        (["\xff\xfe=\xff; lynxden=abc"], "abc"),
        (["a=b", "lynxden=abc"], "abc"),
        (["lynxden=first; lynxden=second"], "first"),
        (["xlynxden=abc; lynxden2=abc; LYNXDEN=abc"], None),
        (["a=lynxden=abc"], None),
        (["lynxden"], ""),
        (["lynxden="], ""),
        ([""], None),
        (["=" * 8000 + ";" * 8000], None),
    ],
)
def test_odd_cookies_of_others_hide_ours_not(cookies: list[str], found: str | None) -> None:
    assert token_of([(b"cookie", text.encode("latin-1")) for text in cookies]) == found


def test_a_bearer_token_comes_before_the_cookie() -> None:
    cookie = (b"cookie", b"lynxden=abc")
    for bearer in (b"Bearer xyz", b"bearer xyz", b"BEARER  xyz "):
        assert token_of([cookie, (b"authorization", bearer)]) == "xyz"
    assert token_of([(b"authorization", b"Basic xyz"), cookie]) == "abc"
    assert token_of([(b"authorization", b"Bearer \xff")]) == "\xff"


def test_wrong_tokens_are_nobody(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path)) as server,
            await server.arrive() as ann,
            httpx.AsyncClient(base_url=server.url) as http,
        ):
            good = token(ann).encode()
            wrong = [
                b"x",
                good[:-1],
                good + b"x",
                good.swapcase(),
                b"\xff" * 32,
                b"x" * 5000,
                b"' OR 1=1 --",
            ]
            for value in wrong:
                for header in ((b"authorization", b"Bearer " + value), (b"cookie", b"lynxden=" + value)):
                    check_problem(await http.get("/api/me", headers=[header]), 401, Code.WHO)
            answer = await http.get("/api/me", headers=[(b"cookie", b'a={"b":1}; lynxden=' + good)])
            assert answer.json()["id"] == ann.id

    run(story())


# --- Where requests come from ---------------------------------------------------------------------------


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


# --- Errors ---------------------------------------------------------------------------------------------


def test_bodies_that_are_none(tmp_path: Path) -> None:
    async def chunks(size: int) -> AsyncIterator[bytes]:
        for _ in range(size // 8192):
            yield b" " * 8192

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            for path in (
                "/api/me",
                "/api/tables",
                "/api/play",
                "/api/records",
                "/api/me/bots",
                "/api/tables/x/join",
            ):
                for body in NO_BODIES:
                    answer = await ann.http.post(path, content=body, headers=JSON)
                    if path == "/api/records" and answer.json()["code"] == "record":
                        check_problem(answer, 400, Code.RECORD)
                    elif path == "/api/records" and len(body) > MOST_RECORD:
                        check_problem(answer, 413, Code.TOO_LARGE)
                    else:
                        check_problem(answer, 400, Code.MALFORMED)
            for wrong in ({"name": 5}, {"name": None}, {"name": ["x"]}, {"name": "x" * 201}):
                check_problem(await ann.ask("PATCH", "/api/me", wrong), 400, Code.MALFORMED)
            for path, most in (("/api/me/bots", MOST_BYTES), ("/api/records", MOST_RECORD)):
                for content in (b" " * (most + 1), chunks(most + 8192)):
                    answer = await ann.http.post(path, content=content, headers=JSON)
                    check_problem(answer, 413, Code.TOO_LARGE)
            check_problem(
                await ann.http.post("/api/records", content=b" " * MOST_RECORD, headers=JSON),
                400,
                Code.MALFORMED,
            )
            assert await ann.get("/api/me") == ann.me | {"link": False}

    run(story())


def test_addresses_that_are_none(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            for path in NOWHERE:
                check_problem(await ann.http.get(path), 404, Code.NOT_FOUND)
            for odd in (
                "%00",
                "a%00",
                "%ff",
                "a%20b",
                "..",
                "%2e%2e",
                "'",
                "%22",
                "<b>",
                "ä",
                "a" * 65,
                "%F0%9F%A6%8A",
            ):
                for path in (
                    "/api/tables/x{}",
                    "/api/records/x{}",
                    "/api/players/x{}",
                    "/api/players/x{}/games",
                ):
                    check_problem(await ann.http.get(path.format(odd)), 400, Code.MALFORMED)
            for odd in ("%00", "%ff", "'%20OR%201=1", "x" * 80, "a%0d%0aSet-Cookie:%20x=y"):
                check_problem(await ann.http.get(f"/api/me/games?before={odd}"), 404, Code.NOT_FOUND)
                answer = await ann.http.get(f"/api/records/nothing?download={odd}")
                check_problem(answer, 400, Code.MALFORMED)
            for path in ("/api/tables/nothing", "/api/records/nothing", "/api/records/nothing/result",
                         "/api/players/nothing", "/api/players/nothing/games"):  # fmt: skip
                check_problem(await ann.http.get(path), 404, Code.NOT_FOUND)

    run(story())


def test_methods_that_are_not_taken(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            for method, path in (
                ("PUT", "/api/me"),
                ("POST", "/api/games"),
                ("DELETE", "/api/tables"),
                ("TRACE", "/api/me"),
            ):
                answer = await ann.http.request(method, path)
                check_problem(answer, 405, Code.MALFORMED)
                allowed = set(answer.headers["allow"].split(", "))
                assert "OPTIONS" in allowed
                assert method not in allowed
                assert ("GET" in allowed) == ("HEAD" in allowed)
            # Nobody can make one method look like another.
            answer = await ann.http.get("/api/me", headers={"x-http-method-override": "DELETE"})
            assert answer.json()["id"] == ann.id
            assert (await ann.get("/api/me"))["id"] == ann.id

    run(story())


def test_every_refusal_has_its_status(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path)) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Ben") as ben,
            httpx.AsyncClient(base_url=server.url) as nobody,
        ):
            table = (await ann.post("/api/tables", {"public": True, "seats": [{}, {}]}))["id"]
            at = f"/api/tables/{table}"
            asked: list[tuple[Code, Client, str, str, object]] = [
                (Code.OPTIONS, ann, "POST", "/api/tables", {"game": "chess"}),
                (Code.OPTIONS, ann, "POST", "/api/tables", {"edition": "nope"}),
                (Code.OPTIONS, ann, "POST", "/api/tables", {"seats": [{"kind": "bot", "bot": "nope"}, {}]}),
                (Code.OPTIONS, ann, "POST", "/api/tables", {"seats": [{"kind": "bot", "bot": "greedy"}] * 2}),
                (
                    Code.OPTIONS,
                    ann,
                    "POST",
                    "/api/tables",
                    {"clock": {"kind": "bank", "seconds": 1, "increment": 0}},
                ),
                (Code.OPTIONS, ann, "PATCH", "/api/me", {"name": "\u200b"}),
                (Code.OPTIONS, ann, "POST", f"{at}/start", {"bot": "nope"}),
                (Code.OPTIONS, ann, "PUT", f"/api/me/mutes/{ann.id}", None),
                (Code.OPTIONS, ben, "POST", f"{at}/join", {"seat": 4}),
                (Code.RECORD, ann, "POST", "/api/records", {"format": "lynxden/1"}),
                (Code.WHO, ann, "POST", "/api/me/claim", {"secret": "nope"}),
                (Code.NOT_HOST, ben, "POST", f"{at}/start", {}),
                (Code.NOT_HOST, ben, "POST", f"{at}/close", None),
                (Code.NOT_HOST, ben, "PUT", f"{at}/spectators", {"open": False}),
                (Code.NO_SEAT, ben, "POST", f"{at}/leave", None),
                (Code.NO_SEAT, ben, "POST", f"{at}/rematch", None),
                (Code.NOT_RUNNING, ann, "POST", f"{at}/rematch", None),
                (Code.SEAT_TAKEN, ben, "POST", f"{at}/join", {"seat": 0}),
                (Code.NOT_FOUND, ann, "DELETE", "/api/me/bots/nope", None),
                (Code.NOT_FOUND, ann, "PUT", "/api/me/mutes/nope", None),
                (Code.NOT_FOUND, ann, "POST", "/api/tables/nope/join", {}),
            ]
            for code, client, method, path, body in asked:
                check_problem(await client.ask(method, path, body), STATUS[code], code)
            for method, path in (("GET", "/api/me"), ("POST", "/api/tables/x/leave"), ("GET", f"{at}")):
                check_problem(await nobody.request(method, path), 401, Code.WHO)
            await ann.post(f"{at}/start", {})
            check_problem(await ann.ask("POST", f"{at}/close"), 409, Code.NOT_RUNNING)
            check_problem(await ann.ask("POST", f"{at}/start", {}), 409, Code.NOT_RUNNING)
            check_problem(await ben.ask("POST", f"{at}/join", {}), 409, Code.SEAT_TAKEN)
            await ann.ask("PUT", f"{at}/spectators", {"open": False})
            check_problem(await ben.ask("GET", at), 403, Code.NO_SPECTATORS)

    run(story())


def test_a_fault_of_the_server_tells_nothing_but_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:

            async def fail() -> tuple[Any, ...]:
                raise ZeroDivisionError("in /home/somebody/secret.py")

            monkeypatch.setattr(server.live.lobby, "rows", fail)
            answer = await ann.ask("GET", "/api/tables")
            check_problem(answer, 500, Code.INTERNAL)
            check_headers(answer)
            await ann.connect()
            refused = await ann.refused({"type": "lobby"})
            assert refused["code"] == "internal"
            check_telling(json.dumps(refused))
            await ann.send({"type": "ping"})
            await ann.next("pong")

    with caplog.at_level(logging.ERROR):
        run(story())
    assert sum("ZeroDivisionError" in (record.exc_text or "") for record in caplog.records) == 2


# --- The description ------------------------------------------------------------------------------------


class Page(HTMLParser):
    """What a page holds that could load or run something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


def test_the_description_runs_and_loads_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("<script>x</script>") as ann:
            answer = await ann.http.get("/api/schema")
            assert answer.headers["content-type"] == "text/html; charset=utf-8"
            found = Page(answer.text)
            assert not found.tags & {"script", "link", "img", "iframe", "object", "embed", "form", "base"}
            assert not [
                name for name, _ in found.attributes if name.startswith("on") or name in ("src", "style")
            ]
            links = {value for name, value in found.attributes if name == "href"}
            assert all(link.startswith("#") or link == "/api/schema/openapi.json" for link in links)
            targets = {value for name, value in found.attributes if name == "id"}
            assert {link[1:] for link in links if link.startswith("#")} <= targets, "a link leads nowhere"
            assert "url(" not in answer.text
            assert "@import" not in answer.text
            schema = (await ann.http.get("/api/schema/openapi.json")).json()
            for path in schema["paths"]:
                assert path in answer.text

    run(story())


def test_the_page_escapes_everything() -> None:
    bad = "<script>alert(1)</script>'\"&"
    schema: dict[str, Any] = {
        "info": {"title": bad, "description": bad},
        "paths": {
            f"/{bad}": {
                "get": {
                    "description": bad,
                    "requestBody": {"content": {"x": {"schema": {"$ref": f"#/{bad}"}}}},
                    "responses": {bad: {"description": bad, "content": {"x": {"schema": {"type": bad}}}}},
                }
            }
        },
        "components": {
            "schemas": {bad: {"description": bad, "properties": {bad: {"description": bad, "type": [bad]}}}}
        },
    }
    text = page(schema)
    assert "<script" not in text
    assert "alert(1)" in text
    assert "script" not in Page(text).tags


# --- The page -------------------------------------------------------------------------------------------


def test_the_page_and_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = {
        "/index.html": pages.File(b"<!doctype html>index", None, "text/html"),
        "/robots.txt": pages.File(b"nothing for you", None, "text/plain"),
        "/assets/app-1.js": pages.File(b"let x", None, "text/javascript"),
    }
    (tmp_path / "secret.txt").write_text("secret")

    async def story() -> None:
        monkeypatch.setattr(pages, "load", lambda: built)
        async with serving(free_data(tmp_path)) as server, httpx.AsyncClient(base_url=server.url) as http:
            for path in ("/", "/me/x", "/t/x?i=<script>alert(1)</script>", "/t/..%5c..", "/g/%00", "/me/%ff"):
                answer = await http.get(path)
                assert answer.content == b"<!doctype html>index"
                check_headers(answer)
                assert answer.headers["cache-control"] == "no-cache"
            for path in ("/robots.txt", "/robots.txt/", "//robots.txt"):
                answer = await http.get(server.url + path)
                assert answer.status_code == 200 or answer.json()["code"] == "not-found", path
                check_headers(answer)
            answer = await http.get("/assets/app-1.js")
            assert answer.text == "let x"
            check_headers(answer)
            for name in ("app-1.jsx", "..%2fsecret.txt", "%2e%2e%2findex.html", "%00", "x" * 201, "%ff"):
                answer = await http.get(f"{server.url}/assets/{name}")
                assert answer.status_code in (400, 404)
                assert answer.json()["code"] in ("not-found", "malformed")
                check_telling(answer.text)
        monkeypatch.setattr(pages, "load", dict)
        async with serving(free_data(tmp_path)) as server, httpx.AsyncClient(base_url=server.url) as http:
            answer = await http.get("/")  # not built
            assert answer.status_code == 503
            check_headers(answer)

    run(story())


# --- For whoever runs the server ------------------------------------------------------------------------


def test_metrics_with_and_without_a_token(tmp_path: Path) -> None:
    async def ask(http: httpx.AsyncClient, given: bytes | None) -> httpx.Response:
        headers = [] if given is None else [(b"authorization", given)]
        return await http.get("/metrics", headers=headers)

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, httpx.AsyncClient(base_url=server.url) as http:
            answer = await ask(http, None)
            assert answer.status_code == 200
            assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
            assert "lynxden_sockets 0.0" in answer.text
        async with (
            serving(free_data(tmp_path), metrics_token="sesame-ä") as server,
            httpx.AsyncClient(base_url=server.url) as http,
        ):
            for wrong in (
                None,
                b"",
                b"Bearer",
                b"Bearer sesam",
                b"sesame",
                b"Bearer \xff\xff",
                b"Basic x",
            ):
                check_problem(await ask(http, wrong), 401, Code.WHO)
            # Headers are read as Latin-1.
            assert (await ask(http, "Bearer sesame-ä".encode("latin-1"))).status_code == 200

    run(story())


def test_metrics_do_not_grow_with_what_strangers_ask(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            for number in range(50):
                await ann.http.get(f"/nowhere/{number}")
                await ann.http.get(f"/api/records/x{number}")
            text = (await ann.http.get("/metrics")).text
            assert len([line for line in text.splitlines() if line.startswith("lynxden_requests_total")]) < 10
            assert "nowhere/" not in text

    run(story())


def test_ready_only_with_a_database(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            cookie = token(ann)
            await ann.connect()
            assert (await ann.http.get("/readyz")).text == "ready\n"
            server.live.context.tasks.closing = True
            assert (await ann.http.get("/readyz")).status_code == 503
            server.live.context.tasks.closing = False
            await server.live.context.store.close()
            answer = await ann.http.get("/readyz")
            assert answer.status_code == 503
            check_telling(answer.text)
            assert (await ann.http.get("/healthz")).text == "ok\n"
            assert (await ann.http.get("/metrics")).status_code == 200
            for method, path in (("GET", "/api/me"), ("GET", "/api/tables"), ("POST", "/api/tables/x/leave")):
                check_problem(await ann.ask(method, path), 503, Code.UNAVAILABLE)
            refused = await ann.refused({"type": "watch", "table": "x"})
            assert refused["code"] == "unavailable"
            url = server.url.replace("http", "ws", 1) + "/api/socket"
            async with connect(url, additional_headers={"Cookie": f"lynxden={cookie}"}) as socket:
                with pytest.raises(ConnectionClosed):
                    await asyncio.wait_for(socket.recv(), SECONDS)
                assert socket.close_code == 1012

    run(story())


def test_forwarded_addresses_are_believed_only_from_known_proxies(tmp_path: Path) -> None:
    async def guests(**settings: Any) -> list[int]:
        statuses = []
        async with serving(free_data(tmp_path), guests_per_hour=2, **settings) as server:
            for number in range(4):
                async with httpx.AsyncClient(base_url=server.url) as http:
                    headers = {"x-forwarded-for": f"10.0.0.{number}"}
                    statuses.append((await http.post("/api/me", json={}, headers=headers)).status_code)
        return statuses

    assert run(guests()) == [200, 429, 429, 429]
    assert run(guests(proxies="10.9.9.9")) == [200, 429, 429, 429]
    assert run(guests(proxies="127.0.0.1")) == [200] * 4


# --- Identities -----------------------------------------------------------------------------------------


def test_personal_links_carry_the_identity_until_they_are_revoked(tmp_path: Path) -> None:
    async def claim(url: str, path: str) -> Client | None:
        http = httpx.AsyncClient(base_url=url)
        answer = await http.post("/api/me/claim", json={"secret": path.rpartition("#")[2]})
        if answer.status_code != 200:
            check_problem(answer, 401, Code.WHO)
            assert not answer.cookies
            await http.aclose()
            return None
        return Client(url, http, answer.json())

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            first = (await ann.post("/api/me/link"))["path"]
            assert (await ann.get("/api/me"))["link"] is True
            phone = await claim(server.url, first)
            assert phone is not None
            assert phone.me["id"] == ann.id
            assert token(phone) != token(ann)
            second = (await ann.post("/api/me/link"))["path"]
            assert second != first
            assert await claim(server.url, first) is None, "a link that was replaced still works"
            tablet = await claim(server.url, second)
            assert tablet is not None
            assert (await ann.http.delete("/api/me/link")).status_code == 204
            assert await claim(server.url, second) is None, "a link that was revoked still works"
            assert (await tablet.get("/api/me"))["id"] == ann.id
            third = (await ann.post("/api/me/link"))["path"]
            await phone.connect()
            await ann.connect()
            answer = await ann.http.delete("/api/me/devices")
            assert answer.json() == {"count": 2}
            assert phone.socket is not None
            await asyncio.wait_for(phone.socket.wait_closed(), SECONDS)
            assert phone.socket.close_code == 4401, "another device keeps its socket"
            for other in (phone, tablet):
                check_problem(await other.ask("GET", "/api/me"), 401, Code.WHO)
                await other.close()
            assert await claim(server.url, third) is None
            await ann.send({"type": "ping"})
            await ann.next("pong")
            assert (await ann.get("/api/me"))["id"] == ann.id

    run(story())


def test_whoever_is_forgotten_is_gone(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            link = (await ann.post("/api/me/link"))["path"]
            bot = await ann.post("/api/me/bots", {"name": "Robo"})
            program = await Client.arrive(server.url, token=bot["token"])
            await program.connect()
            await ann.connect()
            assert (await ann.http.delete("/api/me")).status_code == 204
            for client in (ann, program):
                assert client.socket is not None
                await asyncio.wait_for(client.socket.wait_closed(), SECONDS)
                assert client.socket.close_code == 4401
                check_problem(await client.ask("GET", "/api/me"), 401, Code.WHO)
            answer = await ann.http.post("/api/me/claim", json={"secret": link.rpartition("#")[2]})
            check_problem(answer, 401, Code.WHO)
            check_problem(await ann.http.get(f"/api/players/{ann.id}"), 404, Code.NOT_FOUND)
            await program.close()

    run(story())


async def whole_session(server: Running) -> list[str]:
    """Somebody uses everything that there is; the secrets that were told them on the way."""
    secrets: list[str] = []
    async with await server.arrive("Ann") as ann, await server.arrive("Ben") as ben:
        secrets += [token(ann), token(ben)]
        link = (await ann.post("/api/me/link"))["path"].rpartition("#")[2]
        async with httpx.AsyncClient(base_url=server.url) as other:
            claimed = await other.post("/api/me/claim", json={"secret": link})
            secrets += [link, claimed.cookies["lynxden"]]
            await other.get(f"/me/{link}")
            await other.post("/api/me/claim", json={"secret": link + "x"})
        bot = await ann.post("/api/me/bots", {"name": "Robo"})
        secrets.append(bot["token"])
        program = await Client.arrive(server.url, token=bot["token"])
        await program.connect()
        made = await ann.post("/api/tables", {"seats": [{}, {"kind": "invited"}], "speed": "instant"})
        secrets.append(made["invite"])
        await ann.connect()
        await ben.connect()
        await ben.watch(made["id"], invite=made["invite"])
        await ben.refused({"type": "watch", "table": made["invite"]})
        await ben.get(f"/api/tables/{made['id']}?invite={made['invite']}")
        await ben.post(f"/api/tables/{made['id']}/join", {"invite": made["invite"]})
        shown = await ann.watch(made["id"])
        await ann.send({"type": "say", "table": made["id"], "text": "hello"})
        await ann.act(made["id"], shown["game"]["own"]["legal"][0], shown["number"])
        await ann.refused({"type": "nonsense", "secret": link})
        await ann.http.get(made["path"])
        mine = [f"/api/me{rest}" for rest in ("", "/tables", "/games", "/ratings", "/bots", "/mutes")]
        all_ = [
            "/api/games",
            "/api/tables",
            "/api/statistics",
            "/api/ladder/linko/classic",
            "/metrics",
            "/readyz",
        ]
        for path in (*mine, *all_, f"/api/players/{ben.id}", f"/api/players/{ben.id}/games"):
            assert (await ann.http.get(path)).status_code == 200
        imported = await ann.post("/api/records", finished_record())
        assert (await ann.http.get(f"/api/records/{imported['id']}?download=true")).status_code == 200
        await ann.ask("PUT", f"/api/me/mutes/{ben.id}")
        await ann.ask("DELETE", f"/api/me/mutes/{ben.id}")
        await ann.ask("PATCH", "/api/me", {"name": "Anna"})
        await ben.post(f"/api/tables/{made['id']}/leave")
        await program.close()
        await ann.ask("DELETE", f"/api/me/bots/{bot['id']}")
        await ann.ask("DELETE", "/api/me/devices")
        await ann.ask("DELETE", "/api/me/link")
    return secrets


def test_the_database_holds_no_token(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            secrets = await whole_session(server)
            invite = secrets.pop()  # an invitation is told to everybody at the table, so it is kept as it is
            files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
            assert any(name.endswith("-wal") for name in files)
            assert any(invite.encode() in data for data in files.values()), "the search finds nothing at all"
            for secret in secrets:
                assert len(secret) == 32
                for name, data in files.items():
                    assert secret.encode() not in data, f"{name} holds a secret"

    run(story())


@contextmanager
def logged(level: str, style: str) -> Iterator[io.StringIO]:
    """What the server logs, as its command sets it up."""
    names = ("lynxden", "lynxden.access", "uvicorn", "uvicorn.error", "uvicorn.asgi")
    before = {
        name: (list(logger.handlers), logger.propagate, logger.level)
        for name in names
        for logger in [logging.getLogger(name)]
    }
    real, sys.stderr = sys.stderr, io.StringIO()
    try:
        log_output.set_up(level, style)
        yield sys.stderr
    finally:
        sys.stderr = real
        for name, (handlers, propagate, old) in before.items():
            logger = logging.getLogger(name)
            logger.handlers[:], logger.propagate = handlers, propagate
            logger.setLevel(old)


@pytest.mark.parametrize("style", ["text", "json"])
def test_the_log_holds_no_secret(tmp_path: Path, style: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> list[str]:
        async with serving(free_data(tmp_path)) as server:
            secrets = await whole_session(server)
            async with await server.arrive() as ann:
                await ann.connect()

                async def fail(key: str) -> Any:
                    raise ZeroDivisionError

                monkeypatch.setattr(server.live.tables, "get", fail)
                await ann.ask("GET", f"/api/tables/x?invite={secrets[-1]}")
                await ann.refused({"type": "watch", "table": "x", "invite": secrets[-1]})
            return secrets

    with logged("debug", style) as log:
        secrets = run(story())
    text = log.getvalue()
    lines = text.splitlines()
    assert sum("/api/me/claim" in line for line in lines) == 2, "the search finds nothing at all"
    assert "ZeroDivisionError" in text
    for secret in secrets:
        assert secret not in text
    if style == "json":
        found = [json.loads(line) for line in lines]
        assert all({"time", "level", "logger", "text"} <= set(line) for line in found)
        assert {line.get("route") for line in found if "traceback" in line} == {None, "/api/tables/{table}"}


def test_log_lines_cannot_be_forged() -> None:
    record = logging.makeLogRecord(
        {"msg": "a message failed", "table": "x\n2026-01-01 00:00:00 INFO forged\x1b[2J"}
    )
    assert "\n" not in log_output.TextFormatter().format(record)
    assert "\x1b" not in log_output.TextFormatter().format(record)
    assert "\n" not in log_output.JsonFormatter().format(record)


# --- Records from elsewhere -----------------------------------------------------------------------------


def test_imported_records_are_checked_and_tidied(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            evil = "<img src=x onerror=alert(1)>\u200b" + "e\u0301\u0301\u0301\u0301\u0301" + "x" * 500
            imported = await ann.post("/api/records", finished_record(evil))
            result = await ann.get(f"/api/records/{imported['id']}/result")
            name = result["players"][0]["name"]
            assert len(name) <= 24
            record = await ann.http.get(f"/api/records/{imported['id']}?download=true")
            assert record.headers["content-type"] == "application/json"
            assert re.fullmatch(
                r'attachment; filename="linko-[A-Za-z0-9]+\.jsonl"', record.headers["content-disposition"]
            )
            assert record.json()["seats"][0] == name
            good = finished_record()
            wrong: list[dict[str, Any]] = [
                {**good, "seats": ["\x00", "Ben"]},
                {**good, "seats": "AB"},
                {**good, "actions": good["actions"][:-1]},
                {**good, "actions": [*good["actions"], "pass"]},
                {**good, "actions": ["nonsense"] * 1000},
                {**good, "result": {**good["result"], "scores": [2**62, -(2**62)]}},
                {**good, "result": {**good["result"], "scores": [1e30, 1]}},
                {**good, "result": {"reason": "truncated"}},
                {**good, "deal": {}},
                {**good, "deal": {key: [] for key in good["deal"]}},
                {**good, "deal": dict.fromkeys(good["deal"], 2**63)},
                {**good, "deal": {key: [["7"] * 1000] * 5 for key in good["deal"]}},
                {**good, "starter": 2**63},
                {**good, "starter": -1},
                {**good, "game": "../../etc/passwd"},
                {**good, "game": "__class__"},
                {**good, "edition": "\u0000"},
                {**good, "legal": [[]] * len(good["actions"])},
            ]
            for record_ in wrong:
                answer = await ann.ask("POST", "/api/records", record_)
                assert answer.status_code == 400, (record_, answer.text)
                assert answer.json()["code"] in ("record", "malformed", "options")
                check_telling(answer.text)
            answer = await ann.ask("POST", "/api/records", {**good, "notes": "x" * 100_000})
            check_problem(answer, 413, Code.TOO_LARGE)

    run(story())


def test_settings_that_cannot_work_are_refused() -> None:
    from lynxden.games.errors import OptionsError
    from lynxden.server.settings import check, from_environment

    for name in ("requests", "messages", "absence", "bot_limit"):
        for value in ("nan", "inf", "-1", "-inf", "x", ""):
            with pytest.raises(OptionsError, match=f"(?i){name}"):
                from_environment({f"LYNXDEN_{name.upper()}": value})
    for wrong in (
        {"port": 65536},
        {"public_url": "javascript:alert(1)"},
        {"database": "x"},
        {"tables_per_guest": -1},
    ):
        with pytest.raises(OptionsError):
            check(Settings(**wrong))


def test_a_mistyped_address_shows_the_page_to_people_and_an_error_to_programs(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, httpx.AsyncClient(base_url=server.url) as http:
            for_people = await http.get("/nowhere", headers={"accept": "text/html"})
            assert for_people.status_code == 404
            assert for_people.headers["content-type"].startswith("text/html")
            for_programs = await http.get("/nowhere")
            assert (for_programs.status_code, for_programs.json()["code"]) == (404, "not-found")
            inside = await http.get("/api/nowhere", headers={"accept": "text/html"})
            assert inside.json()["code"] == "not-found"

    run(story())
