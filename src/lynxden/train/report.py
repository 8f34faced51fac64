"""The curves of a run as one self-contained page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

from lynxden.arena.charts import Axis, chart, nice_axis
from lynxden.games.registry import get_game
from lynxden.train.checkpoint import Progress
from lynxden.train.config import Config

HEIGHT = 180
MOST_POINTS = 400

CURVES = {
    "greedy_wins": "Wins against three greedy bots",
    "greedy_margin": "Points ahead of three greedy bots (the return in points)",
    "past_wins": "Wins against three copies of its last checkpoint",
    "start_wins": "Wins against three copies of where this stage began",
    "first_wins": "Wins against three copies of where the lessons of the search began",
    "round_wins": "Wins against three copies from before the last round of lessons",
    "search_gain": "What the search finds to gain in a decision (in wins)",
    "fork_gain": "What second actions gain on the likeliest ones (in wins)",
    "fork_fit": "How much the policy knew of that (correlation)",
    "entropy": "Entropy of the policy",
    "moved": "How far an iteration moves the policy (KL)",
    "clipped": "Part of the decisions that were clipped",
    "critic_error": "Surprise of the critic",
    "reflex_loss": "Loss of the small copy",
    "belief_loss": "Loss of the belief",
    "belief_told": "How often the belief ranks real hands above those that it moved",
    "length": "Decisions of a game",
}

STYLE = """
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --line: #ccc; --curve: #2a6f97; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ddd; --paper: #181818; --line: #444; --curve: #7fb8d9; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
svg { display: block; overflow: visible; } text { font-size: 12px; fill: var(--ink); }
.grid { stroke: var(--line); } .curve { stroke: var(--curve); stroke-width: 2; }
.plot { display: grid; grid-template-columns: 4rem 1fr; } .scale { text-align: right; padding-right: .5rem;
  font-size: 12px; display: flex; flex-direction: column; justify-content: space-between; }
table { border-collapse: collapse; } td, th { padding: .1rem 1rem .1rem 0; text-align: left; }
"""


def write_report(path: Path, config: Config, progress: Progress, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write the page anew."""
    plots = []
    for key, title in CURVES.items():
        points = [(row["seconds"] / 60, float(row[key])) for row in rows if key in row]
        if len(points) > 1:
            plots.append(plot(title, points))
    settings = "".join(
        f"<tr><th>{escape(key)}</th><td>{escape(str(value))}</td></tr>"
        for key, value in config.to_dict().items()
    )
    title = f"Training of {get_game(config.game).title}"
    spent = f"{progress.seconds / 60:.1f} minutes, {progress.decisions / 1e6:.0f} million decisions"
    path.write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
        '<meta name="viewport" content="width=device-width">'
        f"<h1>{title}</h1><p>{spent}, {progress.iteration} iterations. Minutes go from left to right.</p>"
        f"{''.join(plots)}<h2>Settings</h2><table>{settings}</table></html>",
        encoding="utf-8",
    )


def plot(title: str, points: Sequence[tuple[float, float]]) -> str:
    """A curve over time; of many points, every so-manieth."""
    points = points[:: max(1, len(points) // MOST_POINTS)]
    across = nice_axis([x for x, _ in points], lambda x: f"{x:g}", include=0.0)
    up = nice_axis([y for _, y in points], lambda y: f"{y:.4g}")
    lines = "".join(
        f'<line class="curve" x1="{across.at(a)}" y1="{_down(up, b)}"'
        f' x2="{across.at(c)}" y2="{_down(up, d)}"/>'
        for (a, b), (c, d) in pairwise(points)
    )
    levels = "".join(
        f'<line class="grid" x1="0" x2="100%" y1="{_down(up, tick)}" y2="{_down(up, tick)}"/>'
        f'<text x="0" y="{_down(up, tick)}" dx="-4" dy="4" text-anchor="end">{escape(up.text(tick))}</text>'
        for tick in up.ticks
    )
    last = f"{points[-1][1]:.4g}"
    return (
        f"<h2>{escape(title)}</h2><p>At the end: {last}</p><div class=plot><div></div><div>"
        f"{chart(f'{title}: {last} at the end', across.grid(HEIGHT) + levels + lines, HEIGHT)}{across.svg()}"
        "</div></div>"
    )


def _down(axis: Axis, value: float) -> str:
    return f"{HEIGHT * (1 - (value - axis.low) / (axis.high - axis.low)):.1f}"
