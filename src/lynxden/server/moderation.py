"""What an administrator does about people and tables: the one way, for the command and for the page."""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Awaitable, Callable, Sequence

from lynxden.server import sanitize
from lynxden.server.errors import Code, Refusal
from lynxden.server.store import bans, chat, games, guests, reports, switches, tables
from lynxden.server.store.bans import Ban
from lynxden.server.store.chat import Line
from lynxden.server.store.core import Store
from lynxden.server.table import commands
from lynxden.server.table.plans import USUAL_BOT
from lynxden.server.table.projections import FinishedGame
from lynxden.server.table.state import TableState

Change = Callable[[str, commands.Command], Awaitable[object]]
"""Carries out a command at a table: through the live table, or straight in the database."""

LONGEST_REASON = 300
"""Characters of a reason in an administrator's words."""
SLOWEST_CHAT = 3600.0
"""Seconds between two lines of chat at most."""


def words(text: str) -> str:
    """An administrator's reason, as it is shown to people."""
    found = sanitize.tidy(text)
    if len(found) > LONGEST_REASON:
        raise Refusal(Code.OPTIONS, f"a reason has at most {LONGEST_REASON} characters, not {len(found)}")
    return found


# --- Bans -----------------------------------------------------------------------------------------------


async def ban_guest(
    store: Store, guest: str, reason: str, until: int | None, address: bool, now: int, change: Change
) -> Ban:
    """Ban somebody. Their sockets are closed on all servers, and they leave tables that have not started."""
    found = await store.read(guests.get, guest)
    if found is None:
        raise Refusal(Code.NOT_FOUND, f"there is no guest {guest[:40]}; `lynxden admin guests` lists them")
    ban = Ban(found.id, "guest", found.name, words(reason), now, _later(until, now), address)
    await store.write(bans.add, ban)

    def leave(state: TableState) -> commands.Entries:
        if state.seat_of(found.id) is None or state.phase != "open":
            return ()
        return commands.leave(state, found.id, now, USUAL_BOT)

    for row in await store.read(tables.of_guest, found.id, ("open",), 1000):
        await change(row.id, leave)
    await store.write(switches.changed)  # of the tables
    return ban


async def ban_network(store: Store, text: str, reason: str, until: int | None, now: int) -> Ban:
    """Ban an IPv4 address, or an IPv6 network of 64 bits."""
    ban = Ban(network(text), "network", "", words(reason), now, _later(until, now))
    await store.write(bans.add, ban)
    return ban


async def unban(store: Store, who: str) -> Ban:
    """End a ban: of a guest by the id, of a network by its address."""
    found = await store.write(bans.lift, network(who) if ":" in who or "." in who else who)
    if found is None:
        raise Refusal(Code.NOT_FOUND, f"{who[:60]} is not banned; `lynxden admin bans` lists who is")
    return found


def network(text: str) -> str:
    """An address as bans hold it: one of IPv4, or the first 64 bits of one of IPv6."""
    wrong = Refusal(
        Code.OPTIONS,
        f"a network is an IPv4 address such as 203.0.113.7, or an IPv6 network such as 2001:db8:1:2::/64, "
        f"not '{text[:60]}'",
    )
    try:
        found = ipaddress.ip_network(text.strip(), strict=False)
    except ValueError as error:
        raise wrong from error
    if found.version == 4:
        if found.prefixlen != 32:
            raise wrong
        shown = str(found.network_address)
    else:
        if found.prefixlen not in (64, 128):
            raise wrong
        first = found.network_address
        if first.ipv4_mapped is not None:
            return network(str(first.ipv4_mapped))
        shown = str(ipaddress.IPv6Network((int(first) >> 64 << 64, 64)))
    if found.network_address.is_loopback or found.network_address.is_unspecified:
        raise Refusal(
            Code.OPTIONS,
            f"{text[:60]} is this machine itself; a proxy on it may bring everybody who plays here",
        )
    return shown


def _later(until: int | None, now: int) -> int | None:
    if until is not None and until <= now:
        raise Refusal(Code.OPTIONS, "a ban ends in the future: say for how long, such as 7d, or leave it out")
    return until


# --- Tables, chat, games ----------------------------------------------------------------------------------


async def close_table(store: Store, table: str, reason: str, now: int, change: Change) -> None:
    """Close a table, whatever goes on there; the people at it see the reason."""
    row = await store.read(tables.get, table)
    if row is None:
        raise Refusal(Code.NOT_FOUND, f"there is no table {table[:40]}; `lynxden admin tables` lists them")
    if row.state not in tables.IN_USE:
        raise Refusal(Code.NOT_RUNNING, f"table {table} is {row.state} already")
    text = words(reason)
    await change(table, lambda state: commands.close_by_admin(state, text, now))
    await store.write(switches.changed)
    after = await store.read(tables.get, table)
    if after is not None and after.state in tables.IN_USE:
        raise Refusal(
            Code.READ_ONLY, f"table {table} was written by another version and cannot be closed here"
        )


async def delete_chat(store: Store, table: str, numbers: Sequence[int], guest: str = "") -> list[Line]:
    """Delete lines of chat, by their numbers or all of one person; what they said."""
    if await store.read(tables.get, table) is None:
        raise Refusal(Code.NOT_FOUND, f"there is no table {table[:40]}; `lynxden admin tables` lists them")
    chosen = list(numbers) if numbers else await store.read(chat.of_guest, table, guest)
    found: list[Line] = []
    for start in range(0, len(chosen), 200):
        found += await store.write(chat.remove, table, chosen[start : start + 200])
    if not found:
        raise Refusal(
            Code.NOT_FOUND,
            f"there is no such line at table {table}; `lynxden admin table ID --chat` shows them",
        )
    return found


async def delete_game(store: Store, game: str, now: int) -> FinishedGame:
    """Delete a finished game with its record; what it was."""
    found = await store.write(games.delete, game, now)
    if found is None:
        raise Refusal(
            Code.NOT_FOUND, f"there is no finished game {game[:40]}; `lynxden admin games` lists them"
        )
    return found


# --- Reports and switches ---------------------------------------------------------------------------------


async def resolve(store: Store, report: str, resolution: str, now: int) -> None:
    """Note that a report is dealt with."""
    if not await store.write(reports.resolve, report, words(resolution), now):
        found = await store.read(reports.get, report)
        if found is None:
            raise Refusal(
                Code.NOT_FOUND, f"there is no report {report[:40]}; `lynxden admin reports` lists them"
            )
        raise Refusal(Code.NOT_RUNNING, f"report {report} is resolved already")


async def set_slow_chat(store: Store, seconds: float) -> None:
    """At least so many seconds between two lines of chat from one person; 0 ends it."""
    if not (math.isfinite(seconds) and 0 <= seconds <= SLOWEST_CHAT):
        raise Refusal(
            Code.OPTIONS,
            f"slow mode is 0 (off) to {SLOWEST_CHAT:g} seconds between two lines, not {seconds:g}",
        )
    await store.write(switches.set_slow_chat, seconds)
