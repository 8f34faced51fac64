"""For administrators who know the token: reports, bans, tables and switches. Hidden cards are not among it.

Without a token in the settings these addresses do not exist.
"""

from __future__ import annotations

import secrets
from typing import Annotated, Any

from litestar import delete, get, post, put
from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.params import JSONBody
from msgspec import Meta, Struct

from lynxden.server import moderation, protocol
from lynxden.server.errors import Code, Refusal
from lynxden.server.http.common import Asked, Path, live_of, problems
from lynxden.server.http.guard import address
from lynxden.server.limits import Buckets
from lynxden.server.live.context import Context
from lynxden.server.live.lobby import row_of
from lynxden.server.store import bans, reports, switches, tables
from lynxden.server.store.core import Tx

MOST_SHOWN = 100
"""Reports, bans and tables that are listed at most, of each."""
WRONG_PER_MINUTE = 10
"""Wrong tokens from one network address."""
DAY = 86_400_000

Words = Annotated[str, Meta(max_length=4 * moderation.LONGEST_REASON)]
Days = Annotated[float, Meta(ge=0, le=36500)]


class ReportOf(Struct, frozen=True):
    """What a player reported."""

    id: str
    at: int
    table: str
    entry: int
    """The last event of the table at that time."""
    reporter: str
    reporter_name: str
    guest: str
    name: str
    reason: str
    words: str
    chat: list[protocol.ChatLine]
    """The last lines of chat at that time."""


class BanOf(Struct, frozen=True):
    who: str
    """A guest's id, or a network address."""
    kind: str
    """`guest` or `network`."""
    name: str
    reason: str
    at: int
    until: int | None
    """When it ends; null: never."""
    address: bool
    """Wherever the guest comes from is banned as well."""


class SwitchesOf(Struct, frozen=True, forbid_unknown_fields=True):
    registration: bool
    """New guests are taken."""
    slow_chat: Annotated[float, Meta(ge=0, le=moderation.SLOWEST_CHAT)]
    """Seconds between two lines of chat from one person; 0 if there is no slow mode."""


class Overview(Struct, frozen=True):
    """Everything that an administrator sees at a glance."""

    reports: list[ReportOf]
    """Those that wait, newest first."""
    reports_open: int
    """How many wait."""
    bans: list[BanOf]
    tables: list[protocol.Row]
    """Open and running, the one that changed last first."""
    switches: SwitchesOf


class BanGuest(Struct, frozen=True, forbid_unknown_fields=True):
    guest: Annotated[str, Meta(min_length=1, max_length=64)]
    reason: Words = ""
    days: Days = 0
    """For how long; 0 for good."""
    address: bool = False
    """Ban the network addresses that they come from, too."""


class BanNetwork(Struct, frozen=True, forbid_unknown_fields=True):
    network: Annotated[str, Meta(min_length=1, max_length=64)]
    """An IPv4 address, or an IPv6 network of 64 bits."""
    reason: Words = ""
    days: Days = 0


class Unban(Struct, frozen=True, forbid_unknown_fields=True):
    who: Annotated[str, Meta(min_length=1, max_length=64)]


class Reason(Struct, frozen=True, forbid_unknown_fields=True):
    reason: Words = ""
    """Shown to the people at the table."""


class Resolution(Struct, frozen=True, forbid_unknown_fields=True):
    note: Words = ""
    """For other administrators."""


class Lines(Struct, frozen=True, forbid_unknown_fields=True):
    numbers: Annotated[list[Annotated[int, Meta(ge=1, le=2**53)]], Meta(min_length=1, max_length=200)]
    """Of the lines, as in `ChatLine`."""


class Keys:
    """Whether somebody knows the token; many attempts are refused."""

    def __init__(self, context: Context) -> None:
        self._token = context.settings.admin_token.encode()
        self._wrong = Buckets(WRONG_PER_MINUTE / 60, WRONG_PER_MINUTE, clock=context.clock.monotonic)

    @property
    def there(self) -> bool:
        return self._token != b""

    def check(self, given: str, where: str) -> None:
        if not self.there:
            raise Refusal(Code.NOT_FOUND, "there is no such address")
        # Compared in constant time: how long the answer takes says nothing about the token.
        if secrets.compare_digest(given.encode(), b"Bearer " + self._token):
            return
        if not self._wrong.take(where):
            raise Refusal(Code.TOO_MUCH, "too many wrong tokens from your address; wait a minute")
        raise Refusal(Code.WHO, "this needs the administrator's token, as Authorization: Bearer TOKEN")


