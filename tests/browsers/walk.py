"""Somebody who walks through the page, in whatever browser."""

from __future__ import annotations

import json
import random
import re
import time
from typing import Any

from lynxden.server.table import entries
from tests.browsers.driver import Driver
from tests.web.kit import DESK, OFFERED, SECONDS, House, words

SETTINGS = {
    "language": "en",
    "theme": "light",
    "speed": "fast",
    "pace": "instant",
    "welcomed": True,
    "edition": {"linko": "basic"},
    "players": {"linko": 3, "blocco": 3},
}
"""Of somebody who has been here before; what else a home page asks is chosen on it."""

COUNT = """() => {
  if (window.acts) return;
  window.acts = [];
  const plain = WebSocket.prototype.send;
  WebSocket.prototype.send = function (text) {
    const message = JSON.parse(text);
    if (message.type === 'act') window.acts.push(message.action);
    return plain.call(this, text);
  };
}"""
"""Every action that leaves the page."""

POINT = """async () => {
  const found = [...document.querySelectorAll(SELECTOR)].filter((each) => each.checkVisibility());
  if (!found.length) return 'is not there';
  const element = found[WHICH < 0 ? found.length + WHICH : WHICH];
  if (!element) return 'is not there';
  element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const before = element.getBoundingClientRect();
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const box = element.getBoundingClientRect();
  if (box.x !== before.x || box.y !== before.y) return 'is on its way';
  const [x, y] = [box.x + box.width * ACROSS, box.y + box.height * DOWN].map(Math.floor);
  const hit = document.elementFromPoint(x, y);
  if (hit && (element.contains(hit) || hit.contains(element))) return [x, y];
  return `is covered at ${x}, ${y} by ${hit?.outerHTML.slice(0, 200)}`;
}"""
"""Where to click an element, or why one cannot."""

LAYOUT = """() => {
  const wrong = [];
  const all = (where) => [...document.querySelectorAll(where)].filter((each) => each.checkVisibility());
  const name = (each) =>
    each.dataset.place ?? each.dataset.item ?? each.dataset.do ?? each.dataset.answer ?? each.className;
  const inside = (each) => {
    const box = each.getBoundingClientRect();
    const out = Math.max(-box.left, -box.top, box.right - innerWidth, box.bottom - innerHeight);
    if (out > 1) wrong.push(`${name(each)} is ${Math.round(out)} pixels outside the window`);
    if (box.width < 1 || box.height < 1) wrong.push(`${name(each)} has no size`);
  };
  const parts = {
    'own cards': '[data-place^="own:"] .card, [data-item^="colour:"]',
    'an action bar': '[data-bar]',
    'things to choose': ':is([data-item], [data-place])[aria-disabled="false"], [data-answer]',
  };
  for (const [what, where] of Object.entries(parts)) {
    const found = all(where);
    if (!found.length) wrong.push(`there are no ${what}`);
    found.forEach(inside);
  }
  all('[data-do], [data-bar] button').forEach(inside);
  const page = document.scrollingElement;
  if (page.scrollWidth > innerWidth || page.scrollHeight > innerHeight)
    wrong.push(`the page is ${page.scrollWidth} x ${page.scrollHeight}`);
  for (const each of all('[data-bar], [data-bar] *, [data-place], [data-item]')) {
    for (let up = each.parentElement; up && up !== page; up = up.parentElement) {
      const style = getComputedStyle(up);
      if (/auto|scroll/.test(style.overflowY) && up.scrollHeight > up.clientHeight + 1)
        wrong.push(`${up.className} scrolls down`);
      if (/auto|scroll/.test(style.overflowX) && up.scrollWidth > up.clientWidth + 1)
        wrong.push(`${up.className} scrolls sideways`);
    }
  }
  return [...new Set(wrong)];
}"""
"""What is not as it should be: everything that one plays with lies inside the window, and nothing scrolls."""


