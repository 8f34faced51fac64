"""Simple pictures of shares, as SVG on a ground of their own, so that they can be read on any page."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from tools.strategy.log import Log
from tools.strategy.tables import Cell, Cells, by_order

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 60, 20, 78, 56
FLOOR = HEIGHT - BOTTOM
COLOURS = ("#1f6f5c", "#b5541c", "#3b5fa8", "#8a3a78")
DASHES = ("", "7 4", "2 3", "10 3 2 3")
LEAST = 20
"""Means of fewer decisions are not drawn."""


@dataclass(frozen=True)
class Series:
    """A line: its name, and one mean for each place of the axis."""

    name: str
    cells: Cells


def lines(title: str, axis: str, places: Sequence[str], series: Sequence[Series]) -> str:
    """Shares from 0 to 100 %, one line for each series."""
    parts = _frame(title, axis, places, 1.0)
    step = (WIDTH - LEFT - RIGHT) / len(places)
    at = LEFT
    for number, each in enumerate(series):
        colour, dash = COLOURS[number], DASHES[number]
        found = [
            (LEFT + (place + 0.5) * step, _height(cell.mean, 1.0))
            for place, cell in enumerate(each.cells)
            if cell.count >= LEAST
        ]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in found)
        parts.append(
            f'<polyline class="line" points="{points}" stroke="{colour}" stroke-dasharray="{dash}"/>'
        )
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in found]
        parts.append(
            f'<path class="line" d="M{at} 54h28" stroke="{colour}" stroke-dasharray="{dash}"/>'
            f'<circle cx="{at + 14}" cy="54" r="3.5" fill="{colour}"/>'
            f'<text x="{at + 34}" y="58">{escape(each.name)}</text>'
        )
        at += 52 + 7 * len(each.name)
    return _picture(title, parts)


def bars(
    title: str, axis: str, places: Sequence[str], cells: Sequence[Cell], even: float | None = None
) -> str:
    """One bar for each place, with its share above it; a line at `even`, what chance would give."""
    most = 1.0 if max(cell.mean for cell in cells) > 0.5 else 0.5
    parts = _frame(title, axis, places, most)
    step = (WIDTH - LEFT - RIGHT) / len(places)
    if even is not None:  # behind the bars, so that it crosses out no figure
        y = _height(even, most)
        parts.append(
            f'<path class="line" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}M{LEFT} 54h28"'
            f' stroke="{COLOURS[1]}" stroke-dasharray="7 4"/>'
            f'<text x="{LEFT + 34}" y="58">if the place made no difference</text>'
        )
    for place, cell in enumerate(cells):
        if cell.count < LEAST:
            continue
        x, y = LEFT + (place + 0.2) * step, _height(cell.mean, most)
        wide, inside = 0.6 * step, FLOOR - y > 24
        parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{FLOOR - y:.1f}" fill="{COLOURS[0]}"/>'
            f'<text class="middle{" inside" if inside else ""}" x="{x + wide / 2:.1f}"'
            f' y="{y + (18 if inside else -6):.1f}">{100 * cell.mean:.0f} %</text>'
        )
    return _picture(title, parts)


def order(log: Log) -> str:
    """The games won by each place in the order of play."""
    table = by_order(log)
    return bars("How often each place wins", table.about, table.columns, table.rows[0].cells, 0.25)


def _height(share: float, most: float) -> float:
    return FLOOR - share / most * (FLOOR - TOP)


def _frame(title: str, axis: str, places: Sequence[str], most: float) -> list[str]:
    """The title, the axes and their words."""
    parts = [f'<text class="title" x="{LEFT}" y="30">{escape(title)}</text>']
    for part in range(6):
        share = most * part / 5
        y = _height(share, most)
        parts.append(
            f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{"#4a5a55" if part == 0 else "#dbe4e0"}"/>'
            f'<text class="end" x="{LEFT - 8}" y="{y + 4:.1f}">{100 * share:.0f} %</text>'
        )
    step = (WIDTH - LEFT - RIGHT) / len(places)
    for place, name in enumerate(places):
        x = LEFT + (place + 0.5) * step
        parts.append(f'<text class="middle" x="{x:.1f}" y="{FLOOR + 20}">{escape(name)}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text class="middle" x="{middle:.0f}" y="{HEIGHT - 12}">{escape(axis)}</text>')
    return parts


def _picture(title: str, parts: Sequence[str]) -> str:
    style = (
        "text{font-family:system-ui,sans-serif;font-size:14px;fill:#1d2b27}"
        ".title{font-size:17px;font-weight:700}.middle{text-anchor:middle}.end{text-anchor:end}"
        ".inside{fill:#fff}.line{fill:none;stroke-width:2.5}"
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
            ' role="img" aria-labelledby="t">',
            f'<title id="t">{escape(title)}</title>',
            f"<style>{style}</style>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" rx="10" fill="#f8fbfa" stroke="#c4d2cc"/>',
            *parts,
            "</svg>",
            "",
        ]
    )
