"""The table of Tiny as text."""

from collections.abc import Sequence

from lynxden.games.drawing import Line, hand_line, player_line, visible_hand
from tests.tiny.position import TinyPosition, TinyView


def picture(table: TinyPosition | TinyView, names: Sequence[str]) -> list[Line]:
    """The middle, then two lines for each player."""
    middle = f"   deck {table.deck_size}   open {table.open_card or '·'}   offered {table.offered or '·'}"
    lines: list[Line] = [[("title", f"Tiny, {table.edition or 'house rules'}"), ("quiet", middle)]]
    for seat, name in enumerate(names):
        lines.append(player_line(table, seat, name, f" laid {' '.join(table.laid(seat)) or '·'},"))
        lines.append(hand_line(visible_hand(table, seat), table.known(seat), table.hand_sizes[seat]))
    return lines
