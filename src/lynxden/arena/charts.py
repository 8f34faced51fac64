"""Small charts as SVG inside a page.

Lengths across are percentages and lengths down are pixels, so a chart takes any width while its text keeps
its size. Colours are classes, which the style of the page gives a meaning in light and in dark.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

ROW = 26
"""The height of a row."""


@dataclass(frozen=True)
class Axis:
    """Numbers across a chart, from its left to its right."""

    low: float
    high: float
    ticks: Sequence[float]
    text: Callable[[float], str]

    def at(self, value: float) -> str:
        """Where a value is, as a percentage."""
        part = (value - self.low) / (self.high - self.low)
        return f"{100 * min(max(part, 0), 1):.2f}%"

    def width(self, low: float, high: float) -> str:
        return f"{100 * (high - low) / (self.high - self.low):.2f}%"

    def grid(self, height: int = ROW) -> str:
        """Thin lines at the ticks, behind what is drawn."""
        return "".join(
            f'<line class="grid" x1="{self.at(tick)}" x2="{self.at(tick)}" y1="0" y2="{height}"/>'
            for tick in self.ticks
        )

    def svg(self) -> str:
        """The numbers themselves."""
        texts = "".join(
            f'<text x="{self.at(tick)}" y="13" text-anchor="middle">{escape(self.text(tick))}</text>'
            for tick in self.ticks
        )
        return f'<svg class="axis" width="100%" height="18" aria-hidden="true">{texts}</svg>'


def nice_axis(values: Iterable[float], text: Callable[[float], str], include: float | None = None) -> Axis:
    """An axis that holds all values, with some air, and ticks at round numbers."""
    found = [*values, *([] if include is None else [include])]
    low, high = min(found), max(found)
    air = 0.06 * (high - low) or abs(high) * 0.1 or 1
    low, high = low - air, high + air
    step = 10 ** math.floor(math.log10((high - low) / 3))
    step *= max(factor for factor in (1, 2, 5, 10) if factor * step <= (high - low) / 3)
    first = math.ceil(low / step)
    return Axis(low, high, [step * n for n in range(first, math.floor(high / step) + 1)], text)


def log_axis(values: Iterable[float], text: Callable[[float], str]) -> Axis:
    """An axis of logarithms to the base of ten, with ticks at powers of ten."""
    found = [math.log10(value) for value in values if value > 0]
    low, high = math.floor(min(found)), max(math.ceil(max(found)), math.floor(min(found)) + 1)
    every = max(1, math.ceil((high - low) / 6))
    return Axis(low - 0.15, high + 0.15, range(low, high + 1, every), lambda power: text(10**power))


def chart(name: str, body: str, height: int = ROW) -> str:
    about = f'class="chart" width="100%" height="{height}" role="img" aria-label="{escape(name)}"'
    return f"<svg {about}>{body}</svg>"


def whisker(axis: Axis, name: str, value: float, low: float | None, high: float | None) -> str:
    """A dot with its interval."""
    middle = ROW / 2
    body = axis.grid()
    if low is not None and high is not None:
        body += (
            f'<line class="interval" x1="{axis.at(low)}" x2="{axis.at(high)}" y1="{middle}" y2="{middle}"/>'
        )
    return chart(name, f'{body}<circle class="dot" cx="{axis.at(value)}" cy="{middle}" r="5"/>')


def bar(name: str, share: float) -> str:
    """A share of the whole width."""
    return chart(
        name,
        f'<rect class="back" x="0" y="6" width="100%" height="{ROW - 12}" rx="3"/>'
        f'<rect class="bar" x="0" y="6" width="{100 * share:.2f}%" height="{ROW - 12}" rx="3"/>',
    )


def histogram(axis: Axis, name: str, counts: Mapping[int, int], height: int, mean: float) -> str:
    """How often each whole number came, in bins of equal width, with a mark at the mean."""
    least, most = round(axis.low), round(axis.high)
    size = max(1, math.ceil((most - least + 1) / 60))
    bins: dict[int, int] = {}
    for number, count in counts.items():
        bins[(number - least) // size] = bins.get((number - least) // size, 0) + count
    highest = max(bins.values())
    bars = "".join(
        f'<rect class="bar" x="{axis.at(least + number * size - 0.5)}" width="{axis.width(0, 0.9 * size)}"'
        f' y="{height - max(1, (height - 6) * count / highest):.1f}"'
        f' height="{max(1, (height - 6) * count / highest):.1f}"/>'
        for number, count in sorted(bins.items())
    )
    mark = f'<line class="mean" x1="{axis.at(mean)}" x2="{axis.at(mean)}" y1="0" y2="{height}"/>'
    return chart(name, axis.grid(height) + bars + mark, height)


def span(axis: Axis, name: str, mean: float, p95: float, longest: float) -> str:
    """Times on an axis of logarithms: a line from the mean to the longest, marks at the mean and at 95 %."""
    middle = ROW / 2
    x = {key: axis.at(math.log10(value)) for key, value in (("m", mean), ("p", p95), ("l", longest))}
    return chart(
        name,
        f'{axis.grid()}<line class="whole" x1="{x["m"]}" x2="{x["l"]}" y1="{middle}" y2="{middle}"/>'
        f'<line class="interval" x1="{x["m"]}" x2="{x["p"]}" y1="{middle}" y2="{middle}"/>'
        f'<circle class="dot" cx="{x["m"]}" cy="{middle}" r="5"/>'
        f'<line class="mark" x1="{x["p"]}" x2="{x["p"]}" y1="{middle - 6}" y2="{middle + 6}"/>'
        f'<line class="mark" x1="{x["l"]}" x2="{x["l"]}" y1="{middle - 4}" y2="{middle + 4}"/>',
    )
