"""Requests that are wrong get an error of one form, which tells nothing of the inside."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from lynxden.server.errors import STATUS, Code
from lynxden.server.http.app import MOST_BYTES
from lynxden.server.http.records import MOST_RECORD
from tests.server.answers import JSON, check_headers, check_problem
from tests.server.kit import Client, check_telling, free_data, run, serving

NO_BODIES = (
    b"", b"{", b"nope", b"[]", b"null", b"5", b'"x"', b"[" * 200_000, b'{"a":' * 40_000, b'{"a":NaN}',
    b'{"a":1e999}', b'{"a":' + b"9" * 5000 + b"}", b'{"a":"\xff"}', b'{"a":"\\ud800"}', b'{"a":"\x00"}',
    b"\xef\xbb\xbf{}", '{"name":"x"}'.encode("utf-16"), b'{"name":"x"} {}', b'{"unknown":1}',
)  # fmt: skip
NOWHERE = (
    "/nowhere", "/api", "/api/nowhere", "/api/schema/swagger", "/api/schema/openapi.yaml",
    "/api/tables/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "/..%5c..%5cwindows", "/t/a/b",
    "/static/../../etc/passwd", "/api/records/a%2fb", "/" + "a" * 8000, "/%00", "/%ff%fe",
)  # fmt: skip


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
