"""Reminders by Web Push, received by a push service that the test runs, and read as a browser reads them."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from lynxden.server import webpush
from lynxden.server.store import push
from lynxden.server.webpush import decode, derive, encode
from tests.server.kit import Client, Running, free_data, run, serving

OPEN = {"kind": "open"}
DAYS = {"kind": "decision", "seconds": 3 * 86400, "increment": 0}


class Browser:
    """A browser's side of a subscription."""

    def __init__(self) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.auth = os.urandom(16)

    def subscription(self, endpoint: str) -> dict[str, str]:
        keys = {"p256dh": encode(self.point), "auth": encode(self.auth)}
        return {"endpoint": endpoint, "language": "de", **keys}

    def read(self, body: bytes) -> Any:
        """Decrypt a message (RFC 8188 and 8291)."""
        salt, size = body[:16], body[20]
        assert int.from_bytes(body[16:20], "big") == 4096
        ours, sealed = body[21 : 21 + size], body[21 + size :]
        other = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), ours)
        key, nonce = derive(self.key.exchange(ec.ECDH(), other), self.auth, self.point, ours, salt)
        plain = AESGCM(key).decrypt(nonce, sealed, None)
        assert plain.endswith(b"\x02")
        return json.loads(plain[:-1])


class Service(HTTPServer):
    """A push service that keeps what it gets."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.got: list[tuple[str, dict[str, str], bytes]] = []
        self.status = 201
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.path, dict(self.headers), body))
        self.send_response(self.server.status)
        self.send_header("Location", "http://127.0.0.1:1/elsewhere")
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def service() -> Iterator[Service]:
    found = Service()
    thread = threading.Thread(target=found.serve_forever)
    thread.start()
    yield found
    found.shutdown()
    thread.join()
    found.server_close()


async def until(true: Any) -> None:
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0.01)


async def slow_game(server: Running, clock: object = DAYS) -> tuple[Client, Client, str]:
    """Two people at a slow table; the first is there and has to decide, the second is away."""
    ann, ben = await server.arrive("Ann"), await server.arrive("Ben")
    body = {"seats": [OPEN, OPEN], "edition": "classic", "public": True, "clock": clock}
    table = (await ann.post("/api/tables", body))["id"]
    await ben.post(f"/api/tables/{table}/join", {})
    return ann, ben, table


async def move(client: Client, table: str) -> None:
    """Decide until it is somebody else's turn."""
    if client.socket is None:
        await client.connect()
    shown = await client.watch(table)
    while shown["game"]["own"]["legal"]:
        answer = await client.act(table, shown["game"]["own"]["legal"][0], shown["number"])
        assert answer["type"] == "ack", answer
        shown = await client.watch(table)


def test_somebody_who_is_away_is_reminded(database_url: str, service: Service) -> None:
    async def story() -> None:
        async with serving(database_url, push_local=1, push_contact="mailto:den@example.org") as server:
            ann, ben, table = await slow_game(server)
            browser = Browser()
            key = (await ben.get("/api/push"))["key"]
            assert (await ann.get("/api/push"))["key"] == key, "the same for everybody"
            subscription = browser.subscription(f"{service.url}/to/ben?x=1")
            assert (await ben.ask("PUT", "/api/me/push", subscription)).status_code == 204
            await move(ann, table)
            await until(lambda: service.got)
            path, headers, body = service.got[0]
            assert path == "/to/ben?x=1"
            # It says where to go, and nothing of any card or person.
            assert browser.read(body) == {"kind": "turn", "table": table, "game": "linko", "language": "de"}
            assert (headers["Content-Encoding"], headers["Topic"]) == ("aes128gcm", table)
            assert int(headers["TTL"]) > 0
            # Signed by the key that the browser was told.
            scheme, _, rest = headers["Authorization"].partition(" ")
            token, known = (part.partition("=")[2] for part in rest.split(", "))
            assert (scheme, known) == ("vapid", key)
            head, claims, made = token.split(".")
            pair = utils.encode_dss_signature(
                *(int.from_bytes(decode(made)[at : at + 32], "big") for at in (0, 32))
            )
            public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode(key))
            public.verify(pair, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
            claimed = json.loads(decode(claims))
            assert claimed["aud"] == service.url
            assert claimed["sub"] == "mailto:den@example.org"
            assert claimed["exp"] > server.live.context.now() / 1000

            # Whoever is there is not reminded; nor is anybody once the browser has ended it.
            await ann.close()
            await ben.connect()
            await ben.watch(table)
            await until(lambda: server.live.tables.loaded[table].state.seats[1].here)
            assert len(service.got) == 1
            store = server.live.context.store
            assert len(await store.read(push.of_guest, ben.id)) == 1
            ended = await ben.ask("POST", "/api/me/push/end", {"endpoint": subscription["endpoint"]})
            assert ended.status_code == 204
            assert await store.read(push.of_guest, ben.id) == []
            # Another server on the same database has the same key; what belongs to somebody goes with them.
            await ben.ask("PUT", "/api/me/push", subscription)
            assert (await ben.ask("DELETE", "/api/me")).is_success
            assert await store.read(push.of_guest, ben.id) == []
            await ben.close()

    run(story())


def test_a_subscription_that_has_ended_is_forgotten(tmp_path: Any, service: Service) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path), push_local=1) as server:
            ann, ben, table = await slow_game(server)
            store = server.live.context.store
            await ben.ask("PUT", "/api/me/push", Browser().subscription(f"{service.url}/ben"))
            for status, left in ((302, 1), (500, 1), (410, 0)):
                service.status = status
                service.got.clear()
                server.live.reminders.turn(_decides(server, table, 1))
                await until(lambda: service.got)
                await until(lambda: not server.live.reminders._waiting)
                assert len(await store.read(push.of_guest, ben.id)) == left, status
            await ann.close()
            await ben.close()

    run(story())


