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


PLAY = """async ({ plan, decisions, ask }) => {
  const made = await fetch('/api/play', { method: 'POST', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...plan, speed: 'instant' }) });
  const { id } = await made.json();
  const socket = new WebSocket(`ws://${location.host}/api/socket`);
  let seen = 0;
  let own = null;
  let done = 0;
  await new Promise((resolve, reject) => {
    socket.onclose = reject;
    socket.onopen = () => socket.send(JSON.stringify({ type: 'watch', table: id, seen: 0 }));
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      seen = message.number ?? message.what?.number ?? seen;
      const { game } = message;
      if (message.type === 'refused') reject(new Error(message.text));
      if (game?.public.over) return resolve();
      if (game) own = game.own;
      if (!game || !own.legal.length) return;
      if (done >= decisions && (!ask || game.public.decision === ask)) return resolve();
      done += 1;
      const action = own.legal[own.legal.length - 1];
      socket.send(JSON.stringify({ type: 'act', table: id, id: `a${done}`, seen, action }));
    };
  });
  socket.onclose = null;
  socket.close();
  return id;
}"""
"""Plays without looking: until the game is over, or this is asked after so many decisions."""


def make_scenes(browser: Browser, url: str) -> Scenes:
    ann = Player(browser, url, seed=5)

    def play(decisions: int = 1000, ask: str = "", **plan: object) -> str:
        made = ann.page.evaluate(PLAY, {"plan": plan, "decisions": decisions, "ask": ask})
        return f"/t/{made}"

    try:
        ann.arrive("Ann")
        linko = play(4, "play", game="linko", edition="basic", players=3)
        blocco = play(6, game="blocco", players=3)
        duel = play(0, game="linko", edition="duel")
        end = play(game="linko", edition="duel")
        ann.open_table("linko", "classic", ["open", "open"])
        waiting = f"/t/{ann.table}"
        ann.go(end)
        expect(ann.end).to_be_visible(timeout=120_000)  # workers may still be compiling
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
