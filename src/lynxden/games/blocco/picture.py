"""The table of Blocco as text, for a terminal or a log."""

from collections.abc import Sequence

from lynxden.games.blocco.position import BloccoPosition, BloccoView
from lynxden.games.drawing import Line, hand_line, player_line, spaced, stack_line, visible_hand


def picture(table: BloccoPosition | BloccoView, names: Sequence[str]) -> list[Line]:
    """Two lines for the circle, then a few for each player, clockwise from seat 0."""
    lines: list[Line] = [_middle(table), *(_rows(table, first) for first in range(0, len(table.rows), 4))]
    width = max(len(name) for name in names)
    for seat in range(table.players):
        lines.append([])
        lines += _player(table, seat, names[seat].ljust(width))
    return lines


def _middle(table: BloccoPosition | BloccoView) -> Line:
    line: Line = [
        ("title", f"Blocco, {table.kind}"),
        ("quiet", f"   deck {table.deck_size}"),
    ]
    if not table.over:
        left = table.actions_left
        line.append(("quiet", f"   {left} action{'' if left == 1 else 's'} left in this turn"))
    if table.owed:
        line.append(("quiet", f"   {table.owed} to be given"))
    return line


def _rows(table: BloccoPosition | BloccoView, first: int) -> Line:
    """Four places of the circle."""
    line: Line = [("label", "  rows     " if first == 0 else "           ")]
    for place in range(first, min(first + 4, len(table.rows))):
        line.append(("quiet", f"{place + 1}"))
        line.append(("display", f"[{' '.join(table.rows[place]) or '·'}]"))
        line.append(("", "  "))
    return line


def _player(table: BloccoPosition | BloccoView, seat: int, name: str) -> list[Line]:
    hand = hand_line(visible_hand(table, seat), table.known(seat), table.hand_sizes[seat])
    if isinstance(table, BloccoView) and seat != table.viewer:
        doubtful = table.doubtful(seat)
        if doubtful:
            hand.append(("quiet", f" (given away or not: {spaced(doubtful)})"))
    return [
        player_line(table, seat, name, f" {table.score_sizes[seat]} scored,"),
        stack_line("pile", table.pile(seat), "none"),
        hand,
    ]
