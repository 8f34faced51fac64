"""Acting where and when one may not: out of turn, twice, at once, or where there is no game."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

from tests.server.hostile import OPEN, duel, look
from tests.server.kit import Client, check_telling, free_data, play_out, run, serving


def test_acting_where_and_when_one_may_not(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Mallory") as mallory:
            first, second, table, _ = await duel(server)
            await mallory.connect()
            legal, seen = await look(first, table)
            before = (await first.get(f"/api/tables/{table}"))["number"]

            async def code(client: Client, action: str, at: int = seen, where: str = table) -> str:
                answer = await client.act(where, action, at)
                assert answer["type"] == "refused"
                assert answer["table"] == where
                check_telling(answer["text"])
                return str(answer["code"])

            assert await code(mallory, legal[0]) == "not-watching"
            assert await code(mallory, legal[0], where="nowhere") == "not-watching"
            await mallory.watch(table)
            assert await code(mallory, legal[0]) == "no-seat"
            for kind in ("back", "ready"):
                assert (await mallory.refused({"type": kind, "table": table}))["code"] == "no-seat"
            refused = await mallory.refused({"type": "say", "table": table, "text": "psst: X"})
            assert refused["code"] == "no-seat", "spectators do not talk while a game is running"
            assert await code(second, legal[0]) == "out-of-turn"
            assert await code(first, "nonsense") == "action"
            assert await code(first, "") == "action"
            assert await code(first, "play " + "7 " * 90) in ("action", "illegal")
            assert await code(first, "play ٧") == "action"  # a digit, but not one of ours
            impossible = next(f"play {card}" for card in range(1, 14) if f"play {card}" not in legal)
            assert await code(first, impossible) in ("illegal", "action")
            assert await code(first, legal[0], 0) == "stale"
            assert await code(first, legal[0], 10**9) == "stale"
            assert await code(first, legal[0], 2**53) == "stale"
            assert (await first.refused({"type": "ready", "table": table}))["code"] == "not-running"
            assert (await first.refused({"type": "unwatch", "table": "nowhere"}))["code"] == "not-watching"
            assert (await first.get(f"/api/tables/{table}"))["number"] == before, (
                "something happened all the same"
            )
            assert (await first.act(table, legal[0], seen))["type"] == "ack"
            for client in (first, second):
                await client.close()

    run(story())


def test_out_of_turn_tells_nothing_of_the_hand_of_whoever_decides(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            first, second, table, _ = await duel(server)
            legal, seen = await look(first, table)
            for action in legal:
                refused = await second.act(table, action, seen)
                assert refused["code"] == "out-of-turn"
                assert "play" not in refused["text"].split(":")[-1].replace("(play)", "")
            await first.close()
            await second.close()

    run(story())


def test_the_same_action_twice_is_one_event(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            first, second, table, _ = await duel(server)
            legal, seen = await look(first, table)
            message = {"type": "act", "table": table, "id": "once", "seen": seen, "action": legal[0]}
            for _ in range(5):
                await first.send(message)
            acks = [await first.next("ack") for _ in range(5)]
            assert acks == [acks[0]] * 5
            await first.send({**message, "action": "nonsense", "seen": 0})
            assert await first.next("ack") == acks[0], (
                "an id is answered in the same way, whatever comes with it"
            )
            happened = await second.next("happened", lambda each: each["what"]["kind"] == "acted")
            assert happened["what"]["number"] == acks[0]["number"]
            assert (await second.get(f"/api/tables/{table}"))["number"] == acks[0]["number"]
            # The same id from another seat is another action.
            refused = await second.act(table, "nonsense", 0, "once")
            assert refused["type"] == "refused"
            await first.close()
            await second.close()

    run(story())


def test_two_at_once_cannot_both_act(tmp_path: Path) -> None:
    """The same player on two devices, with different actions at the same moment."""

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            first, second, table, _ = await duel(server)
            token = str(first.http.cookies["lynxden"])
            other = await Client.arrive(server.url, token=token)
            await other.connect()
            await other.watch(table)
            legal, seen = await look(first, table)
            answers = await asyncio.gather(
                first.act(table, legal[0], seen, "one"), other.act(table, legal[-1], seen, "other")
            )
            kinds = sorted(answer["type"] for answer in answers)
            assert kinds == ["ack", "refused"]
            refused = next(answer for answer in answers if answer["type"] == "refused")
            assert refused["code"] in ("stale", "out-of-turn")
            for client in (first, second, other):
                await client.close()

    run(story())


def test_tables_that_have_not_started_are_over_or_closed(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            await ann.connect()
            table = (await ann.post("/api/tables", {"seats": [OPEN, OPEN]}))["id"]
            await ann.watch(table)
            assert (await ann.act(table, "play 7", 2))["code"] == "not-running"
            assert (await ann.refused({"type": "ready", "table": table}))["code"] == "not-running"
            await ann.post(f"/api/tables/{table}/close")
            for _ in range(2):
                assert (await ann.act(table, "play 7", 99))["code"] == "not-running"
            answer = await ann.ask("POST", f"/api/tables/{table}/start", {})
            assert answer.json()["code"] == "not-running"
            answer = await ann.ask("POST", f"/api/tables/{table}/rematch")
            assert answer.json()["code"] == "not-running"
            made = await ann.post("/api/play", {"players": 2, "speed": "instant"})
            await play_out(ann, await ann.watch(made["id"]), random.Random(1))
            over = await ann.act(made["id"], "play 7", 10**6)
            assert over["code"] == "not-running"
            assert (await ann.refused({"type": "ready", "table": made["id"]}))["code"] == "not-running"
            await ann.post(f"/api/tables/{made['id']}/leave")
            assert (await ann.get(f"/api/tables/{made['id']}"))["info"]["phase"] == "over"

    run(story())


def test_actions_are_kept_as_the_game_spells_them(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            first, second, table, _ = await duel(server)
            legal, seen = await look(first, table)
            answer = await first.act(table, "  " + legal[0].upper().replace(" ", "   ") + "  ", seen)
            if answer["type"] == "ack":  # a generous reader: but nobody's spelling gets into records
                assert server.live.tables.loaded[table].state.actions == (legal[0],)
            await first.close()
            await second.close()

    run(story())
