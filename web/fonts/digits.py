"""Draws the numbers of the cards: outlines of Nunito, so that a card looks the same before any font has come.

    npm install && pip install fonttools brotli && python fonts/digits.py

Cards have no letters in them: the words of a card are its label, and a button around it has words of its own.
"""

from pathlib import Path

from fontTools.misc.transform import Transform
from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

WEB = Path(__file__).parents[1]
SOURCE = WEB / "node_modules/@fontsource-variable/nunito/files/nunito-latin-wght-normal.woff2"
TARGET = WEB / "src" / "ui" / "digits.ts"
WEIGHT = 800
NUMBERS = [*map(str, range(1, 14)), "X"]
HEAD = """// Made by `fonts/digits.py` from Nunito (SIL OFL 1.1): numbers as outlines.
// 100 units to the em, standing on the line y = 0.
export interface Outline {
  d: string;
  w: number; // how wide it is
}

export const DIGITS: Readonly<Record<string, Outline>> = {
"""


def main() -> None:
    font = instancer.instantiateVariableFont(TTFont(SOURCE), {"wght": WEIGHT})
    names, glyphs = font.getBestCmap(), font.getGlyphSet()
    scale = 100 / font["head"].unitsPerEm
    lines = []
    for number in NUMBERS:
        pen = SVGPathPen(glyphs, ntos=lambda value: f"{value:.1f}".rstrip("0").rstrip("."))
        x = 0.0
        for letter in number:
            glyph = glyphs[names[ord(letter)]]
            glyph.draw(TransformPen(pen, Transform(scale, 0, 0, -scale, x, 0)))
            x += glyph.width * scale
        lines.append(f"  '{number}': {{ d: '{pen.getCommands()}', w: {x:.1f} }},\n")
    TARGET.write_text(HEAD + "".join(lines) + "};\n", encoding="utf-8")


if __name__ == "__main__":
    main()
