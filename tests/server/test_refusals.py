"""A refusal says which message it refuses: its table and its id, as far as they can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from lynxden.server import protocol
from tests.server.clock import FakeClock
from tests.server.kit import free_data, run, serving


def test_messages_over_the_limit_are_refused_by_name(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path), clock=FakeClock(), messages=1.0) as server,
            await server.arrive() as ann,
        ):
            await ann.connect()
            for _ in range(22):  # as many as are taken at once
                await ann.send({"type": "ping"})
            act = {"type": "act", "table": "k3XwPq7RbTzM", "id": "first", "seen": 3, "action": "pass"}
            refused = await ann.refused(act)
            assert (refused["code"], refused["table"], refused["id"]) == ("too-much", "k3XwPq7RbTzM", "first")
            refused = await ann.refused({"type": "say", "table": "k3XwPq7RbTzM", "text": "Hello?"})
            assert refused["code"] == "too-much"
            assert refused["table"] == "k3XwPq7RbTzM"
            assert "id" not in refused
            assert "table" not in await ann.refused("no JSON")

    run(story())


def test_messages_that_are_not_understood_are_refused_by_name(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            await ann.connect()
            refused = await ann.refused({"type": "act", "table": "k3XwPq7RbTzM", "id": "2", "seen": "three"})
            assert (refused["code"], refused["table"], refused["id"]) == ("malformed", "k3XwPq7RbTzM", "2")

    run(story())


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ('{"table": "a", "id": "b"}', ("a", "b")),
        (b'{"id": "b", "more": [1, {}]}', ("", "b")),
        ('{"table": 7, "id": ["b"]}', ("", "")),
        ('{"table": "' + 65 * "a" + '", "id": "' + 64 * "b" + '"}', ("", 64 * "b")),
        ('{"table": "a"', ("", "")),
        ("[" * 5000, ("", "")),
        (b'{"table": "\xff"}', ("", "")),
        ("[]", ("", "")),
        ("", ("", "")),
    ],
)
def test_what_a_message_says_of_itself(data: str | bytes, named: tuple[str, str]) -> None:
    assert protocol.named_in(data) == named
