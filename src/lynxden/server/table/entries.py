"""A table's log: the truth about it. Every entry has a number, counted from 1 without gaps.

An entry holds what happened, when, and everything that was decided at that moment: names, kinds of bots, who
fills in. A later version of the program reads the same from it, whatever it would decide itself. What follows
from the entries by the rules alone is not stored; `state.py` computes it.

Entries hold deals and actions in full, so the log never leaves the server; `views.py` decides what each
viewer is sent of an entry.

**Other versions.** Several versions of the program may read and write the same database. Fields that this
version does not know are ignored. An entry of a kind or with a value that it does not know is read as
`Unknown`: the table is shown as far as it is understood, and is read-only. Fields that older versions did not
write are filled in once, when an entry is read: by `_complete`, or by `state.py` if the table must be known.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from lynxden.games.core import Outcome
from lynxden.server.table.evening import Evening
from lynxden.server.table.plans import Plan

FIRST_RULES = 1
"""The version of the rules for a log that names none."""


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
    """A rematch: the people for whom seats are reserved."""
    kept: tuple[str, ...] = ()
    """Their names, by seat; an empty text for other seats."""
    evening: Evening = ()
    """A rematch: the standing so far."""
    removed: tuple[str, ...] = ()
    """A rematch: whom the host removed before; they do not come back to this table either."""
    names: tuple[str, ...] = ()
    """The names of the bots, by seat; an empty text for other seats, an empty list if there are no bots."""
    rules: int = FIRST_RULES
    """The version of the game's rules, for all games of this table."""


class Sat(Entry, frozen=True):
    """A person took a seat: a free one, or between games that of a bot."""

    seat: int
    guest: str
    name: str
    program: bool = False
    """A bot that plays through the protocol."""


class Stood(Entry, frozen=True):
    """A person left a seat before the start, or was removed from it by the host."""

    seat: int
    removed: str = ""
    """Whom the host removed: this guest cannot come back to the table. Empty if they left by themselves."""


class Filled(Entry, frozen=True):
    """A bot took an empty seat."""

    seat: int
    bot: str
    name: str = ""
    """The name of the bot."""


class Waits(Entry, frozen=True):
    """A person will have the seat of a bot from the next game on; or nobody will any more."""

    seat: int
    guest: str = ""
    """Empty: nobody waits for this seat any more."""
    name: str = ""
    program: bool = False
    removed: str = ""
    """Whom the host removed: this guest cannot come back to the table."""


class Renamed(Entry, frozen=True):
    """A person at the table has another name."""

    seat: int
    name: str


class Dealt(Entry, frozen=True):
    """A game began."""

    starter: int
    deal: dict[str, Any]
    """As in a game record."""
    record: str = ""
    """The id that the game's record will have. It does not name the table. Empty in logs of version 0.1: the
    table's id, a hyphen, and the number of the game."""
    luck: str = ""
    """Where the luck of the server's bots comes from in this game. It is sent to nobody, at no time."""


class Acted(Entry, frozen=True):
    """A decision was made."""

    seat: int
    action: str
    by: Literal["player", "bot", "stand-in"] = "player"
    id: str = ""
    """The id that the player's program chose for it."""
    outcome: Outcome | None = None
    """How the game ended, if it ended with this action; logs of version 0.1 leave it to the rules."""
    took: int | None = None
    """With a bank: the milliseconds that the player took. Version 0.1 left it to the times of the entries,
    which are wrong when somebody sets the wall clock meanwhile."""


class StoodIn(Entry, frozen=True):
    """A bot fills in for a person."""

    seat: int
    why: Literal["time", "absent", "idle"]
    bot: str = ""
    """Which bot."""


class Back(Entry, frozen=True):
    """The person has the seat back."""

    seat: int


class Quit(Entry, frozen=True):
    """A person left for good during the game; a bot has the seat."""

    seat: int
    bot: str = ""
    """Which bot."""


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
    """The table was without a server for a while: the clock of the present decision restarts."""


class Paused(Entry, frozen=True):
    """The game was stopped for a while: clocks stand still, and nobody acts."""

    seat: int | None = None
    """Whose wish it was; none for a host without a seat."""
    spent: int = 0
    """The milliseconds that the present decision had taken until then."""


class Continued(Entry, frozen=True):
    """The game goes on."""

    seat: int | None = None
    """Whose wish it was; none for a host without a seat, or if the pause had been too long."""


class Watching(Entry, frozen=True):
    """The host opened the table to spectators, or closed it."""

    open: bool


class Rematched(Entry, frozen=True):
    """The same people play again, at another table."""

    table: str


class Closed(Entry, frozen=True):
    """The table was given up: by its host before the start, by an administrator, or because all had left."""

    why: Literal["host", "empty", "admin"]
    text: str = ""
    """An administrator's reason, in their words."""


class Unknown(Entry, frozen=True):
    """Something that a newer version of the program has written."""

    what: str = ""
    """The kind of the entry."""


Known = (
    Created | Sat | Stood | Filled | Renamed | Dealt | Acted | StoodIn | Back | Quit
    | Came | Gone | Ready | Resumed | Watching | Rematched | Closed | Waits | Paused | Continued
)  # fmt: skip
AnyEntry = Known | Unknown


class _Head(Struct, frozen=True):
    """What every entry of every version has."""

    at: int
    kind: str


_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Known] = msgspec.json.Decoder(Known)
_head: msgspec.json.Decoder[_Head] = msgspec.json.Decoder(_Head)


def encode(entry: Entry) -> str:
    return _encoder.encode(entry).decode()


def decode(body: str) -> AnyEntry:
    """A stored entry; `msgspec.DecodeError` if it is none."""
    try:
        entry = _decoder.decode(body)
    except msgspec.ValidationError:  # of another kind, or with a value that its field cannot have here
        head = _head.decode(body)
        return Unknown(head.at, head.kind)
    return _complete(entry)


# --- What version 0.1 did not write ---------------------------------------------------------------------

_FIRST_BOT = "greedy"
"""The bot that filled in for people."""


def _complete(entry: Known) -> Known:
    """An entry with the fields that its version did not write. These values never change."""
    match entry:
        case Created() if not entry.names and any(seat.kind == "bot" for seat in entry.plan.seats):
            names = [
                _first_name(plan.bot, seat) if plan.kind == "bot" else ""
                for seat, plan in enumerate(entry.plan.seats)
            ]
            return replace(entry, names=tuple(names))
        case Filled(name=""):
            return replace(entry, name=_first_name(entry.bot, entry.seat))
        case StoodIn(bot="") | Quit(bot=""):
            return replace(entry, bot=_FIRST_BOT)
    return entry


def _first_name(bot: str, seat: int) -> str:
    """The name of a bot before bots had names of their own: seats are counted from 1."""
    return f"{bot.capitalize()} {seat + 1}"
