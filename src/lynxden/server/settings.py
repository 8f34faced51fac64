"""The settings of a server: flags, `LYNXDEN_…` variables, or defaults."""

from __future__ import annotations

import ipaddress
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, get_type_hints

from lynxden.games.errors import OptionsError

PREFIX = "LYNXDEN_"
EVERY_PROXY = "*"
"""In the setting `proxies`: every direct client of this server is a proxy."""

LEAST_TOKEN = 20
"""Characters of an administrator's token."""

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class Settings:
    """Every setting has a default that suits a laptop; each can be set as `LYNXDEN_NAME`."""

    host: str = "127.0.0.1"
    """The address to listen on; 0.0.0.0 for everybody on the network."""
    port: int = 8060
    """The port to listen on; 0 for any free one."""
    data: Path = Path("lynxden-data")
    """The folder of the built-in database."""
    database: str = ""
    """postgresql://… to use PostgreSQL instead of the built-in database."""
    log_level: str = "info"
    """debug, info, warning or error."""
    log_format: str = "text"
    """text for people, json for log collectors."""
    public_url: str = ""
    """The address that people use, if there is a proxy: https://cards.example.org"""
    proxies: str = ""
    """Proxies whose X-Forwarded-For is trusted: addresses or networks, separated by commas; * for anybody."""
    absence: float = 90.0
    """Seconds after which a bot fills in for a player who is not connected, if other people wait."""
    alone: float = 7 * 86400.0
    """The same if nobody else waits."""
    idle: float = 900.0
    """Seconds after which a bot fills in for a connected player who does nothing, without a clock."""
    pause: float = 30.0
    """Seconds between the games of a match, unless all players are ready sooner."""
    empty: float = 600.0
    """Seconds after which a table that has not started is closed if everybody has left it, and so is a guided
    game."""
    grace: float = 3.0
    """Seconds without a connection after which others see that a player is gone."""
    workers: int = 3
    """Worker processes for bots, imports, replays and the loading of tables; 1 to 64. Of several, bots use
    all but one."""
    bot_limit: float = 10.0
    """Seconds that a bot may take for a decision; then it is stopped, and the greedy bot decides instead."""
    beat: float = 2.0
    """Seconds between a server's heartbeats, for others on the same database."""
    lease: float = 10.0
    """Seconds without a heartbeat after which others take over a server's tables."""
    tables_per_guest: int = 20
    """Tables that one person may have open or running; 0 for any number."""
    sockets_per_address: int = 50
    """Sockets from one network address; 0 for any number."""
    connections_per_address: int = 100
    """HTTP connections from one network address at a time; 0 for any number. Proxies are not counted."""
    requests: float = 20.0
    """Requests a second from one address, on average; 0 for any number."""
    guests_per_hour: int = 120
    """New guests an hour from one address; 0 for any number."""
    messages: float = 20.0
    """Messages a second on one socket, on average; 0 for any number."""
    chat: float = 0.5
    """Lines of chat a second from one person, on average; 0 for any number."""
    sessions_per_guest: int = 20
    """Devices on which one person may be signed in; 0 for any number. One more signs out the one that was not
    used for longest."""
    session_days: int = 400
    """Days without use after which a browser or a program is signed out; 0 for never."""
    open_tables_per_guest: int = 5
    """Public tables of one person that may wait for players; 0 for any number."""
    open_tables_per_address: int = 20
    """Public tables made at one network address that may wait for players; 0 for any number."""
    imports_per_guest: int = 1000
    """Imported games that are kept for one person; 0 for any number."""
    reports_per_hour: int = 10
    """Reports about players an hour from one person, and from one address twice as many; 0 for any number."""
    keep_tables: float = 0.0
    """Days after which tables that are over are deleted, with logs and chat; 0 for never."""
    keep_imports: float = 0.0
    """Days after which imported games are deleted; 0 for never."""
    keep_guests: float = 0.0
    """Days after which people who have no games and were not here again are forgotten; 0 for never."""
    keep_reports: float = 365.0
    """Days after which reports that were resolved are deleted; 0 for never."""
    push_contact: str = ""
    """Whom push services ask if our reminders make trouble: mailto:… or https://…; if empty, the public
    address."""
    push_local: int = 0
    """1 to send reminders to private addresses and without https, too: for tests alone."""
    metrics_token: str = ""
    """If set, /metrics requires it as a bearer token."""
    admin_token: str = ""
    """If set, /admin shows a page for administrators who know it; at least 20 characters."""

    @property
    def store_url(self) -> str:
        """The address of the database."""
        return self.database or f"sqlite:///{self.data / 'lynxden.sqlite3'}"

    @property
    def secure(self) -> bool:
        """Whether cookies are sent over https only."""
        return self.public_url.startswith("https://")


