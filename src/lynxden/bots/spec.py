"""Bots named by text: `greedy`, `search:ms=300`, `search:sims=2000,worlds=64`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from lynxden.games.errors import OptionsError

NAME = re.compile(r"[a-z][a-z0-9-]*")
PARAMETER = re.compile(r"([a-z][a-z0-9-]*)=([A-Za-z0-9_.+-]+)")
LONGEST = 200
"""Characters of a name with its parameters."""


@dataclass(frozen=True)
class BotSpec:
    """The name of a bot and its parameters, as written. Whether there is such a bot, the registry knows."""

    name: str
    parameters: tuple[tuple[str, str], ...] = ()
    """Keys and values, sorted by key, so that equal bots have equal texts."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `name` or `name:key=value,key=value`."""
        name, colon, rest = text.strip().partition(":")
        if len(text) > LONGEST or not NAME.fullmatch(name):
            raise OptionsError(
                f"'{text[:40]}' names no bot: write name or name:key=value, such as search:ms=300"
            )
        found: dict[str, str] = {}
        for part in rest.split(",") if colon else ():
            pair = PARAMETER.fullmatch(part.strip())
            if pair is None:
                raise OptionsError(
                    f"'{part}' in bot '{text}' is no parameter: write key=value, such as ms=300"
                )
            if pair[1] in found:
                raise OptionsError(f"bot '{text}' has the parameter {pair[1]} twice")
            found[pair[1]] = pair[2]
        return cls(name, tuple(sorted(found.items())))

    @classmethod
    def parse_list(cls, text: str) -> tuple[Self, ...]:
        """Bots separated by commas, such as `search:ms=100,greedy,random`.

        A part without a name of its own (`worlds=64`) is a parameter of the bot before it.
        """
        bots: list[str] = []
        for part in text.split(","):
            if bots and PARAMETER.fullmatch(part.strip()) and ":" in bots[-1]:
                bots[-1] += "," + part
            else:
                bots.append(part)
        return tuple(cls.parse(bot) for bot in bots)

    def __str__(self) -> str:
        if not self.parameters:
            return self.name
        return f"{self.name}:{','.join(f'{key}={value}' for key, value in self.parameters)}"
