"""Makes the parts of the documents that follow from the code, and one JSON Schema of all messages.

    python -m tools.documents --check     # lists the generated parts that are not up to date
    python -m tools.documents --write     # renews them
    python -m tools.documents --schema    # for programs that make types of them

A generated part stands between `<!-- generated: name -->` and `<!-- end -->`. What is said about a field is
the text that stands under it in the source.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import inspect
import json
import re
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct, structs

from lynxden.games.registry import GAMES
from lynxden.server import protocol, serve
from lynxden.server.errors import STATUS, Code
from lynxden.server.http import me, reports, tables
from lynxden.server.http.app import MOST_BYTES, make_app
from lynxden.server.live import audience, connection, identity
from lynxden.server.live.server import LiveServer
from lynxden.server.metrics import Metrics
from lynxden.server.settings import PREFIX, Settings
from lynxden.server.table import entries, plans

DOCS = Path(__file__).parents[1] / "docs"
PAGES = ("protocol.md", "hosting.md")

# --- What the source says -------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Field:
    """A field of a schema."""

    name: str
    kind: Any
    """Its type."""
    about: str
    default: Any = dataclasses.MISSING

    @property
    def needed(self) -> bool:
        return self.default is dataclasses.MISSING


@cache
def texts_under(owner: type) -> dict[str, str]:
    """The text under each field, or each name, of a class."""
    tree = ast.parse(inspect.getsource(owner))
    (body,) = [node.body for node in tree.body if isinstance(node, ast.ClassDef)]
    found = {}
    for node, below in pairwise(body):
        target = node.target if isinstance(node, ast.AnnAssign) else None
        if isinstance(node, ast.Assign):
            target = cast(Any, node.targets[0])
        says = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
        if isinstance(target, ast.Name) and says:
            found[target.id] = _sentence(str(cast(Any, below).value.value))
    return found


def _sentence(text: str) -> str:
    """A text of the source on one line, in the words of JSON."""
    return re.sub(r"\bNone\b", "null", " ".join(text.split()))


def about(form: type) -> str:
    """What the source says of a class itself; nothing if that is what a base or dataclass says."""
    text = form.__dict__.get("__doc__") or ""
    return "" if text.startswith(f"{form.__name__}(") else _sentence(text)


def fields_of(form: type) -> list[Field]:
    """The fields of a schema, in order; a base's with what it says about them."""
    hints = get_type_hints(form, include_extras=True)
    texts: dict[str, str] = {}
    for base in reversed(form.__mro__):
        if base is not object and not issubclass(Struct, base):
            texts |= texts_under(base)
    if issubclass(form, Struct):
        return [
            Field(field.name, hints[field.name], texts.get(field.name, ""), _default(field))
            for field in structs.fields(form)
        ]
    return [
        Field(field.name, hints[field.name], texts.get(field.name, ""), field.default)
        for field in dataclasses.fields(cast(Any, form))
    ]


def _default(field: structs.FieldInfo) -> Any:
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return dataclasses.MISSING if field.required else field.default


def forms_in(kind: Any) -> Iterator[type]:
    """The schemas that a type names."""
    if isinstance(kind, type) and not get_args(kind):
        if issubclass(kind, Struct) or dataclasses.is_dataclass(kind):
            yield kind
        return
    for part in get_args(kind):
        yield from forms_in(part)


def with_parts(forms: Sequence[type]) -> list[type]:
    """Forms and all that their fields are made of, each before its parts."""
    found: dict[type, None] = {}

    def add(form: type) -> None:
        if form not in found:
            found[form] = None
            for field in fields_of(form):
                for part in forms_in(field.kind):
                    add(part)

    for form in forms:
        add(form)
    return list(found)


# --- In words -------------------------------------------------------------------------------------------

GAME_FORMS = ("Public", "Private", "Revealed", "Part")
_RAW: dict[tuple[type, str], tuple[str, str]] = {
    (protocol.GameNow, "public"): ("Public", "{}"),
    (protocol.GameNow, "own"): ("Private", "{}"),
    (protocol.Finished, "revealed"): ("Revealed", "{}"),
    (protocol.Finished, "breakdown"): ("Part", "list of lists of {}"),
}
"""Fields whose schema is the game's own."""


