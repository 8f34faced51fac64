"""Finished games, with their records and results, and the ratings that follow from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lynxden.server.errors import Code, Refusal
from lynxden.server.ratings import Rating, rate, shown
from lynxden.server.store.core import Row, Tx, Value, each
from lynxden.server.table.projections import FinishedGame, Player, Result

_RESULT = "id, table_id, round, game, edition, finished_at, rated, imported_by, private"


@dataclass(frozen=True)
class RatingChange:
    seat: int
    guest: str
    before: Rating
    after: Rating


@dataclass(frozen=True)
class Standing:
    """A place on a ladder."""

    guest: str
    name: str
    kind: str
    rating: Rating


def finish(tx: Tx, finished: FinishedGame) -> list[RatingChange]:
    """Store a finished game, and rate its players. A game that is stored already changes nothing."""
    kept = tx.run(
        "INSERT INTO games (id, table_id, round, game, edition, record, finished_at, rated, imported_by, "
        "private) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        finished.id,
        finished.table_id,
        finished.round,
        finished.game,
        finished.edition,
        finished.record,
        finished.finished_at,
        int(finished.rated),
        finished.imported_by,
        int(finished.private),
    )
    if kept == 0:
        return []
    there = _still_there(tx, [player.guest for player in finished.players if player.guest])
    for player in finished.players:
        tx.run(
            "INSERT INTO players (game_id, seat, guest, name, score, won, own) VALUES (?, ?, ?, ?, ?, ?, ?)",
            finished.id,
            player.seat,
            player.guest if player.guest in there else "",
            player.name,
            player.score,
            int(player.won),
            int(player.own),
        )
    return _rate(tx, finished, there) if finished.rated else []


def add_imported(tx: Tx, finished: FinishedGame, most: int = 0) -> bool:
    """Store a game that was played elsewhere, without ratings; False if it is stored already.

    With `most`, a person who has imported so many games already is refused.
    """
    if finished.rated:
        raise ValueError("games from elsewhere are never rated")
    before = get(tx, finished.id)
    if before is None and most and finished.imported_by:
        check_imports(tx, finished.imported_by, most)
    finish(tx, finished)
    return before is None


def check_imports(tx: Tx, guest: str, most: int) -> None:
    """Refuse a person who has imported so many games; their programs' imports count as theirs."""
    # Locked, so that two imports at the same moment are counted one after the other.
    found = tx.locked("SELECT coalesce(owner, id) FROM guests WHERE id = ?", guest)
    person = found[0][0] if found else guest
    row = tx.one(
        "SELECT count(*) FROM games WHERE imported_by IN (SELECT id FROM guests WHERE id = ? OR owner = ?)",
        person,
        person,
    )
    if row is not None and row[0] >= most:
        raise Refusal(
            Code.FULL,
            f"this server keeps {most} imported games for one person, and you have as many: delete some that "
            "you no longer need (DELETE /api/records/ID), then import others",
        )


def delete(tx: Tx, game_id: str, now: int) -> FinishedGame | None:
    """Delete a game with its record for good; what it was. Ratings stay as they are."""
    found = get(tx, game_id)
    if found is not None:
        tx.run("DELETE FROM games WHERE id = ?", game_id)
        if found.table_id is not None:  # so that a check of the table does not miss it
            tx.run(
                "INSERT INTO deleted_games (table_id, round, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                found.table_id,
                found.round,
                now,
            )
    return found


def deleted(tx: Tx, table_id: str) -> set[int]:
    """The rounds of a table's match whose records were deleted."""
    return {found for (found,) in tx.all("SELECT round FROM deleted_games WHERE table_id = ?", table_id)}


def delete_old_imports(tx: Tx, before: int, limit: int = 200) -> int:
    """Delete games that were imported before, also those of forgotten people; at most so many at a time."""
    return tx.run(
        "DELETE FROM games WHERE id IN "
        "(SELECT id FROM games WHERE table_id IS NULL AND finished_at < ? ORDER BY finished_at LIMIT ?)",
        before,
        limit,
    )


