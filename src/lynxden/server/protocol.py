"""The messages on the socket, each way: closed sets of tagged structures, JSON, one message a frame.

Parts of `docs/protocol.md` and the browser's types are generated from this module.
Seats are counted from 0. Times are milliseconds. Fields that have their default value are left out of what
the server sends.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Raw, Struct

from lynxden.games.core import Event, Outcome
from lynxden.server.table.evening import EveningRow
from lynxden.server.table.plans import Clock

VERSION = 1
"""Raised when a client written for an older version could no longer play."""

PHRASES = (
    "hello", "good-luck", "well-played", "nice-snatch", "ouch", "thanks", "sorry", "hurry",
    "one-moment", "bye",
)  # fmt: skip
"""Quick phrases: the page shows them in its own language."""

CHAT_LENGTH = 300
"""Characters in a line of chat."""
NAME_LENGTH = 24
"""Characters in a display name."""

ID_LENGTH = 64
"""Characters in an id."""

Id = Annotated[str, Meta(min_length=1, max_length=ID_LENGTH)]
"""A table's id, or an id that a client chose."""
Number = Annotated[int, Meta(ge=0, le=2**53)]


# --- From the client ----------------------------------------------------------------------------------


class FromClient(Struct, frozen=True, tag_field="type", tag=str.lower, forbid_unknown_fields=True):
    """Anything that a client may send."""


class Watch(FromClient, frozen=True):
    """Watch a table, from one's own seat or as a spectator. The answer is a `table` message."""

    table: Id
    """The table's id."""
    seen: Number = 0
    """The number of the last event that the client has; 0 if none."""
    invite: Annotated[str, Meta(max_length=64)] = ""
    """The secret of the invitation link, for a table that is not public."""
    board: bool = False
    """For a screen that everybody sees: the table as a spectator sees it, also for somebody who sits there.
    Anybody with the invitation may show it, also if the table is closed to spectators."""


class Unwatch(FromClient, frozen=True):
    """Stop watching a table."""

    table: Id
    """The table's id."""


class Act(FromClient, frozen=True):
    """Make a decision. The answer is `ack` once it is stored for good, or `refused`."""

    table: Id
    """The table's id."""
    id: Id
    """Chosen by the client, new for each decision. If it is sent again after a lost connection, it
    changes nothing and is answered in the same way."""
    seen: Number
    """The number of the last event that the client has seen. If the game has gone on since, the action is
    refused as stale."""
    action: Annotated[str, Meta(max_length=200)]
    """As text: `play 7 7 X`."""


class Back(FromClient, frozen=True):
    """Take the seat back from the bot that fills in."""

    table: Id
    """The table's id."""


class Ready(FromClient, frozen=True):
    """Go on to the next game of the match."""

    table: Id
    """The table's id."""


class Say(FromClient, frozen=True):
    """A line of chat, or a quick phrase."""

    table: Id
    """The table's id."""
    text: Annotated[str, Meta(max_length=4 * CHAT_LENGTH)] = ""
    """One line."""
    phrase: Annotated[str, Meta(max_length=40)] = ""
    """The name of a quick phrase; then `text` is left out."""


class Lobby(FromClient, frozen=True):
    """Receive the open tables, now and whenever they change; or stop that."""

    on: bool = True
    """False: stop."""


class Ping(FromClient, frozen=True):
    """Answered with `pong`: to measure the connection, or to keep it alive."""


ClientMessage = Watch | Unwatch | Act | Back | Ready | Say | Lobby | Ping


# --- What tables are made of ----------------------------------------------------------------------------


class SeatInfo(Struct, frozen=True, omit_defaults=True):
    """A seat at a table."""

    kind: Literal["open", "invited", "person", "bot"]
    """Free for anyone; free for those who have the invitation; a person's; a bot's."""
    name: str = ""
    """The player's name; may change during the game."""
    guest: str = ""
    """The person's public id."""
    bot: str = ""
    """Which bot plays here: for a bot's seat, or since the person left for good."""
    program: bool = False
    """Somebody's own bot, connected through this protocol."""
    reserved: str = ""
    """The public id of the person for whom the seat is reserved."""
    kept: str = ""
    """Their name."""
    next: str = ""
    """The name of the person who will have this bot's seat from the next game on."""
    next_guest: str = ""
    """Their public id."""
    here: bool = False
    """The person is connected."""
    stand_in: str = ""
    """Why a bot fills in for the person: `time`, `absent`, `idle`; empty if none does."""
    quit: bool = False
    """The person left for good."""
    ready: bool = False
    """The person wants the next game of the match."""


