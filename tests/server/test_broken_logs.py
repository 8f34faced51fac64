"""A log that cannot be read is a fault of the server's, and is told as one."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from lynxden.games.errors import LynxdenError
from lynxden.games.registry import get_game
from lynxden.server.live import tables as live_tables
from lynxden.server.store import tables
from lynxden.server.store.core import Tx
from lynxden.server.table import entries, views
from lynxden.server.table.state import BrokenLog, read_log
from tests.server.kit import Client, Running, check_telling, free_data, run, serving

LINKO = get_game("linko")
DEALT = entries.encode(entries.Dealt(3, 0, LINKO.deal_of(LINKO.new("classic", 2, 1))))
LOG = [
    '{"kind":"created","at":1,"by":"g","invite":"","rules":2,"plan":{"game":"linko","edition":"classic",'
    '"seats":[{"kind":"open"},{"kind":"open"}]}}',
    '{"kind":"sat","at":2,"seat":0,"guest":"g","name":"A"}',
]


@pytest.mark.parametrize(
    "bodies",
    [
        [],
        ["nonsense"],
        LOG[1:],
        [*LOG, "{}"],
        [*LOG, '{"kind":"sat","at":2,"seat":9,"guest":"g","name":"A"}'],
        [*LOG, DEALT, '{"kind":"acted","at":4,"seat":0,"action":"play 99"}'],
        [*LOG, DEALT, '{"kind":"acted","at":4,"seat":0,"action":"jump"}'],
        [*LOG, '{"kind":"dealt","at":3,"starter":0,"deal":{"deck":[]}}'],
    ],
)
def test_a_broken_log_is_no_fault_of_a_player(bodies: list[str]) -> None:
    with pytest.raises(BrokenLog, match=f"table t is broken, entry {max(1, len(bodies))}") as told:
        read_log("t", bodies)
    assert not isinstance(told.value, LynxdenError)


def test_nor_is_what_somebody_missed() -> None:
    position = LINKO.new("classic", 2, 1)
    for wrong in ("jump", "play 99", "pass"):
        acted = entries.encode(entries.Acted(2, 0, wrong))
        with pytest.raises(BrokenLog, match="entry 8"):
            views.replayed("linko", position.options, 7, [DEALT, acted], 0, None)


async def broken_table(server: Running, ann: Client) -> str:
    """A table with an action in its log that nobody could have played."""
    made = await ann.post(
        "/api/tables",
        {
            "game": "linko",
            "edition": "classic",
            "seats": [{"kind": "open"}, {"kind": "bot", "bot": "random"}],
        },
    )
    table = str(made["id"])
    server.live.tables.stop()
    del server.live.tables.loaded[table]

    def spoil(tx: Tx) -> None:
        last = tables.last(tx, table) or 0
        body = '{"kind":"acted","at":1,"seat":0,"action":"play 99"}'
        tx.run("INSERT INTO entries (table_id, number, body) VALUES (?, ?, ?)", table, last + 1, body)
        tx.run("UPDATE tables SET last = ?, holder = NULL, wake_at = NULL WHERE id = ?", last + 1, table)

    await server.live.context.store.write(spoil)
    return table


@pytest.mark.parametrize("quick", [0, 1000], ids=["in a worker", "at once"])
def test_asking_for_a_broken_table(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, quick: int
) -> None:
    monkeypatch.setattr(live_tables, "QUICK", quick)

    async def story() -> str:
        async with (
            serving(free_data(tmp_path), beat=600.0, lease=6000.0) as server,
            await server.arrive() as ann,
        ):
            await ann.connect()
            table = await broken_table(server, ann)
            caplog.clear()
            for _ in range(2):
                answer = await ann.ask("GET", f"/api/tables/{table}")
                assert (answer.status_code, answer.json()["code"]) == (500, "internal")
                check_telling(answer.text)
                refused = await ann.refused({"type": "watch", "table": table})
                assert (refused["code"], refused["table"]) == ("internal", table)
                check_telling(str(refused))
            return table

    with caplog.at_level(logging.INFO, "lynxden.server"):
        table = run(story())
    told: list[Any] = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert [record.table for record in told] == [table], "once, with the table's id"
    assert "play 99" in str(told[0].exc_info[1]) or "play 99" in str(told[0].exc_text)
