"""Builds the documentation as a site: into the package, where the server finds it and serves it at /docs.

    python -m tools.docs_site                   # make docs
    python -m tools.docs_site --out FOLDER

The pages are those of the folder docs, and a few more of the repository. They are put together in a folder
of their own, with a page of the API for every public module, and given to Sphinx; a warning is an error. It
works without a network and runs no script but from its own files, so that the server's rules for pages hold
for it too.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
OUT = ROOT / "src" / "lynxden" / "server" / "site"

PARTS: dict[str, list[str]] = {
    "Play": [
        "docs/play.md",
        "docs/rules/linko.md",
        "docs/rules/blocco.md",
        "docs/strategy.md",
        "docs/strategy-blocco.md",
    ],
    "Host": ["docs/hosting.md", "CHANGELOG.md"],
    "Program": [
        "docs/engine.md",
        "docs/environments.md",
        "docs/protocol.md",
        "docs/records.md",
        "examples/README.md",
        "docs/api.md",
    ],
    "Research": [
        "docs/bots.md",
        "docs/arena.md",
        "docs/strength/README.md",
        "docs/analysis.md",
        "docs/training.md",
        "bench/results.md",
    ],
    "Change": [
        "docs/architecture.md",
        "docs/adding-a-game.md",
        "docs/decisions/README.md",
        "docs/glossary.md",
        "CONTRIBUTING.md",
    ],
}
"""The navigation: pages by their place in the repository. One that does not exist (yet) is left out."""

MODULES = {
    "lynxden": "Positions, views, actions, errors",
    "lynxden.games.linko": "Linko",
    "lynxden.games.blocco": "Blocco",
    "lynxden.games.match": "Matches",
    "lynxden.games.deals": "Deals",
    "lynxden.batch": "Many games at once",
    "lynxden.records": "Game records",
    "lynxden.bots": "Bots",
    "lynxden.arena": "Comparing bots",
    "lynxden.envs": "Environments",
    "lynxden.envs.pettingzoo": "Environments: PettingZoo",
    "lynxden.envs.gymnasium": "Environments: Gymnasium",
    "lynxden.envs.openspiel": "Environments: OpenSpiel",
}
"""What programs import."""

CONF = """
project = "Lynxden"
author = "Lynxden"
release = version = {version!r}
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = []
myst_heading_anchors = 6
myst_enable_extensions = []
html_theme = "furo"
html_title = "Lynxden"
html_logo = "icon.svg"
html_favicon = "icon.svg"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_static_path = ["own"]
html_css_files = ["lynxden.css"]
html_theme_options = {{
    "light_css_variables": {{"color-brand-primary": "#1f6f5c", "color-brand-content": "#1f6f5c"}},
    "dark_css_variables": {{"color-brand-primary": "#7fd1b9", "color-brand-content": "#7fd1b9"}},
}}
pygments_style = "friendly"
pygments_dark_style = "monokai"
default_role = "py:obj"
add_module_names = False
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
python_use_unqualified_type_names = True
suppress_warnings = ["misc.highlighting_failure", "ref.python"]
nitpicky = False
"""

STYLE = """
.content { overflow-wrap: anywhere; }
article table { display: block; overflow-x: auto; }
.sidebar-brand-text { font-size: 1.3rem; }
.sidebar-logo { max-width: 4.5rem; margin: 0; }
"""

LINK = re.compile(r"(!?\[(?:[^\]\[]|\[[^\]]*\])*\])\(([^)\s]+)\)")
SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def build(out: Path) -> None:
    """Build the site; `SystemExit` if anything is not in order."""
    try:
        from sphinx.cmd.build import main as sphinx
    except ImportError:
        raise SystemExit("the site needs Sphinx, Furo and MyST: pip install 'lynxden[docs]'") from None
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / "source", Path(folder) / "made"
        _put_together(source)
        if sphinx(["-q", "-W", "--keep-going", "-j", "1", "-d", f"{folder}/trees", str(source), str(made)]):
            raise SystemExit("the site was not built: see above")
        _without_inline_scripts(made)
        shutil.rmtree(made / "_sources", ignore_errors=True)
        for useless in (".buildinfo", "objects.inv"):
            (made / useless).unlink(missing_ok=True)
        check(made)
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(made, out)


def pages() -> list[str]:
    """Every page of the site by its place in the repository."""
    named = [page for part in PARTS.values() for page in part]
    others = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
    return [page for page in dict.fromkeys([*named, *others]) if (ROOT / page).is_file()]


def _put_together(source: Path) -> None:
    """The sources of the site, in the same folders as in the repository."""
    from lynxden import __version__

    source.mkdir()
    (source / "conf.py").write_text(CONF.format(version=__version__), encoding="utf-8")
    (source / "own").mkdir()
    (source / "own" / "lynxden.css").write_text(STYLE, encoding="utf-8")
    shutil.copy(ROOT / "web" / "public" / "icon.svg", source)
    shutil.copytree(ROOT / "docs" / "pictures", source / "pictures")
    wanted = pages()
    for page in wanted:
        target = source / place(page)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_linked(page, set(wanted)), encoding="utf-8")
    (source / "api").mkdir()
    for name in MODULES:
        (source / "api" / f"{name}.rst").write_text(_reference(name), encoding="utf-8")
    listed = "\n".join(f"api/{name}" for name in MODULES)
    (source / "api.md").write_text(API.format(modules=listed), encoding="utf-8")
    trees = "\n".join(_tree(part, [*wanted, "docs/api.md"]) for part in PARTS)
    (source / "index.md").write_text(INDEX + trees, encoding="utf-8")
    _add_tree(source / "decisions/README.md", "[0-9]*")
    _add_tree(source / "strength/README.md", "*/report")


def place(page: str) -> str:
    """Where a page of the repository is on the site."""
    return page.removeprefix("docs/") if page.startswith("docs/") else f"project/{page}"


INDEX = """# Lynxden

