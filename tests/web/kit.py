"""People in front of the page: a real server, a real browser, and players who use what they are offered."""

from __future__ import annotations

import json
import random
import re
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, Error, Locator, Page, Response, WebSocket, expect
from playwright.sync_api import TimeoutError as NotInTime

from lynxden.bots import levels
from lynxden.server.table import entries
from lynxden.server.table.entries import Entry
from lynxden.server.table.state import TableState, first_state
from tests.server.kit import Process

SIZES = [
    (360, 640),
    (390, 664),
    (390, 844),
    (412, 915),
    (640, 400),  # also 1280 × 800 at 200 %
    (844, 390),
    (768, 1024),
    (820, 1180),
    (1024, 768),
    (1280, 600),
    (1280, 800),
    (1366, 650),
    (1440, 900),
    (1920, 1080),
    (2560, 1440),
]
"""Windows that the table has to fit."""
SECONDS = 30
"""How long a test waits for anything before it fails."""
CHROMIUM = "/usr/bin/chromium"
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE = (390, 844)
SMALL = (360, 640)
DESK = (1280, 800)
WEB = Path(__file__).parents[2] / "web"
LANGUAGES = ("en", "de", "fr", "it", "pl", "ko")

expect.set_options(timeout=1000 * SECONDS)

QUICK = {"speed": "off", "pace": "instant"}
"""Settings of a device whose owner is in a hurry."""

Message = dict[str, Any]

BEFORE = """(() => {
  if (location.protocol !== 'http:') return; // nothing is kept of an empty page
  if (!localStorage.getItem('lynxden')) localStorage.setItem('lynxden', JSON.stringify(SETTINGS));
  const Plain = window.WebSocket;
  window.sockets = [];
  window.WebSocket = class extends Plain {
    constructor(address, ...more) {
      super(window.isCut ? 'ws://127.0.0.1:1/' : address, ...more); // nobody is there
      window.sockets.push(this);
    }
  };
  window.isCut = false;
  window.pointed = 0;
  for (const kind of ['pointerdown', 'mousedown', 'touchstart', 'wheel'])
    addEventListener(kind, (event) => { if (event.isTrusted) window.pointed += 1; }, true);
})()"""
"""Runs before the page: settings, sockets that can be cut, and a count of everything done with a pointer."""

OFFERED = """() => {
  const all = (where) => [...document.querySelectorAll(where)];
  if (document.querySelector('section.end')) return { over: true };
  if (!document.title.startsWith('●')) return null;
  const choices = all('[data-item][aria-disabled="false"]');
  const items = choices.map((each) => each.dataset.item);
  if (items.length) return { items };
  const able = (places) => all(places).filter((each) => each.getAttribute('aria-disabled') === 'false');
  const count = (group) => group.querySelectorAll('.card').length;
  const cards = able('[data-place^="own:"]').map((group) => [group.dataset.card, count(group)]);
  if (cards.length) return { cards };
  const piles = able('[data-place="deck"], [data-place^="slot:"]').map((pile) => pile.dataset.place);
  const row = able('[data-place^="row:"]').map((set) => set.dataset.place);
  const answers = all('[data-answer]').map((button) => button.dataset.answer);
  return piles.length || row.length || answers.length ? { piles, row, answers } : null;
}"""
"""What somebody who looks at the page could do now; null for nothing."""


# --- Words --------------------------------------------------------------------------------------------


@cache
def catalogue(language: str) -> dict[str, str | dict[str, str]]:
    """Every text of a language by its key; texts that depend on a number are forms."""
    found: dict[str, str | dict[str, str]] = {}
    source = WEB / "src"
    common = (source / "locales" / language).glob("*.json")
    for path in sorted([*common, *source.glob(f"games/*/locales/{language}.json")]):
        found |= json.loads(path.read_text(encoding="utf-8"))
    return found


def forms(text: str | dict[str, str]) -> list[str]:
    return [text] if isinstance(text, str) else list(text.values())


def words(key: str, language: str = "en", **values: object) -> str:
    """A text as the page shows it; for numbers, the form for many."""
    text = catalogue(language)[key]
    chosen = text if isinstance(text, str) else text["other"]
    return re.sub(r"\{(\w+)\}", lambda found: str(values[found[1]]), chosen)


# --- The server ---------------------------------------------------------------------------------------


