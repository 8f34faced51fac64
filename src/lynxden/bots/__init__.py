"""Bots by name. A bot sees a view, never the full game, and gets its luck handed in."""

from lynxden.bots.core import NO_LIMIT, Bot, Candidate, Choice, Limit
from lynxden.bots.greedy import Greedy
from lynxden.bots.random import Random
from lynxden.bots.registry import BotKind, Parameter, check_bot, get_bot, kinds, levels, register
from lynxden.bots.spec import BotSpec

__all__ = [
    "NO_LIMIT",
    "Bot",
    "BotKind",
    "BotSpec",
    "Candidate",
    "Choice",
    "Greedy",
    "Limit",
    "Parameter",
    "Random",
    "check_bot",
    "get_bot",
    "kinds",
    "levels",
    "register",
]
