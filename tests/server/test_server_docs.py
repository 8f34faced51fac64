"""The server's documents: their generated parts are up to date, and what they tell is so.

`python -m tests.server.test_server_docs` plays the example session of `docs/protocol.md` anew, and writes it.
"""

import configparser
import dataclasses
import json
import random
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from tools import documents, typescript
from typer.core import TyperGroup
from typer.main import get_command

from lynxden.cli import app
from lynxden.games.registry import GAMES
from lynxden.server import protocol
from lynxden.server.errors import Code
from lynxden.server.settings import Settings, from_environment
from tests.server.clock import ToldClock
from tests.server.kit import Client, Message, free_data, play_out, run, serving

PROTOCOL, HOSTING = (documents.DOCS / name for name in documents.PAGES)
WIDTH = 110


# --- The example session ----------------------------------------------------------------------------------


class Session:
    """Ann's side of a session, written down."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.now = 1_800_000_000_000
        self.ids = iter(["7mQxW2kRtb9Z", "Dn4fYv8KsHpc", "hT5vZr2NgJxw", "k3XwPq7RbTzM", "w8LcYe5SuGa4"])

    def note(self, text: str) -> None:
        self.lines += ["", f"# {text}"]
        self.now += 4000

    def send(self, message: object) -> None:
        self.lines += written(message, "→ ")

    def receive(self, message: Message, *folded: str) -> None:
        self.lines += written(fold(message, folded), "← ")

    def text(self) -> str:
        return "\n".join(self.lines).strip().replace('"…"', "…")


def fold(message: Message, keys: tuple[str, ...]) -> Message:
    """A message with long parts left away: `info`, or `game.public`."""
    found = dict(message)
    for key in keys:
        first, _, rest = key.partition(".")
        if first in found:
            found[first] = fold(found[first], (rest,)) if rest else "…"
    return found


def written(value: Any, mark: str) -> list[str]:
    """JSON on as few lines as are readable."""
    lines = _broken(value, WIDTH - len(mark)).splitlines()
    return [(mark if number == 0 else "  ") + line for number, line in enumerate(lines)]


def _broken(value: Any, width: int) -> str:
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) <= width or not value or not isinstance(value, dict | list):
        return flat
    pairs = (
        [(f"{json.dumps(key)}: ", each) for key, each in value.items()]
        if isinstance(value, dict)
        else [("", each) for each in value]
    )
    left, right = "{}" if isinstance(value, dict) else "[]"
    lines = [""]
    for number, (key, each) in enumerate(pairs):
        comma = "," if number < len(pairs) - 1 else right
        text = key + _broken(each, width - 1 - len(key) - len(comma)).replace("\n", "\n ")
        if lines[-1] and "\n" not in text and len(lines[-1]) + 1 + len(text) + len(comma) <= width - 1:
            lines[-1] += f" {text}{comma}"
        else:
            lines.append(text + comma)
    body = "\n ".join(line for line in lines if line)
    return left + body


async def play_session(folder: Path) -> str:
    """A real session on a real server, whose clock, ids and cards are always the same."""
    told = Session()
    hub = {
        "make_id": lambda: next(told.ids),
        "deal": lambda state: state.match.deal(seed=11),
    }
    async with serving(free_data(folder), clock=ToldClock(lambda: told.now), services=hub) as server:
        told.note("Become a guest. The answer sets the cookie.")
        ann = await server.arrive("Ann")
        told.lines += ['POST /api/me {"name": "Ann"}', f"200 {json.dumps(ann.me)}"]
        told.lines.append("Set-Cookie: lynxden=TOKEN; HttpOnly; …")
        ben = await server.arrive("Ben")
        table, dealt = await _begin(told, ann, ben)
        await _go_on(told, ann, ben, table, dealt)
        for client in (ann, ben):
            await client.close()
    return told.text()


async def _begin(told: Session, ann: Client, ben: Client) -> tuple[str, Message]:
    plan = {"game": "linko", "edition": "classic", "seats": [{"kind": "invited"}, {"kind": "invited"}]}
    told.note("Make a table for two.")
    made = await ann.post("/api/tables", plan)
    told.lines += [f"POST /api/tables {json.dumps(plan)}", *written(made, "201 ")]
    table: str = made["id"]

    told.note("Open the socket, wss://…/api/socket with the cookie, and watch the table.")
    told.receive(await ann.connect())
    told.send({"type": "watch", "table": table})
    told.receive(await ann.watch(table))
    told.receive(await ann.happened("came"), "info")

    told.note("Ben follows the invitation link and takes the other seat: the game begins.")
    await ben.post(f"/api/tables/{table}/join", {"invite": made["invite"]})
    told.receive(await ann.happened("sat"), "info")
    dealt = await ann.happened("dealt")
    told.receive(dealt, "info")
    await ben.connect()
    await ben.watch(table)
    told.receive(await ann.happened("came"), "info")
    return table, dealt


async def _go_on(told: Session, ann: Client, ben: Client, table: str, dealt: Message) -> None:
    told.note("Ann plays. `seen` is the last event she knows.")
    seen = dealt["what"]["number"] + 1
    pair = next(action for action in dealt["game"]["own"]["legal"] if action.count(" ") == 2)
    first = {"type": "act", "table": table, "id": "a1", "seen": seen, "action": pair}
    await _exchange(told, ann, first)
    told.receive(await ann.happened("acted"), "game.public")

    told.note("She is not patient enough.")
    await _exchange(told, ann, {**first, "id": "a2", "seen": seen + 1})

    told.note("Her connection is lost. Ben plays meanwhile.")
    assert ann.socket is not None
    await ann.socket.close()
    await ben.happened("gone")
    game = (await ben.get(f"/api/tables/{table}"))["game"]
    acted = await ben.act(table, game["own"]["legal"][0], seen + 2)
    assert acted["type"] == "ack", acted

    told.note("She connects again with the last event she has seen, as if the answer to `a1` had not come.")
    told.receive(await ann.connect())
    told.send({"type": "watch", "table": table, "seen": seen})
    told.receive(await ann.watch(table, seen), "info", "game.public")
    told.receive(await ann.happened("came"), "info")

    told.note("So she sends `a1` once more. It is not played again; the answer is the same.")
    await _exchange(told, ann, first)


async def _exchange(told: Session, client: Client, message: Message) -> None:
    told.send(message)
    await client.send(message)
    told.receive(await client.receive_any_of("ack", "refused"))


_SESSION = re.compile(r"(<!-- session -->\n\n```text\n).*?(\n```\n\n<!-- end -->)", re.DOTALL)


def session(folder: Path) -> str:
    return run(play_session(folder))


def test_the_example_session_is_a_real_one(tmp_path: Path) -> None:
    page = PROTOCOL.read_text(encoding="utf-8")
    found = _SESSION.search(page)
    assert found is not None
    again = _SESSION.sub(lambda found: found[1] + session(tmp_path) + found[2], page)
    assert page == again, "python -m tests.server.test_server_docs writes it anew"


def write_session() -> None:
    with tempfile.TemporaryDirectory() as folder:
        page = PROTOCOL.read_text(encoding="utf-8")
        text = session(Path(folder))
        PROTOCOL.write_text(_SESSION.sub(lambda found: found[1] + text + found[2], page), encoding="utf-8")


# --- Generated parts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [PROTOCOL, HOSTING], ids=lambda page: page.name)
def test_generated_parts_are_up_to_date(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert documents.renewed(text) == text, "python -m tools.documents --write renews them"


def test_every_part_is_on_a_page() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in (PROTOCOL, HOSTING))
    assert sorted(re.findall(r"<!-- generated: ([a-z-]+) -->", text)) == sorted(documents.PARTS)


def test_nothing_is_left_out() -> None:
    protocol_page, hosting = (page.read_text(encoding="utf-8") for page in (PROTOCOL, HOSTING))
    for field in dataclasses.fields(Settings):
        assert f"`LYNXDEN_{field.name.upper()}`" in hosting
    for code in Code:
        assert f"`{code.value}`" in protocol_page
    for form in (*documents._tagged(protocol.ClientMessage), *documents._tagged(protocol.ServerMessage)):
        assert f"### `{documents.tag_of(form)}`" in protocol_page
        for part in documents.fields_of(form):
            assert part.about, f"{form.__name__}.{part.name} says nothing about itself"
    for path in documents.openapi()["paths"]:
        assert f"`{path}`" in protocol_page
    for game in GAMES.values():
        for kind in game.phrases:
            assert f"| `{kind}` |" in protocol_page


def test_the_command(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert documents.main(["--check"]) == 0
    for page in (PROTOCOL, HOSTING):
        text = page.read_text(encoding="utf-8")
        (tmp_path / page.name).write_text(text.replace("| `LYNXDEN_HOST` |", "| old |"), encoding="utf-8")
    monkeypatch.setattr(documents, "DOCS", tmp_path)
    assert documents.main(["--check"]) == 1
    assert capsys.readouterr().out == "hosting.md is not up to date\n"
    assert documents.main(["--write"]) == 0
    assert (tmp_path / "hosting.md").read_text(encoding="utf-8") == HOSTING.read_text(encoding="utf-8")
    assert documents.main(["--check"]) == 0
    capsys.readouterr()
    assert documents.main(["--schema"]) == 0
    assert json.loads(capsys.readouterr().out) == documents.schema()


# --- The schema -------------------------------------------------------------------------------------------


def strict(schema: Any) -> Any:
    """The schema without room for fields that it does not name."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: strict(each) for key, each in schema.items()}
    return {**found, "additionalProperties": False} if "properties" in found else found