class Info(Struct, frozen=True, omit_defaults=True):
    """A table, apart from the cards."""

    id: str
    """The table's id."""
    game: str
    """`linko` or `blocco`."""
    edition: str
    """One of the game's editions."""
    phase: Literal["open", "running", "over", "closed"]
    """It waits for players; the match is being played; the match is over; the table was closed before the
    start, or by an administrator."""
    seats: tuple[SeatInfo, ...]
    """Clockwise; elsewhere a seat is given as its index in this list."""
    host: str
    """The host's public id."""
    public: bool
    """Listed in the lobby until it starts; no invitation is needed to watch."""
    spectators: bool
    """Whether people without a seat may watch."""
    clock: Clock
    """How much time people have."""
    rounds: int
    """How often each player starts; 0 for a single game."""
    length: int
    """Games in the match."""
    speed: str
    """The pace of the bots: `instant`, `fast`, `normal` or `slow`."""
    created_at: int
    """When the table was made."""
    round: int = 0
    """The present game, counted from 1; 0 before the start."""
    totals: tuple[int, ...] = ()
    """Points of the finished games, by seat."""
    outcomes: tuple[Outcome, ...] = ()
    """How the finished games ended."""
    winners: tuple[int, ...] = ()
    """Who has won the match, once it is over."""
    rematch: str = ""
    """The table where the same people play again."""
    invite: str = ""
    """The secret of the invitation link; sent to those who sit at the table, and to the host."""
    rules: int = 1
    """The version of the game's rules."""
    read_only: str = ""
    """Why the table can only be watched: `rules`, this server does not have its rules; `entries`, a newer
    version of the server has written to it. Empty for all others. Without the rules there
    are no cards to show, so `game` is left out."""
    closed: str = ""
    """Why the table was closed: `host`, its host gave it up; `empty`, nobody was left; `admin`, an
    administrator closed it. Empty for all others."""
    closed_text: str = ""
    """The administrator's reason, in their words; may be empty."""
    guide: bool = False
    """A guided first game: it counts nowhere, and is kept nowhere."""
    evening: tuple[EveningRow, ...] = ()
    """Who has won how much: at this table, and at those of which it is a rematch."""
    paused: bool = False
    """The game is paused: clocks stand still, and nobody acts."""


class ClockNow(Struct, frozen=True, omit_defaults=True):
    """The clocks at the moment of the message."""

    seat: int
    """Whose clock runs."""
    left: int
    """Milliseconds until a bot fills in."""
    banks: tuple[int, ...] = ()
    """With banks: what every seat has left."""


class Finished(Struct, frozen=True):
    """The end of a game: all cards are open."""

    outcome: Outcome
    """Reason, points and winners."""
    breakdown: Raw
    """How each seat's points came about: for each seat the `Part`s of its game's snapshot."""
    revealed: Raw
    """What was hidden: the `Revealed` of the game's snapshot."""
    record: str
    """The id of the game's record; empty for a guided game, which is not kept."""


class GameNow(Struct, frozen=True, omit_defaults=True):
    """The cards as the receiver may see them. Each game has its own types (`games/<game>/snapshot.py`)."""

    public: Raw
    """What everybody sees: the `Public` of the game's snapshot."""
    own: Raw | None = None
    """The receiver's hand and legal actions: the `Private` of the game's snapshot; not for spectators."""
    clock: ClockNow | None = None
    """Only while a person's clock runs."""
    finished: Finished | None = None
    """Only when the game is over."""
    advice: str = ""
    """In a guided game: the action that the guide proposes to the receiver; empty if it has none."""


class Happening(Struct, frozen=True, omit_defaults=True):
    """One event of a table, as the receiver may know it."""

    number: int
    """Counted from 1 without gaps; the same for every receiver."""
    at: int
    """When."""
    kind: str
    """`created`, `sat`, `stood`, `filled`, `renamed`, `dealt`, `acted`, `stoodin`, `back`, `quit`, `came`,
    `gone`, `ready`, `resumed`, `watching`, `rematched`, `closed`, `waits`, `paused`, `continued`; `unknown`
    for what a newer version of the server has written."""
    seat: int | None = None
    """The seat that it is about, if any."""
    by: str = ""
    """An action: whether a `player`, a `bot` or a `stand-in` made it. A stand-in, or `closed`: why. `stood`
    and `waits`: `host` if the host removed the person."""
    events: tuple[Event, ...] = ()
    """What came of an action, in order."""


