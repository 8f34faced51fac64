"""Who is somebody: cookies and tokens, at the socket and in requests, until they are revoked."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Opcode

from lynxden.server.errors import Code
from lynxden.server.http.cookies import token_of
from lynxden.server.live import connection
from lynxden.server.store import chat
from tests.server.answers import check_problem, token
from tests.server.hostile import OPEN, Bare, code_of_close, quiet, still_lives
from tests.server.kit import SECONDS, Client, free_data, run, serving
from tests.server.postgres import Postgres


@pytest.mark.parametrize(
    ("cookies", "found"),
    [
        (["lynxden=abc"], "abc"),
        (["a=b; lynxden=abc; c=d"], "abc"),
        (["a=b;lynxden=abc"], "abc"),
        (['lynxden="abc"'], "abc"),
        (['settings={"a": [1, 2]}; lynxden=abc'], "abc"),  # other programs on localhost set such
        (["expires=now; path; =; ;;; lynxden=abc"], "abc"),
        (["a@b(c)=d e f; lynxden=abc"], "abc"),
        (["\xff\xfe=\xff; lynxden=abc"], "abc"),
        (["a=b", "lynxden=abc"], "abc"),
        (["lynxden=first; lynxden=second"], "first"),
        (["xlynxden=abc; lynxden2=abc; LYNXDEN=abc"], None),
        (["a=lynxden=abc"], None),
        (["lynxden"], ""),
        (["lynxden="], ""),
        ([""], None),
        (["=" * 8000 + ";" * 8000], None),
    ],
)
def test_odd_cookies_of_others_hide_ours_not(cookies: list[str], found: str | None) -> None:
    assert token_of([(b"cookie", text.encode("latin-1")) for text in cookies]) == found


def test_a_bearer_token_comes_before_the_cookie() -> None:
    cookie = (b"cookie", b"lynxden=abc")
    for bearer in (b"Bearer xyz", b"bearer xyz", b"BEARER  xyz "):
        assert token_of([cookie, (b"authorization", bearer)]) == "xyz"
    assert token_of([(b"authorization", b"Basic xyz"), cookie]) == "abc"
    assert token_of([(b"authorization", b"Bearer \xff")]) == "\xff"


def test_wrong_tokens_are_nobody(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            serving(free_data(tmp_path)) as server,
            await server.arrive() as ann,
            httpx.AsyncClient(base_url=server.url) as http,
        ):
            good = token(ann).encode()
            wrong = [
                b"x",
                good[:-1],
                good + b"x",
                good.swapcase(),
                b"\xff" * 32,
                b"x" * 5000,
                b"' OR 1=1 --",
            ]
            for value in wrong:
                for header in ((b"authorization", b"Bearer " + value), (b"cookie", b"lynxden=" + value)):
                    check_problem(await http.get("/api/me", headers=[header]), 401, Code.WHO)
            answer = await http.get("/api/me", headers=[(b"cookie", b'a={"b":1}; lynxden=' + good)])
            assert answer.json()["id"] == ann.id

    run(story())


def test_no_token_and_wrong_tokens(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            address = server.url.replace("http", "ws", 1) + "/api/socket"
            good = str(ann.http.cookies["lynxden"])
            wrong: list[dict[str, str]] = [
                {},
                {"Cookie": "lynxden="},
                {"Cookie": f"lynxden={good}x"},
                {"Cookie": f"other={good}"},
                {"Authorization": "Bearer x"},
                {"Authorization": f"Basic {good}"},
                {"Authorization": "Bearer x", "Cookie": f"lynxden={good}"},
                {"Authorization": "Bearer " + "x" * 5000},
            ]
            for headers in wrong:
                async with connect(address, additional_headers=headers) as opened:
                    with pytest.raises(ConnectionClosed):
                        await asyncio.wait_for(opened.recv(), SECONDS)
                    assert opened.close_code == connection.Close.WHO
            async with connect(f"{address}?token={good}&lynxden={good}") as opened:
                with pytest.raises(ConnectionClosed):  # a token has no place in an address
                    await asyncio.wait_for(opened.recv(), SECONDS)
            for path in ("/", "/api/me", "/api/socket/x", "/api/nowhere" + "x" * 3000):
                with pytest.raises(Exception, match=r"HTTP (403|404|500)") as refused:
                    await connect(server.url.replace("http", "ws", 1) + path)
                assert "500" not in str(refused.value)
            assert not server.live.people.connections

    run(story())
    quiet(caplog)


def test_a_revoked_token_loses_its_socket_at_once(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            bot = await ann.post("/api/me/bots", {"name": "Robo"})
            program = await Client.arrive(server.url, token=bot["token"])
            made = await ann.post("/api/tables", {"public": True, "seats": [OPEN, OPEN, OPEN]})
            await program.post(f"/api/tables/{made['id']}/join", {})
            await program.connect()
            await program.watch(made["id"])
            # What is sent at the same moment is no longer obeyed.
            deleted = asyncio.create_task(ann.ask("DELETE", f"/api/me/bots/{bot['id']}"))
            with suppress(ConnectionClosed):
                while True:
                    await program.send({"type": "ping"})
                    await asyncio.sleep(0.001)
            assert (await deleted).status_code == 204
            assert await code_of_close(program) == connection.Close.WHO
            info = (await ann.get(f"/api/tables/{made['id']}"))["info"]
            assert [seat["kind"] for seat in info["seats"]] == ["person", "open", "open"]
            await program.close()

    run(story())


def test_a_revoked_token_loses_its_sockets_at_other_servers(postgres: Postgres) -> None:
    async def story() -> None:
        database = postgres.new_database()
        async with serving(database) as here, serving(database) as there, await here.arrive() as ann:
            link = (await ann.post("/api/me/link"))["path"].rpartition("#")[2]
            phone = await there.arrive("Somebody")
            await phone.post("/api/me/claim", {"secret": link})
            await phone.connect()
            await ann.connect()
            laptop = await Client.arrive(there.url, token=str(ann.http.cookies["lynxden"]))
            await laptop.connect()
            assert (await ann.ask("DELETE", "/api/me/devices")).json() == {"count": 1}
            assert await code_of_close(phone) == connection.Close.WHO
            for client in (ann, laptop):
                await still_lives(client)
            assert (await ann.ask("DELETE", "/api/me")).status_code == 204
            for client in (ann, laptop):
                assert await code_of_close(client) == connection.Close.WHO
                await client.close()
            await phone.close()

    run(story())


def test_closing_ends_what_was_still_to_be_done(tmp_path: Path) -> None:
    """Messages that arrived before a socket was closed, but were not yet handled, are not obeyed."""

    async def story() -> None:
        async with serving(free_data(tmp_path)) as server, await server.arrive() as ann:
            table = (await ann.post("/api/tables", {}))["id"]
            bare = await Bare(ann).open()
            while not server.live.people.connections:
                await asyncio.sleep(0.01)
            (there,) = server.live.people.connections
            said = json.dumps({"type": "say", "table": table, "text": "still here"}).encode()
            bare.frame(Opcode.TEXT, json.dumps({"type": "watch", "table": table}).encode())
            bare.frame(Opcode.TEXT, said)
            there.close(connection.Close.WHO)
            await bare.closed(connection.Close.WHO)
            assert await server.live.context.store.read(chat.latest, table, 10) == []
            await bare.close()

    run(story())
