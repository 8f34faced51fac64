"""Many games at once, on the cores of this machine or on a CUDA device, through one interface."""

from lynxden.batch.batch import CAP, KERNEL_BOTS, MOST_DECISIONS, Batch, Played, Results, Turn
from lynxden.batch.challenge import Answer, Challenge, Look, Redeal

__all__ = [
    "CAP",
    "KERNEL_BOTS",
    "MOST_DECISIONS",
    "Answer",
    "Batch",
    "Challenge",
    "Look",
    "Played",
    "Redeal",
    "Results",
    "Turn",
]
