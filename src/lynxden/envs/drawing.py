"""A text picture as an image: every game has the one, so all have the other, and no library is needed."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lynxden.games.drawing import Line

COLUMNS = 110
"""Characters of a line; what is longer is cut."""
LINE, COLUMN = 10, 6
"""Points of a character, the gaps beside and below it included."""
SCALE = 2
MARGIN = 8

PAPER = (24, 33, 29)
INKS = {
    "title": (255, 214, 122),
    "name": (240, 240, 232),
    "mark": (255, 140, 90),
    "label": (128, 148, 138),
    "quiet": (128, 148, 138),
    "card": (255, 255, 255),
    "under": (168, 184, 176),
    "hand": (142, 214, 255),
    "display": (190, 232, 160),
}
PLAIN = (220, 224, 220)

# Seven rows of five points, a row a digit of base 32.
_DRAWN = """
A ehhvhhh B uhhuhhu C ehggghe D sihhhis E vgguggv F vgguggg G ehgnhhf H hhhvhhh I e44444e J 72222ic
K hikokih L ggggggv M hrllhhh N hhpljhh O ehhhhhe P uhhuggg Q ehhhlid R uhhukih S fgge11u T v444444
U hhhhhhe V hhhhha4 W hhhllla X hha4ahh Y hhha444 Z v1248gv
a 00e1fhf b ggmphhu c 00egghe d 11djhhf e 00ehvge f 698s888 g 0fhhf1e h ggmphhh i 40c444e j 20622ic
k ggikoki l c44444e m 00qllhh n 00mphhh o 00ehhhe p 00uhugg q 00djf11 r 00mpggg s 00ege1u t 88s8896
u 00hhhjd v 00hhha4 w 00hhlla x 00ha4ah y 00hhf1e z 00v248v
0 ehjlphe 1 4c4444e 2 eh1248v 3 v2421he 4 26aiv22 5 vgu11he 6 68guhhe 7 v124888 8 ehhehhe 9 ehhf12c
. 00000cc , 0000c48 : 0cc0cc0 - 000v000 + 044v440 [ e88888e ] e22222e ( 2488842 ) 8422248 | 4444444
/ 01248g0 ' c480000 ! 4444004 ? eh12404 _ 000000v = 00v0v00 · 0004000 • 00eee00 ▶ gosusog … 000000l
"""
_UNKNOWN = "vhhhhhv"


def _bits(rows: str) -> NDArray[np.bool_]:
    return np.array([[int(row, 32) >> place & 1 for place in (4, 3, 2, 1, 0)] for row in rows], np.bool_)


_PIECES = _DRAWN.split()
GLYPHS = {sign: _bits(rows) for sign, rows in zip(_PIECES[::2], _PIECES[1::2], strict=True)}
UNKNOWN = _bits(_UNKNOWN)


def image(lines: Sequence[Line], height: int = 0) -> NDArray[np.uint8]:
    """Lines of styled text as rows of coloured points, with room for at least `height` lines."""
    rows = max(height, len(lines))
    points = np.full((rows * LINE, COLUMNS * COLUMN, 3), PAPER, np.uint8)
    for row, line in enumerate(lines):
        column = 0
        for style, text in line:
            for sign in text[: COLUMNS - column]:
                if sign != " ":
                    y, x = row * LINE + 1, column * COLUMN
                    points[y : y + 7, x : x + 5][GLYPHS.get(sign, UNKNOWN)] = INKS.get(style, PLAIN)
                column += 1
    large = points.repeat(SCALE, axis=0).repeat(SCALE, axis=1)
    out = np.full((large.shape[0] + 2 * MARGIN, large.shape[1] + 2 * MARGIN, 3), PAPER, np.uint8)
    out[MARGIN:-MARGIN, MARGIN:-MARGIN] = large
    return out


def lines_of(players: int) -> int:
    """Lines that a picture of a table usually has, so that the images of a game have one size."""
    return 3 + 4 * players
