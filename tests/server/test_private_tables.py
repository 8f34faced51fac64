"""Private tables do not exist for strangers, and spectators see what they may see."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any

from tests.server.hostile import INVITED, OPEN, duel, enter, look, still_lives
from tests.server.kit import free_data, play_out, run, serving

STRANGE: list[tuple[str, str, object]] = [
    ("POST", "leave", None),
    ("POST", "start", {}),
    ("POST", "close", None),
    ("POST", "rematch", None),
    ("PUT", "spectators", {"open": True}),
    ("POST", "join", {"seat": 0}),
    ("POST", "join", {"seat": 4}),
]
"""What a stranger could try at a table."""


def test_a_private_table_does_not_exist_for_strangers(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path)) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Mallory") as mallory,
        ):
            made = await ann.post("/api/tables", {"seats": [OPEN, OPEN, OPEN]})
            table, invite = made["id"], made["invite"]
            await mallory.connect()

            async def told(name: str) -> list[Any]:
                """Everything that a stranger can find out about a table of a name."""
                found: list[Any] = []
                wrong = ["", "x", invite[:-1], invite + "x", invite.swapcase(), f" {invite}", "\0"]
                for guess in wrong:
                    message = {"type": "watch", "table": name, "invite": guess}
                    found.append(await mallory.refused(message))
                    answer = await mallory.http.get(f"/api/tables/{name}", params={"invite": guess})
                    found.append((answer.status_code, answer.json()))
                    answer = await mallory.ask("POST", f"/api/tables/{name}/join", {"invite": guess})
                    found.append((answer.status_code, answer.json()))
                for method, path, body in STRANGE:
                    answer = await mallory.ask(method, f"/api/tables/{name}/{path}", body)
                    found.append((answer.status_code, answer.json()))
                kinds = ("unwatch", "back", "ready", "say")
                found += [await mallory.refused({"type": kind, "table": name}) for kind in kinds]
                return json.loads(json.dumps(found).replace(name, "?"))  # type: ignore[no-any-return]

            assert await told(table) == await told("nothing12345")
            assert (await mallory.get("/api/tables")) == {"tables": []}
            await ann.post(f"/api/tables/{table}/start", {})  # nor does it once it runs
            assert await told(table) == await told("nothing12345")
            assert (await ann.get(f"/api/tables/{table}"))["info"]["invite"] == invite

    run(story())


def test_invited_seats_need_the_invitation(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path)) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Ben") as ben,
            await server.arrive("Cid") as cid,
        ):
            made = await ann.post("/api/tables", {"seats": [INVITED, INVITED, OPEN], "public": True})
            table, invite = made["id"], made["invite"]
            at = f"/api/tables/{table}/join"
            await ben.connect()
            shown = await ben.watch(table)
            assert "invite" not in shown["info"]
            assert "invite" not in (await ben.watch(table, invite=invite))["info"], (
                "who looks on need not be told"
            )
            for seat in (0, 1):
                answer = await ben.ask("POST", at, {"seat": seat})
                assert answer.json()["code"] == "seat-taken"
            assert (await ben.post(at, {}))["seat"] == 2
            assert (await ben.happened("sat"))["info"]["invite"] == invite, "who sits there is told"
            assert (await cid.ask("POST", at, {})).json()["code"] == "seat-taken"
            assert (await cid.post(at, {"invite": invite}))["seat"] == 1
            assert invite not in json.dumps(await cid.get("/api/tables"))

    run(story())


def test_spectators_never_get_a_hand_nor_the_invitation(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Mallory") as mallory:
            first, second, table, invite = await duel(server)
            await mallory.connect()
            await mallory.watch(table, invite=invite)
            rng = random.Random(2)
            await asyncio.gather(
                play_out(first, await enter(first, table), rng),
                play_out(second, await enter(second, table), rng),
            )
            await mallory.next("happened", lambda each: (each.get("game") or {}).get("finished") is not None)
            got = [json.loads(text_) for text_ in mallory.received]
            assert len(got) > 20
            for message in got:
                assert "own" not in (message.get("game") or {})
                assert "seat" not in message
            assert invite not in "".join(mallory.received)
            for client in (first, second):
                await client.close()

    run(story())


def test_spectators_are_closed_out(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Mallory") as mallory:
            first, second, table, invite = await duel(server)
            host = first if (await first.get(f"/api/tables/{table}"))["info"]["host"] == first.id else second
            guest = second if host is first else first
            await mallory.connect()
            await mallory.watch(table)
            answer = await guest.ask("PUT", f"/api/tables/{table}/spectators", {"open": False})
            assert answer.json()["code"] == "not-host"
            await host.ask("PUT", f"/api/tables/{table}/spectators", {"open": False})
            assert (await mallory.next("refused"))["code"] == "no-spectators"
            assert (await mallory.refused({"type": "watch", "table": table, "invite": invite}))[
                "code"
            ] == "no-spectators"
            assert (await mallory.ask("GET", f"/api/tables/{table}?invite={invite}")).status_code == 403
            mallory.received.clear()
            legal, seen = await look(first, table)
            assert (await first.act(table, legal[0], seen))["type"] == "ack"
            await still_lives(mallory)
            assert len(mallory.received) == 1, "something was told to somebody who was closed out"
            # Whoever leaves the game for good is a spectator from then on.
            await guest.post(f"/api/tables/{table}/leave")
            assert (await guest.next("refused"))["code"] == "no-spectators"
            assert (await guest.refused({"type": "watch", "table": table}))["code"] == "no-spectators"
            await host.ask("PUT", f"/api/tables/{table}/spectators", {"open": True})
            assert "own" not in (await mallory.watch(table))["game"]
            await first.close()
            await second.close()

    run(story())


def test_who_looked_on_before_the_start_does_not_see_the_cards_of_a_closed_table(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path)) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Mallory") as mallory,
        ):
            body = {"seats": [OPEN, OPEN], "public": True, "spectators": False}
            table = (await ann.post("/api/tables", body))["id"]
            await mallory.connect()
            await mallory.watch(table)
            await ann.post(f"/api/tables/{table}/start", {})
            assert (await mallory.next("refused"))["code"] == "no-spectators"
            await still_lives(mallory)
            assert not [each for each in mallory.received if '"game":{' in each]
            assert mallory.id not in {viewer.guest.id for viewer in server.live.tables.loaded[table].viewers}

    run(story())
