"""`lynxden admin` against abuse: bans, reports, tables, chat, games, switches. Running servers follow."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from lynxden.cli.admin import (
    AsJson,
    Data,
    Database,
    Limit,
    Yes,
    app,
    ask,
    duration,
    note_limit,
    now,
    print_lines,
    print_table,
    read,
    say,
    settings_of,
    time_of,
    with_store,
)
from lynxden.games.errors import OptionsError

if TYPE_CHECKING:
    from lynxden.server.moderation import Change
    from lynxden.server.settings import Settings
    from lynxden.server.store.bans import Ban
    from lynxden.server.store.core import Store
    from lynxden.server.store.reports import Report

__all__ = ["app"]

Why = Annotated[str, typer.Option("--reason", help="Why; shown to those concerned.")]
For = Annotated[str, typer.Option("--for", help="How long: 12h, 7d, 4w; permanent by default.")]
TableId = Annotated[str, typer.Argument(metavar="TABLE", help="The table's id.")]
PANEL = "Moderation"


def _change(store: Store, settings: Settings) -> Change:
    from lynxden.server import admin

    return partial(admin.change, store, settings)


def _until(text: str) -> int | None:
    return now() + duration(text) if text else None


def _ban_text(ban: Ban) -> str:
    until = f"until {time_of(ban.until)}" if ban.until is not None else "for good"
    return f"{ban.name} ({ban.who}) {until}" if ban.name else f"{ban.who} {until}"


# --- Bans -----------------------------------------------------------------------------------------------


@app.command(
    rich_help_panel=PANEL,
    epilog="Example: lynxden admin ban 7mQxW2kRtb9Z --for 7d --reason insults --address",
)
def ban(
    guest: Annotated[str, typer.Argument(help="The guest's id; `lynxden admin guests` lists them.")],
    reason: Why = "",
    period: For = "",
    address: Annotated[
        bool, typer.Option("--address", help="Ban the network addresses they come from, too.")
    ] = False,
    data: Data = None,
    database: Database = None,
) -> None:
    """Ban somebody: disconnected within seconds, refused from then on, and out of tables that wait.

    Their bots are banned with them. At running tables a bot fills in for them, as for anybody who is away.
    """
    from lynxden.server import moderation

    settings, until = settings_of(data, database), _until(period)

    async def work(store: Store) -> Ban:
        change = _change(store, settings)
        return await moderation.ban_guest(store, guest, reason, until, address, now(), change)

    say(f"Banned: {_ban_text(with_store(settings, work))}.")


@app.command(
    "ban-network",
    rich_help_panel=PANEL,
    epilog="Example: lynxden admin ban-network 2001:db8:1:2::/64 --for 4w",
)
def ban_network(
    network: Annotated[str, typer.Argument(help="An IPv4 address, or an IPv6 network of 64 bits.")],
    reason: Why = "",
    period: For = "",
    data: Data = None,
    database: Database = None,
) -> None:
    """Ban a network address. Everyone there is disconnected, which may be a whole school."""
    from lynxden.server import moderation

    settings, until = settings_of(data, database), _until(period)
    found = with_store(settings, lambda store: moderation.ban_network(store, network, reason, until, now()))
    say(f"Banned: {_ban_text(found)}.")


@app.command(rich_help_panel=PANEL, epilog="Example: lynxden admin unban 7mQxW2kRtb9Z")
def unban(
    who: Annotated[
        str, typer.Argument(help="The guest's id, or the network; `lynxden admin bans` lists them.")
    ],
    data: Data = None,
    database: Database = None,
) -> None:
    """End a ban: the guest, or everyone at the address, may come again."""
    from lynxden.server import moderation

    found = with_store(settings_of(data, database), lambda store: moderation.unban(store, who))
    say(f"No longer banned: {found.name or found.who}.")


@app.command(rich_help_panel=PANEL, epilog="Example: lynxden admin bans --json")
def bans(as_json: AsJson = False, data: Data = None, database: Database = None) -> None:
    """List the current bans, newest first."""
    from dataclasses import asdict

    from lynxden.server.store import bans as stored

    found = read(data, database, stored.valid, now())
    if as_json:
        print_lines([asdict(each) for each in found])
        return
    rows = [
        [
            each.who,
            each.name,
            time_of(each.at),
            "for good" if each.until is None else time_of(each.until),
            "yes" if each.address else "",
            each.reason,
        ]
        for each in found
    ]
    print_table(["id", "name", "since", "until", "addresses too", "reason"], rows)


# --- Reports --------------------------------------------------------------------------------------------


@app.command(rich_help_panel=PANEL, epilog="Example: lynxden admin reports --all --limit 20")
def reports(
    resolved: Annotated[bool, typer.Option("--all", help="Include resolved reports.")] = False,
    limit: Limit = 50,
    as_json: AsJson = False,
    data: Data = None,
    database: Database = None,
) -> None:
    """List players' reports, newest first. `lynxden admin report ID` shows one."""
    from dataclasses import asdict

    from lynxden.server.store import reports as stored

    found = read(data, database, stored.newest, limit, resolved)
    if as_json:
        print_lines([asdict(each) for each in found])
        return
    rows = [
        [
            each.id,
            time_of(each.at),
            f"{each.name} ({each.guest or 'forgotten'})",
            each.reason,
            each.words,
            each.table_id,
            "" if each.resolved_at is None else "resolved",
        ]
        for each in found
    ]
    print_table(["id", "when", "about", "reason", "words", "table", ""], rows)
    note_limit(len(found), limit)


