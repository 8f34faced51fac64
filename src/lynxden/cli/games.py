"""`lynxden games`: what can be played."""

from rich.table import Table

from lynxden.cli.style import console
from lynxden.games.registry import GAMES


def games() -> None:
    """List the games with their editions and player counts."""
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for heading in ("game", "edition", "players"):
        table.add_column(heading, header_style="label")
    for game in GAMES.values():
        for edition, options in game.editions.items():
            counts = options.player_counts
            players = str(counts[0]) if len(counts) == 1 else f"{counts[0]}–{counts[-1]}"
            table.add_row(game.name, edition, players)
    console.print(table)