class House:
    """A server in a process of its own, with its data."""

    def __init__(self, data: Path, module: str = "lynxden", **environment: str) -> None:
        assert (Path("src/lynxden/server/web/index.html")).is_file(), "the page is not built: `make web`"
        self.data = data
        # A table that waits for players is one of the screens: it must not be closed before the last test.
        patient = {"LYNXDEN_EMPTY": "86400", "LYNXDEN_TABLES_PER_GUEST": "0"}
        self.environment = {"LYNXDEN_DATA": str(data), **patient, **environment}
        self.process = Process("--log-level", "warning", module=module, **self.environment)
        self.url = self.process.url

    def crash(self) -> None:
        self.process.kill()

    def restart(self) -> None:
        """At the same address, with the same data."""
        port = self.url.rpartition(":")[2].strip("/")
        self.process = Process("--log-level", "warning", "--port", port, **self.environment)

    def close(self) -> None:
        if self.process.process.poll() is None:
            self.process.stop()

    def entries(self, table: str) -> list[str]:
        """A table's log as it is stored."""
        address = f"file:{self.data / 'lynxden.sqlite3'}?mode=ro"
        database = sqlite3.connect(address, uri=True)
        try:
            rows = database.execute(
                "SELECT body FROM entries WHERE table_id = ? ORDER BY number", (table,)
            ).fetchall()
        finally:
            database.close()
        return [str(body) for (body,) in rows]

    def states(self, table: str) -> list[tuple[Entry, TableState]]:
        """Every entry of a table's log, and the truth after it; the first is number 1."""
        log = [entries.decode(body) for body in self.entries(table)]
        assert isinstance(log[0], entries.Created)
        found: list[tuple[Entry, TableState]] = [(log[0], first_state(table, log[0]))]
        for entry in log[1:]:
            found.append((entry, found[-1][1].after(entry)))
        return found


# --- People -------------------------------------------------------------------------------------------


