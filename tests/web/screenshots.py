"""Pictures of every screen, for the folder `screenshots`: tables at every size, others at two; light, dark.

`python -m tests.web.screenshots linko blocco` makes those whose names begin so, and no others.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, sync_playwright
from rich.progress import Progress

from tests.web.kit import ARGS, CHROMIUM, DESK, PHONE, SIZES, House, Player
from tests.web.scenes import make_scenes, show

Scheme = Literal["light", "dark"]
LANDSCAPE = (844, 390)
BOTH: list[tuple[tuple[int, int], Scheme]] = [
    (DESK, "light"),
    (DESK, "dark"),
    (PHONE, "light"),
    (PHONE, "dark"),
]
EVERY: list[tuple[tuple[int, int], Scheme]] = [
    *((size, "light") for size in SIZES),
    (DESK, "dark"),
    (PHONE, "dark"),
    (LANDSCAPE, "dark"),
]
TABLES = {"linko", "duel", "blocco", "end", "replay"}
FULL = {
    "full-linko-5": ("linko", "expert", 5),
    "full-linko-4": ("linko", "classic", 4),
    "full-duel": ("linko", "duel", 2),
    "full-blocco-5": ("blocco", "", 5),
    "full-blocco-3": ("blocco", "", 3),
}
"""The fullest tables that occur."""
FOLDER = Path(__file__).parents[2] / "screenshots"


def picture(player: Player, name: str, size: tuple[int, int], scheme: Scheme) -> None:
    player.page.set_viewport_size({"width": size[0], "height": size[1]})
    player.page.emulate_media(color_scheme=scheme)
    player.page.wait_for_timeout(500)  # until what moves has come to rest
    player.page.screenshot(path=FOLDER / f"{name.replace(' ', '-')}-{size[0]}x{size[1]}-{scheme}.png")


def screens(browser: Browser, house: House, wanted: list[str], progress: Progress) -> None:
    scenes = make_scenes(browser, house.url)
    player = Player(browser, house.url, seed=1)
    scenes.visit(player)
    for name, address in progress.track(list(scenes.all.items()), description="Every screen"):
        if wanted and not name.startswith(tuple(wanted)):
            continue
        show(player, name, address)
        for size, scheme in EVERY if name in TABLES else BOTH:
            picture(player, name, size, scheme)
    player.close()


def full_tables(browser: Browser, house: House, wanted: list[str], progress: Progress) -> None:
    for name, (game, edition, players) in progress.track(
        list(FULL.items()), description="The fullest tables"
    ):
        if wanted and not name.startswith(tuple(wanted)):
            continue
        player = Player(browser, house.url, seed=1, settings={"speed": "off", "welcomed": True})
        player.go("/")
        player.play_now(game, edition, players)
        player.wait()
        for size, scheme in EVERY:
            picture(player, name, size, scheme)
        player.close()


def main() -> None:
    wanted = sys.argv[1:]
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright, Progress() as progress:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        for make, module in ((screens, "lynxden"), (full_tables, "tests.web.worst")):
            house = House(Path(data) / module, module=module)
            try:
                make(browser, house, wanted, progress)
            finally:
                house.close()
        browser.close()
    print(f"{len(list(FOLDER.iterdir()))} pictures in {FOLDER}")


if __name__ == "__main__":
    main()
