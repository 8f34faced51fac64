"""A table on a screen that everybody sees: a spectator's view, whoever shows it."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

from tests.server.kit import Client, Message, free_data, play_out, run, serving

OPEN = {"kind": "open"}


async def show(client: Client, table: str, invite: str = "") -> Message:
    await client.send({"type": "watch", "table": table, "invite": invite, "board": True})
    return await client.receive_any_of("table", "refused")


def test_a_player_who_shows_the_board_is_sent_no_hand(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path)) as server,
            await server.arrive("Ann") as ann,
            await Client.arrive(server.url, "") as screen,
        ):
            made = await ann.post("/api/play", {"edition": "duel", "speed": "instant"})
            table = made["id"]
            screen.http.cookies.update(ann.http.cookies)  # her laptop, beside her phone
            await ann.connect()
            await screen.connect()
            shown = await show(screen, table)
            assert shown.get("seat") is None
            assert "own" not in shown["game"]
            await asyncio.sleep(0.1)
            assert not (await ann.get(f"/api/tables/{table}"))["info"]["seats"][0].get("here")
            await play_out(ann, await ann.watch(table), random.Random(3))
            games = [
                message["game"]
                for message in [shown, *screen._waiting]
                if message.get("game") and not message["game"].get("finished")
            ]
            while True:
                message = await screen.next("happened")
                game = message.get("game") or {}
                if game.get("finished"):
                    break
                games.append(game)
            assert len(games) > 10
            assert not any("own" in game for game in games)
            # She is no spectator of her own game.
            assert not [text for text in ann.received if '"watchers"' in text]

    run(story())


def test_a_hand_that_becomes_a_board_is_away(tmp_path: Path) -> None:
    """The same socket: whoever turns the phone into the screen no longer holds cards."""

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Ann") as ann:
            table = (await ann.post("/api/play", {"edition": "duel"}))["id"]
            await ann.connect()
            await ann.watch(table)
            await ann.happened("came")
            await show(ann, table)
            assert (await ann.happened("gone"))["what"]["seat"] == 0
            assert (await ann.watch(table))["game"]["own"]["hand"]

    run(story())


def test_a_table_closed_to_spectators_needs_its_invitation(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path)) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Screen") as screen,
            await server.arrive("Eve") as eve,
        ):
            made = await ann.post("/api/tables", {"seats": [OPEN, OPEN], "edition": "duel"})
            table, invite = made["id"], made["invite"]
            await ann.post(f"/api/tables/{table}/start", {})
            for client in (screen, eve):
                await client.connect()
                refused = await show(client, table)
                assert refused["code"] == "not-found"
            assert (await show(screen, table, invite))["type"] == "table"
            await eve.watch(table, invite=invite)
            await ann.ask("PUT", f"/api/tables/{table}/spectators", {"open": False})
            assert (await eve.next("refused"))["code"] == "no-spectators"
            assert (await screen.happened("watching"))["info"]["spectators"] is False
            assert (await show(screen, table, invite))["type"] == "table"  # the screen is loaded anew
            assert (await show(eve, table))["code"] == "not-found"
            assert "own" not in (await show(screen, table, invite))["game"]

    run(story())
