"""The server's own bots. They think in other processes; one that fails or overruns is replaced."""

from __future__ import annotations

import asyncio
import secrets
from hashlib import blake2b

import numpy as np

from lynxden.bots import Limit, get_bot
from lynxden.bots.registry import kind_of
from lynxden.bots.spec import BotSpec
from lynxden.games.core import View
from lynxden.games.errors import OptionsError
from lynxden.server.errors import Refusal
from lynxden.server.live.context import Context
from lynxden.server.live.jobs import Jobs, JobsFull, JobTimeout
from lynxden.server.live.warm_up import FIRST

SUBSTITUTE = "greedy"
"""Decides in microseconds when another bot cannot."""
SHARE = 0.8
"""Of the time after which a bot is stopped: the limit that it is given."""


def choose(bot: str, view: View, seed: int, seconds: float | None = None) -> str:
    """A bot's decision as text, checked against the view's legal actions."""
    action = get_bot(bot).choose(view, Limit(seconds), np.random.default_rng(seed)).action
    if action not in view.legal_actions:
        raise ValueError(f"bot {bot} wants '{action}', which is not legal")
    return str(action)


def seed_of(luck: str, decision: int) -> int:
    """The luck of a bot at one decision of a game.

    It follows from what was drawn with the deal, so a log gives the same decisions again; but that is sent to
    nobody, so nobody can foresee them. Games of earlier versions drew nothing: then it is drawn now.
    """
    if not luck:
        return secrets.randbits(64)
    return int.from_bytes(blake2b(f"{luck} {decision}".encode(), digest_size=8).digest())


class Thinkers:
    """Asks bots for decisions."""

    def __init__(self, context: Context, jobs: Jobs) -> None:
        self._context = context
        self._jobs = jobs
        self.choose = choose
        """How a bot decides; a function of a module, since it runs in another process."""
        self.prepared: asyncio.Event | None = None
        """Set when every bot can be asked, not only those of `FIRST`; None if that is so from the start."""

    async def think(self, bot: str, view: View, seed: int) -> str:
        """A bot's decision."""
        context = self._context
        limit = context.settings.bot_limit
        with context.metrics.bot_seconds.labels(_label(bot)).time():
            try:
                if self.choose is choose and _is_quick(bot):
                    return choose(bot, view, seed)
                if self.prepared is not None and _label(bot) not in FIRST:
                    async with asyncio.timeout(limit):
                        await self.prepared.wait()
                return await self._jobs.run("bot", self.choose, bot, view, seed, SHARE * limit, limit=limit)
            except TimeoutError:
                context.log.warning("bot %s is not ready: what it needs is still being compiled", bot)
            except JobTimeout:
                context.log.warning("bot %s thought too long", bot)
            except JobsFull:
                context.log.warning("bot %s could not be asked: too many jobs wait", bot)
            except Refusal as refusal:  # a worker was lost, and the next one as well
                context.log.warning("bot %s could not be asked: %s", bot, refusal.text)
            except Exception:
                context.log.exception("bot %s failed", bot)
        context.metrics.bots_replaced.labels(_label(bot)).inc()
        return choose(SUBSTITUTE, view, seed)


def _is_quick(bot: str) -> bool:
    try:
        return kind_of(BotSpec.parse(bot)).quick
    except OptionsError:  # a bot that this version does not have
        return False


def _label(bot: str) -> str:
    """The name in metrics, without parameters."""
    return bot.partition(":")[0]
