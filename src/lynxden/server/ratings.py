"""How strong somebody plays: OpenSkill's Plackett–Luce model, which rates games of any number of players."""

from collections.abc import Sequence
from dataclasses import dataclass

from openskill.models import PlackettLuce

MU = 25.0
SIGMA = 25.0 / 3.0
_MODEL = PlackettLuce(mu=MU, sigma=SIGMA)


@dataclass(frozen=True)
class Rating:
    """What is believed about a player's strength; the default is a newcomer's."""

    mu: float = MU
    """The strength itself."""
    sigma: float = SIGMA
    """How unsure that still is; falls with every game."""
    games: int = 0
    """How many games it rests on."""


def places(scores: Sequence[float], won: Sequence[bool]) -> list[int]:
    """Who came first, second, …, counted from 1; equal places are shared.

    More points are better. Of equal points those who won come first: the rules broke the tie.
    """
    results = list(zip(scores, won, strict=True))
    return [1 + sum(other > result for other in results) for result in results]


def rate(ratings: Sequence[Rating], scores: Sequence[float], won: Sequence[bool]) -> list[Rating]:
    """Everybody's rating after a game. A game of fewer than two changes nothing."""
    ranks = [float(place) for place in places(scores, won)]
    if len(ratings) != len(ranks):
        raise ValueError(f"{len(ratings)} ratings, but {len(ranks)} scores")
    if len(ratings) < 2:
        return list(ratings)
    teams = [[_MODEL.rating(rating.mu, rating.sigma)] for rating in ratings]
    return [
        Rating(player.mu, player.sigma, rating.games + 1)
        for rating, (player,) in zip(ratings, _MODEL.rate(teams, ranks=ranks), strict=True)
    ]


def shown(rating: Rating) -> int:
    """The rating as a number for people: a newcomer has 1000, and nobody less than 0.

    It is what a player is at least worth (mu - 3 sigma), so nobody leads a ladder by one lucky game.
    Average players rise to about 1700 as their games make it surer; 100 points more is 2.5 of mu.
    """
    return max(0, round(1000 + 40 * (rating.mu - 3 * rating.sigma)))
