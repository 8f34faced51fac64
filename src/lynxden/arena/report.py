"""The results of an arena as files: figures for programs (JSON, CSV) and for people (Markdown, HTML)."""

from __future__ import annotations

import csv
import json
import os
import platform
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import numpy as np

from lynxden.arena import page
from lynxden.arena.contest import FORMAT
from lynxden.arena.journal import parts_in_order
from lynxden.arena.results import Results
from lynxden.arena.statistics import LEVEL, RESAMPLES, Analysis, Estimate, margins, rank_shares
from lynxden.arena.words import command_text, estimate_text, seconds_text, setup_text
from lynxden.games.registry import get_game

QUANTILE = 0.95


def figures(results: Results, analysis: Analysis) -> dict[str, Any]:
    """Everything but times: the same set-up gives the same figures."""
    contest = results.contest
    lengths = results.decisions.ravel()
    ends = Counter(results.reasons.ravel().tolist())
    return {
        "format": FORMAT,
        "setup": {"title": get_game(contest.game).title, **contest.as_dict()},
        "games": results.done,
        "level": LEVEL,
        "resamples": RESAMPLES,
        "ladder": [
            {
                "bot": rung.bot,
                "rating": _estimate(rung.rating, 1),
                "margin": _estimate(rung.margin),
                "wins": None if rung.wins is None else _estimate(rung.wins),
                "rank": None if rung.rank is None else _estimate(rung.rank),
            }
            for rung in analysis.ladder
        ],
        "pairs": [
            {"one": pair.one, "other": pair.other, "margin": _estimate(pair.margin)}
            for pair in analysis.pairs
        ],
        "bouts": [
            {
                "alone": bout.alone,
                "many": bout.many,
                "games": contest.games_of_bout,
                "margin": _estimate(bout.margin),
                "wins": _estimate(bout.wins),
                "rank": _estimate(bout.rank),
                "ranks": [round(share, 4) for share in bout.ranks],
            }
            for bout in analysis.bouts
        ],
        "scores": {rung.bot: _scores(results, rung.bot) for rung in analysis.ladder},
        "length": _distribution(lengths),
        "ends": {results.reason_names[number]: count for number, count in ends.most_common()},
    }


def _estimate(estimate: Estimate, digits: int = 4) -> dict[str, float | None]:
    def rounded(value: float | None) -> float | None:
        return None if value is None else round(value, digits) + 0.0  # no -0.0

    return {"value": rounded(estimate.value), "low": rounded(estimate.low), "high": rounded(estimate.high)}


def _scores(results: Results, bot: str) -> dict[str, Any]:
    """The scores of a bot in all its games, in whatever seats."""
    contest = results.contest
    found = []
    rotations = np.arange(contest.games_of_bout) % contest.players
    for number, bout in enumerate(contest.bouts):
        is_alone = np.arange(contest.players)[None, :] == rotations[:, None]
        if bout.alone == bot:
            found.append(results.scores[number][is_alone])
        if bout.many == bot:
            found.append(results.scores[number][~is_alone])
    return _distribution(np.concatenate(found))


def _distribution(values: Any) -> dict[str, Any]:
    numbers, counts = np.unique(values, return_counts=True)
    return {
        "mean": round(float(values.mean()), 3),
        "deviation": round(float(values.std()), 3),
        "least": int(values.min()),
        "most": int(values.max()),
        "counts": {
            str(number): count for number, count in zip(numbers.tolist(), counts.tolist(), strict=True)
        },
    }


def times(results: Results, analysis: Analysis) -> dict[str, Any]:
    """How long decisions took; this differs from run to run."""
    found: dict[str, Any] = {}
    for bot in (rung.bot for rung in analysis.ladder):
        timed = results.times.get(bot)
        if timed is not None:
            found[bot] = {
                "decisions": timed.count,
                "mean": _significant(timed.mean),
                "p95": _significant(timed.quantile(QUANTILE)),
                "longest": _significant(timed.longest),
            }
            continue
        # Compiled games are timed as a whole, with both bots in them.
        parts = [
            part
            for number, part in results.compiled.items()
            if bot in (results.contest.bouts[number].alone, results.contest.bouts[number].many)
        ]
        seconds, decisions = sum(part[0] for part in parts), sum(part[1] for part in parts)
        found[bot] = {"compiled": _significant(seconds / max(decisions, 1))}
    system = f"{platform.system()} {platform.machine()}"
    machine = f"{system}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return {"seconds": round(results.seconds, 3), "machine": machine, "bots": found}


def _significant(value: float) -> float:
    return float(f"{value:.4g}")


# --- For people -----------------------------------------------------------------------------------------


