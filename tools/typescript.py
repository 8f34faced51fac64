"""Messages and answers as TypeScript, for the page: made from the schemas that the documents are made from.

python -m tools.typescript            shows them
python -m tools.typescript --write    puts them where the page looks for them

What belongs to no game is in `lib`, and names none: it knows of the cards what all games have in common.
Each game's own schemas lie beside its part of the page, without the game's name before theirs.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import msgspec
from msgspec import Struct

from lynxden.games.registry import GAMES
from lynxden.server import protocol, replays
from lynxden.server.http import admin, me, problem, push, records, reports, statistics, tables
from tools.documents import REF, game_forms, prefixed, schema, with_parts

WEB = Path(__file__).parents[1] / "web" / "src"
HEAD = "// Made by `python -m tools.typescript --write` from the server's sources; do not edit.\n"
WIDTH = 110
"""Longer lines are broken, as the page's formatter would."""

NAMES = {"Event": "GameEvent"}
"""Names that a browser has given away already."""
SHARED = {
    "Public": "GamePublic",
    "Private": "GamePrivate",
    "Player": "GamePlayer",
    "Revealed": "GameRevealed",
}
"""What schemas of all games are called, where they would be mistaken for something else."""
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}

API: tuple[ModuleType, ...] = (problem, me, push, tables, records, replays, statistics, reports, admin)
FILLED = {
    ("ReplayStep", "public"): "GamePublic",
    ("ReplayStep", "own"): "GamePrivate | null",
    ("Replay", "breakdown"): "Part[][]",
}
"""Fields of answers whose schema is the game's own."""
REPLACED = {"ReplayPart"}
"""Forms that the page knows by another name."""

Form = dict[str, Any]
"""A JSON Schema."""


def files() -> dict[Path, str]:
    """Everything that is made, by where it belongs."""
    return {
        WEB / "lib" / "protocol.ts": messages(),
        WEB / "lib" / "http.ts": answers(),
        **{WEB / "games" / game / "protocol.ts": of_game(game) for game in GAMES},
    }


# --- The messages -----------------------------------------------------------------------------------------


def messages() -> str:
    """What goes over the socket, and what the cards of all games have in common."""
    forms: dict[str, Form] = schema()["$defs"]
    names = dict(NAMES)
    for form in _forms_of_games():
        names[prefixed(form)] = SHARED.get(form.__name__, form.__name__)
    of_games, lean = {prefixed(form) for form in _forms_of_games()}, _leaving_out()
    made = {}
    for name in forms.keys() - of_games:
        called, found = names.get(name, name), forms[name]
        made[called] = _form(called, found, names, _with_default(found) if name in lean else ())
    return _file({**made, **_in_common(forms, names)})


def _forms_of_games() -> Iterator[type]:
    for game in GAMES:
        yield from game_forms(game)


def _in_common(forms: Mapping[str, Form], names: Mapping[str, str]) -> dict[str, str]:
    """For each schema that every game has, the fields that are the same in all of them."""
    by_game = [{form.__name__: forms[prefixed(form)] for form in game_forms(game)} for game in GAMES]
    made = {}
    for name in by_game[0]:
        if not all(name in found for found in by_game):
            continue
        versions = [found[name] for found in by_game]
        fields = [
            {field: _type(kind, names) for field, kind in version["properties"].items()}
            for version in versions
        ]
        same = {
            field: kind
            for field, kind in versions[0]["properties"].items()
            if all(other.get(field) == fields[0][field] for other in fields)
        }
        called = SHARED.get(name, name)
        said = {version.get("description", "") for version in versions}
        form = {"properties": same, "description": said.pop() if len(said) == 1 else ""}
        made[called] = _form(called, form, names)
    return made


def _leaving_out() -> set[str]:
    """Forms in which fields that have their default value may be missing.

    A client may leave them out, and so does the server where it says so. In all others everything is there.
    """
    sent = [*get_args(protocol.ClientMessage), *get_args(protocol.ServerMessage)]
    return {
        form.__name__
        for form in with_parts(sent)
        if issubclass(form, protocol.FromClient)
        or (issubclass(form, Struct) and form.__struct_config__.omit_defaults)
    }


def _with_default(form: Form) -> set[str]:
    return set(form.get("properties", ())) - set(form.get("required", ()))


# --- A game's own -----------------------------------------------------------------------------------------


