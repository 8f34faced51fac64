"""Two baselines in PettingZoo: random players, and the network that comes with Lynxden among them.

    pip install 'lynxden[pettingzoo]'
    python examples/pettingzoo_baselines.py --games 200

An agent is a function from an observation to an action; put your own beside these two.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from lynxden.bots import NO_LIMIT, get_bot
from lynxden.envs import pettingzoo

Agent = Callable[[Any, Any], int]
"""Takes the environment and what `last()` has shown of it."""


def random_agent(rng: np.random.Generator) -> Agent:
    def choose(env: Any, seen: Any) -> int:  # noqa: ARG001
        return int(rng.choice(np.flatnonzero(seen["action_mask"])))

    return choose


def neural_agent(rng: np.random.Generator) -> Agent:
    """The network decides from the same view that the observation was made of."""
    bot = get_bot("neural")

    def choose(env: Any, seen: Any) -> int:
        position = env.unwrapped.position
        action = bot.choose(position.view(position.seat), NO_LIMIT, rng).action
        number = position.legal_numbers[position.legal_actions.index(action)]
        assert seen["action_mask"][number]
        return int(number)

    return choose


def play(env: Any, agents: dict[str, Agent], seed: int) -> dict[str, float]:
    """One game; what everybody got."""
    env.reset(seed=seed)
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    for name in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        rewards[name] += reward
        env.step(None if terminated or truncated else agents[name](env, seen))
    return rewards


def win_share(game: str, edition: str | None, players: int, games: int, first: Agent, others: Agent) -> float:
    """The share of wins of an agent that changes its seat from game to game."""
    env = pettingzoo.env(game, edition=edition, players=players, reward="win")
    won = 0.0
    for number in range(games):
        mine = env.possible_agents[number % players]
        agents = {name: first if name == mine else others for name in env.possible_agents}
        won += play(env, agents, seed=number)[mine]
    return won / games


def main() -> None:
    parser = argparse.ArgumentParser(description="The share of wins of two baselines against random players.")
    parser.add_argument("--game", default="linko")
    parser.add_argument("--edition")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--games", type=int, default=200)
    chosen = parser.parse_args()
    rng = np.random.default_rng(1)
    others = random_agent(rng)
    for name, agent in (("random", others), ("neural", neural_agent(rng))):
        share = win_share(chosen.game, chosen.edition, chosen.players, chosen.games, agent, others)
        print(f"{name}: {share:.1%} of the wins against {chosen.players - 1} random players")


if __name__ == "__main__":
    main()
