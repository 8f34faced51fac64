"""Link previews: the title, text and picture that messengers and search engines show for an address.

Whoever fetches them has no identity, and an invitation stands after the #, which is never sent. So nothing is
told of a private table or game but that there may be one.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
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
WIDTH, HEIGHT = 1200, 630
PLACE = "</head>"
"""Before this the tags go."""


@dataclass(frozen=True)
class Preview:
    title: str
    text: str
    picture: str
    """What the picture shows."""


async def preview_of(request: Asked) -> Preview:
    """What an address shows to somebody who does not know anybody, in their language."""
    words = WORDS[language_of(request.headers.get("accept-language", ""))]
    kind, _, key = request.url.path.strip("/").partition("/")
    title, text = "Lynxden", words.about
    if kind in ("t", "g", "p") and is_id(key):
        with suppress(StoreUnavailable):  # the page itself says what is wrong
            title, text = await {"t": _table, "g": _game, "p": _player}[kind](request, key, words)
    return Preview(title, text, words.picture)


async def _table(request: Asked, key: str, words: Words) -> tuple[str, str]:
    row = await live_of(request).context.store.read(tables.get, key)
    found = None if row is None else msgspec.json.decode(row.summary, type=Row)
    if found is None or not found.public:
        return words.invited, words.invited_text
    free = sum(seat.kind in ("open", "invited") for seat in found.seats)
    names = ", ".join(seat.name for seat in found.seats if seat.name)
    title = words.table.format(game=_title(found.game, found.edition, words))
    if found.phase == "open" and free:
        return title, words.join.format(names=names, free=free)
    return title, words.watch.format(names=names)


async def _game(request: Asked, key: str, words: Words) -> tuple[str, str]:
    found: Result | None = await live_of(request).context.store.read(games.get, key)
    if found is None or not found.shown_to(None):
        return words.game, words.game_text
    ranking = sorted(found.players, key=lambda player: (not player.won, -player.score))
    scores = ", ".join(f"{player.name} {player.score}".replace("-", "−") for player in ranking)
    title = words.replay.format(game=_title(found.game, found.edition, words))
    return title, words.result.format(scores=scores)


async def _player(request: Asked, key: str, words: Words) -> tuple[str, str]:
    guest = await live_of(request).context.store.read(guests.get, key)
    title = words.player if guest is None else words.at.format(name=guest.name)
    return title, words.player_text


def _title(game: str, edition: str, words: Words) -> str:
    title = get_game(game).title
    if edition == "standard":
        return title
    names = dict(zip(EDITIONS, words.editions, strict=True))
    return f"{title} ({names.get(edition, edition)})"


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
        "og:image:alt": preview.picture,
    }
    found = [f'<meta property="{name}" content="{escape(value)}">' for name, value in values.items()]
    return "\n    ".join([*found, '<meta name="twitter:card" content="summary_large_image">', ""])


def with_preview(page: bytes, preview: Preview, base: str, path: str) -> bytes:
    """The page with its tags; unchanged if it has no head."""
    head, place, rest = page.decode().partition(PLACE)
    if not place:
        return page
    return f"{head}{tags(preview, base, path)}{place}{rest}".encode()
