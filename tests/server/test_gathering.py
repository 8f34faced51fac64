"""Writes that wait at the same moment are written together, and each fares as if it were alone."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

from lynxden.server.store import Store, Tx, leases, open_store, servers, tables
from lynxden.server.store.tables import Addition
from lynxden.server.table.projections import TableRow
from tests.server.postgres import Postgres
from tests.server.test_store import ANN, BEA, TABLE, run, until

MANY = 40


def row(number: int) -> TableRow:
    return replace(TABLE, id=f"t{number:02}", wake_at=None if number % 3 else 7_000_000_000_000 + number)


def addition(number: int, first: int = 3, count: int = 1) -> Addition:
    changed = replace(
        row(number), state="running", listed=False, summary=f"{number}", updated_at=200 + number
    )
    return Addition(changed, first, [f"body {number}.{index}" for index in range(count)])


async def make_tables(store: Store) -> None:
    for number in range(MANY):
        await store.write(tables.create, row(number), ["created", "dealt"])


async def hold_up(store: Store) -> None:
    """Let what is written next wait, so that it gathers."""

    def sleep(tx: Tx, items: Sequence[float]) -> list[None]:
        time.sleep(sum(items))
        return [None] * len(items)

    asyncio.ensure_future(store.write_together(sleep, 0.2))  # noqa: RUF006 - the store waits for it
    await asyncio.sleep(0.05)


def test_many_tables_at_once(database_url: str) -> None:
    async def test(store: Store) -> None:
        await make_tables(store)
        await hold_up(store)
        wanted = [addition(number, count=1 + number % 3) for number in range(MANY)]
        done = await asyncio.gather(*(store.write_together(tables.append_all, each) for each in wanted))
        assert done == [True] * MANY
        for each in wanted:
            kept = await store.read(tables.get, each.row.id)
            assert kept == replace(each.row, last=each.last)
            log = await store.read(tables.entries, each.row.id, 2)
            assert log == list(enumerate(each.bodies, 3))

    run(database_url, test, ANN, BEA)


def test_one_call_writes_what_waits(database_url: str) -> None:
    calls: list[int] = []

    def count(tx: Tx, items: Sequence[int]) -> list[int]:
        calls.append(len(items))
        return [2 * item for item in items]

    async def test(store: Store) -> None:
        await hold_up(store)
        found = await asyncio.gather(*(store.write_together(count, number) for number in range(MANY)))
        assert found == [2 * number for number in range(MANY)]
        assert calls == [MANY]

    run(database_url, test)


def test_one_call_reads_what_many_ask_for(database_url: str) -> None:
    """Each gets its own answer; what makes the call fail fails alone."""
    calls: list[int] = []

    def logs(tx: Tx, wanted: Sequence[tuple[str, int]]) -> list[list[tuple[int, str]]]:
        if calls == []:
            time.sleep(0.2)  # the others gather
        calls.append(len(wanted))
        if ("bad", 0) in wanted:
            raise ValueError("bad")
        return tables.logs(tx, wanted)

    async def test(store: Store) -> None:
        await make_tables(store)
        first = asyncio.ensure_future(store.read_together(logs, ("t00", 0)))
        await asyncio.sleep(0.05)
        found = await asyncio.gather(*(store.read_together(logs, (f"t{n:02}", n % 4)) for n in range(MANY)))
        whole = [(1, "created"), (2, "dealt")]
        assert await first == whole
        assert found == [whole[number % 4 :] for number in range(MANY)]
        assert await store.read_together(logs, ("nowhere", 0)) == []
        assert calls == [1, MANY, 1]
        calls.clear()
        asyncio.ensure_future(store.read_together(logs, ("t00", 0)))  # noqa: RUF006 - the store waits for it
        await asyncio.sleep(0.05)
        keys = ["t01", "bad", "t02"]
        answers = await asyncio.gather(
            *(store.read_together(logs, (key, 0)) for key in keys), return_exceptions=True
        )
        assert isinstance(answers[1], ValueError)
        assert (answers[0], answers[2]) == (whole, whole)

    run(database_url, test, ANN, BEA)


def test_leases_of_many_tables(database_url: str) -> None:
    """As many calls of `take` would do."""

    async def test(store: Store) -> None:
        await make_tables(store)
        await store.write(servers.beat, "other", 100)
        await store.write(leases.take, "t01", "other", 50)
        await store.write(leases.take, "t02", "dead", 50)
        await store.write(leases.take, "t03", "us", 50)
        wanted = [leases.Wanted(key, "us", 50) for key in ("t00", "t03", "nowhere", "t02", "t01")]
        assert await store.write(leases.take_all, wanted) == ["", "us", None, "dead", None]
        assert await store.read(leases.held_by, "us") == {"t00", "t02", "t03"}
        assert await store.read(leases.held_by, "other") == {"t01"}

    run(database_url, test, ANN, BEA)


def test_who_comes_too_late_changes_nothing(database_url: str) -> None:
    """One log has gone on, one table is gone, at one somebody else sits: each has its own answer."""

    async def test(store: Store) -> None:
        await make_tables(store)
        await store.write(tables.append, row(3), 3, ["quicker"])
        await store.write(_delete, "t05")
        await hold_up(store)
        wanted = [addition(number) for number in range(MANY)]
        wanted[7] = replace(wanted[7], row=replace(wanted[7].row, seats=("bea", "ann", None)))
        done = await asyncio.gather(*(store.write_together(tables.append_all, each) for each in wanted))
        assert [number for number, kept in enumerate(done) if not kept] == [3, 5]
        assert await store.read(tables.entries, "t03", 2) == [(3, "quicker")]
        assert await store.read(tables.get, "t05") is None
        changed = await store.read(tables.get, "t07")
        assert changed is not None
        assert changed.seats == ("bea", "ann", None)
        assert [found.id for found in await store.read(tables.of_guest, "bea", ("running",), 99)]

    run(database_url, test, ANN, BEA)


def _delete(tx: Tx, table: str) -> None:
    tx.run("DELETE FROM tables WHERE id = ?", table)


def test_an_entry_beyond_the_end_is_no_reason_to_fail_for_others(database_url: str) -> None:
    async def test(store: Store) -> None:
        await make_tables(store)
        await store.write(_strange_entry, "t04")
        await hold_up(store)
        wanted = [addition(number) for number in range(10)]
        done = await asyncio.gather(*(store.write_together(tables.append_all, each) for each in wanted))
        assert [number for number, kept in enumerate(done) if not kept] == [4]

    run(database_url, test, ANN, BEA)


def _strange_entry(tx: Tx, table: str) -> None:
    tx.run("INSERT INTO entries (table_id, number, body) VALUES (?, 3, 'strange')", table)


def test_a_bad_item_fails_alone(database_url: str) -> None:
    def write(tx: Tx, items: Sequence[int]) -> list[int]:
        for item in items:
            if item == 3:
                raise ValueError("three")
            tx.run("INSERT INTO servers (id, beat) VALUES (?, ?)", f"server {item}", item)
        return list(items)

    async def test(store: Store) -> None:
        await hold_up(store)
        work = (store.write_together(write, number) for number in range(8))
        found = await asyncio.gather(*work, return_exceptions=True)
        assert isinstance(found[3], ValueError)
        assert [each for each in found if isinstance(each, int)] == [0, 1, 2, 4, 5, 6, 7]
        assert await store.read(_servers) == [0, 1, 2, 4, 5, 6, 7]

    run(database_url, test)


def _servers(tx: Tx) -> list[int]:
    return [beat for (beat,) in tx.all("SELECT beat FROM servers ORDER BY beat")]


def test_only_other_servers_are_notified(postgres: Postgres) -> None:
    async def test(store: Store) -> None:
        other = await open_store(url)
        try:
            here: list[str] = []
            there: list[str] = []
            await store.listen(here.append)
            await other.listen(there.append)
            await make_tables(store)
            await until(lambda: len(here) == len(there) == MANY)
            await hold_up(store)
            work = (store.write_together(tables.append_all, addition(number)) for number in range(MANY))
            assert all(await asyncio.gather(*work))
            await until(lambda: len(there) == 2 * MANY)
            assert set(there[MANY:]) == {f"t{number:02} 3\tbody {number}.0" for number in range(MANY)}
            assert len(here) == MANY
        finally:
            await other.close()

    url = postgres.new_database()
    run(url, test, ANN, BEA)


def test_notifications_with_much_to_tell(postgres: Postgres) -> None:
    """What has no room in a notification is left out of it, and many are sent in several."""

    async def test(store: Store) -> None:
        other = await open_store(url)
        try:
            there: list[str] = []
            await other.listen(there.append)
            await make_tables(store)
            await hold_up(store)
            wanted = [
                Addition(row(number), 3, ["ü" * (1900 if number % 2 else 2100)]) for number in range(MANY)
            ]
            work = (store.write_together(tables.append_all, each) for each in wanted)
            assert all(await asyncio.gather(*work))
            await until(lambda: len(there) == 2 * MANY)
            read = {text.partition(" ")[0]: tables.read_news(text.partition(" ")[2]) for text in there[MANY:]}
            assert read == {
                each.row.id: (3, each.bodies if number % 2 else []) for number, each in enumerate(wanted)
            }
        finally:
            await other.close()

    url = postgres.new_database()
    run(url, test, ANN, BEA)


def test_two_servers_write_to_the_same_tables(postgres: Postgres) -> None:
    """In every round each table gets one entry, from whoever was quicker; nobody waits for each other."""

    async def test(store: Store) -> None:
        other = await open_store(url)
        try:
            await make_tables(store)
            for number in range(10):
                forwards = [addition(table, 3 + number) for table in range(MANY)]
                await asyncio.gather(hold_up(store), hold_up(other))
                done = await asyncio.gather(
                    *(store.write_together(tables.append_all, each) for each in forwards),
                    *(other.write_together(tables.append_all, each) for each in reversed(forwards)),
                )
                ours, theirs = done[:MANY], done[: -MANY - 1 : -1]
                assert [a != b for a, b in zip(ours, theirs, strict=True)] == [True] * MANY
        finally:
            await other.close()
        assert await store.read(_deadlocks) == 0

    url = postgres.new_database()

    run(url, test, ANN, BEA)


def _deadlocks(tx: Tx) -> int:
    found = tx.one("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    assert found is not None
    return int(found[0])