class Player:
    """Somebody with a browser. Plays by clicks, taps and keys on what the page offers."""

    def __init__(
        self,
        browser: Browser,
        url: str,
        *,
        size: tuple[int, int] = DESK,
        touch: bool = False,
        locale: str = "en-GB",
        scheme: Literal["light", "dark"] = "light",
        settings: dict[str, Any] | None = None,
        seed: int = 1,
    ) -> None:
        self.url = url
        self.touch = touch
        self.language = locale.partition("-")[0]
        self.rng = random.Random(seed)
        self.context: BrowserContext = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            has_touch=touch,
            is_mobile=touch,
            locale=locale,
            color_scheme=scheme,
            base_url=url,
        )
        self.context.set_default_timeout(1000 * SECONDS)
        chosen = json.dumps(QUICK if settings is None else settings)
        self.context.add_init_script(BEFORE.replace("SETTINGS", chosen))
        self.page: Page = self.context.new_page()
        self.received: list[Message] = []
        """Every message over the socket."""
        self.sent: list[Message] = []
        self.answers: list[Response] = []
        """Answers over HTTP that were not read yet."""
        self.bodies: list[tuple[str, Any]] = []
        """What was read of them: the address, and the JSON."""
        self.troubles: list[str] = []
        """What went wrong inside the page."""
        self.decisions = 0
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("response", self._answered)
        self.page.on("websocket", self._listen)

    def _answered(self, answer: Response) -> None:
        self.answers.append(answer)
        if answer.status >= 500:
            self.troubles.append(f"{answer.status} {answer.url}")

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda text: self.received.append(json.loads(text)))
        socket.on("framesent", lambda text: self.sent.append(json.loads(text)))

    def read_answers(self) -> None:
        """The browser forgets them when it goes elsewhere, so they are read before."""
        unread, self.answers = self.answers, []
        for answer in unread:
            if "/api/" in answer.url and "json" in answer.headers.get("content-type", ""):
                with suppress(Error):  # it was on its way when the page was left
                    self.bodies.append((answer.url, answer.json()))

    # --- Looking ------------------------------------------------------------------------------------

    def say(self, key: str, **values: object) -> str:
        """A text in this person's language."""
        return words(key, self.language, **values)

    def button(self, key: str, **values: object) -> Locator:
        return self.page.get_by_role("button", name=self.say(key, **values), exact=True)

    def link(self, key: str) -> Locator:
        return self.page.get_by_role("link", name=self.say(key), exact=True)

    @property
    def end(self) -> Locator:
        return self.page.get_by_role("region", name=self.say("table.end.title"))

    @property
    def table(self) -> str:
        """The id of the table in the address."""
        found = re.search(r"/t/([\w-]+)", self.page.url)
        assert found, f"this is no table: {self.page.url}"
        return found[1]

    def acts(self) -> list[str]:
        """Every action that left the page."""
        return [message["action"] for message in self.sent if message["type"] == "act"]

    def hand(self) -> list[str]:
        """One's own cards (Linko), as they lie on the page."""
        return list(
            self.page.evaluate(
                """() => [...document.querySelectorAll('[data-place^="own:"]')].flatMap((group) =>
                     [...group.querySelectorAll('.card')].map(() => group.dataset.card))"""
            )
        )

    def look(self) -> Message | None:
        """What is offered at this moment."""
        found: Message | None = self.page.evaluate(OFFERED)
        return found

    def wait(self, seconds: float = SECONDS) -> Message:
        """What is offered, once anything is."""
        found: Message = self.page.wait_for_function(OFFERED, timeout=1000 * seconds).json_value()
        return found

    # --- Arriving -----------------------------------------------------------------------------------

    def go(self, path: str = "/") -> None:
        self.read_answers()
        self.page.goto(path)

    def arrive(self, name: str) -> None:
        """The first visit: a name, and in."""
        self.go("/")
        welcome = self.page.get_by_role("region", name=self.say("home.welcome.title"))
        welcome.get_by_label(self.say("me.name")).fill(name)
        self.press(welcome.get_by_role("button", name=self.say("home.welcome.done")))
        expect(welcome).to_be_hidden()
        expect(self.page.get_by_role("link", name=name, exact=True)).to_be_visible()

    def level(self, bot: str) -> Locator:
        """The radio button of an opponent; a face lies over it."""
        return self.page.get_by_role("radio", name=self.say(f"bot.{bot}"), exact=True)

    def play_now(self, game: str, edition: str = "", players: int = 0, bot: str = "") -> None:
        """Home page: choose, and play against bots."""
        page = self.page
        radio = page.get_by_role("radio", name=self.say(f"game.{game}"))
        if not radio.is_checked():
            self.press(page.locator("label", has=radio))  # cards lie over the radio button itself
        expect(radio).to_be_checked()
        if edition:
            page.get_by_label(self.say("home.edition")).select_option(edition)
        chooser = page.get_by_label(self.say("home.players"))
        if players and chooser.is_enabled():
            chooser.select_option(str(players))
        if bot:
            self.press(page.locator("label", has=self.level(bot)))
            expect(self.level(bot)).to_be_checked()
        self.press(self.button("home.play"))
        page.wait_for_url("**/t/*")

    def open_table(self, game: str, edition: str, seats: list[str], pace: str = "instant") -> str:
        """New table: a game and who is to sit beside the host; the invitation link, if anybody is invited.

        A seat is "open" for a friend, or "bot hunter".
        """
        page = self.page
        self.go("/new")
        self.choose("home.game", f"game.{game}")
        if edition != "standard":
            self.choose("home.edition", f"edition.{edition}")
        group = page.get_by_role("group", name=self.say("home.players"), exact=True)
        group.get_by_role("radio", name=str(len(seats) + 1)).check()
        if not {seat for seat in seats if seat.startswith("bot")} <= {
            f"bot {kind.name}" for kind in levels()
        }:
            self.press(page.locator("summary", has_text=self.say("home.bots.more")))
        for number, seat in enumerate(seats):
            page.get_by_label(self.say("home.seat", number=number + 2)).select_option(seat)
        if any(seat.startswith("bot") for seat in seats):
            self.choose("home.pace", f"home.pace.{pace}")
        self.press(self.button("home.table.make"))
        page.wait_for_url("**/t/*")
        if "open" not in seats:
            return ""
        return page.get_by_role("textbox", name=self.say("home.share.link")).input_value()

    def choose(self, group: str, key: str) -> None:
        """One of several, in a form."""
        fieldset = self.page.get_by_role("group", name=self.say(group), exact=True)
        fieldset.get_by_role("radio", name=self.say(key), exact=True).check()

    # --- Playing ------------------------------------------------------------------------------------

    def press(self, what: Locator) -> None:
        if self.touch:
            what.tap()
        else:
            what.click()

    def take_group(self, card: str, count: int) -> None:
        """Choose so many equal cards of one's hand (Linko)."""
        group = self.page.locator(f'[data-place="own:{card}"]')
        # At its left edge, which the next card leaves to be seen; a card that has risen is higher up.
        where = group.evaluate(
            """(group, nth) => {
              const [box, card] = [group, group.querySelectorAll('.card')[nth]].map((each) =>
                each.getBoundingClientRect());
              return { x: card.left - box.left + 5, y: card.top - box.top + card.height * 0.3 };
            }""",
            count - 1,
        )
        if self.touch:
            group.tap(position=where)
        else:
            group.click(position=where)

    def decide(self, offered: Message) -> None:
        """Do one of the things that are offered."""
        self.decisions += 1
        if "items" in offered:
            self._decide_blocco(offered["items"])
        elif "cards" in offered:
            self._play(offered["cards"])
        else:
            self._answer(offered)

    def _decide_blocco(self, items: list[str]) -> None:
        colours = [item for item in items if item.startswith("colour:")]
        if "pile" in items and self.rng.random() < 0.5:
            item = "pile"
        elif colours and self.rng.random() < 0.4:
            item = self.rng.choice(colours)
        else:
            item = self.rng.choice(items)
        self.choose_item(item)
        self.press(self.page.locator("[data-do]"))

    def choose_item(self, item: str) -> None:
        """Choose a row, a colour or a pile, and see it chosen (Blocco)."""
        self._choose(lambda: self.press(self.page.locator(f'[data-item="{item}"]')))

    def choose_group(self, card: str, count: int) -> None:
        """Choose so many equal cards, and see them chosen."""
        self._choose(lambda: self.take_group(card, count))

    def _choose(self, press: Callable[[], None]) -> None:
        """Choose something, and again if that was not taken for a press: a busy machine may take its time."""
        for _ in range(5):
            press()
            try:
                self.page.locator("[data-do]").wait_for(timeout=3000)
            except NotInTime:
                continue
            return
        raise AssertionError("nothing can be chosen")

    def _play(self, cards: list[tuple[str, int]]) -> None:
        most = max(count for _, count in cards)
        card, count = self.rng.choice([each for each in cards if each[1] == most])
        self.choose_group(card, count)
        jokers = dict(cards).get("X", 0)
        if jokers and card != "X" and self.rng.random() < 0.4:
            self.take_group("X", jokers)
        self.press(self.page.locator("[data-do]"))

    def _answer(self, offered: Message) -> None:
        if offered["row"]:
            self.press(self.page.locator(f'[data-place="{self.rng.choice(offered["row"])}"]'))
        elif offered["answers"] and (not offered["piles"] or self.rng.random() < 0.5):
            # Leave, discard and pass are chosen more often: games end sooner.
            others = {"leave", "discard", "pass"} & set(offered["answers"])
            answer = next(iter(others)) if others else offered["answers"][0]
            self.press(self.page.locator(f'[data-answer="{answer}"]'))
        else:
            self.press(self.page.locator(f'[data-place="{self.rng.choice(offered["piles"])}"]'))

    def play(self, decisions: int = 1000) -> bool:
        """Play on, for so many decisions at most; whether the game is over."""
        for _ in range(decisions):
            offered = self.wait()
            if offered.get("over"):
                return True
            self.decide(offered)
        return False

    # --- The connection -----------------------------------------------------------------------------

    def cut(self) -> None:
        """The network is gone."""
        # Offline alone leaves open sockets as they are, or closing for ever.
        self.page.evaluate("() => { isCut = true; sockets.forEach((socket) => socket.close()); }")
        self.page.wait_for_function("() => sockets[0].readyState === WebSocket.CLOSED")
        self.context.set_offline(True)

    def mend(self) -> None:
        self.page.evaluate("() => { isCut = false; }")
        self.context.set_offline(False)

    def close(self) -> None:
        self.context.close()


def play_together(people: list[Player], decisions: int = 2000) -> bool:
    """Everybody plays when asked; whether the game is over for all."""
    last = time.monotonic()
    taken = 0
    while taken < decisions:
        over = 0
        for player in people:
            try:
                offered = player.look() or player.wait(0.05)
            except NotInTime:
                continue
            if offered.get("over"):
                over += 1
                continue
            player.decide(offered)
            taken += 1
            last = time.monotonic()
        if over == len(people):
            return True
        assert time.monotonic() - last < SECONDS, "nobody is offered anything"
    return False


def scores(panel: Locator) -> dict[str, tuple[list[int], int]]:
    """A table of points: by name, the parts and the sum."""
    found = {}
    for row in panel.locator("tbody tr").all():
        name = row.locator("th").inner_text().strip().splitlines()[-1].strip()
        cells = [text.replace("−", "-").replace("\xa0", " ") for text in row.locator("td").all_inner_texts()]
        last = row.locator("td").evaluate_all("cells => cells.findIndex((cell) => cell.matches('.sum'))")
        numbers = [int(text.partition("(")[0]) for text in cells[: last + 1]]  # beyond: match, rating
        found[name] = (numbers[:-1], numbers[-1])
    return found
