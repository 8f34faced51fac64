"""Secrets that people are told: where they stand in links and cookies, and how long they are good for."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from tests.server.kit import free_data, run, serving


def test_links_hold_their_secret_where_browsers_do_not_send_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            made = await ann.post("/api/tables", {"seats": [{}, {"kind": "invited"}]})
            found = urlsplit(made["path"])
            assert (found.path, found.query, found.fragment) == (f"/t/{made['id']}", "", f"i={made['invite']}")
            found = urlsplit((await ann.post("/api/me/link"))["path"])
            assert (found.path, found.query) == ("/me", "")
            claimed = await ann.post("/api/me/claim", {"secret": found.fragment})
            assert claimed["id"] == ann.id
            played = await ann.post("/api/play", {"speed": "instant"})
            assert urlsplit(played["path"]).query == ""

    run(story())
