"""What the server refuses, with codes that programs can rely on."""

from enum import StrEnum
from typing import TypeVar

from lynxden.games.errors import (
    ActionError,
    IllegalAction,
    LynxdenError,
    MalformedAction,
    OptionsError,
    OutOfTurn,
)


class Code(StrEnum):
    """Stable codes; the texts that come with them are for people and may change."""

    MALFORMED = "malformed"
    """The message is no JSON, or has an unknown type or wrong fields."""
    OPTIONS = "options"
    """Options that do not exist or cannot be combined."""
    ACTION = "action"
    """The text is no action of the game."""
    ILLEGAL = "illegal"
    """An action that is not legal now."""
    OUT_OF_TURN = "out-of-turn"
    """Somebody else has to decide."""
    STALE = "stale"
    """The game has gone on since the event that the sender had seen last."""
    NOT_RUNNING = "not-running"
    """The table has not started, or is over."""
    PAUSED = "paused"
    """The game is paused."""
    READ_ONLY = "read-only"
    """The table was played by another version of the server and can only be watched; or this server does not
    have the rules of a finished game, so that it cannot be replayed."""
    NO_SEAT = "no-seat"
    """The sender does not sit at this table."""
    SEAT_TAKEN = "seat-taken"
    """The seat is not free, or meant for somebody else."""
    NOT_HOST = "not-host"
    """Only the table's host may do that."""
    NOT_WATCHING = "not-watching"
    """A message about a table that this connection does not watch."""
    NO_SPECTATORS = "no-spectators"
    """The table is closed to spectators, or private."""
    REMOVED = "removed"
    """The table's host has removed the sender from it."""
    BANNED = "banned"
    """An administrator has banned the sender, or the network address."""
    NO_NEWCOMERS = "no-newcomers"
    """The server accepts no new guests at the moment; known guests may play."""
    WHO = "who"
    """No identity, or a token that is not (or no longer) valid."""
    ORIGIN = "origin"
    """The request comes from a page of another site."""
    NOT_FOUND = "not-found"
    """No such table, game, person or page."""
    TOO_MUCH = "too-much"
    """Too many requests, messages, tables or sockets."""
    FULL = "full"
    """The server keeps no more for one person: delete something first."""
    TOO_LARGE = "too-large"
    """The message or the body is too long."""
    RECORD = "record"
    """A game record with a mistake."""
    UNAVAILABLE = "unavailable"
    """The database cannot be reached, the server is busy or about to stop; try again."""
    INTERNAL = "internal"
    """A fault of the server."""


STATUS = {
    Code.MALFORMED: 400,
    Code.OPTIONS: 400,
    Code.ACTION: 400,
    Code.RECORD: 400,
    Code.WHO: 401,
    Code.ORIGIN: 403,
    Code.NOT_HOST: 403,
    Code.NO_SEAT: 403,
    Code.NO_SPECTATORS: 403,
    Code.REMOVED: 403,
    Code.BANNED: 403,
    Code.NO_NEWCOMERS: 403,
    Code.NOT_FOUND: 404,
    Code.ILLEGAL: 409,
    Code.OUT_OF_TURN: 409,
    Code.STALE: 409,
    Code.NOT_RUNNING: 409,
    Code.PAUSED: 409,
    Code.READ_ONLY: 409,
    Code.SEAT_TAKEN: 409,
    Code.FULL: 409,
    Code.NOT_WATCHING: 409,
    Code.TOO_LARGE: 413,
    Code.TOO_MUCH: 429,
    Code.UNAVAILABLE: 503,
    Code.INTERNAL: 500,
}
"""The HTTP status that goes with each code."""


class Refusal(LynxdenError):
    """Something that was not done; nothing has changed."""

    def __init__(
        self,
        code: Code,
        text: str,
        *,
        until: int | None = None,
        reason: str = "",
        decision: int | None = None,
    ) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.until = until
        """Of a ban: when it ends, if it does."""
        self.reason = reason
        """Of a ban: what the administrator wrote, in whatever language."""
        self.decision = decision
        """Of a record: the decision that is wrong, counted from 1."""


_KINDS: tuple[tuple[type[LynxdenError], Code], ...] = (
    (MalformedAction, Code.ACTION),
    (IllegalAction, Code.ILLEGAL),
    (OutOfTurn, Code.OUT_OF_TURN),
    (ActionError, Code.ILLEGAL),
    (OptionsError, Code.OPTIONS),
)


E = TypeVar("E", bound=BaseException)


def without_frames(error: E) -> E:
    """An error of which the text says everything, without the frames that it came through.

    They often refer to the error itself, as those of the PostgreSQL driver do: such a cycle is not freed
    until somebody searches for it, nor is all that the frames refer to.
    """
    found: BaseException | None = error
    while found is not None and found.__traceback__ is not None:
        found.__traceback__ = None
        found = found.__cause__ or found.__context__
    return error


def refusal_of(error: LynxdenError) -> Refusal:
    """An error of a lower layer as a refusal with its code."""
    if isinstance(error, Refusal):
        return error
    code = next((code for kind, code in _KINDS if isinstance(error, kind)), Code.OPTIONS)
    return Refusal(code, str(error))