def prefixed(form: type) -> str:
    """A schema's name in the documents; a game's own schemas begin with the game's name."""
    games = [game for game in GAMES if form.__module__.startswith(f"lynxden.games.{game}.")]
    return games[0].capitalize() + form.__name__ if games else form.__name__


def linked(name: str) -> str:
    return f"[{name}](#{name.lower()})"


def words(kind: Any) -> str:
    """A type, for people who write in any language."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        unit = "entries" if get_origin(arguments[0]) in (tuple, list) else "characters"
        return words(arguments[0]) + _limits([meta for meta in arguments[1:] if isinstance(meta, Meta)], unit)
    if origin is Literal:
        return " or ".join(f"`{value}`" for value in arguments)
    if origin in (tuple, list):
        return f"list of {_several(arguments[0])}"
    if origin in (Union, types.UnionType):
        return " or ".join(words(part) for part in arguments)
    if isinstance(kind, type) and (issubclass(kind, Struct) or dataclasses.is_dataclass(kind)):
        return linked(prefixed(kind))
    if origin is dict:
        return "object"
    plain = {str: "text", int: "number", bool: "true or false", float: "decimal number", type(None): "null"}
    return plain[kind]


def _several(kind: Any) -> str:
    """The plural of a type."""
    if get_origin(kind) in (tuple, list):
        return f"lists of {_several(get_args(kind)[0])}"
    if get_origin(kind) is Annotated:
        return _several(get_args(kind)[0]) + words(kind).removeprefix(words(get_args(kind)[0]))
    return {"text": "texts", "number": "numbers", "true or false": "truths"}.get(words(kind), words(kind))


def _limits(metas: Sequence[Meta], unit: str) -> str:
    found = []
    for meta in metas:
        if meta.max_length is not None:
            least = f"{meta.min_length} to " if meta.min_length else "up to "
            found.append(f"{least}{meta.max_length} {unit}")
        if meta.ge is not None:
            most = f" to {meta.le}" if meta.le is not None and meta.le < 2**53 else ""
            found.append(f"from {meta.ge}{most}")
    return f", {', '.join(found)}" if found else ""


def _kind_of(form: type, field: Field) -> str:
    found = _RAW.get((form, field.name))
    if found is None:
        return words(field.kind)
    name, pattern = found
    return " or ".join(pattern.format(linked(game.capitalize() + name)) for game in GAMES)


def _shown(value: Any) -> str:
    """A default value."""
    if value is None or value in ("", (), []):
        return "none" if value is None else "empty"
    if isinstance(value, Struct):
        return "none" if value == plans.Clock() else "`" + msgspec.json.encode(value).decode() + "`"
    return f"`{json.dumps(value)}`"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of a page."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def form_section(form: type, title: str, tag: str = "") -> str:
    """A schema with its fields."""
    parts = [f"### {title}"]
    if about(form):
        parts.append(about(form))
    rows = [["`type`", f"`{tag}`", "", ""]] if tag else []
    for field in fields_of(form):
        default = "" if field.needed else _shown(field.default)
        rows.append([f"`{field.name}`", _kind_of(form, field), default, field.about])
    if len(rows) == (1 if tag else 0):
        parts.append(f'`{{"type": "{tag}"}}`, without further fields.')
    elif any(row[2] for row in rows):
        parts.append(table(["field", "value", "if left out", "meaning"], rows))
    else:
        parts.append(table(["field", "value", "meaning"], [[*row[:2], row[3]] for row in rows]))
    return "\n\n".join(parts)


def tag_of(form: type) -> str:
    return str(cast(Any, form).__struct_config__.tag)


# --- The parts ------------------------------------------------------------------------------------------

PARTS: dict[str, Callable[[], str]] = {}


def part(make: Callable[[], str]) -> Callable[[], str]:
    """Something to be put into a page, under the name of the function."""
    PARTS[make.__name__.replace("_", "-")] = make
    return make


def openapi() -> dict[str, Any]:
    """The description of the HTTP interface."""
    app: Any = make_app(LiveServer(Settings(), cast(Any, None)))
    schema: dict[str, Any] = app.app.openapi_schema.to_schema()
    return schema


@part
def addresses() -> str:
    rows = []
    for path, methods in openapi()["paths"].items():
        for method, operation in methods.items():
            what = operation["description"].partition("\n\n")[0].replace("\n", " ")
            fields = [
                f"`?{each['name']}=`" for each in operation.get("parameters", ()) if each["in"] == "query"
            ]
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            if body:
                name = body["schema"].get("$ref", "").rpartition("/")[2]
                fields.append(f"`{name}`" if name else "a game record")
            answer = next((status for status in operation["responses"] if status.startswith("2")), "")
            given = operation["responses"][answer].get("content", {}).get("application/json", {})
            rows.append(
                [
                    f"`{method.upper()}`",
                    f"`{path}`",
                    ", ".join(fields),
                    _answer(given.get("schema", {})),
                    what,
                ]
            )
    return table(["", "address", "takes", "gives", "meaning"], rows)


def _answer(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return f"`{schema['$ref'].rpartition('/')[2]}`"
    if schema.get("type") == "array":
        inner = _answer(schema["items"])
        return f"list of {inner}" if inner else "list of texts"
    return ""


@part
def http_forms() -> str:
    """What requests take, and what the most important of them give."""
    chosen = [
        me.FirstVisit, me.Me, me.NewName, me.NewBot,
        tables.NewTable, tables.PlayNow, tables.Made, tables.Join, tables.Start, tables.Remove,
        tables.Spectators, tables.Seated, reports.NewReport, reports.Reported,
    ]  # fmt: skip
    found = [form for form in with_parts(chosen) if form is not plans.Clock]  # it is with the socket's
    return "\n\n".join(form_section(form, form.__name__) for form in found)


@part
def codes() -> str:
    texts = texts_under(Code)
    rows = [[f"`{code.value}`", str(STATUS[code]), texts[code.name]] for code in Code]
    return table(["code", "HTTP", "meaning"], rows)


@part
def close_codes() -> str:
    texts = texts_under(connection.Close)
    values = {name: value for name, value in vars(connection.Close).items() if isinstance(value, int)}
    rows = [[str(value), texts[name]] for name, value in sorted(values.items(), key=lambda item: item[1])]
    return table(["close code", "meaning"], rows)


@part
def limits() -> str:
    chosen = Settings()
    rows = [
        ["a message from a client", f"{serve.MOST_MESSAGE // 1024} KiB"],
        ["the body of a request", f"{MOST_BYTES // 1024} KiB"],
        [
            "messages on one socket",
            f"{chosen.messages:g} a second, and {2 * chosen.messages + 20:g} at once (`messages`)",
        ],
        ["messages over that limit before the socket is closed", str(connection.MOST_REFUSED)],
        ["tables that one socket watches", str(connection.MOST_TABLES)],
        ["messages that wait for a slow receiver", str(connection.MOST_WAITING)],
        ["sockets from one network address", f"{chosen.sockets_per_address} (`sockets_per_address`)"],
        ["requests from one network address", f"{chosen.requests:g} a second (`requests`)"],
        [
            "new guests from one network address",
            f"{chosen.guests_per_hour} an hour, and half of it at once (`guests_per_hour`)",
        ],
        ["open and running tables of one guest", f"{chosen.tables_per_guest} (`tables_per_guest`)"],
        [
            "devices on which one guest is signed in",
            f"{chosen.sessions_per_guest}; one more signs out the one that was not used for longest "
            "(`sessions_per_guest`)",
        ],
        [
            "public tables that wait for players, of one guest",
            f"{chosen.open_tables_per_guest} (`open_tables_per_guest`)",
        ],
        [
            "the same from one network address",
            f"{chosen.open_tables_per_address} (`open_tables_per_address`)",
        ],
        ["imported games of one guest", f"{chosen.imports_per_guest} (`imports_per_guest`)"],
        [
            "reports from one guest",
            f"{chosen.reports_per_hour} an hour, and half of it at once; from one address twice as many "
            "(`reports_per_hour`)",
        ],
        ["a report in one's own words", f"{reports.MOST_WORDS} characters"],
        ["bots of one guest", str(identity.BOTS_PER_GUEST)],
        ["a display name", f"{protocol.NAME_LENGTH} characters"],
        [
            "a line of chat",
            f"{protocol.CHAT_LENGTH} characters, one every {1 / chosen.chat:g} seconds, "
            f"{connection.CHAT_BURST} at once (`chat`)",
        ],
        ["spectators of a table who are named", str(audience.SHOWN)],
        ["rounds of a match", str(plans.MOST_ROUNDS)],
        ["a clock", f"1 to {plans.MOST_SECONDS} seconds"],
    ]
    return table(["what", "at most"], rows)


def _tagged(union: Any) -> list[type]:
    return list(get_args(union))


@part
def from_client() -> str:
    return "\n\n".join(
        form_section(form, f"`{tag_of(form)}`", tag_of(form)) for form in _tagged(protocol.ClientMessage)
    )


@part
def from_server() -> str:
    return "\n\n".join(
        form_section(form, f"`{tag_of(form)}`", tag_of(form)) for form in _tagged(protocol.ServerMessage)
    )


@part
def forms() -> str:
    messages = _tagged(protocol.ServerMessage)
    found = [form for form in with_parts(messages) if form not in messages]
    return "\n\n".join(form_section(form, form.__name__) for form in found)


@part
def kinds() -> str:
    """What can happen at a table: the kinds of the log."""
    rows = [[f"`{tag_of(entry)}`", about(entry)] for entry in get_args(entries.Known)]
    return table(["kind", "meaning"], rows)


@part
def phrases() -> str:
    return ", ".join(f"`{phrase}`" for phrase in protocol.PHRASES)


def game_forms(game: str) -> list[type]:
    """The schemas of a game's own: what its cards look like as data."""
    snapshot = GAMES[game].snapshot
    return with_parts([getattr(snapshot, name) for name in GAME_FORMS])


