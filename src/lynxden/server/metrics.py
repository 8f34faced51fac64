"""What can be measured of a running server, for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
LATE = (0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1.0)
"""Finer where it matters: below 20 ms nobody notices."""


class Metrics:
    """Counters of one server; a server has its own registry, so that tests can have several."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.sockets = self._gauge("sockets", "Open sockets")
        self.tables = self._gauge("tables", "Tables in memory")
        self.held = self._gauge("tables_held", "Tables whose clocks and bots this server runs")
        self.late = Histogram(
            "lynxden_loop_late_seconds",
            "How late the event loop is, sampled every 10 ms",
            buckets=LATE,
            registry=self.registry,
        )
        self.entries = self._counter("entries", "Entries written to tables' logs")
        self.games = self._counter("games_finished", "Games finished", "game", "edition")
        self.refused = self._counter("refused", "Messages and requests refused", "code")
        self.requests = self._counter("requests", "HTTP requests", "route", "status")
        self.message_seconds = self._times("message_seconds", "From a message to its answer", "kind")
        self.store_seconds = self._times("store_seconds", "Writing to a log, until it is durable")
        self.bot_seconds = self._times("bot_seconds", "A bot's thinking", "bot")
        self.bots_replaced = self._counter(
            "bots_replaced", "Decisions of bots that failed or thought too long", "bot"
        )
        self.skew = self._gauge(
            "clock_skew_seconds", "How far this server's clock is ahead of the database's; PostgreSQL alone"
        )
        self.deleted = self._counter("deleted", "Things deleted because of their age", "what")
        self.reports = self._counter("reports", "Reports from players", "reason")
        self.jobs_waiting = self._gauge("jobs_waiting", "Jobs that wait for a worker process")
        self.job_seconds = self._times("job_seconds", "A job in a worker process", "kind")
        self.jobs_failed = self._counter("jobs_failed", "Jobs refused, stopped or lost", "kind", "why")

    def _gauge(self, name: str, about: str) -> Gauge:
        return Gauge(f"lynxden_{name}", about, registry=self.registry)

    def _counter(self, name: str, about: str, *labels: str) -> Counter:
        return Counter(f"lynxden_{name}", about, labels, registry=self.registry)

    def _times(self, name: str, about: str, *labels: str) -> Histogram:
        return Histogram(f"lynxden_{name}", about, labels, buckets=BUCKETS, registry=self.registry)

    def text(self) -> bytes:
        return generate_latest(self.registry)
