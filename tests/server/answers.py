"""What every answer of the HTTP interface must be like, and how tests ask for it."""

from __future__ import annotations

from typing import Any

import httpx

import lynxden
from lynxden.records import Recorder
from lynxden.server.errors import Code
from lynxden.server.http.guard import HEADERS
from tests.server.kit import Client, check_telling

JSON = {"content-type": "application/json"}
FOREIGN = {"origin": "https://evil.example"}


def check_problem(answer: httpx.Response, status: int, code: Code) -> None:
    """An error as every error must be: JSON of one form, a known code, and nothing of the inside."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    found = answer.json()
    more = {Code.BANNED: {"until", "reason"}, Code.RECORD: {"decision"}}.get(code, set())
    assert {"code", "text"} <= set(found) <= {"code", "text", *more}
    assert found["code"] == code.value
    assert len(found["text"]) > 10
    check_telling(answer.text)


def check_headers(answer: httpx.Response) -> None:
    for name, value in HEADERS.items():
        assert answer.headers.get_list(name) == [value], f"{answer.request.url}: {name}"
    assert "server" not in answer.headers
    assert "x-powered-by" not in answer.headers
    if answer.request.url.path.startswith("/api"):
        assert answer.headers["cache-control"] == "no-store"


def token(client: Client) -> str:
    cookies = client.http.cookies
    return str(cookies.get("__Host-lynxden") or cookies["lynxden"])


def finished_record(name: str = "Ann") -> dict[str, Any]:
    """A game that was played elsewhere."""
    recorder = Recorder(lynxden.new("linko", players=2, seed=1), [name, "Ben"])
    while not recorder.position.over:
        recorder.apply(recorder.position.legal_actions[0])
    return recorder.record().to_dict()
