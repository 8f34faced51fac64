"""The lobby: nobody fills it alone, neither a guest nor a network address. On both databases."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from lynxden.server.errors import Code
from lynxden.server.store import tables
from lynxden.server.store.core import open_store
from tests.server.answers import check_problem
from tests.server.kit import SECONDS, Client, Running, run, serving

PUBLIC = {"seats": [{"kind": "open"}] * 3, "public": True}


async def arrive(server: Running, name: str, where: str) -> Client:
    """Somebody who comes through a proxy on this machine."""
    http = httpx.AsyncClient(base_url=server.url, headers={"X-Forwarded-For": where}, timeout=SECONDS)
    return Client(server.url, http, (await http.post("/api/me", json={"name": name})).json())


async def listed(client: Client) -> list[str]:
    """The hosts of the tables that the lobby shows, in its order."""
    rows = (await client.get("/api/tables"))["tables"]
    return [row["seats"][0]["name"] for row in rows]


def test_a_flood_from_one_address_pushes_nobody_out(database_url: str) -> None:
    async def story() -> None:
        async with serving(database_url, proxies="127.0.0.1") as server:
            ann = await arrive(server, "Ann", "203.0.113.1")
            await ann.post("/api/tables", PUBLIC)
            guests = [await arrive(server, f"Bad {number}", "198.51.100.7") for number in range(6)]
            for guest in guests:
                for _ in range(20):
                    await guest.post("/api/tables", PUBLIC)
            shown = await listed(ann)
            assert len(shown) == 100
            assert shown.index("Ann") == 1, "each address has its turn"
            neighbour = await arrive(server, "Cyd", "198.51.100.7")
            await neighbour.post("/api/tables", PUBLIC)
            assert (await listed(ann)).index("Cyd") < 7, "and each host of an address"
            await ann.connect()
            await ann.send({"type": "lobby"})
            live = await ann.next("lobby")
            assert [row["seats"][0]["name"] for row in live["tables"]] == await listed(ann)
            for each in (ann, neighbour, *guests):
                await each.close()

    run(story())


def test_the_newest_comes_first_among_equals(database_url: str) -> None:
    async def story() -> None:
        async with serving(database_url, proxies="127.0.0.1") as server:
            people = [await arrive(server, f"P{number}", f"203.0.113.{number}") for number in range(4)]
            for person in people:
                await person.post("/api/tables", PUBLIC)
            await people[1].post("/api/tables", PUBLIC)
            assert await listed(people[0]) == ["P1", "P3", "P2", "P0", "P1"]
            for person in people:
                await person.close()

    run(story())


@pytest.mark.parametrize(
    ("limits", "mine", "ours"),
    [
        ({"open_tables_per_guest": 2, "open_tables_per_address": 0}, 2, 2),
        ({"open_tables_per_guest": 0, "open_tables_per_address": 3}, 3, 0),
        ({"open_tables_per_guest": 2, "open_tables_per_address": 3}, 2, 1),
    ],
)
def test_few_tables_wait_for_players_at_a_time(
    limits: dict[str, Any], mine: int, ours: int, database_url: str
) -> None:
    async def story() -> None:
        async with serving(database_url, proxies="127.0.0.1", **limits) as server:
            ann = await arrive(server, "Ann", "2001:db8:1:2::1")
            ben = await arrive(server, "Ben", "2001:db8:1:2::2")  # the same network
            made = [await ann.post("/api/tables", PUBLIC) for _ in range(mine)]
            check_problem(await ann.ask("POST", "/api/tables", PUBLIC), 429, Code.TOO_MUCH)
            for _ in range(ours):
                await ben.post("/api/tables", PUBLIC)
            check_problem(await ben.ask("POST", "/api/tables", PUBLIC), 429, Code.TOO_MUCH)
            await ann.post("/api/tables", {**PUBLIC, "public": False})
            await ann.post("/api/play", {})
            await ann.post(f"/api/tables/{made[0]['id']}/start", {})  # it waits no longer
            await ann.post("/api/tables", PUBLIC)
            check_problem(await ann.ask("POST", "/api/tables", PUBLIC), 429, Code.TOO_MUCH)
            for each in (ann, ben):
                await each.close()

    run(story())


def test_no_address_is_stored_and_the_hash_only_while_the_table_waits(database_url: str) -> None:
    async def story() -> None:
        async with serving(database_url, proxies="127.0.0.1") as server:
            ann = await arrive(server, "Ann", "203.0.113.1")
            waiting = (await ann.post("/api/tables", PUBLIC))["id"]
            started = (await ann.post("/api/tables", PUBLIC))["id"]
            await ann.post(f"/api/tables/{started}/start", {})
            await ann.post("/api/tables", {**PUBLIC, "public": False})
            await ann.close()
        store = await open_store(database_url)
        rows = await store.read(lambda tx: tx.all("SELECT id, origin FROM tables"))
        assert [table for table, origin in rows if origin] == [waiting]
        assert "203.0" not in dict(rows)[waiting]
        assert (await store.read(tables.count_listed, ann.id, dict(rows)[waiting])) == (1, 1)
        await store.close()

    run(story())