def _still_there(tx: Tx, guests: Sequence[str]) -> set[str]:
    """The guests who still exist. They stay locked, so that no other game rates them now."""
    if not guests:
        return set()
    rows = tx.locked(each("SELECT id FROM guests WHERE id IN (*) ORDER BY id", len(guests)), *guests)
    return {guest for (guest,) in rows}


def _rate(tx: Tx, finished: FinishedGame, there: set[str]) -> list[RatingChange]:
    """Rate all who played themselves, as if nobody else had been there; newcomers have the first rating."""
    players = [player for player in finished.players if player.own]
    if len(players) < 2:
        return []
    before = [
        _rating(tx, player.guest, finished.game, finished.edition)
        if player.guest in there and player.guest
        else Rating()
        for player in players
    ]
    after = rate(before, [player.score for player in players], [player.won for player in players])
    changes = [
        RatingChange(player.seat, player.guest, old, new)
        for player, old, new in zip(players, before, after, strict=True)
        if player.guest in there and player.guest
    ]
    for change in changes:
        tx.run(
            "INSERT INTO ratings (guest, game, edition, mu, sigma, games) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (guest, game, edition) "
            "DO UPDATE SET mu = excluded.mu, sigma = excluded.sigma, games = excluded.games",
            change.guest,
            finished.game,
            finished.edition,
            change.after.mu,
            change.after.sigma,
            change.after.games,
        )
        tx.run(
            "UPDATE players SET rating_before = ?, rating = ? WHERE game_id = ? AND seat = ?",
            shown(change.before),
            shown(change.after),
            finished.id,
            change.seat,
        )
    return changes


def _rating(tx: Tx, guest: str, game: str, edition: str) -> Rating:
    row = tx.one(
        "SELECT mu, sigma, games FROM ratings WHERE guest = ? AND game = ? AND edition = ?",
        guest,
        game,
        edition,
    )
    return Rating() if row is None else Rating(*row)


def get(tx: Tx, game_id: str) -> FinishedGame | None:
    row = tx.one(_select("WHERE id = ?", ", record"), game_id)
    return None if row is None else FinishedGame(**_result(row, _players(tx, [game_id])), record=row[-1])


@dataclass(frozen=True)
class Wanted:
    """A filter of somebody's games; what is left out matches all."""

    game: str = ""
    edition: str = ""
    result: str = ""
    """`won` or `lost`."""
    opponent: str = ""
    """The id of another guest who played, too."""

    def where(self, guest: str) -> tuple[str, list[Value]]:
        """More conditions in SQL, and their values."""
        sql, values = "", list[Value]()
        for column, value in (("game", self.game), ("edition", self.edition)):
            if value:
                sql += f" AND {column} = ?"
                values.append(value)
        if self.result:
            sql += " AND id IN (SELECT game_id FROM players WHERE guest = ? AND won = ?)"
            values += [guest, int(self.result == "won")]
        if self.opponent:
            sql += " AND id IN (SELECT game_id FROM players WHERE guest = ?)"
            values.append(self.opponent)
        return sql, values


def of_guest(
    tx: Tx,
    guest: str,
    viewer: str | None,
    limit: int,
    before: tuple[int, str] | None = None,
    wanted: Wanted = Wanted(),  # noqa: B008 - it never changes
) -> list[Result]:
    """Games that a guest played or imported, newest first, as far as a viewer may see them.

    The viewer is None for somebody without an identity. `before` is the `finished_at` and the id of the last
    game of the page before.
    """
    more, chosen = wanted.where(guest)
    sql = _select(
        "WHERE id IN (SELECT game_id FROM players WHERE guest = ? AND guest <> '' "
        "UNION SELECT id FROM games WHERE imported_by = ?) "
        "AND (private = 0 OR id IN (SELECT game_id FROM players WHERE guest = ? AND guest <> ''))"
    )
    sql += more
    values: list[Value] = [guest, guest, viewer or "", *chosen]
    if before is not None:
        sql += " AND (finished_at, id) < (?, ?)"
        values += before
    rows = tx.all(sql + " ORDER BY finished_at DESC, id DESC LIMIT ?", *values, limit)
    players = _players(tx, [row[0] for row in rows])
    return [Result(**_result(row, players)) for row in rows]


