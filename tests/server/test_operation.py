"""For whoever runs the server: metrics, readiness, proxies, settings."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from lynxden.server.errors import Code
from lynxden.server.settings import Settings
from tests.server.answers import check_problem, token
from tests.server.kit import SECONDS, check_telling, free_data, run, serving


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
