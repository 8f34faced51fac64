"""Links with a secret: they work however they are opened, and nobody on the way sees the secret."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest
from playwright.sync_api import expect

from tests.web.conftest import People
from tests.web.kit import House, Player

REQUEST = re.compile(rb"(?:GET|HEAD|POST|PUT|PATCH|DELETE) (\S+) HTTP/1\.1\r\n(.*?)\r\n\r\n", re.S)


class Proxy:
    """Stands between browser and server, as a proxy would, and notes every address and header."""

    def __init__(self, target: str) -> None:
        host, _, port = target.rpartition("//")[2].partition(":")
        self._target = host, int(port.strip("/"))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._sent: list[bytearray] = []
        """What came from the browser, by connection."""
        self._open: set[socket.socket] = set()
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def _accept(self) -> None:
        with suppress(OSError):  # it was closed
            while True:
                browser, _ = self._listener.accept()
                self._sent.append(bytearray())
                thread = threading.Thread(target=self._serve, args=(browser, self._sent[-1]), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _serve(self, browser: socket.socket, note: bytearray) -> None:
        with browser, socket.create_connection(self._target) as server:
            self._open |= {browser, server}
            back = threading.Thread(target=_pass, args=(server, browser, bytearray()), daemon=True)
            back.start()
            _pass(browser, server, note)
            back.join()
            self._open -= {browser, server}

    @property
    def requests(self) -> list[tuple[str, str]]:
        """The address and the headers of every request."""
        found = [match for note in list(self._sent) for match in REQUEST.findall(bytes(note))]
        return [(address.decode(), headers.decode("latin-1")) for address, headers in found]

    def saw(self, secret: str) -> list[str]:
        """The requests that had a text in their address or headers."""
        return [address for address, headers in self.requests if secret in address or secret in headers]

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes whoever waits for it
        self._listener.close()
        for each in list(self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)


def _pass(one: socket.socket, other: socket.socket, note: bytearray) -> None:
    with suppress(OSError):
        while data := one.recv(65536):
            note += data
            other.sendall(data)
    for end in (one, other):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def proxy(house: House) -> Iterator[Proxy]:
    found = Proxy(house.url)
    yield found
    found.close()


def personal_link(player: Player) -> str:
    player.go("/me")
    player.press(player.button("me.link.make"))
    field = player.page.get_by_role("textbox", name=player.say("me.link"), exact=True)
    expect(field).to_have_value(re.compile("/me"))
    return field.input_value()


def asked(player: Player) -> None:
    expect(player.page.get_by_role("heading", name=player.say("me.claim.title"))).to_be_visible()


def is_called(player: Player, name: str) -> None:
    expect(player.page.get_by_role("link", name=name, exact=True)).to_be_visible()


@pytest.mark.parametrize(
    "start", ["", *(pytest.param(start, marks=pytest.mark.slow) for start in ("/", "/me", "/me#games"))]
)
def test_a_personal_link(people: People, proxy: Proxy, start: str) -> None:
    """In a new tab, or pasted into one that shows another page or the same one."""
    ann, phone = people(url=proxy.url), people(url=proxy.url)
    ann.arrive("Ann")
    link = personal_link(ann)
    secret = link.rpartition("#")[2]
    assert re.fullmatch(r"[\w-]{32}", secret), f"the secret does not stand after the #: {link}"
    if start:
        phone.go(start)
        phone.page.wait_for_selector("main h1, main h2")
    phone.go(link)
    asked(phone)
    phone.press(phone.button("me.claim.yes"))
    is_called(phone, "Ann")
    assert secret not in phone.page.url
    if start:
        phone.page.go_back()
        phone.page.wait_for_load_state()
        assert secret not in phone.page.url, "the link is still in the history"
    assert any(address == "/api/me/claim" for address, _ in proxy.requests), "the proxy sees nothing at all"
    assert proxy.saw(secret) == []


def test_a_personal_link_that_is_refused_leaves_the_address(people: People) -> None:
    ann, phone = people(), people()
    ann.arrive("Ann")
    link = personal_link(ann)
    phone.arrive("Zoe")
    phone.go(link)
    asked(phone)
    phone.press(phone.button("me.claim.no"))
    is_called(phone, "Zoe")
    assert phone.page.url == f"{phone.url}/"
    phone.page.go_back()
    assert link not in phone.page.url


@pytest.mark.slow
def test_another_link_over_one_that_no_longer_works(people: People) -> None:
    ann, phone = people(), people()
    ann.arrive("Ann")
    link = personal_link(ann)
    phone.go("/me#" + "x" * 32)
    asked(phone)
    phone.press(phone.button("me.claim.yes"))
    expect(phone.page.get_by_text(phone.say("me.claim.invalid"))).to_be_visible()
    phone.go(link)
    expect(phone.page.get_by_text(phone.say("me.claim.invalid"))).to_be_hidden()
    phone.press(phone.button("me.claim.yes"))
    is_called(phone, "Ann")


@pytest.mark.parametrize(
    "start", [*(pytest.param(each, marks=pytest.mark.slow) for each in ("", "/")), "the table"]
)
def test_an_invitation(people: People, proxy: Proxy, start: str) -> None:
    ann, ben = people(url=proxy.url), people(url=proxy.url)
    ann.arrive("Ann")
    link = ann.open_table("linko", "classic", ["open"])
    assert ann.page.url == link, "the link can be copied from the address"
    secret = link.rpartition("=")[2]
    assert link == f"{ann.url}/t/{ann.table}#i={secret}"
    if start:
        ben.go(f"/t/{ann.table}" if start == "the table" else start)
        ben.page.wait_for_selector("main h1, main h2")
    if start == "the table":
        expect(ben.page.get_by_text(ben.say("error.not-found"))).to_be_visible()
    ben.go(link)
    expect(ben.page.get_by_text(ben.say("table.waiting.invites", name="Ann"))).to_be_visible()
    ben.page.reload()
    ben.press(ben.button("table.waiting.join"))
    for player in (ann, ben):
        hand = player.page.get_by_role("group", name=player.say("linko.hand"))
        expect(hand.get_by_role("button").first).to_be_visible()
    assert any(address.endswith("/join") for address, _ in proxy.requests), "the proxy sees nothing at all"
    assert proxy.saw(secret) == []


def test_the_way_to_the_content_keeps_the_invitation(people: People) -> None:
    ann, ben = people(), people()
    ann.arrive("Ann")
    link = ann.open_table("linko", "classic", ["open"])
    ben.go(link)
    expect(ben.button("table.waiting.join")).to_be_visible()
    skip = ben.page.locator("a.skip")
    skip.focus()
    ben.page.keyboard.press("Enter")
    expect(ben.page.locator("main")).to_be_focused()
    assert ben.page.url == link
    ben.press(ben.button("table.waiting.join"))
    expect(ben.page.get_by_role("group", name=ben.say("linko.hand"))).to_be_visible()


def test_links_of_version_0_1(people: People, proxy: Proxy) -> None:
    """They had the secret in the path: they work, and the address is put right at once."""
    ann, ben, phone = people(), people(url=proxy.url), people(url=proxy.url)
    ann.arrive("Ann")
    secret = personal_link(ann).rpartition("#")[2]
    invitation = ann.open_table("linko", "classic", ["open"])
    invite = invitation.rpartition("=")[2]
    ben.go(f"/t/{ann.table}?i={invite}")
    expect(ben.button("table.waiting.join")).to_be_visible()
    assert ben.page.url.partition("/t/")[2] == invitation.partition("/t/")[2]
    phone.go(f"/me/{secret}")
    asked(phone)
    assert phone.page.url == f"{phone.url}/me#{secret}"
    before = len(proxy.saw(secret))
    phone.page.reload()
    asked(phone)
    assert len(proxy.saw(secret)) == before == 1, "asked for again with the secret in the address"
    phone.press(phone.button("me.claim.yes"))
    is_called(phone, "Ann")
