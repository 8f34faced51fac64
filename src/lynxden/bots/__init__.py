"""Bots by name. A bot sees a view, never the full game, and gets its luck handed in."""

from lynxden.bots.core import BOTS, Bot, get_bot
from lynxden.bots.greedy import Greedy
from lynxden.bots.random import Random

BOTS["random"] = Random
BOTS["greedy"] = Greedy

__all__ = ["BOTS", "Bot", "Greedy", "Random", "get_bot"]
