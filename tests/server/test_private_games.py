"""Games of tables that nobody else could see stay with those who played them."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from lynxden.cli import main
from lynxden.server.store import games, tables
from lynxden.server.table import entries
from lynxden.server.table.state import read_log
from tests.server.kit import Client, Message, Running, free_data, run, serving

RECORD = "/api/records/{}"
VIEWS = (
    RECORD,
    f"{RECORD}/result",
    f"{RECORD}/replay",
    f"{RECORD}/replay?viewer=0",
    f"{RECORD}?download=true",
)


@asynccontextmanager
async def somebody(server: Running, *names: str) -> AsyncIterator[list[Client]]:
    people = [await server.arrive(name) for name in names]
    yield people
    for person in people:
        await person.close()


async def play(people: list[Client], **options: Any) -> tuple[Message, Message]:
    """A whole game; the table that was made, and the end."""
    seats = [{"kind": "invited"}] * len(people)
    if len(people) == 1:
        seats.append({"kind": "bot", "bot": "random"})
    plan = {"seats": seats, "speed": "instant", "edition": "duel", **options}
    made = await people[0].post("/api/tables", plan)
    for person in people[1:]:
        await person.post(f"/api/tables/{made['id']}/join", {"invite": made["invite"]})
    return made, await play_on(people, made["id"])


async def play_on(people: list[Client], table: str) -> Message:
    rng = random.Random(1)
    for person in people:
        if person.socket is None:
            await person.connect()
        await person.watch(table)
    while True:
        shown: Message = await people[0].get(f"/api/tables/{table}")
        if shown["game"].get("finished"):
            return shown
        seat = shown["game"]["public"]["seat"]
        if seat < len(people):
            own = await people[seat].get(f"/api/tables/{table}")
            if own["game"]["own"]["legal"]:
                await people[seat].act(table, rng.choice(own["game"]["own"]["legal"]), own["number"])


async def statuses(client: httpx.AsyncClient, game: str) -> set[int]:
    """What every address of a game answers, asked in both ways."""
    return {
        (await client.request(method, view.format(game))).status_code
        for view in VIEWS
        for method in ("GET", "HEAD")
    }


@pytest.mark.parametrize(
    ("public", "spectators", "private"),
    [(False, False, True), (False, True, False), (True, False, False), (True, True, False)],
)
def test_who_can_see_a_finished_game(
    database_url: str, public: bool, spectators: bool, private: bool
) -> None:
    async def story() -> None:
        async with serving(database_url) as server, somebody(server, "Ann", "Ben", "Eve") as (ann, ben, eve):
            _, end = await play([ann, ben], public=public, spectators=spectators)
            game = end["game"]["finished"]["record"]
            for player in (ann, ben):
                assert await statuses(player.http, game) == {200}
                (mine,) = await player.get("/api/me/games")
                assert (mine["id"], mine["private"]) == (game, private)
                # Also in the list of somebody with whom they played it.
                assert [each["id"] for each in await player.get(f"/api/players/{ann.id}/games")] == [game]
                assert mine["rated"]
            async with httpx.AsyncClient(base_url=server.url) as nobody:
                for client in (eve.http, nobody):
                    assert await statuses(client, game) == {404 if private else 200}
                    answer = await client.get(f"/api/players/{ann.id}/games")
                    assert [each["id"] for each in answer.json()] == ([] if private else [game])
                    answer = await client.get(f"/api/players/{ben.id}/games?before={game}")
                    assert answer.status_code == (404 if private else 200), (
                        "it tells that there is such a game"
                    )
            # It counts like any other.
            for player in (ann, ben):
                assert (await eve.get(f"/api/players/{player.id}"))["ratings"][0]["games"] == 1
            assert (await eve.get("/api/statistics"))["games"][0]["finished"] == 1

    run(story())


def test_a_private_game_with_somebody_who_is_forgotten_is_nobody_elses(database_url: str) -> None:
    """Whoever has no identity is not taken for the player who has none any more."""

    async def story() -> None:
        async with serving(database_url) as server, somebody(server, "Ann", "Ben", "Eve") as (ann, ben, eve):
            _, end = await play([ann, ben], public=False, spectators=False)
            game = end["game"]["finished"]["record"]
            assert (await ben.ask("DELETE", "/api/me")).status_code == 204
            async with httpx.AsyncClient(base_url=server.url) as nobody:
                for client in (nobody, ben.http, eve.http):
                    assert await statuses(client, game) == {404}
                    assert (await client.get(f"/api/players/{ann.id}/games")).json() == []
            assert await statuses(ann.http, game) == {200}

    run(story())


def test_what_counts_is_how_it_was_when_the_game_ended(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, somebody(server, "Ann", "Eve") as (ann, eve):
            plan = {"seats": [{}, {"kind": "bot", "bot": "random"}], "speed": "instant", "edition": "duel"}
            for before, after in ((True, False), (False, True)):
                made = await ann.post("/api/tables", {**plan, "spectators": before})
                path = f"/api/tables/{made['id']}/spectators"
                assert (await ann.ask("PUT", path, {"open": after})).status_code == 200
                end = await play_on([ann], made["id"])
                game = end["game"]["finished"]["record"]
                assert await statuses(eve.http, game) == {200 if after else 404}
                await ann.ask("PUT", path, {"open": before})  # too late
                assert await statuses(eve.http, game) == {200 if after else 404}

    run(story())


def test_a_private_replay_is_asked_for_each_time(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, somebody(server, "Ann") as (ann,):
            for spectators in (False, True):
                _, end = await play([ann], spectators=spectators)
                path = f"{RECORD.format(end['game']['finished']['record'])}/replay"
                answer = await ann.http.get(path)
                kept = answer.headers["cache-control"]
                assert kept == ("private, max-age=600" if spectators else "private, no-cache")
                tag = {"If-None-Match": answer.headers["etag"]}
                assert (await ann.http.get(path, headers=tag)).status_code == 304
                async with httpx.AsyncClient(base_url=server.url, headers=tag) as nobody:
                    assert (await nobody.get(path)).status_code == (304 if spectators else 404)

    run(story())


def test_the_id_of_a_record_is_drawn_and_stands_in_the_log(database_url: str) -> None:
    async def story() -> None:
        async with serving(database_url) as server, somebody(server, "Ann") as (ann,):
            made, end = await play([ann], rounds=1)
            table, store = made["id"], server.live.context.store
            first = end["game"]["finished"]["record"]
            await ann.send({"type": "ready", "table": table})
            await ann.happened("dealt")
            second = (await play_on([ann], table))["game"]["finished"]["record"]
            log = [entries.decode(body) for _, body in await store.read(tables.entries, table, 0)]
            dealt = [entry.record for entry in log if isinstance(entry, entries.Dealt)]
            assert dealt == [first, second]
            assert [game.id for game in await store.read(games.of_table, table)] == dealt
            assert len(set(dealt)) == 2
            for each in dealt:
                assert table not in each
                assert each not in (table, made["invite"])
            # Nobody is told before the game is over.
            assert not any(second in text for text in ann.received if '"finished"' not in text)

    run(story())


def test_a_log_without_the_id_means_what_version_0_1_called_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, somebody(server, "Ann") as (ann,):
            made, _ = await play([ann])
            table = made["id"]
            bodies = [body for _, body in await server.live.context.store.read(tables.entries, table, 0)]
            old = []
            for body in bodies:
                entry = json.loads(body)
                entry.pop("record", None)
                old.append(json.dumps(entry))
            assert old != bodies
            assert read_log(table, old).record_id == f"{table}-1"

    run(story())


def test_administrators_ask_for_private_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    data.mkdir()

    async def story() -> tuple[str, str]:
        async with serving(free_data(data)) as server, somebody(server, "Ann") as (ann,):
            found = [(await play([ann], spectators=spectators))[1] for spectators in (True, False)]
            shown, private = (end["game"]["finished"]["record"] for end in found)
            kept = await server.live.context.store.read(games.get, private)
            assert kept is not None
            assert kept.private
            assert not replace(kept, private=True).shown_to("eve")
            return shown, private

    def cli(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["lynxden", "admin", *arguments, "--data", str(data)])
        with pytest.raises(SystemExit) as stopped:
            main()
        assert not stopped.value.code
        return capsys.readouterr().out

    shown, private = run(story())
    capsys.readouterr()
    for command in (["games", "--json"], ["export", "-"]):
        told = cli(*command)
        assert shown in told
        assert private not in told
        assert private in cli(*command, "--private")
    assert "private" in cli("games", "--private")
    assert "2 finished games, no problems" in cli("check")