class Walker:
    """Somebody in front of a browser."""

    def __init__(self, driver: Driver, house: House) -> None:
        self.driver = driver
        self.house = house
        self.rng = random.Random(11)
        self.language = "en"

    # --- Looking ------------------------------------------------------------------------------------

    def look(self, function: str) -> Any:
        return self.driver.evaluate(function)

    def until(self, function: str, what: str) -> Any:
        """What a function of the page gives, once it is true."""
        end = time.monotonic() + SECONDS
        while not (found := self.look(function)):
            assert time.monotonic() < end, f"never: {what}"
            time.sleep(0.05)
        return found

    def say(self, key: str, **values: object) -> str:
        return words(key, self.language, **values)

    @property
    def table(self) -> str:
        """The id of the table in the address."""
        found = re.search(r"/t/([\w-]+)", self.look("() => location.pathname"))
        assert found, "this is no table"
        return found[1]

    def decided(self) -> list[str]:
        """What this person has done at the table, as the server has it."""
        log = [entries.decode(body) for body in self.house.entries(self.table)]
        return [each.action for each in log if isinstance(each, entries.Acted) and each.by == "player"]

    def check_layout(self, width: int, height: int) -> None:
        """At a size of the window: everything lies inside, and nothing scrolls."""
        self.driver.resize(width, height)
        self.until(
            f"() => innerWidth === {width} && innerHeight === {height}", f"a window of {width} x {height}"
        )
        end = time.monotonic() + 3
        while wrong := self.look(LAYOUT):  # cards may still be on their way
            assert time.monotonic() < end, f"at {width} x {height}: {'; '.join(wrong)}"
            time.sleep(0.1)

    # --- Doing --------------------------------------------------------------------------------------

    def click(self, selector: str, which: int = 0, across: float = 0.5, down: float = 0.5) -> None:
        """With the pointer, once it can be reached there."""
        function = POINT.replace("SELECTOR", json.dumps(selector)).replace("WHICH", str(which))
        function = function.replace("ACROSS", str(across)).replace("DOWN", str(down))
        end = time.monotonic() + SECONDS
        while isinstance(found := self.look(function), str):
            assert time.monotonic() < end, f"{selector} {found}"
            time.sleep(0.05)
        self.driver.click(*found)

    def tool(self, key: str) -> None:
        """A button that has a name for those who do not see it."""
        self.click(f'button[aria-label="{self.say(key)}"]')

    def arrive(self) -> None:
        self.driver.resize(*DESK)
        self.driver.open(f"{self.house.url}/healthz")  # where settings can be left before the page reads them
        self.look(f"() => localStorage.setItem('lynxden', JSON.stringify({json.dumps(SETTINGS)}))")
        self.go("/")

    def go(self, path: str) -> None:
        self.driver.open(f"{self.house.url}{path}")
        self.look(COUNT)

    def play_now(self, game: str) -> None:
        # Until everything is there, what comes moves what is clicked.
        loading = json.dumps(self.say("app.loading"))
        self.until(f"() => !document.body.innerText.includes({loading})", "a home page")
        self.click(f'label:has(input[value="{game}"])')
        self.until(f"""() => document.querySelector('input[value="{game}"]').checked""", f"{game} is chosen")
        self.click("form .go")
        self.until("() => location.pathname.startsWith('/t/')", "a table")

    def wait(self) -> dict[str, Any]:
        """What is offered, once anything is."""
        found: dict[str, Any] = self.until(OFFERED, "something to decide")
        return found

    def decide(self) -> None:
        """One decision, of those that are offered."""
        offered = self.wait()
        assert not offered.get("over"), "the game is over too soon"
        if "items" in offered:
            self.click(f'[data-item="{self.rng.choice(offered["items"])}"]')
            self.click("[data-do]")
        elif "cards" in offered:
            card, _ = self.rng.choice(offered["cards"])
            # At its left edge, which the next card leaves to be seen.
            self.click(f'[data-place="own:{card}"] .card', which=-1, across=0.1)
            self.click("[data-do]")
        elif offered["row"]:
            self.click(f'[data-place="{self.rng.choice(offered["row"])}"]')
        elif offered["piles"]:
            self.click(f'[data-place="{self.rng.choice(offered["piles"])}"]')
        else:
            self.click(f'[data-answer="{offered["answers"][0]}"]')

    def play(self, decisions: int) -> None:
        """Each decision is one message and one entry in the server's log, neither more nor less."""
        for number in range(1, decisions + 1):
            self.decide()
            self.until(f"() => acts.length >= {number}", f"decision {number} leaves the page")
            self.wait()
            sent = self.look("() => acts")
            assert len(sent) == number, f"decision {number} was sent more than once: {sent}"
            assert self.decided() == sent
            assert self.look("() => document.activeElement !== document.body"), "the focus is lost"

    # --- Dialogs ------------------------------------------------------------------------------------

    def open_dialog(self, key: str) -> None:
        self.tool(key)
        self.until("() => document.querySelector('dialog')?.open", "a dialog")
        assert self.look("() => document.querySelector('dialog h2').textContent") == self.say(key)

    def close_dialog(self, *, key: bool = False) -> None:
        if key:
            self.driver.press("Escape")
        else:
            self.click(f'dialog button[aria-label="{self.say("app.close")}"]')
        self.until("() => !document.querySelector('dialog')", "the dialog is closed")

    def choose_dark(self) -> None:
        """In the settings."""
        self.click('label:has(input[name="theme"])', which=2)
        dark = """() => {
          const parts = getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).map(Number);
          return parts[0] + parts[1] + parts[2] < 3 * 80;
        }"""
        self.until(dark, "a dark page")

    def choose_german(self) -> None:
        """In the settings. The list of a browser opens outside the page, so the keyboard is used."""
        self.look("() => document.querySelector('dialog select').focus()")
        self.driver.press("D")
        self.until("() => document.documentElement.lang === 'de'", "a page in German")
        self.language = "de"

    # --- Replays ------------------------------------------------------------------------------------

    def bring(self, record: str) -> str:
        """Import a game; the address of its replay."""
        answer: dict[str, str] = self.look(
            "async () => (await fetch('/api/records', { method: 'POST', body: "
            f"{json.dumps(record)}, headers: {{ 'content-type': 'application/json' }} }})).json()"
        )
        return answer["path"]

    def at_step(self, step: int, last: int) -> None:
        text = "() => document.querySelector('.controls .number')?.textContent"
        wanted = self.say("replay.step", step=step, last=last)
        self.until(f"{text} === {json.dumps(wanted)}", f"step {step}")