Here you find out how to play Linko and Blocco, how to host them for others, and how to program with them. To
play, go <a href="/">to the table</a>; everything is explained there too.

- **Play**: how to start, with whom, and the rules. Begin with [Play](play.md).
- **Host**: a server of your own, from a laptop for an evening to several machines: [Hosting](hosting.md).
- **Program**: the engine from Python, bots in any language: [A tour of the engine](engine.md).
- **Research**: how strong the bots are, and how they learned: [Bots](bots.md).
- **Change**: where everything is and why: [Architecture](architecture.md).

"""
API = """# API reference

Here you look up what programs can import: every public name with its docstring.
[A tour of the engine](engine.md) shows how they belong together.

```{{toctree}}
:maxdepth: 1

{modules}
```
"""


def _tree(part: str, there: list[str]) -> str:
    entries = "\n".join(place(page).removesuffix(".md") for page in PARTS[part] if page in there)
    return f"```{{toctree}}\n:caption: {part}\n:hidden:\n\n{entries}\n```\n"


def _add_tree(page: Path, pattern: str) -> None:
    with page.open("a", encoding="utf-8") as file:
        file.write(f"\n```{{toctree}}\n:hidden:\n:glob:\n\n{pattern}\n```\n")


def _linked(page: str, there: set[str]) -> str:
    """A page in which links to files that are not part of the site are their names alone."""

    def replaced(match: re.Match[str]) -> str:
        text, target = match.groups()
        path, mark, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:", target):
            return match[0]
        where = os.path.normpath(Path(page).parent / path)
        where = next((each for each in (where, f"{where}/README.md") if each in there), where)
        if where in there or where.startswith("docs/pictures/"):
            return f"{text}({os.path.relpath(place(where), Path(place(page)).parent)}{mark}{anchor})"
        return text[1:-1] if "`" in text else f"{text[1:-1]} (`{where}`)"

    lines, block = [], False
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        block ^= line.startswith("```")
        lines.append(line if block else LINK.sub(replaced, line))
    return "\n".join(lines) + "\n"


def _reference(name: str) -> str:
    """The page of a module: what it says of itself, and every public name."""
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        raise SystemExit(f"the page of {name} needs its library ({error}): pip install -e '.[dev]'") from None
    title = MODULES[name]
    own = [each for each, found in vars(module).items() if getattr(found, "__module__", None) == name]
    names = getattr(module, "__all__", None) or [each for each in own if not each.startswith("_")]
    members = f"   :members: {', '.join(names)}\n   :imported-members:\n   :undoc-members:"
    return f"{title}\n{'=' * len(title)}\n\n.. automodule:: {name}\n{members}\n"


def _without_inline_scripts(site: Path) -> None:
    """Move scripts of pages into files of their own: the server lets pages run nothing else."""
    for page in site.rglob("*.html"):
        above = "../" * len(page.relative_to(site).parent.parts)

        def moved(match: re.Match[str], above: str = above) -> str:
            name = f"inline-{hashlib.sha256(match[1].encode()).hexdigest()[:12]}.js"
            (site / "_static" / name).write_text(match[1], encoding="utf-8")
            return f'<script src="{above}_static/{name}"></script>'

        page.write_text(SCRIPT.sub(moved, page.read_text(encoding="utf-8")), encoding="utf-8")


def check(site: Path) -> None:
    """That links within the site lead somewhere, and that nothing is loaded from elsewhere."""
    wrong, anchors = [], {}
    texts = {page: page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    for page, text in texts.items():
        anchors[page] = set(re.findall(r'\bid="([^"]+)"', text))
    for page, text in texts.items():
        where = page.relative_to(site)
        if re.search(r"<script(?![^>]*\ssrc=)|<[a-z][^>]*\son[a-z]+=", text):
            wrong.append(f"{where}: runs a script that is part of the page")
        wrong += [
            f"{where}: loads {url}"
            for url in re.findall(r'<(?:script|img|link|iframe)[^>]*(?:src|href)="([a-z]+:[^"]*)"', text)
            if not url.startswith("data:")
        ]
        for link in re.findall(r'<a\b[^>]*\shref="([^"]+)"', text):
            if re.match(r"[a-z]+:", link) or link == "/":
                continue
            path, _, anchor = link.partition("#")
            target = Path(os.path.normpath(page.parent / path)) if path else page
            if not target.exists():
                wrong.append(f"{where}: {link} leads nowhere")
            elif anchor and anchor not in anchors.get(target, {anchor}):
                wrong.append(f"{where}: there is no #{anchor} in {path or where}")
    for style in site.rglob("*.css"):
        if re.search(r"url\(\s*['\"]?(?:https?:)?//|@import", style.read_text(encoding="utf-8")):
            wrong.append(f"{style.relative_to(site)}: loads something from elsewhere")
    if wrong:
        raise SystemExit("\n".join(sorted(set(wrong))))


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the documentation as a site.")
    parser.add_argument("--out", type=Path, default=OUT, help="where to; by default into the package")
    out: Path = parser.parse_args().out
    build(out)
    sys.stdout.write(f"{out}/index.html\n")


if __name__ == "__main__":
    main()