def validator(name: str) -> Any:
    whole = strict(documents.schema())
    del whole["anyOf"]
    return jsonschema_rs.validator_for({**whole, "$ref": f"#/$defs/{name}"})


@pytest.mark.parametrize("game", GAMES)
def test_real_messages_follow_the_schema(game: str, tmp_path: Path) -> None:
    """Everything that a player and a spectator hear of a match, to the last field."""
    server_message, client_message = validator("ServerMessage"), validator("ClientMessage")

    async def test() -> None:
        async with (
            serving(free_data(tmp_path)) as server,
            await server.arrive() as ann,
            await server.arrive() as eve,
        ):
            count = 2 if game == "linko" else 3
            clock = {"kind": "bank", "seconds": 600}
            seats = [{"kind": "open"}, *[{"kind": "bot", "bot": "random"}] * (count - 1)]
            await ann.connect()
            await eve.connect()
            await eve.send({"type": "lobby"})
            made = await ann.post(
                "/api/tables",
                {
                    "game": game,
                    "seats": seats,
                    "clock": clock,
                    "rounds": 1,
                    "public": True,
                    "speed": "instant",
                },
            )
            table = await ann.watch(made["id"])
            await eve.watch(made["id"])
            await play_out(ann, table, random.Random(1))
            for message in (
                {"type": "say", "table": made["id"], "phrase": "hello"},
                {"type": "ping"},
                {"type": "act", "table": made["id"], "id": "x", "seen": 0, "action": "play 7"},
                {"type": "ready", "table": made["id"]},
            ):
                assert client_message.is_valid(message)
                await ann.send(message)
            await ann.next("refused")
            await ann.happened("dealt")
            await eve.happened("dealt")
            await ann.watch(made["id"], seen=1)
            kinds = set()
            for text in ann.received + eve.received:
                message = json.loads(text)
                kinds.add(message["type"])
                errors = [
                    f"{error.instance_path}: {error.message}" for error in server_message.iter_errors(message)
                ]
                assert not errors, (message, errors)
            assert kinds >= {"hello", "table", "happened", "ack", "refused", "chat", "lobby", "pong"}
            finished = [text for text in eve.received if '"finished"' in text]
            assert finished, "the end of a game was among them"

    run(test())