@dataclass(frozen=True)
class Share:
    """How often somebody won an edition with so many players; a tie is a win for both."""

    game: str
    edition: str
    players: int
    games: int
    won: int


@dataclass(frozen=True)
class RatingPoint:
    """A rating, as it was shown after a game."""

    game: str
    edition: str
    at: int
    before: int
    rating: int


@dataclass(frozen=True)
class Opponent:
    guest: str
    name: str
    games: int


@dataclass(frozen=True)
class Career:
    """What somebody's games say about them."""

    shares: tuple[Share, ...]
    history: tuple[RatingPoint, ...]
    """Oldest first."""
    opponents: tuple[Opponent, ...]
    """Those whom they met most often first."""


def career(tx: Tx, guest: str, viewer: str | None, most_points: int, most_opponents: int) -> Career:
    """Of the games that were played here; private ones count for themselves alone."""
    own = " FROM players p JOIN games g ON g.id = p.game_id WHERE p.guest = ? AND g.imported_by IS NULL"
    if viewer != guest:
        own += " AND g.private = 0"
    shares = tx.all(
        "SELECT game, edition, seats, count(*), sum(won) FROM (SELECT g.game, g.edition, p.won, "  # noqa: S608
        f"(SELECT count(*) FROM players q WHERE q.game_id = g.id) AS seats{own}) AS played "
        "GROUP BY game, edition, seats ORDER BY game, edition, seats",
        guest,
    )
    history = tx.all(
        f"SELECT g.game, g.edition, g.finished_at, p.rating_before, p.rating{own} "
        "AND p.rating IS NOT NULL ORDER BY g.finished_at DESC, g.id DESC LIMIT ?",
        guest,
        most_points,
    )
    opponents = tx.all(
        "SELECT q.guest, h.name, count(*) AS met FROM players q JOIN guests h ON h.id = q.guest "  # noqa: S608
        f"WHERE q.guest <> ? AND q.game_id IN (SELECT p.game_id{own}) "
        "GROUP BY q.guest, h.name ORDER BY met DESC, h.name, q.guest LIMIT ?",
        guest,
        guest,
        most_opponents,
    )
    return Career(
        tuple(Share(game, edition, seats, games, int(won)) for game, edition, seats, games, won in shares),
        tuple(RatingPoint(*row) for row in reversed(history)),
        tuple(Opponent(*row) for row in opponents),
    )


@dataclass(frozen=True)
class Chosen:
    """A filter of finished games; what is left out matches all."""

    game: str = ""
    edition: str = ""
    since: int = 0
    """Finished then or later."""
    private: bool = False
    """Private ones, too."""

    def where(self) -> tuple[str, list[str | int]]:
        """The condition in SQL, and its values."""
        found: list[tuple[str, str | int]] = [("finished_at >= ?", self.since)]
        if self.game:
            found.append(("game = ?", self.game))
        if self.edition:
            found.append(("edition = ?", self.edition))
        if not self.private:
            found.append(("private = ?", 0))
        return "WHERE " + " AND ".join(sql for sql, _ in found), [value for _, value in found]


def count(tx: Tx, chosen: Chosen) -> int:
    """How many there are."""
    where, values = chosen.where()
    row = tx.one(f"SELECT count(*) FROM games {where}", *values)  # noqa: S608 - the values are separate
    assert row is not None
    return int(row[0])


