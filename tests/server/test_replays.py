"""Replays: finished games told step by step, as somebody saw them or with all cards open."""

from __future__ import annotations

import asyncio
import gzip
import json
import pickle
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

import lynxden
from lynxden.games.core import OPEN, Event
from lynxden.games.registry import GAMES, get_game
from lynxden.records import Record, Recorder, positions, read_record
from lynxden.server import replays
from lynxden.server.http import replays as handler
from lynxden.server.replays import Viewer, replay_json, replay_of
from lynxden.server.table import entries
from lynxden.server.table.plans import Plan, SeatPlan
from lynxden.server.table.projections import FinishedGame, Player
from lynxden.server.table.state import first_state
from lynxden.server.table.views import Views
from tests.server.kit import Client, Message, free_data, play_out, run, serving
from tests.server.test_leaks import CASES, difference, first_world, other_world

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
    told = replay_of(kept(record), OPEN)
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
        assert step.own is None
        assert step.hands == position.game.snapshot.revealed(position).hands
        before = position
    assert told.outcome == found[-1].outcome
    assert record.result is not None
    assert [sum(part.points for part in parts) for parts in told.breakdown] == record.result["scores"]
    assert told.names == record.seats
    assert told.imported


def plain(value: object) -> Any:
    """As it arrives."""
    return json.loads(msgspec.json.encode(value))


def lived(record: Record, viewer: int | None) -> Iterator[Message]:
    """What a table sends a viewer of such a game while it is played, message by message."""
    seats = tuple(SeatPlan() for _ in record.seats)
    plan = Plan(record.game, record.edition, seats)
    state = first_state("t", entries.Created(1, by="g0", plan=plan, invite="i", starter=record.starter))
    for seat, name in enumerate(record.seats):
        state = state.after(entries.Sat(2, seat, f"g{seat}", name))
    dealt = entries.Dealt(3, record.starter, dict(record.deal))
    state = state.after(dealt)
    yield json.loads(Views(state, 3).happened(dealt, viewer))
    for action in record.actions:
        assert state.deciding is not None
        acted = entries.Acted(4, state.deciding, action)
        state = state.after(acted)
        yield json.loads(Views(state, 4).happened(acted, viewer))


def check_step(step: Message, live: Message, viewer: int | None) -> None:
    """A step is what the live message was, but for what could be done."""
    assert step["public"] == live["game"]["public"]
    assert step["events"] == live["what"].get("events", [])
    assert step["seat"] == live["what"].get("seat")
    assert (step["hands"], step["action"]) == (None, "")
    own = live["game"].get("own")
    assert (own is None) == (viewer is None)
    assert step["own"] == (None if own is None else {**own, "legal": [], "why": []})


@pytest.mark.parametrize(("game", "edition", "players"), PLANS)
def test_every_viewer_is_told_what_live_play_told_them(game: str, edition: str, players: int) -> None:
    record = played(game, edition, players, seed=2)
    found = kept(record)
    everything = replay_of(found, OPEN)
    for viewer in (*range(players), None):
        told = replay_of(found, viewer)
        assert msgspec.structs.replace(told, steps=()) == msgspec.structs.replace(everything, steps=())
        for step, live in zip(plain(told.steps), lived(record, viewer), strict=True):
            check_step(step, live, viewer)


@pytest.mark.parametrize(("game", "edition", "players"), PLANS)
def test_nothing_hidden_is_told(game: str, edition: str, players: int) -> None:
    """Where an event tells a viewer less than everything, it tells no card; and no other hand is there."""
    less = 0
    for seed in range(3, 20):
        found = kept(played(game, edition, players, seed))
        everything = replay_of(found, OPEN).steps
        for viewer in (*range(players), None):
            for step, full in zip(replay_of(found, viewer).steps, everything, strict=True):
                less += sum(less_told(*pair, viewer) for pair in zip(step.events, full.events, strict=True))
                if viewer is None:
                    assert step.own is None
                else:
                    own = plain(step.own)
                    assert full.hands is not None
                    assert (own["seat"], own["hand"]) == (viewer, list(full.hands[viewer]))
        if less:
            return
    pytest.fail("nothing was hidden in any game")


def less_told(seen: Event, event: Event, viewer: int | None) -> bool:
    """Whether a viewer is told less of an event than there is to tell; then it is no card at all."""
    if seen == event:
        return False
    assert event.seat != viewer
    assert (seen.seat, seen.other, seen.place) == (event.seat, event.other, event.place)
    assert event.cards
    assert not seen.cards
    return True


