"""The store: the same promises on SQLite and on PostgreSQL."""

import asyncio
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from lynxden.games.errors import LynxdenError
from lynxden.server import ratings
from lynxden.server.ratings import Rating
from lynxden.server.store import (
    Store,
    StoreConflict,
    StoreUnavailable,
    Tx,
    chat,
    games,
    guests,
    leases,
    open_store,
    servers,
    tables,
    upkeep,
)
from lynxden.server.store.core import Row
from lynxden.server.store.guests import Guest
from lynxden.server.store.migrations import MIGRATIONS, migrate
from lynxden.server.table.projections import FinishedGame, Player, Result, TableRow
from tests.server.postgres import Postgres

ANN, BEA, CYD = (Guest(name.lower(), name) for name in ("Ann", "Bea", "Cyd"))
BOT = Guest("bot", "Ann's bot", "bot", "ann")
TABLE = TableRow("t", "linko", "classic", "open", True, "ann", 2, "{}", 100, 100, None, ("ann", None, "bea"))
GAME = FinishedGame(
    id="g",
    table_id="t",
    round=1,
    game="linko",
    edition="classic",
    record='{"format":"lynxden/1"}',
    finished_at=500,
    players=(
        Player(0, "ann", "Ann", 7, True),
        Player(1, None, "Greedy", 3, False),
        Player(2, "bea", "Bea", -2, False),
    ),
    rated=True,
)


R = TypeVar("R", bound=Result)


@asynccontextmanager
async def opened(url: str, *people: Guest) -> AsyncIterator[Store]:
    """The store of an address, with some guests, whose tokens are `token-` and their ids."""
    store = await open_store(url)
    try:
        for person in people:
            await store.write(guests.create, person, f"token-{person.id}", 10)
        yield store
    finally:
        await store.close()


def by_token(tx: Tx, token: str) -> Guest | None:
    (found,) = guests.sessions(tx, [token])
    return None if found is None else found.guest


def run(url: str, test: Callable[[Store], Coroutine[Any, Any, None]], *people: Guest) -> None:
    async def whole() -> None:
        async with opened(url, *people) as store:
            await test(store)

    asyncio.run(whole())


async def until(condition: Callable[[], bool]) -> None:
    """Waits for something that another thread does."""
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        await asyncio.sleep(0.01)


def time_passes(tx: Tx) -> None:
    time.sleep(0.05)


# Guests


def test_guests_are_known_by_token(database_url: str) -> None:
    async def test(store: Store) -> None:
        assert await store.read(guests.get, "ann") == ANN
        assert await store.read(guests.get, "bot") == BOT
        assert await store.read(guests.get, "nobody") is None
        assert await store.read(by_token, "token-ann") == ANN
        assert await store.read(by_token, "token-zoe") is None
        assert await store.read(guests.bots_of, "ann") == [BOT]
        assert await store.read(guests.bots_of, "bot") == []
        assert await store.write(guests.rename, "ann", "Anna")
        assert not await store.write(guests.rename, "nobody", "Anna")
        assert await store.read(by_token, "token-ann") == replace(ANN, name="Anna")

    run(database_url, test, ANN, BOT)


def test_sessions(database_url: str) -> None:
    async def test(store: Store) -> None:
        await store.write(guests.add_session, "ann", "second", 20)
        await store.write(guests.add_session, "ann", "third", 30)
        assert await store.read(by_token, "second") == ANN
        assert await store.write(guests.drop_session, "second")
        assert not await store.write(guests.drop_session, "second")
        assert await store.read(by_token, "second") is None
        assert await store.write(guests.drop_other_sessions, "ann", "third") == 1
        assert await store.read(by_token, "token-ann") is None
        assert await store.read(by_token, "third") == ANN
        assert await store.read(by_token, "token-bea") == BEA

    run(database_url, test, ANN, BEA)


def test_touch(database_url: str) -> None:
    def seen(tx: Tx) -> dict[str, int]:
        return dict(tx.all("SELECT token, seen_at FROM sessions UNION SELECT id, seen_at FROM guests"))

    async def test(store: Store) -> None:
        await store.write(guests.add_session, "ann", "second", 20)
        await store.write(guests.touch, "second", 99)
        assert await store.read(seen) == {
            "ann": 99,
            "second": 99,
            "token-ann": 10,
            "bea": 10,
            "token-bea": 10,
        }

    run(database_url, test, ANN, BEA)


def test_links(database_url: str) -> None:
    async def test(store: Store) -> None:
        assert not await store.read(guests.has_link, "ann")
        await store.write(guests.set_link, "ann", "old", 1)
        await store.write(guests.set_link, "ann", "new", 2)
        assert await store.read(guests.has_link, "ann")
        assert await store.read(guests.by_link, "old") is None
        assert await store.read(guests.by_link, "new") == ANN
        assert await store.write(guests.drop_link, "ann")
        assert not await store.write(guests.drop_link, "ann")
        assert await store.read(guests.by_link, "new") is None

    run(database_url, test, ANN)


def test_mutes(database_url: str) -> None:
    async def test(store: Store) -> None:
        for _ in range(2):
            await store.write(guests.mute, "ann", "bea")
        await store.write(guests.mute, "ann", "cyd")
        assert await store.read(guests.muted_by, "ann") == {"bea", "cyd"}
        assert await store.read(guests.muted_by, "bea") == set()
        await store.write(guests.unmute, "ann", "bea")
        assert await store.read(guests.muted_by, "ann") == {"cyd"}

    run(database_url, test, ANN, BEA, CYD)


