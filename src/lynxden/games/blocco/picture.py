"""The table of Blocco as text, for a terminal or a log."""

from collections.abc import Sequence

from lynxden.games.blocco.position import BloccoPosition, BloccoView
from lynxden.games.core import Line, spaced


def picture(table: BloccoPosition | BloccoView, names: Sequence[str]) -> list[Line]:
    """Two lines for the circle, then a few for each player, clockwise from seat 0."""
    lines: list[Line] = [_middle(table), _rows(table, 0), _rows(table, 4)]
    width = max(len(name) for name in names)
    for seat in range(table.players):
        lines.append([])
        lines += _player(table, seat, names[seat].ljust(width))
    return lines


def _middle(table: BloccoPosition | BloccoView) -> Line:
    line: Line = [
        ("title", f"Blocco, {table.edition or 'house rules'}"),
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
    for place in range(first, first + 4):
        line.append(("quiet", f"{place + 1}"))
        line.append(("display", f"[{' '.join(table.rows[place]) or '·'}]"))
        line.append(("", "  "))
    return line


def _player(table: BloccoPosition | BloccoView, seat: int, name: str) -> list[Line]:
    mark = "▶" if seat == table.seat else "•" if seat == table.active and not table.over else " "
    size = table.hand_sizes[seat]
    head: Line = [
        ("mark", f"{mark} "),
        ("name", name),
        (
            "quiet",
            f"  {size} card{'' if size == 1 else 's'} in hand, {table.score_sizes[seat]} scored,"
            f" score {table.scores[seat]:+d}",
        ),
    ]
    pile: Line = [("label", "  pile     ")]
    laid = table.pile(seat)
    for lay in laid[:-1]:
        pile += [("under", str(lay)), ("quiet", " | ")]
    pile.append(("card", str(laid[-1])) if laid else ("quiet", "none"))
    return [head, pile, _hand(table, seat)]


def _hand(table: BloccoPosition | BloccoView, seat: int) -> Line:
    """A hand that may be seen, or what is known of it."""
    if isinstance(table, BloccoPosition):
        return [("label", "  hand     "), ("hand", spaced(table.hand(seat)))]
    if seat == table.viewer:
        return [("label", "  hand     "), ("hand", spaced(table.hand))]
    known = table.known(seat)
    unknown = table.hand_sizes[seat] - len(known)
    line: Line = [("label", "  hand     ")]
    if known:
        line += [("under", spaced(known)), ("quiet", " and " if unknown else "")]
    if unknown:
        line.append(("quiet", f"{unknown} unknown"))
    doubtful = table.doubtful(seat)
    if doubtful:
        line.append(("quiet", f" (given away or not: {spaced(doubtful)})"))
    return line