def _decides(server: Running, table: str, seat: int) -> Any:
    """A stand-in for a state in which a seat has to decide."""

    class State:
        deciding, paused = seat, False
        seats = server.live.tables.loaded[table].state.seats
        plan = server.live.tables.loaded[table].state.plan
        id = table

    return State()


def test_quick_games_remind_nobody(tmp_path: Any, service: Service) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path), push_local=1) as server:
            ann, ben, table = await slow_game(server, {"kind": "decision", "seconds": 60})
            await ben.ask("PUT", "/api/me/push", Browser().subscription(f"{service.url}/ben"))
            await move(ann, table)
            await asyncio.sleep(0.3)
            assert service.got == []
            await ann.close()
            await ben.close()

    run(story())


WRONG = [
    "http://push.example.org/x",
    "https://127.0.0.1/x",
    "https://[::1]/x",
    "https://10.1.2.3:8443/x",
    "https://169.254.169.254/latest/meta-data",
    "https://user@push.example.org/x",
    "https:///x",
    "https://push.example.org:99999/x",
    "ftp://push.example.org/x",
    "javascript:alert(1)",
]


def test_endpoints_are_public_https_addresses(tmp_path: Any) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Ann") as ann:
            for endpoint in WRONG:
                answer = await ann.ask("PUT", "/api/me/push", Browser().subscription(endpoint))
                assert (answer.status_code, answer.json()["code"]) == (400, "options"), endpoint
            good = Browser().subscription("https://push.example.org/x")
            for field, value in (("p256dh", "AAAA"), ("auth", "AAAA"), ("p256dh", "?"), ("auth", "é")):
                answer = await ann.ask("PUT", "/api/me/push", {**good, field: value})
                assert (answer.status_code, answer.json()["code"]) == (400, "options"), field
            assert await server.live.context.store.read(push.of_guest, ann.id) == []
            # One person has so many browsers at most; the oldest goes.
            for number in range(push.MOST + 2):
                subscription = Browser().subscription(f"https://push.example.org/{number:02}")
                assert (await ann.ask("PUT", "/api/me/push", subscription)).status_code == 204
            kept = await server.live.context.store.read(push.of_guest, ann.id)
            assert len(kept) == push.MOST

    run(story())


def test_a_name_that_means_a_private_address_is_not_written_to(service: Service) -> None:
    """The address counts, when it is written to: a name may mean anything by then."""
    browser = Browser()
    found = browser.subscription(f"http://localhost:{service.server_port}/x")
    subscription = webpush.Subscription(found["endpoint"], found["p256dh"], found["auth"])
    with pytest.raises(webpush.PushError, match="no public address"):
        webpush.deliver(subscription, b"{}", "x", "vapid", 60, local=False)
    assert service.got == []
    assert webpush.deliver(subscription, b"{}", "x", "vapid", 60, local=True)
    assert len(service.got) == 1
