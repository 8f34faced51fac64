"""The table of Linko as text, for a terminal or a log."""

from collections.abc import Sequence

from lynxden.games.drawing import Line, hand_line, player_line, spaced, stack_line, visible_hand
from lynxden.games.linko.position import LinkoPosition, LinkoView


def picture(table: LinkoPosition | LinkoView, names: Sequence[str]) -> list[Line]:
    """A line for the middle of the table, then a few for each player, clockwise from seat 0."""
    lines: list[Line] = [_middle(table), _display(table)]
    if table.row:
        lines.append([("label", "  row      "), ("card", spaced(table.row))])
    width = max(len(name) for name in names)
    for seat in range(table.players):
        lines.append([])
        lines += _player(table, seat, names[seat].ljust(width))
    return lines


def _middle(table: LinkoPosition | LinkoView) -> Line:
    line: Line = [
        ("title", f"Linko, {table.kind}"),
        ("quiet", f"   deck {table.deck_size}   discarded {len(table.discards)}"),
    ]
    if table.discards:
        line.append(("quiet", f" ({spaced(table.discards)})"))
    return line


def _display(table: LinkoPosition | LinkoView) -> Line:
    line: Line = [("label", "  display  ")]
    for cards in table.display:
        text = "+".join(cards) if cards else "·"
        line.append(("display", f"[{text}]"))
        line.append(("", " "))
    return line


def _player(table: LinkoPosition | LinkoView, seat: int, name: str) -> list[Line]:
    return [
        player_line(table, seat, name),
        stack_line("table", table.layers(seat), "nothing yet"),
        hand_line(visible_hand(table, seat), table.known(seat), table.hand_sizes[seat]),
    ]
