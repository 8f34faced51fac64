"""The editions of Tiny."""

from dataclasses import dataclass

from tests.tiny import rules


@dataclass(frozen=True)
class TinyOptions:
    """What differs between the editions of Tiny."""

    sour: bool = False
    """4s count four points off."""

    @property
    def player_counts(self) -> range:
        return range(2, rules.SEATS + 1)

    @property
    def flags(self) -> int:
        return self.sour * rules.SOUR


def options_of(flags: int) -> TinyOptions:
    return TinyOptions(sour=bool(flags & rules.SOUR))


EDITIONS = {"sweet": TinyOptions(), "sour": TinyOptions(sour=True)}

EARLIER: dict[int, dict[str, TinyOptions]] = {}
"""There are no earlier versions of the rules."""