def from_environment(environment: Mapping[str, str] | None = None, **flags: Any) -> Settings:
    """Settings from `LYNXDEN_…` variables; flags that are not None come first."""
    environment = os.environ if environment is None else environment
    hints = get_type_hints(Settings)
    found: dict[str, Any] = {}
    for field in fields(Settings):
        text = environment.get(PREFIX + field.name.upper())
        if text is not None:
            found[field.name] = _read(PREFIX + field.name.upper(), text, hints[field.name])
    found |= {name: value for name, value in flags.items() if value is not None}
    return check(replace(Settings(), **found))


def _read(name: str, text: str, kind: type) -> Any:
    try:
        return kind(text)
    except ValueError as error:
        what = {int: "a whole number", float: "a number"}[kind]
        raise OptionsError(f"{name} must be {what}, not '{text}'") from error


def proxy_networks(text: str) -> tuple[Network, ...]:
    """The networks that the setting `proxies` names; an address is a network of its own."""
    found: list[Network] = []
    for part in (part.strip() for part in text.split(",")):
        if part and part != EVERY_PROXY:
            try:
                found.append(ipaddress.ip_network(part, strict=False))
            except ValueError as error:
                raise OptionsError(
                    f"proxies are addresses such as 127.0.0.1 or networks such as 10.0.0.0/8, not '{part}'"
                ) from error
    return tuple(found)


def check(settings: Settings) -> Settings:
    """Refuse what cannot work."""
    if not 0 <= settings.port <= 65535:
        raise OptionsError(f"a port is a number from 0 to 65535, not {settings.port}")
    if settings.log_level not in ("debug", "info", "warning", "error"):
        raise OptionsError(f"the log level is debug, info, warning or error, not '{settings.log_level}'")
    if settings.log_format not in ("text", "json"):
        raise OptionsError(f"the log format is text or json, not '{settings.log_format}'")
    if settings.database and "://" not in settings.database:
        raise OptionsError(
            "--database wants an address like postgresql://user@host/name; for a file use --data"
        )
    if settings.public_url and not settings.public_url.startswith(("http://", "https://")):
        raise OptionsError(f"the public address starts with https:// or http://, not '{settings.public_url}'")
    proxy_networks(settings.proxies)
    for field in fields(settings):
        value = getattr(settings, field.name)
        if isinstance(value, int | float) and not 0 <= value < math.inf:
            raise OptionsError(f"{field.name} cannot be negative or without end: {value}")
    if settings.admin_token and len(settings.admin_token) < LEAST_TOKEN:
        raise OptionsError(
            f"an administrator's token has at least {LEAST_TOKEN} characters, so that nobody guesses it; "
            "`openssl rand -hex 20` makes one"
        )
    if not 1 <= settings.workers <= 64:
        raise OptionsError(f"a server has 1 to 64 worker processes, not {settings.workers}")
    if not 0 < 3 * settings.beat <= settings.lease:
        raise OptionsError(
            f"a server gives at least three signs of life before others think it dead: a lease of "
            f"{settings.lease:g} seconds is too short for a beat of {settings.beat:g}"
        )
    return settings
