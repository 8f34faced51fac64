"""Secrets that people are told: where they stand in links, and in which cookie."""

from __future__ import annotations

import re
from http.cookies import Morsel, SimpleCookie
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from websockets.asyncio.client import connect

from lynxden.server.http.cookies import COOKIE_SECONDS, token_of
from tests.server.kit import free_data, run, serving

HTTPS = "https://cards.example.org"


def test_links_hold_their_secret_where_browsers_do_not_send_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            made = await ann.post("/api/tables", {"seats": [{}, {"kind": "invited"}]})
            found = urlsplit(made["path"])
            assert (found.path, found.query, found.fragment) == (
                f"/t/{made['id']}",
                "",
                f"i={made['invite']}",
            )
            found = urlsplit((await ann.post("/api/me/link"))["path"])
            assert (found.path, found.query) == ("/me", "")
            claimed = await ann.post("/api/me/claim", {"secret": found.fragment})
            assert claimed["id"] == ann.id
            played = await ann.post("/api/play", {"speed": "instant"})
            assert urlsplit(played["path"]).query == ""

    run(story())


# --- Cookies --------------------------------------------------------------------------------------------


def set_by(answer: httpx.Response) -> dict[str, Morsel[str]]:
    """The cookies that an answer sets."""
    found: dict[str, Morsel[str]] = {}
    for text in answer.headers.get_list("set-cookie"):
        found |= SimpleCookie(text)
    return found


def browser(url: str, *cookies: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=url, headers={"Cookie": "; ".join(cookies)} if cookies else {})


@pytest.mark.parametrize(
    ("public_url", "name"),
    [(HTTPS, "__Host-lynxden"), ("http://cards.example.org", "lynxden"), ("", "lynxden")],
)
def test_the_cookie_belongs_to_this_host_alone(tmp_path: Path, public_url: str, name: str) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path), public_url=public_url) as server:
            async with browser(server.url) as http:
                answer = await http.post("/api/me", json={})
            (cookie,) = set_by(answer).values()
            assert cookie.key == name
            assert re.fullmatch("[A-Za-z0-9_-]{32}", cookie.value)
            assert cookie["path"] == "/"
            assert cookie["domain"] == ""
            assert bool(cookie["secure"]) == (public_url == HTTPS)
            assert cookie["httponly"]
            assert cookie["max-age"] == str(COOKIE_SECONDS)
            async with browser(server.url, f"{name}={cookie.value}") as http:
                again = await http.post("/api/me", json={})
                assert again.json() == answer.json()
                assert {key: each.value for key, each in set_by(again).items()} == {name: cookie.value}
            address = server.url.replace("http", "ws", 1) + "/api/socket"
            async with connect(address, additional_headers={"Cookie": f"{name}={cookie.value}"}) as socket:
                assert answer.json()["id"] in str(await socket.recv())

    run(story())


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_a_cookie_of_the_old_name_is_replaced(tmp_path: Path, method: str) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path), public_url=HTTPS) as server, await server.arrive() as ann:
            token = ann.http.cookies["__Host-lynxden"]
            async with browser(server.url, f"lynxden={token}") as http:
                answer = await http.request(method, "/api/me", json={} if method == "POST" else None)
                assert answer.json()["id"] == ann.id
                assert (await http.get("/api/me/tables")).status_code == 200
            cookies = set_by(answer)
            assert set(cookies) == {"__Host-lynxden", "lynxden"}
            assert cookies["__Host-lynxden"].value == token
            assert cookies["__Host-lynxden"]["secure"]
            assert (cookies["lynxden"].value, cookies["lynxden"]["max-age"]) == ("", "0")
            secret = (await _linked(server.url, token)).rpartition("#")[2]
            async with browser(server.url, f"lynxden={token}") as http:
                claimed = set_by(await http.post("/api/me/claim", json={"secret": secret}))
            assert claimed["__Host-lynxden"].value != token
            assert claimed["lynxden"]["max-age"] == "0"

    async def _linked(url: str, token: str) -> str:
        async with httpx.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {token}"}) as http:
            answer = await http.post("/api/me/link")
            assert not set_by(answer)
            return str(answer.json()["path"])

    run(story())


def test_whoever_signs_out_keeps_no_cookie_of_either_name(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path), public_url=HTTPS) as server, await server.arrive() as ann:
            token = ann.http.cookies["__Host-lynxden"]
            async with browser(server.url, f"__Host-lynxden={token}", "lynxden=planted") as http:
                (session,) = (await http.get("/api/me/sessions")).json()
                cookies = set_by(await http.delete(f"/api/me/sessions/{session['id']}"))
            assert {name: each["max-age"] for name, each in cookies.items()} == {
                "__Host-lynxden": "0",
                "lynxden": "0",
            }

    run(story())


def test_without_https_the_old_name_stays(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            async with browser(server.url, f"lynxden={ann.http.cookies['lynxden']}") as http:
                for method in ("POST", "GET"):
                    answer = await http.request(method, "/api/me", json={} if method == "POST" else None)
                    assert answer.json()["id"] == ann.id
                    assert set(set_by(answer)) == {"lynxden"}

    run(story())


@pytest.mark.parametrize(
    ("cookies", "found"),
    [
        (["__Host-lynxden=abc"], "abc"),
        (["__Host-lynxden=abc; lynxden=planted"], "abc"),
        (["lynxden=planted; __Host-lynxden=abc"], "abc"),
        (["lynxden=planted", "__Host-lynxden=abc"], "abc"),
        (["__host-lynxden=abc; __Secure-lynxden=abc; x__Host-lynxden=abc"], None),
    ],
)
def test_no_other_host_can_put_a_cookie_before_ours(cookies: list[str], found: str | None) -> None:
    assert token_of([(b"cookie", text.encode()) for text in cookies]) == found