def test_forget(database_url: str) -> None:
    async def test(store: Store) -> None:
        table = replace(TABLE, seats=("ann", "bot", "bea"))
        await store.write(tables.create, table, ["1", "2"])
        await store.write(chat.add, "t", chat.NewLine("ann", "Ann", "hello", "", 1))
        await store.write(tables.append, table, 3, ["3"], GAME)
        await store.write(games.add_imported, imported("i", "ann"))
        await store.write(guests.set_link, "ann", "link", 1)
        await store.write(guests.mute, "bea", "ann")
        await store.write(guests.mute, "ann", "bea")

        assert await store.write(guests.forget, "ann")
        assert not await store.write(guests.forget, "ann")
        assert await store.read(guests.get, "ann") is None
        assert await store.read(guests.get, "bot") is None
        assert await store.read(guests.get, "bea") == BEA
        assert await store.read(by_token, "token-ann") is None
        assert await store.read(by_token, "token-bot") is None
        assert await store.read(guests.by_link, "link") is None
        assert await store.read(guests.muted_by, "bea") == set()
        assert await store.read(games.ratings_of, "ann") == {}
        assert ("linko", "classic") in await store.read(games.ratings_of, "bea")

        # What others did with them stays.
        found = await store.read(tables.get, "t")
        assert found is not None
        assert (found.seats, found.host, found.last) == ((None, None, "bea"), "", 3)
        game = await store.read(games.get, "g")
        assert game is not None
        assert [(player.guest, player.name) for player in game.players] == [
            (None, "Ann"),
            (None, "Greedy"),
            ("bea", "Bea"),
        ]
        other = await store.read(games.get, "i")
        assert other is not None
        assert other.imported_by is None
        assert [(line.guest, line.text) for line in await store.read(chat.latest, "t", 9)] == [
            (None, "hello")
        ]
        counts = await store.read(upkeep.row_counts)
        assert (counts["sessions"], counts["mutes"], counts["links"], counts["ratings"]) == (1, 0, 0, 1)

        # A server that does not know it yet brings nobody back.
        assert await store.write(tables.append, table, 4, ["4"], replace(GAME, id="h", round=2))
        found = await store.read(tables.get, "t")
        assert found is not None
        assert (found.seats, found.last) == ((None, None, "bea"), 4)
        assert await store.read(tables.of_guest, "ann", ("open",), 9) == []
        assert await store.read(games.of_guest, "ann", "ann", 9) == []
        assert await store.read(games.ratings_of, "ann") == {}
        assert (await store.read(games.ratings_of, "bea"))["linko", "classic"].games == 2

    run(database_url, test, ANN, BEA, BOT)


def test_delete_idle(database_url: str) -> None:
    async def test(store: Store) -> None:
        people = [Guest(name, name) for name in ("idle", "busy", "here", "over", "owner", "maker")]
        bots = [Guest("worker", "w", "bot", "owner"), Guest("lazy", "l", "bot", "maker")]
        for guest in people + bots:
            await store.write(guests.create, guest, guest.id, 10)
        for token in ("here", "worker"):
            await store.write(guests.touch, token, 60)
        await store.write(tables.create, replace(TABLE, id="a", seats=("busy", None), host=""), [])
        await store.write(tables.create, replace(TABLE, id="b", state="over", seats=("over",), host=""), [])
        assert await store.write(guests.delete_idle, 10) == 0
        assert await store.write(guests.delete_idle, 50, 2) == 2
        assert await store.write(guests.delete_idle, 50) == 1
        assert await store.write(guests.delete_idle, 50) == 0
        left = {guest.id for guest in people + bots if await store.read(guests.get, guest.id)}
        assert left == {"busy", "here", "owner", "worker"}
        over = await store.read(tables.get, "b")
        assert over is not None
        assert over.seats == (None,)

    run(database_url, test)


# Tables


def test_create_and_append(database_url: str) -> None:
    async def test(store: Store) -> None:
        await store.write(tables.create, TABLE, ["one", "two"])
        assert await store.read(tables.get, "t") == TABLE
        assert await store.read(tables.get, "u") is None
        later = replace(
            TABLE, state="running", listed=False, host="bea", summary='{"a":1}', updated_at=200, wake_at=300,
            seats=("ann", "bea", None), last=4,
        )  # fmt: skip
        assert await store.write(tables.append, later, 3, ["three", "four"])
        assert await store.read(tables.get, "t") == later
        assert await store.read(tables.last, "t") == 4
        assert await store.read(tables.last, "u") is None
        assert await store.read(tables.entries, "t", 0) == [(1, "one"), (2, "two"), (3, "three"), (4, "four")]
        assert await store.read(tables.entries, "t", 1, 2) == [(2, "two"), (3, "three")]
        assert await store.read(tables.entries, "t", 4) == []
        with pytest.raises(StoreConflict):
            await store.write(tables.create, TABLE, ["one"])
        many = [str(number) for number in range(5, 1205)]
        assert await store.write(tables.append, later, 5, many)
        assert [body for _, body in await store.read(tables.entries, "t", 4)] == many

    run(database_url, test, ANN, BEA)


