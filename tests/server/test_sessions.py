"""The devices on which somebody is signed in: listed for them, ended by them, or by long disuse."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from lynxden.server import sanitize
from lynxden.server.http.cookies import COOKIE_SECONDS
from lynxden.server.ids import digest
from lynxden.server.live.clock import Clock
from lynxden.server.settings import Settings
from lynxden.server.store import guests
from tests.server.kit import SECONDS, Client, Running, free_data, run, serving
from tests.server.postgres import Postgres

PHONE = "Mozilla/5.0 (Android 14; Mobile; rv:128.0) Gecko/128.0 Firefox/128.0"
LAPTOP = (
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.5 Safari/605.1.15"
)
DAY = 86_400_000
START = 1_800_000_000_000
AT_ONCE: dict[str, Any] = {"beat": 100.0, "lease": 300.0}
"""Sockets are not compared with the database meanwhile: whatever closes them is the message itself."""


class Time(Clock):
    """A clock whose wall time goes when it is told to."""

    def __init__(self) -> None:
        self.at = START

    def now(self) -> int:
        return self.at


async def device(server: Running, agent: str, owner: Client | None = None) -> Client:
    """Somebody's browser: a new guest, or the owner of a personal link."""
    http = httpx.AsyncClient(base_url=server.url, headers={"User-Agent": agent}, timeout=SECONDS)
    if owner is None:
        answer = await http.post("/api/me", json={"name": "Ann"})
    else:
        secret = (await owner.post("/api/me/link"))["path"].rpartition("#")[2]
        answer = await http.post("/api/me/claim", json={"secret": secret})
    assert answer.status_code == 200
    return Client(server.url, http, answer.json())


async def code_of_close(client: Client) -> int | None:
    assert client.socket is not None
    with suppress(ConnectionClosed):
        while True:
            await asyncio.wait_for(client.socket.recv(), SECONDS)
    return client.socket.close_code


def devices(found: list[dict[str, Any]]) -> list[tuple[str, bool]]:
    return [(each["device"], each["here"]) for each in found]


def test_somebody_sees_their_devices_and_ends_one(database_url: str) -> None:
    time = Time()

    async def story() -> None:
        async with serving(database_url, clock=time, **AT_ONCE) as server:
            laptop = await device(server, LAPTOP)
            time.at += 1000
            phone = await device(server, PHONE, laptop)
            time.at += 1000
            tablet = await device(server, "", laptop)
            found = await laptop.get("/api/me/sessions")
            assert devices(found) == [("Safari · macOS", True), ("", False), ("Firefox · Android", False)]
            assert [each["created_at"] for each in found] == [START, START + 2000, START + 1000]
            assert [each["seen_at"] for each in found] == [START, START + 2000, START + 1000]
            assert len({each["id"] for each in found}) == 3
            assert devices(await phone.get("/api/me/sessions"))[0] == ("Firefox · Android", True)

            for client in (laptop, phone, tablet):
                await client.connect()
            (ended,) = [each["id"] for each in found if each["device"] == "Firefox · Android"]
            assert (await laptop.ask("DELETE", f"/api/me/sessions/{ended}")).status_code == 204
            assert await code_of_close(phone) == 4401
            assert (await phone.ask("GET", "/api/me")).status_code == 401
            for client in (laptop, tablet):
                await client.send({"type": "ping"})
                await client.next("pong")
                assert (await client.get("/api/me"))["id"] == laptop.id
            assert len(await laptop.get("/api/me/sessions")) == 2
            again = await laptop.ask("DELETE", f"/api/me/sessions/{ended}")
            assert (again.status_code, again.json()["code"]) == (404, "not-found")
            for client in (laptop, phone, tablet):
                await client.close()

    run(story())


def test_at_all_servers(postgres: Postgres) -> None:
    async def story() -> None:
        database = postgres.new_database()
        async with serving(database, **AT_ONCE) as here, serving(database, **AT_ONCE) as there:
            ann = await device(here, LAPTOP)
            phone = await device(there, PHONE, ann)
            tablet = await device(there, "tablet", ann)
            for client in (ann, phone, tablet):
                await client.connect()
            (ended,) = [
                each["id"] for each in await ann.get("/api/me/sessions") if "Firefox" in each["device"]
            ]
            assert (await ann.ask("DELETE", f"/api/me/sessions/{ended}")).status_code == 204
            assert await code_of_close(phone) == 4401
            for client in (ann, tablet):
                await client.send({"type": "ping"})
                await client.next("pong")
            for client in (ann, phone, tablet):
                await client.close()

    run(story())


