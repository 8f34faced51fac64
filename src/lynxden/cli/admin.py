"""`lynxden admin`: for operators of a server. Works on the database, while a server uses it too."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from lynxden.cli.style import console, errors, show
from lynxden.games.errors import LynxdenError, OptionsError
from lynxden.games.registry import get_game

if TYPE_CHECKING:
    from lynxden.server.settings import Settings
    from lynxden.server.store.chat import Line
    from lynxden.server.store.core import Store, Tx
    from lynxden.server.table.projections import Result

T = TypeVar("T")
PHASES = ("open", "running", "over", "closed")

app = typer.Typer(
    name="admin",
    help="Look after a server's database: lists, export, backup, clearing up, checks. "
    "The server may run meanwhile.",
    epilog="Example: lynxden admin tables --data ~/lynxden --phase running",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

Data = Annotated[Path | None, typer.Option(help="Folder of the built-in database, as for `lynxden serve`.")]
Database = Annotated[str | None, typer.Option(help="postgresql://… if the server uses PostgreSQL.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object per line, for programs.")]
Limit = Annotated[int, typer.Option(help="At most this many.", min=1)]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]
GameName = Annotated[str, typer.Option("--game", help="Only this game.")]
Edition = Annotated[str, typer.Option(help="Only this edition.")]
Since = Annotated[str, typer.Option(help="Finished since this day (2026-01-31), or this long ago (30d).")]
Private = Annotated[bool, typer.Option("--private", help="Include private games.")]


@app.callback()
def _main(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


# --- Shared ---------------------------------------------------------------------------------------------


def settings_of(data: Path | None, database: str | None) -> Settings:
    """The settings, of a database that is there."""
    from lynxden.server.settings import from_environment
    from lynxden.server.store.upkeep import check_current

    settings = from_environment(data=data, database=database)
    check_current(settings.store_url)
    return settings


def with_store(settings: Settings, work: Callable[[Store], Awaitable[T]]) -> T:
    """Do something with the database."""
    from lynxden.server.store.core import StoreUnavailable, open_store

    async def run() -> T:
        store = await open_store(settings.store_url)
        try:
            return await work(store)
        finally:
            await store.close()

    try:
        return asyncio.run(run())
    except StoreUnavailable as error:
        raise LynxdenError(str(error)) from error


def read(data: Path | None, database: str | None, fn: Callable[..., T], *args: Any) -> T:
    """What a function of a transaction finds."""
    return with_store(settings_of(data, database), lambda store: store.read(fn, *args))


def now() -> int:
    return time.time_ns() // 1_000_000


def duration(text: str) -> int:
    """Milliseconds: 90d, 12h, 2w."""
    found = re.fullmatch(r"(\d{1,6}) ?(m|h|d|w)", text.strip())
    if found is None:
        raise OptionsError(f"a time is a number with m, h, d or w, such as 90d, not '{text[:40]}'")
    return int(found[1]) * {"m": 60, "h": 3600, "d": 86400, "w": 604800}[found[2]] * 1000


def moment(text: str) -> int:
    """A day, or so long ago, in milliseconds since 1970; nothing for the beginning."""
    if not text:
        return 0
    try:
        return round(datetime.fromisoformat(text).astimezone().timestamp() * 1000)
    except ValueError:
        try:
            return now() - duration(text)
        except OptionsError as error:
            raise OptionsError(
                f"--since is a day such as 2026-01-31, or so long ago such as 30d, not '{text[:40]}'"
            ) from error


def time_of(at: int) -> str:
    """For people, in their own time zone."""
    return datetime.fromtimestamp(at / 1000, UTC).astimezone().strftime("%Y-%m-%d %H:%M")


def print_table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A list for people. Names are theirs to choose, so nothing in a cell is taken for markup."""
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for heading in headings:
        table.add_column(heading, header_style="label", no_wrap=heading == "id")
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    console.print(table)


def print_lines(objects: Sequence[object]) -> None:
    """A list for programs."""
    for found in objects:
        typer.echo(json.dumps(found, ensure_ascii=False))


