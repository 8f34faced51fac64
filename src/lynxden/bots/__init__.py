"""Bots by name. A bot sees a view, never the full game, and gets its luck handed in."""

from lynxden.bots.beginner import Beginner
from lynxden.bots.core import NO_LIMIT, Bot, Candidate, Choice, Limit
from lynxden.bots.deep import Deep
from lynxden.bots.greedy import Greedy
from lynxden.bots.levels import HUNTER, KITTEN, LYNX, SHADOW
from lynxden.bots.neural import Neural
from lynxden.bots.random import Random
from lynxden.bots.registry import BotKind, Parameter, check_bot, get_bot, kinds, levels, register
from lynxden.bots.search import Search
from lynxden.bots.spec import BotSpec

__all__ = [
    "HUNTER",
    "KITTEN",
    "LYNX",
    "NO_LIMIT",
    "SHADOW",
    "Beginner",
    "Bot",
    "BotKind",
    "BotSpec",
    "Candidate",
    "Choice",
    "Deep",
    "Greedy",
    "Limit",
    "Neural",
    "Parameter",
    "Random",
    "Search",
    "check_bot",
    "get_bot",
    "kinds",
    "levels",
    "register",
]
