"""Hidden cards stay hidden: two deals that differ only in what a viewer must not know look the same to them.

A game is played over real sockets. For each viewer another deal is searched for, in which other hands, gifts
and the order of the deck differ, while the viewer may know the same at every moment. That game is played
too, in a world that is otherwise the same: same ids, same time, same messages sent. Then every byte that
the viewer received must be the same, over the socket and over HTTP.
"""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lynxden.games.core import Game, Position
from lynxden.games.registry import get_game
from lynxden.server.table.state import TableState
from tests.server.clock import FakeClock
from tests.server.kit import Client, free_data, run, serving

STEPS = {"linko": 70, "blocco": 40}
"""Actions of each game that are compared; at its end little is left to hide."""
TRIALS = 500
"""Deals that are tried for another one that looks the same."""
CHECKED = 10
"""Every so many actions everybody reconnects, asks by HTTP and talks."""

CASES = [
    ("linko", "classic", 3, 3),
    ("linko", "basic", 4, 4),
    ("linko", "expert", 4, 1),
    ("linko", "duel", 2, 2),
    ("blocco", "standard", 3, 5),
    ("blocco", "standard", 4, 6),
]
QUICK = (CASES[2], CASES[3], CASES[5])
"""Those that are tried each time, with fewer actions; the long checks try all of them at full length."""
FEWER = {"linko": 35, "blocco": 30}


@dataclass(frozen=True)
class World:
    """A deal and what is done in it."""

    start: Position
    actions: tuple[str, ...]


def first_world(
    game: Game, edition: str, players: int, seed: int, steps: int | None = None
) -> tuple[World, list[str]]:
    """A game of random legal actions, cut before its end, and the deck it was dealt from."""
    rng = random.Random(seed)
    deck = list(game.deck)
    rng.shuffle(deck)
    start = position = game.new(edition, players, deck=deck)
    actions: list[str] = []
    while len(actions) < (steps or STEPS[game.name]):
        action = rng.choice(position.legal_actions)
        position = position.apply(action)
        if position.over:
            break
        actions.append(str(action))
    assert len(actions) > 25, "the game is too short to say much: choose another seed"
    return World(start, tuple(actions)), deck


def other_world(world: World, deck: list[str], viewer: int | None, rng: random.Random) -> World:
    """Another deal that the viewer cannot tell from the first, in which as much as possible differs."""
    best: World | None = None
    for _ in range(TRIALS):
        other = list(deck)
        for _ in range(rng.randint(1, 3)):
            a, b = rng.sample(range(len(deck)), 2)
            other[a], other[b] = other[b], other[a]
        found = _follow(world, other, viewer, rng)
        if found is not None and (best is None or difference(world, found) > difference(world, best)):
            best, deck = found, other  # and on from there
    assert best is not None, "no other deal looks the same"
    return best


def difference(one: World, two: World) -> tuple[int, int, int]:
    """In how many things that somebody knows two worlds differ: hands, gifts, and the deck."""
    a: Any = one.start
    b: Any = two.start
    return (
        sum(a.hand(seat) != b.hand(seat) for seat in range(a.players)),
        sum(x != y for x, y in zip(one.actions, two.actions, strict=True)),
        sum(x != y for x, y in zip(a.deck, b.deck, strict=True)),
    )


def _follow(world: World, deck: list[str], viewer: int | None, rng: random.Random) -> World | None:
    """Play the same actions in another deal, as long as the viewer knows the same.

    What others give away unseen may differ; everything else that people do is seen by all.
    """
    game, position = world.start.game, world.start
    start = other = game.new(position.options, position.players, deck=deck)
    if other.view(viewer) != position.view(viewer):
        return None
    actions: list[str] = []
    for action in world.actions:
        done = action
        if action.startswith("give") and position.seat != viewer:
            done = str(rng.choice(other.legal_actions))
        if not other.is_legal(game.parse(done)):
            return None
        position, other = position.apply(action), other.apply(done)
        if other.view(viewer) != position.view(viewer) or other.over:
            return None
        actions.append(done)
    return World(start, tuple(actions))


@dataclass
class Seen:
    """Everything that one viewer received, in order."""

    socket: list[str] = field(default_factory=list)
    http: list[str] = field(default_factory=list)
    watchers: set[str] = field(default_factory=set)
    """Who looks on is told by the clock on the wall, so only what is told can be compared."""

    def note(self, received: list[str]) -> None:
        """All but the answers to pings, which say nothing: what others do may come before or after them."""
        kinds = [json.loads(text)["type"] for text in received]
        pongs = {text for text, kind in zip(received, kinds, strict=True) if kind == "pong"}
        assert pongs <= {'{"type":"pong"}'}
        apart = {"watchers", "pong"}
        self.socket += [text for text, kind in zip(received, kinds, strict=True) if kind not in apart]
        self.watchers.update(text for text, kind in zip(received, kinds, strict=True) if kind == "watchers")


async def witness(tmp: Path, world: World) -> list[Seen]:
    """Play a world on a real server. What each seat received, and last a spectator."""
    ids = (f"id{number}" for number in itertools.count())
    players = world.start.players

    def deal(_: TableState) -> Position:
        return world.start

    fixed = {"deal": deal, "make_id": lambda: next(ids)}
    tmp.mkdir()
    async with serving(free_data(tmp), clock=FakeClock(), services=fixed) as server:
        people = [await server.arrive(f"Person {number}") for number in range(players + 1)]
        made = await people[0].post("/api/tables", options(world, players))
        table = made["id"]
        for person in people[1:players]:
            await person.post(f"/api/tables/{table}/join", {})
        seen = [Seen() for _ in people]
        for person in people:
            await person.connect()
            await person.watch(table)
        await settle(people)
        await play(people, table, world, seen)
        for person, what in zip(people, seen, strict=True):
            what.note(person.received)
            await person.close()
        return seen


