"""The page, its files, and the description of the interface."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx
import pytest

from lynxden.server.http import app, pages
from lynxden.server.http.site import page
from tests.server.answers import check_headers
from tests.server.kit import check_telling, free_data, run, serving


class Page(HTMLParser):
    """What a page holds that could load or run something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


def test_the_description_runs_and_loads_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("<script>x</script>") as ann:
            answer = await ann.http.get("/api/schema")
            assert answer.headers["content-type"] == "text/html; charset=utf-8"
            found = Page(answer.text)
            assert not found.tags & {"script", "link", "img", "iframe", "object", "embed", "form", "base"}
            assert not [
                name for name, _ in found.attributes if name.startswith("on") or name in ("src", "style")
            ]
            links = {value for name, value in found.attributes if name == "href"}
            assert all(link.startswith("#") or link == "/api/schema/openapi.json" for link in links)
            targets = {value for name, value in found.attributes if name == "id"}
            assert {link[1:] for link in links if link.startswith("#")} <= targets, "a link leads nowhere"
            assert "url(" not in answer.text
            assert "@import" not in answer.text
            schema = (await ann.http.get("/api/schema/openapi.json")).json()
            for path in schema["paths"]:
                assert path in answer.text

    run(story())


def test_the_page_escapes_everything() -> None:
    bad = "<script>alert(1)</script>'\"&"
    schema: dict[str, Any] = {
        "info": {"title": bad, "description": bad},
        "paths": {
            f"/{bad}": {
                "get": {
                    "description": bad,
                    "requestBody": {"content": {"x": {"schema": {"$ref": f"#/{bad}"}}}},
                    "responses": {bad: {"description": bad, "content": {"x": {"schema": {"type": bad}}}}},
                }
            }
        },
        "components": {
            "schemas": {bad: {"description": bad, "properties": {bad: {"description": bad, "type": [bad]}}}}
        },
    }
    text = page(schema)
    assert "<script" not in text
    assert "alert(1)" in text
    assert "script" not in Page(text).tags


def test_the_page_and_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = {
        "/index.html": pages.File(b"<!doctype html>index", None, "text/html"),
        "/robots.txt": pages.File(b"nothing for you", None, "text/plain"),
        "/assets/app-1.js": pages.File(b"let x", None, "text/javascript"),
    }
    (tmp_path / "secret.txt").write_text("secret")

    async def story() -> None:
        monkeypatch.setattr(app, "_page", lambda: built)
        async with serving(free_data(tmp_path)) as server, httpx.AsyncClient(base_url=server.url) as http:
            for path in ("/", "/me/x", "/t/x?i=<script>alert(1)</script>", "/t/..%5c..", "/g/%00", "/me/%ff"):
                answer = await http.get(path)
                assert answer.content == b"<!doctype html>index"
                check_headers(answer)
                assert answer.headers["cache-control"] == "no-cache"
            for path in ("/robots.txt", "/robots.txt/", "//robots.txt"):
                answer = await http.get(server.url + path)
                assert answer.status_code in (200, 308) or answer.json()["code"] == "not-found", path
                check_headers(answer)
            answer = await http.get("/assets/app-1.js")
            assert answer.text == "let x"
            check_headers(answer)
            for name in ("app-1.jsx", "..%2fsecret.txt", "%2e%2e%2findex.html", "%00", "x" * 201, "%ff"):
                answer = await http.get(f"{server.url}/assets/{name}")
                assert answer.status_code in (400, 404)
                assert answer.json()["code"] in ("not-found", "malformed")
                check_telling(answer.text)
        monkeypatch.setattr(app, "_page", dict)
        async with serving(free_data(tmp_path)) as server, httpx.AsyncClient(base_url=server.url) as http:
            answer = await http.get("/")  # not built
            assert answer.status_code == 503
            check_headers(answer)

    run(story())


def test_a_mistyped_address_shows_the_page_to_people_and_an_error_to_programs(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, httpx.AsyncClient(base_url=server.url) as http:
            for_people = await http.get("/nowhere", headers={"accept": "text/html"})
            assert for_people.status_code == 404
            assert for_people.headers["content-type"].startswith("text/html")
            for_programs = await http.get("/nowhere")
            assert (for_programs.status_code, for_programs.json()["code"]) == (404, "not-found")
            inside = await http.get("/api/nowhere", headers={"accept": "text/html"})
            assert inside.json()["code"] == "not-found"

    run(story())
