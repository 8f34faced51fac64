"""Pictures of every screen, at two sizes, light and dark, for the folder `screenshots`."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import sync_playwright
from rich.progress import track

from tests.web.kit import ARGS, CHROMIUM, DESK, PHONE, House, Player
from tests.web.scenes import make_scenes, show

LOOKS: list[tuple[tuple[int, int], Literal["light", "dark"]]] = [
    (DESK, "light"),
    (DESK, "dark"),
    (PHONE, "light"),
    (PHONE, "dark"),
]
FOLDER = Path(__file__).parents[2] / "screenshots"


def main() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        house = House(Path(data))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        try:
            scenes = make_scenes(browser, house.url)
            for size, scheme in track(LOOKS, "Looking at every screen"):
                player = Player(browser, house.url, seed=1, size=size, scheme=scheme)
                scenes.visit(player)
                for name, address in scenes.all.items():
                    show(player, name, address)
                    player.page.wait_for_timeout(400)  # until what moves has come to rest
                    file = f"{name.replace(' ', '-')}-{size[0]}-{scheme}.png"
                    player.page.screenshot(path=FOLDER / file)
                player.close()
        finally:
            browser.close()
            house.close()
    print(f"{len(list(FOLDER.iterdir()))} pictures in {FOLDER}")


if __name__ == "__main__":
    main()