def summary(found: dict[str, Any]) -> str:
    """The ladder, for a terminal."""
    rows = [["", "bot", "rating", "margin", "wins alone", "rank alone"]]
    rows += [
        [
            str(place),
            rung["bot"],
            estimate_text(rung["rating"], 0),
            estimate_text(rung["margin"], 2, sign=True),
            estimate_text(rung["wins"], 1, percent=True),
            estimate_text(rung["rank"], 2),
        ]
        for place, rung in enumerate(found["ladder"], start=1)
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([setup_text(found), "", *lines])


def markdown(found: dict[str, Any], timed: dict[str, Any]) -> str:
    def table(headings: list[str], rows: list[list[str]]) -> list[str]:
        marks = ["---" if number < 2 else "---:" for number in range(len(headings))]
        return ["", *(f"| {' | '.join(row)} |" for row in [headings, marks, *rows]), ""]

    def figure(estimates: dict[str, Any]) -> list[str]:
        return [
            estimate_text(estimates["margin"], 2, sign=True),
            estimate_text(estimates["wins"], 1, percent=True),
            estimate_text(estimates["rank"], 2),
        ]

    heads = ["margin", "share of wins", "mean rank"]
    lines = [f"# {page.title(found)}", "", setup_text(found), "", "## Ladder"]
    lines += table(
        ["place", "bot", "rating", *heads],
        [
            [str(place), f"`{rung['bot']}`", estimate_text(rung["rating"], 0), *figure(rung)]
            for place, rung in enumerate(found["ladder"], start=1)
        ],
    )
    lines += ["## Pairs" if found["setup"]["alone"] else "## Pairs, both ways round"]
    lines += table(
        ["one", "other", "margin"],
        [
            [f"`{pair['one']}`", f"`{pair['other']}`", estimate_text(pair["margin"], 2, sign=True)]
            for pair in found["pairs"]
        ],
    )
    lines += ["## One alone against the other in all other seats"]
    lines += table(
        ["alone", "all others", "games", *heads],
        [
            [f"`{bout['alone']}`", f"`{bout['many']}`", str(bout["games"]), *figure(bout)]
            for bout in found["bouts"]
        ],
    )
    lines += ["## Scores"]
    lines += table(
        ["bot", "mean", "standard deviation", "least", "most"],
        [
            [
                f"`{bot}`",
                f"{each['mean']:.2f}",
                f"{each['deviation']:.2f}",
                str(each["least"]),
                str(each["most"]),
            ]
            for bot, each in found["scores"].items()
        ],
    )
    length = found["length"]
    lines += ["## Length and ends", ""]
    lines += [
        f"{length['mean']:.1f} decisions a game, from {length['least']} to {length['most']}.",
        *table(
            ["end", "games", "share"],
            [
                [reason, str(count), f"{count / found['games']:.1%}"]
                for reason, count in found["ends"].items()
            ],
        ),
    ]
    lines += ["## Time for a decision"]
    lines += table(
        ["bot", "decisions timed", "mean", "95 % within", "longest"],
        [[f"`{bot}`", *_time_cells(each)] for bot, each in timed["bots"].items()],
    )
    lines += [f"{timed['seconds']:,.0f} seconds of all workers together; {timed['machine']}.", ""]
    lines += [f"The same games: `{command_text(found)}`"]
    return "\n".join(lines) + "\n"


def _time_cells(each: dict[str, Any]) -> list[str]:
    if "compiled" in each:
        return ["compiled", f"{seconds_text(each['compiled'])} (with opponents)", "", ""]
    return [str(each["decisions"]), *(seconds_text(each[key]) for key in ("mean", "p95", "longest"))]


# --- Files ----------------------------------------------------------------------------------------------


def write(results: Results, analysis: Analysis, folder: Path) -> dict[str, Path]:
    """All files of a finished arena."""
    found, timed = figures(results, analysis), times(results, analysis)
    paths = {name: folder / name for name in ("report.html", "report.md", "results.json", "times.json")}
    for name, text in (
        ("results.json", _json(found)),
        ("times.json", _json(timed)),
        ("report.md", markdown(found, timed)),
        ("report.html", page.html(found, timed)),
    ):
        with _replacing(paths[name]) as file:
            file.write(text)
    paths["games.csv"] = folder / "games.csv"
    with _replacing(paths["games.csv"]) as file:
        _write_games(results, file)
    if results.contest.records:
        paths["records.jsonl"] = folder / "records.jsonl"
        with _replacing(paths["records.jsonl"]) as file:
            _write_records(folder, file)
    return paths


def _write_records(folder: Path, file: TextIOWrapper) -> None:
    """The records of all games, in order, whatever the order in which they were played."""
    for part in parts_in_order(folder):
        for record in part.records:
            file.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


@contextmanager
def _replacing(path: Path) -> Iterator[TextIOWrapper]:
    """A file that is there as a whole or not at all."""
    beside = path.with_name(path.name + ".new")
    with beside.open("w", encoding="utf-8", newline="\n") as file:
        yield file
    beside.replace(path)


def _write_games(results: Results, file: TextIOWrapper) -> None:
    """A row a game, for programs that analyse tables."""
    contest = results.contest
    rows = csv.writer(file, lineterminator="\n")
    seats = range(contest.players)
    rows.writerow(
        ["alone", "many", "deal", "seat", "margin", "rank", "wins", "end", "decisions"]
        + [f"score_{seat}" for seat in seats]
    )
    places = np.arange(1, contest.players + 1)
    for number, bout in enumerate(contest.bouts):
        shares = rank_shares(results.scores[number], results.won[number])
        columns = zip(
            margins(results.scores[number]).tolist(),
            (shares @ places).tolist(),
            shares[:, 0].tolist(),
            results.reasons[number].tolist(),
            results.decisions[number].tolist(),
            results.scores[number].tolist(),
            strict=True,
        )
        for game, (margin, rank, wins, reason, decisions, scores) in enumerate(columns):
            deal, seat = divmod(game, contest.players)
            end = results.reason_names[reason]
            cells = [f"{margin:.4f}", f"{rank:g}", f"{wins:.4f}", end, decisions, *scores]
            rows.writerow([bout.alone, bout.many, deal, seat, *cells])