@pytest.mark.parametrize(("name", "edition", "players", "seed"), [CASES[0], CASES[3], CASES[5]])
def test_a_viewer_cannot_tell_two_deals_apart(name: str, edition: str, players: int, seed: int) -> None:
    world, deck = first_world(get_game(name), edition, players, seed)
    rng = random.Random(seed)

    def steps(start: Any, actions: tuple[str, ...], viewer: Viewer) -> list[bytes]:
        position, made = start, [replays._step(None, "", start, viewer)]
        for action in actions:
            after = position.apply(action)
            made.append(replays._step(position.seat, action, after, viewer))
            position = after
        return [msgspec.json.encode(step) for step in made]

    for viewer in (*range(players), None):
        other = other_world(world, deck, viewer, rng)
        assert any(difference(world, other)), "the deals do not differ"
        here, there = (steps(each.start, each.actions, viewer) for each in (world, other))
        assert here == there
        if any(difference(world, other)[:2]):  # other hands or other gifts, not the deck alone
            here, there = (steps(each.start, each.actions, OPEN) for each in (world, other))
            assert here != there, "all cards are open"


def test_a_game_that_is_far_too_long_is_told_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "MOST_STEPS", 10)
    record = played("linko", "classic", 3)
    told = replay_of(kept(record), OPEN)
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
    assert replay_of(FinishedGame(**{**vars(found), "record": json.dumps(line)}), OPEN) == replay_of(
        found, OPEN
    )


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


@pytest.mark.parametrize(
    ("game", "edition"), [("linko", "classic"), ("linko", "duel"), ("blocco", "standard")]
)
def test_everybody_sees_again_what_they_saw(tmp_path: Path, game: str, edition: str) -> None:
    """Real people play, and somebody looks on: the replay of each is what came over their socket."""

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            names = ["Ann", "Ben", "Cleo"][: min(GAMES[game].editions[edition].player_counts[-1], 3)]
            people = [await server.arrive(name) for name in names]
            watcher = await server.arrive("Wim")
            body = {
                "game": game, "edition": edition, "seats": [{"kind": "open"}] * len(names), "public": True,
            }  # fmt: skip
            table = (await people[0].post("/api/tables", body))["id"]
            everybody = [*people, watcher]
            firsts = []
            for person in everybody:
                await person.connect()
                firsts.append(await person.watch(table))
            for person in people[1:]:
                await person.post(f"/api/tables/{table}/join", {})
            heard = await asyncio.gather(
                *(
                    play_out(person, first, random.Random(number))
                    for number, (person, first) in enumerate(zip(everybody, firsts, strict=True))
                )
            )
            record = heard[0][-1]["game"]["finished"]["record"]
            path = f"/api/records/{record}/replay"
            await ready(watcher.http, path)
            for viewer, messages in zip((*range(len(people)), None), heard, strict=True):
                live = [each for each in messages if each["what"]["kind"] in ("dealt", "acted")]
                asked = "spectator" if viewer is None else viewer
                told = await watcher.get(f"{path}?viewer={asked}")  # anybody may look from any side
                assert len(told["steps"]) == len(live)
                for step, message in zip(told["steps"], live, strict=True):
                    check_step(step, message, viewer)
            for person in everybody:
                await person.close()

    run(story())


def test_who_looks_on_must_exist(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            made = await ann.post("/api/records", played("linko", "classic", 3).to_dict())
            path = f"/api/records/{made['id']}/replay"
            tags = set()
            for viewer in ("", "?viewer=0", "?viewer=1", "?viewer=2", "?viewer=spectator"):
                answer = await ann.ask("GET", path + viewer)
                assert answer.status_code == 200
                tags.add(answer.headers["etag"])
                again = await ann.http.get(path + viewer, headers={"if-none-match": answer.headers["etag"]})
                assert again.status_code == 304
            assert len(tags) == 5
            for wrong in ("3", "-1", "-2", "00", "+1", "1.0", "%D9%A1", "", "open", "Spectator", "x" * 5000):
                answer = await ann.ask("GET", f"{path}?viewer={wrong}")
                assert answer.status_code == 400, wrong
                assert answer.json() == {
                    "code": "options", "text": "viewer must be a seat from 0 to 2, or spectator",
                }  # fmt: skip
            assert (await ann.ask("GET", "/api/records/nothing/replay?viewer=0")).status_code == 404

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


def slow_replay(found: FinishedGame, viewer: Viewer, packed: bool) -> bytes | None:
    time.sleep(0.3)
    return replay_json(found, viewer, packed)


def test_games_go_on_while_replays_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Making replays keeps no request waiting for long, however many are asked for."""

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            made = await ann.post("/api/records", played("blocco", "standard", 4).to_dict())
            monkeypatch.setattr(handler, "replay_json", slow_replay)
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
    for viewer in (0, 2, None, OPEN):
        packed = replay_json(found, viewer, True)
        assert packed == replay_json(found, viewer, True)
        assert packed is not None
        assert gzip.decompress(packed) == replay_json(found, viewer, False)


def test_the_work_can_be_done_elsewhere() -> None:
    """In another process: the work, what it takes and what it gives can be sent there."""
    asked = (replay_json, (kept(played("linko", "duel", 2)), 1, True))
    work, values = pickle.loads(pickle.dumps(asked))
    assert pickle.loads(pickle.dumps(work(*values))) == asked[0](*asked[1])
