"""Signing out all other devices, while somebody keeps claiming the personal link."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from tests.server.kit import run, serving

ROUNDS = 12
CLAIMANTS = 4


@pytest.mark.parametrize("delay", [0.0, 0.005])
def test_whoever_is_signed_out_stays_so(database_url: str, delay: float) -> None:
    """No token that was got from the link before it was revoked is valid afterwards."""

    async def story() -> None:
        async with (
            serving(database_url, sessions_per_guest=0) as server,
            await server.arrive("Ann") as ann,
        ):
            kept = 0
            for _ in range(ROUNDS):
                link = await ann.post("/api/me/link")
                secret = link["path"].rpartition("#")[2]
                tokens: list[str] = []
                stop = asyncio.Event()

                async def claim(secret: str, tokens: list[str], stop: asyncio.Event) -> None:
                    async with httpx.AsyncClient(base_url=server.url) as mallory:
                        while not stop.is_set():
                            answer = await mallory.post("/api/me/claim", json={"secret": secret})
                            if answer.status_code == 200:
                                tokens.append(
                                    answer.headers["set-cookie"].partition("=")[2].partition(";")[0]
                                )
                            mallory.cookies.clear()

                claimants = [asyncio.create_task(claim(secret, tokens, stop)) for _ in range(CLAIMANTS)]
                await asyncio.sleep(delay)
                answer = await ann.ask("DELETE", "/api/me/devices")
                assert answer.status_code == 200
                stop.set()
                await asyncio.gather(*claimants)
                for token in tokens:
                    async with httpx.AsyncClient(
                        base_url=server.url, headers={"Authorization": f"Bearer {token}"}
                    ) as thief:
                        kept += (await thief.get("/api/me")).status_code == 200
            assert kept == 0, f"{kept} tokens outlived the sign-out"
            assert (await ann.ask("GET", "/api/me")).status_code == 200

    run(story())
