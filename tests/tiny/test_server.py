"""A game from outside on a real server: two people play it to its end, over real sockets."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

from lynxden.records import read_record, verify
from tests.server.kit import Client, Message, free_data, play_out, run, serving


async def kept(client: Client, path: str) -> Message:
    """What is told of a finished game; it is kept a moment after its end."""
    for _ in range(200):
        answer = await client.http.get(path)
        if answer.status_code != 404:
            break
        await asyncio.sleep(0.02)
    assert answer.status_code == 200, answer.text
    found: Message = answer.json()
    return found


def test_two_people_play_a_game_to_its_end(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path)) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Ben") as ben,
        ):
            offer = await ann.get("/api/games")
            assert [game["title"] for game in offer["games"]] == ["Linko", "Blocco", "Tiny"]
            seats = [{"kind": "open"}] * 2
            made = await ann.post("/api/tables", {"game": "tiny", "edition": "sour", "seats": seats})
            await ben.post(f"/api/tables/{made['id']}/join", {"invite": made["invite"]})
            stories = []
            for number, person in enumerate((ann, ben)):
                await person.connect()
                table = await person.watch(made["id"])
                assert len(table["game"]["own"]["hand"]) == 3
                stories.append(play_out(person, table, random.Random(number)))
            told = await asyncio.gather(*stories)
            for events in told:
                finished = events[-1]["game"]["finished"]
                assert finished["outcome"]["reason"] == "nothing-to-offer"
                points = [sum(part["points"] for part in seat) for seat in finished["breakdown"]]
                assert points == finished["outcome"]["scores"]
            path = f"/api/records/{finished['record']}"
            replay = await kept(ben, f"{path}/replay")
            record = read_record((await ann.http.get(path)).content)
            assert verify(record) == len(record.actions) > 5
            assert (record.game, record.edition, record.seats) == ("tiny", "sour", ("Ann", "Ben"))
            assert [step["action"] for step in replay["steps"]] == ["", *record.actions]
            assert all(step["hands"] and step["public"]["players"] for step in replay["steps"])
            (game,) = await ann.get("/api/me/games")
            assert (game["game"], game["edition"]) == ("tiny", "sour")

    run(story())


def test_a_person_against_bots(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Ann") as ann:
            made = await ann.post("/api/play", {"game": "tiny", "players": 3, "speed": "instant"})
            await ann.connect()
            events = await play_out(ann, await ann.watch(made["id"]), random.Random(1))
            assert events[-1]["info"]["phase"] == "over"

    run(story())
