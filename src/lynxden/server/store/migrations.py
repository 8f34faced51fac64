"""The schema of the database, as the steps that led to it. Steps are only ever added, at the end.

A step is a list of statements and functions of a transaction, carried out in order. All statements are valid
in SQLite and in PostgreSQL. A function uses nothing but the transaction: what other modules do may change, a
released step never does. Ids are texts, times are milliseconds since 1970; callers supply both. Truth values
are 1 or 0.

Servers of the version before may still be running on the same database while the first of a new version
starts: a step adds columns with defaults and tables, and removes nothing that they use.
"""

from collections.abc import Callable, Sequence

from lynxden.games.errors import LynxdenError
from lynxden.server.store.core import Tx

Change = str | Callable[[Tx], None]
"""A statement, or a function."""


def _phrases_apart(tx: Tx) -> None:
    """Quick phrases used to be texts of chat with a control character before their names."""
    for table_id, number, text in tx.all("SELECT table_id, number, text FROM chat"):
        if text.startswith("\x01"):
            tx.run(
                "UPDATE chat SET text = '', phrase = ? WHERE table_id = ? AND number = ?",
                text[1:],
                table_id,
                number,
            )


MIGRATIONS: list[tuple[str, Sequence[Change]]] = [
    (
        "0001 first",
        [
            """CREATE TABLE guests (
                id TEXT PRIMARY KEY,
                name TEXT NOT NULL,
                kind TEXT NOT NULL,
                owner TEXT REFERENCES guests (id) ON DELETE CASCADE,
                created_at BIGINT NOT NULL,
                seen_at BIGINT NOT NULL
            )""",
            "CREATE INDEX guests_owner ON guests (owner) WHERE owner IS NOT NULL",
            "CREATE INDEX guests_seen ON guests (seen_at)",
            """CREATE TABLE sessions (
                token TEXT PRIMARY KEY,
                guest TEXT NOT NULL REFERENCES guests (id) ON DELETE CASCADE,
                created_at BIGINT NOT NULL,
                seen_at BIGINT NOT NULL
            )""",
            "CREATE INDEX sessions_guest ON sessions (guest)",
            """CREATE TABLE links (
                secret TEXT PRIMARY KEY,
                guest TEXT NOT NULL UNIQUE REFERENCES guests (id) ON DELETE CASCADE,
                created_at BIGINT NOT NULL
            )""",
            """CREATE TABLE mutes (
                guest TEXT NOT NULL REFERENCES guests (id) ON DELETE CASCADE,
                muted TEXT NOT NULL,
                PRIMARY KEY (guest, muted)
            )""",
            "CREATE INDEX mutes_muted ON mutes (muted)",
            # Who sits where is in `tables.seats` as JSON, to be read and compared at once, and in the
            # table `seats`, to be found by guest.
            """CREATE TABLE tables (
                id TEXT PRIMARY KEY,
                game TEXT NOT NULL,
                edition TEXT NOT NULL,
                state TEXT NOT NULL,
                listed INTEGER NOT NULL,
                host TEXT NOT NULL,
                last BIGINT NOT NULL,
                summary TEXT NOT NULL,
                seats TEXT NOT NULL,
                created_at BIGINT NOT NULL,
                updated_at BIGINT NOT NULL,
                wake_at BIGINT,
                holder TEXT
            )""",
            "CREATE INDEX tables_listed ON tables (created_at, id) WHERE listed = 1",
            "CREATE INDEX tables_wake ON tables (wake_at) WHERE wake_at IS NOT NULL",
            "CREATE INDEX tables_holder ON tables (holder) WHERE holder IS NOT NULL",
            "CREATE INDEX tables_state ON tables (state)",
            # Guests here and in `chat` and `players` are plain texts, '' for nobody: games outlive guests.
            """CREATE TABLE seats (
                table_id TEXT NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
                seat INTEGER NOT NULL,
                guest TEXT NOT NULL,
                PRIMARY KEY (table_id, seat)
            )""",
            "CREATE INDEX seats_guest ON seats (guest) WHERE guest <> ''",
            """CREATE TABLE entries (
                table_id TEXT NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
                number BIGINT NOT NULL,
                body TEXT NOT NULL,
                PRIMARY KEY (table_id, number)
            )""",
            """CREATE TABLE chat (
                table_id TEXT NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
                number BIGINT NOT NULL,
                guest TEXT NOT NULL,
                name TEXT NOT NULL,
                text TEXT NOT NULL,
                at BIGINT NOT NULL,
                PRIMARY KEY (table_id, number)
            )""",
            "CREATE INDEX chat_guest ON chat (guest) WHERE guest <> ''",
            # No reference to `tables`: finished games stay when an old table is deleted.
            """CREATE TABLE games (
                id TEXT PRIMARY KEY,
                table_id TEXT,
                round INTEGER NOT NULL,
                game TEXT NOT NULL,
                edition TEXT NOT NULL,
                record TEXT NOT NULL,
                finished_at BIGINT NOT NULL,
                rated INTEGER NOT NULL,
                imported_by TEXT,
                UNIQUE (table_id, round)
            )""",
            "CREATE INDEX games_edition ON games (game, edition)",
            "CREATE INDEX games_imported ON games (imported_by) WHERE imported_by IS NOT NULL",
            """CREATE TABLE players (
                game_id TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE,
                seat INTEGER NOT NULL,
                guest TEXT NOT NULL,
                name TEXT NOT NULL,
                score BIGINT NOT NULL,
                won INTEGER NOT NULL,
                PRIMARY KEY (game_id, seat)
            )""",
            "CREATE INDEX players_guest ON players (guest) WHERE guest <> ''",
            """CREATE TABLE ratings (
                guest TEXT NOT NULL REFERENCES guests (id) ON DELETE CASCADE,
                game TEXT NOT NULL,
                edition TEXT NOT NULL,
                mu DOUBLE PRECISION NOT NULL,
                sigma DOUBLE PRECISION NOT NULL,
                games BIGINT NOT NULL,
                PRIMARY KEY (guest, game, edition)
            )""",
            "CREATE INDEX ratings_ladder ON ratings (game, edition, (mu - 3 * sigma))",
            "CREATE TABLE servers (id TEXT PRIMARY KEY, beat BIGINT NOT NULL)",
        ],
    ),
    (
        "0002 phrases",
        ["ALTER TABLE chat ADD COLUMN phrase TEXT NOT NULL DEFAULT ''", _phrases_apart],
    ),
    (
        "0003 games finished here",
        # They are counted without reading a game, whose record is long.
        ["CREATE INDEX games_here ON games (game, edition, imported_by) WHERE imported_by IS NULL"],
    ),
    (
        "0004 private games, devices",
        [
            "ALTER TABLE games ADD COLUMN private INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE sessions ADD COLUMN device TEXT NOT NULL DEFAULT ''",
        ],
    ),
    (
        "0005 moderation",
        [
            # Whence an open public table was made: a hash, as long as the lobby shows the table.
            "ALTER TABLE tables ADD COLUMN origin TEXT NOT NULL DEFAULT ''",
            # A line that was deleted keeps its number.
            "ALTER TABLE chat ADD COLUMN removed INTEGER NOT NULL DEFAULT 0",
            # `kind` is `guest` or `network`; `who` a guest's id, or an address. No `until`: for good.
            """CREATE TABLE bans (
                who TEXT PRIMARY KEY,
                kind TEXT NOT NULL,
                name TEXT NOT NULL,
                reason TEXT NOT NULL,
                at BIGINT NOT NULL,
                until BIGINT,
                address INTEGER NOT NULL
            )""",
            """CREATE TABLE reports (
                id TEXT PRIMARY KEY,
                at BIGINT NOT NULL,
                table_id TEXT NOT NULL,
                entry BIGINT NOT NULL,
                reporter TEXT NOT NULL,
                reporter_name TEXT NOT NULL,
                guest TEXT NOT NULL,
                name TEXT NOT NULL,
                reason TEXT NOT NULL,
                words TEXT NOT NULL,
                chat TEXT NOT NULL,
                resolved_at BIGINT,
                resolution TEXT NOT NULL DEFAULT ''
            )""",
            "CREATE INDEX reports_open ON reports (at, id) WHERE resolved_at IS NULL",
            "CREATE INDEX reports_table ON reports (table_id) WHERE resolved_at IS NULL",
            "CREATE TABLE switches (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
            # Games whose records an administrator deleted; the logs of their tables may still hold them.
            """CREATE TABLE deleted_games (
                table_id TEXT NOT NULL,
                round INTEGER NOT NULL,
                at BIGINT NOT NULL,
                PRIMARY KEY (table_id, round)
            )""",
        ],
    ),
    (
        "0006 honest ratings",
        [
            # Whether somebody made their own decisions, and their rating as it was shown before and after.
            "ALTER TABLE players ADD COLUMN own INTEGER NOT NULL DEFAULT 1",
            "ALTER TABLE players ADD COLUMN rating_before INTEGER",
            "ALTER TABLE players ADD COLUMN rating INTEGER",
        ],
    ),
    (
        "0007 reminders",
        [
            # Where a person's browsers are reached while they are closed.
            """CREATE TABLE push_subscriptions (
                endpoint TEXT PRIMARY KEY,
                guest TEXT NOT NULL REFERENCES guests (id) ON DELETE CASCADE,
                p256dh TEXT NOT NULL,
                auth TEXT NOT NULL,
                language TEXT NOT NULL,
                created_at BIGINT NOT NULL
            )""",
            "CREATE INDEX push_subscriptions_guest ON push_subscriptions (guest)",
            # Secrets of the servers on this database.
            "CREATE TABLE keys (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
        ],
    ),
]


def migrate(tx: Tx, now: int) -> list[str]:
    """Bring the database to this version; the names of the steps that were taken."""
    tx.run("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)")
    applied = {name for (name,) in tx.all("SELECT name FROM migrations")}
    unknown = applied - {name for name, _ in MIGRATIONS}
    if unknown:
        raise LynxdenError(
            f"the database was written by a newer version of Lynxden (it has '{max(unknown)}'); "
            "install that version, or restore a backup from before"
        )
    steps = [(name, changes) for name, changes in MIGRATIONS if name not in applied]
    for name, changes in steps:
        for change in changes:
            if isinstance(change, str):
                tx.run(change)
            else:
                change(tx)
        tx.run("INSERT INTO migrations (name, applied_at) VALUES (?, ?)", name, now)
    return [name for name, _ in steps]
