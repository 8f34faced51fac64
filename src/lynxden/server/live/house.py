"""Who may not come, and what is switched, as this server knows it. `moderation.py` keeps it up to date."""

from __future__ import annotations

from datetime import UTC, datetime

from lynxden.server.errors import Code, Refusal
from lynxden.server.store.bans import Ban
from lynxden.server.store.guests import Guest
from lynxden.server.store.switches import Switches


class Banned(Refusal):
    """Somebody may not come."""

    def __init__(self, ban: Ban) -> None:
        until = ""
        if ban.until is not None:
            until = f" until {datetime.fromtimestamp(ban.until / 1000, UTC):%Y-%m-%d %H:%M} UTC"
        who = "you are" if ban.kind == "guest" else "your network address is"
        reason = f": {ban.reason}" if ban.reason else ""
        text = f"{who} banned from this server{until}{reason}"
        super().__init__(Code.BANNED, text, until=ban.until, reason=ban.reason)
        self.ban = ban


class House:
    """Bans and switches. Asked at every request, so it is all in memory."""

    def __init__(self) -> None:
        self.switches = Switches()
        self._bans: dict[str, Ban] = {}

    def take(self, bans: list[Ban], switches: Switches) -> None:
        """Know how things stand now."""
        self._bans = {ban.who: ban for ban in bans}
        self.switches = switches

    def add(self, ban: Ban) -> None:
        """Know of one more ban, at once."""
        self._bans[ban.who] = ban

    def ban_of(self, who: str | None, now: int) -> Ban | None:
        """The ban of a guest or of a network that holds now."""
        found = self._bans.get(who or "")
        return found if found is not None and (found.until is None or found.until > now) else None

    def check_guest(self, guest: Guest, now: int) -> None:
        """Refuse somebody who is banned, and programs of theirs."""
        self._check(self.ban_of(guest.id, now) or self.ban_of(guest.owner, now))

    def check_network(self, where: str, now: int) -> None:
        """Refuse requests from a banned network."""
        self._check(self.ban_of(where, now))

    def _check(self, ban: Ban | None) -> None:
        if ban is not None:
            raise Banned(ban)

    def check_newcomers(self) -> None:
        """Refuse new guests, if none are taken."""
        if not self.switches.registration:
            raise Refusal(
                Code.NO_NEWCOMERS,
                "this server accepts no new guests at the moment; if you have played here before, open your "
                "personal link",
            )
