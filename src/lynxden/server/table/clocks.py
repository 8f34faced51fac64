"""What a table waits for, and until when. Pure; the timers of all servers use it."""

from dataclasses import dataclass
from typing import Literal

from lynxden.server.settings import Settings
from lynxden.server.table.state import TableState

PACE = {"instant": 0, "fast": 350, "normal": 1000, "slow": 2200}
"""Milliseconds before a bot acts, by the table's speed."""


LONGEST_PAUSE = 86_400_000
"""Milliseconds after which a paused game goes on by itself, so that none is kept for ever."""


@dataclass(frozen=True, slots=True)
class Due:
    """Something that the server has to do by itself."""

    since: int
    """The moment of the log from which it is waited for, in milliseconds since 1970."""
    wait: int
    """So many milliseconds later it is due."""
    what: Literal["act", "time", "absent", "idle", "deal", "close", "continue"]
    """A bot acts; a bot fills in for one of three reasons; the next game is dealt; the table is closed; a
    pause ends."""
    seat: int = -1

    @property
    def at(self) -> int:
        """When, in milliseconds since 1970, if nobody sets the wall clock meanwhile."""
        return self.since + self.wait


def due(state: TableState, settings: Settings) -> Due | None:
    """What happens next if nobody does anything, by wall time; None if nothing does."""
    return min(waits(state, settings), key=lambda due: due.at, default=None)


def waits(state: TableState, settings: Settings) -> list[Due]:
    """All that is waited for. Whatever comes first changes the table, and the rest may be void."""
    if state.read_only:
        return []
    if state.phase == "open":
        return _empty_table(state, settings)
    if state.paused and state.phase == "running":
        return [Due(state.decided_at, LONGEST_PAUSE, "continue")]
    if state.between:
        if not state.people:  # nobody is left to play for
            return [Due(state.decided_at, 0, "close")]
        return [_next_game(state, settings)]
    seat = state.deciding
    if seat is None:
        return []
    if not state.seats[seat].decides:
        return [Due(state.decided_at, PACE[state.plan.speed], "act", seat)]
    return _patience(state, seat, settings)


def moments(state: TableState) -> set[int]:
    """All moments from which anything at this table may be waited for."""
    return {state.updated_at, state.decided_at, *(seat.gone_at for seat in state.seats)}


def _empty_table(state: TableState, settings: Settings) -> list[Due]:
    """A table that has not started stays as long as anybody is there."""
    if any(seat.here for seat in state.seats):
        return []
    return [Due(state.updated_at, round(settings.empty * 1000), "close")]


def _next_game(state: TableState, settings: Settings) -> Due:
    """The next game of a match starts when all who are there are ready, or after a while."""
    waited_for = [state.seats[number] for number in state.people if state.seats[number].here]
    if waited_for and all(seat.ready for seat in waited_for):
        return Due(state.decided_at, 0, "deal")
    return Due(state.decided_at, round(settings.pause * 1000), "deal")


def _patience(state: TableState, number: int, settings: Settings) -> list[Due]:
    """Everything that can end the wait for a person's decision."""
    seat = state.seats[number]
    if state.plan.guide:  # nobody plays on for somebody who learns
        return [] if seat.here else [Due(seat.gone_at, round(settings.empty * 1000), "close")]
    found = []
    left = time_left(state, number)
    if left is not None:
        found.append(Due(state.decided_at, left, "time", number))
    others_wait = len(state.people) > 1
    if not seat.here:
        patience = settings.absence if others_wait else settings.alone
        found.append(Due(seat.gone_at, round(patience * 1000), "absent", number))
    elif left is None and others_wait:
        found.append(Due(state.decided_at, round(settings.idle * 1000), "idle", number))
    return found


def time_left(state: TableState, seat: int) -> int | None:
    """Milliseconds that a seat's clock shows as the present decision begins or goes on; None without one."""
    clock = state.plan.clock
    if clock.kind == "none":
        return None
    whole = clock.seconds * 1000 if clock.kind == "decision" else state.seats[seat].bank
    return max(0, whole - state.spent)
