"""Checkpoints: all that a run needs to go on, in a file of a few megabytes.

Parameters are kept in 16 bits; the memory of the optimizer and the games under way are not kept at all. So
that going on from a file gives the same run as never having stopped, the run itself drops what its
checkpoint does not hold: it rounds its parameters, empties the optimizer and deals anew.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lynxden.bots.weights import Arrays, Weights, WeightsError, about_game, read_weights, write_weights
from lynxden.games.registry import get_game
from lynxden.train.config import Config
from lynxden.train.ppo import Nets

NAME = "checkpoint.safetensors"


@dataclass
class Progress:
    """How far a run is."""

    iteration: int = 0
    seconds: float = 0.0
    decisions: float = 0.0
    earlier: dict[str, float] = field(default_factory=dict)
    """Seconds and decisions of earlier stages."""
    past: int = 0
    """Past selves noted so far."""

    @property
    def all_seconds(self) -> float:
        """Of this stage and the earlier ones."""
        return self.seconds + self.earlier.get("seconds", 0.0)

    @property
    def all_decisions(self) -> float:
        return self.decisions + self.earlier.get("decisions", 0.0)


def save(folder: Path, nets: Nets, config: Config, progress: Progress) -> None:
    """Write the checkpoint, and let the networks be what it holds."""
    arrays: Arrays = {}
    for name, network in nets.by_name().items():
        rounded = network.arrays(np.float16)
        network.load(rounded)
        arrays |= {f"{name}.{key}": value for key, value in rounded.items()}
    about = about_game(get_game(config.game)) | {
        "config": json.dumps(config.to_dict()),
        "progress": json.dumps(vars(progress)),
    }
    write_weights(folder / NAME, Weights(arrays, about))


def load(path: Path) -> tuple[Weights, Config, Progress]:
    weights = read_weights(path)
    try:
        config = Config.of(json.loads(weights.about["config"]))
        progress = Progress(**json.loads(weights.about["progress"]))
    except (KeyError, TypeError, ValueError) as error:
        raise WeightsError(f"{path} is no checkpoint of a training") from error
    return weights, config, progress


def beginning(path: Path) -> tuple[Weights, dict[str, float]]:
    """What another stage begins from, with its seconds and decisions so far.

    That is a checkpoint, or weights that bots play with, as those of the package: eight bits are enough.
    """
    weights = read_weights(path)
    if "config" in weights.about:
        weights, _, progress = load(path)
        return weights, {"seconds": progress.all_seconds, "decisions": progress.all_decisions}
    try:
        minutes, decisions = (float(weights.about[name]) for name in ("minutes", "decisions"))
    except (KeyError, ValueError) as error:
        raise WeightsError(f"{path} is neither a checkpoint nor weights of a training") from error
    return weights, {"seconds": 60 * minutes, "decisions": decisions}


def weights_but_belief(path: Path) -> Weights:
    """The other networks of a file of weights, to the bit; nothing of a checkpoint, which has 16 bits."""
    weights = read_weights(path)
    if "config" in weights.about:
        return Weights({}, {})
    others = {name: array for name, array in weights.arrays.items() if not name.startswith("belief.")}
    return Weights(others, weights.about)


def note_past(folder: Path, nets: Nets, config: Config, progress: Progress) -> None:
    """Keep the policy as a past self; the oldest makes room."""
    if config.pool:
        arrays = {f"policy.{key}": value for key, value in nets.policy.arrays(np.float16).items()}
        path = past_file(folder, progress.past % config.pool)
        write_weights(path, Weights(arrays, about_game(get_game(config.game))))
        progress.past += 1


def past_file(folder: Path, place: int) -> Path:
    return folder / f"past-{place}.safetensors"


def past_arrays(folder: Path, config: Config, progress: Progress) -> list[Arrays]:
    """The past selves that there are."""
    count = min(config.pool, progress.past)
    return [read_weights(past_file(folder, place)).part("policy") for place in range(count)]


def read_log(path: Path, progress: Progress) -> list[dict[str, Any]]:
    """The rows of a log up to the checkpoint."""
    if not path.exists():
        return []
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["iteration"] <= progress.iteration]
