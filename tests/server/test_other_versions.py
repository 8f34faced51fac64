"""Logs that another version has written: unknown fields, unknown kinds of entries, other rules."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from lynxden.games.core import Outcome
from lynxden.games.registry import get_game
from lynxden.records import Recorder
from lynxden.server import admin
from lynxden.server.errors import Refusal
from lynxden.server.settings import Settings
from lynxden.server.store import games, tables
from lynxden.server.table import clocks, commands, entries, projections
from lynxden.server.table.chain import Chain
from lynxden.server.table.plans import USUAL_BOT, Plan, SeatPlan
from lynxden.server.table.state import read_log
from lynxden.server.table.story import story as in_words
from tests.server.kit import Client, Running, free_data, play_out, run, serving

NEWER = 99
"""A version of the rules that nobody has written yet."""


async def log_of(server: Running, table: str) -> list[str]:
    return [body for _, body in await server.live.context.store.read(tables.entries, table, 0)]


async def gone(server: Running, ann: Client, table: str) -> None:
    """Ann looks at the table no longer, and the log says so."""
    await ann.send({"type": "unwatch", "table": table})
    while not any('"gone"' in body for body in await log_of(server, table)):
        await asyncio.sleep(0.01)


async def changed(server: Running, table: str, bodies: list[str]) -> None:
    """Put another log in the place of a table's, as another version would have written it."""

    def write(tx: Any) -> None:
        tx.run("DELETE FROM entries WHERE table_id = ?", table)
        for number, body in enumerate(bodies, 1):
            tx.run("INSERT INTO entries (table_id, number, body) VALUES (?, ?, ?)", table, number, body)
        tx.run("UPDATE tables SET last = ? WHERE id = ?", len(bodies), table)

    await server.live.context.store.write(write)
    old = server.live.tables.loaded.pop(table, None)  # as after a restart
    if old is not None:
        old.stop()
        old.put_away = True


def with_rules(bodies: list[str], version: int) -> list[str]:
    first = json.loads(bodies[0])
    return [json.dumps({**first, "rules": version}), *bodies[1:]]


async def begun(server: Running, ann: Client, **options: Any) -> str:
    """Ann plays a few decisions against bots."""
    made = await ann.post("/api/play", {"game": "linko", "edition": "basic", "speed": "instant", **options})
    await ann.connect()
    table = await ann.watch(made["id"])
    while not (table.get("game") or {}).get("own", {}).get("legal"):
        table = await ann.next("happened", lambda message: "game" in message)
    seen = table.get("number") or table["what"]["number"]
    answer = await ann.act(made["id"], table["game"]["own"]["legal"][0], seen)
    assert answer["type"] == "ack"
    await gone(server, ann, made["id"])
    return str(made["id"])


# --- Fields -----------------------------------------------------------------------------------------------


def test_unknown_fields_are_passed_over() -> None:
    plan = Plan("linko", "classic", (SeatPlan(), SeatPlan("bot", "greedy")))
    created = json.loads(
        entries.encode(entries.Created(1, by="g", plan=plan, invite="i", names=("", "Moss")))
    )
    created["mood"] = "good"
    created["plan"]["music"] = True
    created["plan"]["clock"] = {"kind": "none", "colour": "red"}
    created["plan"]["seats"][0]["cushion"] = 3
    state = read_log(
        "t", [json.dumps(created), '{"kind":"sat","at":2,"seat":0,"guest":"g","name":"A","hat":1}']
    )
    assert state.plan == plan
    assert state.names == ("A", "Moss")
    assert not state.read_only
    acted = entries.decode(
        '{"kind":"acted","at":1,"seat":0,"action":"pass","outcome":'
        '{"reason":"x","scores":[1,2],"winners":[1],"applause":9}}'
    )
    assert isinstance(acted, entries.Acted)
    assert acted.outcome == Outcome("x", (1, 2), (1,))


def test_messages_from_clients_stay_strict(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Ann") as ann:
            for body in (
                {"clock": {"kind": "none", "colour": "red"}},
                {"seats": [{"kind": "open", "cushion": 3}, {"kind": "open"}]},
                {"mood": "good"},
            ):
                answer = await ann.ask("POST", "/api/tables", body)
                assert (answer.status_code, answer.json()["code"]) == (400, "malformed"), answer.text

    run(story())


# --- What was decided is in the entry ---------------------------------------------------------------------


def test_entries_hold_what_was_decided(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path), absence=0.05, alone=0.05) as server:
            ann, ben = await server.arrive("Ann"), await server.arrive("Ben")
            seats = [{"kind": "open"}, {"kind": "open"}, {"kind": "bot", "bot": "random"}]
            made = await ann.post("/api/tables", {"seats": seats, "edition": "basic", "speed": "instant"})
            await ben.post(f"/api/tables/{made['id']}/join", {"invite": made["invite"]})
            while not any('"stoodin"' in body for body in await log_of(server, made["id"])):
                await asyncio.sleep(0.02)
            await ben.post(f"/api/tables/{made['id']}/leave")
            while server.live.tables.loaded[made["id"]].state.phase != "over":
                await asyncio.sleep(0.02)
            found = [json.loads(body) for body in await log_of(server, made["id"])]
            by_kind: dict[str, Any] = {entry["kind"]: entry for entry in found}
            assert by_kind["created"]["names"][2]
            assert by_kind["stoodin"]["bot"] == USUAL_BOT
            assert by_kind["quit"]["bot"] == USUAL_BOT
            assert by_kind["acted"]["outcome"]["scores"]  # the last one ended the game
            assert sum("outcome" in entry for entry in found) == 1
            await ann.close()
            await ben.close()

    run(story())


