"""A running server, put together from its parts. There is no logic here, but for the order of things."""

from __future__ import annotations

from typing import Any

from lynxden.server.limits import Buckets
from lynxden.server.live.cluster import Cluster
from lynxden.server.live.connection import CHAT_BURST, Rooms
from lynxden.server.live.context import Context
from lynxden.server.live.jobs import Jobs
from lynxden.server.live.lateness import Lateness
from lynxden.server.live.lobby import Lobby
from lynxden.server.live.moderation import Moderation
from lynxden.server.live.origins import Origins
from lynxden.server.live.patience import patiently
from lynxden.server.live.people import People
from lynxden.server.live.readiness import Readiness
from lynxden.server.live.reminders import Reminders
from lynxden.server.live.retention import Retention
from lynxden.server.live.skew import Skew
from lynxden.server.live.statistics import Statistics
from lynxden.server.live.tables import Tables
from lynxden.server.live.thinkers import Thinkers
from lynxden.server.settings import Settings
from lynxden.server.store.core import Store

FINISH = 3.0
"""Seconds that work under way gets when the server stops."""


class LiveServer:
    """Everything that one server has in memory."""

    def __init__(self, settings: Settings, store: Store, **services: Any) -> None:
        """`services` replace those of `Context`, for tests."""
        self.context = context = Context(settings, store, **services)
        self.lateness = Lateness(context.metrics.late)
        self.jobs = Jobs(settings.workers, context.metrics, context.log)
        self.readiness = Readiness(context)
        self.statistics = Statistics(context)
        self.thinkers = Thinkers(context, self.jobs)
        self.lobby = Lobby(context)
        self.reminders = Reminders(context)
        self.tables = Tables(context, self.jobs, self.thinkers, self.lobby.changed, self.reminders.turn)
        self.people = People(context)
        chatter = Buckets(settings.chat, CHAT_BURST, clock=context.clock.monotonic)
        self.rooms = Rooms(context, self.tables, self.lobby, chatter)
        self.origins = Origins(context)
        self.moderation = Moderation(context, self.tables, self.people, self.lobby.changed)
        self.skew = Skew(context)
        self.retention = Retention(context)
        self.cluster = Cluster(context, self.tables, self.people, self.lobby, self.moderation, self.skew)

    async def start(self) -> None:
        """Be ready to serve. A database that is being restarted is waited for, for a while."""
        self.lateness.start()
        self.jobs.start()  # people can play before a worker is ready
        await patiently(self.moderation.start, self.context.log)
        await patiently(self.cluster.join, self.context.log)
        self.retention.start()

    async def close(self) -> None:
        """Run no tables any more, so that another server can at once; everything is stored already."""
        tasks = self.context.tasks
        tasks.stop()
        self.tables.stop()
        # What is being written must be written before the leases are given back, not after.
        await tasks.finish(FINISH)
        await self.tables.finish(FINISH)
        await self.cluster.leave()
        await self.jobs.close()
        self.reminders.close()
        await self.context.store.close()
        self.lateness.stop()
