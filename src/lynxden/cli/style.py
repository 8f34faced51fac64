"""How the command line looks: one console, one set of colours."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text
from rich.theme import Theme

from lynxden.games.drawing import Line

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


def complain(sentence: str) -> None:
    """What is wrong, in one sentence, on standard error."""
    errors.print(f"lynxden: {sentence}", style="wrong", markup=False, soft_wrap=True)


def show(lines: Sequence[Line]) -> None:
    """Print a text picture in colour."""
    for line in lines:
        console.print(Text.assemble(*((text, style or "none") for style, text in line)))