def test_the_schema_tells_games_apart() -> None:
    defs = documents.schema()["$defs"]
    assert {"LinkoPublic", "LinkoPrivate", "BloccoPublic", "BloccoPlayer", "Code"} <= set(defs)
    assert [each["$ref"] for each in defs["GameNow"]["properties"]["public"]["anyOf"]] == [
        "#/$defs/LinkoPublic",
        "#/$defs/BloccoPublic",
    ]
    refs = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(documents.schema())))
    assert refs <= set(defs)
    wrong = [
        {"type": "watch"},
        {"type": "act", "table": "t", "id": "", "seen": 0, "action": "take"},
        {"type": "act", "table": "t", "id": "1", "seen": -1, "action": "take"},
        {"type": "nonsense"},
    ]
    assert not any(validator("ClientMessage").is_valid(message) for message in wrong)


# --- The page's types -------------------------------------------------------------------------------------


def test_the_page_knows_messages_and_answers_as_they_are() -> None:
    for file, text in typescript.files().items():
        assert file.read_text(encoding="utf-8") == text, "run python -m tools.typescript --write"


def test_the_page_knows_each_game_apart() -> None:
    """What belongs to no game names none; and every type that a file uses, it has."""
    for file, text in typescript.files().items():
        used = set(re.findall(r"\b[A-Z]\w+", re.sub(r"/\*.*?\*/|//.*|'[^']*'", "", text))) - {"Record"}
        defined = re.findall(r"^export (?:interface|type) (\w+)", text, re.MULTILINE)
        imported = re.findall(r"\w+", "".join(re.findall(r"^import type {(.*?)}", text, re.MULTILINE)))
        assert used == {*defined, *imported}, file
        assert file.parent.name in GAMES or not any(game in text.lower() for game in GAMES), file


