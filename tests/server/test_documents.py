"""The documentation at /docs."""

from pathlib import Path

import pytest

from lynxden.server.http import documents
from tests.server.answers import check_headers
from tests.server.kit import free_data, run, serving


def test_a_built_site_is_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    (site / "_static").mkdir(parents=True)
    (site / "index.html").write_text("<h1>Lynxden</h1>" * 100)
    (site / "_static" / "a.js").write_text("1" * 1000)
    (tmp_path / "secret.html").write_text("secret")
    monkeypatch.setattr(documents, "FOLDER", site)

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Ann") as ann:
            home = await ann.http.get("/docs")
            assert (home.status_code, home.headers["location"]) == (302, "/docs/index.html")
            page = await ann.http.get("/docs/index.html")
            assert (page.status_code, page.text) == (200, "<h1>Lynxden</h1>" * 100)
            assert page.headers["content-type"] == "text/html; charset=utf-8"
            assert page.headers["content-encoding"] == "gzip"
            assert page.headers["cache-control"] == "no-cache"
            check_headers(page)
            assert "script-src 'self';" in page.headers["content-security-policy"]
            again = await ann.http.get("/docs/index.html", headers={"If-None-Match": page.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")
            script = await ann.http.get("/docs/_static/a.js?v=1")
            assert "immutable" in script.headers["cache-control"]
            for wrong in (
                "/docs/none.html",
                "/docs/../secret.html",
                "/docs/%2e%2e/secret.html",
                "/docs/_static",
            ):
                assert (await ann.http.get(wrong)).status_code == 404, wrong

    run(story())


def test_without_a_site_a_page_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "FOLDER", tmp_path / "none")

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Ann") as ann:
            for address in ("/docs", "/docs/index.html"):
                found = await ann.http.get(address)
                assert found.status_code == 404
                assert "make docs" in found.text
                assert found.headers["content-type"] == "text/html; charset=utf-8"

    run(story())
