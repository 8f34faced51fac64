"""Links as a crawler sees them: without an identity, and without what stands after the #."""

from __future__ import annotations

import html
import json
import re
import struct
from pathlib import Path

import httpx
import pytest

from lynxden.server.http.preview_words import EDITIONS, WORDS, language_of
from tests.server.kit import free_data, run, serving
from tests.server.test_tables import finish, leave_all, seated

WEB = Path(__file__).parents[2] / "web" / "src"


async def fetched(url: str, path: str, language: str = "") -> dict[str, str]:
    """The tags of a page, as a crawler reads them."""
    headers = {"user-agent": "crawler/1.0"} | ({"accept-language": language} if language else {})
    async with httpx.AsyncClient(headers=headers) as http:
        answer = await http.get(url + path)
    assert "Accept-Language" in answer.headers["vary"]
    assert answer.status_code == 200
    found = re.findall(r'<meta property="(og:[\w:]+)" content="([^"]*)">', answer.text)
    assert answer.text.index("og:title") < answer.text.index("</head>")
    return {name: html.unescape(value) for name, value in found}


async def size_of(picture: str) -> tuple[int, int]:
    """Width and height of a picture, fetched as a crawler would; it has to be a PNG and not too heavy."""
    async with httpx.AsyncClient() as http:
        answer = await http.get(picture)
    assert answer.headers["content-type"] == "image/png"
    assert answer.content.startswith(b"\x89PNG")
    assert len(answer.content) < 300_000, "some messengers show no larger one"
    width, height = struct.unpack(">II", answer.content[16:24])
    return width, height


def test_pages_have_a_title_a_text_and_a_picture(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive('Ann <b>"&') as ann:
            home = await fetched(server.url, "/")
            assert home["og:title"] == "Lynxden"
            assert home["og:url"] == server.url + "/"
            async with httpx.AsyncClient() as http:
                assert (await size_of(home["og:image"])) == (1200, 630)
                assert (await http.get(server.url + "/favicon.ico")).content.startswith(b"\0\0\1\0")
                robots = (await http.get(server.url + "/robots.txt")).text
                assert "Disallow: /api/" in robots
                assert "offline" in (await http.get(server.url + "/offline.html")).text
            seats = [{"kind": "open"}] * 3
            open_table = await ann.post("/api/tables", {"seats": seats, "public": True, "edition": "expert"})
            shown = await fetched(server.url, f"/t/{open_table['id']}")
            assert shown["og:title"] == "A table of Linko (Expert)"
            assert shown["og:description"] == 'Ann <b>"&. Free seats: 2. Open the link to join.'
            assert shown["og:image"] == f"{server.url}/preview-linko.png"
            german = await fetched(server.url, f"/t/{open_table['id']}", "de-AT,de;q=0.9,en;q=0.8")
            assert german["og:title"] == "Ein Tisch Linko (Experte)"
            assert "Freie Plätze: 2" in german["og:description"]
            hidden = await ann.post("/api/tables", {"seats": [{"kind": "invited"}] * 3, "public": False})
            for path in (f"/t/{hidden['id']}", "/t/nothinghere1"):
                shown = await fetched(server.url, path)
                assert shown["og:title"] == "You’re invited to a game", "whether it exists is not told"
                assert "Ann" not in shown["og:description"]
                assert shown["og:image"] == home["og:image"], "nor which game it is"
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
            assert shown["og:title"] == "Linko (Classic): the replay"
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


def test_every_game_has_its_own_picture(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            seen = {(await fetched(server.url, path))["og:image"] for path in ("/", "/ladder", "/how/chess")}
            for game in ("linko", "blocco"):
                people, table = await seated(server, "Ann", "Ben", "Cleo", game=game, public=True)
                paths = [f"/how/{game}", f"/ladder/{game}/standard", f"/t/{table}"]
                await finish(people, table)
                (result,) = await people[0].get("/api/me/games")
                pictures = {
                    (await fetched(server.url, path))["og:image"] for path in [*paths, f"/g/{result['id']}"]
                }
                assert pictures == {f"{server.url}/preview-{game}.png"}
                seen |= pictures
                await leave_all(people)
            assert len(seen) == 3, seen
            for picture in seen:
                assert await size_of(picture) == (1200, 630)

    run(story())


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("nl", "en"),
        ("de", "de"),
        ("pt-BR,it;q=0.8,en;q=0.5", "it"),
        ("en;q=0.4, ko-KR;q=0.9", "ko"),
        ("fr;q=0, pl;q=0.1", "pl"),
        ("de;q=much, ;;,=", "en"),
        ("*", "en"),
    ],
)
def test_the_language_that_a_reader_likes_best(accepted: str, language: str) -> None:
    assert language_of(accepted) == language


@pytest.mark.parametrize("language", WORDS)
def test_previews_call_editions_as_the_page_does(language: str) -> None:
    page = json.loads((WEB / "games" / "linko" / "locales" / f"{language}.json").read_text("utf-8"))
    assert WORDS[language].editions == tuple(page[f"edition.{edition}"] for edition in EDITIONS)
