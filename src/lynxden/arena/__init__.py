"""Games between bots, many of them, and what comes of them."""

from lynxden.arena.simulation import Simulation, Summary, run

__all__ = ["Simulation", "Summary", "run"]
