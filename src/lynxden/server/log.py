"""A table's log: the truth about it. Every entry has a number, counted from 1 without gaps.

An entry says what happened and when, and nothing that follows from it by itself: `state.py` works that out.
Deals and actions stand here in full, so the log never leaves the server; `tell.py` decides what each
viewer hears of an entry.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

MOST_SECONDS = 7 * 86400
"""On any clock."""


class Clock(Struct, frozen=True, forbid_unknown_fields=True):
    """How much time people have."""

    kind: Literal["none", "decision", "bank"] = "none"
    """No clock; so many seconds for each decision; or a bank for the whole game."""
    seconds: Annotated[int, Meta(ge=0, le=MOST_SECONDS)] = 0
    """For a decision, or in the bank at the start of each game."""
    increment: Annotated[int, Meta(ge=0, le=3600)] = 5
    """Bank: seconds given for each decision besides."""


class SeatPlan(Struct, frozen=True, forbid_unknown_fields=True):
    """Who is to sit somewhere."""

    kind: Literal["open", "invited", "bot"] = "open"
    """Anybody; whoever has the invitation link; a bot."""
    bot: Annotated[str, Meta(max_length=40)] = ""
    """Which bot, if it is one."""


class Plan(Struct, frozen=True, forbid_unknown_fields=True):
    """What a table was made for; it never changes."""

    game: str
    edition: str
    seats: tuple[SeatPlan, ...]
    public: bool = False
    """Listed in the lobby; otherwise the invitation link is needed."""
    spectators: bool = True
    clock: Clock = Clock()
    rounds: int = 0
    """How often each player starts in the match; 0 for a single game."""
    speed: Literal["instant", "fast", "normal", "slow"] = "normal"
    """The pace of the bots."""


class Entry(Struct, frozen=True, tag_field="kind", tag=str.lower, omit_defaults=True):
    """Anything in the log."""

    at: int
    """When, in milliseconds since 1970, by the server's clock."""


class Created(Entry, frozen=True, kw_only=True):
    """The table was made."""

    by: str
    """The host."""
    plan: Plan
    invite: str
    """The secret in the invitation link."""
    starter: int = 0
    reserved: tuple[str | None, ...] = ()
    """A rematch: the people for whom seats are kept."""
    names: tuple[str, ...] = ()
    """What the bots are called, by seat; empty for other seats. Old logs have none."""


class Sat(Entry, frozen=True):
    """A person took a seat."""

    seat: int
    guest: str
    name: str
    program: bool = False
    """A bot that plays through the protocol."""


class Stood(Entry, frozen=True):
    """A person left a seat before the start."""

    seat: int


class Filled(Entry, frozen=True):
    """A bot took an empty seat."""

    seat: int
    bot: str
    name: str = ""
    """What the bot is called. Old logs do not say."""


class Renamed(Entry, frozen=True):
    """A person at the table has another name."""

    seat: int
    name: str


class Dealt(Entry, frozen=True):
    """A game began."""

    starter: int
    deal: dict[str, Any]
    """As in a game record."""


class Acted(Entry, frozen=True):
    """A decision was made."""

    seat: int
    action: str
    by: Literal["player", "bot", "stand-in"] = "player"
    id: str = ""
    """The id that the player's program chose for it."""


class StoodIn(Entry, frozen=True):
    """A bot sits in for a person."""

    seat: int
    why: Literal["time", "absent", "idle"]


class Back(Entry, frozen=True):
    """The person has the seat back."""

    seat: int


class Quit(Entry, frozen=True):
    """A person left for good during the game; a bot has the seat."""

    seat: int


class Came(Entry, frozen=True):
    """A person is connected, to this server."""

    seat: int
    server: str


class Gone(Entry, frozen=True):
    """A person is no longer connected to this server."""

    seat: int
    server: str


class Ready(Entry, frozen=True):
    """A person wants the next game of the match."""

    seat: int


class Resumed(Entry, frozen=True):
    """The table was without a server for a while: the clock of the present decision starts anew."""


class Watching(Entry, frozen=True):
    """The host opened the table to spectators, or closed it."""

    open: bool


class Rematched(Entry, frozen=True):
    """The same people play again, at another table."""

    table: str


class Closed(Entry, frozen=True):
    """The table was given up before the start."""

    why: Literal["host", "empty"]


AnyEntry = (
    Created | Sat | Stood | Filled | Renamed | Dealt | Acted | StoodIn | Back | Quit
    | Came | Gone | Ready | Resumed | Watching | Rematched | Closed
)  # fmt: skip

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[AnyEntry] = msgspec.json.Decoder(AnyEntry)


def encode(entry: Entry) -> str:
    return _encoder.encode(entry).decode()


def decode(body: str) -> AnyEntry:
    return _decoder.decode(body)
