"""Reports: what players send to the administrators about another player."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from litestar import post
from litestar.params import JSONBody
from msgspec import Meta, Struct

from lynxden.server import sanitize
from lynxden.server.errors import Code, Refusal
from lynxden.server.http.common import Asked, Path, asker, live_of, problems
from lynxden.server.http.guard import address
from lynxden.server.limits import Buckets
from lynxden.server.live.actor import LiveTable
from lynxden.server.live.context import Context
from lynxden.server.store import reports
from lynxden.server.store.guests import Guest
from lynxden.server.store.reports import Report

Reason = Literal["chat", "name", "unfair", "stalling", "other"]
MOST_WORDS = 500
"""Characters of a report in the reporter's own words."""
ATTACHED = 30
"""Lines of chat that a report holds."""
MOST_OPEN = 5000
"""Reports that wait for an administrator; nobody reads more."""


class NewReport(Struct, frozen=True, forbid_unknown_fields=True):
    """A report about somebody at a table."""

    guest: Annotated[str, Meta(min_length=1, max_length=64)]
    """The public id of the person: somebody who sits at the table, or has said something there lately."""
    reason: Reason
    """Insults or spam in the chat; an offensive name; unfair play; stalling; something else."""
    words: Annotated[str, Meta(max_length=4 * MOST_WORDS)] = ""
    """What happened, in one's own words."""
    invite: Annotated[str, Meta(max_length=64)] = ""
    """The secret of the invitation link, for somebody who looks on at a table that is not public."""


class Reported(Struct, frozen=True):
    id: str


class Reporters:
    """How much each guest, and each network address, may report."""

    def __init__(self, context: Context) -> None:
        hourly, clock = context.settings.reports_per_hour, context.clock.monotonic
        self._guests = Buckets(hourly / 3600, max(1, hourly / 2), clock=clock)
        self._addresses = Buckets(2 * hourly / 3600, max(1, hourly), clock=clock)

    def check(self, guest: str, where: str) -> None:
        if not (self._guests.take(guest) and self._addresses.take(where)):
            raise Refusal(
                Code.TOO_MUCH, "you have reported much in a short time; wait a while before the next report"
            )


@post("/api/tables/{table:str}/reports", responses=problems(400, 401, 403, 404, 413))
async def report(request: Asked, table: Path, data: JSONBody[NewReport]) -> Reported:
    """Report somebody at a table to the administrators. The last lines of chat are attached."""
    live, guest = live_of(request), await asker(request)
    context = live.context
    found = await live.tables.get(table)
    found.check_watcher(guest.id, data.invite)
    words = sanitize.tidy(data.words)
    if len(words) > MOST_WORDS:
        raise Refusal(Code.TOO_LARGE, f"a report has at most {MOST_WORDS} characters, not {len(words)}")
    made = await _made(context, found, guest, data, words)
    request.app.state.reporters.check(guest.id, address(request.scope))
    if await context.store.read(reports.count_open) >= MOST_OPEN:
        raise Refusal(Code.TOO_MUCH, "so many reports wait for the administrators that they take no more now")
    await context.store.write(reports.add, made)
    context.metrics.reports.labels(data.reason).inc()
    return Reported(made.id)


async def _made(context: Context, table: LiveTable, guest: Guest, data: NewReport, words: str) -> Report:
    if data.guest == guest.id:
        raise Refusal(Code.OPTIONS, "you cannot report yourself")
    lines = [line for line in await table.chat.lines() if not line.removed][-ATTACHED:]
    names = {line.guest: line.name for line in lines}
    names |= {seat.guest: seat.name for seat in table.state.seats if seat.guest}
    if data.guest not in names:
        raise Refusal(
            Code.NOT_FOUND,
            "this person is not at the table: report somebody who sits there, or has spoken there",
        )
    return Report(
        id=context.make_id(),
        at=context.now(),
        table_id=table.id,
        entry=table.state.last,
        reporter=guest.id,
        reporter_name=guest.name,
        guest=data.guest,
        name=names[data.guest],
        reason=data.reason,
        words=words,
        chat=tuple(msgspec.to_builtins(line) for line in lines),
    )


HANDLERS = [report]
