"""The table of Linko as text, for a terminal or a log."""

from collections.abc import Sequence

from lynxden.games.core import Line, spaced
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
        ("title", f"Linko, {table.edition or 'house rules'}"),
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
    mark = "▶" if seat == table.seat else "•" if seat == table.active and not table.over else " "
    size = table.hand_sizes[seat]
    head: Line = [
        ("mark", f"{mark} "),
        ("name", name),
        (
            "quiet",
            f"  {size} card{'' if size == 1 else 's'} in hand, score {table.scores[seat]:+d}",
        ),
    ]
    layers: Line = [("label", "  table    ")]
    stack = table.layers(seat)
    for layer in stack[:-1]:
        layers += [("under", str(layer)), ("quiet", " | ")]
    layers.append(("card", str(stack[-1])) if stack else ("quiet", "nothing yet"))
    return [head, layers, _hand(table, seat)]


def _hand(table: LinkoPosition | LinkoView, seat: int) -> Line:
    """A hand that may be seen, or what is known of it."""
    if isinstance(table, LinkoPosition):
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
    return line
