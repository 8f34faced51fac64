"""Reports from players, and the addresses for administrators who know the token. On both databases."""

from __future__ import annotations

import httpx

from lynxden.server.errors import Code
from lynxden.server.live.connection import Close
from lynxden.server.store import reports, tables
from tests.server.answers import check_problem, finished_record
from tests.server.clock import FakeClock
from tests.server.kit import run, serving
from tests.server.test_moderation import KEY, OPEN, TOKEN, close_code, waiting_table


def test_a_report_holds_what_an_administrator_needs(database_url: str) -> None:
    async def story() -> None:
        async with (
            serving(database_url) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Ben") as ben,
            await server.arrive("Cyd") as cyd,
        ):
            store = server.live.context.store
            made = await waiting_table(ann, ben)
            await ben.send({"type": "say", "table": made["id"], "text": "Something bad"})
            await ann.next("chat")
            where = f"/api/tables/{made['id']}/reports"
            body = {"guest": ben.id, "reason": "chat", "words": " He was\nrude. "}
            done = await ann.post(where, body)
            (found,) = await store.read(reports.newest, 9)
            last = await store.read(tables.last, made["id"])
            assert (found.id, found.table_id, found.entry) == (done["id"], made["id"], last)
            assert (found.reporter, found.guest, found.name) == (ann.id, ben.id, "Ben")
            assert (found.reason, found.words) == ("chat", "He was rude.")
            assert [line["text"] for line in found.chat] == ["Something bad"]
            for wrong, status, code in (
                ({**body, "guest": ann.id}, 400, Code.OPTIONS),
                ({**body, "guest": cyd.id}, 404, Code.NOT_FOUND),
                ({**body, "reason": "ugly"}, 400, Code.MALFORMED),
                ({**body, "words": "x" * 501}, 413, Code.TOO_LARGE),
            ):
                check_problem(await ann.ask("POST", where, wrong), status, code)
            private = await ben.post("/api/tables", {"seats": [OPEN, OPEN]})
            answer = await cyd.ask("POST", f"/api/tables/{private['id']}/reports", body)
            check_problem(answer, 404, Code.NOT_FOUND)
            assert len(await store.read(reports.newest, 9)) == 1
            await store.write(reports.resolve, found.id, "", 5)
            assert await store.read(reports.newest, 9) == []
            await ben.ask("DELETE", "/api/me")  # whoever is forgotten is nobody's id
            (found,) = await store.read(reports.newest, 9, True)
            assert (found.guest, found.name) == ("", "Ben")

    run(story())


def test_reports_are_limited(database_url: str) -> None:
    async def story() -> None:
        async with (
            serving(database_url, clock=FakeClock(), reports_per_hour=4) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Ben") as ben,
        ):
            made = await waiting_table(ann, ben)
            where, body = f"/api/tables/{made['id']}/reports", {"guest": ben.id, "reason": "name"}
            for _ in range(2):
                await ann.post(where, body)
            check_problem(await ann.ask("POST", where, body), 429, Code.TOO_MUCH)
            assert len(await server.live.context.store.read(reports.newest, 9)) == 2

    run(story())


# --- The administrator's addresses ------------------------------------------------------------------------

ADDRESSES: list[tuple[str, str, object]] = [
    ("GET", "/api/admin", None),
    ("PUT", "/api/admin/switches", {"registration": True, "slow_chat": 0}),
    ("POST", "/api/admin/bans/guests", {"guest": "x"}),
    ("POST", "/api/admin/bans/networks", {"network": "203.0.113.7"}),
    ("POST", "/api/admin/bans/lift", {"who": "x"}),
    ("POST", "/api/admin/tables/x/close", {}),
    ("POST", "/api/admin/tables/x/chat/delete", {"numbers": [1]}),
    ("DELETE", "/api/admin/games/x", None),
    ("POST", "/api/admin/reports/x/resolve", {}),
]


def test_without_a_token_there_is_no_administration(database_url: str) -> None:
    async def story() -> None:
        async with serving(database_url) as server, httpx.AsyncClient(base_url=server.url) as http:
            for method, path, body in ADDRESSES:
                for given in ("", "Bearer", KEY["Authorization"]):
                    answer = await http.request(method, path, json=body, headers={"Authorization": given})
                    check_problem(answer, 404, Code.NOT_FOUND)
            assert (await http.get("/admin", headers={"accept": "text/html"})).status_code == 404

    run(story())