def test_old_logs_say_what_they_meant() -> None:
    """Whatever bots are called today, and whichever sits in, the first version's logs keep theirs."""
    created = entries.decode(
        '{"kind":"created","at":1,"by":"g","invite":"i","plan":{"game":"linko","edition":"classic",'
        '"seats":[{"kind":"open"},{"kind":"bot","bot":"random"}]}}'
    )
    assert isinstance(created, entries.Created)
    assert (created.names, created.rules) == (("", "Random 2"), 1)
    assert entries.decode('{"kind":"filled","at":1,"seat":2,"bot":"greedy"}') == entries.Filled(
        1, 2, "greedy", "Greedy 3"
    )
    assert entries.decode('{"kind":"quit","at":1,"seat":2}') == entries.Quit(1, 2, "greedy")
    assert entries.decode('{"kind":"stoodin","at":1,"seat":2,"why":"time"}') == entries.StoodIn(
        1, 2, "time", "greedy"
    )


# --- Kinds of entries -------------------------------------------------------------------------------------


def test_entries_of_unknown_kinds_make_a_table_read_only(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Ann") as ann:
            table = await begun(server, ann)
            bodies = await log_of(server, table)
            bodies = [*bodies, '{"kind":"auctioned","at":5,"seat":0,"bid":7}']
            await changed(server, table, bodies)
            shown = await ann.watch(table)
            assert shown["info"]["read_only"] == "entries"
            assert shown["game"]["public"], "what came before is understood"
            legal = (shown["game"].get("own") or {}).get("legal") or ["pass"]
            answer = await ann.act(table, legal[0], shown["number"])
            assert (answer["type"], answer["code"]) == ("refused", "read-only")
            await check_untouched(server, ann, table, bodies)

    run(story())


async def check_untouched(server: Running, ann: Client, table: str, bodies: list[str]) -> None:
    """Nothing that anybody does changes a read-only table, nor does it get in the way of anything else."""
    for path, body in (
        ("leave", None), ("start", {}), ("close", None), ("rematch", None), ("join", {}),
    ):  # fmt: skip
        answer = await ann.ask("POST", f"/api/tables/{table}/{path}", body)
        assert answer.status_code in (200, 409), answer.text
        if answer.status_code == 409:
            assert answer.json()["code"] in ("read-only", "not-running"), answer.text
    answer = await ann.ask("PUT", f"/api/tables/{table}/spectators", {"open": False})
    assert answer.json()["code"] == "read-only"
    assert (await ann.ask("PATCH", "/api/me", {"name": "Anna"})).status_code == 200
    assert [row["id"] for row in (await ann.get("/api/me/tables"))["tables"]] == [table]
    await server.live.cluster._beat()
    await asyncio.sleep(0.1)  # a bot would have moved
    assert await log_of(server, table) == bodies
    assert not server.live.tables.loaded[table].leased
    assert (await ann.ask("DELETE", "/api/me")).status_code == 204
    assert await log_of(server, table) == bodies


@pytest.mark.parametrize(
    "body", ['{"kind":"stoodin","at":1,"seat":0,"why":"tired"}', '{"kind":"sat","at":1,"seat":"west"}']
)
def test_values_of_other_kinds_are_not_misread(body: str) -> None:
    assert isinstance(entries.decode(body), entries.Unknown)


@pytest.mark.parametrize("body", ["", "x", "[]", '{"kind":"sat"}', '{"at":1}', '{"at":"now","kind":"x"}'])
def test_what_is_no_entry_at_all_is_an_error(body: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        entries.decode(body)


# --- Rules ------------------------------------------------------------------------------------------------


def test_a_table_of_other_rules_is_shown_as_it_was(tmp_path: Path) -> None:
    """A match of which one game is over: seats, names, points and outcomes are there, the cards are not."""

    async def story() -> None:
        async with serving(free_data(tmp_path), pause=1000) as server, await server.arrive("Ann") as ann:
            made = await ann.post(
                "/api/play", {"game": "blocco", "players": 3, "rounds": 1, "speed": "instant"}
            )
            await ann.connect()
            await play_out(ann, await ann.watch(made["id"]), random.Random(1))
            before = (await ann.watch(made["id"]))["info"]
            await gone(server, ann, made["id"])
            bodies = with_rules(await log_of(server, made["id"]), NEWER)
            await changed(server, made["id"], bodies)
            shown = await ann.watch(made["id"])
            assert "game" not in shown
            assert shown["info"].pop("read_only") == "rules"
            assert shown["info"].pop("rules") == NEWER
            for seats in (before["seats"], shown["info"]["seats"]):
                for seat in seats:
                    seat.pop("here", None)
            assert shown["info"] == before
            answer = await ann.act(made["id"], "score", shown["number"])
            assert (answer["type"], answer["code"]) == ("refused", "read-only")
            assert any("acted" in what["kind"] for what in shown["missed"])
            await check_untouched(server, ann, made["id"], bodies)

    run(story())


@pytest.mark.parametrize(("key", "value"), [("game", "whist"), ("edition", "lunar")])
def test_a_game_that_is_not_there_is_no_fault(key: str, value: str) -> None:
    plan = json.loads(msgspec.json.encode(Plan("linko", "classic", (SeatPlan(), SeatPlan()))))
    plan[key] = value
    body = json.dumps({"kind": "created", "at": 1, "by": "g", "invite": "i", "plan": plan})
    state = read_log("t", [body, '{"kind":"dealt","at":2,"starter":0,"deal":{"moons":3}}'])
    assert (state.read_only, state.phase, state.round) == ("rules", "running", 1)
    assert clocks.due(state, Settings()) is None
    assert projections.row(state, Settings()).wake_at is None
    assert len(in_words("t", [body])) == 1
    with pytest.raises(Refusal, match="another version"):
        commands.carry_out(state, lambda _: [entries.Resumed(3)])


def test_if_the_log_says_another_outcome_the_log_is_right() -> None:
    game = get_game("blocco")
    plan = Plan("blocco", "standard", (SeatPlan("bot", "greedy"),) * 3)
    position = game.new("standard", 3, seed=5)
    log: list[entries.Entry] = [
        entries.Created(1, by="g", plan=plan, invite="i", names=("A", "B", "C")),
        entries.Dealt(2, 0, game.deal_of(position)),
    ]
    rng = random.Random(5)
    while position.seat is not None:
        seat, action = position.seat, str(rng.choice(position.legal_actions))
        position = position.apply(action)
        log.append(entries.Acted(3, seat, action, "bot", outcome=position.outcome))
    right = read_log("t", map(entries.encode, log))
    assert (right.phase, right.read_only, right.outcome) == ("over", "", position.outcome)
    assert position.outcome is not None
    other = Outcome("elsewhere", (3, 2, 1), (0,))
    wrong = [*log[:-1], msgspec.structs.replace(log[-1], outcome=other)]
    state = read_log("t", map(entries.encode, wrong))
    assert (state.phase, state.read_only, state.outcome, state.position) == ("over", "rules", other, None)


def test_a_replay_of_other_rules_is_refused_and_its_result_is_shown(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Ann") as ann:
            recorder = Recorder(get_game("blocco").new("standard", 3, seed=1), ("A", "B", "C"))
            rng = random.Random(1)
            while recorder.position.seat is not None:
                recorder.apply(rng.choice(recorder.position.legal_actions))
            record = recorder.record()
            made = await ann.post("/api/records", record.to_dict())
            found = await server.live.context.store.read(games.get, made["id"])
            assert found is not None
            other = replace(found, id="other", record=replace(record, rules=NEWER).to_json())
            await server.live.context.store.write(games.add_imported, other)
            answer = await ann.ask("GET", "/api/records/other/replay")
            assert (answer.status_code, answer.json()["code"]) == (409, "read-only")
            assert (await ann.get("/api/records/other"))["rules"] == NEWER
            result = await ann.get("/api/records/other/result")
            assert [player["score"] for player in result["players"]] == record.to_dict()["result"]["scores"]
            answer = await ann.ask("POST", "/api/records", replace(record, rules=NEWER).to_dict())
            assert (answer.status_code, answer.json()["code"]) == (400, "record")
            assert str(NEWER) in answer.json()["text"]

    run(story())


def test_an_administrator_is_told_of_other_versions(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Ann") as ann:
            table = await begun(server, ann)
            bodies = await log_of(server, table)
            store = server.live.context.store
            await changed(server, table, [*bodies, '{"kind":"auctioned","at":5}'])
            kept = await store.read(admin.kept, table)
            assert kept is not None
            assert any("does not know" in fault for fault in admin.check_table(kept, Settings()))
            assert in_words(table, [*bodies, '{"kind":"auctioned","at":5}'])[-1].text.endswith("(auctioned).")
            await changed(server, table, with_rules(bodies, NEWER))
            assert len(in_words(table, with_rules(bodies, NEWER))) == len(bodies)

    run(story())


# --- Lists that never change ------------------------------------------------------------------------------


def test_chains() -> None:
    import copy
    import pickle

    empty: Chain[int] = Chain()
    one = empty.add(1)
    two, other = one.add(2), one.add(3)
    assert (list(empty), list(one), list(two), list(other)) == ([], [1], [1, 2], [1, 3])
    assert (len(empty), len(two)) == (0, 2)
    assert list(reversed(two)) == [2, 1]
    assert two == Chain([1, 2]) != other
    assert hash(two) == hash(Chain([1, 2]))
    long = Chain(range(100_000))
    assert list(pickle.loads(pickle.dumps(long))) == list(range(100_000))
    assert copy.copy(long) == long
    assert repr(two) == "Chain([1, 2])"
