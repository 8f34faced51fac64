"""Where a request comes from, and which addresses are served."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from lynxden.games.errors import OptionsError
from lynxden.server.http import slashes
from lynxden.server.http.guard import address
from lynxden.server.http.proxies import Proxies
from lynxden.server.live.connection import Close
from lynxden.server.settings import from_environment
from tests.server.kit import check_telling, free_data, run, serving

# --- Proxies --------------------------------------------------------------------------------------------


def asked(peer: str | None, *forwarded: str) -> dict[str, Any]:
    headers = [(b"x-forwarded-for", value.encode("latin-1")) for value in forwarded]
    return {"client": (peer, 1234) if peer else None, "headers": [(b"host", b"x"), *headers]}


@pytest.mark.parametrize(
    ("proxies", "peer", "forwarded", "client"),
    [
        # Nobody is trusted, or somebody else.
        ("", "192.0.2.1", ["198.51.100.7"], "192.0.2.1"),
        ("10.0.0.1", "192.0.2.1", ["198.51.100.7"], "192.0.2.1"),
        # One proxy: what it wrote is at the right.
        ("10.0.0.1", "10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", "10.0.0.1", ["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", "10.0.0.1", ["203.0.113.9", "198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", "10.0.0.1", [], "10.0.0.1"),
        # Several, also as networks.
        ("10.0.0.1, 10.0.0.2", "10.0.0.1", ["203.0.113.9, 198.51.100.7,10.0.0.2"], "198.51.100.7"),
        ("10.0.0.0/8,2001:db8::/32", "10.9.9.9", ["1.1.1.1, 198.51.100.7, 2001:db8::5"], "198.51.100.7"),
        ("10.0.0.1/8", "10.9.9.9", ["198.51.100.7"], "198.51.100.7"),
        ("10.0.0.0/8", "10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        # Anybody: the rightmost.
        ("*", "192.0.2.1", ["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
        ("*", "192.0.2.1", ["203.0.113.9", "198.51.100.7"], "198.51.100.7"),
        ("*", "192.0.2.1", [], "192.0.2.1"),
        ("*", None, ["198.51.100.7"], "198.51.100.7"),
        ("*, 10.0.0.2", "192.0.2.1", ["203.0.113.9, 198.51.100.7, 10.0.0.2"], "198.51.100.7"),
        # IPv4 in the guise of IPv6, ports, brackets.
        ("10.0.0.1", "::ffff:10.0.0.1", ["198.51.100.7:4711"], "198.51.100.7"),
        ("10.0.0.1", "10.0.0.1", ["::ffff:198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", "10.0.0.1", ["[2001:db8::7]:4711"], "2001:db8::7"),
        ("10.0.0.1", "10.0.0.1", ["2001:db8::7"], "2001:db8::7"),
        ("::1", "::1", ['"fe80::7%eth0"'], "fe80::7"),
        # Nonsense: whoever sent it.
        ("10.0.0.1", "10.0.0.1", [""], "10.0.0.1"),
        ("10.0.0.1", "10.0.0.1", ["198.51.100.7, unknown"], "10.0.0.1"),
        ("10.0.0.1", "10.0.0.1", ["198.51.100.7,,"], "10.0.0.1"),
        ("10.0.0.0/8", "10.0.0.1", ["198.51.100.7, \xff\x00[, 10.0.0.2"], "10.0.0.2"),
        ("*", "192.0.2.1", ["x" * 60_000], "192.0.2.1"),
        ("10.0.0.0/8", "10.0.0.1", ["10.0.0.2," * 9_000], "10.0.0.1"),
    ],
)
def test_the_clients_address(proxies: str, peer: str | None, forwarded: list[str], client: str) -> None:
    assert Proxies(proxies).client(asked(peer, *forwarded)) == client


def test_a_network_of_ipv6_counts_as_one() -> None:
    proxies = Proxies("10.0.0.1")
    for forwarded, counted in {
        "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
        "2001:db8:1:2::9": "2001:db8:1:2::/64",
        "::ffff:198.51.100.7": "198.51.100.7",
        "198.51.100.7": "198.51.100.7",
    }.items():
        assert address(proxies.seen(asked("10.0.0.1", forwarded))) == counted


@pytest.mark.parametrize("wrong", ["proxy.example.org", "10.0.0.0/40", "10.0.0.1; 10.0.0.2"])
def test_proxies_that_are_none(wrong: str) -> None:
    with pytest.raises(OptionsError, match="proxies are addresses"):
        from_environment({}, proxies=wrong)


def test_what_a_client_writes_itself_is_not_believed(tmp_path: Path) -> None:
    """A new address in every request, left of the one that the proxy adds, buys no new limits."""

    async def story(proxies: str) -> None:
        statuses = []
        async with serving(
            free_data(tmp_path), guests_per_hour=2, sockets_per_address=1, proxies=proxies
        ) as server:
            for number in range(3):
                headers = {"x-forwarded-for": f"203.0.113.{number}, 198.51.100.7"}
                async with httpx.AsyncClient(base_url=server.url, headers=headers) as http:
                    statuses.append((await http.post("/api/me", json={})).status_code)
            assert statuses == [200, 429, 429]
            async with await server.arrive() as ann:
                forwarded = "X-Forwarded-For", "203.0.113.1, 198.51.100.7"
                cookie = "Cookie", f"lynxden={ann.http.cookies['lynxden']}"
                url = server.url.replace("http", "ws", 1) + "/api/socket"
                async with connect(url, additional_headers=[cookie, forwarded]) as first:
                    assert '"hello"' in str(await first.recv())
                    forwarded = "X-Forwarded-For", "203.0.113.2, 198.51.100.7"
                    async with connect(url, additional_headers=[cookie, forwarded]) as second:
                        await second.wait_closed()
                        assert second.close_code == Close.TOO_MUCH
                    forwarded = "X-Forwarded-For", "203.0.113.1, 198.51.100.8"
                    async with connect(url, additional_headers=[cookie, forwarded]) as other:
                        assert '"hello"' in str(await other.recv())

    run(story("*"))
    run(story("127.0.0.1"))


# --- Slashes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "query", "where"),
    [
        ("/metrics/", b"", b"/metrics"),
        ("//metrics", b"", b"/metrics"),
        ("///", b"", b"/"),
        ("//evil.example/x/", b"", b"/evil.example/x"),
        ("/api//tables/", b"a=%20b&c[]=1", b"/api/tables?a=%20b&c[]=1"),
        ("//t/\\evil é\r\n", b"\xff<", b"/t/%5Cevil%20%C3%A9%0D%0A?%FF%3C"),
    ],
)
def test_plain_addresses(path: str, query: bytes, where: bytes) -> None:
    assert not slashes.is_plain(path)
    assert slashes.location({"path": path, "query_string": query}) == where


def test_an_address_has_one_spelling(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, httpx.AsyncClient() as http:
            for odd, right in {
                "/metrics/": "/metrics",
                "//metrics": "/metrics",
                "/%2Fmetrics": "/metrics",
                "/metrics%2f": "/metrics",
                "/healthz/": "/healthz",
                "//readyz//": "/readyz",
                "/api//games?x=%2F&y": "/api/games?x=%2F&y",
                "/api/schema/": "/api/schema",
                "/me/": "/me",
                "//example.org/": "/example.org",
            }.items():
                for method in ("GET", "HEAD"):
                    answer = await http.request(method, server.url + odd)
                    assert (answer.status_code, answer.headers.get("location")) == (308, right), odd
                    assert answer.content == b""
                    assert "content-security-policy" in answer.headers
                for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
                    answer = await http.request(method, server.url + odd)
                    assert answer.status_code == 404, (method, odd)
                    assert answer.json()["code"] == "not-found"
                    check_telling(answer.text)
            assert (await http.get(server.url + "/metrics/", follow_redirects=True)).status_code == 200
            assert (await http.get(server.url + "/")).status_code in (200, 503)
            for odd in ("//api/socket", "/api/socket/"):
                with pytest.raises(InvalidStatus) as refused:
                    await connect(server.url.replace("http", "ws", 1) + odd)
                assert refused.value.response.status_code == 403

    run(story())
