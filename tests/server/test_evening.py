"""An evening with friends: who takes a bot's seat, what a rematch keeps, and pauses."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from lynxden.server.live.actor import LiveTable
from lynxden.server.store import bans
from lynxden.server.table import entries
from lynxden.server.table.state import read_log
from tests.server.clock import FakeClock
from tests.server.kit import Client, Message, Running, free_data, play_out, run, serving

OPEN = {"kind": "open"}
BOT = {"kind": "bot", "bot": "random"}
MATCH: dict[str, Any] = {"seats": [OPEN, BOT], "edition": "classic", "speed": "instant", "rounds": 1}
"""Two games, against a bot."""


async def made(ann: Client, **plan: Any) -> tuple[str, str]:
    table = await ann.post("/api/tables", {**MATCH, **plan})
    return table["id"], table["invite"]


async def info(client: Client, table: str) -> Message:
    found: Message = (await client.get(f"/api/tables/{table}"))["info"]
    return found


async def first_game(ann: Client, table: str, seed: int = 1) -> None:
    """Ann plays a game to its end."""
    if ann.socket is None:
        await ann.connect()
    await play_out(ann, await ann.watch(table), random.Random(seed))


async def fresh(client: Client, table: str) -> Message:
    """The table as it is, without what was sent before."""
    shown = await client.watch(table)
    client._waiting = [
        each for each in client._waiting if each.get("what", {}).get("number", 0) > shown["number"]
    ]
    return shown


# --- Seats of bots --------------------------------------------------------------------------------------


def test_a_friend_takes_over_a_bot_between_games(database_url: str) -> None:
    async def story() -> None:
        async with (
            serving(database_url, pause=1000) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Ben") as ben,
            await server.arrive("Eve") as eve,
        ):
            table, invite = await made(ann, public=True)
            await first_game(ann, table)
            refused = await eve.ask("POST", f"/api/tables/{table}/join", {})
            assert (refused.status_code, refused.json()["code"]) == (409, "seat-taken"), "without the link"
            taken = await ann.ask("POST", f"/api/tables/{table}/join", {"seat": 1, "invite": invite})
            assert taken.json()["seat"] == 0, "whoever sits there stays where they are"
            joined = await ben.post(f"/api/tables/{table}/join", {"invite": invite})
            assert joined["seat"] == 1
            seats = (await info(ann, table))["seats"]
            assert [seat["name"] for seat in seats] == ["Ann", "Ben"]
            assert seats[1]["kind"] == "person"
            assert "bot" not in seats[1]
            full = await eve.ask("POST", f"/api/tables/{table}/join", {"invite": invite})
            assert full.json()["code"] == "seat-taken"
            # The next game waits for him, too, and he has its cards.
            await ben.connect()
            await ben.watch(table)
            await asyncio.sleep(0.1)
            for person in (ann, ben):
                await person.send({"type": "ready", "table": table})
            await ben.happened("dealt")
            shown = await ben.watch(table)
            assert shown["seat"] == 1
            assert shown["game"]["own"]["hand"]
            log = await server.live.context.store.read(_bodies, table)
            assert read_log(table, log) == server.live.tables.loaded[table].state

    run(story())


def _bodies(tx: Any, table: str) -> list[str]:
    rows = tx.all("SELECT body FROM entries WHERE table_id = ? ORDER BY number", table)
    return [body for (body,) in rows]


def test_a_friend_waits_for_the_next_game(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path), pause=0.01) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Ben") as ben,
            await server.arrive("Eve") as eve,
        ):
            table, invite = await made(ann)
            await ben.connect()
            before = await ben.watch(table, invite=invite)
            assert "own" not in before["game"]
            assert (await ben.post(f"/api/tables/{table}/join", {"invite": invite}))["seat"] is None
            assert (await ben.post(f"/api/tables/{table}/join", {"invite": invite}))["seat"] is None
            seat = (await info(ann, table))["seats"][1]
            assert (seat["kind"], seat["next"], seat["next_guest"]) == ("bot", "Ben", ben.id)
            other = await eve.ask("POST", f"/api/tables/{table}/join", {"invite": invite})
            assert other.json()["code"] == "seat-taken", "one person waits for a seat"
            # He thinks better of it, and once more.
            await ben.post(f"/api/tables/{table}/leave")
            assert "next" not in (await info(ann, table))["seats"][1]
            await ben.post(f"/api/tables/{table}/join", {"invite": invite})
            await first_game(ann, table)
            await ben.happened("sat")
            await ben.happened("dealt")
            shown = await ben.watch(table)
            assert shown["seat"] == 1
            assert shown["game"]["own"]["hand"]

    run(story())


def test_the_host_removes_who_waits(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path)) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Ben") as ben,
        ):
            table, invite = await made(ann)
            await ben.connect()
            await ben.watch(table, invite=invite)
            await ben.post(f"/api/tables/{table}/join", {"invite": invite})
            await ann.post(f"/api/tables/{table}/remove", {"guest": ben.id})
            assert (await ben.next("refused"))["code"] == "removed"
            again = await ben.ask("POST", f"/api/tables/{table}/join", {"invite": invite})
            assert again.json()["code"] == "removed"

    run(story())


def test_what_an_invitation_is_good_for(tmp_path: Path) -> None:
    """Also at a table that is closed to spectators."""

    async def story() -> None:
        async with (
            serving(free_data(tmp_path), pause=1000) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Ben") as ben,
            await server.arrive("Eve") as eve,
        ):
            table, invite = await made(ann, spectators=False, seats=[OPEN, OPEN, BOT])

            async def use(client: Client, secret: str = invite) -> str:
                found = await client.ask("POST", f"/api/tables/{table}/invitation", {"invite": secret})
                return str(found.json().get("use", found.json().get("code")))

            assert await use(eve, "") == "not-found"
            assert await use(ben) == "sit"
            await ben.post(f"/api/tables/{table}/join", {"invite": invite})
            assert (await use(ben), await use(eve)) == ("seated", "wait")
            await ben.post(f"/api/tables/{table}/leave")  # a bot has his seat
            await eve.post(f"/api/tables/{table}/join", {"invite": invite})
            assert (await use(eve), await use(ben)) == ("waiting", "wait")
            refused = await eve.ask("GET", f"/api/tables/{table}?invite={invite}")
            assert refused.json()["code"] == "no-spectators", "she sees no card before she plays"
            await eve.post(f"/api/tables/{table}/leave")
            await first_game(ann, table)
            assert await use(eve) == "sit"
            for person in (ben, eve):
                await person.post(f"/api/tables/{table}/join", {"invite": invite})
            async with await server.arrive("Tom") as tom:
                assert await use(tom) == "none"
                await ann.ask("PUT", f"/api/tables/{table}/spectators", {"open": True})
                assert await use(tom) == "watch"
            about = await eve.post(f"/api/tables/{table}/invitation", {"invite": invite})
            assert (about["game"], about["host"], about["phase"]) == ("linko", "Ann", "running")

    run(story())


@pytest.mark.parametrize("how", ["banned", "deleted"])
def test_who_is_banned_or_deleted_waits_in_vain(tmp_path: Path, how: str) -> None:
    async def story() -> None:
        data = free_data(tmp_path)
        async with (
            serving(data, pause=0.01) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Ben") as ben,
        ):

            async def go() -> None:
                if how == "deleted":
                    assert (await ben.ask("DELETE", "/api/me")).status_code < 300
                    return
                house, store = server.live.context.house, server.live.context.store
                await store.write(bans.add, bans.Ban(ben.id, "guest", "Ben", "", 0, None))
                await server.live.moderation.follow()
                assert house.ban_of(ben.id, 1)

            match, single = await made(ann), await made(ann, rounds=0)
            await first_game(ann, single[0])
            for table, invite in (match, single):
                await ben.post(f"/api/tables/{table}/join", {"invite": invite})
                assert (await info(ann, table))["seats"][1]["next"] == "Ben"
            await go()
            await first_game(ann, match[0])
            await ann.happened("dealt")
            seat = (await info(ann, match[0]))["seats"][1]
            assert (seat["kind"], seat.get("next", "")) == ("bot", "")
            again = await ann.post(f"/api/tables/{single[0]}/rematch")
            seat = (await info(ann, again["id"]))["seats"][1]
            assert seat["kind"] == "bot", "nobody comes who was waited for"

    run(story())


# --- Rematches ------------------------------------------------------------------------------------------


def test_a_rematch_keeps_seats_chat_and_the_standing(database_url: str) -> None:
    async def story() -> None:
        async with (
            serving(database_url) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Ben") as ben,
        ):
            table, invite = await made(ann, rounds=0)
            await first_game(ann, table)
            await ann.send({"type": "say", "table": table, "text": "Once more?"})
            await ann.next("chat")
            await ben.connect()
            await ben.watch(table, invite=invite)
            await ben.post(f"/api/tables/{table}/join", {"invite": invite})
            before = await info(ann, table)
            scores = before["outcomes"][0]["scores"]
            first = {each["name"]: each for each in before["evening"]}
            assert first["Ann"] == {"name": "Ann", "guest": ann.id, "games": 1, **_won(before, 0)}
            assert [each.get("points", 0) for each in first.values()] == list(scores)

            again = await ann.post(f"/api/tables/{table}/rematch")
            assert again["invite"] == invite, "the link that people have still works"
            new = again["id"]
            waiting = await info(ann, new)
            assert waiting["phase"] == "open"
            kept = waiting["seats"][1]
            assert (kept["kept"], kept["reserved"]) == ("Ben", ben.id)
            assert waiting["evening"] == before["evening"]
            joined = await ben.post(f"/api/tables/{new}/join", {"invite": invite})
            assert joined["seat"] == 1
            shown = await ben.watch(new)
            assert [line["text"] for line in shown["chat"]] == ["Once more?"]
            assert shown["info"]["phase"] == "running"

            await asyncio.gather(
                play_out(ann, await fresh(ann, new), random.Random(5)),
                play_out(ben, await fresh(ben, new), random.Random(6)),
            )
            after = {each["name"]: each for each in (await info(ann, new))["evening"]}
            assert after["Ann"]["games"] == 2
            assert after["Ben"]["games"] == 1
            bot = before["seats"][1]["name"]
            assert after[bot] == first[bot], "its games stay its own"
            points = (await info(ann, new))["outcomes"][0]["scores"]
            assert after["Ann"].get("points", 0) == scores[0] + points[0]
            assert after["Ben"].get("points", 0) == points[1]

    run(story())


def _won(table: Message, seat: int) -> Message:
    outcome = table["outcomes"][0]
    found = {"won": int(seat in outcome["winners"]), "points": outcome["scores"][seat]}
    return {name: value for name, value in found.items() if value}


# --- Pauses ---------------------------------------------------------------------------------------------


async def pair(server: Running, **plan: Any) -> tuple[Client, Client, LiveTable]:
    """Two people at a table that has started; the first has to decide."""
    ann, ben = await server.arrive("Ann"), await server.arrive("Ben")
    body = {"seats": [OPEN, OPEN], "edition": "classic", "speed": "instant", "public": True, **plan}
    table = (await ann.post("/api/tables", body))["id"]
    await ben.post(f"/api/tables/{table}/join", {})
    for person in (ann, ben):
        await person.connect()
        await person.watch(table)
    live = server.live.tables.loaded[table]
    while not all(live.state.seats[seat].here for seat in live.state.people):
        await asyncio.sleep(0.001)
    return ann, ben, live


@pytest.mark.parametrize("kind", ["decision", "bank"])
def test_a_pause_stops_the_clock(tmp_path: Path, kind: str) -> None:
    async def story() -> None:
        clock = FakeClock()
        plan = {"clock": {"kind": kind, "seconds": 60, "increment": 0}}
        calm: dict[str, Any] = {"beat": 600.0, "lease": 2400.0}
        async with serving(free_data(tmp_path), clock=clock, **calm) as server:
            ann, ben, table = await pair(server, **plan)
            await clock.advance(20)
            answer = await ben.ask("POST", f"/api/tables/{table.id}/pause")
            assert answer.json()["code"] == "not-host"
            await ann.post(f"/api/tables/{table.id}/pause")
            paused = await ben.happened("paused")
            assert paused["info"]["paused"] is True
            assert "clock" not in paused["game"]
            shown = await ann.watch(table.id)
            legal = shown["game"]["own"]["legal"]
            refused = await ann.act(table.id, legal[0], table.state.last)
            assert refused["code"] == "paused"
            await clock.advance(3000)
            assert not table.state.seats[0].stand_in
            await ann.post(f"/api/tables/{table.id}/continue")
            on = await ben.happened("continued")
            assert not on["info"].get("paused")
            assert on["game"]["clock"]["left"] == 40_000
            await clock.advance(39)
            assert not table.state.seats[0].stand_in
            if kind == "bank":
                await ann.act(table.id, legal[0], table.state.last)
                assert table.state.seats[0].bank == 1000, "59 of 60 seconds, and none of the pause"
            else:
                await clock.advance(2)
                await ben.happened("stoodin")
            log = await server.live.context.store.read(_bodies, table.id)
            assert read_log(table.id, log) == table.state
            await ann.close()
            await ben.close()

    run(story())


def test_bots_wait_and_nobody_is_missed_while_it_is_paused(tmp_path: Path) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock, beat=600.0, lease=2400.0, absence=60) as server:
            ann, ben, table = await pair(server, seats=[OPEN, OPEN, BOT])
            await ann.post(f"/api/tables/{table.id}/pause")
            await ben.close()
            await clock.advance(5)
            assert not table.state.seats[1].here
            await clock.advance(600)
            assert not table.state.seats[1].stand_in
            last = table.state.last
            await ann.post(f"/api/tables/{table.id}/continue")
            await clock.advance(30)
            assert not table.state.seats[1].stand_in, "the absence counts from now on"
            assert table.state.last >= last + 1
            await ann.close()

    run(story())


def test_while_the_host_is_away_anybody_goes_on(tmp_path: Path) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock, beat=600.0, lease=2400.0) as server:
            ann, ben, table = await pair(server)
            await ann.post(f"/api/tables/{table.id}/pause")
            assert (await ben.ask("POST", f"/api/tables/{table.id}/continue")).json()["code"] == "not-host"
            await ann.close()
            await clock.advance(5)
            await ben.happened("gone")
            await ben.post(f"/api/tables/{table.id}/continue")
            assert (await ben.happened("continued"))["what"]["seat"] == 1
            eve = await server.arrive("Eve")
            refused = await eve.ask("POST", f"/api/tables/{table.id}/pause")
            assert refused.json()["code"] == "no-seat"
            await eve.close()
            await ben.close()

    run(story())


def test_no_game_is_paused_for_ever(tmp_path: Path) -> None:
    async def story() -> None:
        clock = FakeClock()
        async with serving(free_data(tmp_path), clock=clock, beat=6000.0, lease=24000.0) as server:
            ann, ben, table = await pair(server)
            await ann.post(f"/api/tables/{table.id}/pause")
            await clock.advance(86_000)
            assert table.state.paused
            await clock.advance(500)
            await ben.happened("continued")
            assert isinstance(entries.decode('{"kind":"paused","at":1}'), entries.Paused)
            await ann.close()
            await ben.close()

    run(story())
