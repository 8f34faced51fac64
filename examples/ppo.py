"""PPO in one file: a network learns a game against random opponents, at many tables at once.

    pip install 'lynxden[gymnasium]' torch
    python examples/ppo.py --minutes 1

In the style of CleanRL: everything that matters is here, from top to bottom. Illegal actions have no
probability; rewards come at the end of a game alone.
"""

import argparse
import time

import gymnasium
import numpy as np
import torch
from torch import nn

import lynxden.envs.gymnasium  # noqa: F401 (registers the environments)

parser = argparse.ArgumentParser(description="Learn to play against random opponents.")
parser.add_argument("--game", choices=["Linko", "Blocco"], default="Blocco")
parser.add_argument("--players", type=int, default=3)
parser.add_argument("--opponents", choices=["random", "greedy"], default="random")
parser.add_argument("--minutes", type=float, default=1.0)
parser.add_argument("--tables", type=int, default=256)
parser.add_argument("--steps", type=int, default=32, help="decisions at each table between two updates")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

GAMMA, LAMBDA, CLIP, ENTROPY, RATE, EPOCHS, PARTS = 0.997, 0.95, 0.2, 0.01, 1e-3, 3, 4

torch.manual_seed(args.seed)
torch.set_num_threads(1)  # the network is small: several threads would wait for each other
envs = gymnasium.make_vec(
    f"lynxden/{args.game}-v0",
    num_envs=args.tables,
    vectorization_mode="vector_entry_point",
    players=args.players,
    opponents=args.opponents,
    reward="win",
)
size = envs.single_observation_space["observation"].shape[0]
actions_count = int(envs.single_action_space.n)


class Agent(nn.Module):
    """A body that looks, a head that decides, a head that judges."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        self.policy, self.value = nn.Linear(128, actions_count), nn.Linear(128, 1)
        nn.init.zeros_(self.policy.weight)

    def forward(self, seen, mask):
        body = self.body(seen / 8)
        logits = self.policy(body).masked_fill(~mask, -1e9)
        return torch.distributions.Categorical(logits=logits), self.value(body).squeeze(-1)


def tensors(observation):
    return torch.from_numpy(observation["observation"]).float(), torch.from_numpy(
        observation["action_mask"]
    ).bool()


agent = Agent()
optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
shape = args.steps, args.tables
seen = torch.zeros(*shape, size)
masks = torch.zeros(*shape, actions_count, dtype=torch.bool)
actions = torch.zeros(shape, dtype=torch.long)
chances, rewards, ended, values = (torch.zeros(shape) for _ in range(4))

observation, _ = envs.reset(seed=args.seed)
began, decisions, update, wins = time.monotonic(), 0, 0, []
shares = []
while time.monotonic() - began < 60 * args.minutes:
    # Play.
    for step in range(args.steps):
        seen[step], masks[step] = tensors(observation)
        with torch.no_grad():
            policy, values[step] = agent(seen[step], masks[step])
            actions[step] = policy.sample()
            chances[step] = policy.log_prob(actions[step])
        observation, reward, terminated, _, _ = envs.step(actions[step].numpy())
        rewards[step] = torch.from_numpy(reward)
        ended[step] = torch.from_numpy(terminated)
        wins += reward[terminated].tolist()
    decisions += args.steps * args.tables

    # Judge: how much better than expected was each decision?
    with torch.no_grad():
        following = agent(*tensors(observation))[1]
    advantages, gain = torch.zeros(shape), torch.zeros(args.tables)
    for step in reversed(range(args.steps)):
        goes_on = 1 - ended[step]
        surprise = rewards[step] + GAMMA * following * goes_on - values[step]
        gain = surprise + GAMMA * LAMBDA * goes_on * gain
        advantages[step], following = gain, values[step]
    returns = advantages + values

    # Learn.
    flat = [part.flatten(0, 1) for part in (seen, masks, actions, chances, advantages, returns)]
    for _ in range(EPOCHS):
        for rows in torch.randperm(args.steps * args.tables).chunk(PARTS):
            looked, allowed, chosen, old, better, aim = (part[rows] for part in flat)
            policy, judged = agent(looked, allowed)
            ratio = (policy.log_prob(chosen) - old).exp()
            better = (better - better.mean()) / (better.std() + 1e-8)
            gained = torch.min(ratio * better, ratio.clamp(1 - CLIP, 1 + CLIP) * better).mean()
            loss = (judged - aim).square().mean() / 2 - gained - ENTROPY * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()

    update += 1
    if wins and (update == 1 or update % 5 == 0):
        shares.append(float(np.mean(wins)))
        spent = time.monotonic() - began
        print(
            f"{spent:5.0f} s  {decisions:9,} decisions  {len(wins):5} games  {shares[-1]:.1%} won", flush=True
        )
        wins = []

if shares:
    print(
        f"first {shares[0]:.1%}, last {shares[-1]:.1%} of the wins; {1 / args.players:.1%} is an equal share"
    )