def _game_part(game: str) -> str:
    found = GAMES[game]
    decisions = ", ".join(f"`{name}`" for name in found.rules.PHASES)
    rows = [[f"`{kind}`", phrase] for kind, phrase in found.phrases.items()]
    reasons = [[f"`{code}`", meaning] for code, meaning in found.why.MEANINGS.items()]
    return "\n\n".join(
        [
            *(form_section(form, prefixed(form)) for form in game_forms(game)),
            f"### Decisions and events of {found.title}",
            f"The kinds of decision, in `public.decision`: {decisions}.",
            table(["kind of event", "in words"], rows),
            f"### Reasons of {found.title}",
            "Why a place cannot be chosen, in `own.why`. Programs need none of it: `own.legal` says it all.",
            table(["code", "in words"], reasons),
        ]
    )


for _name in GAMES:
    PARTS[_name] = lambda game=_name: _game_part(game)  # type: ignore[misc]


@part
def settings() -> str:
    texts = texts_under(Settings)
    rows = []
    for field in dataclasses.fields(Settings):
        value = f"{field.default:g}" if isinstance(field.default, float) else str(field.default)
        default = f"`{value}`" if value else ""
        rows.append([f"`{PREFIX}{field.name.upper()}`", default, texts[field.name]])
    return table(["variable", "default", "meaning"], rows)


