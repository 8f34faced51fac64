"""A reminder from the server, in a real browser: shown in the reader's language, it opens the table.

No push service can be reached from here, so the browser is told to deliver what the server sends; how that is
encrypted and sent is tested in `tests/server/test_push.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest
from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, Worker

from tests.web.kit import LANGUAGES, SECONDS, House, words

T = TypeVar("T")

SHOWN = """async () => {
  const registration = await navigator.serviceWorker.ready;
  const found = await registration.getNotifications();
  return found.map(({ title, body, tag, data }) => ({ title, body, tag, data }));
}"""

# Nobody can press a notification from outside, and only a real press may open a window. So the worker's own
# listener is called with the notification that is really there, and what it would open is written down.
PRESS = """async () => {
  const opened = [];
  const { clients, registration } = self;
  clients.openWindow = async (url) => { opened.push(`opens ${url}`); };
  WindowClient.prototype.focus = async function () { opened.push(`shows ${new URL(this.url).pathname}`); };
  const [notification] = await registration.getNotifications();
  const event = new Event('notificationclick');
  let waited;
  Object.assign(event, { notification, waitUntil: (work) => { waited = work; } });
  self.dispatchEvent(event);
  await waited;
  return opened;
}"""


class Device:
    """A browser that allows notifications, with the page open at `/`."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.url = url
        self.page: Page = context.new_page()
        self.page.goto(url)
        # Registered by the page itself over https alone.
        self.page.evaluate("navigator.serviceWorker.register('/sw.js')")
        self.page.evaluate("navigator.serviceWorker.ready")
        self.page.wait_for_function("navigator.serviceWorker.controller !== null")
        self.worker: Worker = context.service_workers[0]
        self.tools: CDPSession = context.new_cdp_session(self.page)
        self.registered: list[str] = []
        self.tools.on("ServiceWorker.workerRegistrationUpdated", self._registered)
        self.tools.send("ServiceWorker.enable")
        self.wait(lambda: self.registered)

    def _registered(self, event: dict[str, Any]) -> None:
        self.registered += [
            each["registrationId"]
            for each in event["registrations"]
            if each["scopeURL"].startswith(self.url) and not each["isDeleted"]
        ]

    def deliver(self, table: str, game: str, language: str) -> list[dict[str, Any]]:
        """What the server sends; and the notifications that are to be seen then."""
        text = json.dumps({"kind": "turn", "table": table, "game": game, "language": language})
        self.tools.send(
            "ServiceWorker.deliverPushMessage",
            {"origin": self.url, "registrationId": self.registered[-1], "data": text},
        )
        return self.wait(self.shown, lambda shown: any(each["tag"] == table for each in shown))

    def shown(self) -> list[dict[str, Any]]:
        return list(self.page.evaluate(SHOWN))

    def wait(self, look: Callable[[], T], until: Callable[[T], object] = bool) -> T:
        """What is seen, once it is so."""
        for _ in range(10 * SECONDS):
            found = look()
            if until(found):
                return found
            self.page.wait_for_timeout(100)
        raise AssertionError(f"this is all there is: {found}")


@pytest.fixture
def device(browser: Browser, house: House) -> Iterator[Device]:
    context = browser.new_context(service_workers="allow", permissions=["notifications"])
    yield Device(context, house.url.rstrip("/"))
    context.close()


def test_a_reminder_is_shown_in_the_language_of_the_reader(device: Device) -> None:
    for language in LANGUAGES:
        shown = device.deliver(f"table-{language}", "blocco", language)
        found = next(each for each in shown if each["tag"] == f"table-{language}")
        assert found["title"] == words("table.yourturn", language)
        assert found["body"] == "Blocco"
    assert len(shown) == len(LANGUAGES)
    assert len(device.deliver("table-en", "blocco", "en")) == len(LANGUAGES), (
        "one for each table, not for each turn"
    )


def test_a_press_on_it_opens_the_table(device: Device) -> None:
    device.deliver("abcdefgh", "linko", "de")
    assert device.worker.evaluate(PRESS) == ["opens /t/abcdefgh"]
    assert device.shown() == [], "it is gone"


def test_a_table_that_is_open_is_shown_again(device: Device) -> None:
    device.page.goto(f"{device.url}/t/abcdefgh")
    device.deliver("abcdefgh", "linko", "de")
    assert device.worker.evaluate(PRESS) == ["shows /t/abcdefgh"]
