"""The documentation as a site: it is built without a warning, and leads nowhere that is not there."""

import importlib
import re
from pathlib import Path

import pytest
from tools import docs_site

ROOT = Path(__file__).parents[1]


def test_every_page_has_a_place_in_the_navigation() -> None:
    """Decisions and reports are listed by their own first page."""
    named = {page for part in docs_site.PARTS.values() for page in part}
    missing = [page for page in docs_site.pages() if page not in named]
    assert [page for page in missing if not re.match(r"docs/(decisions|strength)/.", page)] == []


@pytest.mark.parametrize("name", docs_site.MODULES)
def test_every_public_name_is_explained(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__
    for each in getattr(module, "__all__", ()):
        found = getattr(module, each)
        if callable(found):
            assert found.__doc__, f"{name}.{each}"


def test_the_check_of_a_site_finds_what_is_wrong(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    for text, complaint in {
        "<a href='x'></a>": "",
        '<h1 id="top"></h1><a href="#top"></a><a href="/"></a><a href="https://example.org"></a>': "",
        '<a class="x" href="nowhere.html">': "leads nowhere",
        '<a href="#nowhere">': "there is no #nowhere",
        '<script src="https://example.org/x.js"></script>': "loads https",
        "<script>alert(1)</script>": "runs a script",
        '<p onclick="alert(1)">': "runs a script",
    }.items():
        page.write_text(text)
        if complaint:
            with pytest.raises(SystemExit, match=complaint):
                docs_site.check(tmp_path)
        else:
            docs_site.check(tmp_path)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # Sphinx warns MyST of what a later version will remove
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="the extra docs is not installed")
    docs_site.build(tmp_path / "site")
    for page in docs_site.pages():
        assert (tmp_path / "site" / docs_site.place(page)).with_suffix(".html").is_file()
    assert "Position" in (tmp_path / "site" / "searchindex.js").read_text(encoding="utf-8")
