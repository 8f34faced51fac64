"""The bots at a table: which ones there are, what is refused, and where their luck comes from."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lynxden.bots import kinds, levels
from lynxden.server.live.thinkers import choose, seed_of
from lynxden.server.store import tables
from lynxden.server.table import entries
from lynxden.server.table.state import first_state
from tests.server.kit import Client, Running, free_data, play_out, run, serving

OPEN = {"kind": "open"}
NAMES = [kind.name for kind in kinds()]
WRONG = [
    ("search:ms=60000", ["'search:ms=60000'", "has no parameters"]),
    ("search:sims=1,threads=64", ["has no parameters"]),
    ("kitten:ms=1", ["'kitten'", "no parameter 'ms'"]),
    ("genius", ["no bot 'genius'", ", ".join(NAMES)]),
    ("Hunter", ["'Hunter' names no bot"]),
    ("", ["bot"]),
]


async def log_of(server: Running, table: str) -> list[entries.Entry]:
    found = await server.live.context.store.read(tables.entries, table, 0)
    return [entries.decode(body) for _, body in found]


# --- Which bots -----------------------------------------------------------------------------------------


def test_the_offer_has_the_levels_first(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            bots = (await ann.get("/api/games"))["bots"]
            assert [bot["name"] for bot in bots] == NAMES
            assert [bot["name"] for bot in bots[:4]] == ["kitten", "hunter", "lynx", "shadow"]
            assert [bot["level"] for bot in bots] == [1, 2, 3, 4] + [None] * (len(bots) - 4)
            assert all(bot["games"] == ["linko", "blocco"] for bot in bots[:4])

    run(story())


def test_whoever_names_no_bot_meets_the_hunter(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            played = await ann.post("/api/play", {"edition": "basic", "players": 3})
            started = await ann.post("/api/tables", {"edition": "basic", "seats": [OPEN] * 3})
            await ann.post(f"/api/tables/{started['id']}/start", {})
            for made in (played, started):
                seats = (await ann.get(f"/api/tables/{made['id']}"))["info"]["seats"]
                assert [seat.get("bot") for seat in seats[1:]] == ["hunter", "hunter"]

    run(story())


@pytest.mark.parametrize(("bot", "words"), WRONG)
def test_a_bot_with_parameters_or_of_no_known_name_gets_no_seat(
    tmp_path: Path, bot: str, words: list[str]
) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            made = await ann.post("/api/tables", {"edition": "basic", "seats": [OPEN] * 3})
            start = f"/api/tables/{made['id']}/start"
            before = await ann.get("/api/me/tables")
            for path, body in (
                ("/api/tables", {"edition": "basic", "seats": [OPEN, OPEN, {"kind": "bot", "bot": bot}]}),
                ("/api/play", {"edition": "basic", "bots": ["hunter", bot]}),
                (start, {"bot": bot}),
            ):
                answer = await ann.ask("POST", path, body)
                assert (answer.status_code, answer.json()["code"]) == (400, "options"), answer.text
                for each in words:
                    assert each in answer.json()["text"]
            assert await ann.get("/api/me/tables") == before
            await ann.post(start, {"bot": "kitten"})

    run(story())


def test_whatever_people_can_choose_is_part_of_the_warm_up() -> None:
    """After it no bot for people compiles anything; the first ones need its first part alone."""
    script = """
import numpy as np
from lynxden.bots import Limit, get_bot, levels
from lynxden.games.registry import GAMES
from lynxden.server.live.warm_up import FIRST, PLAY, warm_up

def compiled():
    return {
        (game.name, name): len(kernel.signatures)
        for game in GAMES.values()
        for name, kernel in vars(game.kernels).items()
        if hasattr(kernel, "signatures")
    }

for parts, bots in ((PLAY, FIRST), (("search",), None)):
    warm_up(parts)
    before = compiled()
    assert sum(before.values()) > 10, before
    for game in GAMES.values():
        position = game.new(seed=2)
        for bot in bots or [kind.name for kind in levels(game.name)]:
            get_bot(bot).choose(position.view(position.seat), Limit(0.2), np.random.default_rng(1))
    print({name: (count, before[name]) for name, count in compiled().items() if count != before[name]})
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    found = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout.split()) == (0, ["{}", "{}"]), found.stderr


# --- Luck -----------------------------------------------------------------------------------------------