def test_the_page_knows_what_all_games_have_in_common() -> None:
    shared = typescript.messages()
    for game in GAMES:
        own = typescript.of_game(game)
        for form in ("Public", "Private", "Player", "Revealed", "Part", "Why"):
            common = _fields(shared, typescript.SHARED.get(form, form))
            assert common, form
            assert common <= {line.replace(": Player[]", ": GamePlayer[]") for line in _fields(own, form)}


def _fields(text: str, form: str) -> set[str]:
    found = re.search(rf"^export interface {form} {{\n(.*?)^}}", text, re.MULTILINE | re.DOTALL)
    assert found is not None, form
    return set(found[1].splitlines())


# --- What people are told to type -------------------------------------------------------------------------


def blocks(page: Path, language: str) -> list[str]:
    found = re.findall(
        rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert found
    return found


def commands(page: Path) -> Iterator[list[str]]:
    """Every `lynxden …` that a page shows, with its variables."""
    for block in blocks(page, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if "lynxden" in words:
                yield words


@pytest.mark.parametrize("words", list(commands(HOSTING)), ids=" ".join)
def test_commands_can_be_typed(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """They parse to the last flag, and their variables are settings with values that are taken."""
    start = words.index("lynxden")
    variables = dict(word.split("=", 1) for word in words[:start] if "=" in word)
    assert from_environment(variables)
    known = {f"LYNXDEN_{field.name.upper()}" for field in dataclasses.fields(Settings)}
    assert {name for name in variables if name.startswith("LYNXDEN_")} <= known
    rest = words[start + 1 :]
    for mark in ("|", ">", "&&"):
        rest = rest[: rest.index(mark)] if mark in rest else rest
    command: Any = get_command(app)
    while isinstance(command, TyperGroup):
        command = command.commands[rest.pop(0)]
    command.make_context("lynxden", rest)


def test_the_systemd_unit() -> None:
    (text,) = [block for block in blocks(HOSTING, "ini") if "[Service]" in block]
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(text)
    assert unit["Service"]["ExecStart"].endswith("/lynxden serve")
    variables = dict(
        line.removeprefix("Environment=").split("=", 1)
        for line in text.splitlines()
        if line.startswith("Environment=")
    )
    settings = from_environment(variables)
    assert settings.public_url.startswith("https://")
    assert settings.proxies == "127.0.0.1"
    assert str(settings.data) == "/var/lib/lynxden"


def test_proxies_pass_on_what_the_server_needs() -> None:
    text = HOSTING.read_text(encoding="utf-8")
    (nginx,) = blocks(HOSTING, "nginx")
    for needed in ("Upgrade", "Connection", "Host", "X-Forwarded-For", "X-Forwarded-Proto"):
        assert f"proxy_set_header {needed} " in nginx
    assert nginx.count("{") == nginx.count("}")
    assert "reverse_proxy 127.0.0.1:8060" in text


if __name__ == "__main__":
    write_session()
    sys.exit(documents.main(["--write"]))
