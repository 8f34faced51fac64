"""Links as a crawler sees them: without an identity, and without what stands after the #."""

from __future__ import annotations

import html
import re
from pathlib import Path

import httpx

from tests.server.kit import free_data, run, serving
from tests.server.test_tables import finish, leave_all, seated


async def fetched(url: str, path: str) -> dict[str, str]:
    """The tags of a page, as a crawler reads them."""
    async with httpx.AsyncClient(headers={"user-agent": "crawler/1.0"}) as http:
        answer = await http.get(url + path)
    assert answer.status_code == 200
    found = re.findall(r'<meta property="(og:[\w:]+)" content="([^"]*)">', answer.text)
    assert answer.text.index("og:title") < answer.text.index("</head>")
    return {name: html.unescape(value) for name, value in found}


def test_pages_have_a_title_a_text_and_a_picture(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive('Ann <b>"&') as ann:
            home = await fetched(server.url, "/")
            assert home["og:title"] == "Lynxden"
            assert home["og:url"] == server.url + "/"
            async with httpx.AsyncClient() as http:
                picture = await http.get(home["og:image"])
                assert picture.content.startswith(b"\x89PNG")
                assert (await http.get(server.url + "/favicon.ico")).content.startswith(b"\0\0\1\0")
                robots = (await http.get(server.url + "/robots.txt")).text
                assert "Disallow: /api/" in robots
                assert "offline" in (await http.get(server.url + "/offline.html")).text
            seats = [{"kind": "open"}] * 3
            open_table = await ann.post("/api/tables", {"seats": seats, "public": True, "edition": "expert"})
            shown = await fetched(server.url, f"/t/{open_table['id']}")
            assert shown["og:title"] == "A table of Linko (expert)"
            assert shown["og:description"] == 'Ann <b>"&: 2 free seats. Open the link to join.'
            hidden = await ann.post("/api/tables", {"seats": [{"kind": "invited"}] * 3, "public": False})
            for path in (f"/t/{hidden['id']}", "/t/nothinghere1"):
                shown = await fetched(server.url, path)
                assert shown["og:title"] == "You’re invited to a game", "whether it exists is not told"
                assert "Ann" not in shown["og:description"]
            assert (await fetched(server.url, f"/p/{ann.id}"))["og:title"] == 'Ann <b>"& at Lynxden'
            assert (await fetched(server.url, "/p/nobody"))["og:title"] == "A player at Lynxden"

    run(story())


def test_replays_tell_the_result_unless_they_are_private(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            people, table = await seated(server, "Ann", "Ben", edition="classic", public=True)
            await finish(people, table)
            (game,) = await people[0].get("/api/me/games")
            shown = await fetched(server.url, f"/g/{game['id']}")
            assert shown["og:title"] == "Linko (classic): the replay"
            assert re.match(r"(Ann|Ben) −?\d+, (Ann|Ben) −?\d+\. Watch", shown["og:description"])
            await leave_all(people)
            people, table = await seated(
                server, "Cleo", "Dan", edition="classic", public=False, spectators=False
            )
            await finish(people, table)
            (game,) = await people[0].get("/api/me/games")
            assert game["private"]
            shown = await fetched(server.url, f"/g/{game['id']}")
            assert shown["og:title"] == "A game at Lynxden"
            assert "Cleo" not in shown["og:description"]
            await leave_all(people)

    run(story())