@part
def metrics() -> str:
    found = Metrics()
    made: dict[str, Any] = {each._name: each for each in vars(found).values() if hasattr(each, "_labelnames")}
    rows = []
    for metric in found.registry.collect():
        name = f"{metric.name}_total" if metric.type == "counter" else metric.name
        labels = ", ".join(f"`{label}`" for label in made[metric.name]._labelnames)
        rows.append([f"`{name}`", metric.type, labels, metric.documentation])
    return table(["name", "kind", "labels", "meaning"], rows)


# --- The pages ------------------------------------------------------------------------------------------

_PART = re.compile(r"(<!-- generated: (?P<name>[a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def renewed(text: str) -> str:
    """A page with its generated parts made anew."""
    return _PART.sub(lambda found: f"{found[1]}\n{PARTS[found['name']]()}\n\n{found[3]}", text)


# --- The schema -----------------------------------------------------------------------------------------

REF = "#/$defs/{name}"


def schema() -> dict[str, Any]:
    """All messages both ways, and the games' own schemas, as one JSON Schema document."""
    messages = [*_tagged(protocol.ClientMessage), *_tagged(protocol.ServerMessage)]
    _, found = msgspec.json.schema_components(messages, ref_template=REF)
    defs: dict[str, Any] = dict(found)
    for form in with_parts(messages):
        _describe(defs[form.__name__], form)
    for game in GAMES:
        own = game_forms(game)
        _, components = msgspec.json.schema_components(own, ref_template=REF)
        names = {form.__name__: prefixed(form) for form in own}
        for form in own:
            made = {**_renamed(components[form.__name__], names), "title": prefixed(form)}
            _describe(made, form)
            defs[prefixed(form)] = made
    for (form, field), (name, _) in _RAW.items():
        _fill(defs[form.__name__]["properties"], field, name)
    defs["Code"] = {"title": "Code", "description": about(Code), "enum": [code.value for code in Code]}
    for name, union in (("ClientMessage", protocol.ClientMessage), ("ServerMessage", protocol.ServerMessage)):
        refs = {tag_of(form): REF.format(name=form.__name__) for form in _tagged(union)}
        defs[name] = {
            "title": name,
            "anyOf": [{"$ref": ref} for ref in refs.values()],
            "discriminator": {"propertyName": "type", "mapping": refs},
        }
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Lynxden protocol",
        "description": f"Version {protocol.VERSION}: the messages on the socket, both ways.",
        "anyOf": [{"$ref": REF.format(name=name)} for name in ("ClientMessage", "ServerMessage")],
        "$defs": dict(sorted(defs.items())),
    }
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(whole))  # defaults as JSON has them
    return plain


