"""Link previews: the title, text and picture that messengers and search engines show for an address.

Those who fetch them have no identity, and an invitation stands after the #, which is never sent. So all that
is said of a private table or game is that there may be one.
"""

from __future__ import annotations

from collections.abc import Container
from contextlib import suppress
from dataclasses import dataclass, replace
from html import escape

import msgspec

from lynxden.games.registry import get_game
from lynxden.server.http.common import Asked, live_of
from lynxden.server.http.preview_words import EDITIONS, WORDS, Words, language_of
from lynxden.server.ids import is_id
from lynxden.server.protocol import Row
from lynxden.server.store import games, guests, tables
from lynxden.server.store.core import StoreUnavailable
from lynxden.server.table.projections import Result

PICTURE = "/preview.png"
"""The site's; that of a game is beside it, as `/preview-linko.png`."""
WIDTH, HEIGHT = 1200, 630
PLACE = "</head>"
"""Before this the tags go."""


@dataclass(frozen=True)
class Preview:
    title: str
    text: str
    picture: str
    """What the picture shows."""
    game: str = ""
    """Which game it is about, if that is public."""

    def picture_in(self, files: Container[str]) -> str:
        """The address of its picture: the game's, where there is one."""
        own = f"/preview-{self.game}.png"
        return own if own in files else PICTURE


async def preview_of(request: Asked) -> Preview:
    """What an address shows to somebody who does not know anybody, in their language."""
    words = WORDS[language_of(request.headers.get("accept-language", ""))]
    kind, _, key = request.url.path.strip("/").partition("/")
    found = Preview("Lynxden", words.about, words.picture)
    if kind in ("t", "g", "p") and is_id(key):
        with suppress(StoreUnavailable):  # the page itself says what is wrong
            found = await {"t": _table, "g": _game, "p": _player}[kind](request, key, words)
    elif kind in ("how", "ladder"):
        return replace(found, game=key.partition("/")[0])
    return found


async def _table(request: Asked, key: str, words: Words) -> Preview:
    row = await live_of(request).context.store.read(tables.get, key)
    found = None if row is None else msgspec.json.decode(row.summary, type=Row)
    if found is None or not found.public:
        return Preview(words.invited, words.invited_text, words.picture)
    free = sum(seat.kind in ("open", "invited") for seat in found.seats)
    names = ", ".join(seat.name for seat in found.seats if seat.name)
    title = words.table.format(game=_title(found.game, found.edition, words))
    joining = found.phase == "open" and free
    text = words.join.format(names=names, free=free) if joining else words.watch.format(names=names)
    return Preview(title, text, words.picture, found.game)


async def _game(request: Asked, key: str, words: Words) -> Preview:
    found: Result | None = await live_of(request).context.store.read(games.get, key)
    if found is None or not found.shown_to(None):
        return Preview(words.game, words.game_text, words.picture)
    ranking = sorted(found.players, key=lambda player: (not player.won, -player.score))
    scores = ", ".join(f"{player.name} {player.score}".replace("-", "−") for player in ranking)
    title = words.replay.format(game=_title(found.game, found.edition, words))
    return Preview(title, words.result.format(scores=scores), words.picture, found.game)


async def _player(request: Asked, key: str, words: Words) -> Preview:
    guest = await live_of(request).context.store.read(guests.get, key)
    title = words.player if guest is None else words.at.format(name=guest.name)
    return Preview(title, words.player_text, words.picture)


def _title(game: str, edition: str, words: Words) -> str:
    title = get_game(game).title
    if edition == "standard":
        return title
    names = dict(zip(EDITIONS, words.editions, strict=True))
    return f"{title} ({names.get(edition, edition)})"


def tags(preview: Preview, base: str, path: str, files: Container[str]) -> str:
    """The preview in HTML, for the head of the page."""
    values = {
        "og:type": "website",
        "og:site_name": "Lynxden",
        "og:title": preview.title,
        "og:description": preview.text,
        "og:url": base + path,
        "og:image": base + preview.picture_in(files),
        "og:image:width": str(WIDTH),
        "og:image:height": str(HEIGHT),
        "og:image:alt": preview.picture,
    }
    found = [f'<meta property="{name}" content="{escape(value)}">' for name, value in values.items()]
    return "\n    ".join([*found, '<meta name="twitter:card" content="summary_large_image">', ""])


def with_preview(page: bytes, preview: Preview, base: str, path: str, files: Container[str]) -> bytes:
    """The page with its tags; unchanged if it has no head."""
    head, place, rest = page.decode().partition(PLACE)
    if not place:
        return page
    return f"{head}{tags(preview, base, path, files)}{place}{rest}".encode()
