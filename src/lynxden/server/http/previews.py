"""Link previews: the title, text and picture that messengers and search engines show for an address.

Whoever fetches them has no identity, and an invitation stands after the #, which is never sent. So nothing is
told of a private table or game but that there may be one.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import msgspec

from lynxden.games.registry import get_game
from lynxden.server.http.common import Asked, live_of
from lynxden.server.ids import is_id
from lynxden.server.protocol import Row
from lynxden.server.store import games, guests, tables
from lynxden.server.store.core import StoreUnavailable
from lynxden.server.table.projections import Result

PICTURE = "/preview.png"
WIDTH, HEIGHT = 1200, 630
PLACE = "</head>"
"""Before this the tags go."""


@dataclass(frozen=True)
class Preview:
    title: str = "Lynxden"
    text: str = "Play the card games Linko and Blocco with friends or bots. Free, no account needed."


INVITATION = Preview(
    "You’re invited to a game", "Open the link to take a seat at Lynxden. No account needed."
)
GAME = Preview("A game at Lynxden", "Watch the replay, move by move.")
PLAYER = Preview("A player at Lynxden", "Games and ratings.")


async def preview_of(request: Asked) -> Preview:
    """What an address shows to somebody who does not know anybody."""
    kind, _, key = request.url.path.strip("/").partition("/")
    if kind not in ("t", "g", "p") or not is_id(key):
        return Preview()
    try:
        return await {"t": _table, "g": _game, "p": _player}[kind](request, key)
    except StoreUnavailable:  # the page itself says what is wrong
        return Preview()


async def _table(request: Asked, key: str) -> Preview:
    row = await live_of(request).context.store.read(tables.get, key)
    if row is None:
        return INVITATION
    found = msgspec.json.decode(row.summary, type=Row)
    if not found.public:
        return INVITATION
    free = sum(seat.kind in ("open", "invited") for seat in found.seats)
    names = ", ".join(seat.name for seat in found.seats if seat.name)
    title = f"A table of {_title(found.game, found.edition)}"
    if found.phase == "open" and free:
        return Preview(title, f"{names}: {free} free seat{'s' * (free != 1)}. Open the link to join.")
    return Preview(title, f"{names}. Open the link to watch.")


async def _game(request: Asked, key: str) -> Preview:
    found: Result | None = await live_of(request).context.store.read(games.get, key)
    if found is None or not found.shown_to(None):
        return GAME
    ranking = sorted(found.players, key=lambda player: (not player.won, -player.score))
    scores = ", ".join(f"{player.name} {player.score}".replace("-", "−") for player in ranking)
    return Preview(f"{_title(found.game, found.edition)}: the replay", f"{scores}. Watch it move by move.")


async def _player(request: Asked, key: str) -> Preview:
    guest = await live_of(request).context.store.read(guests.get, key)
    return PLAYER if guest is None else Preview(f"{guest.name} at Lynxden", PLAYER.text)


def _title(game: str, edition: str) -> str:
    title = get_game(game).title
    return title if edition == "standard" else f"{title} ({edition})"


def tags(preview: Preview, base: str, path: str) -> str:
    """The preview in HTML, for the head of the page."""
    values = {
        "og:type": "website",
        "og:site_name": "Lynxden",
        "og:title": preview.title,
        "og:description": preview.text,
        "og:url": base + path,
        "og:image": base + PICTURE,
        "og:image:width": str(WIDTH),
        "og:image:height": str(HEIGHT),
        "og:image:alt": "A lynx and a fan of cards",
    }
    found = [f'<meta property="{name}" content="{escape(value)}">' for name, value in values.items()]
    return "\n    ".join([*found, '<meta name="twitter:card" content="summary_large_image">', ""])


def with_preview(page: bytes, preview: Preview, base: str, path: str) -> bytes:
    """The page with its tags; unchanged if it has no head."""
    head, place, rest = page.decode().partition(PLACE)
    if not place:
        return page
    return f"{head}{tags(preview, base, path)}{place}{rest}".encode()