def _describe(made: dict[str, Any], form: type) -> None:
    """Put the texts of the source to the properties."""
    for field in fields_of(form):
        if field.about:
            made["properties"][field.name] = {
                "description": field.about,
                **made["properties"][field.name],
            }


def _renamed(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_renamed(each, names) for each in value]
    if not isinstance(value, dict):
        return value
    found = {key: _renamed(each, names) for key, each in value.items()}
    if isinstance(found.get("$ref"), str):
        name = found["$ref"].rpartition("/")[2]
        found["$ref"] = REF.format(name=names[name])
    return found


def _fill(properties: dict[str, Any], field: str, name: str) -> None:
    """A field whose schema is the game's own."""
    one: list[Any] = [{"$ref": REF.format(name=game.capitalize() + name)} for game in GAMES]
    if name == "Part":
        one = [{"type": "array", "items": {"type": "array", "items": each}} for each in one]
    before = properties[field]
    if "default" in before:
        one.append({"type": "null"})
    kept = {key: before[key] for key in ("description", "default") if key in before}
    properties[field] = {**kept, "anyOf": one}


# --- The command ----------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Check or renew the documents, or print the schema."""
    parser = argparse.ArgumentParser(prog="python -m tools.documents", description=__doc__)
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--check", action="store_true", help="list the pages that are not up to date")
    choice.add_argument("--write", action="store_true", help="renew the generated parts of the pages")
    choice.add_argument("--schema", action="store_true", help="print a JSON Schema of all messages")
    chosen = parser.parse_args(arguments)
    if chosen.schema:
        sys.stdout.write(json.dumps(schema(), indent=2, ensure_ascii=False) + "\n")
        return 0
    old = 0
    for name in PAGES:
        page = DOCS / name
        text = page.read_text(encoding="utf-8")
        new = renewed(text)
        if new != text:
            old += 1
            sys.stdout.write(f"{name} {'was renewed' if chosen.write else 'is not up to date'}\n")
            if chosen.write:
                page.write_text(new, encoding="utf-8")
    return int(bool(old) and not chosen.write)


if __name__ == "__main__":
    sys.exit(main())
