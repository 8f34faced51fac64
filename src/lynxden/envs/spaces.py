"""Observations and actions as spaces of Gymnasium; PettingZoo uses the same."""

from typing import Any, TypedDict

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from lynxden.games.core import Game


class Observation(TypedDict):
    """What a player sees; `docs/environments.md` has it field by field."""

    observation: NDArray[np.int8]
    action_mask: NDArray[np.int8]
    """Ones at the legal actions; all zeros where it is not the player's decision."""


def observation_space(game: Game) -> spaces.Dict:
    parts: dict[str, spaces.Space[Any]] = {
        "observation": spaces.Box(-128, 127, (game.observation_size,), np.int8),
        "action_mask": spaces.Box(0, 1, (game.action_count,), np.int8),
    }
    return spaces.Dict(parts)


def action_space(game: Game) -> spaces.Discrete:
    return spaces.Discrete(game.action_count)
