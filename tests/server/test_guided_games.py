"""The guided first game on a server: played by the rules, and counted nowhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lynxden.games.registry import GAMES
from lynxden.server.admin import check_table, kept
from lynxden.server.store import games, tables
from tests.server.clock import FakeClock
from tests.server.kit import Client, Message, Running, free_data, run, serving
from tests.server.test_clocks import until

LINKO = [
    "play 6 6 6", "pass", "play 9 9", "take", "discard", "draw X", "draw 12", "play 12 12 12 X", "leave",
    "play 5 5 5 5 5", "pass", "play 4 4 4",
]  # fmt: skip
"""What the guide proposes, and the learner does."""
BLOCCO = [
    "take 3", "block 2a 1", "score", "take 6", "take 3", "block 1b 1", "give 4a", "give 1a", "score",
    "block 2b 1",
]  # fmt: skip
"""How it begins."""


async def begin(ann: Client, game: str) -> Message:
    made = await ann.post("/api/guide", {"game": game, "speed": "instant"})
    if ann.socket is None:
        await ann.connect()
    return await ann.watch(made["id"])


async def obey(ann: Client, shown: Message, most: int) -> tuple[list[str], Message]:
    """Do what the guide proposes; what that was, and the game after it."""
    table, seen, game = shown["info"]["id"], shown["number"], shown["game"]
    done: list[str] = []
    while len(done) < most and not game.get("finished"):
        if game["own"]["legal"]:
            done.append(game["advice"])
            assert (await ann.act(table, game["advice"], seen))["type"] == "ack"
        else:
            assert not game.get("advice"), "advice for somebody who cannot act"
        while True:
            message = await ann.next("happened")
            seen = message["what"]["number"]
            if "game" in message:
                game = message["game"]
                break
    return done, game


@pytest.mark.parametrize(("game", "line"), [("linko", LINKO), ("blocco", BLOCCO)])
def test_a_guided_game_is_played_and_counts_nowhere(database_url: str, game: str, line: list[str]) -> None:
    async def scenario() -> None:
        async with serving(database_url) as server, await server.arrive() as ann:
            shown = await begin(ann, game)
            info = shown["info"]
            assert info["guide"]
            assert not info["public"]
            assert not info["spectators"]
            done, now = await obey(ann, shown, 100)
            assert done[: len(line)] == line
            state = server.live.tables.loaded[info["id"]].state
            assert not state.rated
            assert now["finished"]["outcome"]["winners"] == [0]
            assert now["finished"]["record"] == "", "there is nothing to replay"
            store = server.live.context.store
            assert await store.read(games.get, state.record_id) is None
            assert await ann.get("/api/me/games") == []
            assert await ann.get("/api/me/ratings") == []
            assert (await ann.get("/api/me/tables"))["tables"] == []
            assert (await ann.get("/api/tables"))["tables"] == []
            statistics = await ann.get("/api/statistics")
            assert statistics == {"games": [], "tables": {}}

    run(scenario())


def test_a_name_makes_no_table_a_guided_game(database_url: str) -> None:
    async def scenario() -> None:
        name = '","guide":true,"a":"'
        async with serving(database_url) as server, await server.arrive(name) as ann:
            made = await ann.post("/api/tables", {"game": "linko"})
            assert (await ann.get(f"/api/tables/{made['id']}"))["info"]["seats"][0]["name"] == name
            assert (await ann.get("/api/statistics"))["tables"] == {"open": 1}

    run(scenario())


def test_another_move_is_played_by_the_rules(tmp_path: Path) -> None:
    """Advice binds nobody, and what is not legal is refused as anywhere."""

    async def scenario() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            shown = await begin(ann, "linko")
            table = shown["info"]["id"]
            refused = await ann.act(table, "play 13", shown["number"])
            assert (refused["type"], refused["code"]) == ("refused", "illegal")
            assert (await ann.act(table, "play 12", shown["number"]))["type"] == "ack"
            state = server.live.tables.loaded[table].state
            assert next(iter(state.actions)) == "play 12"

    run(scenario())


def test_hidden_cards_stay_hidden(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            shown = await begin(ann, "linko")
            state = server.live.tables.loaded[shown["info"]["id"]].state
            assert state.position is not None
            assert shown["game"]["own"]["hand"] == list(state.position.hand(0))
            assert "hands" not in shown["game"]["public"]
            assert all("hand" not in player for player in shown["game"]["public"]["players"])

    run(scenario())


def test_nobody_else_can_come_or_look(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with (
            serving(free_data(tmp_path)) as server,
            await server.arrive() as ann,
            await server.arrive("Ben") as ben,
        ):
            made = await ann.post("/api/guide", {})
            place = f"/api/tables/{made['id']}"
            assert (await ben.ask("GET", place)).status_code == 404
            answer = await ben.ask("GET", f"{place}?invite={made['invite']}")
            assert answer.json()["code"] == "no-spectators"
            answer = await ben.ask("POST", f"{place}/join", {"invite": made["invite"]})
            assert answer.json()["code"] == "seat-taken"

    run(scenario())


def test_it_begins_anew_each_time(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(free_data(tmp_path), tables_per_guest=2) as server, await server.arrive() as ann:
            first = (await begin(ann, "linko"))["info"]["id"]
            for game in ("linko", "blocco", "linko"):
                await ann.post("/api/guide", {"game": game})
            store = server.live.context.store
            assert len(await store.read(tables.of_guest, ann.id, ("running",), 10)) == 1
            assert server.live.tables.loaded[first].state.phase == "closed"
            # It has a place among the tables that somebody may have, as any other.
            await ann.post("/api/play", {})
            answer = await ann.ask("POST", "/api/play", {})
            assert answer.json()["code"] == "too-much"

    run(scenario())


def test_it_is_closed_when_it_is_left(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            table = (await begin(ann, "linko"))["info"]["id"]
            await ann.post(f"/api/tables/{table}/leave")
            assert server.live.tables.loaded[table].state.phase == "closed"

    run(scenario())


def test_it_waits_for_whoever_is_there_and_is_closed_for_whoever_is_not(tmp_path: Path) -> None:
    clock = FakeClock()
    calm: dict[str, Any] = {"beat": 6000.0, "lease": 24000.0, "empty": 600.0}

    async def scenario() -> None:
        async with serving(free_data(tmp_path), clock=clock, **calm) as server:
            ann = await server.arrive()
            table = await there(server, ann)
            await clock.advance(5000)
            assert table.state.deciding == 0
            assert table.state.seats[0].decides, "a bot plays for somebody who reads"
            await ann.close()
            await until(lambda: not table.viewers)
            await clock.advance(599)
            assert table.state.phase == "running"
            await clock.advance(10)
            assert table.state.phase == "closed"

    async def there(server: Running, ann: Client) -> Any:
        shown = await begin(ann, "linko")
        table = server.live.tables.loaded[shown["info"]["id"]]
        await until(lambda: table.state.seats[0].here)
        return table

    run(scenario())


def test_what_cannot_be_guided_is_refused(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            for body in ({"game": "chess"}, {"game": "linko", "edition": "duel"}, {"speed": "soon"}):
                answer = await ann.ask("POST", "/api/guide", body)
                assert answer.status_code == 400
            assert await server.live.context.store.read(tables.ids) == []
            offer = await ann.get("/api/games")
            assert [game["name"] for game in offer["games"] if game["guide"]] == [
                name for name, game in GAMES.items() if game.guide
            ]

    run(scenario())


def test_a_check_misses_no_record(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            shown = await begin(ann, "linko")
            await obey(ann, shown, len(LINKO))
            found = await server.live.context.store.read(kept, shown["info"]["id"])
            assert found is not None
            assert check_table(found, server.live.context.settings) == []

    run(scenario())
