"""Games between bots, many of them, and what comes of them."""

from lynxden.arena.arena import Crew, compete
from lynxden.arena.contest import Contest
from lynxden.arena.simulation import Simulation, Summary, run
from lynxden.arena.statistics import Analysis, analyse

__all__ = ["Analysis", "Contest", "Crew", "Simulation", "Summary", "analyse", "compete", "run"]