def test_append_in_the_wrong_place_changes_nothing(database_url: str) -> None:
    def sneak_in(tx: Tx) -> None:
        tx.run("INSERT INTO entries (table_id, number, body) VALUES ('t', 4, 'strange')")

    async def test(store: Store) -> None:
        await store.write(tables.create, TABLE, ["one", "two"])
        changed = replace(TABLE, state="running", seats=("bea", None, None))
        for row in (TABLE, replace(TABLE, state="running"), changed):
            for first in (1, 2, 4):
                assert not await store.write(tables.append, row, first, ["x", "y", "z"], GAME)
        assert not await store.write(tables.append, replace(TABLE, id="u"), 1, ["x"])
        await store.write(sneak_in)
        for row in (TABLE, changed):
            assert not await store.write(tables.append, row, 3, ["x", "y"])
        assert await store.read(tables.get, "t") == TABLE
        assert len(await store.read(tables.entries, "t", 0)) == 3
        assert await store.read(games.get, "g") is None
        assert await store.read(tables.of_guest, "bea", ("open", "running"), 9) == [TABLE]

    run(database_url, test, ANN, BEA)


def test_two_servers_append_to_one_table(database_url: str) -> None:
    """Whoever comes second reads what the first one wrote, and tries the next number."""

    async def server(store: Store, name: str) -> None:
        for index in range(40):
            seats = (("ann", None), (None, "bea"))[index % 2]
            while True:
                last = await store.read(tables.last, "t")
                assert last is not None
                if await store.write(
                    tables.append, replace(TABLE, seats=seats), last + 1, [f"{name} {index}", "and"]
                ):
                    break

    async def test(one: Store) -> None:
        await one.write(tables.create, TABLE, [])
        async with opened(database_url) as two:
            await asyncio.gather(server(one, "a"), server(one, "b"), server(two, "c"), server(two, "d"))
        log = await one.read(tables.entries, "t", 0)
        assert [number for number, _ in log] == list(range(1, 4 * 40 * 2 + 1))
        bodies = [body for _, body in log[::2]]
        assert sorted(bodies) == sorted(f"{name} {index}" for name in "abcd" for index in range(40))

    run(database_url, test, ANN, BEA)


def test_lists_of_tables(database_url: str) -> None:
    async def test(store: Store) -> None:
        rows = [
            replace(TABLE, id="a", created_at=1, updated_at=9, seats=("ann",), last=0),
            replace(TABLE, id="b", created_at=3, state="running", seats=("bea", "ann"), last=0),
            replace(TABLE, id="c", created_at=2, listed=False, last=0),
            replace(TABLE, id="d", created_at=4, state="over", seats=(None, "ann"), last=0),
        ]
        for row in rows:
            await store.write(tables.create, row, [])
        assert await store.read(tables.listed, 9) == [rows[1], rows[0]]
        assert await store.read(tables.listed, 1) == [rows[1]]
        mine = await store.read(tables.of_guest, "ann", ("open", "running"), 9)
        assert [row.id for row in mine] == ["c", "b", "a"]
        assert await store.read(tables.of_guest, "ann", ("over",), 9) == [rows[3]]
        assert len(await store.read(tables.of_guest, "ann", ("open", "running"), 2)) == 2
        assert await store.read(tables.of_guest, "", ("open", "running"), 9) == []
        assert await store.read(tables.count_by_state) == {"open": 2, "running": 1, "over": 1}

    run(database_url, test, ANN, BEA)


def test_leases(database_url: str) -> None:
    async def test(store: Store) -> None:
        for name, wake in (("a", 50), ("b", 40), ("c", None), ("d", 200)):
            await store.write(tables.create, replace(TABLE, id=name, wake_at=wake, seats=()), [])
        assert await store.read(leases.due, 100, 0, 9) == ["b", "a"]
        assert await store.read(leases.due, 100, 0, 1) == ["b"]
        await store.write(servers.beat, "one", 100)
        await store.write(servers.beat, "two", 100)
        assert await store.write(leases.take, "a", "one", 50) == "", "nobody held it"
        assert await store.write(leases.take, "c", "one", 50) == ""
        assert await store.write(leases.take, "a", "one", 50) == "one", "one's own lease is kept"
        assert await store.write(leases.take, "a", "two", 100) is None, "its holder lives"
        assert await store.write(leases.take, "z", "two", 100) is None, "there is no such table"
        assert await store.read(leases.due, 100, 100, 9) == ["b"]
        assert await store.read(leases.due, 100, 101, 9) == ["b", "a", "c"], "the holder's heart has stopped"
        assert await store.write(leases.take, "a", "two", 101) == "one"
        assert await store.read(leases.held_by, "one") == {"c"}
        assert await store.read(leases.held_by, "two") == {"a"}
        assert await store.write(tables.append, replace(TABLE, id="a", seats=(), wake_at=60), 1, ["x"])
        assert await store.read(leases.held_by, "two") == {"a"}, "an entry changed the lease"
        assert await store.write(leases.release, "two", ["c"]) == 0
        assert await store.write(leases.release, "two", ["a", "c"]) == 1
        assert await store.write(leases.take, "a", "one", 100) == ""
        assert await store.write(leases.release, "one") == 2
        assert await store.read(leases.due, 201, 0, 9) == ["b", "a", "d"]
        await store.write(leases.take, "b", "one", 0)
        await store.write(servers.leave, "one")
        assert await store.read(leases.due, 100, 0, 9) == ["b", "a"], "a server that left holds nothing"

    run(database_url, test)


