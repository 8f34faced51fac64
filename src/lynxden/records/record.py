"""A recorded game, and the recorder that writes one."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from lynxden.games.core import Action, Outcome, Position
from lynxden.games.errors import LynxdenError

FORMAT = "lynxden/1"
FIRST_RULES = 1
"""The version of the rules for a record that names none."""
KEYS = {
    "format", "game", "edition", "rules", "reduced", "seats", "starter", "deal", "actions", "result", "legal",
    "actors",
}  # fmt: skip
"""Keys with a meaning; a record may have others."""
TRUNCATED = {"reason": "truncated"}
"""The result of a game that a cap on decisions stopped."""


_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters and the like: they have no place in a game, and could do harm on a screen."""


class RecordError(LynxdenError):
    """A record with a mistake; says where, and holds the part before it."""

    def __init__(self, reason: str, decision: int | None = None, prefix: "Record | None" = None) -> None:
        super().__init__(f"decision {decision}: {reason}" if decision else reason)
        self.reason = reason
        self.decision = decision
        """The decision that is wrong, counted from 1; None if the fault lies elsewhere."""
        self.prefix = prefix
        """The game up to there; None if the deal itself is wrong."""


@dataclass(frozen=True)
class Record:
    """One game: the deal, the actions as text, and the result."""

    game: str
    edition: str
    seats: tuple[str, ...]
    """The players' names, clockwise."""
    starter: int
    deal: Mapping[str, Any]
    actions: tuple[str, ...]
    result: Mapping[str, Any] | None = None
    """None for a game that is not over."""
    legal: tuple[tuple[str, ...], ...] | None = None
    """All legal actions at each decision, if they were recorded."""
    actors: tuple[int, ...] | None = None
    """Who decided, if that was recorded."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further keys, which the rules ignore."""
    rules: int = FIRST_RULES
    """The version of the game's rules."""
    reduced: Mapping[str, int] = field(default_factory=dict)
    """What a reduced deck has fewer of; nothing for the whole game."""

    @classmethod
    def of(
        cls,
        start: Position,
        seats: Sequence[str],
        actions: Sequence[str],
        outcome: Outcome | None,
        *,
        truncated: bool = False,
        legal: Sequence[Sequence[str]] | None = None,
        actors: Sequence[int] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> Self:
        """The record of a game that began with the position `start`, a fresh deal.

        Without an outcome the game is not over; `truncated` says that a cap stopped it.
        """
        return cls(
            game=start.game.name,
            edition=_edition(start),
            rules=start.game.rules_of(start.options),
            reduced=start.game.reduction(start.options),
            seats=tuple(seats),
            starter=start.active,
            deal=start.game.deal_of(start),
            actions=tuple(actions),
            result=result_of(outcome) if outcome else TRUNCATED if truncated else None,
            legal=None if legal is None else tuple(map(tuple, legal)),
            actors=None if actors is None else tuple(actors),
            extra=extra or {},
        )

    def to_dict(self) -> dict[str, Any]:
        """The record as the object that its line of JSON holds."""
        found: dict[str, Any] = {
            "format": FORMAT,
            "game": self.game,
            "edition": self.edition,
            "rules": self.rules,
            **({"reduced": dict(self.reduced)} if self.reduced else {}),
            **{key: value for key, value in self.extra.items() if key not in KEYS},
            "seats": list(self.seats),
            "starter": self.starter,
            "deal": self.deal,
            "actions": list(self.actions),
        }
        if self.legal is not None:
            found["legal"] = [list(texts) for texts in self.legal]
        if self.actors is not None:
            found["actors"] = list(self.actors)
        if self.result is not None:
            found["result"] = self.result
        return found

    def to_json(self) -> str:
        """The record as one line of JSON, without the line end."""
        return json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))


def _edition(position: Position) -> str:
    """The edition of a game that is to be recorded."""
    game = position.game
    found = game.edition_of(game.whole(position.options))
    if found is None:
        raise RecordError("house rules cannot be recorded: a record names one of the editions")
    return found


def short(value: Any) -> str:
    """A value from a file, safe and short enough to show."""
    text = repr(value)
    return text if len(text) <= 40 else text[:40] + "…"


def check_text(value: Any, key: str) -> str:
    """A text without control characters."""
    if not isinstance(value, str):
        raise RecordError(f"'{key}' must be a text, not {short(value)}")
    if _UNPRINTABLE.search(value):
        raise RecordError(f"'{key}' holds a control character: {short(value)}")
    return value


def result_of(outcome: Outcome) -> dict[str, Any]:
    """An outcome as a record holds it."""
    return {
        "reason": outcome.reason,
        "scores": list(outcome.scores),
        "winners": list(outcome.winners),
    }


def _check_fresh(position: Position) -> None:
    """A record starts with a deal; set-up positions and games under way cannot be recorded."""
    try:
        game = position.game
        fresh = game.read_deal(position.options, position.active, game.deal_of(position)) == position
    except LynxdenError:
        fresh = False
    if not fresh:
        raise RecordError("a recording starts with a fresh deal, not with a position of another kind")


class Recorder:
    """Records a game as it is played."""

    def __init__(self, position: Position, seats: Sequence[str], **extra: Any) -> None:
        _edition(position)
        if len(seats) != position.players:
            raise RecordError(f"{len(seats)} names for {position.players} players")
        for name in seats:
            check_text(name, "seats")
        if KEYS & set(extra):
            raise RecordError(f"'{min(KEYS & set(extra))}' is no further key: it has a meaning of its own")
        _check_fresh(position)
        self.position = position
        """The position reached so far."""
        self._start = position
        self._seats = tuple(seats)
        self._actions: list[str] = []
        self._extra = extra

    def apply(self, action: Action | str, seat: int | None = None) -> Position:
        """Apply an action and record it."""
        self.position = self.position.apply(action, seat)
        self._actions.append(str(action))
        return self.position

    def record(self, *, truncated: bool = False) -> Record:
        """The game so far; `truncated` if a cap stopped it."""
        outcome = self.position.outcome
        return Record.of(
            self._start, self._seats, self._actions, outcome, truncated=truncated, extra=self._extra
        )
