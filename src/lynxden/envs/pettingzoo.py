"""The games for PettingZoo: every seat is an agent (AEC, one after the other).

>>> from lynxden.envs import pettingzoo
>>> env = pettingzoo.env("linko", edition="classic", players=4)
"""

import sys
from operator import index
from typing import Any

import numpy as np

from lynxden.envs.extras import missing

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ImportError as error:
    raise missing("PettingZoo", "pettingzoo", error) from error

from lynxden.envs.drawing import image, lines_of
from lynxden.envs.spaces import Observation, action_space, observation_space
from lynxden.envs.table import Table, check_mode
from lynxden.games.core import Options, Position
from lynxden.games.errors import OptionsError


def env(game: str = "linko", **settings: Any) -> AECEnv[str, Observation, int]:
    """An environment that also refuses calls in a wrong order; settings as for `TableEnv`."""
    return OrderEnforcingWrapper(TableEnv(game, **settings))


class TableEnv(AECEnv[str, Observation, int | None]):
    """A table whose seats are the agents `player_0`, `player_1` and so on.

    `reward` is what everybody gets when the game ends: "points", "win" (1, or a part of it if several win) or
    "margin" (own points less those of the best other player). After `max_cycles` decisions a game is
    truncated, and nobody gets anything. An illegal action is refused with an error, and changes nothing.
    """

    def __init__(
        self,
        game: str = "linko",
        *,
        edition: str | Options | None = None,
        players: int | None = None,
        reward: str = "points",
        starter: int = 0,
        max_cycles: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.table = Table(game, edition, players, reward)
        self.table.game.check_players(self.table.options, self.table.players, starter)
        if max_cycles is not None and max_cycles < 1:
            raise OptionsError(f"max_cycles is a number of decisions, at least 1, not {max_cycles}")
        self.metadata: dict[str, Any] = {
            "name": f"lynxden_{self.table.game.name}_v0",
            "render_modes": ["ansi", "rgb_array", "human"],
            "render_fps": 2,
            "is_parallelizable": False,
        }
        check_mode(render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode
        self._starter = starter
        self._most = max_cycles
        self.possible_agents = [f"player_{seat}" for seat in range(self.table.players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: observation_space(self.table.game) for agent in self.possible_agents
        }
        self.action_spaces = {agent: action_space(self.table.game) for agent in self.possible_agents}
        self._rng = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Dict:
        """The same for every agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The numbers of all actions of the game; a mask says which are legal."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Deal a game: with a seed, that of `lynxden.new` with the same seed; else the next one."""
        if seed is None:
            deal = int(self._rng.integers(2**63))
        else:
            deal = index(seed)
            self._rng = np.random.default_rng(deal % 2**64)
        self._loop = self.table.deal(deal, self._starter)
        self._made = 0
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self._starter]

    def observe(self, agent: str) -> Observation:
        """What an agent knows, and what it may do: nothing unless it is its decision."""
        seat = self._seats[agent]
        mask = (
            self._loop.mask() if seat == self._loop.seat else np.zeros(self.table.game.action_count, np.int8)
        )
        return {"observation": self._loop.observation(seat), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """The decision of `agent_selection`, by its number; None for an agent whose game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise OptionsError(f"{agent} has to decide: None is for agents whose game is over")
        self._loop.step(index(action))
        self._made += 1
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self._loop.seat is not None:
            self.agent_selection = self.possible_agents[self._loop.seat]
            if self._made == self._most:
                self.truncations = dict.fromkeys(self.agents, True)
        else:
            outcome = self.position.outcome
            assert outcome is not None
            self.rewards = dict(zip(self.agents, self.table.rewards_of(outcome), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            for each in self.agents:
                self.infos[each] = {"reason": outcome.reason, "won": self._seats[each] in outcome.winners}
        self._accumulate_rewards()
        self._deads_step_first()
        if self.render_mode == "human":
            self.render()

    @property
    def position(self) -> Position:
        """The game as it stands, with every card: for people and for tests, not for agents."""
        return self._loop.position()

    def render(self) -> Any:
        """The table with all hands open: as text, as an image, or written to the terminal."""
        if self.render_mode is None:
            raise OptionsError(
                "this environment was made without a render_mode: 'ansi', 'rgb_array' or 'human'"
            )
        if self.render_mode == "rgb_array":
            return image(self.position.picture(self.possible_agents), lines_of(self.table.players))
        text = str(self.position)
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(text + "\n\n")
        return None

    def close(self) -> None:
        """There is nothing to close."""

    def __str__(self) -> str:
        return str(self.metadata["name"])
