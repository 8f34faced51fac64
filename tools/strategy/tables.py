"""Means of many decisions, as tables of a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tools.strategy.log import Log, Numbers


@dataclass(frozen=True)
class Cell:
    """The mean of some numbers; none at all if `count` is 0."""

    mean: float
    count: int


Cells = list[Cell]


@dataclass(frozen=True)
class Row:
    name: str
    cells: Cells
    form: str
    """How its means are written: see `written`."""


@dataclass(frozen=True)
class Table:
    """A table of a page: what the columns are about, their names, and the rows."""

    about: str
    columns: Sequence[str]
    rows: Sequence[Row]

    def markdown(self) -> str:
        lines = [f"| {' | '.join([self.about, *self.columns])} |", "|---" * (len(self.columns) + 1) + "|"]
        for row in self.rows:
            shown = [written(cell, row.form) for cell in row.cells]
            lines.append(f"| {' | '.join([row.name, *shown])} |")
        return "\n".join(lines)


def written(cell: Cell, form: str) -> str:
    """A mean as a share ("%" or ".1%") or as a number (".1" or ".2"); a dash where there were too few."""
    if cell.count < 20:
        return "–"
    if form == "%" and 0 < cell.mean < 0.005:
        return "under 1 %"
    if form.endswith("%"):
        return f"{100 * cell.mean:{form[:-1] or '.0'}f} %"
    return f"{cell.mean:z{form}f}".replace("-", "−")


def band(numbers: Numbers, edges: Sequence[int]) -> Numbers:
    """Which column whole numbers belong to: with (2, 4) up to 2, up to 4, more."""
    return np.searchsorted(edges, numbers)


def names(edges: Sequence[int], least: int, most: int | None = None) -> list[str]:
    """The columns of `band`, in words: from the least number to the most that there can be."""
    ends = [least - 1, *edges] + ([most] if most is not None else [])
    found = [f"{low + 1}" if low + 1 == high else f"{low + 1} to {high}" for low, high in pairwise(ends)]
    return found if most is not None else [*found, f"{edges[-1] + 1} or more"]


def means(where: Numbers, columns: int, done: Numbers) -> Cells:
    """The mean of `done` in each column; `where` says which column each number belongs to."""
    counts = np.bincount(where, minlength=columns)
    totals = np.bincount(where, weights=done, minlength=columns)
    return [Cell(total / max(1, count), int(count)) for total, count in zip(totals, counts, strict=True)]


def one(done: Numbers) -> Cell:
    """The mean of all."""
    return Cell(float(done.mean()) if done.size else 0.0, int(done.size))


def by_order(log: Log) -> Table:
    """What each place in the order of play is worth."""
    place = log.place.ravel()
    return Table(
        "place in the order of play",
        ("first", "second", "third", "fourth"),
        [
            Row("wins", means(place, 4, log.wins.ravel()), ".1%"),
            Row("points", means(place, 4, log.scores.ravel()), ".1"),
        ],
    )


def of_winners(log: Log, figures: Sequence[tuple[str, Numbers]]) -> Table:
    """Figures by game and seat: those of winners, and those of all others."""
    won = log.wins > 0
    rows = [Row(name, [one(each[won]), one(each[~won])], ".1") for name, each in figures]
    return Table("a game", ("the winner", "the others"), rows)


def by_seat(log: Log, here: Numbers, seat: Numbers, much: Numbers | None = None) -> Numbers:
    """How many of these decisions (or how much in all) belong to each game and seat."""
    players = log.wins.shape[1]
    where = (log.game.astype(int) * players + seat)[here]
    return np.bincount(where, None if much is None else much[here], log.wins.size).reshape(log.wins.shape)
