"""Ten thousand attempts to break the socket with made-up messages."""

from __future__ import annotations

import asyncio
import json
import random
import string
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lynxden.server import protocol
from lynxden.server.errors import Code
from lynxden.server.serve import MOST_MESSAGE
from tests.server.clock import FakeClock
from tests.server.hostile import duel, enter, quiet, still_lives
from tests.server.kit import Client, Message, check_telling, free_data, play_out, run, serving

KINDS = {"hello", "table", "happened", "ack", "refused", "chat", "lobby", "pong", "watchers"}
"""Everything that the server may send."""
ALPHABET = string.printable + "äß🦊\u202e\u200d\0\ud7ff"


class Fuzzer:
    """Valid messages, and what a seeded chance makes of them."""

    def __init__(self, seed: int, tables: list[str]) -> None:
        self.rng = random.Random(seed)
        self._tables = tables

    def message(self) -> str | bytes:
        """The next message; at most as long as a frame may be."""
        good = self._good()
        kind = self.rng.random()
        if kind < 0.05:
            return json.dumps(good)
        if kind < 0.6:
            return json.dumps(self._bent(good))[: MOST_MESSAGE // 4]
        return self._broken(json.dumps(good).encode())

    def _good(self) -> Message:
        rng = self.rng
        table = rng.choice(self._tables)
        return rng.choice(
            [
                {"type": "watch", "table": table, "seen": rng.randrange(50), "invite": "x"},
                {"type": "unwatch", "table": table},
                {
                    "type": "act",
                    "table": table,
                    "id": f"f{rng.randrange(99)}",
                    "seen": rng.randrange(80),
                    "action": self._action(),
                },
                {
                    "type": "act",
                    "table": table,
                    "id": f"f{rng.random()}",
                    "seen": 2**53,
                    "action": self._action(),
                },
                {"type": "back", "table": table},
                {"type": "ready", "table": table},
                {"type": "say", "table": table, "text": self._text(20)},
                {"type": "say", "table": table, "phrase": rng.choice(protocol.PHRASES)},
                {"type": "lobby", "on": rng.random() < 0.5},
                {"type": "ping"},
            ]
        )

    def _action(self) -> str:
        words = [
            "play",
            "take",
            "draw",
            "snatch",
            "pass",
            "discard",
            "7",
            "X",
            "13",
            "-1",
            "0",
            "\0",
            "١",
            "",
        ]
        return " ".join(self.rng.choices(words, k=self.rng.randrange(6)))

    def _text(self, most: int) -> str:
        return "".join(self.rng.choices(ALPHABET, k=self.rng.randrange(most)))

    def _value(self, depth: int = 0) -> Any:
        rng = self.rng
        plain = [
            None, True, -1, 0, 2**31, 2**53, 2**53 + 1, 2**63, 2**64, 10**40, -(2**63), 0.5, 1e308, -0.0, "",
            "x" * 70, "watch", rng.choice(self._tables), self._text(30), "../..", "\0", "'; DROP TABLE x; --",
        ]  # fmt: skip
        if depth < 3 and rng.random() < 0.2:
            return [self._value(depth + 1) for _ in range(rng.randrange(4))]
        if depth < 3 and rng.random() < 0.2:
            return {self._text(5): self._value(depth + 1) for _ in range(rng.randrange(4))}
        return rng.choice(plain)

    def _bent(self, message: Message) -> Any:
        """The right form, with wrong parts."""
        rng = self.rng
        found = dict(message)
        for _ in range(rng.randrange(1, 3)):
            match rng.randrange(6):
                case 0:
                    found[rng.choice(list(found) or ["x"])] = self._value()
                case 1:
                    found.pop(rng.choice(list(found) or ["x"]), None)
                case 2:
                    found[self._text(8)] = self._value()
                case 3:
                    found["type"] = rng.choice(
                        ["watch", "act", "say", "hello", "table", "Watch", "", "__class__"]
                    )
                case 4:
                    found = dict(reversed(found.items()))  # the type comes last
                case _:
                    return rng.choice([[found], self._value(), {"type": found}])
        return found

    def _broken(self, data: bytes) -> bytes:
        """Bytes turned, cut, doubled, mixed up."""
        rng = self.rng
        found = bytearray(data)
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(found) + 1)
            match rng.randrange(6):
                case 0 if found:
                    found[at % len(found)] = rng.randrange(256)
                case 1:
                    del found[at : at + rng.randrange(1, 8)]
                case 2:
                    found[at:at] = rng.randbytes(rng.randrange(1, 8))
                case 3:
                    found[at:at] = rng.choice(
                        [b"[", b"{", b'"', b"\\u", b"\\", b"}", b",", b"null", b"1e", b"9" * 30]
                    )
                case 4:
                    found[at:at] = found[: rng.randrange(1, 60)]
                case _:
                    found[at:at] = b"[" * rng.randrange(1200)
        return bytes(found[:MOST_MESSAGE])


