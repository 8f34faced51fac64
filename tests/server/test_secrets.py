"""Neither the database nor the log holds a secret."""

from __future__ import annotations

import io
import json
import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from lynxden.server import log_output
from tests.server.answers import finished_record, token
from tests.server.kit import Client, Running, free_data, run, serving


async def whole_session(server: Running) -> list[str]:
    """Somebody uses everything that there is; the secrets that were told them on the way."""
    secrets: list[str] = []
    async with await server.arrive("Ann") as ann, await server.arrive("Ben") as ben:
        secrets += [token(ann), token(ben)]
        link = (await ann.post("/api/me/link"))["path"].rpartition("#")[2]
        async with httpx.AsyncClient(base_url=server.url) as other:
            claimed = await other.post("/api/me/claim", json={"secret": link})
            secrets += [link, claimed.cookies["lynxden"]]
            await other.get(f"/me/{link}")
            await other.post("/api/me/claim", json={"secret": link + "x"})
        bot = await ann.post("/api/me/bots", {"name": "Robo"})
        secrets.append(bot["token"])
        program = await Client.arrive(server.url, token=bot["token"])
        await program.connect()
        made = await ann.post("/api/tables", {"seats": [{}, {"kind": "invited"}], "speed": "instant"})
        secrets.append(made["invite"])
        await ann.connect()
        await ben.connect()
        await ben.watch(made["id"], invite=made["invite"])
        await ben.refused({"type": "watch", "table": made["invite"]})
        await ben.get(f"/api/tables/{made['id']}?invite={made['invite']}")
        await ben.post(f"/api/tables/{made['id']}/join", {"invite": made["invite"]})
        shown = await ann.watch(made["id"])
        await ann.send({"type": "say", "table": made["id"], "text": "hello"})
        await ann.act(made["id"], shown["game"]["own"]["legal"][0], shown["number"])
        await ann.refused({"type": "nonsense", "secret": link})
        await ann.http.get(made["path"])
        mine = [f"/api/me{rest}" for rest in ("", "/tables", "/games", "/ratings", "/bots", "/mutes")]
        all_ = [
            "/api/games",
            "/api/tables",
            "/api/statistics",
            "/api/ladder/linko/classic",
            "/metrics",
            "/readyz",
        ]
        for path in (*mine, *all_, f"/api/players/{ben.id}", f"/api/players/{ben.id}/games"):
            assert (await ann.http.get(path)).status_code == 200
        imported = await ann.post("/api/records", finished_record())
        assert (await ann.http.get(f"/api/records/{imported['id']}?download=true")).status_code == 200
        await ann.ask("PUT", f"/api/me/mutes/{ben.id}")
        await ann.ask("DELETE", f"/api/me/mutes/{ben.id}")
        await ann.ask("PATCH", "/api/me", {"name": "Anna"})
        await ben.post(f"/api/tables/{made['id']}/leave")
        await program.close()
        await ann.ask("DELETE", f"/api/me/bots/{bot['id']}")
        await ann.ask("DELETE", "/api/me/devices")
        await ann.ask("DELETE", "/api/me/link")
    return secrets


def test_the_database_holds_no_token(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            secrets = await whole_session(server)
            invite = secrets.pop()  # an invitation is told to everybody at the table, so it is kept as it is
            files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
            assert any(name.endswith("-wal") for name in files)
            assert any(invite.encode() in data for data in files.values()), "the search finds nothing at all"
            for secret in secrets:
                assert len(secret) == 32
                for name, data in files.items():
                    assert secret.encode() not in data, f"{name} holds a secret"

    run(story())


@contextmanager
def logged(level: str, style: str) -> Iterator[io.StringIO]:
    """What the server logs, as its command sets it up."""
    names = ("lynxden", "lynxden.access", *log_output.OTHERS)
    before = {
        name: (list(logger.handlers), logger.propagate, logger.level)
        for name in names
        for logger in [logging.getLogger(name)]
    }
    real, sys.stderr = sys.stderr, io.StringIO()
    try:
        log_output.set_up(level, style)
        yield sys.stderr
    finally:
        sys.stderr = real
        for name, (handlers, propagate, old) in before.items():
            logger = logging.getLogger(name)
            logger.handlers[:], logger.propagate = handlers, propagate
            logger.setLevel(old)


def test_a_lost_connection_to_the_database_is_not_logged_by_its_driver() -> None:
    """Whoever used it says so, once."""
    driver = logging.getLogger("psycopg")
    with logged("info", "text") as log:
        driver.warning("error ignored terminating %s: %s", "<psycopg.Pipeline>", "the connection is lost")
        driver.error("something else")
    assert re.fullmatch(r"\S+ \S+ ERROR +something else\n", log.getvalue())


@pytest.mark.parametrize("style", ["text", "json"])
def test_the_log_holds_no_secret(tmp_path: Path, style: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> list[str]:
        async with serving(free_data(tmp_path)) as server:
            secrets = await whole_session(server)
            async with await server.arrive() as ann:
                await ann.connect()

                async def fail(key: str) -> Any:
                    raise ZeroDivisionError

                monkeypatch.setattr(server.live.tables, "get", fail)
                await ann.ask("GET", f"/api/tables/x?invite={secrets[-1]}")
                await ann.refused({"type": "watch", "table": "x", "invite": secrets[-1]})
            return secrets

    with logged("debug", style) as log:
        secrets = run(story())
    text = log.getvalue()
    lines = text.splitlines()
    assert sum("/api/me/claim" in line for line in lines) == 2, "the search finds nothing at all"
    assert "ZeroDivisionError" in text
    for secret in secrets:
        assert secret not in text
    if style == "json":
        found = [json.loads(line) for line in lines]
        assert all({"time", "level", "logger", "text"} <= set(line) for line in found)
        assert {line.get("route") for line in found if "traceback" in line} == {None, "/api/tables/{table}"}


def test_log_lines_cannot_be_forged() -> None:
    record = logging.makeLogRecord(
        {"msg": "a message failed", "table": "x\n2026-01-01 00:00:00 INFO forged\x1b[2J"}
    )
    assert "\n" not in log_output.TextFormatter().format(record)
    assert "\x1b" not in log_output.TextFormatter().format(record)
    assert "\n" not in log_output.JsonFormatter().format(record)