def of_game(game: str) -> str:
    """The cards of one game."""
    forms: dict[str, Form] = schema()["$defs"]
    own = {prefixed(form): form.__name__ for form in game_forms(game)}
    return _file({name: _form(name, forms[long], own) for long, name in own.items()})


# --- Requests and answers ---------------------------------------------------------------------------------


def answers() -> str:
    """What goes over HTTP. Forms that the socket knows too are in its file."""
    sent = with_parts([*get_args(protocol.ClientMessage), *get_args(protocol.ServerMessage)])
    own = [form for form in with_parts(list(_api_forms())) if form not in sent]
    _, forms = msgspec.json.schema_components(own, ref_template=REF)
    plain: dict[str, Form] = msgspec.json.decode(msgspec.json.encode(forms))
    made: dict[str, str] = {}
    for form in own:
        name = form.__name__
        if name not in REPLACED:
            # Requests are the forms that refuse what they do not know; what has a default may be left out.
            asked = issubclass(form, Struct) and form.__struct_config__.forbid_unknown_fields
            made[name] = _form(name, plain[name], NAMES, _with_default(plain[name]) if asked else ())
    known = {NAMES.get(form.__name__, form.__name__) for form in sent} | {"GamePublic", "GamePrivate", "Part"}
    used = sorted(name for name in known if re.search(rf": [^;]*\b{name}\b", "".join(made.values())))
    return _file(made, _import(used, "./protocol"))


def _api_forms() -> Iterator[type]:
    for module in API:
        for form in vars(module).values():
            if isinstance(form, type) and issubclass(form, Struct) and form.__module__ == module.__name__:
                yield form


# --- TypeScript -------------------------------------------------------------------------------------------


def _file(made: Mapping[str, str], imports: str = "") -> str:
    return HEAD + imports + "".join(text for _, text in sorted(made.items()))


def _import(names: Sequence[str], source: str) -> str:
    line = f"import type {{ {', '.join(names)} }} from '{source}';\n"
    if len(line) <= WIDTH + 1:
        return line
    return "\n".join(("import type {", *(f"  {name}," for name in names), f"}} from '{source}';\n"))


def _form(name: str, form: Form, names: Mapping[str, str], optional: Collection[str] = ()) -> str:
    """A schema as an interface; a choice as a type."""
    about = f"\n/** {form['description'].strip()} */" if form.get("description") else ""
    if "properties" not in form:
        return f"{about}\n{_line(f'export type {name} =', _type(form, names))}\n"
    lines = [
        _line(
            f"  {field}{'?' if field in optional else ''}:",
            FILLED.get((name, field)) or _type(kind, names),
        )
        for field, kind in form["properties"].items()
    ]
    return "\n".join((f"{about}\nexport interface {name} {{", *lines, "}\n"))


def _line(start: str, kind: str) -> str:
    """A name and its type; a long choice has a line for each."""
    line = f"{start} {kind};"
    if len(line) <= WIDTH or "(" in kind:
        return line
    indent = " " * (len(start) - len(start.lstrip()) + 2)
    if len(indent + kind) < WIDTH:
        return f"{start}\n{indent}{kind};"
    return "\n".join((start, *(f"{indent}| {each}" for each in kind.split(" | ")))) + ";"


def _type(kind: Form, names: Mapping[str, str]) -> str:
    """A schema as a type."""
    if "$ref" in kind:
        name = str(kind["$ref"]).rpartition("/")[2]
        return names.get(name, name)
    if "anyOf" in kind:
        return " | ".join(dict.fromkeys(_type(each, names) for each in kind["anyOf"]))
    if "const" in kind or "enum" in kind:
        values = [kind["const"]] if "const" in kind else kind["enum"]
        return " | ".join(json.dumps(value).replace('"', "'") for value in values)
    match kind.get("type"):
        case "array":
            inner = _type(kind["items"], names) if isinstance(kind.get("items"), dict) else "unknown"
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case "object":
            values = kind.get("additionalProperties")
            return f"Record<string, {_type(values, names) if isinstance(values, dict) else 'unknown'}>"
        case list() as several:
            return " | ".join(PLAIN[each] for each in several)
        case str() as one:
            return PLAIN[one]
    return "unknown"


def main(arguments: Sequence[str]) -> None:
    """Show the files, or write them."""
    for path, text in files().items():
        if "--write" in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        else:
            sys.stdout.write(f"// {path.relative_to(WEB)}\n{text}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
