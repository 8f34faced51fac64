"""Tables from making them to playing again, over real sockets."""

from __future__ import annotations

import asyncio
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lynxden.games.registry import GAMES
from lynxden.records import read_record, verify
from lynxden.server.live.missed import RECENT
from tests.server import thinking
from tests.server.clock import FakeClock
from tests.server.kit import Client, Message, Running, free_data, play_out, run, serving

OPEN = {"kind": "open"}
INVITED = {"kind": "invited"}
BOT = {"kind": "bot", "bot": "greedy"}
CALM: dict[str, Any] = {"beat": 600.0, "lease": 2400.0}
"""For long waits: few heartbeats."""


async def seated(server: Running, *names: str, **options: Any) -> tuple[list[Client], str]:
    """People at one table that has started, all watching it."""
    people = [await server.arrive(name) for name in names]
    seats = options.pop("seats", [OPEN] * len(people))
    made = await people[0].post("/api/tables", {"seats": seats, "speed": "instant", **options})
    for person in people[1:]:
        await person.post(f"/api/tables/{made['id']}/join", {"invite": made["invite"]})
    for person in people:
        await person.connect()
        await person.watch(made["id"])
    return people, made["id"]


async def drop(server: Running, person: Client, table: str) -> None:
    """Somebody's connection is lost, and the server has noticed it."""
    assert person.socket is not None
    await person.socket.close()
    viewers = server.live.tables.loaded[table].viewers
    while any(viewer.guest.id == person.id for viewer in viewers):
        await asyncio.sleep(0.001)


async def leave_all(people: list[Client]) -> None:
    for person in people:
        await person.close()


async def until(client: Client, table: str, true: Any) -> Message:
    """Ask until the table is as wanted."""
    while True:
        found: Message = await client.get(f"/api/tables/{table}")
        if true(found):
            return found
        await asyncio.sleep(0.02)


# --- The lobby ------------------------------------------------------------------------------------------


def test_a_table_is_made_listed_joined_and_starts_when_full(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            async with await server.arrive("Ann") as ann, await server.arrive("Ben") as ben:
                await ben.connect()
                await ben.send({"type": "lobby"})
                assert (await ben.next("lobby"))["tables"] == []
                body = {"game": "linko", "edition": "classic", "seats": [OPEN, OPEN], "public": True}
                made = await ann.post("/api/tables", body)
                (row,) = (await ben.next("lobby"))["tables"]
                assert row["id"] == made["id"]
                assert [seat["kind"] for seat in row["seats"]] == ["person", "open"]
                assert await ben.get("/api/tables") == {"tables": [row]}
                joined = await ben.post(f"/api/tables/{made['id']}/join", {})
                assert joined["seat"] == 1
                assert (await ben.next("lobby"))["tables"] == [], "a table that started is no longer listed"
                shown = await ben.get(f"/api/tables/{made['id']}")
                assert shown["info"]["phase"] == "running"
                assert shown["seat"] == 1
                assert shown["game"]["own"]["hand"]
                mine = (await ben.get("/api/me/tables"))["tables"]
                assert [(row["id"], row["deciding"]) for row in mine] == [(made["id"], 0)]

    run(story())


@pytest.mark.parametrize("name", GAMES)
def test_play_now_starts_at_once_in_every_edition(tmp_path: Path, name: str) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            await ann.connect()
            for edition in GAMES[name].editions:
                made = await ann.post("/api/play", {"game": name, "edition": edition, "speed": "instant"})
                table = await ann.watch(made["id"])
                assert table["info"]["phase"] == "running"
                assert table["info"]["edition"] == edition
                events = await play_out(ann, table, random.Random(1))
                finished = events[-1]["game"]["finished"]
                assert events[-1]["info"]["phase"] == "over"
                parts = [sum(part["points"] for part in seat) for seat in finished["breakdown"]]
                assert parts == finished["outcome"]["scores"]
                answer = await ann.ask("GET", f"/api/records/{finished['record']}?download=true")
                assert answer.headers["content-disposition"].endswith(f'{finished["record"]}.jsonl"')
                record = read_record(answer.text)
                assert verify(record) > 0
                assert record.result is not None
                assert record.result["scores"] == finished["outcome"]["scores"]

    run(story())


def test_seats_are_open_invited_or_a_bot(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path), services={"cast": lambda count, taken: ["Tansy"]}) as server:
            async with await server.arrive("Ann") as ann, await server.arrive("Ben") as ben:
                made = await ann.post(
                    "/api/tables", {"edition": "basic", "seats": [OPEN, BOT, INVITED], "public": True}
                )
                path = f"/api/tables/{made['id']}/join"
                for body in ({}, {"seat": 2}, {"seat": 1, "invite": made["invite"]}, {"seat": 0}):
                    answer = await ben.ask("POST", path, body)
                    assert (answer.status_code, answer.json()["code"]) == (409, "seat-taken"), body
                assert (await ben.post(path, {"invite": made["invite"]}))["seat"] == 2
                shown = await ann.get(f"/api/tables/{made['id']}")
                assert [seat["name"] for seat in shown["info"]["seats"]] == ["Ann", "Tansy", "Ben"]

    run(story())


