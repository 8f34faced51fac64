"""A bot for Lynxden: joins a table through the public protocol and plays a random legal action each time.

Get a token with `POST /api/me/bots` first; examples/README.md says how. Then:
    python examples/bot.py http://localhost:8060 TOKEN TABLE [INVITE]
"""

import asyncio
import json
import random
import sys
import urllib.request
from typing import Any

from websockets.asyncio.client import connect


def choose(game: dict[str, Any]) -> str:
    """The decision: `game["public"]` is the table, `game["own"]` the hand and what is legal."""
    return str(random.choice(game["own"]["legal"]))


def join(server: str, token: str, table: str, invite: str) -> None:
    """Take the first free seat; anyone who sits there already keeps their seat."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    body = json.dumps({"invite": invite}).encode()
    urllib.request.urlopen(urllib.request.Request(f"{server}/api/tables/{table}/join", body, headers)).close()


def answer(message: dict[str, Any]) -> dict[str, Any] | None:
    """What to say to a message: an action, that we are ready for the next game, or nothing."""
    game = message.get("game") or {}
    seen = message["what"]["number"] if "what" in message else message.get("number")
    if "finished" in game:
        print("scores:", *game["finished"]["outcome"]["scores"])
        return {"type": "ready"}
    if game.get("own", {}).get("legal"):
        return {"type": "act", "id": str(seen), "seen": seen, "action": choose(game)}
    return None


async def play(server: str, token: str, table: str, invite: str = "") -> None:
    """Play to the end of the match. After a lost connection, start the program again: it goes on."""
    join(server, token, table, invite)
    address = server.replace("http", "ws", 1) + "/api/socket"
    async with connect(address, additional_headers={"Authorization": f"Bearer {token}"}) as socket:
        await socket.send(json.dumps({"type": "watch", "table": table, "invite": invite}))
        async for text in socket:
            message = json.loads(text)
            if message["type"] == "refused":
                print("refused:", message["code"], message["text"])
            found = answer(message)
            if message.get("info", {}).get("phase") in ("over", "closed"):
                return
            if found:
                await socket.send(json.dumps({**found, "table": table}))


if __name__ == "__main__":
    asyncio.run(play(*sys.argv[1:]))