def test_old_tables_go_and_their_games_stay(database_url: str) -> None:
    async def test(store: Store) -> None:
        for name, state in (("a", "over"), ("b", "closed"), ("c", "open"), ("d", "running")):
            await store.write(tables.create, replace(TABLE, id=name, state=state), ["1"])
            await store.write(chat.add, name, chat.NewLine("ann", "Ann", "hi", "", 1))
        await store.write(tables.create, replace(TABLE, id="e", state="over", updated_at=101), ["1"])
        await store.write(games.finish, replace(GAME, table_id="a"))
        assert await store.write(tables.delete_old, 100) == 0
        assert await store.write(tables.delete_old, 101, 1) == 1
        assert await store.write(tables.delete_old, 101, 9) == 1
        assert await store.read(tables.count_by_state) == {"open": 1, "running": 1, "over": 1}
        assert await store.read(tables.entries, "a", 0) == []
        counts = await store.read(upkeep.row_counts)
        assert (counts["entries"], counts["chat"], counts["seats"], counts["players"]) == (3, 2, 9, 3)
        assert [game.table_id for game in await store.read(games.of_guest, "ann", "ann", 9)] == ["a"]

    run(database_url, test, ANN, BEA)


def line(text: str, at: int) -> chat.NewLine:
    return chat.NewLine("ann", "Ann", text, "", at)


def test_chat(database_url: str) -> None:
    async def test(one: Store) -> None:
        await one.write(tables.create, TABLE, [])
        await one.write(tables.create, replace(TABLE, id="u"), [])
        async with opened(database_url) as two:
            said = [
                (one, two)[index % 2].write(
                    chat.add, "t", chat.NewLine("ann", "Ann", f"ü {index}", "", index)
                )
                for index in range(60)
            ]
            assert sorted(await asyncio.gather(*said)) == list(range(1, 61))
        assert await one.write(chat.add, "u", chat.NewLine("bea", "Bea", "hi", "", 7)) == 1
        assert await one.read(chat.latest, "u", 9) == [chat.Line(1, "bea", "Bea", "hi", "", 7)]
        latest = await one.read(chat.latest, "t", 3)
        assert [message.number for message in latest] == [58, 59, 60]
        assert latest[0].text.startswith("ü ")
        with pytest.raises(LynxdenError, match="no table x"):
            await one.write(chat.add, "x", chat.NewLine("ann", "Ann", "hi", "", 1))

    run(database_url, test, ANN, BEA)


# Games and ratings


def imported(name: str, by: str | None = "ann") -> FinishedGame:
    return replace(
        GAME, id=name, table_id=None, rated=False, imported_by=by,
        players=tuple(replace(player, guest=None) for player in GAME.players),
    )  # fmt: skip


def without_ratings(found: R) -> R:
    """The game as it was before its players were rated."""
    players = (replace(player, rating_before=None, rating=None) for player in found.players)
    return replace(found, players=tuple(players))


def test_finished_games(database_url: str) -> None:
    async def test(store: Store) -> None:
        changes = await store.write(games.finish, GAME)
        assert [(change.seat, change.guest) for change in changes] == [(0, "ann"), (2, "bea")]
        assert all(change.before == Rating() and change.after.games == 1 for change in changes)
        assert changes[0].after.mu > 25 > changes[1].after.mu
        found = await store.read(games.get, "g")
        assert found is not None
        ratings_of = [(player.rating_before, player.rating) for player in found.players]
        assert ratings_of == [
            (1000, ratings.shown(changes[0].after)),
            (None, None),
            (1000, ratings.shown(changes[1].after)),
        ]
        assert without_ratings(found) == GAME
        assert await store.read(games.get, "x") is None
        after = await store.read(games.ratings_of, "ann")
        assert after == {("linko", "classic"): changes[0].after}

        # The same round again, under whatever name, changes nothing.
        assert await store.write(games.finish, GAME) == []
        assert await store.write(games.finish, replace(GAME, id="again", finished_at=900)) == []
        assert await store.read(games.ratings_of, "ann") == after
        assert await store.read(games.get, "again") is None

        assert await store.write(games.finish, replace(GAME, id="h", round=2, rated=False)) == []
        assert await store.read(games.ratings_of, "ann") == after
        assert await store.write(games.add_imported, imported("i"))
        assert await store.write(games.add_imported, imported("j"))
        assert not await store.write(games.add_imported, imported("i"))
        with pytest.raises(ValueError, match="never rated"):
            await store.write(games.add_imported, GAME)
        assert await store.read(games.counts) == {("linko", "classic"): 2}

    run(database_url, test, ANN, BEA)


