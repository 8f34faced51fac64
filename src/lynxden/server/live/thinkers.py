"""The server's own bots. They think in other processes; one that fails or overruns is replaced."""

from __future__ import annotations

import numpy as np

from lynxden.bots import NO_LIMIT, get_bot
from lynxden.games.core import View
from lynxden.server.live.context import Context
from lynxden.server.live.jobs import Jobs, JobsFull, JobTimeout

SUBSTITUTE = "greedy"
"""Decides in microseconds when another bot cannot."""


def choose(bot: str, view: View) -> str:
    """A bot's decision as text, checked against the view's legal actions."""
    action = get_bot(bot).choose(view, NO_LIMIT, np.random.default_rng()).action
    if action not in view.legal_actions:
        raise ValueError(f"bot {bot} wants '{action}', which is not legal")
    return str(action)


class Thinkers:
    """Asks bots for decisions."""

    def __init__(self, context: Context, jobs: Jobs) -> None:
        self._context = context
        self._jobs = jobs
        self.choose = choose
        """How a bot decides; a function of a module, since it runs in another process."""

    async def think(self, bot: str, view: View) -> str:
        """A bot's decision."""
        context = self._context
        with context.metrics.bot_seconds.labels(bot).time():
            try:
                return await self._jobs.run("bot", self.choose, bot, view, limit=context.settings.bot_limit)
            except JobTimeout:
                context.log.warning("bot %s thought too long", bot)
            except JobsFull:
                context.log.warning("bot %s could not be asked: too many jobs wait", bot)
            except Exception:
                context.log.exception("bot %s failed", bot)
        context.metrics.bots_replaced.labels(bot).inc()
        return choose(SUBSTITUTE, view)