def test_nobody_administrates_without_the_token(database_url: str) -> None:
    async def story() -> None:
        async with (
            serving(database_url, clock=FakeClock(), admin_token=TOKEN) as server,
            httpx.AsyncClient(base_url=server.url) as http,
        ):
            for method, path, body in ADDRESSES:
                check_problem(await http.request(method, path, json=body), 401, Code.WHO)
            answer = await http.get("/api/admin", headers={"Authorization": f"Bearer {TOKEN}x"})
            check_problem(answer, 401, Code.WHO)
            check_problem(await http.get("/api/admin"), 429, Code.TOO_MUCH)
            assert (await http.get("/api/admin", headers=KEY)).status_code == 200, "whoever knows it may"
            foreign = {**KEY, "origin": "https://evil.example"}
            answer = await http.request("DELETE", "/api/admin/games/x", headers=foreign)
            check_problem(answer, 403, Code.ORIGIN)

    run(story())


def test_an_administrator_sees_and_does_everything_but_hidden_cards(database_url: str) -> None:
    async def story() -> None:
        async with (
            serving(database_url, admin_token=TOKEN) as server,
            await server.arrive("Ann") as ann,
            await server.arrive("Ben") as ben,
            httpx.AsyncClient(base_url=server.url, headers=KEY) as http,
        ):
            made = await waiting_table(ann, ben)
            game = await ann.post("/api/play", {"speed": "slow"})
            await ben.send({"type": "say", "table": made["id"], "text": "Something bad"})
            await ann.next("chat")
            await ann.post(f"/api/tables/{made['id']}/reports", {"guest": ben.id, "reason": "chat"})
            imported = await ann.post("/api/records", finished_record())

            seen = (await http.get("/api/admin")).json()
            assert set(seen) == {"reports", "reports_open", "bans", "tables", "switches"}
            assert {row["id"] for row in seen["tables"]} == {made["id"], game["id"]}
            known = {"id", "game", "edition", "phase", "seats", "host", "clock", "rounds", "created_at"}
            known |= {"updated_at", "public", "spectators", "deciding"}
            assert all(set(row) <= known for row in seen["tables"]), "no cards"
            (report,) = seen["reports"]
            assert (report["name"], report["table"], len(report["chat"])) == ("Ben", made["id"], 1)
            assert seen["switches"] == {"registration": True, "slow_chat": 0}

            async def done(method: str, path: str, body: object = None) -> None:
                answer = await http.request(method, path, json=body)
                assert answer.status_code == 204, answer.text

            await done("POST", f"/api/admin/tables/{made['id']}/chat/delete", {"numbers": [1]})
            assert (await ann.next("chat"))["line"]["removed"]
            await done("POST", "/api/admin/bans/guests", {"guest": ben.id, "days": 7, "reason": "rude"})
            assert await close_code(ben.socket) == Close.BANNED
            await done("POST", "/api/admin/bans/networks", {"network": "203.0.113.7"})
            await done("POST", f"/api/admin/reports/{report['id']}/resolve", {"note": "banned"})
            await done("POST", f"/api/admin/tables/{made['id']}/close", {"reason": "It is late."})
            assert (await ann.happened("closed"))["info"]["closed_text"] == "It is late."
            await done("DELETE", f"/api/admin/games/{imported['id']}")
            assert (await ann.ask("GET", f"/api/records/{imported['id']}")).status_code == 404
            await done("PUT", "/api/admin/switches", {"registration": False, "slow_chat": 5})
            async with httpx.AsyncClient(base_url=server.url) as new:
                check_problem(await new.post("/api/me", json={}), 403, Code.NO_NEWCOMERS)

            seen = (await http.get("/api/admin")).json()
            assert seen["reports"] == []
            assert {each["who"] for each in seen["bans"]} == {ben.id, "203.0.113.7"}
            assert seen["switches"] == {"registration": False, "slow_chat": 5}
            assert [row["id"] for row in seen["tables"]] == [game["id"]]
            await done("POST", "/api/admin/bans/lift", {"who": ben.id})
            await ben.get("/api/me")
            answer = await http.post("/api/admin/bans/lift", json={"who": ben.id})
            check_problem(answer, 404, Code.NOT_FOUND)

    run(story())
