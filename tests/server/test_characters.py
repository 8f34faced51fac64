"""Bots have names: different ones at a table, nobody else's, and the same for as long as the game is kept."""

from __future__ import annotations

import random
from collections.abc import Collection
from pathlib import Path

from lynxden.server.live.context import draw_names
from lynxden.server.table import characters, entries
from lynxden.server.table.plans import USUAL_BOT, Plan, SeatPlan
from lynxden.server.table.state import TableState, first_state
from tests.server.kit import Message, free_data, play_out, run, serving

OPEN = {"kind": "open"}
GREEDY = {"kind": "bot", "bot": "greedy"}
PLAN = Plan("linko", "basic", (SeatPlan("open"), SeatPlan("bot", "greedy"), SeatPlan("open")))


def names(info: Message) -> list[str]:
    return [seat.get("name", "") for seat in info["seats"]]


def old_table() -> TableState:
    """A table of the time when bots had no names."""
    first = entries.decode(
        '{"kind":"created","at":1,"by":"g","invite":"i","plan":{"game":"linko","edition":"basic",'
        '"seats":[{"kind":"open"},{"kind":"bot","bot":"greedy"},{"kind":"open"}]}}'
    )
    assert isinstance(first, entries.Created)
    return first_state("t", first)


def test_names_are_drawn_without_repetition_and_are_nobodys() -> None:
    assert len({name.casefold() for name in characters.NAMES}) == 16
    seen: set[str] = set()
    for _ in range(200):
        found = draw_names(4, ["bramble", "MOSS", "Ann"])
        assert len(set(found)) == 4
        seen.update(found)
    assert seen == set(characters.NAMES) - {"Bramble", "Moss"}
    assert sorted(draw_names(16, ())) == sorted(characters.NAMES)


def test_a_new_table_names_its_bots_by_seat() -> None:
    asked: list[tuple[int, Collection[str]]] = []

    def cast(count: int, taken: Collection[str]) -> list[str]:
        asked.append((count, taken))
        return list(characters.NAMES[:count])

    seats = [SeatPlan("bot", "greedy"), SeatPlan(), SeatPlan("bot", "random")]
    assert characters.for_plan(seats, ["Ann"], cast) == ("Bramble", "", "Tansy")
    assert asked == [(2, ["Ann"])]
    assert characters.for_plan([SeatPlan()] * 2, ["Ann"], cast) == ()


def test_old_logs_keep_the_names_that_they_had() -> None:
    state = old_table()
    assert state.names == ("", "Greedy 2", "")
    filled = entries.decode('{"kind":"filled","at":2,"seat":2,"bot":"random"}')
    assert state.after(filled).names == ("", "Greedy 2", "Random 3")


def test_what_is_written_has_the_name() -> None:
    first = entries.Created(1, by="g", plan=PLAN, invite="i", names=("", "Rook", ""))
    again = entries.decode(entries.encode(first))
    assert again == first
    state = first_state("t", first)
    assert state.names == ("", "Rook", "")
    filled = entries.decode(entries.encode(entries.Filled(2, 2, "greedy", "Fern")))
    assert state.after(filled).names == ("", "Rook", "Fern")
    assert state.after(filled).seats[2].bot == "greedy"


def test_bots_at_a_table_are_characters_and_no_namesakes(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            async with await server.arrive("bramble") as ann, await server.arrive("Tansy") as ben:
                made = await ann.post("/api/tables", {"seats": [OPEN, GREEDY, OPEN, OPEN, OPEN]})
                path = f"/api/tables/{made['id']}"
                (first,) = set(names((await ann.get(path))["info"])) - {"bramble", ""}
                await ben.post(f"{path}/join", {"invite": made["invite"]})  # whatever the bot is called
                await ann.post(f"{path}/start", {})
                info = (await ann.get(path))["info"]
                assert names(info)[:3] == ["bramble", first, "Tansy"]
                bots = {seat["name"] for seat in info["seats"] if seat["kind"] == "bot"}
                assert len(bots) == 3
                assert {*names(info)[3:], first} == bots <= set(characters.NAMES) - {"Bramble"}
                assert "Tansy" not in names(info)[3:]
                assert {seat["bot"] for seat in info["seats"] if seat["kind"] == "bot"} == {
                    "greedy",
                    USUAL_BOT,
                }

    run(story())


def test_a_bot_keeps_its_name_in_the_record_and_in_a_rematch(tmp_path: Path) -> None:
    async def story() -> None:
        cast = {"cast": lambda count, _: ["Otis", "Wren", "Pike"][:count]}
        async with serving(free_data(tmp_path), services=cast) as server, await server.arrive("Ann") as ann:
            made = await ann.post("/api/play", {"edition": "basic", "speed": "instant"})
            await ann.connect()
            events = await play_out(ann, await ann.watch(made["id"]), random.Random(1))
            record = events[-1]["game"]["finished"]["record"]
            assert (await ann.get(f"/api/records/{record}"))["seats"] == ["Ann", "Otis", "Wren", "Pike"]
            found = await ann.get(f"/api/records/{record}/result")
            assert [player["name"] for player in found["players"]] == ["Ann", "Otis", "Wren", "Pike"]
            server.live.context.cast = lambda count, _: ["Nobody"] * count
            again = await ann.post(f"/api/tables/{made['id']}/rematch")
            info = (await ann.get(f"/api/tables/{again['id']}"))["info"]
            assert names(info) == ["Ann", "Otis", "Wren", "Pike"]

    run(story())