class Row(Struct, frozen=True, omit_defaults=True):
    """A table in a list."""

    id: str
    """The table's id."""
    game: str
    """`linko` or `blocco`."""
    edition: str
    """One of the game's editions."""
    phase: str
    """As in `Info`."""
    seats: tuple[SeatInfo, ...]
    """Clockwise."""
    host: str
    """The host's public id."""
    clock: Clock
    """How much time people have."""
    rounds: int
    """How often each player starts; 0 for a single game."""
    created_at: int
    """When the table was made."""
    updated_at: int
    """When something happened there last."""
    public: bool = False
    """Listed in the lobby until it starts."""
    spectators: bool = True
    """Whether people without a seat may watch."""
    deciding: int | None = None
    """Whose decision the game waits for."""
    guide: bool = False
    """A guided first game."""


class ChatLine(Struct, frozen=True, omit_defaults=True):
    """A line of chat."""

    number: int
    """Counted from 1 at each table."""
    at: int
    """When."""
    guest: str
    """The sender's public id; empty if they were forgotten."""
    name: str
    """Their name at that time."""
    text: str = ""
    """The line."""
    phrase: str = ""
    """Or the name of a quick phrase."""
    removed: bool = False
    """An administrator deleted what it said."""


# --- From the server ------------------------------------------------------------------------------------


class FromServer(Struct, frozen=True, tag_field="type", tag=str.lower, omit_defaults=True):
    """Anything that the server may send."""


class Hello(FromServer, frozen=True):
    """The first message."""

    guest: str
    """The receiver's public id."""
    name: str
    """The receiver's name."""
    version: int
    """Of the protocol."""


class TableNow(FromServer, frozen=True, tag="table"):
    """The answer to `watch`: the whole table as the receiver may see it, and what was missed."""

    number: int
    """The number of the last event that this message includes."""
    info: Info
    """The table, apart from the cards."""
    seat: int | None = None
    """The receiver's seat; left out for spectators."""
    game: GameNow | None = None
    """The cards; not before the start."""
    missed: tuple[Happening, ...] = ()
    """What happened in the present game since the event that the client had."""
    chat: tuple[ChatLine, ...] = ()
    """The last lines of chat."""


class Happened(FromServer, frozen=True):
    """Something happened at a table."""

    table: str
    """The table's id."""
    what: Happening
    """What happened."""
    info: Info | None = None
    """The table's new state, if it changed."""
    game: GameNow | None = None
    """The cards, if they changed."""


class Ack(FromServer, frozen=True):
    """An action was stored for good."""

    table: str
    """The table's id."""
    id: str
    """The id that the client chose."""
    number: int
    """The event's number."""


class Refused(FromServer, frozen=True):
    """Something was not done, and nothing changed."""

    code: str
    """Stable, for programs."""
    text: str
    """For people; may change."""
    table: str = ""
    """The table that the message was about, as far as it could be read."""
    id: str = ""
    """The id of the action that was refused, as far as it could be read."""


class Chat(FromServer, frozen=True):
    """A new line of chat; or one that the receiver has already, if it was deleted."""

    table: str
    """The table's id."""
    line: ChatLine
    """The line."""


class Watchers(FromServer, frozen=True):
    """The spectators. Sent when those of a table change, and after `table` if there are any."""

    table: str
    """The table's id."""
    names: tuple[str, ...]
    """Their names, each person once; not all of them if there are many."""
    count: int
    """How many there are."""


class LobbyTables(FromServer, frozen=True, tag="lobby"):
    """The open tables, newest first; the further ones of a host or of a network address come last."""

    tables: tuple[Row, ...]
    """All that are shown, not only what changed."""


class Pong(FromServer, frozen=True):
    """The answer to `ping`."""


ServerMessage = Hello | TableNow | Happened | Ack | Refused | Chat | Watchers | LobbyTables | Pong

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[ClientMessage] = msgspec.json.Decoder(ClientMessage)


def encode(message: FromServer) -> bytes:
    return _encoder.encode(message)


def decode(data: bytes | str) -> ClientMessage:
    """A client's message; `msgspec.DecodeError` if it is none."""
    return _decoder.decode(data)


class _Named(Struct, frozen=True):
    """What a refused message says of itself, as far as it can be read."""

    table: Any = ""
    id: Any = ""


_named: msgspec.json.Decoder[_Named] = msgspec.json.Decoder(_Named)


def named_in(data: bytes | str) -> tuple[str, str]:
    """The table and the id in a message that is not carried out; empty texts if they cannot be read."""
    try:
        found = _named.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "", ""
    return _short(found.table), _short(found.id)


def _short(value: object) -> str:
    return value if isinstance(value, str) and len(value) <= ID_LENGTH else ""
