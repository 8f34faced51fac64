"""Text pictures: what the pictures of all games share."""

from collections.abc import Sequence
from typing import Any

Line = list[tuple[str, str]]
"""A line of a text picture: pieces of text, each with the name of a style."""


def spaced(cards: Sequence[str]) -> str:
    """Sorted cards with a wider gap between different ones: "3 3  7  X"."""
    text = ""
    for place, card in enumerate(cards):
        if place:
            text += " " if card == cards[place - 1] else "  "
        text += card
    return text


def plain(lines: Sequence[Line]) -> str:
    """A text picture without its styles."""
    return "\n".join("".join(text for _, text in line).rstrip() for line in lines)


def seat_names(count: int) -> list[str]:
    """Names for seats that nobody named."""
    return [f"Player {seat + 1}" for seat in range(count)]


def player_line(table: Any, seat: int, name: str, more: str = "") -> Line:
    """A player's name and numbers, marked if they decide (▶) or if it is their turn (•)."""
    mark = "▶" if seat == table.seat else "•" if seat == table.active and not table.over else " "
    size = table.hand_sizes[seat]
    numbers = f"{size} card{'' if size == 1 else 's'} in hand,{more} score {table.scores[seat]:+d}"
    return [("mark", f"{mark} "), ("name", name), ("quiet", f"  {numbers}")]


def stack_line(label: str, stack: Sequence[Any], nothing: str) -> Line:
    """Sets that lie on each other, the last one on top."""
    line: Line = [("label", f"  {label:<9}")]
    for covered in stack[:-1]:
        line += [("under", str(covered)), ("quiet", " | ")]
    line.append(("card", str(stack[-1])) if stack else ("quiet", nothing))
    return line


def hand_line(hand: Sequence[str] | None, known: Sequence[str], size: int) -> Line:
    """A hand that may be seen; else (None) what is known of it."""
    line: Line = [("label", "  hand     ")]
    if hand is not None:
        return [*line, ("hand", spaced(hand))]
    unknown = size - len(known)
    if known:
        line += [("under", spaced(known)), ("quiet", " and " if unknown else "")]
    if unknown:
        line.append(("quiet", f"{unknown} unknown"))
    return line


def visible_hand(table: Any, seat: int) -> Sequence[str] | None:
    """The hand of a seat, if this position or view shows it."""
    if not hasattr(table, "viewer"):
        return table.hand(seat)  # type: ignore[no-any-return]
    return table.hand if seat == table.viewer else None
