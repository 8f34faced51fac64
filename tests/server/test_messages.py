"""The socket under attack: messages that are none, and odd texts where ids are expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.hostile import duel, look, quiet, still_lives
from tests.server.kit import check_telling, free_data, run, serving

LONG, DIGITS = "x" * 65, "9" * 5000
NONSENSE: list[str | bytes] = [
    "", " ", "x", "null", "true", "5", "-0", '"ping"', "[]", "{}", "[[]]", "[" * 8000, '{"x":' * 1500,
    '{"type":1}', '{"type":null}', '{"type":""}', '{"type":"nonsense"}', '{"type":"Ping"}',
    '{"type":"hello"}', '{"type":"ping"', '{"type":"ping"}}', '{"type":"ping"} x', '{"type":"ping","more":1}',
    '{"Type":"ping"}', '{"type":["ping"]}', "{'type':'ping'}", '\ufeff{"type":"ping"}',
    '{"type":"lobby","on":1}', '{"type":"lobby","on":"yes"}', '{"type":"watch"}',
    '{"type":"watch","table":1}', '{"type":"watch","table":""}', '{"type":"watch","table":null}',
    f'{{"type":"watch","table":"{LONG}"}}',
    '{"type":"watch","table":"\\ud800"}', '{"type":"watch","table":"\\u00"}',
    '{"type":"watch","table":"\x01"}', f'{{"type":"watch","table":"x","invite":"{LONG}"}}',
    '{"type":"act","table":"x","id":"1","seen":1}',
    *(f'{{"type":"watch","table":"x","seen":{seen}}}' for seen in (
        -1, '"1"', 1.5, "true", "NaN", "Infinity", "1e999", 2**53 + 1, 2**64, DIGITS, "-" * 5000, "[]")),
    '{"type":"act","table":"x","id":"","seen":1,"action":"pass"}',
    f'{{"type":"act","table":"x","id":"{LONG}","seen":1,"action":"pass"}}',
    f'{{"type":"act","table":"x","id":"1","seen":1,"action":"{4 * LONG}"}}',
    f'{{"type":"say","table":"x","text":"{20 * LONG}"}}',
    '{"x":' + "[" * 8000, '{"type":"ping","x":' + "[" * 8000, '{"x":' + "[" * 4000 + "]" * 4000 + "}",
    b"\x00", b"\xff\xfe", b'{"type":"watch","table":"\xff"}', b'{"type":"\xc0\xaf"}',
    '{"type":"ping"}'.encode("utf-16"),
]  # fmt: skip


def test_nonsense_is_refused_and_nothing_else_happens(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            await ann.connect()
            for message in NONSENSE:
                refused = await ann.refused(message)
                assert refused["code"] == "malformed", message
                assert len(refused["text"]) < 300
                check_telling(refused["text"])
            await still_lives(ann)
            await ann.send(b'{"type":"ping"}')  # a binary frame with a good message is a message
            await ann.next("pong")

    run(story())
    quiet(caplog)


def test_ids_with_odd_characters(database_url: str, caplog: pytest.LogCaptureFixture) -> None:
    """Databases differ in what texts they can be asked about."""

    async def story() -> None:
        async with serving(database_url) as server, await server.arrive() as ann:
            await ann.connect()
            for odd in (
                "\0",
                "a\0b",
                "\n",
                "' OR 1=1 --",
                "%",
                "_",
                "\\",
                "..",
                "ä",
                "🦊",
                "\u202e",
                "*",
                "* x",
                "lobby",
            ):
                refused = await ann.refused({"type": "watch", "table": odd})
                assert refused["code"] == "not-found"
                for kind in ("unwatch", "back", "ready"):
                    refused = await ann.refused({"type": kind, "table": odd})
                    assert refused["code"] == "not-watching"
                answer = await ann.http.get("/api/me/games", params={"before": odd})
                assert answer.status_code == 404
                answer = await ann.http.post("/api/me/claim", json={"secret": odd})
                assert answer.status_code == 401
            table = (await ann.post("/api/tables", {}))["id"]
            assert (await ann.watch(table, invite="\0\n"))["info"]["id"] == table
            refused = await ann.refused({"type": "say", "table": table, "phrase": "\0"})
            assert refused["code"] == "options"
            await ann.send({"type": "say", "table": table, "text": "a\0b\nc"})
            assert (await ann.next("chat"))["line"]["text"] == "a b c"

    run(story())
    quiet(caplog)


def test_action_ids_may_be_anything(database_url: str) -> None:
    async def story() -> None:
        async with serving(database_url) as server:
            first, second, table, _ = await duel(server)
            legal, seen = await look(first, table)
            odd = "\0\n'\"\\🦊\u202e"
            answer = await first.act(table, legal[0], seen, odd)
            assert answer["type"] == "ack"
            assert answer["id"] == odd
            assert await first.act(table, legal[0], seen, odd) == answer
            server.live.tables.loaded.clear()  # from the log, as after a restart
            first.received.clear()
            assert (await second.get(f"/api/tables/{table}"))["number"] == answer["number"]
            await first.close()
            await second.close()

    run(story())