def say(text: str, end: str = "\n") -> None:
    console.print(text, markup=False, soft_wrap=True, end=end)


def chat_text(line: Line) -> str:
    """What a line of chat says."""
    return "(deleted)" if line.removed else line.text or line.phrase


def note_limit(shown: int, limit: int) -> None:
    if shown == limit:
        errors.print(f"(the first {limit}; --limit shows more)", style="quiet")


@contextmanager
def _progress(name: str) -> Iterator[tuple[Callable[[int], None], Callable[[], None]]]:
    """A bar on a terminal: how to begin it, and how to go on."""
    with Progress(
        "{task.description}",
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        disable=not errors.is_terminal,
    ) as bar:
        task = bar.add_task(name, total=None)
        yield lambda total: bar.update(task, total=total), lambda: bar.advance(task)


def ask(question: str, yes: bool) -> None:
    if not yes:
        typer.confirm(question, abort=True, err=True)


# --- Looking --------------------------------------------------------------------------------------------


@app.command(epilog="Example: lynxden admin tables --phase running --limit 20")
def tables(
    phase: Annotated[str, typer.Option(help="open, running, over or closed; by default all.")] = "",
    limit: Limit = 50,
    as_json: AsJson = False,
    data: Data = None,
    database: Database = None,
) -> None:
    """List tables, most recently changed first."""
    from lynxden.server.live.lobby import row_of
    from lynxden.server.store import tables as stored

    if phase and phase not in PHASES:
        raise OptionsError(f"a phase is {', '.join(PHASES[:-1])} or {PHASES[-1]}, not '{phase[:40]}'")
    rows = read(data, database, stored.newest, (phase,) if phase else PHASES, limit)
    if as_json:
        import msgspec

        print_lines([{**msgspec.to_builtins(row_of(row)), "last": row.last} for row in rows])
        return
    shown = []
    for row in rows:
        seats = ", ".join(seat.name or f"({seat.kind})" for seat in row_of(row).seats)
        shown.append([row.id, row.game, row.edition, row.state, row.last, time_of(row.updated_at), seats])
    print_table(["id", "game", "edition", "phase", "events", "changed", "seats"], shown)
    note_limit(len(rows), limit)


@app.command(epilog="Example: lynxden admin table k3XwPq7RbTzM --chat")
def table(
    table_id: Annotated[str, typer.Argument(metavar="ID", help="The table's id.")],
    cards: Annotated[
        bool, typer.Option("--cards", help="Show hidden cards too, of games that are over.")
    ] = False,
    chat: Annotated[bool, typer.Option("--chat", help="Show the chat.")] = False,
    as_json: AsJson = False,
    data: Data = None,
    database: Database = None,
) -> None:
    """Show a table: its options, its seats, and its log in words. Hidden cards only with --cards."""
    from lynxden.server.store import chat as said
    from lynxden.server.store import tables as stored
    from lynxden.server.table.state import read_log
    from lynxden.server.table.story import story

    def find(tx: Tx) -> tuple[list[tuple[int, str]], list[said.Line]]:
        return stored.entries(tx, table_id, 0), said.latest(tx, table_id, 10_000) if chat else []

    entries, lines = read(data, database, find)
    if not entries:
        raise OptionsError(f"there is no table {table_id[:40]}; `lynxden admin tables` lists them")
    bodies = [body for _, body in entries]
    if cards:
        _check_not_running(table_id, bodies)
    try:
        sentences = story(table_id, bodies, cards)
    except ValueError as error:
        raise LynxdenError(f"the log of table {table_id} is broken, {error}") from error
    state = read_log(table_id, bodies)
    if as_json:
        for number, (each, body) in enumerate(zip(sentences, bodies, strict=True), 1):
            more = {"entry": json.loads(body)} if cards else {}
            print_lines([{"number": number, "at": each.at, "kind": each.kind, "text": each.text, **more}])
        print_lines(
            [
                {"chat": line.number, "at": line.at, "name": line.name, "text": chat_text(line)}
                for line in lines
            ]
        )
        return
    plan, clock = state.plan, state.plan.clock
    say(f"{plan.game.capitalize()} {plan.edition}, {state.phase}, made {time_of(state.created_at)}")
    time_for = {"none": "no clock", "decision": f"{clock.seconds} s a decision"}.get(
        clock.kind, f"{clock.seconds} s and {clock.increment} s a decision"
    )
    access = (
        f"{'public' if plan.public else 'private'}, {'open' if state.spectators else 'closed'} to spectators"
    )
    say(f"{access}, {time_for}, game {state.round} of {state.match.length}, host {state.host}")
    rows = []
    for number, seat in enumerate(state.seats):
        what = seat.kind + (" (program)" if seat.program else "") + (", left for good" if seat.quit else "")
        where = ("here" if seat.here else "away") if seat.playing else ""
        points = state.match.totals[number]
        rows.append([number, seat.name, what, where, seat.stand_in, points, seat.guest or ""])
    print_table(["seat", "name", "kind", "", "stand-in", "points", "guest"], rows)
    console.print()
    if state.position is not None:
        show((state.position if cards else state.position.view(None)).picture(state.names))
        console.print()
    for each in sentences:
        say(f"{each.number:>5}  {time_of(each.at)}  {each.text}")
    for line in lines:
        say(f" chat  {line.number:>4}  {time_of(line.at)}  {line.name}: {chat_text(line)}")


