"""What is compiled beside a server, at its very first start."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress

from lynxden.server.live.context import Context
from lynxden.server.live.warm_up import LATER, missing
from lynxden.server.live.worker import NURSERY, WorkerLost


class Preparation:
    """Has what bots with a search need compiled by another process, if it is not there yet."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.done = asyncio.Event()
        """Every bot can be asked at once."""

    def start(self) -> None:
        if hasattr(os, "fork") and missing(LATER):
            self._context.tasks.spawn(self._prepare())
        else:
            self.done.set()

    async def _prepare(self) -> None:
        log = self._context.log
        log.info("compiling what the strongest bots need, beside everything else")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "lynxden.server.live.warm_up", env=environment, start_new_session=True
        )
        try:
            code = await process.wait()
        except asyncio.CancelledError:  # the server stops
            with suppress(ProcessLookupError):
                os.killpg(process.pid, 9)
            raise
        if code:
            log.warning("it failed (exit code %s); the first decisions of these bots will take longer", code)
        try:
            await asyncio.to_thread(NURSERY.load_everything)
        except WorkerLost as error:
            log.warning("%s", error.text)
        self.done.set()
        log.info("every bot is ready")