@app.command(rich_help_panel=PANEL, epilog="Example: lynxden admin report Dn4fYv8KsHpc")
def report(
    report_id: Annotated[str, typer.Argument(metavar="ID", help="The report's id.")],
    data: Data = None,
    database: Database = None,
) -> None:
    """Show a report, with the last lines of chat before it."""
    from lynxden.server.store import reports as stored

    found: Report | None = read(data, database, stored.get, report_id)
    if found is None:
        raise OptionsError(f"there is no report {report_id[:40]}; `lynxden admin reports` lists them")
    say(f"{found.reporter_name} ({found.reporter or 'forgotten'}) reports {found.name}", end="")
    say(f" ({found.guest or 'forgotten'}), {time_of(found.at)}: {found.reason}")
    if found.words:
        say(f"  {found.words}")
    say(f"At table {found.table_id}, after event {found.entry}; `lynxden admin table` shows it.")
    for line in found.chat:
        spoken = line.get("text") or line.get("phrase", "")
        say(f"{line['number']:>5}  {time_of(line['at'])}  {line['name']} ({line['guest']}): {spoken}")
    if found.resolved_at is not None:
        say(f"Resolved {time_of(found.resolved_at)}. {found.resolution}")


@app.command(
    rich_help_panel=PANEL, epilog='Example: lynxden admin resolve Dn4fYv8KsHpc --note "banned for a week"'
)
def resolve(
    report_id: Annotated[str, typer.Argument(metavar="ID", help="The report's id.")],
    note: Annotated[str, typer.Option(help="For other administrators.")] = "",
    data: Data = None,
    database: Database = None,
) -> None:
    """Mark a report as resolved; it is no longer listed."""
    from lynxden.server import moderation

    with_store(settings_of(data, database), lambda store: moderation.resolve(store, report_id, note, now()))
    say(f"Report {report_id} is resolved.")


# --- Tables, chat, games ----------------------------------------------------------------------------------


@app.command(
    rich_help_panel=PANEL, epilog='Example: lynxden admin close k3XwPq7RbTzM --reason "An offensive name"'
)
def close(
    table: TableId,
    reason: Why = "",
    yes: Yes = False,
    data: Data = None,
    database: Database = None,
) -> None:
    """Close a table that waits or is being played. The people there see the reason; nobody has won."""
    from lynxden.server import moderation

    settings = settings_of(data, database)
    ask(f"Close table {table}, for good?", yes)

    async def work(store: Store) -> None:
        await moderation.close_table(store, table, reason, now(), _change(store, settings))

    with_store(settings, work)
    say(f"Table {table} was closed.")