def options(world: World, players: int) -> dict[str, Any]:
    start = world.start
    return {
        "game": start.game.name,
        "edition": start.edition,
        "seats": [{"kind": "open"}] * players,
        "public": True,
        "clock": {"kind": "bank", "seconds": 600},
    }


async def play(people: list[Client], table: str, world: World, seen: list[Seen]) -> None:
    position = world.start
    for step, action in enumerate(world.actions):
        await provoke(people, table, position)
        number = (await people[0].get(f"/api/tables/{table}"))["number"]
        actor = people[position.seat or 0]
        answer = await actor.act(table, action, number)
        assert answer["type"] == "ack", answer
        await settle(people)
        position = position.apply(action)
        if step % CHECKED == 0:
            await ask_everything(people, table, seen)
            await come_back(people, table, number - 5, seen)


async def provoke(people: list[Client], table: str, position: Position) -> None:
    """Whoever is not asked tries all the same: what they are told must tell them nothing."""
    for seat, person in enumerate(people):
        if seat != position.seat:
            answer = await person.act(table, "take" if position.game.name == "linko" else "take 1", 10**6)
            assert answer["type"] == "refused"
            assert answer["code"] in ("out-of-turn", "no-seat", "illegal")


async def ask_everything(people: list[Client], table: str, seen: list[Seen]) -> None:
    paths = [f"/api/tables/{table}", "/api/me/tables", "/api/tables", "/api/statistics", "/api/me/games"]
    record = f"/api/records/id{int(table.removeprefix('id')) + 1}"  # drawn after the table's; see `witness`
    paths += [record, f"{record}/result", f"/api/players/{people[0].id}"]
    for person, what in zip(people, seen, strict=True):
        what.http += [f"{path} {(await person.ask('GET', path)).text}" for path in paths]
    for person in people[:-1]:
        await person.send({"type": "say", "table": table, "phrase": "hello"})
        await person.send({"type": "lobby"})
        await settle(people)  # so that they talk in the same order in both worlds


async def come_back(people: list[Client], table: str, number: int, seen: list[Seen]) -> None:
    """Everybody loses the connection, and asks for what was missed."""
    for person, what in zip(people, seen, strict=True):
        what.note(person.received)
        person.received.clear()
        assert person.socket is not None
        await person.socket.close()
        await person.connect()
        message = await person.watch(table, max(0, number))
        assert message["missed"], "there was something to catch up with"
    await settle(people)


async def settle(people: list[Client]) -> None:
    """Until everybody has read everything that was on its way.

    Answers come in order: after the first round all has been done and sent, after the second also read.
    """
    for _ in range(2):
        for person in people:
            await person.send({"type": "ping"})
        for person in people:
            await person.next("pong")


@pytest.mark.parametrize(
    ("name", "edition", "players", "seed", "steps"),
    [
        *((*case, FEWER[case[0]]) for case in QUICK),
        *(pytest.param(*case, STEPS[case[0]], marks=pytest.mark.slow) for case in CASES),
    ],
)
def test_a_viewer_cannot_tell_two_deals_apart(
    tmp_path: Path, name: str, edition: str, players: int, seed: int, steps: int
) -> None:
    world, deck = first_world(get_game(name), edition, players, seed, steps)
    first = run(witness(tmp_path / "first", world))
    rng = random.Random(seed)
    for viewer in (*range(players), None):
        other = other_world(world, deck, viewer, rng)
        assert any(difference(world, other)), "the deals do not differ"
        second = run(witness(tmp_path / f"viewer {viewer}", other))
        place = players if viewer is None else viewer
        for what in ("socket", "http"):
            # When the lobby is sent depends on how busy the machine is: it is compared apart.
            one, two = (
                sorted(getattr(each[place], what), key=lambda text: text.startswith('{"type":"lobby"'))
                for each in (first, second)
            )
            assert len(one) == len(two) > 5
            for number, (here, there) in enumerate(zip(one, two, strict=True)):
                assert here == there, f"{what} message {number} tells viewer {viewer} something"
        for seen in (first[place], second[place]):
            assert seen.watchers <= {watchers(players), watchers(players, f"Person {players}")}
            assert seen.watchers, "the spectator was told"


def watchers(players: int, *names: str) -> str:
    """The message that tells who looks on, byte for byte. Guests and invitation got their ids before."""
    message = {"type": "watchers", "table": f"id{players + 2}", "names": names, "count": len(names)}
    return json.dumps(message, separators=(",", ":"))


def test_what_is_hidden_differs_between_the_worlds() -> None:
    """The search does find worlds with other hands, other decks and (Blocco) other gifts."""
    found = []
    for name, edition, players, seed in (CASES[0], CASES[-1]):
        world, deck = first_world(get_game(name), edition, players, seed)
        rng = random.Random(seed)
        found += [
            difference(world, other_world(world, deck, viewer, rng)) for viewer in (*range(players), None)
        ]
    hands, gifts, decks = (sum(count > 0 for count in counts) for counts in zip(*found, strict=True))
    assert hands > len(found) / 2
    assert gifts > 2
    assert decks > len(found) / 2
