"""Records from elsewhere are checked and tidied."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from lynxden.server.errors import Code
from tests.server.answers import check_problem, finished_record
from tests.server.kit import check_telling, free_data, run, serving


def test_imported_records_are_checked_and_tidied(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            evil = "<img src=x onerror=alert(1)>\u200b" + "e\u0301\u0301\u0301\u0301\u0301" + "x" * 500
            imported = await ann.post("/api/records", finished_record(evil))
            result = await ann.get(f"/api/records/{imported['id']}/result")
            name = result["players"][0]["name"]
            assert len(name) <= 24
            record = await ann.http.get(f"/api/records/{imported['id']}?download=true")
            assert record.headers["content-type"] == "application/json"
            assert re.fullmatch(
                r'attachment; filename="linko-[A-Za-z0-9]+\.jsonl"', record.headers["content-disposition"]
            )
            assert record.json()["seats"][0] == name
            good = finished_record()
            wrong: list[dict[str, Any]] = [
                {**good, "seats": ["\x00", "Ben"]},
                {**good, "seats": "AB"},
                {**good, "actions": good["actions"][:-1]},
                {**good, "actions": [*good["actions"], "pass"]},
                {**good, "actions": ["nonsense"] * 1000},
                {**good, "result": {**good["result"], "scores": [2**62, -(2**62)]}},
                {**good, "result": {**good["result"], "scores": [1e30, 1]}},
                {**good, "result": {"reason": "truncated"}},
                {**good, "deal": {}},
                {**good, "deal": {key: [] for key in good["deal"]}},
                {**good, "deal": dict.fromkeys(good["deal"], 2**63)},
                {**good, "deal": {key: [["7"] * 1000] * 5 for key in good["deal"]}},
                {**good, "starter": 2**63},
                {**good, "starter": -1},
                {**good, "game": "../../etc/passwd"},
                {**good, "game": "__class__"},
                {**good, "edition": "\u0000"},
                {**good, "legal": [[]] * len(good["actions"])},
            ]
            for record_ in wrong:
                answer = await ann.ask("POST", "/api/records", record_)
                assert answer.status_code == 400, (record_, answer.text)
                assert answer.json()["code"] in ("record", "malformed", "options")
                check_telling(answer.text)
            first, *rest = good["actions"]
            answer = await ann.ask("POST", "/api/records", {**good, "actions": [first, "nonsense", *rest]})
            check_problem(answer, 400, Code.RECORD)
            assert answer.json()["decision"] == 2
            answer = await ann.ask("POST", "/api/records", {**good, "notes": "x" * 100_000})
            check_problem(answer, 413, Code.TOO_LARGE)

    run(story())
