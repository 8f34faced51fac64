"""What is seen of a game of Tiny as plain data."""

from __future__ import annotations

from dataclasses import dataclass

from lynxden.games.errors import OptionsError
from tests.tiny.position import TinyPosition, TinyView
from tests.tiny.why import Why, why


@dataclass(frozen=True)
class Player:
    """What everybody sees of a player."""

    hand_size: int
    laid: tuple[str, ...]
    known: tuple[str, ...]
    score: int


@dataclass(frozen=True)
class Public:
    """What everybody at the table sees."""

    seat: int | None
    active: int
    decision: str
    over: bool
    deck_size: int
    open_card: str | None
    offered: str | None
    players: tuple[Player, ...]


@dataclass(frozen=True)
class Private:
    """What a seat sees besides."""

    seat: int
    hand: tuple[str, ...]
    legal: tuple[str, ...]
    why: tuple[Why, ...]


@dataclass(frozen=True)
class Revealed:
    """What was hidden."""

    hands: tuple[tuple[str, ...], ...]
    deck: tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """Cards that count alike."""

    name: str
    cards: int
    points: int


def public(view: TinyView) -> Public:
    scores = view.scores
    return Public(
        seat=view.seat,
        active=view.active,
        decision=view.decision,
        over=view.over,
        deck_size=view.deck_size,
        open_card=view.open_card,
        offered=view.offered,
        players=tuple(
            Player(size, view.laid(seat), view.known(seat), scores[seat])
            for seat, size in enumerate(view.hand_sizes)
        ),
    )


def private(view: TinyView) -> Private:
    if view.viewer is None:
        raise OptionsError("a spectator sees nothing besides: ask for a seat's view")
    records = view.kernel_form()
    numbers = view.game.legal_numbers(records) if view.to_move else []
    legal = tuple(str(action) for action in view.legal_actions)
    return Private(view.viewer, view.hand, legal, why(view, records, numbers))


def revealed(position: TinyPosition) -> Revealed:
    return Revealed(tuple(position.hand(seat) for seat in range(position.players)), position.deck)


def breakdown(position: TinyPosition) -> tuple[tuple[Part, ...], ...]:
    sizes = [len(position.laid(seat)) for seat in range(position.players)]
    return tuple((Part("laid", *laid),) for laid in zip(sizes, position.scores, strict=True))