def test_games_of_a_guest_page_by_page(database_url: str) -> None:
    async def test(store: Store) -> None:
        for number in range(1, 8):  # some in the same millisecond
            await store.write(
                games.finish, replace(GAME, id=f"g{number}", round=number, finished_at=number // 3)
            )
        await store.write(games.add_imported, replace(imported("i"), finished_at=1))
        found: list[Result] = []
        while page := await store.read(
            games.of_guest, "ann", "ann", 3, (found[-1].finished_at, found[-1].id) if found else None
        ):
            found += page
        assert [result.id for result in found] == ["g7", "g6", "i", "g5", "g4", "g3", "g2", "g1"]
        assert without_ratings(found[0]).players == GAME.players
        assert not isinstance(found[0], FinishedGame)
        assert await store.read(games.of_guest, "", None, 9) == []
        assert len(await store.read(games.of_guest, "bea", None, 99)) == 7

    run(database_url, test, ANN, BEA)


def test_ladder(database_url: str) -> None:
    async def test(store: Store) -> None:
        for number in range(1, 4):
            await store.write(games.finish, replace(GAME, id=f"g{number}", round=number))
        players = (Player(0, "cyd", "Cyd", 5, True), Player(1, "bea", "Bea", 5, False))
        await store.write(games.finish, replace(GAME, id="c", round=9, edition="duel", players=players))
        ladder = await store.read(games.ladder, "linko", "classic", 9, 3)
        assert [(place.guest, place.name, place.kind) for place in ladder] == [
            ("ann", "Ann", "person"),
            ("bea", "Bea", "person"),
        ]
        assert ratings.shown(ladder[0].rating) > ratings.shown(ladder[1].rating)
        assert ladder[0].rating.games == 3
        assert len(await store.read(games.ladder, "linko", "classic", 1, 3)) == 1
        assert await store.read(games.ladder, "linko", "classic", 9, 4) == []
        assert [place.guest for place in await store.read(games.ladder, "linko", "duel", 9, 1)] == [
            "cyd",
            "bea",
        ]

    run(database_url, test, ANN, BEA, CYD)


def test_no_rating_is_lost_when_many_games_end_at_once(database_url: str) -> None:
    async def test(one: Store) -> None:
        async with opened(database_url) as two:
            pairs = (("ann", "bea"), ("bea", "cyd"), ("cyd", "ann"))
            ends = []
            for number in range(60):
                first, second = pairs[number % 3]
                players = (Player(0, first, first, 1, True), Player(1, second, second, 0, False))
                ended = replace(GAME, id=f"g{number}", round=number, players=players)
                ends.append((one, two)[number % 2].write(games.finish, ended))
            assert all(len(changes) == 2 for changes in await asyncio.gather(*ends))
        for guest in ("ann", "bea", "cyd"):
            assert (await one.read(games.ratings_of, guest))["linko", "classic"].games == 40

    run(database_url, test, ANN, BEA, CYD)


def test_rating() -> None:
    new = Rating()
    first, second, third = ratings.rate([new] * 3, [9, 4, 1], [True, False, False])
    assert first.mu > second.mu > third.mu
    assert all(rating.sigma < new.sigma and rating.games == 1 for rating in (first, second, third))
    tied, too, behind = ratings.rate([new] * 3, [4, 4, 4], [True, True, False])
    assert tied == too
    assert tied.mu > behind.mu
    assert ratings.places([3, 5, 5, 3, 5], [False, False, True, False, True]) == [4, 3, 1, 4, 1]
    assert ratings.rate([new], [3], [True]) == [new]
    with pytest.raises(ValueError, match="2 ratings, but 3 scores"):
        ratings.rate([new] * 2, [1, 2, 3], [False] * 3)
    assert ratings.shown(new) == 1000
    assert ratings.shown(Rating(25, 2)) == 1760
    assert ratings.shown(Rating(0, 8)) == 40
    assert ratings.shown(Rating(-9, 8)) == 0


# Servers, upkeep


def test_servers(database_url: str) -> None:
    async def test(store: Store) -> None:
        for name, now in (("a", 1), ("b", 2), ("a", 3), ("c", 3)):
            await store.write(servers.beat, name, now)
        assert await store.read(servers.alive, 3) == {"a", "c"}
        await store.write(servers.leave, "c")
        assert await store.read(servers.alive, 0) == {"a", "b"}
        assert await store.write(servers.delete_dead, 3) == 1
        assert await store.read(servers.alive, 0) == {"a"}

    run(database_url, test)


def test_row_counts(database_url: str) -> None:
    async def test(store: Store) -> None:
        await store.write(tables.create, TABLE, ["1", "2"])
        counts = await store.read(upkeep.row_counts)
        assert counts["entries"] == 2
        assert counts["guests"] == 3
        assert counts["games"] == 0
        assert len(counts) == 18

    run(database_url, test, ANN, BEA, CYD)


def test_backup_of_a_database_in_use(tmp_path: Path) -> None:
    async def test(store: Store) -> None:
        await store.write(tables.create, TABLE, [])
        stop = False

        async def work() -> int:
            number = 0
            while not stop:
                number += 1
                assert await store.write(tables.append, TABLE, number, [str(number)])
            return number

        working = asyncio.create_task(work())
        await asyncio.sleep(0.05)
        await asyncio.to_thread(upkeep.backup_sqlite, tmp_path / "a.db", tmp_path / "copy.db")
        stop = True
        written = await working
        async with opened(str(tmp_path / "copy.db")) as copy:
            row = await copy.read(tables.get, "t")
            log = await copy.read(tables.entries, "t", 0)
        assert row is not None
        assert [number for number, _ in log] == list(range(1, row.last + 1))
        assert 0 < row.last <= written
        assert not (tmp_path / "copy.db.part").exists()
        for source, to, said in (
            ("a.db", "copy.db", "exists"),
            ("x.db", "y.db", "no database"),
            ("a.db", "x/y", "folder"),
        ):
            with pytest.raises(LynxdenError, match=said):
                upkeep.backup_sqlite(tmp_path / source, tmp_path / to)

    run(str(tmp_path / "a.db"), test, ANN, BEA)


# Transactions


def test_a_failing_write_is_undone_alone(database_url: str) -> None:
    def rename_and_fail(tx: Tx, name: str) -> None:
        guests.rename(tx, "ann", name)
        raise KeyError("no such luck")

    def rename_and_clash(tx: Tx) -> None:
        guests.rename(tx, "ann", "clashed")
        guests.create(tx, BEA, "other", 1)

    async def test(store: Store) -> None:
        writes: list[Coroutine[Any, Any, Any]] = []
        for number in range(300):
            if number == 150:
                writes.append(store.write(rename_and_fail, "failed"))
                writes.append(store.write(rename_and_clash))
            writes.append(store.write(guests.create, Guest(f"g{number}", "x"), f"t{number}", 1))
        results = await asyncio.gather(*writes, return_exceptions=True)
        assert isinstance(results[150], KeyError)
        assert isinstance(results[151], StoreConflict)
        assert [result for result in results if result is not None] == results[150:152]
        assert (await store.read(upkeep.row_counts))["guests"] == 302
        assert await store.read(guests.get, "ann") == ANN

    run(database_url, test, ANN, BEA)


def test_whoever_no_longer_waits_disturbs_nobody(database_url: str) -> None:
    async def test(store: Store) -> None:
        tasks = [asyncio.create_task(store.write(time_passes))]
        tasks += [
            asyncio.create_task(store.write(guests.create, Guest(f"g{number}", "x"), f"t{number}", 1))
            for number in range(50)
        ]
        await asyncio.sleep(0)  # all have asked, none has an answer
        for task in tasks[1::2]:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert sum(isinstance(result, asyncio.CancelledError) for result in results) == 25
        for number in range(1, 50, 2):
            assert await store.read(guests.get, f"g{number}") is not None
        assert await store.write(guests.rename, "ann", "Anna")

    run(database_url, test, ANN)


def test_reading_writes_nothing(database_url: str) -> None:
    async def test(store: Store) -> None:
        with pytest.raises(Exception, match=r"(?i)read.?only"):
            await store.read(guests.rename, "ann", "Anna")
        assert await store.read(guests.get, "ann") == ANN

    run(database_url, test, ANN)


def test_close_finishes_what_was_asked_for(database_url: str) -> None:
    async def whole() -> None:
        store = await open_store(database_url)
        writes = [
            asyncio.create_task(store.write(guests.create, Guest(f"g{number}", "x"), f"t{number}", 1))
            for number in range(1200)
        ]
        await asyncio.sleep(0)
        await store.close()
        await store.close()
        await asyncio.gather(*writes)
        with pytest.raises(StoreUnavailable, match="closed"):
            await store.write(guests.rename, "g1", "x")
        with pytest.raises(StoreUnavailable, match="closed"):
            await store.check()
        async with opened(database_url) as again:
            assert (await again.read(upkeep.row_counts))["guests"] == 1200

    asyncio.run(whole())


def test_writes_share_a_commit(tmp_path: Path) -> None:
    async def test(store: Store) -> None:
        commits: list[str] = []
        store._db.set_trace_callback(lambda sql: commits.append(sql) if sql == "COMMIT" else None)  # type: ignore[attr-defined]
        await asyncio.gather(
            *(store.write(guests.create, Guest(f"g{number}", "x"), f"t{number}", 1) for number in range(1000))
        )
        assert 2 <= len(commits) < 100

    run(str(tmp_path / "a.db"), test)


def test_a_commit_that_fails_keeps_nothing(tmp_path: Path) -> None:
    """A constraint that is looked at only in the end makes the commit itself fail, for all who share it."""

    def prepare(tx: Tx) -> None:
        tx.run("CREATE TABLE late (guest TEXT REFERENCES guests (id) DEFERRABLE INITIALLY DEFERRED)")

    def spoil(tx: Tx) -> None:
        tx.run("INSERT INTO late (guest) VALUES ('nobody')")

    async def test(store: Store) -> None:
        await store.write(prepare)
        first = asyncio.create_task(store.write(time_passes))  # the others wait, and so come together
        await asyncio.sleep(0.01)
        writes = [
            store.write(guests.rename, "ann", "A"),
            store.write(spoil),
            store.write(guests.rename, "bea", "B"),
        ]
        results = await asyncio.gather(*writes, return_exceptions=True)
        await first
        assert [type(result) for result in results] == [StoreUnavailable] * 3
        assert await store.read(guests.get, "ann") == ANN
        assert await store.write(guests.rename, "bea", "Beate")
        assert await store.read(guests.get, "bea") == replace(BEA, name="Beate")

    run(str(tmp_path / "a.db"), test, ANN, BEA)


def test_another_process_may_write_meanwhile(tmp_path: Path) -> None:
    async def test(store: Store) -> None:
        other = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        other.execute("UPDATE guests SET name = 'Other' WHERE id = 'bea'")
        waiting = asyncio.create_task(store.write(guests.rename, "ann", "Anna"))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        assert await store.read(guests.get, "bea") == BEA, "not kept yet"
        other.execute("COMMIT")
        other.close()
        assert await waiting
        assert await store.read(guests.get, "bea") == replace(BEA, name="Other")

    run(str(tmp_path / "a.db"), test, ANN, BEA)


# Several servers


def test_servers_hear_of_each_other(postgres: Postgres) -> None:
    url = postgres.new_database()

    def notify_and_fail(tx: Tx) -> None:
        tx.notify("never")
        raise KeyError

    async def test(one: Store) -> None:
        heard: list[str] = []
        async with opened(url) as two:
            await two.listen(heard.append)
            with pytest.raises(KeyError):
                await one.write(notify_and_fail)
            await one.write(tables.create, TABLE, ["1", "2"])
            await one.write(tables.append, TABLE, 3, ["3", "4"])
            assert not await one.write(tables.append, TABLE, 3, ["3"])
            await two.write(chat.add, "t", chat.NewLine("ann", "Ann", "hi", "", 1))
            await until(lambda: len(heard) >= 3)
            assert heard == ["t 2", "t 4\t3\t4", "t chat"]

            # A connection that breaks is made anew, and says that something may be missing.
            postgres.cut(url)
            await until(lambda: "" in heard)
            assert await one.write(tables.append, TABLE, 5, ["5"])
            await until(lambda: "t 5\t5" in heard)

    run(url, test, ANN, BEA)


def test_in_sqlite_nobody_is_heard(tmp_path: Path) -> None:
    async def test(store: Store) -> None:
        heard: list[str] = []
        await store.listen(heard.append)
        await store.write(tables.create, TABLE, ["1", "2"])
        await store.check()
        assert heard == []

    run(str(tmp_path / "a.db"), test, ANN, BEA)


def test_broken_connections_are_replaced(postgres: Postgres) -> None:
    url = postgres.new_database()
    runs: list[int] = []

    def cut_once(tx: Tx, times: int) -> None:
        guests.rename(tx, "ann", "Anna")
        runs.append(1)
        if len(runs) <= times:
            postgres.cut(url)
            tx.one("SELECT 1")

    async def test(store: Store) -> None:
        await asyncio.gather(*(store.check() for _ in range(20)))
        postgres.cut(url)
        await asyncio.gather(*(store.check() for _ in range(20)))
        await store.write(cut_once, 1)
        assert len(runs) == 2
        assert await store.read(guests.get, "ann") == replace(ANN, name="Anna")
        runs.clear()
        with pytest.raises(StoreUnavailable):
            await store.write(cut_once, 9)
        assert 1 <= len(runs) <= 2, "one attempt may have met a connection that was broken before"
        await store.check()

    run(url, test, ANN)


def test_a_commit_of_unknown_fate_is_not_repeated(postgres: Postgres) -> None:
    url = postgres.new_database()
    runs: list[int] = []

    def write_and_lose(tx: Tx) -> None:
        runs.append(1)
        guests.rename(tx, "ann", "Anna")
        postgres.cut(url)

    async def test(store: Store) -> None:
        with pytest.raises(StoreUnavailable, match="nobody knows"):
            await store.write(write_and_lose)
        assert len(runs) == 1
        await store.check()

    run(url, test, ANN)


def test_who_waits_for_each_other_tries_again(postgres: Postgres) -> None:
    runs: list[str] = []

    def crosswise(tx: Tx, first: str, second: str) -> None:
        runs.append(first)
        guests.rename(tx, first, f"first of {first}")
        time.sleep(0.2)
        guests.rename(tx, second, f"second of {first}")

    async def test(store: Store) -> None:
        await asyncio.gather(store.write(crosswise, "ann", "bea"), store.write(crosswise, "bea", "ann"))
        assert len(runs) >= 3
        names = {(await store.read(guests.get, name)) for name in ("ann", "bea")}
        assert names in (
            {replace(ANN, name="first of ann"), replace(BEA, name="second of ann")},
            {replace(ANN, name="second of bea"), replace(BEA, name="first of bea")},
        )

    run(postgres.new_database(), test, ANN, BEA)


# Durability

WRITER = """
import asyncio, sys
from lynxden.server.store import open_store, tables

async def writer(store, name):
    row = tables.TableRow(name, "linko", "classic", "running", True, "", 0, "{}", 1, 1)
    await store.write(tables.create, row, [])
    number = 0
    while True:
        number += 1
        assert await store.write(tables.append, row, number, [f"entry {number}"])
        print(name, number, flush=True)

async def main():
    store = await open_store(sys.argv[1])
    await asyncio.gather(*(writer(store, f"t{index}") for index in range(20)))

asyncio.run(main())
"""


def test_what_was_acknowledged_survives_a_kill(database_url: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, database_url], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(400)]
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.readlines()
    assert process.returncode == -signal.SIGKILL
    told: dict[str, int] = {}
    for line in lines:
        if line.endswith("\n"):
            name, number = line.split()
            told[name] = max(told.get(name, 0), int(number))
    assert sum(told.values()) >= 400

    async def test(store: Store) -> None:
        for name, number in told.items():
            log = await store.read(tables.entries, name, 0)
            assert [at for at, _ in log] == list(range(1, len(log) + 1))
            assert number <= len(log) <= number + 1, "at most one was not acknowledged yet"
            assert await store.read(tables.last, name) == len(log)

    run(database_url, test)


