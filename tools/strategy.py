"""What the network of Linko does, in figures: the tables of `docs/strategy.md`.

    python -m tools.strategy --games 1024

Networks play among themselves, classic with four players, each taking the likeliest action; every decision
is counted by what it was about.
"""

import argparse
from collections import defaultdict
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lynxden.batch import Batch
from lynxden.bots.brains import brain_of
from lynxden.games.linko import rules

PLAYERS = 4
CAP = 1000


class Tables:
    """How often something was done, by table and row."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])

    def add(self, table: str, rows: NDArray[Any], done: NDArray[Any]) -> None:
        """Count some decisions: the row that each belongs to, and a number, whose mean is shown."""
        for row in np.unique(rows):
            here = rows == row
            entry = self._counts[table, str(row)]
            entry[0] += float(done[here].sum())
            entry[1] += float(here.sum())

    def show(self) -> str:
        lines: list[str] = []
        last = ""
        for (table, row), (total, count) in sorted(self._counts.items()):
            if table != last:
                lines += ["", f"**{table}**", "", "| | mean | of |", "|---|---|---|"]
                last = table
            name = row.partition(" ")[2] or row  # a bucket begins with its place
            lines.append(f"| {name} | {total / count:.3f} | {count:.0f} |")
        return "\n".join(lines)


def bucket(numbers: NDArray[Any], edges: tuple[int, ...], unit: str) -> NDArray[np.str_]:
    """Whole numbers in words: `(2, 4)` makes "up to 2", "3 to 4" and "5 or more"."""
    names = [f"0 up to {edges[0]} {unit}"]
    names += [f"{n} {low + 1} to {high} {unit}" for n, (low, high) in enumerate(pairwise(edges), 1)]
    names += [f"{len(edges)} more than {edges[-1]} {unit}"]
    return np.array(names)[np.searchsorted(edges, numbers)]


def look(tables: Tables, before: NDArray[Any], actions: NDArray[np.int64]) -> None:
    """Count the decisions of one step."""
    lanes = np.arange(len(before))
    actor = before["actor"].astype(int)
    own = before["hand_size"][lanes, actor].astype(int)
    victim = (before["active"].astype(int) + before["compared"]) % PLAYERS
    top = before["tops"][lanes, victim].astype(int)
    size, value = top >> 4 & 15, top & 15
    fewest = before["hand_size"][:, :PLAYERS].min(axis=1)
    for phase, yes, title in (
        (rules.TAKE, rules.TAKE_IT, "Takes what it snatched"),
        (rules.RECLAIM, rules.RECLAIM_IT, "Reclaims what was left to it"),
    ):
        here = before["phase"] == phase
        done = (actions == yes)[here]
        tables.add(f"{title}, by size", bucket(size[here], (1, 2, 3), "cards"), done)
        tables.add(f"{title}, by value", bucket(value[here], (4, 8, 11, 13), "(14: jokers)"), done)
        tables.add(f"{title}, by own hand", bucket(own[here], (4, 8, 12), "in hand"), done)
        tables.add(f"{title}, by the smallest hand", bucket(fewest[here], (3, 6, 9), "cards"), done)
    here = before["phase"] == rules.PLAY
    plays = actions[here]
    alone = plays >= rules.LONE_JOKERS
    jokers = np.where(alone, plays - rules.LONE_JOKERS + 1, plays % rules.WIDTH)
    laid = np.where(alone, jokers, plays % (rules.COPIES * rules.WIDTH) // rules.WIDTH + 1 + jokers)
    values = np.where(alone, rules.JOKER, plays // (rules.COPIES * rules.WIDTH) + 1)
    held = before["hands"][lanes, actor][here] >> (4 * values) & 15
    hand = bucket(own[here], (4, 8, 12), "in hand")
    tables.add("Cards of a play, by own hand", hand, laid)
    tables.add("Value of a play, by own hand", hand, values)
    tables.add("Plays all it has of the value", hand[~alone], (laid - jokers >= held)[~alone])
    tables.add("Plays with jokers", hand, jokers > 0)
    here = before["phase"] == rules.DRAW
    tables.add(
        "Draws from the deck", bucket(own[here], (4, 8, 12), "in hand"), (actions == rules.DRAW_DECK)[here]
    )


def play(games: int, seed: int) -> str:
    """Play the games; the tables as text."""
    batch = Batch("linko", games, players=PLAYERS, seed=seed, starters=np.arange(games) % PLAYERS, threads=1)
    policy = brain_of("linko").policy
    tables = Tables()
    for _ in range(CAP):
        alive = batch.actors() >= 0
        if not alive.any():
            break
        logits = np.where(batch.legal_masks() > 0, policy.many(batch.observations()), -np.inf)
        actions = logits.argmax(axis=1)
        look(tables, batch.records[alive], actions[alive])
        batch.step(np.where(alive, actions, 0), check=False)
    results = batch.results()
    share = results.winners / np.maximum(1, results.winners.sum(axis=1, keepdims=True))
    order = (np.arange(PLAYERS)[None] - np.arange(games)[:, None]) % PLAYERS
    tables.add("Wins by order of play", (order + 1).ravel(), share.ravel())
    tables.add("Score by order of play", (order + 1).ravel(), results.scores.ravel())
    tables.add("How games end", np.array(results.reasons), np.ones(games))
    out = batch.records["hand_size"][:, :PLAYERS] == 0
    tables.add("Whoever goes out wins", out[out].astype(str), share[out])
    tables.add("Score of whoever goes out", out[out].astype(str), results.scores[out])
    best = results.scores.max(axis=1)
    tables.add("Score of the winner", np.array(["all"] * games), best)
    return tables.show()


def main() -> None:
    parser = argparse.ArgumentParser(description="What the network of Linko does, in figures.")
    parser.add_argument("--games", type=int, default=1024)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(play(given.games, given.seed))  # noqa: T201


if __name__ == "__main__":
    main()