@app.command(
    "delete-chat", rich_help_panel=PANEL, epilog="Example: lynxden admin delete-chat k3XwPq7RbTzM 14 15"
)
def delete_chat(
    table: TableId,
    numbers: Annotated[list[int] | None, typer.Argument(help="Of the lines; or use --guest.", min=1)] = None,
    guest: Annotated[str, typer.Option(help="All lines of this guest.")] = "",
    data: Data = None,
    database: Database = None,
) -> None:
    """Delete lines of chat, also from people's screens. `lynxden admin table ID --chat` numbers them."""
    from lynxden.server import moderation

    if bool(numbers) == bool(guest):
        raise OptionsError("name the numbers of the lines, or --guest for all of one person")
    settings = settings_of(data, database)
    found = with_store(settings, lambda store: moderation.delete_chat(store, table, numbers or [], guest))
    for line in found:
        say(f"Deleted: {line.number}  {line.name}: {line.text or line.phrase}")


@app.command("delete-game", rich_help_panel=PANEL, epilog="Example: lynxden admin delete-game k3XwPq7RbTzM-1")
def delete_game(
    game: Annotated[str, typer.Argument(help="The game's id; `lynxden admin games` lists them.")],
    yes: Yes = False,
    data: Data = None,
    database: Database = None,
) -> None:
    """Delete a finished game with its record, played here or imported. Ratings stay as they are."""
    from lynxden.server import moderation
    from lynxden.server.store import games as stored

    settings = settings_of(data, database)
    if with_store(settings, lambda store: store.read(stored.get, game)) is not None:
        ask(f"Delete game {game} with its record, for good?", yes)
    found = with_store(settings, lambda store: moderation.delete_game(store, game, now()))
    who = ", ".join(f"{player.name} {player.score:+d}" for player in found.players)
    where = f"played at table {found.table_id}" if found.table_id else "imported"
    say(f"Deleted: {found.game} {found.edition}, {where}, {time_of(found.finished_at)}: {who}")


# --- Switches -------------------------------------------------------------------------------------------


@app.command(rich_help_panel=PANEL, epilog="Example: lynxden admin registration closed")
def registration(
    state: Annotated[str, typer.Argument(help="open or closed; leave out to show the current state.")] = "",
    data: Data = None,
    database: Database = None,
) -> None:
    """Accept new guests, or none for a while. Known guests can keep playing."""
    from lynxden.server.store import switches

    if state not in ("", "open", "closed"):
        raise OptionsError(f"registration is open or closed, not '{state[:40]}'")
    settings = settings_of(data, database)
    if state:
        with_store(settings, lambda store: store.write(switches.set_registration, state == "open"))
    stands = with_store(settings, lambda store: store.read(switches.get)).registration
    say("New guests are taken." if stands else "No new guests are taken.")


@app.command("slow-chat", rich_help_panel=PANEL, epilog="Example: lynxden admin slow-chat 10")
def slow_chat(
    seconds: Annotated[
        float | None, typer.Argument(help="Between two lines; 0 turns it off; leave out to show it.")
    ] = None,
    data: Data = None,
    database: Database = None,
) -> None:
    """Slow mode: at least this many seconds between two lines of chat from one person, at all tables."""
    from lynxden.server import moderation
    from lynxden.server.store import switches

    settings = settings_of(data, database)
    if seconds is not None:
        with_store(settings, lambda store: moderation.set_slow_chat(store, seconds))
    stands = with_store(settings, lambda store: store.read(switches.get)).slow_chat
    say(f"A line of chat every {stands:g} seconds." if stands else "No slow mode.")
