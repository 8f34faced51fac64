"""What `docs/hosting.md` tells people to install works: the proxies, the service, the firewall."""

from __future__ import annotations

import asyncio
import configparser
import os
import random
import re
import shutil
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from lynxden.server.http.app import MOST_BYTES
from lynxden.server.http.cookies import HOST
from lynxden.server.serve import STOP_SECONDS
from lynxden.server.settings import from_environment
from tests.server.kit import Client, Process, play_out, run
from tests.server.players import free_port
from tests.server.proxies import DEPLOY, KINDS, Proxy, filled, proxying

# --- The page -------------------------------------------------------------------------------------------


def test_the_page_names_every_file_and_no_other() -> None:
    page = (DEPLOY.parent / "docs" / "hosting.md").read_text(encoding="utf-8")
    files = {path.name for path in DEPLOY.iterdir()}
    assert set(re.findall(r"\]\(\.\./deploy/([\w.-]+)\)", page)) == files
    assert set(re.findall(r"\bdeploy/([\w.-]+)", page)) == files
    for name in files:
        text = (DEPLOY / name).read_text(encoding="utf-8")
        assert "docs/hosting.md" in text or name == "lynxden-firewall.service"


# --- The proxies ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class House:
    """A server behind a proxy."""

    proxy: Proxy
    backend: str
    """Where the server itself is."""

    @property
    def url(self) -> str:
        return self.proxy.url

    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.proxy.authority)

    def http(self, source: str = "127.0.0.1", **more: Any) -> httpx.AsyncClient:
        """Somebody at an address of their own: all of 127.0.0.0/8 is this machine."""
        transport = httpx.AsyncHTTPTransport(verify=self.context(), local_address=source)
        return httpx.AsyncClient(base_url=self.url, transport=transport, timeout=20, **more)

    async def opened(self, data: bytes = b"", source: str = "127.0.0.1") -> Streams:
        """A connection over which something was sent."""
        reader, writer = await asyncio.open_connection(
            "127.0.0.1",
            self.proxy.https,
            ssl=self.context(),
            server_hostname="localhost",
            local_addr=(source, 0),
        )
        writer.write(data)
        await writer.drain()
        return reader, writer


Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@pytest.fixture(scope="module", params=list(KINDS))
def house(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp(request.param)
    backend, https = free_port(), free_port()
    # As `deploy/lynxden.env` has it; and so few guests an hour that one address is told from another.
    settings = {
        "LYNXDEN_PUBLIC_URL": f"https://localhost:{https}",
        "LYNXDEN_PROXIES": "127.0.0.1",
        "LYNXDEN_GUESTS_PER_HOUR": "2",
    }
    with Process("--data", str(folder / "data"), "--port", str(backend), **settings):
        with proxying(request.param, folder / "proxy", backend, https) as proxy:
            yield House(proxy, f"http://127.0.0.1:{backend}")


@pytest.mark.slow
def test_a_whole_game_over_tls(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(house.proxy.authority))

    async def story() -> None:
        async with await Client.arrive(house.url, "Ann") as ann:
            body = {"game": "linko", "edition": "duel", "bots": ["greedy"], "speed": "instant"}
            key = (await ann.post("/api/play", body))["id"]
            await ann.connect(origin=house.url)
            events = await play_out(ann, await ann.watch(key), random.Random(1))
            assert len(events) > 20
            with pytest.raises(InvalidStatus) as refused:
                await ann.connect(origin="https://evil.example")
            assert refused.value.response.status_code == 403

    run(story())


@pytest.mark.slow
def test_a_quiet_socket_is_kept(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """For longer than any limit of time that is set for requests; a proxy that counts would cut it off."""
    monkeypatch.setenv("SSL_CERT_FILE", str(house.proxy.authority))

    async def story() -> None:
        async with house.http("127.0.0.9") as http:
            await http.post("/api/me", json={"name": "Ann"})
            cookie = {"Cookie": f"{HOST}={http.cookies[HOST]}"}
        address = house.url.replace("http", "ws", 1) + "/api/socket"
        async with connect(address, additional_headers=cookie, ping_interval=None) as socket:
            await socket.recv()
            await asyncio.sleep(75)
            await socket.send('{"type":"ping"}')
            assert '"pong"' in str(await asyncio.wait_for(socket.recv(), 5))

    run(story())


@pytest.mark.slow
def test_the_clients_address_arrives_and_no_other_is_believed(house: House) -> None:
    async def guest(source: str, **headers: str) -> int:
        async with house.http(
            source, headers={key.replace("_", "-"): headers[key] for key in headers}
        ) as http:
            return (await http.post("/api/me", json={})).status_code

    async def story() -> None:
        assert await guest("127.0.0.2") == 200
        assert await guest("127.0.0.2") == 429
        assert await guest("127.0.0.3") == 200
        for forged in ("10.1.1.1", "127.0.0.4", "127.0.0.1", "10.1.1.2, 127.0.0.1", "x, 127.0.0.1", "::1"):
            assert await guest("127.0.0.2", x_forwarded_for=forged) == 429, forged
            assert await guest("127.0.0.2", forwarded=f"for={forged}", x_real_ip=forged) == 429, forged
        assert await guest("127.0.0.4", x_forwarded_for="127.0.0.2") == 200

    run(story())


CLOSED = (
    "/metrics", "/metrics/", "//metrics", "/%6detrics", "/metrics//", "/%2fmetrics", "/metrics%2f",
    "/./metrics", "/api/../metrics", "/api/%2e%2e/metrics", "/metrics?x=1", "/metrics/?x",
    "/metrics/x", "///metrics///",
    "/readyz", "/readyz/", "//readyz", "/%72eadyz", "/api/..//readyz",
)  # fmt: skip


@pytest.mark.slow
def test_what_is_for_operators_is_closed(house: House) -> None:
    async def status(streams: Streams, path: str) -> tuple[int, bytes]:
        """Asked exactly so; a library would tidy the address up."""
        reader, writer = streams
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = await asyncio.wait_for(reader.read(-1), 10)
        writer.close()
        return int(answer.split()[1]), answer

    async def story() -> None:
        for closed in CLOSED:
            path = closed
            for _ in range(3):  # wherever it is redirected to
                found, answer = await status(await house.opened(), path)
                assert b"lynxden_" not in answer, path
                assert b"ready\n" not in answer, path
                if found not in (301, 302, 307, 308):
                    break
                location = re.search(rb"(?i)\r\nlocation: (\S+)", answer)
                assert location is not None
                path = location[1].decode().removeprefix(house.url)
            assert found in (400, 404), f"{path}: {found}"
        assert (await status(await house.opened(), "/healthz"))[0] == 200
        async with httpx.AsyncClient(base_url=house.backend) as inside:
            assert "lynxden_sockets" in (await inside.get("/metrics")).text
            assert (await inside.get("/readyz")).text == "ready\n"

    run(story())


@pytest.mark.slow
def test_http_is_redirected_and_https_is_for_good(house: House) -> None:
    async def story() -> None:
        async with httpx.AsyncClient() as plain:
            answer = await plain.get(f"http://localhost:{house.proxy.http}/table/x?y=1")
            assert answer.status_code in (301, 308)
            assert answer.headers["location"].removesuffix("/table/x?y=1") in (house.url, "https://localhost")
            assert "set-cookie" not in answer.headers
            if house.proxy.kind == "nginx":  # Caddy answers these questions itself
                word = await plain.get(f"http://localhost:{house.proxy.http}/.well-known/acme-challenge/word")
                assert word.text == "proof"
        async with house.http("127.0.0.7") as http:
            page = await http.get("/")
            assert page.status_code == 200
            assert page.headers.get_list("strict-transport-security") == ["max-age=31536000"]
            assert "<!doctype html>" in page.text.lower()
            made = await http.post("/api/me", json={"name": "Ann"}, headers={"Origin": house.url})
            assert made.status_code == 200
            assert "Secure" in made.headers["set-cookie"]
            assert (
                await http.post("/api/me", json={}, headers={"Origin": "https://evil.example"})
            ).status_code == 403

    run(story())


@pytest.mark.slow
def test_large_bodies_are_refused(house: House) -> None:
    async def chunks() -> Any:
        for _ in range(40):
            yield b" " * 2**16

    async def story() -> None:
        async with house.http("127.0.0.8") as http:
            for body in (b" " * (MOST_BYTES + 1), b" " * 10 * 2**20, chunks()):
                try:
                    answer = await http.post(
                        "/api/me", content=body, headers={"Content-Type": "application/json"}
                    )
                    assert answer.status_code in (413, 502)  # Caddy may find that it sent too little
                except httpx.TransportError:
                    continue  # ended before all of it was sent
            # What is allowed passes.
            body = b'{"name": "Ann"' + b" " * (MOST_BYTES - 20) + b"}"
            answer = await http.post("/api/me", content=body, headers={"Content-Type": "application/json"})
            assert answer.status_code == 200, answer.text

    run(story())


REQUEST = b"GET /api/games HTTP/1.1\r\nHost: localhost\r\n"
BODY = (
    b"POST /api/me HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 1000\r\n\r\n{"
)


async def ends(streams: Streams, trickle: bytes) -> float:
    """Seconds until a connection ends that gets a byte now and then."""
    reader, writer = streams
    began, place = time.monotonic(), 0
    while time.monotonic() - began < 60:
        try:
            if not await asyncio.wait_for(reader.read(1000), 0.5):
                break
        except TimeoutError:
            if trickle:
                writer.write(trickle[place % len(trickle) :][:1])
                place += 1
        except OSError:
            break
    writer.close()
    return time.monotonic() - began


@pytest.mark.slow
def test_requests_that_do_not_end_are_cut_off(house: House) -> None:
    cases = {
        "nothing": (b"", b"", 35.0),
        "half of the head": (REQUEST, b"", 13.0),
        "a trickling head": (REQUEST, b"X-A: b\r\n", 13.0),
        "half of the body": (BODY, b"", 30.0),
        "a trickling body": (BODY, b" ", 35.0),
    }

    async def story() -> None:
        found = await asyncio.gather(*(_case(house, data, trickle) for data, trickle, _ in cases.values()))
        for (name, (_, _, limit)), took in zip(cases.items(), found, strict=True):
            assert took < limit, f"{name} lasted {took:.1f} s"

    run(story())


async def _case(house: House, data: bytes, trickle: bytes) -> float:
    return await ends(await house.opened(data), trickle)


@pytest.mark.slow
def test_one_address_has_so_many_requests_under_way(house: House) -> None:
    """nginx counts them; with Caddy, `deploy/firewall.nft` counts connections."""
    if house.proxy.kind == "caddy":
        pytest.skip("Caddy cannot count; see the firewall")

    async def story() -> None:
        held = [await house.opened(BODY, "127.0.0.20") for _ in range(100)]
        await asyncio.sleep(0.5)
        async with house.http("127.0.0.20") as http, house.http("127.0.0.21") as other:
            assert (await http.get("/api/games")).status_code == 429
            assert (await other.get("/api/games")).status_code == 200
            for _, writer in held:
                writer.close()
            await asyncio.sleep(0.5)
            assert (await http.get("/api/games")).status_code == 200

    run(story())


# --- The firewall ---------------------------------------------------------------------------------------

CONNECTING = """
import socket, subprocess
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
for _ in range(2):  # it may be loaded again
    subprocess.run(["nft", "-f", {rules!r}], check=True)
for family, one, other in ((socket.AF_INET, "127.0.0.1", "127.0.0.2"), (socket.AF_INET6, "::1", None)):
    for port in (80, 443, 22):
        listener = socket.create_server((one, port), family=family, backlog=500)
        def held(source, count):
            found = []
            for _ in range(count):
                try:
                    found.append(socket.create_connection((one, port), 2, (source, 0)))
                except OSError:
                    pass
            return found
        first = held(one, 110)
        print(family.name, port, len(first), len(held(other, 5)) if other else "-")
        for each in first:
            each.close()
"""


@pytest.mark.slow
def test_the_firewall_counts_connections() -> None:
    """In a network of its own, which nobody else sees."""
    missing = [name for name in ("nft", "unshare", "ip") if not shutil.which(name, path=_everywhere())]
    assert not missing, f"missing: {missing}; `make proxies` installs nftables and iproute2"
    program = CONNECTING.format(rules=str(DEPLOY / "firewall.nft"))
    done = subprocess.run(
        ["unshare", "--map-root-user", "--net", sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": _everywhere()},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "AF_INET 80 100 5", "AF_INET 443 100 5", "AF_INET 22 110 5",
        "AF_INET6 80 100 -", "AF_INET6 443 100 -", "AF_INET6 22 110 -",
    ]  # fmt: skip


def _everywhere() -> str:
    return os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


# --- The service ----------------------------------------------------------------------------------------


def unit() -> dict[str, str]:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(DEPLOY / "lynxden.service", encoding="utf-8")
    return dict(parser["Service"])


def test_the_service_stops_in_good_order_and_keeps_its_files_to_itself() -> None:
    found = unit()
    assert int(found["TimeoutStopSec"]) >= STOP_SECONDS + 5, "time for what the server does when it stops"
    assert found["KillMode"] == "mixed", "the server ends its workers itself"
    assert found["UMask"] == "0077"
    assert int(found["LimitNOFILE"]) >= 65536
    assert found["User"] == "lynxden"
    assert found["ExecStart"] == "/opt/lynxden/bin/lynxden serve"


def test_the_settings_of_the_service_are_settings() -> None:
    lines = (DEPLOY / "lynxden.env").read_text(encoding="utf-8").splitlines()
    given = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    text = (DEPLOY / "lynxden.service").read_text(encoding="utf-8")
    given |= dict(re.findall(r"^Environment=(LYNXDEN_\w+)=(.*)$", text, re.MULTILINE))
    settings = from_environment(given)
    assert settings.secure
    assert settings.proxies == "127.0.0.1"
    assert settings.data == Path("/var/lib/lynxden")
    for key in given:
        assert hasattr(settings, key.removeprefix("LYNXDEN_").lower()), f"{key} is no setting"


def test_systemd_accepts_the_services(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd here")
    copy, firewall = tmp_path / "lynxden.service", tmp_path / "lynxden-firewall.service"
    copy.write_text(filled("lynxden.service", **{"/opt/lynxden/bin/lynxden": sys.executable}))
    firewall.write_text(filled("lynxden-firewall.service", **{"/usr/sbin/nft": sys.executable}))
    done = subprocess.run(
        ["systemd-analyze", "verify", copy, firewall], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=20", copy],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout[-500:]