def test_the_device_at_hand_can_be_signed_out(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path), **AT_ONCE) as server:
            laptop = await device(server, LAPTOP)
            phone = await device(server, PHONE, laptop)
            await phone.connect()
            (here,) = [each["id"] for each in await phone.get("/api/me/sessions") if each["here"]]
            answer = await phone.ask("DELETE", f"/api/me/sessions/{here}")
            assert answer.status_code == 204
            assert "lynxden" not in phone.http.cookies, "the cookie stays"
            assert await code_of_close(phone) == 4401
            assert (await laptop.get("/api/me"))["id"] == laptop.id
            for client in (laptop, phone):
                await client.close()

    run(story())


def test_an_id_of_a_session_is_no_token_and_nobody_elses_business(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            ann, eve = await device(server, LAPTOP), await device(server, PHONE)
            (session,) = await ann.get("/api/me/sessions")
            token = ann.http.cookies["lynxden"]
            assert session["id"] not in (token, digest(token))
            assert session["id"] not in digest(token)
            for secret in (session["id"], digest(token)):
                for header in ({"Authorization": f"Bearer {secret}"}, {"Cookie": f"lynxden={secret}"}):
                    async with httpx.AsyncClient(base_url=server.url, headers=header) as thief:
                        assert (await thief.get("/api/me")).status_code == 401
            for name in (session["id"], digest(token), token, "x"):
                answer = await eve.ask("DELETE", f"/api/me/sessions/{name}")
                assert answer.status_code in (400, 404)  # a token may hold what no id does
            assert (await ann.get("/api/me"))["id"] == ann.id
            async with httpx.AsyncClient(base_url=server.url) as nobody:
                assert (await nobody.get("/api/me/sessions")).status_code == 401
                assert (await nobody.delete(f"/api/me/sessions/{session['id']}")).status_code == 401
            for client in (ann, eve):
                await client.close()

    run(story())


@pytest.mark.parametrize("days", [400, 30, 2, 0])
def test_a_token_ends_after_long_disuse(database_url: str, days: int) -> None:
    time = Time()
    settings: dict[str, Any] = {} if days == Settings().session_days else {"session_days": days}

    async def story() -> None:
        async with serving(database_url, clock=time, **settings) as server:
            laptop = await device(server, LAPTOP)
            phone = await device(server, PHONE, laptop)
            time.at += max(days - 1, 1) * DAY
            assert (await phone.get("/api/me/tables")) == {"tables": []}  # any use counts
            time.at += 2 * DAY
            assert (await phone.get("/api/me"))["id"] == laptop.id
            answer = await laptop.ask("GET", "/api/me")
            assert answer.status_code == (401 if days else 200)
            listed = devices(await phone.get("/api/me/sessions"))
            assert [name for name, _ in listed] == [
                "Firefox · Android",
                *([] if days else ["Safari · macOS"]),
            ]
            if days:
                with pytest.raises(ConnectionClosed):
                    await laptop.connect()
            # Whoever comes with such a cookie is a new guest.
            assert ((await laptop.post("/api/me", {}))["id"] == laptop.id) == (days == 0)
            for client in (laptop, phone):
                await client.close()

    run(story())


def test_a_cookie_lasts_as_long_as_it_is_used(tmp_path: Path) -> None:
    """Browsers keep a cookie for 400 days, so it is set anew with every visit."""

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            ann = await device(server, LAPTOP)
            token = ann.http.cookies["lynxden"]
            for method in ("POST", "GET"):
                answer = await ann.ask(method, "/api/me", {} if method == "POST" else None)
                assert f"lynxden={token}; " in answer.headers["set-cookie"]
                assert f"Max-Age={COOKIE_SECONDS}" in answer.headers["set-cookie"]
            async with httpx.AsyncClient(
                base_url=server.url, headers={"Authorization": f"Bearer {token}"}
            ) as program:
                assert "set-cookie" not in (await program.post("/api/me", json={})).headers
            await ann.close()

    run(story())


def test_uses_are_noted_once_an_hour(tmp_path: Path) -> None:
    time = Time()

    async def story() -> None:
        async with serving(free_data(tmp_path), clock=time) as server:
            ann = await device(server, LAPTOP)
            token, store = digest(ann.http.cookies["lynxden"]), server.live.context.store
            for minutes, noted in ((59, 0), (61, 61), (100, 61), (300, 300)):
                time.at = START + minutes * 60_000
                await ann.get("/api/me/tables")
                (found,) = await store.read(guests.sessions, [token])
                assert found is not None
                assert found.seen_at == START + noted * 60_000
            await ann.close()

    run(story())


def test_an_open_socket_is_a_use(tmp_path: Path) -> None:
    """Somebody who leaves a page open for days is not taken for absent."""
    time = Time()

    async def story() -> None:
        async with serving(free_data(tmp_path), clock=time, **AT_ONCE) as server:
            laptop = await device(server, LAPTOP)
            phone = await device(server, PHONE, laptop)
            await phone.connect()
            time.at += 30 * DAY
            await server.live.people.check()
            store = server.live.context.store
            for client, seen in ((phone, START + 30 * DAY), (laptop, START)):
                (found,) = await store.read(guests.sessions, [digest(client.http.cookies["lynxden"])])
                assert found is not None
                assert found.seen_at == seen
            for client in (laptop, phone):
                await client.close()

    run(story())


# --- How many there can be ------------------------------------------------------------------------------


async def alive(client: Client) -> bool:
    """Whether a device is still signed in, which its socket must agree with."""
    valid = (await client.ask("GET", "/api/me/tables")).status_code == 200
    if not valid:
        assert await code_of_close(client) == 4401
    else:
        await client.send({"type": "ping"})
        await client.next("pong")
    return valid


def test_one_device_too_many_signs_out_the_one_unused_for_longest(database_url: str) -> None:
    time = Time()

    async def story() -> None:
        async with serving(database_url, clock=time, sessions_per_guest=3, **AT_ONCE) as server:
            stranger = await device(server, LAPTOP)
            laptop = await device(server, LAPTOP)
            made = [laptop]
            for number in range(2):
                time.at += DAY
                made.append(await device(server, f"device{number}", laptop))
            for client in (stranger, *made):
                await client.connect()  # which is a use
            time.at += DAY
            for client in (laptop, made[2]):
                await client.get("/api/me")
            made.append(await device(server, "device2", laptop))
            assert [await alive(client) for client in made[:3]] == [True, False, True]
            assert (await made[3].get("/api/me"))["id"] == laptop.id
            assert len(await laptop.get("/api/me/sessions")) == 3
            assert await alive(stranger)
            # A link that is not valid ends nothing.
            refused = await stranger.ask("POST", "/api/me/claim", {"secret": "x" * 32})
            assert refused.status_code == 401
            assert len(await laptop.get("/api/me/sessions")) == 3
            for client in (stranger, *made):
                await client.close()

    run(story())


def test_at_all_servers_too(postgres: Postgres) -> None:
    async def story() -> None:
        database = postgres.new_database()
        settings = {**AT_ONCE, "sessions_per_guest": 2}
        async with serving(database, **settings) as here, serving(database, **settings) as there:
            ann = await device(here, LAPTOP)
            phone = await device(there, PHONE, ann)
            await phone.connect()
            await asyncio.sleep(0.01)  # a later millisecond
            await ann.get("/api/me")
            tablet = await device(here, "tablet", ann)
            assert await code_of_close(phone) == 4401
            assert (await phone.ask("GET", "/api/me")).status_code == 401
            for client in (ann, tablet):
                assert (await client.get("/api/me"))["id"] == ann.id
            for client in (ann, phone, tablet):
                await client.close()

    run(story())


@pytest.mark.parametrize(("most", "kept"), [(4, 4), (1, 1), (0, 13)])
def test_many_at_once_are_counted(database_url: str, most: int, kept: int) -> None:
    async def story() -> None:
        async with serving(database_url, sessions_per_guest=most) as server:
            ann = await device(server, LAPTOP)
            secret = (await ann.post("/api/me/link"))["path"].rpartition("#")[2]

            async def claim() -> Client:
                http = httpx.AsyncClient(base_url=server.url, timeout=SECONDS)
                answer = await http.post("/api/me/claim", json={"secret": secret})
                assert answer.status_code == 200
                return Client(server.url, http, answer.json())

            others = await asyncio.gather(*(claim() for _ in range(12)))
            answers = [await client.ask("GET", "/api/me") for client in (ann, *others)]
            assert [answer.status_code for answer in answers].count(200) == kept
            for client in (ann, *others):
                await client.close()

    run(story())


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (PHONE, "Firefox · Android"),
        (LAPTOP, "Safari · macOS"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 "
         "Safari/537.36", "Chrome · Windows"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 "
         "Safari/537.36 Edg/126.0.0.0", "Edge · Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
         "CriOS/126.0 Mobile/15E148 Safari/604.1", "Chrome · iPhone"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox · Linux"),
        ("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/126.0 Safari/537.36",
         "Chrome · ChromeOS"),
        ("Mozilla/5.0 (Linux; Android 14; SM-S901B) AppleWebKit/537.36 (KHTML, like Gecko) "
         "SamsungBrowser/25.0 Chrome/121.0 Mobile Safari/537.36", "Samsung Internet · Android"),
        ("python-httpx/0.27.0", "python-httpx/0.27.0"),
        ("curl/8.5.0 extra", "curl/8.5.0"),
        ("Mozilla/5.0 (Unknown)", ""),
        ("", ""),
        ("<script>alert(1)</script>", ""),
        ("x" * 5000, "x" * 40),
        ("bot\u202e\x00<b>", "bot"),
        ("\xff\xfe", ""),
    ],
)  # fmt: skip
def test_devices_in_a_word_or_two(agent: str, name: str) -> None:
    assert sanitize.device(agent) == name
    assert len(name) <= sanitize.DEVICE_LENGTH
