"""The command `lynxden train`, which is also `python -m lynxden.train`.

The second needs PyTorch, NumPy and Numba alone, which is why the options are read by `argparse`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from lynxden.arena.command import Parser
from lynxden.games.errors import LynxdenError, OptionsError
from lynxden.train.config import Config

EPILOG = """\
Example: lynxden train linko --minutes 25 --out linko-1
Example: lynxden train linko --minutes 25 --start linko-1/checkpoint.safetensors --out linko-2
Example: lynxden train blocco --config small.toml --device cpu --out trial

Interrupted? The same command with the same --out goes on from the last checkpoint.
What the settings mean, and what came of them: docs/training.md"""


def parser(program: str) -> argparse.ArgumentParser:
    found = Parser(
        prog=program,
        description="Train the networks of a game by self-play.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = found.add_argument
    add("game", help="which game: see `lynxden games`")
    add("--minutes", type=float, metavar="M", help="how long (25)")
    add("--iterations", type=int, metavar="N", help="how many iterations, instead of a time")
    add("--seed", type=int, metavar="S", help="where luck starts (1)")
    add("--config", type=Path, metavar="FILE", help="settings, as TOML")
    add("--start", type=Path, metavar="FILE", help="checkpoint or weights of an earlier stage to begin from")
    add("--device", choices=("cuda", "cpu"), default="cuda", help="where to train (cuda)")
    add("--out", type=Path, required=True, metavar="DIR", help="where checkpoint, weights and report go")
    return found


def run(arguments: Sequence[str], program: str) -> int:
    """Do what the options say."""
    given = parser(program).parse_args(arguments)
    config = Config.read(
        given.game, given.config, minutes=given.minutes, iterations=given.iterations, seed=given.seed
    )
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise OptionsError(f"training needs PyTorch: pip install 'lynxden[train]' ({error})") from error
    from lynxden.train.run import train

    def say(line: str) -> None:
        sys.stderr.write(line + "\n")
        sys.stderr.flush()

    train(config, given.out, given.device, say, given.start)
    return 0


def main() -> None:
    try:
        code = run(sys.argv[1:], "python -m lynxden.train")
    except LynxdenError as error:
        sys.stderr.write(f"{error}\n")
        code = 2
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        code = 130
    sys.exit(code)
