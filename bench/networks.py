"""How good networks are, and what looking ahead on top of them gains, measured on a GPU.

    python bench/networks.py match linko ONE OTHERS           # shares of wins, one against three
    python bench/networks.py look-ahead linko ONE             # the same for the search on top of a policy
    python bench/networks.py gains linko ONE                  # what the search's choices are really worth
    python bench/networks.py hands linko ONE                  # how the others' hands differ from chance

ONE and OTHERS are weights or checkpoints, or `greedy`. It needs PyTorch, NumPy and Numba alone; on another
machine `PYTHONPATH=src` does. Four players, the first edition. ± is the 95 % interval.

`gains` takes positions of self-play in which the search is asked, lets it choose, and judges its choices four
times: in fresh imagined worlds by the critic, in such worlds by playing to the end, in the world that was
really dealt by the critic, and there by playing to the end. What is lost from one to the next is what the
critic, or the imagined worlds, are wrong about.

`hands` compares the others' hands in such positions with those that chance deals and with those of the worlds
in which the search tries actions: kinds of cards, the largest set, and the mean of the belief's logarithms of
how much likelier they are than by chance. It also says how often the belief picks the real one of two.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import torch
from torch.nn.functional import softplus

from lynxden.batch import Batch
from lynxden.bots import deep
from lynxden.bots.weights import check_game, read_weights
from lynxden.games.registry import get_game
from lynxden.train import match
from lynxden.train.config import Config
from lynxden.train.lanes import Lanes, Tensor, Worlds, draw, log_chances, luck_of
from lynxden.train.network import Network
from lynxden.train.ppo import Nets
from lynxden.train.run import NETWORKS
from lynxden.train.teacher import Searcher

SEATS = 5
"""Seats that hidden hands have room for."""
TO_THE_END = 1500
"""Decisions of a playout that nobody cuts short."""


class Subject:
    """The networks of a file, and how they are to be searched with."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        weights = read_weights(Path(given.one))
        check_game(weights, get_game(given.game), str(given.one))
        parts = {name: weights.part(name) for name in NETWORKS if name != "belief"}
        if weights.holds("belief"):
            parts["belief"] = weights.part("belief")
        elif given.imagined > 1 or given.what == "hands":
            sys.exit(f"{given.one} has no belief: look-ahead and gains need --imagined 1")
        else:
            parts["belief"] = parts["critic"]  # nobody asks it
        self.nets = Nets(*(Network(parts[name], self.device) for name in NETWORKS))
        self.margin = float(weights.about.get("margin", given.margin))
        self.luck = luck_of(self.device, given.seed)
        self.searcher = self.search_with(given.worlds, given.depth, given.actions, given.playouts)
        self.asked = self.changed = 0

    def search_with(self, worlds: int, depth: int, fan: int, playouts: str) -> Searcher:
        positions = max(1, self.given.lanes // (worlds * fan))
        config = Config(
            self.given.game, margin=self.margin, worlds=worlds, depth=depth, candidates=fan,
            imagined=self.given.imagined, moves=self.given.moves,
            positions=positions, main_share=1.0, lanes=1, steps=1, minibatch=1,
        )  # fmt: skip
        return Searcher(self.nets, config, self.device, self.nets.by_name()[playouts])

    def chances(self, seen: Tensor, masks: Tensor) -> Tensor:
        return log_chances(self.nets.policy(seen), masks)

    def is_asked(self, chances: Tensor) -> Tensor:
        """Where the search has something to choose from, as in `deep`."""
        best = chances.topk(2, dim=-1).values.exp()
        return (best[:, 0] < self.given.sure) & (best[:, 1] >= self.given.likely)

    def overrule(self, lanes: Lanes, rows: Tensor, actors: Tensor, chances: Tensor) -> tuple[Tensor, Tensor]:
        """The policy's action and the search's, for as many rows as are searched at once."""
        tried = self.searcher.likeliest(chances)
        held = chances.gather(1, tried).exp() >= self.given.likely
        values = self.searcher.try_out(lanes, rows, actors, tried, self.luck)
        ahead = values - values[..., :1]
        means = ahead.mean(1).masked_fill(~held, -1.0)
        errors = ahead.std(1) / values.shape[1] ** 0.5
        best = means.argmax(-1, keepdim=True)
        clear = means.gather(1, best) > self.given.clear * errors.gather(1, best)
        chosen = torch.where(clear, tried.gather(1, best), tried[:, :1])[:, 0]
        return tried[:, 0], chosen

    def in_groups(self, rows: Tensor) -> list[tuple[Tensor, int]]:
        """Rows in groups that fill the searcher, the last one with repetitions, and how many count."""
        size = self.searcher.config.positions
        return [
            (part.repeat(-(-size // len(part)))[:size], len(part)) for part in rows.split(size) if len(part)
        ]

    def player(self) -> match.Player:
        """The policy, overruled by the search."""

        def choose(lanes: Lanes, seen: Tensor, masks: Tensor, turns: Tensor) -> Tensor:
            chances = self.chances(seen, masks)
            actions = chances.argmax(-1)
            actors = lanes.actors().clone()
            rows = (turns & (actors >= 0) & self.is_asked(chances)).nonzero()[:, 0]
            for some, count in self.in_groups(rows):
                usual, chosen = self.overrule(lanes, some, actors[some], chances[some])
                actions[some[:count]] = chosen[:count]
                self.asked += count
                self.changed += int((usual != chosen)[:count].sum())
            return actions

        return choose


def say(what: str, value: float, error: float, unit: str, more: str = "") -> None:
    print(f"{what:58s} {value:7.2f} ± {1.96 * error:.2f} {unit}{more}", flush=True)


def fixed(given: argparse.Namespace, name: str, device: str) -> match.Player:
    if name == "greedy":
        return match.greedy
    weights = read_weights(Path(name))
    check_game(weights, get_game(given.game), name)
    return match.network(Network(weights.part("policy"), device))


def compare(given: argparse.Namespace) -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    one, others = (fixed(given, str(name), device) for name in (given.one, given.others))
    edition = next(iter(get_game(given.game).editions))
    share, error, margin = match.match(given.game, edition, 4, one, others, given.games, given.seed, device)
    say(
        f"{given.one} against three of {given.others}",
        100 * share,
        100 * error,
        "%",
        f", margin {margin:+.2f}",
    )


def look_ahead(given: argparse.Namespace) -> None:
    subject = Subject(given)
    edition = next(iter(get_game(given.game).editions))
    rival = match.network(subject.nets.policy)
    began = time.monotonic()
    share, error, margin = match.match(
        given.game, edition, 4, subject.player(), rival, given.games, given.seed, subject.device
    )
    what = f"{given.worlds} worlds, {given.depth} decisions by the {given.playouts}, {given.clear:g} errors"
    asked, changed = subject.asked / given.games, subject.changed / given.games
    seconds = time.monotonic() - began
    more = f", margin {margin:+.2f}; a game: asked {asked:.1f}, changed {changed:.1f}; {seconds:.0f} s"
    say(what, 100 * share, 100 * error, "%", more)


def gains(given: argparse.Namespace) -> None:
    """Choices of the search, judged in other worlds and by other means."""
    subject = Subject(given)
    size = given.games
    lanes = Lanes(Batch(given.game, size, players=4, seed=given.seed, device=subject.device))
    judges: dict[str, tuple[Searcher, bool]] = {}
    for place, imagined in (("imagined worlds", True), ("the world dealt", False)):
        for end, depth in (("the critic", given.depth), ("the end", TO_THE_END)):
            judges[f"{place}, by {end}"] = subject.search_with(given.judges, depth, 2, "policy"), imagined
    found: dict[str, list[Tensor]] = {name: [] for name in judges}
    asked = changed = 0
    with torch.no_grad():
        seen, masks, actors = lanes.look()
        while asked < given.positions:
            for _ in range(5):
                lanes.actions.copy_(draw(subject.chances(seen, masks), subject.luck))
                seen, masks, _, _, _, actors = lanes.turn()
            chances, now = subject.chances(seen, masks), actors.clone()
            rows = subject.is_asked(chances).nonzero()[:, 0]
            pairs: list[tuple[Tensor, Tensor]] = []
            for some, count in subject.in_groups(rows):
                usual, chosen = subject.overrule(lanes, some, now[some], chances[some])
                other = (usual != chosen)[:count]
                pairs.append((some[:count][other], torch.stack([usual, chosen], 1)[:count][other]))
                asked += count
                changed += int(other.sum())
            for name, (judge, imagined) in judges.items():
                found[name].append(_judged(subject, judge, lanes, now, pairs, imagined=imagined))
    print(f"{asked} positions in which the search is asked, {changed} changed")
    for name, parts in found.items():
        values = torch.cat(parts)
        scale = 1000 * changed / asked
        mean, error = float(values.mean()), float(values.std()) / len(values) ** 0.5
        say(f"gain in {name}", scale * mean, scale * error, "thousandths of a win")


def _judged(
    subject: Subject, judge: Searcher, lanes: Lanes, actors: Tensor, pairs: list[Any], *, imagined: bool
) -> Tensor:
    """What each change is worth, mean over worlds."""
    rows, tried = (torch.cat(part) for part in zip(*pairs, strict=True))
    size = judge.config.positions
    values = []
    for first in range(0, len(rows), size):
        some, two = rows[first : first + size], tried[first : first + size]
        count = len(some)
        times = -(-size // count)
        some, two = some.repeat(times)[:size], two.repeat(times, 1)[:size]
        found = judge.try_out(lanes, some, actors[some], two, subject.luck, imagined=imagined)[:count]
        values.append((found[..., 1] - found[..., 0]).mean(1))
    return torch.cat(values)


def others_of(hidden: Tensor) -> Tensor:
    """The hands of the three other players."""
    return hidden.view(len(hidden), SEATS, -1)[:, 1:4].clone()


def hands(given: argparse.Namespace) -> None:
    subject = Subject(given)
    lanes = Lanes(Batch(given.game, given.games, players=4, seed=given.seed, device=subject.device))
    worlds = Worlds(subject.searcher.config, given.games, subject.device)
    found: dict[str, list[Tensor]] = {"real": [], "imagined": [], "believed": []}
    odds: dict[str, list[Tensor]] = {kind: [] for kind in found}
    with torch.no_grad():
        seen, masks, _ = lanes.look()
        while sum(map(len, odds["real"])) < given.positions:
            for _ in range(10):
                lanes.actions.copy_(draw(subject.chances(seen, masks), subject.luck))
                seen, masks, _, _, _, _ = lanes.turn()
            rows = subject.is_asked(subject.chances(seen, masks)).nonzero()[:, 0]
            worlds.imagine(lanes.records, subject.luck)
            for kind, hidden in (("real", lanes.hidden()), ("imagined", worlds.lanes.hidden())):
                odds[kind].append(subject.nets.belief(torch.cat([seen, hidden], 1)[rows])[:, 0])
                found[kind].append(others_of(hidden[rows]))
            for some, count in subject.in_groups(rows):
                last = count * given.worlds
                believed = subject.searcher.imagine(lanes.records[some], subject.luck)
                found["believed"].append(others_of(believed.hidden()[:last]))
                odds["believed"].append(subject.searcher.odds(believed)[:last])
    print(f"{sum(map(len, odds['real']))} positions in which the search would be asked")
    for kind, parts in found.items():
        cards = torch.cat(parts)
        kinds, largest = (cards > 0).sum(-1).float().mean(), cards.max(-1).values.float().mean()
        likelier = torch.cat(odds[kind]).mean()
        print(f"{kind:8s} hands: {kinds:.2f} kinds, the largest set has {largest:.2f}, odds {likelier:+.2f}")
    real, imagined = torch.cat(odds["real"]), torch.cat(odds["imagined"])
    loss = (softplus(-real).mean() + softplus(imagined).mean()) / 2
    share = 100 * (real > imagined).float().mean()
    print(f"the belief picks the real one of two {share:.1f} times of 100; loss {loss:.3f} (by chance 0.693)")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("what", choices=("match", "look-ahead", "gains", "hands"))
    parser.add_argument("game")
    parser.add_argument("one", help="a file, or greedy (match)")
    parser.add_argument("others", nargs="?", default="greedy", help="a file, or greedy (match)")
    add = parser.add_argument
    add("--games", type=int, default=8192, help="games of a match, or at once (8192)")
    add("--lanes", type=int, default=65536, help="playouts at once (65536)")
    add("--positions", type=int, default=8192, help="positions (gains, hands; 8192)")
    add("--worlds", type=int, default=64, help="worlds of the search (64)")
    add("--imagined", type=int, default=64, help="worlds imagined for each; 1: as chance has them (64)")
    add("--moves", type=int, default=50, help="steps towards likelier worlds (50)")
    add("--depth", type=int, default=deep.DEPTH, help=f"decisions of a playout ({deep.DEPTH})")
    add("--judges", type=int, default=32, help="worlds in which a choice is judged (gains; 32)")
    add("--playouts", choices=("policy", "reflex"), default="policy", help="who plays on (policy)")
    add("--clear", type=float, default=deep.CLEAR, help="standard errors by which it overrules (1)")
    add("--actions", type=int, default=deep.CANDIDATES, help=f"actions that are tried ({deep.CANDIDATES})")
    add("--likely", type=float, default=0.0, help="the least chance of one of them (0)")
    add("--sure", type=float, default=1.0, help="where the policy is surer, it is not asked (1)")
    add("--margin", type=float, default=0.005, help="what a point is worth, if the file does not say (0.005)")
    add("--seed", type=int, default=1)
    given = parser.parse_args()
    if torch.cuda.is_available():
        torch.backends.cuda.matmul.allow_tf32 = True
    {"match": compare, "look-ahead": look_ahead, "gains": gains, "hands": hands}[given.what](given)


if __name__ == "__main__":
    sys.exit(main())
