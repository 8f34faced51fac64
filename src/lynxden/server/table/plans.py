"""The plan of a table, checked against the games, editions and bots that exist."""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from lynxden import bots
from lynxden.games.errors import OptionsError
from lynxden.games.registry import GAMES, get_game

Speed = Literal["instant", "fast", "normal", "slow"]
MOST_SECONDS = 7 * 86400
"""On any clock."""
MOST_ROUNDS = 10
USUAL_BOT = "hunter"
"""The bot if none was chosen."""
GUIDE_BOT = "kitten"
"""Plays against somebody who is guided, wherever the guide has no wish."""


class Clock(Struct, frozen=True):
    """How much time people have."""

    kind: Literal["none", "decision", "bank"] = "none"
    """No clock; a number of seconds for each decision; or a bank of time for the whole game."""
    seconds: Annotated[int, Meta(ge=0, le=MOST_SECONDS)] = 0
    """For a decision, or in the bank at the start of each game."""
    increment: Annotated[int, Meta(ge=0, le=3600)] = 5
    """Bank: seconds added for each decision."""


class SeatPlan(Struct, frozen=True):
    """Who may take a seat."""

    kind: Literal["open", "invited", "bot"] = "open"
    """Anyone; anyone who has the invitation link; a bot."""
    bot: Annotated[str, Meta(max_length=40)] = ""
    """Which bot, if it is one: a name from `GET /api/games`, without parameters."""


class Plan(Struct, frozen=True):
    """How a table was set up; it never changes."""

    game: str
    edition: str
    seats: tuple[SeatPlan, ...]
    public: bool = False
    """Listed in the lobby; otherwise the invitation link is needed."""
    spectators: bool = True
    clock: Clock = Clock()
    rounds: int = 0
    """How often each player starts in the match; 0 for a single game."""
    speed: Speed = "normal"
    """The pace of the bots."""
    guide: bool = False
    """A guided first game: a prepared deal, for one person, that counts nowhere and is kept nowhere."""


def make_plan(
    game: str,
    edition: str,
    seats: Sequence[SeatPlan],
    public: bool,
    spectators: bool,
    clock: Clock,
    rounds: int,
    speed: Speed,
) -> Plan:
    """A plan that can be played; `OptionsError` says what is wrong."""
    found = get_game(game)
    options = found.choose_options(edition or None)
    # As plain plans: a request has a stricter type.
    places = tuple(SeatPlan(seat.kind, seat.bot) for seat in seats)
    places = places or (SeatPlan(),) * found.default_players(options)
    found.check_players(options, len(places), 0)
    for place in places:
        if place.kind == "bot":
            check_bot(place.bot, found.name, found.edition_of(options))
        elif place.bot:
            raise OptionsError(
                f"a seat that is {place.kind} names no bot, but this one names '{place.bot[:40]}'"
            )
    if all(place.kind == "bot" for place in places):
        raise OptionsError("at least one seat must be open or invited: the host sits there")
    clock = Clock(clock.kind, clock.seconds, clock.increment)
    check_clock(clock)
    name = found.edition_of(options)
    assert name is not None
    return Plan(found.name, name, places, public, spectators, clock, rounds, speed)


def guide_plan(game: str, speed: Speed) -> Plan:
    """The plan of a guided first game; `OptionsError` if the game has none."""
    found = get_game(game)
    guide = found.guide
    if guide is None:
        guided = ", ".join(name for name, each in GAMES.items() if each.guide)
        raise OptionsError(f"{found.title} has no guided game; games that have one: {guided}")
    others = (SeatPlan("bot", GUIDE_BOT),) * (guide.players - 1)
    places = (SeatPlan("invited"), *others)
    return Plan(found.name, guide.edition, places, spectators=False, speed=speed, guide=True)


def check_bot(name: str, game: str, edition: str | None = None) -> None:
    """Bots at tables have no parameters: people who sit down with one should know how strong it is."""
    if bots.check_bot(name, game, edition).parameters:
        raise OptionsError(f"a bot at a table has no parameters: '{name[:40]}' is for the arena")


def check_clock(clock: Clock) -> None:
    if clock.kind == "none":
        return
    if not 1 <= clock.seconds <= MOST_SECONDS:
        raise OptionsError(f"a clock has 1 to {MOST_SECONDS} seconds, not {clock.seconds}")
    if not 0 <= clock.increment <= 3600:
        raise OptionsError(f"a clock's increment is 0 to 3600 seconds, not {clock.increment}")
    if clock.kind == "bank" and clock.increment == 0 and clock.seconds < 30:
        raise OptionsError("a bank without increment has at least 30 seconds")


def usual_bots(game: str, edition: str, players: int) -> tuple[str, ...]:
    """The opponents if none were chosen."""
    found = get_game(game)
    options = found.choose_options(edition or None)
    count = found.check_players(options, players or None, 0)
    return (USUAL_BOT,) * (count - 1)
