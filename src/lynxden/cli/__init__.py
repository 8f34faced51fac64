"""The command `lynxden`: one module a command."""

import sys

import typer
from typer.core import TyperGroup

from lynxden import __version__
from lynxden.cli import moderation
from lynxden.cli.arena import arena
from lynxden.cli.bench import bench
from lynxden.cli.export import export
from lynxden.cli.games import games
from lynxden.cli.play import play
from lynxden.cli.replay import replay
from lynxden.cli.serve import serve
from lynxden.cli.simulate import simulate
from lynxden.cli.style import Stopped, complain
from lynxden.cli.train import train
from lynxden.cli.verify import verify
from lynxden.cli.warm import warm
from lynxden.games.errors import LynxdenError


class Commands(TyperGroup):
    """All commands. Typer itself says nothing when one is interrupted."""

    def invoke(self, ctx: typer.Context) -> object:  # type: ignore[override]
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Stopped("stopped") from None


app = typer.Typer(
    name="lynxden",
    cls=Commands,
    help="Play, study and research the card games Linko and Blocco.",
    epilog="Example: lynxden play linko",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


# Typer does not name the base of its usage errors; this is the one that knows its own message.
UsageError: type[Exception] = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lynxden {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    context: typer.Context,
    version: bool = typer.Option(  # noqa: ARG001
        False, "--version", callback=_version, is_eager=True, help="Show the version."
    ),
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


app.command(epilog="Example: lynxden play linko --players 3 --bots greedy,random --save game.jsonl")(play)
app.command(epilog="Example: lynxden serve --host 0.0.0.0 --port 8060 --data ~/lynxden")(serve)
app.command(
    epilog="Example: lynxden simulate linko --edition basic --games 1000 --bot random --records games.jsonl"
)(simulate)
# The options of these two are read by `arena/command.py` and `train/command.py`.
for command in (arena, train):
    app.command(
        add_help_option=False, context_settings={"ignore_unknown_options": True, "allow_extra_args": True}
    )(command)
app.command(epilog="Example: lynxden verify games.jsonl more.jsonl")(verify)
app.command(epilog="Example: lynxden replay games.jsonl --game 3 --step")(replay)
app.command(epilog="Example: lynxden export games.jsonl --out games.parquet")(export)
app.command(epilog="Example: lynxden games")(games)
app.command(epilog="Example: lynxden bench --seconds 5 > figures.jsonl")(bench)
app.command(epilog="Example: XDG_CACHE_HOME=/var/cache lynxden warm")(warm)
app.add_typer(moderation.app)  # that of `admin`, with all commands


def main() -> None:
    """Run the command; what is wrong with it is one sentence and exit code 2, never a traceback."""
    try:
        code = typer.main.get_command(app).main(standalone_mode=False)
    except UsageError as error:
        complain(error.format_message())  # type: ignore[attr-defined]
        sys.exit(2)
    except LynxdenError as error:
        complain(str(error))
        sys.exit(2)
    except (typer.Abort, KeyboardInterrupt):
        complain("stopped")
        sys.exit(130)
    except Stopped as stopped:
        complain(str(stopped))
        sys.exit(130)
    except OSError as error:
        complain(f"{error.strerror or error}" + (f": {error.filename}" if error.filename else ""))
        sys.exit(2)
    except MemoryError:
        complain("there is not enough memory for that")
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)