def test_the_host_starts_early_with_bots_in_the_empty_seats(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            async with await server.arrive("Ann") as ann, await server.arrive("Ben") as ben:
                made = await ann.post("/api/tables", {"seats": [OPEN] * 4, "speed": "slow"})
                path = f"/api/tables/{made['id']}"
                await ben.post(f"{path}/join", {"invite": made["invite"]})
                answer = await ben.ask("POST", f"{path}/start", {})
                assert (answer.status_code, answer.json()["code"]) == (403, "not-host")
                answer = await ann.ask("POST", f"{path}/start", {"bot": "genius"})
                assert (answer.status_code, answer.json()["code"]) == (400, "options")
                await ann.post(f"{path}/start", {"bot": "random"})
                info = (await ann.get(path))["info"]
                assert info["phase"] == "running"
                assert [seat.get("bot") for seat in info["seats"]] == [None, None, "random", "random"]
                answer = await ann.ask("POST", f"{path}/start", {})
                assert answer.json()["code"] == "not-running"

    run(story())


def test_people_leave_before_the_start(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            async with await server.arrive("Ann") as ann, await server.arrive("Ben") as ben:
                made = await ann.post("/api/tables", {"seats": [OPEN] * 3, "public": True})
                path = f"/api/tables/{made['id']}"
                await ben.post(f"{path}/join", {"seat": 2})
                assert (await ben.post(f"{path}/leave"))["seat"] is None
                assert [seat["kind"] for seat in (await ann.get(path))["info"]["seats"]] == [
                    "person",
                    "open",
                    "open",
                ]
                await ann.post(f"{path}/leave")
                assert (await ann.get(path))["info"]["phase"] == "closed"
                assert (await ben.get("/api/tables"))["tables"] == []
                answer = await ben.ask("POST", f"{path}/join", {})
                assert answer.json()["code"] == "seat-taken"

    run(story())


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"game": "chess"}, "chess"),
        ({"edition": "huge"}, "no edition 'huge'"),
        ({"edition": "duel", "seats": [OPEN] * 3}, "for 2 players"),
        ({"seats": [BOT, BOT]}, "at least one seat"),
        ({"seats": [OPEN, {"kind": "bot", "bot": "genius"}]}, "no bot 'genius'"),
        ({"seats": [OPEN, {"kind": "open", "bot": "greedy"}]}, "names no bot"),
        ({"seats": [OPEN, {"kind": "bot"}]}, "bot"),
        ({"clock": {"kind": "decision", "seconds": 0}}, "clock"),
        ({"rounds": 99}, "rounds"),
        ({"speed": "warp"}, "speed"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_plans_that_cannot_be_played_are_refused(tmp_path: Path, body: Message, words: str) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            answer = await ann.ask("POST", "/api/tables", body)
            assert answer.status_code == 400
            assert words in answer.json()["text"]
            assert (await ann.get("/api/me/tables"))["tables"] == []

    run(story())


# --- Playing --------------------------------------------------------------------------------------------


def test_an_action_is_acknowledged_and_told_to_each_through_their_own_view(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            people, table = await seated(server, "Ann", "Ben", edition="classic")
            ann, ben = people
            spectator = await server.arrive("Eve")
            await spectator.connect()
            shown = await ann.get(f"/api/tables/{table}")
            invite = shown["info"]["invite"]
            watched = await spectator.watch(table, invite=invite)
            assert "seat" not in watched
            assert "own" not in watched["game"]
            assert "invite" not in watched["info"]
            seen = shown["number"]
            action = shown["game"]["own"]["legal"][0]
            ack = await ann.act(table, action, seen, key="first")
            assert (ack["type"], ack["id"], ack["number"]) == ("ack", "first", seen + 1)
            hands = []
            for person in (ann, ben, spectator):
                message = await person.happened("acted")
                assert message["what"]["number"] == seen + 1
                assert message["what"]["events"][0]["kind"] == "plays"
                hands.append(message["game"].get("own", {}).get("hand"))
            assert hands[0] != hands[1]
            assert hands[2] is None
            again = await ann.act(table, action, seen, key="first")
            assert again == ack
            assert (await ann.get(f"/api/tables/{table}"))["number"] == seen + 1
            stale = await ann.act(table, action, seen, key="second")
            assert (stale["code"], stale["id"]) == ("stale", "second")
            await leave_all([*people, spectator])

    run(story())


def test_whoever_reconnects_gets_the_rest(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            people, table = await seated(server, "Ann", "Ben", edition="classic")
            rng = random.Random(4)
            told: list[Message] = []
            for _ in range(8):
                shown = [await person.get(f"/api/tables/{table}") for person in people]
                seat = shown[0]["game"]["public"]["seat"]
                action = rng.choice(shown[seat]["game"]["own"]["legal"])
                assert (await people[seat].act(table, action, shown[0]["number"]))["type"] == "ack"
                told += [(await person.happened("acted"))["what"] for person in people][:1]
            assert people[0].socket is not None
            await people[0].socket.close()
            await people[0].connect()
            assert len(server.live.tables.loaded[table]._history._recent) == RECENT < 7
            for missed in (7, 2):  # the game is replayed; the server still has it in memory
                fresh = await people[0].watch(table, seen=told[-1 - missed]["number"])
                assert fresh["number"] >= told[-1]["number"]
                again = [what for what in fresh["missed"] if what["kind"] == "acted"]
                assert again == told[-missed:], "the same events, as they were told before"
            nothing = await people[0].watch(table, seen=fresh["number"])
            assert "missed" not in nothing
            await leave_all(people)

    run(story())


def test_a_match_moves_the_start_and_adds_up(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path), pause=1000.0) as server, await server.arrive() as ann:
            made = await ann.post(
                "/api/play", {"edition": "classic", "players": 2, "rounds": 1, "speed": "instant"}
            )
            await ann.connect()
            table = await ann.watch(made["id"])
            assert table["info"]["length"] == 2
            first = (await play_out(ann, table, random.Random(1)))[-1]
            assert first["info"]["phase"] == "running"
            assert made["id"] not in first["game"]["finished"]["record"], "a record names its table"
            assert first["info"]["totals"] == first["game"]["finished"]["outcome"]["scores"]
            await ann.send({"type": "ready", "table": made["id"]})
            dealt = await ann.happened("dealt")
            assert dealt["game"]["public"]["active"] == 1, "the start has moved on"
            table = await ann.get(f"/api/tables/{made['id']}")
            await ann.next("happened", lambda m: m["what"]["number"] == table["number"]) if table[
                "number"
            ] > dealt["what"]["number"] else None
            last = (await play_out(ann, table, random.Random(2)))[-1]
            info = last["info"]
            assert info["phase"] == "over"
            assert [
                sum(scores) for scores in zip(*(o["scores"] for o in info["outcomes"]), strict=True)
            ] == info["totals"]
            assert {game["id"] for game in await ann.get("/api/me/games")} == {
                game["game"]["finished"]["record"] for game in (first, last)
            }

    run(story())


def test_a_rematch_keeps_people_and_options_and_moves_the_start(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            people, table = await seated(server, "Ann", "Ben", edition="classic", speed="fast")
            ann, ben = people
            answer = await ann.ask("POST", f"/api/tables/{table}/rematch")
            assert answer.json()["code"] == "not-running"
            await finish(people, table)
            one, two = await asyncio.gather(*(p.post(f"/api/tables/{table}/rematch") for p in people))
            assert one["id"] == two["id"] != table
            shown = await until(ann, one["id"], lambda found: found["info"]["phase"] == "running")
            assert shown["game"]["public"]["active"] == 1
            assert [seat["name"] for seat in shown["info"]["seats"]] == ["Ann", "Ben"]
            assert shown["info"]["speed"] == "fast"
            assert (await ben.get(f"/api/tables/{table}"))["info"]["rematch"] == one["id"]
            await leave_all(people)

    run(story())


async def decide(people: list[Client], table: str) -> int:
    """Whoever is asked does the first thing that is legal; their seat."""
    seat: int = (await people[0].get(f"/api/tables/{table}"))["game"]["public"]["seat"]
    shown = await people[seat].get(f"/api/tables/{table}")
    answer = await people[seat].act(table, shown["game"]["own"]["legal"][0], shown["number"])
    assert answer["type"] == "ack", answer
    return seat


async def finish(people: list[Client], table: str, seed: int = 0) -> Message:
    """Everybody plays random legal actions to the end."""
    rng = random.Random(seed)
    while True:
        shown = await people[0].get(f"/api/tables/{table}")
        if shown["game"].get("finished"):
            return dict(shown)
        seat = shown["game"]["public"]["seat"]
        own = await people[seat].get(f"/api/tables/{table}")
        if own["number"] == shown["number"]:
            await people[seat].act(table, rng.choice(own["game"]["own"]["legal"]), own["number"])


# --- Clocks and absence ---------------------------------------------------------------------------------


def test_when_the_time_runs_out_a_bot_sits_in_until_the_player_is_back(tmp_path: Path) -> None:
    async def story() -> None:
        time = FakeClock()
        clock = {"kind": "decision", "seconds": 30}
        async with serving(free_data(tmp_path), clock=time) as server:
            people, table = await seated(server, "Ann", "Ben", edition="classic", clock=clock)
            ann, ben = people
            await time.advance(29.9)
            shown = await ann.get(f"/api/tables/{table}")
            assert shown["game"]["clock"] == {"seat": 0, "left": 100}
            assert "stand_in" not in shown["info"]["seats"][0]
            await time.advance(0.1)
            stood = await ben.happened("stoodin")
            assert (stood["what"]["seat"], stood["what"]["by"]) == (0, "time")
            assert stood["info"]["seats"][0]["stand_in"] == "time"
            acted = await ben.happened("acted")
            assert (acted["what"]["seat"], acted["what"]["by"]) == (0, "stand-in")
            await ann.send({"type": "back", "table": table})
            back = await ben.happened("back")
            assert back["what"]["seat"] == 0
            assert "stand_in" not in back["info"]["seats"][0]
            await leave_all(people)

    run(story())


def test_a_bank_runs_down_and_is_topped_up(tmp_path: Path) -> None:
    async def story() -> None:
        time = FakeClock()
        clock = {"kind": "bank", "seconds": 60, "increment": 2}
        async with serving(free_data(tmp_path), clock=time) as server:
            people, table = await seated(server, "Ann", "Ben", edition="classic", clock=clock)
            ann, _ = people
            shown = await ann.get(f"/api/tables/{table}")
            assert shown["game"]["clock"] == {"seat": 0, "left": 62_000, "banks": [62_000, 60_000]}
            await time.advance(10)
            shown = await ann.get(f"/api/tables/{table}")
            assert shown["game"]["clock"]["left"] == 52_000
            await ann.act(table, shown["game"]["own"]["legal"][0], shown["number"])
            clock_now = (await ann.happened("acted"))["game"]["clock"]
            assert clock_now["banks"] == [52_000, 62_000]
            await leave_all(people)

    run(story())


def test_a_bot_sits_in_for_who_is_gone_and_gives_the_seat_back_at_once(tmp_path: Path) -> None:
    async def story() -> None:
        time = FakeClock()
        async with serving(free_data(tmp_path), clock=time, grace=10.0, absence=180.0, **CALM) as server:
            people, table = await seated(server, "Ann", "Ben", edition="classic")
            ann, ben = people
            await drop(server, ann, table)
            await time.advance(9.9)
            assert (await ben.get(f"/api/tables/{table}"))["info"]["seats"][0]["here"] is True
            await time.advance(0.1)
            assert (await ben.happened("gone"))["info"]["seats"][0].get("here") is None
            await time.advance(179.9)
            assert "stand_in" not in (await ben.get(f"/api/tables/{table}"))["info"]["seats"][0]
            await time.advance(0.1)
            stood = await ben.happened("stoodin")
            assert stood["what"]["by"] == "absent"
            seen = stood["what"]["number"]
            await ben.happened("acted")
            await ann.connect()
            fresh = await ann.watch(table, seen=seen)
            assert any(what["by"] == "stand-in" for what in fresh["missed"] if what["kind"] == "acted"), (
                "a recap"
            )
            back = await ben.happened("back")
            assert back["what"]["seat"] == 0
            assert back["info"]["seats"][0]["here"] is True
            await leave_all(people)

    run(story())


def test_alone_against_bots_nobody_is_hurried(tmp_path: Path) -> None:
    async def story() -> None:
        time = FakeClock()
        settings: dict[str, Any] = {"absence": 180.0, "idle": 180.0, "alone": 3600.0}
        async with serving(free_data(tmp_path), clock=time, **settings, **CALM) as server:
            async with await server.arrive() as ann:
                made = await ann.post("/api/play", {"players": 2, "speed": "instant"})
                before = await ann.get(f"/api/tables/{made['id']}")
                await time.advance(3599)
                assert (await ann.get(f"/api/tables/{made['id']}"))["number"] == before["number"]
                await ann.connect()
                await ann.watch(made["id"])  # being there is enough
                await time.advance(24 * 3600)
                shown = await ann.get(f"/api/tables/{made['id']}")
                assert shown["number"] == before["number"] + 1, "she came, and nothing else"

    run(story())


def test_a_connected_player_who_does_nothing_is_replaced_when_others_wait(tmp_path: Path) -> None:
    async def story() -> None:
        time = FakeClock()
        async with serving(free_data(tmp_path), clock=time, idle=180.0, **CALM) as server:
            people, table = await seated(server, "Ann", "Ben", edition="classic", speed="slow")
            ann, ben = people
            await time.advance(179.9)
            assert "stand_in" not in (await ben.get(f"/api/tables/{table}"))["info"]["seats"][0]
            await time.advance(0.1)
            assert (await ben.happened("stoodin"))["what"]["by"] == "idle"
            assert (await ben.happened("acted"))["what"]["by"] == "stand-in"
            await ann.send({"type": "back", "table": table})
            assert (await ben.happened("back"))["what"]["seat"] == 0
            await time.advance(180)  # Ben does nothing either
            assert (await ben.happened("stoodin"))["what"]["seat"] == 1
            assert (await ben.happened("acted"))["what"]["by"] == "stand-in"
            deciding = 0
            while deciding == 0:
                deciding = await decide(people, table)
            assert deciding == 1, "the bot takes its time, and Ben comes before it"
            assert (await ann.happened("back"))["what"]["seat"] == 0
            assert (await ann.happened("back"))["what"]["seat"] == 1, "acting is enough to be back"
            await leave_all(people)

    run(story())


def test_who_leaves_for_good_hands_the_seat_to_a_bot_and_the_game_is_finished(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            people, table = await seated(server, "Ann", "Ben", edition="classic")
            ann, ben = people
            for person in people:
                await person.post(f"/api/tables/{table}/leave")
            shown = await until(ben, table, lambda found: found["info"]["phase"] == "over")
            assert [seat["quit"] for seat in shown["info"]["seats"]] == [True, True]
            assert "seat" not in shown or shown["seat"] is None
            answer = await ann.act(table, "take", shown["number"])
            assert answer["code"] == "no-seat"
            (game,) = await ann.get("/api/me/games")
            assert [player["name"] for player in game["players"]] == ["Ann", "Ben"]
            await leave_all(people)

    run(story())


def test_an_open_table_that_everybody_has_left_is_closed(tmp_path: Path) -> None:
    async def story() -> None:
        time = FakeClock()
        async with serving(free_data(tmp_path), clock=time, empty=600.0, **CALM) as server:
            async with await server.arrive() as ann:
                made = await ann.post("/api/tables", {"public": True})
                await time.advance(599)
                assert (await ann.get(f"/api/tables/{made['id']}"))["info"]["phase"] == "open"
                await time.advance(1)
                shown = await ann.get(f"/api/tables/{made['id']}")
                assert (shown["info"]["phase"], shown["number"]) == ("closed", 3)

    run(story())


# --- Spectators, chat, history --------------------------------------------------------------------------


def test_the_host_closes_the_table_to_spectators(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            people, table = await seated(server, "Ann", "Ben", edition="classic", public=True)
            eve = await server.arrive("Eve")
            await eve.connect()
            await eve.watch(table)
            answer = await people[1].ask("PUT", f"/api/tables/{table}/spectators", {"open": False})
            assert answer.json()["code"] == "not-host"
            await people[0].ask("PUT", f"/api/tables/{table}/spectators", {"open": False})
            assert (await eve.next("refused"))["code"] == "no-spectators"
            await eve.send({"type": "watch", "table": table})
            assert (await eve.next("refused"))["code"] == "no-spectators"
            assert (await eve.ask("GET", f"/api/tables/{table}")).status_code == 403
            await leave_all([*people, eve])

    run(story())


def test_after_the_end_everybody_sees_everything(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            people, table = await seated(server, "Ann", "Ben", edition="classic", public=True)
            await finish(people, table)
            eve = await server.arrive("Eve")
            shown = await eve.get(f"/api/tables/{table}")
            finished = shown["game"]["finished"]
            assert len(finished["revealed"]["hands"]) == 2
            assert finished["revealed"]["deck"]
            record = await eve.ask("GET", f"/api/records/{finished['record']}")
            assert verify(read_record(record.text)) > 0
            await leave_all([*people, eve])

    run(story())


def test_chat_phrases_and_mutes(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            people, table = await seated(server, "Ann", "Ben", edition="classic", public=True)
            ann, ben = people
            eve = await server.arrive("Eve")
            await eve.connect()
            await eve.watch(table)
            await ann.send({"type": "say", "table": table, "text": "  <b>hi</b>\u202e  there "})
            for person in (ann, ben, eve):
                line = (await person.next("chat"))["line"]
                assert (line["name"], line["text"], line["number"]) == ("Ann", "<b>hi</b> there", 1)
            await eve.send({"type": "say", "table": table, "text": "take the seven!"})
            assert (await eve.next("refused"))["code"] == "no-seat"
            await ben.ask("PUT", f"/api/me/mutes/{ann.id}")
            await ann.send({"type": "say", "table": table, "phrase": "well-played"})
            await ben.send({"type": "say", "table": table, "text": "quiet"})
            lines = [(await ann.next("chat"))["line"] for _ in range(2)]
            assert lines[0]["phrase"] == "well-played"
            assert (await ben.next("chat"))["line"]["text"] == "quiet", "what Ann said is not heard"
            fresh = await eve.watch(table)
            assert [line["number"] for line in fresh["chat"]] == [1, 2, 3]
            await ann.send({"type": "say", "table": table, "phrase": "rude"})
            assert (await ann.next("refused"))["code"] == "options"
            await leave_all([*people, eve])

    run(story())


def test_games_among_people_are_rated_and_others_are_not(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            people, table = await seated(server, "Ann", "Ben", edition="classic")
            shown = await finish(people, table)
            winners = shown["game"]["finished"]["outcome"]["winners"]
            ratings = [(await person.get("/api/me/ratings"))[0] for person in people]
            assert [rating["games"] for rating in ratings] == [1, 1]
            if len(winners) == 1:  # not a draw
                assert ratings[winners[0]]["rating"] > ratings[1 - winners[0]]["rating"]
            profile = await people[0].get(f"/api/players/{people[1].id}")
            assert (profile["name"], profile["ratings"]) == ("Ben", [ratings[1]])
            with_bots, bots_table = await seated(
                server, "Cleo", "Dan", seats=[OPEN, OPEN, BOT], edition="basic"
            )
            for person in with_bots:
                await person.post(f"/api/tables/{bots_table}/leave")
            await until(with_bots[0], bots_table, lambda found: found["info"]["phase"] == "closed")
            assert await with_bots[0].get("/api/me/ratings") == []
            await leave_all([*people, *with_bots])

    run(story())


def test_records_are_imported_once_they_are_right(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            people, table = await seated(server, "Ann", "Ben", edition="classic")
            await finish(people, table)
            (game,) = await people[0].get("/api/me/games")
            record = await people[0].get(f"/api/records/{game['id']}")
            imported = await people[1].post("/api/records", record)
            again = await people[1].get(f"/api/records/{imported['id']}")
            assert again == record
            (first, *_) = await people[1].get("/api/me/games")
            assert (first["id"], first["imported"], first["rated"]) == (imported["id"], True, False)
            broken = {**record, "result": {**record["result"], "scores": [99, 0]}}
            answer = await people[1].ask("POST", "/api/records", broken)
            assert (answer.status_code, answer.json()["code"]) == (400, "record")
            unfinished = {key: value for key, value in record.items() if key != "result"} | {"actions": []}
            assert "finished" in (await people[1].ask("POST", "/api/records", unfinished)).json()["text"]
            await leave_all(people)

    run(story())


def test_a_new_name_shows_at_the_table(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            people, table = await seated(server, "Ann", "Ben", edition="classic")
            await people[0].ask("PATCH", "/api/me", {"name": "Anna"})
            assert (await people[1].happened("renamed"))["info"]["seats"][0]["name"] == "Anna"
            await people[0].send({"type": "say", "table": table, "text": "hi"})
            assert (await people[1].next("chat"))["line"]["name"] == "Anna"
            await leave_all(people)

    run(story())


def test_who_is_forgotten_leaves_no_trace_but_their_games(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            people, _table = await seated(server, "Ann", "Ben", edition="classic")
            ann, ben = people
            assert (await ann.ask("DELETE", "/api/me")).status_code == 204
            assert (await ben.happened("quit"))["what"]["seat"] == 0
            assert (await ann.ask("GET", "/api/me")).status_code == 401
            assert (await ben.ask("GET", f"/api/players/{ann.id}")).status_code == 404
            await leave_all(people)

    run(story())


# --- Bots -----------------------------------------------------------------------------------------------


def test_a_slow_bot_blocks_nobody_else(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path), workers=2) as server:
            server.live.thinkers.choose = thinking.slow
            async with await server.arrive("Ann") as ann, await server.arrive("Ben") as ben:
                now = asyncio.get_running_loop().time
                slow = await ann.post(
                    "/api/play", {"edition": "classic", "bots": ["random"], "speed": "instant"}
                )
                await ann.connect()
                shown = await ann.watch(slow["id"])
                await ann.act(slow["id"], shown["game"]["own"]["legal"][0], shown["number"])
                asked = now()
                made = await ben.post("/api/play", {"bots": ["greedy", "greedy"], "speed": "instant"})
                await ben.connect()
                await play_out(ben, await ben.watch(made["id"]), random.Random(1))
                assert now() - asked < 10
                await ann.next("happened", lambda message: message["what"].get("by") == "bot")
                assert now() - asked >= thinking.SLOW, "it was not slow"

    run(story())


def by_bot(table: str, message: Message) -> bool:
    return bool(message["table"] == table and message["what"].get("by") == "bot")


def test_a_bot_that_fails_or_dawdles_is_replaced(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    troubles = (
        (thinking.broken, "bot random failed"),
        (thinking.slow, "bot random thought too long"),
        (
            thinking.gone,
            "bot random could not be asked: a part of the server failed; try again (the worker ended)",
        ),
    )

    async def story() -> None:
        async with serving(free_data(tmp_path), bot_limit=1.5) as server, await server.arrive() as ann:
            await ann.connect()
            for choose, words in troubles:
                server.live.thinkers.choose = choose
                made = await ann.post(
                    "/api/play", {"edition": "classic", "bots": ["random"], "speed": "instant"}
                )
                shown = await ann.watch(made["id"])
                await ann.act(made["id"], shown["game"]["own"]["legal"][0], shown["number"])
                acted = await ann.next("happened", partial(by_bot, made["id"]))
                assert acted["what"]["seat"] == 1
                assert words in caplog.messages

    run(story())
    with_tracebacks = {record.message for record in caplog.records if record.exc_info}
    assert with_tracebacks == {"bot random failed"}, "the only one that is a fault of the program"
