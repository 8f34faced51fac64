"""The editions of Blocco: there is one."""

from dataclasses import dataclass

from lynxden.games.blocco import rules


@dataclass(frozen=True)
class BloccoOptions:
    """What differs between the editions of Blocco: nothing, so far."""

    @property
    def player_counts(self) -> range:
        return range(3, rules.SEATS + 1)

    @property
    def flags(self) -> int:
        """The options as the number that the rules read."""
        return 0


def options_of(flags: int) -> BloccoOptions:  # noqa: ARG001
    """The reverse of `flags`."""
    return BloccoOptions()


EDITIONS = {"standard": BloccoOptions()}

EARLIER: dict[int, dict[str, BloccoOptions]] = {}
"""There are no earlier versions of the rules."""
