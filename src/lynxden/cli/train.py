"""`lynxden train`: train the networks of a game. The command itself is `train/command.py`."""

import typer

from lynxden.cli.style import complain
from lynxden.games.errors import LynxdenError
from lynxden.train.command import run


def train(context: typer.Context) -> None:
    """Train the networks of a game by self-play, on a GPU."""
    try:
        code = run(context.args, "lynxden train")
    except LynxdenError as error:
        complain(str(error))
        code = 2
    raise typer.Exit(code)