def _check_not_running(table_id: str, bodies: Sequence[str]) -> None:
    """Nobody is shown hidden cards of a game that is being played, administrators included."""
    from lynxden.server.table.state import BrokenLog, read_log

    try:
        state = read_log(table_id, bodies)
    except BrokenLog:  # of which nothing is played, and which is reported below
        return
    if state.phase == "running" and not state.ended:
        raise OptionsError(
            f"a game is being played at table {table_id}: its hidden cards are shown when it is over; "
            "leave --cards out"
        )


@app.command(epilog="Example: lynxden admin guests --name ann")
def guests(
    name: Annotated[str, typer.Option(help="Only names that contain this.")] = "",
    limit: Limit = 50,
    as_json: AsJson = False,
    data: Data = None,
    database: Database = None,
) -> None:
    """List guests (people and their bots), most recently seen first."""
    from lynxden.server.store import guests as stored

    found = read(data, database, stored.newest, limit, name)
    if as_json:
        print_lines(
            [
                {
                    "id": each.guest.id,
                    "name": each.guest.name,
                    "kind": each.guest.kind,
                    "owner": each.guest.owner,
                    "created_at": each.created_at,
                    "seen_at": each.seen_at,
                    "devices": each.devices,
                    "games": each.games,
                }
                for each in found
            ]
        )
        return
    rows = [
        [
            each.guest.id,
            each.guest.name,
            f"bot of {each.guest.owner}" if each.guest.owner else each.guest.kind,
            time_of(each.created_at),
            time_of(each.seen_at),
            each.devices,
            each.games,
        ]
        for each in found
    ]
    print_table(["id", "name", "kind", "came", "seen", "devices", "games"], rows)
    note_limit(len(found), limit)


@app.command(epilog="Example: lynxden admin games --game linko --since 7d")
def games(
    game: GameName = "",
    edition: Edition = "",
    since: Since = "",
    private: Private = False,
    limit: Limit = 50,
    as_json: AsJson = False,
    data: Data = None,
    database: Database = None,
) -> None:
    """List finished games, newest first."""
    from lynxden.server.store import games as stored

    found = read(data, database, stored.newest, _chosen(game, edition, since, private), limit)
    if as_json:
        print_lines(
            [
                {
                    "id": each.id,
                    "table": each.table_id,
                    "round": each.round,
                    "game": each.game,
                    "edition": each.edition,
                    "finished_at": each.finished_at,
                    "rated": each.rated,
                    "private": each.private,
                    "players": [
                        {"name": player.name, "guest": player.guest, "score": player.score, "won": player.won}
                        for player in each.players
                    ],
                }
                for each in found
            ]
        )
        return
    rows = [
        [
            each.id,
            each.game,
            each.edition,
            time_of(each.finished_at),
            _marks(each),
            ", ".join(f"{p.name} {p.score:+d}{' ★' if p.won else ''}" for p in each.players),
        ]
        for each in found
    ]
    print_table(["id", "game", "edition", "finished", "", "points"], rows)
    note_limit(len(found), limit)