def decided_again(log: list[entries.Entry], table: str, luck: str | None = None) -> list[tuple[str, str]]:
    """Each decision of a bot in a log, and what that bot decides with the same luck, or with other."""
    first, *rest = log
    assert isinstance(first, entries.Created)
    state, found = first_state(table, first), []
    for entry in rest:
        if isinstance(entry, entries.Acted) and entry.by == "bot":
            assert state.position is not None
            seed = seed_of(state.luck if luck is None else luck, len(state.actions))
            bot = state.seats[entry.seat].bot
            found.append((entry.action, choose(bot, state.position.view(entry.seat), seed)))
        state = state.after(entry)
    return found


def test_bots_decide_by_the_luck_that_was_drawn_with_the_deal(tmp_path: Path) -> None:
    """A log gives every decision again; with other luck some would be others."""

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            await ann.connect()
            body = {"edition": "basic", "bots": ["kitten", "random", "beginner"], "speed": "instant"}
            table = (await ann.post("/api/play", body))["id"]
            await play_out(ann, await ann.watch(table), random.Random(5))
            log = await log_of(server, table)
            again = decided_again(log, table)
            assert len(again) > 20
            assert [done for done, _ in again] == [same for _, same in again]
            other = decided_again(log, table, "0" * 32)
            assert [done for done, _ in other] != [different for _, different in other]

    run(story())


def test_luck_differs_between_decisions_games_and_servers() -> None:
    seeds = {seed_of(luck, decision) for luck in ("a", "b", "a 1") for decision in range(100)}
    assert len(seeds) == 300
    assert seed_of("a", 7) == seed_of("a", 7)
    assert seed_of("", 7) != seed_of("", 7), "a log without luck has it drawn"


async def everything(person: Client, table: str, record: str) -> list[str]:
    """All that a person is told of a game, over HTTP and over the socket."""
    paths = [
        f"/api/tables/{table}",
        "/api/tables",
        "/api/me/tables",
        "/api/me/games",
        "/api/me",
        "/api/statistics",
        f"/api/players/{person.id}/games",
        f"/api/records/{record}",
        f"/api/records/{record}/result",
        f"/api/records/{record}/replay",
        f"/api/records/{record}/replay?seat=0",
    ]
    answers = [await person.ask("GET", path) for path in paths]
    assert answers[0].is_success
    return [f"{answer.url} {dict(answer.headers)} {answer.text}" for answer in answers] + person.received


def test_the_luck_of_bots_is_told_to_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            ann, eve = await server.arrive("Ann"), await server.arrive("Eve")
            bot: dict[str, Any] = {"kind": "bot", "bot": "kitten"}
            body = {"edition": "basic", "seats": [OPEN, bot, OPEN], "speed": "instant", "public": True}
            made = await ann.post("/api/tables", body)
            table = made["id"]
            await eve.connect()
            await eve.send({"type": "lobby"})
            await eve.watch(table)
            await ann.post(f"/api/tables/{table}/start", {"bot": "hunter"})
            await ann.connect()
            shown = await ann.watch(table)
            (dealt,) = [entry for entry in await log_of(server, table) if isinstance(entry, entries.Dealt)]
            luck, record = dealt.luck, dealt.record
            assert len(luck) == 32
            told = await everything(ann, table, record) + await everything(eve, table, record)
            await play_out(ann, shown, random.Random(1))
            for person in (ann, eve):
                assert person.socket is not None
                await person.socket.close()
                await person.connect()
                await person.watch(table, 1)  # and all that was missed
                told += await everything(person, table, record)
            assert any(f"/records/{record} " in text and '"actions"' in text for text in told)
            assert any('"happened"' in text for text in told)
            secrets = {luck, luck.upper(), str(int(luck, 16))}
            secrets |= {str(seed_of(luck, decision)) for decision in range(100)}
            for text in [*told, caplog.text]:
                assert not any(secret in text for secret in secrets), text
                assert '"luck"' not in text
            await ann.close()
            await eve.close()

    run(story())


def test_every_level_finishes_what_it_begins(tmp_path: Path) -> None:
    """All four at one table, in the processes that bots think in."""

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            await ann.connect()
            bots = [kind.name for kind in levels()]
            table = (await ann.post("/api/play", {"edition": "basic", "bots": bots, "speed": "instant"}))[
                "id"
            ]
            shown = await ann.watch(table)
            seen: set[int] = set()
            while len(seen) < len(bots):
                legal = (shown["game"].get("own") or {}).get("legal", [])
                if legal:
                    await ann.act(table, legal[0], shown["number"])
                shown = await ann.next("happened", lambda message: "game" in message)
                shown["number"] = shown["what"]["number"]
                if shown["what"].get("by") == "bot":
                    seen.add(shown["what"]["seat"])
            replaced = server.live.context.metrics.bots_replaced
            assert [replaced.labels(bot)._value.get() for bot in bots] == [0, 0, 0, 0]

    run(story())
