"""Makes the fonts of the page from the npm package of Nunito: the letters and weights that the page uses.

    npm install && pip install fonttools brotli && python fonts/subset.py

Nunito is under the SIL Open Font License 1.1 (its text goes with the page: `public/nunito-OFL.txt`).
"""

from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

WEB = Path(__file__).parents[1]
PACKAGE = WEB / "node_modules" / "@fontsource-variable" / "nunito"
TARGET = WEB / "src" / "fonts"
WEIGHTS = (400, 850)
LATIN = [*range(0x20, 0x7F), *range(0xA0, 0x100), 0x152, 0x153, *map(ord, "–—‘’‚“”„†•…‹›€™−×")]
POLISH = list(map(ord, "ĄąĆćĘęŁłŃńŚśŹźŻż"))


def make(source: str, target: str, letters: list[int]) -> None:
    font = TTFont(PACKAGE / "files" / source)
    maker = subset.Subsetter(subset.Options(layout_features=["kern", "tnum"], hinting=False))
    maker.populate(unicodes=letters)
    maker.subset(font)
    font = instancer.instantiateVariableFont(font, {"wght": WEIGHTS})
    font.flavor = "woff2"
    font.save(TARGET / target)


if __name__ == "__main__":
    make("nunito-latin-wght-normal.woff2", "nunito.woff2", LATIN)
    make("nunito-latin-ext-wght-normal.woff2", "nunito-polish.woff2", POLISH)
    (WEB / "public" / "nunito-OFL.txt").write_text(
        (PACKAGE / "LICENSE").read_text(encoding="utf-8"), encoding="utf-8"
    )
