"""How quick the page is: in Debian's Chromium, against a real server on this machine.

    .venv/bin/python bench/web.py

Three figures: from a cold start to a page that can be used, on the profile of a middling phone (processor
four times slower, fast 3G); from a tap on Play to the first movement of a card; and pictures a second while
five players' cards move. And how much the page loads.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.server.kit import Process

FAST_3G = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 750e3 / 8}
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"]
RUNS = 5


def phone(browser: Browser) -> tuple[Page, CDPSession]:
    """A fresh page on a middling phone."""
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, device_scale_factor=2, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", FAST_3G)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    return page, session


def cold_load(browser: Browser, url: str, address: str, there: str) -> tuple[float, float]:
    """Milliseconds until something is there, and kilobytes of script, style and fonts over the wire."""
    page, session = phone(browser)
    sizes: list[float] = []
    kinds: dict[str, str] = {}
    session.on("Network.responseReceived", lambda event: kinds.update({event["requestId"]: event["type"]}))

    def finished(event: dict[str, float]) -> None:
        if kinds.get(str(event["requestId"])) in ("Script", "Stylesheet", "Font"):
            sizes.append(event["encodedDataLength"])

    session.on("Network.loadingFinished", finished)
    page.goto(url + address, wait_until="commit")
    page.wait_for_selector(there)
    took = page.evaluate("performance.now()")
    page.wait_for_load_state("networkidle")
    page.context.close()
    return float(took), sum(sizes) / 1024


START = """async (body) => {
  const headers = {'content-type': 'application/json'};
  const answer = await fetch('/api/play', {method: 'POST', headers, body: JSON.stringify(body)});
  return (await answer.json()).path;
}"""

TAP = """() => new Promise((done) => {
  const button = document.querySelector('[data-do]');
  let start = 0;
  const watch = new MutationObserver(() => {
    if (document.querySelector('.flying')) {
      watch.disconnect();
      requestAnimationFrame(() => done(performance.now() - start));
    }
  });
  watch.observe(document.body, {childList: true, subtree: true});
  start = performance.now();
  button.click();
})"""

FRAMES = """(seconds) => new Promise((done) => {
  const gaps = [];
  let before = null;
  const start = performance.now();
  const tick = (now) => {
    const moving = document.querySelector('.flying') !== null;
    if (moving && before !== null) gaps.push(now - before);
    before = moving ? now : null;
    if (now - start < seconds * 1000) requestAnimationFrame(tick);
    else done(gaps);
  };
  requestAnimationFrame(tick);
})"""


CARD = '.group[aria-disabled="false"]'
"""One of the own cards that can be chosen."""


def at_table(browser: Browser, url: str, **options: object) -> Page:
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(url)
    page.wait_for_selector("button.main:has-text('Play now')")
    path = page.evaluate(START, {"game": "linko", "edition": "classic", **options})
    page.goto(url + path)
    page.wait_for_selector(f"[data-ready] {CARD}")
    return page


def tap_to_move(browser: Browser, url: str) -> float:
    page = at_table(browser, url, players=4, speed="slow")
    page.click(CARD)
    page.wait_for_selector("[data-do]")
    found = float(page.evaluate(TAP))
    page.context.close()
    return found


PILE = '.pile[aria-disabled="false"]'
ASKED = "[data-ready], .end"
"""What there is when the player is asked, or the game is over."""


def frames(browser: Browser, url: str) -> list[float]:
    """The gaps between pictures while cards move: one's own move, then four bots without a pause."""
    page = at_table(browser, url, players=5, speed="instant")
    gaps: list[float] = []
    while len(gaps) < 200:
        page.wait_for_selector(ASKED)
        if page.query_selector(".end"):
            break
        for selector in (CARD, PILE):
            found = page.query_selector(selector)
            if found:
                found.click()
                break
        button = page.query_selector("[data-do], [data-answer]")
        if button:
            button.click()
        gaps += page.evaluate(FRAMES, 1.5)
    page.context.close()
    return gaps


def main() -> None:
    with tempfile.TemporaryDirectory() as data, Process("--data", data) as server, sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        play_now = "button.main:has-text('Play now'):enabled"
        loads = [cold_load(browser, server.url, "/", play_now) for _ in range(RUNS)]
        shared = at_table(browser, server.url, players=4, speed="slow")
        address = shared.url.removeprefix(server.url)
        tables = [cold_load(browser, server.url, address, '[data-place="deck"]') for _ in range(RUNS)]
        shared.context.close()
        taps = [tap_to_move(browser, server.url) for _ in range(RUNS)]
        gaps = frames(browser, server.url)
        browser.close()
    result = {
        "cold load, ms (4x CPU, fast 3G)": round(statistics.median(took for took, _ in loads)),
        "script, style and fonts, KB over the wire": round(statistics.median(size for _, size in loads), 1),
        "cold load of a table, ms (4x CPU, fast 3G)": round(statistics.median(took for took, _ in tables)),
        "its script, style and fonts, KB over the wire": round(
            statistics.median(size for _, size in tables), 1
        ),
        "tap to first movement, ms": round(statistics.median(taps), 1),
        "frames a second while five players' cards move": round(1000 / statistics.median(gaps), 1),
        "frames later than 25 ms, %": round(100 * sum(gap > 25 for gap in gaps) / len(gaps), 1),
    }
    print(json.dumps(result))
    for name, value in result.items():
        print(f"{name:<50} {value}")


if __name__ == "__main__":
    main()
