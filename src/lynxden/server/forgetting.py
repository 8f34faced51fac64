"""Forgetting a person: the one way, for the person themselves and for an administrator."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from lynxden.server.store import guests, tables
from lynxden.server.store.core import Store
from lynxden.server.table import commands
from lynxden.server.table.plans import USUAL_BOT
from lynxden.server.table.state import TableState

Change = Callable[[str, commands.Command], Awaitable[object]]
"""Carries out a command at a table: through the live table, or straight in the database."""


async def forget(store: Store, guest: str, now: Callable[[], int], change: Change) -> list[str]:
    """Delete a guest and their bots; they leave their tables first. Who was deleted."""
    found = [guest, *(bot.id for bot in await store.read(guests.bots_of, guest))]
    for each in found:
        await _leave_tables(store, each, now, change)
    return found if await store.write(guests.forget, guest) else []


async def _leave_tables(store: Store, guest: str, now: Callable[[], int], change: Change) -> None:
    def command(state: TableState) -> commands.Entries:
        if state.seat_of(guest) is None:
            return ()
        return commands.leave(state, guest, now(), USUAL_BOT)

    for row in await store.read(tables.of_guest, guest, tables.IN_USE, 10_000):
        await change(row.id, command)
