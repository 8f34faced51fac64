"""The messages as TypeScript, for the page: made from the same schema as the document for programmers.

python -m lynxden.server.types            shows them
python -m lynxden.server.types --write    puts them where the page looks for them
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any, get_args

from msgspec import Struct

from lynxden.server import protocol
from lynxden.server.describe import schema, with_parts

FILE = Path(__file__).parents[3] / "web" / "src" / "lib" / "protocol.ts"
HEAD = "// Made by `python -m lynxden.server.types --write` from the server's protocol; do not edit.\n"
NAMES = {"Event": "GameEvent"}
"""Names that a browser has given away already."""
SHORT = """
export type Part = LinkoPart | BloccoPart;
export type Lay = BloccoLay;
export type Snatches = LinkoSnatches;
"""
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def typescript() -> str:
    """Every form of the protocol as an interface, and every union as a type."""
    forms: dict[str, Any] = schema()["$defs"]
    return HEAD + "".join(_form(name, form) for name, form in forms.items()) + SHORT


@cache
def _leaving_out() -> set[str]:
    """Forms in which fields that have their default value may be missing.

    A client may leave them out, and so does the server where it says so. In all others everything is there.
    """
    messages = [*get_args(protocol.ClientMessage), *get_args(protocol.ServerMessage)]
    return {
        form.__name__
        for form in with_parts(messages)
        if issubclass(form, protocol.FromClient)
        or (issubclass(form, Struct) and form.__struct_config__.omit_defaults)
    }


def _form(name: str, form: dict[str, Any]) -> str:
    complete = name not in _leaving_out()
    name = NAMES.get(name, name)
    about = f"\n/** {form['description'].strip()} */" if form.get("description") else ""
    if "properties" not in form:
        return f"{about}\nexport type {name} = {_type(form)};\n"
    required = set(form.get("required", ()))
    lines = [
        f"  {field}{'' if complete or field in required else '?'}: {_type(kind)};"
        for field, kind in form["properties"].items()
    ]
    return "\n".join((f"{about}\nexport interface {name} {{", *lines, "}\n"))


def _type(kind: dict[str, Any]) -> str:
    """A schema as a type."""
    if "$ref" in kind:
        name = str(kind["$ref"]).rpartition("/")[2]
        return NAMES.get(name, name)
    if "anyOf" in kind:
        return " | ".join(dict.fromkeys(_type(each) for each in kind["anyOf"]))
    if "const" in kind or "enum" in kind:
        values = [kind["const"]] if "const" in kind else kind["enum"]
        return " | ".join(json.dumps(value).replace('"', "'") for value in values)
    match kind.get("type"):
        case "array":
            inner = _type(kind["items"]) if isinstance(kind.get("items"), dict) else "unknown"
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case "object":
            values = kind.get("additionalProperties")
            return f"Record<string, {_type(values) if isinstance(values, dict) else 'unknown'}>"
        case list() as several:
            return " | ".join(PLAIN[each] for each in several)
        case str() as one:
            return PLAIN[one]
    return "unknown"


if __name__ == "__main__":
    if "--write" in sys.argv:
        FILE.write_text(typescript(), encoding="utf-8")
    else:
        sys.stdout.write(typescript())
