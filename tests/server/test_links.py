"""Personal links carry an identity to another device, until it is gone."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx

from lynxden.server.errors import Code
from tests.server.answers import check_problem, token
from tests.server.kit import SECONDS, Client, free_data, run, serving


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