def test_an_ended_session_changes_nothing_any_more(database_url: str) -> None:
    """Whoever was signed out while a request of theirs was under way makes no link and signs out nobody."""

    async def test(store: Store) -> None:
        await store.write(guests.add_session, "ann", "stolen", 20)
        mine = guests.session_name("token-ann")
        assert await store.write(guests.renew_link, "ann", "stolen", "link", 21)
        assert await store.write(guests.drop_link, "ann")
        stolen = guests.session_name("stolen")
        assert await store.write(guests.end_session, "ann", "token-ann", stolen) == "stolen"
        assert not await store.write(guests.renew_link, "ann", "stolen", "link", 22)
        assert not await store.read(guests.has_link, "ann")
        assert await store.write(guests.sign_out_others, "ann", "stolen") is None
        assert await store.write(guests.end_session, "ann", "stolen", mine) is None
        assert await store.read(by_token, "token-ann") == ANN
        # Nor does somebody else's.
        assert not await store.write(guests.renew_link, "ann", "token-bea", "link", 23)
        assert await store.write(guests.end_session, "ann", "token-bea", mine) is None
        assert await store.read(by_token, "token-ann") == ANN

    run(database_url, test, ANN, BEA)


def test_a_link_and_its_revocation_come_one_after_the_other(database_url: str) -> None:
    """However they meet, a session that was signed out leaves no link."""

    async def test(store: Store) -> None:
        for number in range(30):
            token = f"stolen {number}"
            await store.write(guests.add_session, "ann", token, number)
            made, count = await asyncio.gather(
                store.write(guests.renew_link, "ann", token, f"link {number}", number),
                store.write(guests.sign_out_others, "ann", "token-ann"),
            )
            assert count == 1
            assert not await store.read(guests.has_link, "ann"), f"made: {made}"

    run(database_url, test, ANN)


