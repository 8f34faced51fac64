"""The report of an arena as one page of HTML that needs nothing else: no script, no font, no network."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape
from typing import Any

from lynxden.arena.charts import Axis, bar, histogram, log_axis, nice_axis, span, whisker
from lynxden.arena.words import command_text, estimate_text, number, seconds_text, setup_text

STYLE = """
:root { color-scheme: light dark; --paper: #fbfaf7; --card: #fff; --ink: #23262b; --quiet: #646b75;
  --line: #e3e1da; --accent: #1f6feb; --soft: #a9c7f5; --good: #2f7de1; --bad: #d9662b; --mean: #b3361d; }
@media (prefers-color-scheme: dark) { :root { --paper: #15171b; --card: #1d2026; --ink: #e8e9eb;
  --quiet: #9aa2ad; --line: #32363e; --accent: #6ea8ff; --soft: #34507c; --good: #4f93f0; --bad: #e07b45;
  --mean: #ff9b7d; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.15rem; margin: 0 0 .25rem; }
p { margin: 0 0 .75rem; max-width: 46rem; }
.note { color: var(--quiet); font-size: .9rem; }
.verdict { font-size: 1.1rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.25rem;
  margin-top: 1.25rem; }
code { font: .88em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: break-word; }
.rows { display: grid; grid-template-columns: minmax(7rem, 13rem) 1fr auto; gap: 0 1rem; align-items: center;
  grid-auto-flow: row dense; }
.rows > .label { grid-column: 1; line-height: 1.25; padding: .2rem 0; }
.rows > .chart, .rows > .axis { grid-column: 2; }
.rows > .value { grid-column: 3; text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.value small { color: var(--quiet); font-size: .82rem; }
svg { display: block; overflow: visible; }
svg text { fill: var(--quiet); font-size: 12px; }
.grid { stroke: var(--line); stroke-width: 1; }
.interval { stroke: var(--accent); stroke-width: 6; stroke-linecap: round; opacity: .38; }
.whole { stroke: var(--accent); stroke-width: 2; opacity: .5; }
.mark { stroke: var(--accent); stroke-width: 2; }
.dot { fill: var(--accent); stroke: var(--card); stroke-width: 1.5; }
.bar { fill: var(--accent); opacity: .75; }
.back { fill: var(--line); opacity: .6; }
.mean { stroke: var(--mean); stroke-width: 2; stroke-dasharray: 3 3; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; width: 100%; }
th { text-align: left; font-weight: 600; color: var(--quiet); font-size: .85rem; vertical-align: bottom; }
th, td { padding: .4rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
tr:last-child > * { border-bottom: 0; }
td.figure, th.figure { text-align: right; }
.matrix td { text-align: center; border: 2px solid var(--card); border-radius: 8px; min-width: 7.5rem; }
.matrix th { border: 0; vertical-align: middle; }
.matrix th.over { text-align: center; }
.matrix td strong { display: block; font-size: 1.05rem; }
.matrix td small { display: block; color: inherit; opacity: .8; font-size: .78rem; line-height: 1.35; }
.matrix td.self { color: var(--quiet); }
th[scope=row] { color: var(--ink); }
footer { color: var(--quiet); font-size: .85rem; margin-top: 1.5rem; }
@media (max-width: 40rem) {
  main { padding: 1.25rem .75rem 3rem; } section { padding: 1rem .85rem; } h1 { font-size: 1.4rem; }
  .rows { grid-template-columns: minmax(6rem, 1fr) auto; gap: 0 .75rem; }
  .rows > .value { grid-column: 2; line-height: 1.3; padding-top: .3rem; }
  .rows > .value small { display: block; }
  .rows > .chart { grid-column: 1 / -1; margin-bottom: .5rem; }
  .rows > .axis { grid-column: 1 / -1; }
  .matrix td { min-width: 6.5rem; padding: .4rem .3rem; }
  .matrix th[scope=row] { position: sticky; left: 0; background: var(--card); white-space: normal;
    padding-left: 0; }
}
@media print {
  :root { color-scheme: light; --paper: #fff; --card: #fff; --ink: #111; --quiet: #555; --line: #ccc;
    --accent: #1f6feb; --good: #2f7de1; --bad: #d9662b; --mean: #b3361d; }
  body { font-size: 12px; } main { max-width: none; padding: 0; }
  section { break-inside: avoid; border-radius: 0; } .wide { overflow: visible; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""


def title(found: dict[str, Any]) -> str:
    setup = found["setup"]
    return f"Arena: {setup['title']} {setup['edition']}, {setup['players']} players"


def html(found: dict[str, Any], timed: dict[str, Any]) -> str:
    """The whole page."""
    sections = [
        _ladder(found),
        _matrix(found),
        _pairs(found),
        _scores(found),
        _length(found),
        _ends(found),
        _times(timed),
        _all_figures(found),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title(found))}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f'<header><h1>{escape(title(found))}</h1>\n<p class="verdict">{_verdict(found)}</p>\n'
        f'<p class="note">{escape(setup_text(found))}</p></header>\n'
        + "\n".join(sections)
        + f"\n<footer>Lynxden {escape(found['setup']['lynxden'])}. {timed['seconds']:,.0f} seconds of all"
        f" workers together; {escape(timed['machine'])}.<br>The same games:"
        f" <code>{escape(command_text(found))}</code></footer>\n</main>\n</body>\n</html>\n"
    )


def _code(bot: str) -> str:
    """The name of a bot, which may be broken between its parameters."""
    return f"<code>{escape(bot).replace(':', ':<wbr>').replace(',', ',<wbr>')}</code>"


def _section(heading: str, note: str, body: str) -> str:
    return f'<section>\n<h2>{heading}</h2>\n<p class="note">{note}</p>\n{body}\n</section>'


def _row(label: str, drawing: str, value: str) -> str:
    return f'<div class="label">{label}</div><div class="value">{value}</div>{drawing}'


def _rows(rows: Iterable[str], axis: Axis | None = None) -> str:
    return f'<div class="rows">{"".join(rows)}{axis.svg() if axis else ""}</div>'


def _shown(estimate: dict[str, Any], digits: int, *, sign: bool = False, percent: bool = False) -> str:
    """A value, with its interval in small print."""
    value, _, rest = estimate_text(estimate, digits, sign=sign, percent=percent).partition(" (")
    return f"<strong>{value}</strong>" + (f" <small>({rest}</small>" if rest else "")


def _verdict(found: dict[str, Any]) -> str:
    """Who leads, and whether that is more than luck."""
    first, second = found["ladder"][:2]
    margin = found["pairs"][0]["margin"]  # pairs are in the order of the ladder
    if margin["low"] is None or margin["low"] <= 0 <= margin["high"]:
        sure = "luck may explain that"
    else:
        sure = "more than luck explains"
    lead = round(margin["value"], 2)
    if lead == 0:
        return f"{_code(first['bot'])} leads the ladder, level with the next one, {_code(second['bot'])}."
    return (
        f"{_code(first['bot'])} leads the ladder. At the same table it has {number(abs(lead), 2)} points"
        f" {'more' if lead > 0 else 'less'} than the next one, {_code(second['bot'])}: {sure}."
    )


def _bounds(estimates: Iterable[dict[str, Any]]) -> list[float]:
    return [each[key] for each in estimates for key in ("value", "low", "high") if each[key] is not None]


def _ladder(found: dict[str, Any]) -> str:
    axis = nice_axis(_bounds(rung["rating"] for rung in found["ladder"]), lambda value: f"{value:,.0f}")
    rows = [
        _row(_code(rung["bot"]), _whisker(axis, rung["bot"], rung["rating"], 0), _shown(rung["rating"], 0))
        for rung in found["ladder"]
    ]
    note = (
        "Ratings from all games together, with 95 % intervals. 400 more mean ten times the odds to come out"
        " ahead of another seat; only differences count, the mean is 1,500."
    )
    return _section("Ladder", note, _rows(rows, axis))


def _whisker(axis: Axis, name: str, estimate: dict[str, Any], digits: int, *, sign: bool = False) -> str:
    text = f"{name}: {estimate_text(estimate, digits, sign=sign)}"
    return whisker(axis, text, estimate["value"], estimate["low"], estimate["high"])


def _matrix(found: dict[str, Any]) -> str:
    bots = [rung["bot"] for rung in found["ladder"]]
    bouts = {(bout["alone"], bout["many"]): bout for bout in found["bouts"]}
    largest = max(abs(bout["margin"]["value"]) for bout in found["bouts"]) or 1
    head = "".join(f'<th scope="col" class="over">{_code(bot)}</th>' for bot in bots)
    rows = [f"<tr><th></th>{head}</tr>"]
    for one in bots:
        cells = [
            _cell(bouts[one, other], largest) if (one, other) in bouts else '<td class="self">·</td>'
            for other in bots
        ]
        rows.append(f'<tr><th scope="row">{_code(one)}</th>{"".join(cells)}</tr>')
    players = found["setup"]["players"]
    against = "one opponent" if players == 2 else f"the column's bot in all {players - 1} other seats"
    note = (
        f"The row's bot against {against}: its mean margin in points, and its share of wins. Between equals"
        f" the margin is 0 and the share {number(1 / players, 1, percent=True)} %."
    )
    return _section(
        "Head to head", note, f'<div class="wide"><table class="matrix">{"".join(rows)}</table></div>'
    )


def _cell(bout: dict[str, Any], largest: float) -> str:
    margin, wins = bout["margin"], bout["wins"]
    strength = 8 + 40 * abs(margin["value"]) / largest
    colour = "--good" if margin["value"] >= 0 else "--bad"
    interval = estimate_text(margin, 2, sign=True).partition(" (")[2].rstrip(")")
    return (
        f'<td style="background: color-mix(in srgb, var({colour}) {strength:.0f}%, var(--card))">'
        f"<strong>{number(margin['value'], 2, sign=True)}</strong>"
        + (f"<small>{interval}</small>" if interval else "")
        + f"<small>wins {number(wins['value'], 1, percent=True)} %</small></td>"
    )


def _pairs(found: dict[str, Any]) -> str:
    bounds = _bounds(pair["margin"] for pair in found["pairs"])
    axis = nice_axis(bounds, lambda value: number(value, 0 if value == int(value) else 2, sign=True), 0)
    rows = [
        _row(
            f"{_code(pair['one'])} over {_code(pair['other'])}",
            _whisker(axis, f"{pair['one']} over {pair['other']}", pair["margin"], 2, sign=True),
            _shown(pair["margin"], 2, sign=True),
        )
        for pair in found["pairs"]
    ]
    note = (
        "How many points more the first has than the second at the same table, both ways round together."
        " An interval that holds 0 says that luck may be the reason."
    )
    return _section("Pairs", note, _rows(rows, axis))


def _scores(found: dict[str, Any]) -> str:
    scores = found["scores"]
    ends = [each[key] for each in scores.values() for key in ("least", "most")]
    axis = nice_axis(ends, lambda value: number(value, 0))
    rows = [
        _row(
            _code(bot),
            histogram(
                axis,
                f"{bot}: scores from {each['least']} to {each['most']}, {each['mean']:.2f} on average",
                {int(score): count for score, count in each["counts"].items()},
                64,
                each["mean"],
            ),
            f"<strong>{number(each['mean'], 2)}</strong> <small>± {each['deviation']:.1f}</small>",
        )
        for bot, each in scores.items()
    ]
    note = (
        "How often each score came, in all games and seats of a bot; the dashed line is the mean. On the"
        " right the mean and the standard deviation of single scores."
    )
    return _section("Scores", note, _rows(rows, axis))


def _length(found: dict[str, Any]) -> str:
    length = found["length"]
    axis = nice_axis([length["least"], length["most"]], lambda value: number(value, 0))
    counts = {int(decisions): count for decisions, count in length["counts"].items()}
    text = (
        f"{length['mean']:.1f} decisions a game on average, from {length['least']} to {length['most']};"
        f" standard deviation {length['deviation']:.1f}."
    )
    drawing = histogram(axis, f"Length of games: {text}", counts, 120, length["mean"])
    return _section("Length of games", text, drawing + axis.svg())


def _ends(found: dict[str, Any]) -> str:
    rows = [
        _row(
            escape(reason),
            bar(f"{reason}: {count}", count / found["games"]),
            f"<strong>{number(count / found['games'], 1, percent=True)} %</strong> <small>{count:,}</small>",
        )
        for reason, count in found["ends"].items()
    ]
    return _section("How games end", "The reasons, and how many games each ended.", _rows(rows))


def _times(timed: dict[str, Any]) -> str:
    bots = timed["bots"]
    values = [value for each in bots.values() for key, value in each.items() if key != "decisions"]
    axis = log_axis([max(value, 1e-9) for value in values], seconds_text)
    rows = []
    for bot, each in bots.items():
        if "compiled" in each:
            drawing = _point(axis, f"{bot}: {seconds_text(each['compiled'])}", each["compiled"])
            value = f"<strong>{seconds_text(each['compiled'])}</strong> <small>compiled</small>"
        else:
            words = (
                f"{seconds_text(each['mean'])} on average, 95 % within {seconds_text(each['p95'])},"
                f" longest {seconds_text(each['longest'])}"
            )
            drawing = span(axis, f"{bot}: {words}", each["mean"], each["p95"], each["longest"])
            value = (
                f"<strong>{seconds_text(each['mean'])}</strong>"
                f" <small>95 %: {seconds_text(each['p95'])}, longest: {seconds_text(each['longest'])}</small>"
            )
        rows.append(_row(_code(bot), drawing, value))
    note = (
        "The dot is the mean, the tall mark what 95 % of decisions stay within, the end of the line the"
        " longest; each step to the right is ten times as long. Compiled games are timed as a whole,"
        " opponents included."
    )
    return _section("Time for a decision", note, _rows(rows, axis))


def _point(axis: Axis, name: str, value: float) -> str:
    return whisker(axis, name, math.log10(max(value, 1e-9)), None, None)


def _all_figures(found: dict[str, Any]) -> str:
    def cells(each: dict[str, Any]) -> str:
        texts = (
            estimate_text(each["margin"], 2, sign=True),
            estimate_text(each["wins"], 1, percent=True),
            estimate_text(each["rank"], 2),
        )
        return "".join(f'<td class="figure">{text}</td>' for text in texts)

    head = "".join(f'<th class="figure">{name}</th>' for name in ("margin", "share of wins", "mean rank"))
    field = "".join(
        f"<tr><td>{_code(rung['bot'])}</td><td>everybody</td>{cells(rung)}</tr>" for rung in found["ladder"]
    )
    bouts = "".join(
        f"<tr><td>{_code(bout['alone'])}</td><td>{_code(bout['many'])}</td>{cells(bout)}</tr>"
        for bout in found["bouts"]
    )
    table = f"<table><tr><th>bot</th><th>against</th>{head}</tr>{field}{bouts}</table>"
    games = found["bouts"][0]["games"]
    ways = "" if found["setup"]["alone"] else " both ways round"
    note = (
        f"Each bout has {games:,} games. Against everybody: the mean over all opponents, the margin{ways},"
        " wins and rank as the one alone."
    )
    return _section("All figures", note, f'<div class="wide">{table}</div>')
