"""The map of the code is true: every file and name on it exists, and layers are as it draws them."""

import ast
import configparser
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from lynxden.games.registry import GAMES
from tests.test_docs import DOCS, ROOT, marked_lines

PAGES = [DOCS / "architecture.md", DOCS / "glossary.md"]
PACKAGE = ROOT / "src" / "lynxden"
PYTHON = [path for folder in ("src", "tools", "tests") for path in sorted((ROOT / folder).rglob("*.py"))]
WEB = [
    path for path in sorted((ROOT / "web" / "src").rglob("*")) if path.suffix in (".ts", ".svelte", ".json")
]
PATH = re.compile(r"\.?[\w<>.-]+(/[\w<>.-]+)+|[\w.-]+\.(py|ts|svelte|md|json|toml)|\.importlinter")
DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")
WORD = re.compile(r"[A-Za-z_][\w-]*")


def quoted(page: Path) -> list[str]:
    """What a page says in code, outside of blocks, each thing once."""
    text = "\n".join(line for line, language in marked_lines(page) if language is None)
    return sorted(set(re.findall(r"`([^`\n]+)`", text)))


# --- Files ------------------------------------------------------------------------------------------------


def is_file(path: str) -> bool:
    """From the root, from the package, or as the name of a file that every game's page has."""
    if "<game>" in path:
        return all(is_file(path.replace("<game>", game)) for game in GAMES)
    found = any((start / path).exists() for start in (ROOT, PACKAGE))
    return found or ("/" not in path and any(file.name == path for file in WEB))


# --- Names ------------------------------------------------------------------------------------------------


@cache
def names() -> dict[str, set[str]]:
    """What each module and each class has, by its last name: Python's and TypeScript's together."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in PYTHON:
        module = path.parent.name if path.name == "__init__.py" else path.stem
        _add_python(found, module, ast.parse(path.read_text(encoding="utf-8")))
    for path in WEB:
        if path.suffix == ".ts":
            _add_typescript(found, path.name.split(".")[0], path.read_text(encoding="utf-8"))
    return found


def _add_python(found: dict[str, set[str]], owner: str, tree: ast.Module | ast.ClassDef) -> None:
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            _add_python(found, node.name, node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found[owner].add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found[owner] |= {target.id for target in targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.ImportFrom) and isinstance(tree, ast.Module):
            found[owner] |= {each.asname or each.name for each in node.names}
    if isinstance(tree, ast.ClassDef):
        found[owner] |= {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
            and node.value.id == "self"
        }


def _add_typescript(found: dict[str, set[str]], module: str, text: str) -> None:
    owner = module
    for line in text.splitlines():
        top = re.match(r"(?:export )?(?:async )?(class|interface|function|const|type) (\w+)", line)
        member = re.match(r"  (?:private |readonly |async |get )*(\w+)[?(<:=; ]", line)
        if top:
            found[module].add(top[2])
            owner = top[2] if top[1] in ("class", "interface") else module
        elif member and owner != module:
            found[owner].add(member[1])


def is_name(dotted: str) -> bool:
    """Whether there are such a module and such a name in it, or such a class and such a member."""
    parts = dotted.split(".")
    if parts[0] == "lynxden":
        place = PACKAGE.joinpath(*parts[1:])
        if place.is_dir() or place.with_suffix(".py").is_file():
            return True
    return parts[-1] in names().get(parts[-2], set())


@cache
def words() -> set[str]:
    """Every word of the sources."""
    sources = [*PYTHON, *WEB, ROOT / "Makefile", ROOT / ".importlinter"]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    return set(re.findall(r"[\w-]+", text)) | set(re.findall(r"\w+", text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_everything_named_exists(page: Path) -> None:
    protocol = (DOCS / "protocol.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    missing = []
    for text in quoted(page):
        if text.startswith("/"):
            there = f"`{text}`" in protocol
        elif text.startswith("make "):
            there = f"\n{text[5:]}:" in makefile
        elif text.startswith("python -m "):
            there = (ROOT / (text.split()[2].replace(".", "/") + ".py")).is_file()
        elif PATH.fullmatch(text):
            there = is_file(text)
        elif DOTTED.fullmatch(text):
            there = is_name(text)
        elif WORD.fullmatch(text):
            there = text in words()
        else:  # a command, a flag, a pattern
            there = True
        if not there:
            missing.append(text)
    assert not missing, f"{page.name} names what does not exist: {', '.join(missing)}"


@pytest.mark.parametrize("page", sorted((DOCS / "decisions").glob("*.md")), ids=lambda page: page.stem)
def test_decisions_name_files_that_exist(page: Path) -> None:
    missing = [text for text in quoted(page) if PATH.fullmatch(text) and not is_file(text)]
    assert not missing, f"{page.name} names files that do not exist: {', '.join(missing)}"


def test_the_test_finds_mistakes() -> None:
    assert is_file("server/live/actor.py")
    assert is_file("games/<game>/rules.py")
    assert not is_file("server/hub.py")
    assert is_name("LiveTable.change")
    assert is_name("TableState.unsettle")
    assert is_name("lynxden.server.live")
    assert not is_name("LiveTable.tell")
    assert not is_name("commands.change")


# --- Layers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "contract"), [(0, "layers"), (1, "server")])
def test_layers_are_drawn_as_they_are_checked(number: int, contract: str) -> None:
    parser = configparser.ConfigParser()
    parser.read(ROOT / ".importlinter", encoding="utf-8")
    layers = parser[f"importlinter:contract:{contract}"]["layers"].split("\n")
    right = [set(re.findall(r"\w+", layer.replace("lynxden.", ""))) for layer in layers if layer]
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    drawn = re.findall(r"```text\n(.*?)\n```", page, re.DOTALL)[number].splitlines()
    assert len(drawn) == len(right)
    for line, layer in zip(drawn, right, strict=True):
        assert set(line.split()[: len(layer)]) == layer