def administrators(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """Let nobody pass who does not know the token."""
    keys: Keys = connection.app.state.keyring
    keys.check(connection.headers.get("authorization", ""), address(connection.scope))


ONLY = [administrators]


def _standing(tx: Tx, now: int) -> tuple[Any, ...]:
    return (
        reports.newest(tx, MOST_SHOWN),
        reports.count_open(tx),
        bans.valid(tx, now)[:MOST_SHOWN],
        tables.newest(tx, tables.IN_USE, MOST_SHOWN),
        switches.get(tx),
    )


@get("/api/admin", guards=ONLY, responses=problems(401, 404))
async def overview(request: Asked) -> Overview:
    """For administrators: reports, bans, tables and switches."""
    context = live_of(request).context
    found, count, banned, rows, switched = await context.store.read(_standing, context.now())
    return Overview(
        [
            ReportOf(
                each.id, each.at, each.table_id, each.entry, each.reporter, each.reporter_name, each.guest,
                each.name, each.reason, each.words, [protocol.ChatLine(**line) for line in each.chat],
            )
            for each in found
        ],
        count,
        [BanOf(ban.who, ban.kind, ban.name, ban.reason, ban.at, ban.until, ban.address) for ban in banned],
        [row_of(row) for row in rows],
        SwitchesOf(switched.registration, switched.slow_chat),
    )  # fmt: skip


@put("/api/admin/switches", guards=ONLY, status_code=204, responses=problems(400, 401, 403, 404, 413))
async def switch(request: Asked, data: JSONBody[SwitchesOf]) -> None:
    """For administrators: take new guests or not, and slow mode for chat. Servers follow within seconds."""
    live = live_of(request)
    await moderation.set_slow_chat(live.context.store, data.slow_chat)
    await live.context.store.write(switches.set_registration, data.registration)
    await live.moderation.follow()


@post("/api/admin/bans/guests", guards=ONLY, status_code=204, responses=problems(400, 401, 403, 404, 413))
async def ban_guest(request: Asked, data: JSONBody[BanGuest]) -> None:
    """For administrators: ban somebody. Their sockets are closed at once."""
    live = live_of(request)
    now = live.context.now()
    await moderation.ban_guest(
        live.context.store,
        data.guest,
        data.reason,
        _until(data.days, now),
        data.address,
        now,
        live.tables.change,
    )
    await live.moderation.follow()


@post("/api/admin/bans/networks", guards=ONLY, status_code=204, responses=problems(400, 401, 403, 404, 413))
async def ban_network(request: Asked, data: JSONBody[BanNetwork]) -> None:
    """For administrators: ban a network address."""
    live = live_of(request)
    now = live.context.now()
    await moderation.ban_network(live.context.store, data.network, data.reason, _until(data.days, now), now)
    await live.moderation.follow()


def _until(days: float, now: int) -> int | None:
    return now + max(1, round(days * DAY)) if days else None


@post("/api/admin/bans/lift", guards=ONLY, status_code=204, responses=problems(400, 401, 403, 404, 413))
async def unban(request: Asked, data: JSONBody[Unban]) -> None:
    """For administrators: end a ban, of a guest or of a network."""
    live = live_of(request)
    await moderation.unban(live.context.store, data.who)
    await live.moderation.follow()


@post(
    "/api/admin/tables/{table:str}/close",
    guards=ONLY, status_code=204, responses=problems(400, 401, 403, 404, 409, 413),
)  # fmt: skip
async def close_table(request: Asked, table: Path, data: JSONBody[Reason]) -> None:
    """For administrators: close a table; the people there see the reason."""
    live = live_of(request)
    await moderation.close_table(
        live.context.store, table, data.reason, live.context.now(), live.tables.change
    )
    await live.moderation.follow()


@post(
    "/api/admin/tables/{table:str}/chat/delete",
    guards=ONLY, status_code=204, responses=problems(400, 401, 403, 404, 413),
)  # fmt: skip
async def delete_chat(request: Asked, table: Path, data: JSONBody[Lines]) -> None:
    """For administrators: delete lines of chat, also from the screens of those who have them."""
    live = live_of(request)
    await moderation.delete_chat(live.context.store, table, data.numbers)
    await live.moderation.follow()


@delete("/api/admin/games/{game:str}", guards=ONLY, responses=problems(400, 401, 403, 404))
async def delete_game(request: Asked, game: Path) -> None:
    """For administrators: delete a finished game with its record."""
    context = live_of(request).context
    await moderation.delete_game(context.store, game, context.now())


@post(
    "/api/admin/reports/{report:str}/resolve",
    guards=ONLY, status_code=204, responses=problems(400, 401, 403, 404, 409, 413),
)  # fmt: skip
async def resolve(request: Asked, report: Path, data: JSONBody[Resolution]) -> None:
    """For administrators: a report is dealt with."""
    context = live_of(request).context
    await moderation.resolve(context.store, report, data.note, context.now())


HANDLERS = [
    overview, switch, ban_guest, ban_network, unban, close_table, delete_chat, delete_game, resolve,
]  # fmt: skip
