"""All bots there are, with what a person needs to know to choose one.

Other packages add bots through the entry point group `lynxden.bots`: each entry is a `BotKind`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points

from lynxden.bots.core import Bot
from lynxden.bots.spec import BotSpec
from lynxden.games.errors import OptionsError

GROUP = "lynxden.bots"


@dataclass(frozen=True)
class Parameter:
    """A parameter of a bot: a whole number within bounds."""

    lowest: int
    highest: int
    description: str

    def read(self, bot: BotSpec, key: str, text: str) -> int:
        if not text.isascii() or not text.isdigit() or not self.lowest <= int(text) <= self.highest:
            raise OptionsError(
                f"{key}={text} in bot '{bot}': {key} is a whole number from {self.lowest} to {self.highest}"
                f" ({self.description})"
            )
        return int(text)


@dataclass(frozen=True)
class BotKind:
    """A bot that can be asked for by name."""

    name: str
    title: str
    description: str
    """A sentence for somebody who chooses an opponent."""
    make: Callable[..., Bot]
    """Takes the parameters as keyword arguments, those left out excepted."""
    level: int | None = None
    """Its place among the opponents offered to people, 1 is the gentlest; None: not offered to them."""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    games: frozenset[str] | None = None
    """The games it can play; None: all."""
    quick: bool = False
    """It decides within a millisecond, so a server asks it at once and not in another process."""
    editions: frozenset[str] | None = None
    """The editions it can play; None: all."""

    def plays(self, game: str, edition: str | None = None) -> bool:
        if self.games is not None and game not in self.games:
            return False
        return self.editions is None or edition is None or edition in self.editions


_kinds: dict[str, BotKind] = {}


def register(kind: BotKind) -> BotKind:
    """Add a kind of bot: from now on it can be named wherever a bot can."""
    if kind.name in _kinds and _kinds[kind.name] != kind:
        raise OptionsError(f"there are two bots called '{kind.name}'")
    if BotSpec.parse(kind.name) != BotSpec(kind.name):
        raise OptionsError(f"'{kind.name}' cannot be the name of a bot")
    _kinds[kind.name] = kind
    return kind


@cache
def _learn_others() -> None:
    """Load what other packages offer, once."""
    for entry in entry_points(group=GROUP):
        kind = entry.load()
        if not isinstance(kind, BotKind):
            raise OptionsError(f"the entry point '{entry.name}' of {GROUP} is no BotKind but {kind!r}")
        register(kind)


def kinds() -> tuple[BotKind, ...]:
    """All bots: those for people from gentle to strong, then the others by name."""
    _learn_others()
    return tuple(sorted(_kinds.values(), key=lambda kind: (kind.level is None, kind.level or 0, kind.name)))


def levels(game: str | None = None) -> tuple[BotKind, ...]:
    """The opponents offered to people, the gentlest first."""
    return tuple(kind for kind in kinds() if kind.level is not None and (game is None or kind.plays(game)))


def check_bot(text: str | BotSpec, game: str | None = None, edition: str | None = None) -> BotSpec:
    """Make sure that there is such a bot, and that it plays this game, without making it."""
    spec = BotSpec.parse(text) if isinstance(text, str) else text
    kind = kind_of(spec)
    for key, value in spec.parameters:
        if key not in kind.parameters:
            known = ", ".join(sorted(kind.parameters)) or "none"
            raise OptionsError(f"bot '{kind.name}' has no parameter '{key}'; its parameters: {known}")
        kind.parameters[key].read(spec, key, value)
    if game is not None and not kind.plays(game, edition):
        raise OptionsError(f"bot '{kind.name}' does not play {' '.join(filter(None, (game, edition)))}")
    return spec


def kind_of(spec: BotSpec) -> BotKind:
    kinds()
    if spec.name not in _kinds:
        names = ", ".join(kind.name for kind in kinds())
        raise OptionsError(f"there is no bot '{spec.name}'; bots: {names}")
    return _kinds[spec.name]


def get_bot(text: str | BotSpec) -> Bot:
    """The bot of this name; made once and kept."""
    return _make(check_bot(text))


@cache
def _make(spec: BotSpec) -> Bot:
    kind = kind_of(spec)
    return kind.make(**{key: kind.parameters[key].read(spec, key, value) for key, value in spec.parameters})
