"""The HTTP interface holds to its own description, whatever it is sent; Schemathesis makes up requests."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import APIOperation, Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.server.kit import free_data, serving

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"}


@contextmanager
def in_thread(database: str) -> Iterator[str]:
    """A server in a thread of its own, for clients that block. Its address."""
    started: list[str] = []
    ready, stop, loop = threading.Event(), asyncio.Event(), asyncio.new_event_loop()

    async def serve() -> None:
        try:
            async with serving(database, tables_per_guest=0) as server:
                started.append(server.url)
                ready.set()
                await stop.wait()
        finally:
            ready.set()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    ready.wait()
    try:
        yield started[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


@dataclass
class World:
    """A server, somebody on it, and things that exist there."""

    url: str
    things: dict[str, str]
    """What each parameter of an address can be."""

    def newcomer(self) -> dict[str, str]:
        """The header of a new guest."""
        token = httpx.post(f"{self.url}/api/me", json={}).cookies["lynxden"]
        return {"Authorization": f"Bearer {token}"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with in_thread(free_data(tmp_path_factory.mktemp("schema"))) as url:
        made = World(url, {})
        with httpx.Client(base_url=url, headers=made.newcomer()) as http:
            me = http.get("/api/me").json()["id"]
            table = http.post("/api/tables", json={"public": True}).json()["id"]
        made.things |= {"table": table, "guest": me, "player": me, "game": "linko", "edition": "classic"}
        yield made


def document(world: World) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_url(f"{world.url}/api/schema/openapi.json")


def operations(world: World) -> list[APIOperation[Any, Any, Any, Any]]:
    found = list(document(world).get_all_operations())
    assert all(isinstance(each, Ok) for each in found), "an operation is not described well"
    return [each.ok() for each in found if isinstance(each, Ok)]


def check(
    world: World, operation: APIOperation[Any, Any, Any, Any], mode: GenerationMode, examples: int
) -> None:
    """Send one operation made-up requests, and check every answer."""
    known = {name: world.things[name] for name in world.things if f"{{{name}}}" in operation.path}
    header = world.newcomer()
    checks = [*CHECKS, negative_data_rejection] if mode is GenerationMode.NEGATIVE else CHECKS

    def send(case: Case[Any]) -> None:
        # Whoever asks to be forgotten is nobody afterwards.
        who = world.newcomer() if operation.label == "DELETE /api/me" else header
        answer = case.call(headers=who)
        case.validate_response(answer, checks=checks)
        assert answer.status_code != 401 or "/claim" in operation.path
        assert "Traceback" not in answer.text

    for path_parameters in ({}, known) if known and mode is GenerationMode.POSITIVE else ({},):
        strategy = operation.as_strategy(mode, path_parameters=path_parameters or None)
        settings(
            max_examples=examples,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )(given(case=strategy)(send))()


def can_be_wrong(operation: APIOperation[Any, Any, Any, Any]) -> bool:
    """Whether a request can be made that the description forbids."""
    return bool(operation.body or operation.path_parameters or operation.query)


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["right", "wrong"])
def test_answers_are_as_described(world: World, mode: GenerationMode) -> None:
    for operation in operations(world):
        if mode is GenerationMode.POSITIVE or can_be_wrong(operation):
            check(world, operation, mode, 5)


@pytest.mark.slow
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["right", "wrong"])
def test_answers_are_as_described_at_length(world: World, mode: GenerationMode) -> None:
    for operation in operations(world):
        if mode is GenerationMode.POSITIVE or can_be_wrong(operation):
            check(world, operation, mode, 400)


def test_methods_that_are_not_described_are_refused(world: World) -> None:
    with httpx.Client(base_url=world.url) as http:
        for path, described in document(world).raw_schema["paths"].items():
            address = path.format_map(
                dict.fromkeys(
                    ("table", "bot", "guest", "player", "game", "edition", "session", "report"), "x"
                )
            )
            allowed = {method.upper() for method in described}
            answer = http.options(address)
            listed = set(answer.headers["allow"].split(", "))
            assert listed == allowed | {"OPTIONS"} | ({"HEAD"} if "GET" in allowed else set())
            for method in METHODS - allowed:
                answer = http.request(method, address)
                assert answer.status_code == 405, (method, path)
                assert set(answer.headers["allow"].split(", ")) == listed
                assert answer.json()["code"] == "malformed"


def test_the_description_itself(world: World) -> None:
    schema = document(world).raw_schema
    assert schema["openapi"].startswith("3.1")
    for path, methods in schema["paths"].items():
        assert path.startswith("/api/")
        for method, operation in methods.items():
            where = f"{method} {path}"
            assert operation["description"], where
            codes = set(operation["responses"])
            assert {"429", "503"} <= codes, where
            assert ("requestBody" in operation) <= ({"400", "413", "415"} <= codes), where
            for code in codes - {"200", "201", "204"}:
                content = operation["responses"][code]["content"]["application/json"]["schema"]
                assert content == {"$ref": "#/components/schemas/Problem"}, where
