"""Prints the tables of a game, or writes them to its page: see the package."""

import argparse
from pathlib import Path
from types import ModuleType

from tools.strategy import blocco, linko
from tools.strategy.habits import compare
from tools.strategy.log import play

GAMES: dict[str, ModuleType] = {"linko": linko, "blocco": blocco}
DOCS = Path(__file__).parents[2] / "docs"
PAGES = {"linko": DOCS / "strategy.md", "blocco": DOCS / "strategy-blocco.md"}


def put(page: Path, tables: dict[str, str]) -> None:
    """Put each table into its place in the page, which lies between two comments."""
    text = page.read_text(encoding="utf-8")
    for name, table in tables.items():
        begin, end = f"<!-- generated: {name} -->", "<!-- end -->"
        if begin not in text:
            raise SystemExit(f"{page} has no place for the table {name}: add {begin} and {end}")
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n\n{table}\n\n{end}{rest.partition(end)[2]}"
    page.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.strategy", description="What a network does, in figures."
    )
    parser.add_argument("game", choices=GAMES)
    parser.add_argument("--games", type=int, default=1024, help="how many games are played (1024)")
    parser.add_argument("--seed", type=int, default=1, help="another seed deals other cards (1)")
    parser.add_argument("--write", action="store_true", help="renew the page and its pictures")
    given = parser.parse_args()
    if given.games < 1:
        parser.error(f"--games is {given.games}: at least one game has to be played")
    game = GAMES[given.game]
    log = play(given.game, given.games, given.seed, game.FIELDS)
    tables = {name: table.markdown() for name, table in game.tables(log).items()}
    habits = compare(given.game, game.HABITS, max(1, given.games // 2), given.seed)
    tables[f"{given.game}-habits"] = habits.markdown()
    if given.write:
        put(PAGES[given.game], tables)
        for name, picture in game.pictures(log).items():
            (DOCS / "pictures" / f"{name}.svg").write_text(picture, encoding="utf-8")
    else:
        print("\n\n".join(f"**{name}**\n\n{table}" for name, table in tables.items()))  # noqa: T201


if __name__ == "__main__":
    main()