def _marks(found: Result) -> str:
    marks = {"imported": found.table_id is None, "rated": found.rated, "private": found.private}
    return ", ".join(mark for mark, is_so in marks.items() if is_so)


def _chosen(game: str, edition: str, since: str, private: bool) -> Any:
    from lynxden.server.store.games import Chosen

    if game:
        game = get_game(game).name
        if edition:
            get_game(game).choose_options(edition)
    return Chosen(game, edition, moment(since), private)


# --- Taking away ----------------------------------------------------------------------------------------


@app.command(epilog="Example: lynxden admin export games.jsonl --game linko --since 2026-01-01")
def export(
    file: Annotated[Path, typer.Argument(help="File to write; - for standard output.", allow_dash=True)],
    game: GameName = "",
    edition: Edition = "",
    since: Since = "",
    private: Private = False,
    data: Data = None,
    database: Database = None,
) -> None:
    """Write the records of finished games to a file, one per line; `lynxden verify` can check them."""
    from lynxden.server import admin
    from lynxden.server.store import games as stored

    chosen = _chosen(game, edition, since, private)
    settings = settings_of(data, database)
    count = 0

    async def work(store: Store, write: Callable[[str], object]) -> None:
        nonlocal count
        with _progress("exporting") as (begin, step):
            begin(await store.read(stored.count, chosen))
            after = (-1, "")
            while page := await store.read(stored.page, chosen, after, admin.PAGE):
                for found in page:
                    write(admin.exported(found) + "\n")
                    count += 1
                    step()
                after = page[-1].finished_at, page[-1].id

    if str(file) == "-":
        with_store(settings, lambda store: work(store, lambda line: typer.echo(line, nl=False)))
        return
    part = file.with_name(file.name + ".part")  # a file that is there is whole
    try:
        with part.open("w", encoding="utf-8", newline="\n") as out:
            with_store(settings, lambda store: work(store, out.write))
        part.replace(file)
    except OSError as error:
        raise OptionsError(f"cannot write {file}: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)
    say(f"{count} records were written to {file}.")


@app.command(epilog="Example: lynxden admin backup /srv/backup/lynxden-2026-01-31.sqlite3")
def backup(
    file: Annotated[Path, typer.Argument(help="File for the copy; it must not exist yet.")],
    data: Data = None,
    database: Database = None,
) -> None:
    """Copy the built-in database as it is now, while the server keeps running."""
    from lynxden.server.store.core import sqlite_path
    from lynxden.server.store.upkeep import backup_sqlite

    settings = settings_of(data, database)
    path = sqlite_path(settings.store_url)
    if path is None:
        raise OptionsError(
            "PostgreSQL makes its own backups. To make one: "
            f"pg_dump --format=custom --file={file} DATABASE; to restore it into an empty database: "
            f"pg_restore --dbname=DATABASE {file} (DATABASE is the server's postgresql://… address)"
        )
    backup_sqlite(path, file)
    say(f"The database was copied to {file} ({file.stat().st_size:,} bytes).")


# --- Clearing up ----------------------------------------------------------------------------------------


@app.command("delete-guests", epilog="Example: lynxden admin delete-guests --idle 90d --dry-run")
def delete_guests(
    idle: Annotated[str, typer.Option(help="Not seen for this long: 90d, 12w.")],
    yes: Yes = False,
    dry_run: DryRun = False,
    data: Data = None,
    database: Database = None,
) -> None:
    """Forget people (with their bots) not seen for a long time; nobody who sits at a table in use.

    Their games stay, as somebody's.
    """
    from lynxden.server.store import guests as stored

    before = now() - duration(idle)
    settings = settings_of(data, database)
    count = with_store(settings, lambda store: store.read(stored.count_idle, before))
    if _ends_here(f"{_many(count, 'guest')} not seen for {idle}", count, dry_run):
        return
    ask(f"Forget {_many(count, 'guest')}, for good?", yes)
    done = with_store(settings, lambda store: _repeat(store, stored.delete_idle, before, count))
    say(f"{_many(done, 'guest')} forgotten.")


@app.command("delete-tables", epilog="Example: lynxden admin delete-tables --older 30d --yes")
def delete_tables(
    older: Annotated[str, typer.Option(help="Unchanged for this long: 30d, 12w.")],
    yes: Yes = False,
    dry_run: DryRun = False,
    data: Data = None,
    database: Database = None,
) -> None:
    """Delete tables that are over or closed, with their logs and chat. Records of finished games stay."""
    from lynxden.server.store import tables as stored

    before = now() - duration(older)
    settings = settings_of(data, database)
    count = with_store(settings, lambda store: store.read(stored.count_old, before))
    if _ends_here(f"{_many(count, 'table')} over or closed, and unchanged for {older}", count, dry_run):
        return
    ask(f"Delete {_many(count, 'table')} with logs and chat, for good?", yes)
    done = with_store(settings, lambda store: _repeat(store, stored.delete_old, before, count))
    say(f"{_many(done, 'table')} deleted.")


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _ends_here(found: str, count: int, dry_run: bool) -> bool:
    """Say what was found, if that is all there is to do."""
    if dry_run or count == 0:
        say(f"{found}." + (" Nothing was changed." if count else ""))
        return True
    return False


async def _repeat(store: Store, fn: Callable[[Tx, int], int], before: int, count: int) -> int:
    """A little at a time, so that the server need not wait."""
    total = 0
    with _progress("deleting") as (begin, step):
        begin(count)
        while done := await store.write(fn, before):
            total += done
            for _ in range(done):
                step()
    return total


@app.command(epilog="Example: lynxden admin forget 7mQxW2kRtb9Z")
def forget(
    guest: Annotated[str, typer.Argument(help="The guest's id; `lynxden admin guests` lists them.")],
    yes: Yes = False,
    dry_run: DryRun = False,
    data: Data = None,
    database: Database = None,
) -> None:
    """Forget somebody: they leave their tables, and their identity, devices, bots and ratings are deleted.

    Games they played stay, with the name that they had then.
    """
    from lynxden.server import admin
    from lynxden.server.store import guests as stored

    settings = settings_of(data, database)
    found = with_store(settings, lambda store: store.read(stored.get, guest))
    if found is None:
        raise OptionsError(f"there is no guest {guest[:40]}; `lynxden admin guests` lists them")
    if dry_run:
        say(f"{found.name} ({found.id}) would be forgotten. Nothing was changed.")
        return
    ask(f"Forget {found.name} ({found.id}), for good?", yes)
    with_store(settings, lambda store: admin.forget(store, settings, guest, now()))
    say(f"{found.name} ({found.id}) was forgotten.")


# --- Checking -------------------------------------------------------------------------------------------


@app.command(epilog="Example: lynxden admin check --data ~/lynxden")
def check(as_json: AsJson = False, data: Data = None, database: Database = None) -> None:
    """Replay every log, and compare what is stored besides with it; play every record through by the rules.

    Each problem is a line of its own. The exit code is 1 if there was any.
    """
    from lynxden.server import admin

    settings = settings_of(data, database)

    async def work(store: Store) -> tuple[int, int, list[admin.Problem]]:
        with _progress("checking") as (begin, step):
            return await admin.check(store, settings, begin, step)

    count, finished, problems = with_store(settings, work)
    if as_json:
        print_lines([{"where": each.where, "what": each.what} for each in problems])
    else:
        for each in problems:
            console.print(f"{each.where}: {each.what}", style="wrong", markup=False, soft_wrap=True)
        summary = f"{_many(count, 'table')}, {_many(finished, 'finished game')}, "
        say(summary + (_many(len(problems), "problem") if problems else "no problems"))
    raise typer.Exit(1 if problems else 0)
