"""The documentation cannot drift: its examples run, its links lead somewhere, and it leaves nothing out."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from lynxden.cli import app
from lynxden.games.registry import GAMES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [
    page
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
    if page.is_file()
]
WITH_EXAMPLES = [page for page in PAGES if "```python" in page.read_text(encoding="utf-8")]
SECONDS = 300


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def marked_lines(page: Path) -> Iterator[tuple[str, str | None]]:
    """Each line with the language of the block it is in; None outside of blocks. Fences are empty lines."""
    language: str | None = None
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            language = line[3:].strip() if language is None else None
            yield "", language
        else:
            yield line, language
    assert language is None, f"{name(page)} has a block that is not closed"


def examples(page: Path) -> str:
    """The Python blocks of a page as one program, in which every line keeps its number."""
    return "\n".join(line if language == "python" else "" for line, language in marked_lines(page)) + "\n"


def prose(page: Path) -> str:
    """A page without its blocks and without code in its sentences."""
    text = "\n".join(line for line, language in marked_lines(page) if language is None)
    return re.sub(r"`[^`\n]*`", "", text)


def links(page: Path) -> list[str]:
    text = prose(page)
    inline = re.findall(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)", text)
    return [*inline, *re.findall(r"^\s{0,3}\[[^\]]+\]:\s*(\S+)", text, re.MULTILINE)]


def anchors(page: Path) -> set[str]:
    """The names of a page's headings, as GitHub makes them."""
    headings = [line for line, language in marked_lines(page) if language is None and line.startswith("#")]
    plain = [re.sub(r"[^\w\- ]", "", heading.lstrip("#").strip().lower()) for heading in headings]
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name)
def test_examples_run(page: Path, tmp_path: Path) -> None:
    """A process of its own, so that no page sees what another one, or a test, has left behind."""
    program = examples(page)
    script = tmp_path / page.name
    script.write_text(program, encoding="utf-8")
    folder = tmp_path / "empty"
    folder.mkdir()
    run = subprocess.run(
        [sys.executable, "-X", "utf8", "-W", "error", str(script)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    assert run.returncode == 0, f"an example of {name(page)} fails (lines as in the page):\n{run.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), f"{name(page)} links to {link}, which does not exist"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{name(page)} links to {link}: there is no such heading"


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_its_rules(game: str) -> None:
    page = DOCS / "rules" / f"{game}.md"
    assert page.is_file()
    assert page.read_text(encoding="utf-8").startswith(f"# {GAMES[game].title}\n")


def test_every_command_is_documented() -> None:
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    commands = [command for command, about in group.commands.items() if not about.hidden]
    assert "play" in commands
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES if page.name != "CONTRIBUTING.md")
    missing = [command for command in commands if not re.search(rf"\blynxden {re.escape(command)}\b", text)]
    assert not missing, f"neither README.md nor docs mention: {', '.join(missing)}"
