"""What is compiled beside a server, at its very first start.

Until then the rules run as plain Python, so that the first game can begin at once, and the bots that look
ahead are waited for.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress

from lynxden.games.jit import interpret
from lynxden.server.live.context import Context
from lynxden.server.live.jobs import Jobs
from lynxden.server.live.warm_up import PLAY, missing, warm_up
from lynxden.server.live.worker import NURSERY, WorkerLost


class Preparation:
    """Has what is missing compiled by another process."""

    def __init__(self, context: Context, jobs: Jobs) -> None:
        self._context = context
        self._jobs = jobs
        self.done = asyncio.Event()
        """Every bot can be asked at once."""

    @staticmethod
    def possible() -> bool:
        """Whether this system can compile in other processes."""
        return hasattr(os, "fork")

    def start(self) -> None:
        if self.possible() and missing():
            self._context.tasks.spawn(self._prepare())
        else:
            self.done.set()

    async def _prepare(self) -> None:
        log = self._context.log
        log.info("compiling the rules and the bots, once, beside everything else")
        code = await self._compile()
        if code:
            log.warning("it failed (exit code %s); the first decisions of some bots will take longer", code)
        try:
            await asyncio.to_thread(NURSERY.load_everything)
        except WorkerLost as error:
            log.warning("%s", error.text)
        self._jobs.renew()
        if not missing(PLAY):
            interpret(False)
            warm_up(PLAY)
        self.done.set()
        log.info("every bot is ready")

    async def _compile(self) -> int:
        """Compile, and return the exit code of the process that did."""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "lynxden.server.live.warm_up", env=environment, start_new_session=True
        )
        try:
            return await process.wait()
        except asyncio.CancelledError:  # the server stops
            with suppress(ProcessLookupError):
                os.killpg(process.pid, 9)
            raise
