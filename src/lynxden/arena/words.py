"""Figures in words, the same in every kind of report."""

from __future__ import annotations

from typing import Any

MINUS = "−"


def number(value: float, digits: int, *, sign: bool = False, percent: bool = False) -> str:
    text = f"{100 * value if percent else value:{'+' if sign else ''},.{digits}f}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("+-")
    return text.replace("-", MINUS)


def estimate_text(
    estimate: dict[str, Any] | None, digits: int, *, sign: bool = False, percent: bool = False
) -> str:
    """`12.3 (11.9 to 12.8)`; the value alone where there is no interval, a dash for what was not measured."""
    if estimate is None:
        return "–"
    unit = " %" if percent else ""
    value = number(estimate["value"], digits, sign=sign, percent=percent) + unit
    if estimate["low"] is None:
        return value
    low, high = (number(estimate[key], digits, sign=sign, percent=percent) for key in ("low", "high"))
    return f"{value} ({low} to {high})"


def seconds_text(seconds: float) -> str:
    """A time in the unit that suits it."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 0.9995:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def command_text(found: dict[str, Any]) -> str:
    """The command that plays the same games."""
    setup = found["setup"]
    flags = [f"--{key} {setup[key]}" for key in ("edition", "players")]
    flags.append(f"--bots {','.join(setup['bots'])}")
    if setup["alone"] is not None:
        flags.append(f"--alone {setup['alone']}")
    flags += [f"--deals {setup['deals']}", f"--seed {setup['seed']}"]
    if setup["limit"] is not None:
        flags.append(f"--limit {setup['limit']:g}")
    return " ".join(["lynxden arena", setup["game"], *flags])


def setup_text(found: dict[str, Any]) -> str:
    """What was played, in one paragraph."""
    setup = found["setup"]
    limit = "" if setup["limit"] is None else f", at most {setup['limit']:g} s for a decision"
    alone = "" if setup["alone"] is None else f", {setup['alone']} alone"
    return (
        f"{setup['title']} {setup['edition']}, {setup['players']} players, {len(setup['bots'])} bots{alone}, "
        f"{setup['deals']:,} deals in every seat: {found['games']:,} games; seed {setup['seed']}{limit}. "
        f"In brackets: {number(found['level'], 0, percent=True)} % intervals, clustered by deal."
    )
