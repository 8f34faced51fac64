"""Replays: finished games told step by step, with all cards open."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

import lynxden
from lynxden.games.core import OPEN
from lynxden.games.registry import GAMES
from lynxden.records import Record, Recorder, positions, read_record
from lynxden.server.http import replays
from lynxden.server.http.replays import tell
from lynxden.server.table.projections import FinishedGame, Player
from tests.server.kit import Client, Message, free_data, play_out, run, serving

PLANS = [
    (game.name, edition, count)
    for game in GAMES.values()
    for edition, options in game.editions.items()
    for count in options.player_counts
]


def played(game: str, edition: str, players: int, seed: int = 1) -> Record:
    """A game among players who do anything."""
    rng = random.Random(seed)
    position = lynxden.new(game, edition=edition, players=players, seed=seed)
    recorder = Recorder(position, [f"Player {seat + 1}" for seat in range(players)])
    while not recorder.position.over:
        recorder.apply(rng.choice(recorder.position.legal_actions))
    return recorder.record()


def kept(record: Record) -> FinishedGame:
    assert record.result is not None
    players = tuple(
        Player(seat, None, name, record.result["scores"][seat], seat in record.result["winners"])
        for seat, name in enumerate(record.seats)
    )
    return FinishedGame(
        id="x", table_id=None, round=1, game=record.game, edition=record.edition, record=record.to_json(),
        finished_at=5, players=players, rated=False,
    )  # fmt: skip


@pytest.mark.parametrize(("game", "edition", "players"), PLANS)
def test_every_step_is_what_the_rules_say(game: str, edition: str, players: int) -> None:
    record = played(game, edition, players)
    told = tell(kept(record))
    before = None
    found = list(positions(record))
    assert len(told.steps) == len(found) == len(record.actions) + 1
    assert told.left_out == 0
    for number, (step, position) in enumerate(zip(told.steps, found, strict=True)):
        assert step.seat == (None if before is None else before.seat)
        assert step.action == (record.actions[number - 1] if number else "")
        assert step.events == position.events(OPEN)
        assert bool(step.events) == (number > 0)
        assert step.public == position.game.snapshot.public(position.view(None))
        assert step.hands == position.game.snapshot.revealed(position).hands
        before = position
    assert told.outcome == found[-1].outcome
    assert record.result is not None
    assert [sum(part.points for part in parts) for parts in told.breakdown] == record.result["scores"]
    assert told.names == record.seats
    assert told.imported


def test_a_game_that_is_far_too_long_is_told_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "MOST_STEPS", 10)
    record = played("linko", "classic", 3)
    told = tell(kept(record))
    assert len(told.steps) == 11
    assert told.left_out == len(record.actions) - 10
    assert record.result is not None
    assert list(told.outcome.scores) == record.result["scores"]


def test_names_come_from_the_result_and_lists_of_legal_actions_do_not_matter() -> None:
    record = played("blocco", "standard", 3)
    found = kept(record)
    line = json.loads(found.record)
    line["legal"] = [["nonsense"]] * len(record.actions)
    line["actors"] = [0] * len(record.actions)
    assert tell(FinishedGame(**{**vars(found), "record": json.dumps(line)})) == tell(found)


async def play(ann: Client, game: str) -> str:
    """Ann plays a game against bots; the id of its record."""
    made = await ann.post("/api/play", {"game": game, "speed": "instant"})
    await ann.connect()
    events = await play_out(ann, await ann.watch(made["id"]), random.Random(3))
    record: str = events[-1]["game"]["finished"]["record"]
    return record


async def ready(http: httpx.AsyncClient, path: str) -> httpx.Response:
    """The game is kept a moment after its end is told."""
    for _ in range(100):
        answer = await http.get(path)
        if answer.status_code != 404:
            break
        await asyncio.sleep(0.05)
    assert answer.status_code == 200, answer.text
    return answer


@pytest.mark.parametrize("game", list(GAMES))
def test_a_game_that_was_played_here(tmp_path: Path, game: str) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path)) as server,
            await server.arrive() as ann,
            httpx.AsyncClient(base_url=server.url) as stranger,  # anybody who knows the id may see it
        ):
            record = await play(ann, game)
            answer = await ready(stranger, f"/api/records/{record}/replay")
            told: Message = answer.json()
            line = read_record((await stranger.get(f"/api/records/{record}")).content)
            assert [step["action"] for step in told["steps"]] == ["", *line.actions]
            assert told["names"][0] == "Ann"
            assert told["guests"] == [ann.id] + [""] * (len(told["names"]) - 1)
            assert not told["imported"]
            assert (told["id"], told["game"], told["left_out"]) == (record, game, 0)
            assert line.result is not None
            assert told["outcome"]["scores"] == list(line.result["scores"])
            for step in told["steps"]:
                public = step["public"]
                assert [len(hand) for hand in step["hands"]] == [p["hand_size"] for p in public["players"]]
                for hand, player in zip(step["hands"], public["players"], strict=True):
                    assert not Counter(player["known"]) - Counter(hand)

    run(story())


def test_an_imported_game(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            record = played("linko", "duel", 2)
            made = await ann.post("/api/records", record.to_dict())
            told = await ann.get(f"/api/records/{made['id']}/replay")
            assert told["imported"]
            assert told["names"] == ["Player 1", "Player 2"]
            assert made["path"] == f"/g/{made['id']}"
            assert (await ann.ask("GET", "/api/records/nothing/replay")).json()["code"] == "not-found"
            assert (await ann.ask("GET", "/api/records/a_b/replay")).status_code == 400

    run(story())


def test_the_answer_is_packed_and_can_be_kept(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            made = await ann.post("/api/records", played("linko", "classic", 5).to_dict())
            path = f"/api/records/{made['id']}/replay"

            async def ask(**headers: str) -> httpx.Response:
                return await ann.http.get(path, headers={k.replace("_", "-"): v for k, v in headers.items()})

            plain = await ask(accept_encoding="identity")
            assert "content-encoding" not in plain.headers
            for accepted in ("gzip", "br, GZIP;q=0.5", "*"):
                packed = await ask(accept_encoding=accepted)
                assert packed.headers["content-encoding"] == "gzip"
                assert packed.json() == plain.json()
                assert int(packed.headers["content-length"]) * 8 < len(plain.content)
            for accepted in ("gzip;q=0", "gzip; q=0.00", "br", ""):
                assert "content-encoding" not in (await ask(accept_encoding=accepted)).headers
            assert plain.headers["cache-control"] == "private, max-age=600"
            assert plain.headers["vary"] == "Accept-Encoding"
            assert plain.headers["content-type"] == "application/json"
            tag = plain.headers["etag"]
            same = await ask(if_none_match=tag)
            assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
            assert (await ask(if_none_match='W/"other"')).status_code == 200
            head = await ann.http.head(path)
            assert (head.status_code, head.content) == (200, b"")

    run(story())


def test_games_go_on_while_replays_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Making replays keeps no request waiting for long, however many are asked for."""
    body = replays._body

    def slow(found: FinishedGame, packed: bool) -> bytes:
        time.sleep(0.3)
        return body(found, packed)

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            made = await ann.post("/api/records", played("blocco", "standard", 4).to_dict())
            monkeypatch.setattr(replays, "_body", slow)
            asked = [
                asyncio.create_task(ann.ask("GET", f"/api/records/{made['id']}/replay")) for _ in range(4)
            ]
            await asyncio.sleep(0.05)
            started = time.perf_counter()
            await ann.get("/api/games")
            assert time.perf_counter() - started < 0.25
            answers: list[Any] = await asyncio.gather(*asked)
            assert [answer.status_code for answer in answers] == [200] * 4

    run(story())


def test_packing_is_the_same_every_time() -> None:
    found = kept(played("blocco", "standard", 3))
    assert replays._body(found, True) == replays._body(found, True)
    assert gzip.decompress(replays._body(found, True)) == replays._body(found, False)