# Opening


@pytest.mark.parametrize("version", range(len(MIGRATIONS) + 1))
def test_every_earlier_version_is_brought_up_to_date(
    database_url: str, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    def written_then(tx: Tx) -> None:
        tx.run(
            "INSERT INTO guests (id, name, kind, created_at, seen_at) VALUES ('ann', 'Ann', 'person', 1, 2)"
        )
        tx.run("INSERT INTO sessions (token, guest, created_at, seen_at) VALUES ('token-ann', 'ann', 1, 2)")
        tx.run(
            "INSERT INTO games (id, table_id, round, game, edition, record, finished_at, rated) "
            "VALUES ('t-1', 't', 1, 'linko', 'classic', '{}', 5, 0)"
        )
        tx.run(
            "INSERT INTO players (game_id, seat, guest, name, score, won) VALUES ('t-1', 0, 'ann', 'A', 7, 1)"
        )

    async def whole() -> None:
        if version:
            with monkeypatch.context() as then:
                then.setattr("lynxden.server.store.migrations.MIGRATIONS", MIGRATIONS[:version])
                old = await open_store(database_url)
                await old.write(written_then)
                await old.close()
        async with opened(database_url) as store:
            names = [name for (name,) in await store.read(_all, "SELECT name FROM migrations ORDER BY name")]
            assert names == [name for name, _ in MIGRATIONS]
            if not version:
                await store.write(written_then)
            (found,) = await store.read(guests.sessions, ["token-ann"])
            assert found == guests.Session(Guest("ann", "Ann"), "token-ann", "", 1, 2)
            for viewer in ("ann", None):  # links to games of before still work, for everybody
                (game,) = await store.read(games.of_guest, "ann", viewer, 9)
                assert (game.id, game.private, game.shown_to(viewer)) == ("t-1", False, True)
            assert await store.read(games.counts) == {("linko", "classic"): 1}

    asyncio.run(whole())


def _all(tx: Tx, sql: str) -> list[Row]:
    return tx.all(sql)


def test_opening_again_changes_nothing(database_url: str) -> None:
    async def test(store: Store) -> None:
        assert await store.write(migrate, 5) == []
        async with opened(database_url) as again:
            assert await again.read(guests.get, "ann") == ANN

    run(database_url, test, ANN)


def test_many_may_open_a_new_database_at_once(database_url: str) -> None:
    async def whole() -> None:
        stores = await asyncio.gather(*(open_store(database_url) for _ in range(4)))
        for store in stores:
            await store.check()
            assert (await store.read(upkeep.row_counts))["guests"] == 0
        await asyncio.gather(*(store.close() for store in stores))

    asyncio.run(whole())


def test_a_newer_database_is_refused(database_url: str) -> None:
    def become_newer(tx: Tx) -> None:
        tx.run("INSERT INTO migrations (name, applied_at) VALUES ('9999 flying cards', 1)")

    async def test(store: Store) -> None:
        await store.write(become_newer)
        with pytest.raises(LynxdenError, match=r"newer version.*9999 flying cards"):
            await open_store(database_url)

    run(database_url, test)


def test_a_migration_that_fails_leaves_nothing(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(store: Store) -> None:
        further = ("0002", ["CREATE TABLE more (id TEXT PRIMARY KEY)", "INSERT INTO nowhere VALUES (1)"])
        monkeypatch.setattr("lynxden.server.store.migrations.MIGRATIONS", [*MIGRATIONS, further])
        with pytest.raises(Exception, match="nowhere"):
            await open_store(database_url)
        further[1].pop()
        async with opened(database_url) as again:
            assert await again.read(guests.get, "ann") == ANN
            assert await again.write(migrate, 5) == []

    run(database_url, test, ANN)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("mysql://me:secret@localhost/x", "sqlite:///PATH or postgresql"),
        ("sqlite://", "needs a file"),
        ("sqlite:///:memory:", "needs a file"),
        ("", "needs a file"),
        ("/nowhere/at/all/x.db", "no folder /nowhere/at/all"),
        ("postgresql://me:secret@127.0.0.1:1/x", "cannot be reached"),
        ("postgresql://me:secret@127.0.0.1:port/x", 'invalid integer value "port"'),
        ("postgresql://me:secret@127.0.0.1:1/x?colour=secret", "cannot be read"),
    ],
)
def test_bad_addresses(url: str, said: str) -> None:
    with pytest.raises(LynxdenError, match=said) as caught:
        asyncio.run(open_store(url))
    shown: BaseException | None = caught.value
    while shown is not None:
        assert "secret" not in str(shown)
        shown = shown.__cause__ or (None if shown.__suppress_context__ else shown.__context__)


def test_files_that_are_no_databases(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text("This is a letter to my aunt. " * 100)
    for name in ("a.db", "."):
        with pytest.raises(LynxdenError, match="cannot be opened"):
            asyncio.run(open_store(str(tmp_path / name)))


def test_relative_and_absolute_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for url, path in (("sqlite:///a.db", "a.db"), (f"sqlite:///{tmp_path}/b.db", "b.db"), ("c.db", "c.db")):
        asyncio.run(_open_and_close(url))
        assert (tmp_path / path).is_file()


def test_postgresql_needs_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "lynxden.server.store.postgres", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(LynxdenError, match=r"pip install 'lynxden\[postgres\]'"):
        asyncio.run(open_store("postgresql://localhost/x"))


async def _open_and_close(url: str) -> None:
    store = await open_store(url)
    await store.close()
