"""How long decisions took: few numbers for many times, which can be added up."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Self

STEPS = 40
"""Bins for each power of ten: a bin is 6 % wide."""


@dataclass
class Times:
    count: int = 0
    total: float = 0.0
    longest: float = 0.0
    bins: Counter[int] = field(default_factory=Counter)
    """How many times lie between 10 ** (n / STEPS) and 10 ** ((n + 1) / STEPS) seconds, by n."""

    def add(self, seconds: float) -> None:
        self.count += 1
        self.total += seconds
        self.longest = max(self.longest, seconds)
        self.bins[math.floor(STEPS * math.log10(max(seconds, 1e-9)))] += 1

    def merge(self, other: Times) -> None:
        self.count += other.count
        self.total += other.total
        self.longest = max(self.longest, other.longest)
        self.bins += other.bins

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0

    def quantile(self, part: float) -> float:
        """A time that this part of all times does not exceed, to the width of a bin."""
        wanted = math.ceil(part * self.count)
        seen = 0
        for number in sorted(self.bins):
            seen += self.bins[number]
            if seen >= wanted:
                return min(self.longest, 10 ** ((number + 1) / STEPS))
        return self.longest

    def as_dict(self) -> dict[str, Any]:
        bins = {str(number): count for number, count in sorted(self.bins.items())}
        return {"count": self.count, "total": self.total, "longest": self.longest, "bins": bins}

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Self:
        bins = Counter({int(number): count for number, count in found["bins"].items()})
        return cls(found["count"], found["total"], found["longest"], bins)