def newest(tx: Tx, chosen: Chosen, limit: int) -> list[Result]:
    """Finished games without their records, newest first."""
    where, values = chosen.where()
    rows = tx.all(_select(f"{where} ORDER BY finished_at DESC, id DESC LIMIT ?"), *values, limit)
    players = _players(tx, [row[0] for row in rows])
    return [Result(**_result(row, players)) for row in rows]


def page(tx: Tx, chosen: Chosen, after: tuple[int, str], limit: int) -> list[FinishedGame]:
    """Finished games, oldest first, after the one with this `finished_at` and id."""
    where, values = chosen.where()
    sql = _select(f"{where} AND (finished_at, id) > (?, ?) ORDER BY finished_at, id LIMIT ?", ", record")
    return _with_records(tx, tx.all(sql, *values, *after, limit))


def of_table(tx: Tx, table_id: str) -> list[FinishedGame]:
    """The games that were played at a table, in order."""
    return _with_records(tx, tx.all(_select("WHERE table_id = ? ORDER BY round", ", record"), table_id))


def _with_records(tx: Tx, rows: Sequence[Row]) -> list[FinishedGame]:
    players = _players(tx, [row[0] for row in rows])
    return [FinishedGame(**_result(row, players), record=row[-1]) for row in rows]


def ratings_of(tx: Tx, guest: str) -> dict[tuple[str, str], Rating]:
    """A guest's rating in each game and edition that they played."""
    rows = tx.all("SELECT game, edition, mu, sigma, games FROM ratings WHERE guest = ?", guest)
    return {(game, edition): Rating(*rating) for game, edition, *rating in rows}


def ladder(tx: Tx, game: str, edition: str, limit: int, least_games: int = 5) -> list[Standing]:
    """The best of an edition among those with enough games, in the order of `ratings.shown`."""
    rows = tx.all(
        "SELECT r.guest, g.name, g.kind, r.mu, r.sigma, r.games "
        "FROM ratings r JOIN guests g ON g.id = r.guest "
        "WHERE r.game = ? AND r.edition = ? AND r.games >= ? "
        "ORDER BY (r.mu - 3 * r.sigma) DESC, r.guest LIMIT ?",
        game,
        edition,
        least_games,
        limit,
    )
    return [Standing(guest, name, kind, Rating(*rating)) for guest, name, kind, *rating in rows]


def counts(tx: Tx) -> dict[tuple[str, str], int]:
    """How many games of each game and edition were finished here."""
    rows = tx.all(
        "SELECT game, edition, count(*) FROM games WHERE imported_by IS NULL GROUP BY game, edition"
    )
    return {(game, edition): number for game, edition, number in rows}


def _players(tx: Tx, games: Sequence[str]) -> dict[str, list[Player]]:
    """Who played these games, by seat."""
    found: dict[str, list[Player]] = {game: [] for game in games}
    if games:
        sql = each(
            "SELECT game_id, seat, guest, name, score, won, own, rating_before, rating FROM players "
            "WHERE game_id IN (*) ORDER BY seat",
            len(games),
        )
        for game, seat, guest, name, score, won, own, *ratings in tx.all(sql, *games):
            found[game].append(Player(seat, guest or None, name, score, bool(won), bool(own), *ratings))
    return found


def _select(rest: str, also: str = "") -> str:
    return f"SELECT {_RESULT}{also} FROM games {rest}"  # noqa: S608 - nothing but names of columns


def _result(row: Row, players: dict[str, list[Player]]) -> dict[str, Any]:
    game, table_id, number, name, edition, finished_at, rated, imported_by, private = row[:9]
    return {
        "id": game,
        "table_id": table_id,
        "round": number,
        "game": name,
        "edition": edition,
        "finished_at": finished_at,
        "players": tuple(players[game]),
        "rated": bool(rated),
        "imported_by": imported_by,
        "private": bool(private),
    }
