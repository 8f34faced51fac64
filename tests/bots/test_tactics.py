"""What any expert would do in positions set up by hand, the search does too."""

import numpy as np
import pytest

from lynxden.bots import NO_LIMIT, get_bot
from tests.bots.tactics import BLOCCO, LINKO, Puzzle


@pytest.mark.parametrize("puzzle", LINKO, ids=lambda puzzle: puzzle.name)
def test_tactics_of_linko(puzzle: Puzzle) -> None:
    solve(puzzle)


@pytest.mark.parametrize("puzzle", BLOCCO, ids=lambda puzzle: puzzle.name)
def test_tactics_of_blocco(puzzle: Puzzle) -> None:
    solve(puzzle)


def solve(puzzle: Puzzle) -> None:
    position = puzzle.reached()
    assert position.seat is not None
    view = position.view(position.seat)
    assert puzzle.solutions < {str(action) for action in view.legal_actions}, (
        "there is something to get wrong"
    )
    for luck in range(2):
        choice = get_bot("search:sims=1000").choose(view, NO_LIMIT, np.random.default_rng(luck))
        found = [f"{one.action}: {one.value:.3f} ± {one.error:.3f}" for one in choice.candidates]
        assert str(choice.action) in puzzle.solutions, "\n".join(found)


def test_there_are_many() -> None:
    assert min(len(LINKO), len(BLOCCO)) >= 20
