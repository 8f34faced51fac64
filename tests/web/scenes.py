"""Every screen of the page, made once by somebody who plays, to be looked at by many eyes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, expect

from tests.web.kit import Player


@dataclass(frozen=True)
class Scenes:
    """Addresses of screens, and the identity that they belong to."""

    cookies: list[Any]
    linko: str
    """It is to be chosen what to play."""
    duel: str
    """Something else is to be decided, or cards to be played."""
    blocco: str
    waiting: str
    end: str
    replay: str
    player: str

    def visit(self, player: Player) -> None:
        """Make somebody's browser Ann's."""
        player.context.add_cookies(self.cookies)

    @property
    def all(self) -> dict[str, str]:
        """Every screen by its name."""
        return {
            "home": "/",
            "new": "/new",
            "waiting": self.waiting,
            "linko": self.linko,
            "duel": self.duel,
            "blocco": self.blocco,
            "end": self.end,
            "replay": f"{self.replay}#9",
            "import": "/import",
            "how linko": "/how/linko",
            "how blocco": "/how/blocco",
            "me": "/me",
            "player": self.player,
            "ladder": "/ladder/linko/classic",
            "claim": "/me#no-such-secret-was-ever-made-here",
            "no table": "/t/no-such-table",
            "no replay": "/g/no-such-game",
        }


READY = {
    "home": "#play",
    "new": "form",
    "waiting": ".waiting",
    "linko": '[data-place="deck"]',
    "duel": '[data-place="deck"]',
    "blocco": '[data-item="row:1"]',
    "end": "section.end",
    "replay": ".controls",
    "import": "textarea",
    "how linko": "h2",
    "how blocco": "h2",
    "me": "#settings",
    "player": "#ratings",
    "ladder": ".page h1",
    "claim": ".actions",
    "no table": "main h1",
    "no replay": "main h1",
}
"""What is there when a screen is."""


LOADED = """(loading) => !document.body.innerText.includes(loading)"""


def make_scenes(browser: Browser, url: str) -> Scenes:
    ann = Player(browser, url, seed=5)
    try:
        ann.arrive("Ann")
        ann.play_now("linko", "basic", 3)
        while True:
            offered = ann.wait()
            if ann.decisions > 3 and "cards" in offered:
                break
            assert not offered.get("over"), "the game is over too soon"
            ann.decide(offered)
        linko = f"/t/{ann.table}"
        ann.go("/")
        ann.play_now("blocco", "", 3)
        ann.play(6)
        ann.wait()
        blocco = f"/t/{ann.table}"
        ann.open_table("linko", "classic", ["open", "open"])
        waiting = f"/t/{ann.table}"
        ann.go("/")
        ann.play_now("linko", "duel")
        ann.wait()
        duel = f"/t/{ann.table}"
        ann.go("/")
        ann.play_now("linko", "duel")
        assert ann.play(), "the game does not end"
        expect(ann.end).to_be_visible()
        end = f"/t/{ann.table}"
        replay = ann.link("table.end.replay").get_attribute("href")
        assert replay
        me = ann.context.request.get("/api/me").json()["id"]
        return Scenes(ann.context.cookies(), linko, duel, blocco, waiting, end, replay, f"/p/{me}")
    finally:
        ann.close()


def show(player: Player, name: str, address: str) -> None:
    """Go to a screen, and wait until it is there."""
    player.go("about:blank")  # so that an address with a mark is loaded anew, too
    player.go(address)
    player.page.locator(READY[name]).first.wait_for()
    player.page.wait_for_function(LOADED, arg=player.say("app.loading"))
