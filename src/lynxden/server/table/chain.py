"""A list that never changes: adding to it makes a new one at once, and the old one stays as it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Chain(Generic[T]):
    """Successive states of a table share all but the last link, so a long log is read in linear time."""

    __slots__ = ("_before", "_item", "_size")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._before: Chain[T] | None = None
        self._item: T | None = None
        self._size = 0
        for item in items:
            rest = Chain[T]()
            rest._before, rest._item, rest._size = self._before, self._item, self._size
            self._before, self._item, self._size = rest, item, self._size + 1

    def add(self, item: T) -> Chain[T]:
        """The list with one more."""
        new: Chain[T] = Chain()
        new._before, new._item, new._size = self, item, self._size + 1
        return new

    def __len__(self) -> int:
        return self._size

    def __reversed__(self) -> Iterator[T]:
        link: Chain[T] = self
        while link._before is not None:
            yield link._item  # type: ignore[misc]
            link = link._before

    def __iter__(self) -> Iterator[T]:
        return reversed(list(reversed(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Chain) and len(self) == len(other) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[type[Chain[T]], tuple[list[T]]]:
        return Chain, (list(self),)

    def __repr__(self) -> str:
        return f"Chain({list(self)!r})"
