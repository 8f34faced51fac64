"""Everything that a run depends on, besides the code: one value, from a file of TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from lynxden.games.errors import OptionsError
from lynxden.games.registry import get_game

LEVELS = 16
"""Steps of one byte, unless the file says otherwise."""
MAIN_SHARE = 0.4
"""The part of all games that is of the first edition with four players, unless the file says otherwise."""

AT_LEAST_1 = (
    "lanes", "steps", "width", "minibatch", "belief_width", "belief_batch", "levels", "imagined",
    "checkpoint", "evaluate", "match_games",
)  # fmt: skip


def every_table(game: str) -> list[tuple[str, int]]:
    """Every edition with every number of players."""
    editions = get_game(game).editions.items()
    return [(name, count) for name, options in editions for count in options.player_counts]


@dataclass(frozen=True)
class Config:
    """A stage of training. It ends after `iterations`, or after `minutes` if there are none."""

    game: str
    minutes: float = 25.0
    iterations: int = 0
    """With these the same seed gives the same run; with minutes it depends on the speed of the machine."""
    seed: int = 1

    # What is played.
    lanes: int = 32768
    """Games at once."""
    steps: int = 64
    """Decisions of each of them in an iteration."""
    main_share: float = MAIN_SHARE
    guests: float = 0.125
    """The part of the games in which past selves have all seats but one."""
    heuristic: float = 0.0
    """The part of the games in which `greedy` has all seats but one."""
    exploit: bool = False
    """Learn to beat the network where the stage began, which has all seats but one in all games."""
    pool: int = 2
    """Past selves that are remembered."""
    margin: float = 0.02
    """What a point of difference to the best other player is worth, in wins."""

    # Networks.
    width: int = 512
    blocks: int = 3
    critic_blocks: int = 2
    reflex_width: int = 128
    """The small copy of the policy, for playouts."""
    belief_width: int = 64
    """The network that tells hands of real games from those that chance would deal."""
    levels: int = LEVELS
    """Steps of one byte in the code of new networks. With more than usual, networks that a stage begins with
    get those that they lack."""
    rare: float = 0.0
    """Steps of the code that games reach, or miss, less often are left out of the networks that bots get:
    of all, or of critic and belief where only the belief learns."""

    # Learning.
    rate: float = 4e-4
    last_rate: float = 0.0
    entropy: float = 0.02
    last_entropy: float = 0.002
    clip: float = 0.15
    decay: float = 0.97
    """The lambda of the advantages."""
    others: float = 1.0
    """The part of the others' decisions, past selves' and `greedy`'s, from which the critic learns."""
    equals: float = 1.0
    """The part of the decisions among equals from which is learned; less, where forks teach."""
    epochs: int = 1
    minibatch: int = 65536
    belief_rate: float = 1e-3
    """Of the belief, to 0 in the course of the stage."""
    belief_batch: int = 4096
    """Positions in a step of the belief."""
    belief_moves: int = 0
    """Steps by which real hands are moved about, as the belief has them; it then learns from what it still
    takes for likely. 0: it learns from hands that chance deals alone."""
    belief_weight: float = 0.3
    """What those hands count beside the ones of chance."""
    only_belief: bool = False
    """Let the other networks be as they are."""
    heat: float = 1.0
    """How freely games are then played: with 1 by the policy's chances, towards 0 by its likeliest actions,
    as bots play."""
    largest_gradient: float = 1.0
    compile: bool = False
    """Let PyTorch compile the losses."""

    # Forks: a second action tried in games of self-play (`forks.py`).
    forks: int = 0
    """Games at each step in which one is tried, if the policy is not sure there; 0: none."""
    fork_depth: int = 6
    """Decisions that are then played on before the critic judges."""
    fork_weight: float = 0.2
    """What forks count beside what was played."""
    fork_temperature: float = 0.005
    """The difference in value, in wins, at which one action becomes e times as likely as another."""

    # Search as the teacher, in what is left of the time after `teach_from` of it.
    teach_from: float = 1.0
    candidates: int = 4
    worlds: int = 32
    imagined: int = 64
    """Worlds that are imagined for each that is tried; the belief chooses. With 1, chance does."""
    moves: int = 50
    """Steps by which those then move towards what players hold."""
    depth: int = 12
    """Decisions of a playout before the critic judges it."""
    positions: int = 512
    """Positions that are searched at once."""
    lessons: int = 131072
    """Positions between two trainings towards what the search preferred."""
    temperature: float = 0.05
    """How sharply the search's preferences are taken, in wins."""
    teach_rate: float = 2e-4
    teach_epochs: int = 3
    teach_batch: int = 4096

    # Bookkeeping.
    checkpoint: int = 200
    """Iterations between two checkpoints."""
    evaluate: int = 100
    """Iterations between two matches against fixed players."""
    match_games: int = 4096

    def __post_init__(self) -> None:
        """Refuse what cannot be trained with."""
        get_game(self.game)
        for name in AT_LEAST_1:
            if getattr(self, name) < 1:
                raise OptionsError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.lanes * self.steps % self.minibatch:
            raise OptionsError(
                f"minibatches of {self.minibatch} do not divide {self.lanes} games x {self.steps} steps"
            )
        if not 0 <= self.rare < 0.5:
            raise OptionsError(f"rare is a part of all positions: from 0 to below 0.5, not {self.rare:g}")
        among_equals = self.lanes - int(self.heuristic * self.lanes)
        if not 0 <= self.forks <= among_equals:
            raise OptionsError(
                f"forks must be from 0 to {among_equals}, the games among equals, not {self.forks}"
            )
        if self.forks and self.forks * self.steps < self.minibatches:
            raise OptionsError(
                f"forks must be at least {-(-self.minibatches // self.steps)} here, or 0: each of the"
                f" {self.minibatches} minibatches has a part of them, not {self.forks} x {self.steps} steps"
            )
        if self.forks and self.exploit:
            raise OptionsError("forks are played on among equals: not together with exploit")
        if self.belief_moves < 0:
            raise OptionsError(f"belief_moves must be at least 0, not {self.belief_moves}")
        if self.heat <= 0:
            raise OptionsError(f"heat must be above 0, not {self.heat:g}")
        if not self.iterations and self.minutes <= 0:
            raise OptionsError("a run needs minutes or iterations")
        if min(self.guests, self.heuristic) < 0 or self.guests + self.heuristic > 1:
            raise OptionsError(
                "guests and heuristic are parts of all games: at least 0, and together at most 1, not"
                f" {self.guests:g} and {self.heuristic:g}"
            )

    @classmethod
    def read(cls, game: str, path: Path | None, **given: Any) -> Self:
        """From a file, if there is one, and from what was given besides."""
        found: Mapping[str, Any] = {}
        if path is not None:
            try:
                found = tomllib.loads(path.read_text(encoding="utf-8"))
            except OSError as error:
                raise OptionsError(f"{path} cannot be read: {error.strerror}") from error
            except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
                raise OptionsError(f"{path} is no TOML: {error}") from error
        wanted = {key: value for key, value in given.items() if value is not None}
        return cls.of({"game": game, **found, **wanted})

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """From names and values, each of the right kind."""
        kinds: dict[str, Any] = {field.name: type(field.default) for field in fields(cls)}
        del kinds["game"]
        checked: dict[str, Any] = {"game": values["game"]}
        for key, value in values.items():
            if key == "game":
                continue
            if key not in kinds:
                raise OptionsError(f"there is no setting '{key}'; settings: {', '.join(kinds)}")
            kind = kinds[key]
            fits = isinstance(value, kind) or (kind is float and type(value) is int)
            if not fits or (kind is not bool and isinstance(value, bool)):
                raise OptionsError(f"{key} must be of the kind {kind.__name__}, not {value!r}")
            checked[key] = kind(value)
        return cls(**checked)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def but(self, **changes: Any) -> Self:
        return replace(self, **changes)

    @property
    def minibatches(self) -> int:
        """About how many there are in an iteration."""
        learned = self.heuristic + (1 - self.heuristic) * self.equals
        return max(1, int(learned * self.lanes * self.steps / self.minibatch))

    def tables(self) -> list[tuple[str, int]]:
        """The edition and the players of each lane: mostly the first edition with four, all others evenly."""
        first = next(iter(get_game(self.game).editions)), 4
        others = [table for table in every_table(self.game) if table != first]
        found = []
        due = 0.0
        other = 0
        for _ in range(self.lanes):
            due += self.main_share
            if due >= 1 or not others:
                found.append(first)
                due -= 1
            else:
                found.append(others[other % len(others)])
                other += 1
        return found