async def attack(client: Client, fuzzer: Fuzzer, count: int) -> Counter[str]:
    """Send made-up messages and check every answer; how often each kind of answer came."""
    found: Counter[str] = Counter()
    codes = {code.value for code in Code}
    for number in range(count):
        await client.send(fuzzer.message())
        if number % 20 == 19 or number == count - 1:
            await client.send({"type": "ping"})
            await client.next("pong")
            while client._waiting:
                client._waiting.pop()
            for raw in client.received:
                check_answer(raw, codes, found)
            client.received.clear()
    return found


def check_answer(raw: str, codes: set[str], found: Counter[str]) -> None:
    answer = json.loads(raw)
    assert answer["type"] in KINDS
    if answer["type"] == "refused":
        assert answer["code"] in codes
        assert answer["code"] not in ("internal", "unavailable"), answer
        check_telling(answer["text"])
        found[answer["code"]] += 1
    else:
        found[answer["type"]] += 1


async def play_on(client: Client, table: str, rng: random.Random) -> None:
    """Play to the end, however often something comes in between: look again and go on."""
    while True:
        shown = await client.watch(table)
        if shown["game"].get("finished"):
            return
        legal = shown["game"]["own"]["legal"]
        if legal:
            answer = await client.act(table, rng.choice(legal), shown["number"])
            assert answer["type"] == "ack" or answer["code"] in (
                "stale",
                "out-of-turn",
                "illegal",
                "not-running",
            )
        else:
            await client.next("happened", lambda each: each["what"]["kind"] == "acted")


def test_ten_thousand_made_up_messages(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One attacker looks on, another sits at the table with somebody who just wants to play."""

    async def story() -> Counter[str]:
        async with (
            serving(free_data(tmp_path), clock=FakeClock(), chat=1.0) as server,  # limits do not wear off
            await server.arrive("Mallory") as mallory,
            await server.arrive("Zoe") as zoe,
        ):
            first, second, table, _ = await duel(server)
            alone = await zoe.post("/api/play", {"players": 3, "speed": "instant"})
            await zoe.connect()
            await mallory.connect()
            inside = await Client.arrive(server.url, token=str(second.http.cookies["lynxden"]))
            await inside.connect()
            tables = [table, alone["id"], "nothing"]
            rng = random.Random(3)
            games = asyncio.gather(
                play_out(zoe, await zoe.watch(alone["id"]), rng),
                play_out(first, await enter(first, table), rng),
                play_on(second, table, rng),
            )
            attacks = await asyncio.gather(
                attack(mallory, Fuzzer(1, tables), 6000), attack(inside, Fuzzer(2, tables), 4000)
            )
            await games
            for client in (first, second, zoe, mallory, inside):
                await still_lives(client)
            assert (await zoe.get("/api/statistics"))["tables"]["over"] == 2
            for client in (first, second, inside):
                await client.close()
            return attacks[0] + attacks[1]

    found = run(story())
    quiet(caplog)
    assert found["malformed"] > 4000
    assert {"pong", "table", "chat", "lobby", "not-found", "not-watching", "stale", "too-much"} <= set(
        found
    ), found
