"""How the command line looks: one console, one set of colours."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text
from rich.theme import Theme

from lynxden.games.drawing import Line
from lynxden.games.errors import OptionsError

THEME = Theme(
    {
        "title": "bold",
        "label": "dim",
        "quiet": "dim",
        "name": "bold",
        "mark": "bold yellow",
        "display": "cyan",
        "card": "bold green",
        "under": "green",
        "hand": "bold yellow",
        "event": "italic",
        "wrong": "red",
        "win": "bold yellow",
    }
)

console = Console(theme=THEME, highlight=False)
errors = Console(theme=THEME, highlight=False, stderr=True)


class Stopped(Exception):
    """Somebody has stopped a command that has more to say about it than that."""


def check_file(file: Path) -> None:
    """Refuse a file that is not there."""
    if not file.exists():
        raise OptionsError(f"there is no file {file}")
    if file.is_dir():
        raise OptionsError(f"{file} is a folder, not a file")


def ask(prompt: str) -> str:
    """A line that somebody types; `EOFError` if nobody is there."""
    try:
        return console.input(prompt)
    except RuntimeError as error:  # standard input was closed from the start
        raise EOFError from error


def complain(sentence: str) -> None:
    """What is wrong, in one sentence, on standard error."""
    errors.print(f"lynxden: {sentence}", style="wrong", markup=False, soft_wrap=True)


def show(lines: Sequence[Line]) -> None:
    """Print a text picture in colour."""
    for line in lines:
        console.print(Text.assemble(*((text, style or "none") for style, text in line)))
