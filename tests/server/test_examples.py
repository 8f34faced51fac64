"""The examples work, as somebody would run them: real processes against a real server."""

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path

import httpx

from tests.server.kit import SECONDS, Client, free_data, run, serving

EXAMPLES = Path(__file__).parents[2] / "examples"
BOT = EXAMPLES / "bot.py"


def test_the_bot_is_short() -> None:
    assert len(BOT.read_text(encoding="utf-8").splitlines()) < 60


def test_two_bots_play_a_match(tmp_path: Path) -> None:
    """With tokens from the interface, at one table, every game until the match is over."""

    async def test() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive("Ann") as ann:
            bots = [await ann.post("/api/me/bots", {"name": name}) for name in ("Robo", "Toto")]
            robo = await Client.arrive(server.url, token=bots[0]["token"])
            seats = [{"kind": "invited"}, {"kind": "invited"}]
            plan = {"game": "linko", "edition": "classic", "seats": seats, "rounds": 1, "speed": "instant"}
            table = await robo.post("/api/tables", plan)
            command = [sys.executable, "-W", "error", str(BOT), server.url]
            started = [
                subprocess.Popen(
                    [*command, bot["token"], table["id"], table["invite"]],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
                for bot in bots
            ]
            try:
                told = [await _output(bot) for bot in started]
            finally:
                for process in started:
                    process.kill()
                    process.wait()
            for process, text in zip(started, told, strict=True):
                assert process.returncode == 0, text
                assert "refused" not in text
            assert told[0] == told[1], "both saw the same games"
            assert told[0].count("scores:") == 2
            shown = await robo.get(f"/api/tables/{table['id']}")
            assert shown["info"]["phase"] == "over"
            assert [seat["program"] for seat in shown["info"]["seats"]] == [True, True]
            scores = [line.split()[1:] for line in told[0].splitlines()]
            totals = [sum(int(game[seat]) for game in scores) for seat in range(2)]
            assert shown["info"]["totals"] == totals
            await robo.close()

    run(test())


async def _output(process: "subprocess.Popen[str]") -> str:
    out, _ = await asyncio.wait_for(asyncio.to_thread(process.communicate), 3 * SECONDS)
    return str(out)


def test_the_five_steps(tmp_path: Path) -> None:
    """What the page tells people to send is taken, and has the answers that it promises."""
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    bodies = [json.loads(body) for body in _quoted(page)]
    assert len(bodies) == 3

    async def test() -> None:
        async with serving(free_data(tmp_path)) as server, httpx.AsyncClient(base_url=server.url) as http:
            answers = []
            for path, body in zip(("/api/me", "/api/me/bots", "/api/tables"), bodies, strict=True):
                answer = await http.post(path, json=body)
                assert answer.is_success, answer.text
                answers.append(answer.json())
            assert answers[1]["token"]
            assert answers[2]["id"]
            assert answers[2]["invite"]

    run(test())


def _quoted(page: str) -> list[str]:
    """The bodies of the curl commands."""
    return re.findall(r"-d '([^']+)'", page)
