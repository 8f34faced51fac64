"""The command `lynxden arena`, which is also `python -m lynxden.arena`.

The second needs NumPy and Numba alone, so that an arena runs on machines where nothing else is installed.
That is why the options are read by `argparse`, for both.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from lynxden.arena import report
from lynxden.arena.arena import ContestError, Crew, Watch, compete
from lynxden.arena.contest import Contest
from lynxden.arena.statistics import analyse
from lynxden.bots import BotSpec
from lynxden.games.errors import LynxdenError, OptionsError
from lynxden.games.registry import get_game

SAY_EVERY = 30.0
"""Seconds between two lines of progress where no bar can be drawn."""
LOCAL = "local"
"""For --ray: a cluster of this machine alone."""

EPILOG = """\
Example: lynxden arena linko --bots greedy,random --deals 200
Example: lynxden arena linko --edition duel --bots greedy,random --deals 500 --seed 7 --out results
Example: lynxden arena blocco --players 3 --bots greedy,random --deals 2000 --workers 8 --out results
Example: lynxden arena linko --bots shadow,lynx --alone shadow --deals 25 --out results

Interrupted? The same command with the same --out goes on where it was.
How to read the results: docs/arena.md"""


class Stopped(LynxdenError):
    """Somebody has interrupted the command."""


class Parser(argparse.ArgumentParser):
    """Raises what is wrong with the options, instead of leaving the program."""

    def error(self, message: str) -> NoReturn:
        raise OptionsError(message)


def parser(program: str) -> argparse.ArgumentParser:
    found = Parser(
        prog=program,
        description="Compare bots: every pair, in every seat, with the same cards.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = found.add_argument
    add("game", help="which game: see `lynxden games`")
    add("--edition", metavar="NAME", help="which edition; by default the first one")
    add("--players", type=int, metavar="N", help="how many players; by default four")
    add(
        "--bots",
        required=True,
        metavar="A,B,…",
        help="the bots to compare",
    )
    add("--alone", metavar="BOT", help="play only the games in which this bot is alone against another")
    add("--deals", type=int, default=200, metavar="N", help="how many deals, each played in every seat (200)")
    add(
        "--seed",
        type=int,
        default=0,
        metavar="S",
        help="where luck starts (0)",
    )
    add(
        "--limit",
        type=float,
        metavar="SECONDS",
        help="how long a decision may take",
    )
    add("--out", type=Path, metavar="DIR", help="write games and report here, or go on")
    add("--records", action="store_true", help="record every game, in --out")
    add("--workers", type=int, default=1, metavar="W", help="how many processes play (1)")
    add(
        "--ray",
        nargs="?",
        const=LOCAL,
        metavar="ADDRESS",
        help="play on the Ray cluster at this address; without one, on one of this machine with --workers",
    )
    return found


def run(arguments: Sequence[str], program: str, watch: Watch) -> int:
    """Carry out the command; the exit code."""
    given = parser(program).parse_args(arguments)
    game = get_game(given.game)
    options = game.choose_options(given.edition)
    contest = Contest(
        game.name,
        str(game.edition_of(options)),
        game.check_players(options, given.players, 0),
        tuple(str(bot) for bot in BotSpec.parse_list(given.bots)),
        given.deals,
        given.seed,
        given.limit,
        given.records,
        alone=None if given.alone is None else str(BotSpec.parse(given.alone)),
    )
    crew = Crew(given.workers, given.ray is not None, None if given.ray == LOCAL else given.ray)
    try:
        results = compete(contest, crew, given.out, watch)
    except KeyboardInterrupt:
        raise Stopped(
            "stopped" + (f"; the same command goes on with {given.out}" if given.out else "")
        ) from None
    analysis = analyse(results)
    say(report.summary(report.figures(results, analysis)))
    if given.out is not None:
        paths = report.write(results, analysis, given.out)
        say(f"\nreport      {paths['report.html']}")
    return 0


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


@contextmanager
def lines_of_progress(contest: Contest, done: int) -> Iterator[Callable[[int], Any]]:
    """A line now and then on standard error: how far it is, and how much time is left."""
    said = time.monotonic()
    began = 0.0
    before = played = done

    def report(games: int) -> None:
        nonlocal began, before, played, said
        played += games
        now = time.monotonic()
        if not began:  # whatever had to be compiled is behind us
            began, before = now, played
        elif now - said >= SAY_EVERY:
            said = now
            left = (contest.games - played) * (now - began) / max(1, played - before)
            print(  # noqa: T201
                f"{played:,} of {contest.games:,} games ({played / contest.games:.0%}), {_clock(left)} left",
                file=sys.stderr,
                flush=True,
            )

    yield report


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


def main() -> None:
    """`python -m lynxden.arena`: what is wrong is one sentence, never a traceback."""
    try:
        code = run(sys.argv[1:], "python -m lynxden.arena", lines_of_progress)
    except LynxdenError as error:
        print(f"lynxden: {error}", file=sys.stderr)  # noqa: T201
        code = exit_code(error)
    sys.exit(code)


def exit_code(error: LynxdenError) -> int:
    """1 if a bot failed, as after an interrupted program if somebody stopped it, 2 for a wrong command."""
    return 1 if isinstance(error, ContestError) else 130 if isinstance(error, Stopped) else 2
