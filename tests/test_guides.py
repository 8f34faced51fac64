"""The guided first games: the deals are whole, every wish is legal, and every idea comes up."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from lynxden.games.core import Game, Position
from lynxden.games.guide import LEARNER, Guide
from lynxden.games.registry import GAMES

GUIDED = [game for game in GAMES.values() if game.guide]


def start(game: Game) -> tuple[Guide, Position]:
    guide = game.guide
    assert guide is not None
    return guide, game.read_deal(game.choose_options(guide.edition), LEARNER, guide.deal)


def as_proposed(game: Game) -> tuple[list[str], list[Position]]:
    """What the learner does who does as proposed, and all positions."""
    guide, position = start(game)
    mine, found = [], [position]
    while not position.over and (wish := guide.wish(position.view(position.seat))):
        if position.seat == LEARNER:
            mine.append(wish)
        position = position.apply(wish, position.seat)
        found.append(position)
    return mine, found


@pytest.mark.parametrize("game", GUIDED, ids=lambda game: game.name)
def test_the_deal_is_whole(game: Game) -> None:
    guide, position = start(game)
    assert position.all_cards() == Counter(game.deck)
    assert (position.players, position.seat) == (guide.players, LEARNER)
    assert game.deal_of(position) == guide.deal | game.deal_of(position), "the deal is not what is recorded"


@pytest.mark.parametrize("game", GUIDED, ids=lambda game: game.name)
def test_cards_are_kept(game: Game) -> None:
    _, positions = as_proposed(game)
    for position in positions:
        assert position.all_cards() == Counter(game.deck)


def test_linko_draws_and_plays_in_the_order_of_the_hand() -> None:
    """The largest groups first, and of equal ones the lower: the same in every process."""
    game = GAMES["linko"]
    assert game.guide is not None
    view = game.new("basic", 3, seed=4).view(LEARNER)
    groups = sorted(set(view.hand), key=lambda card: (-view.hand.count(card), view.hand.index(card)))
    wishes = list(game.guide.wishes(view))
    assert wishes[wishes.index("draw X") + 1 :] == [
        *(f"draw {card}" for card in groups),
        "draw deck",
        *(f"play {' '.join([card] * view.hand.count(card))}" for card in groups),
    ]


def test_linko_shows_every_idea() -> None:
    mine, positions = as_proposed(GAMES["linko"])
    assert mine == [
        "play 6 6 6", "pass",
        "play 9 9", "take",
        "discard", "draw X", "draw 12",
        "play 12 12 12 X", "leave",
        "play 5 5 5 5 5", "pass",
        "play 4 4 4",
    ]  # fmt: skip
    outcome = positions[-1].outcome
    assert outcome is not None
    assert (outcome.reason, outcome.scores, outcome.winners) == ("hand-empty", (15, -5, 1), (LEARNER,))


def test_blocco_shows_every_idea() -> None:
    mine, positions = as_proposed(GAMES["blocco"])
    assert mine[:10] == [
        "take 3", "block 2a 1",
        "score", "take 6",
        "take 3", "block 1b 1",  # blue is blocked
        "give 4a", "give 1a",
        "score", "block 2b 1",  # blue is free again
    ]  # fmt: skip
    assert mine[-2:] == ["block 1a 2", "score"]  # the deck is used up
    assert len(mine) == 24, "a first game is short"
    outcome = positions[-1].outcome
    assert outcome is not None
    assert (outcome.reason, outcome.scores, outcome.winners) == ("rows-exhausted", (18, -10, 6), (LEARNER,))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("game", GUIDED, ids=lambda game: game.name)
def test_any_other_move_is_gone_on_from(game: Game, seed: int) -> None:
    """Whatever a learner does, there is advice for them, and it is legal."""
    rng = random.Random(seed)
    guide, position = start(game)
    advised = 0
    for _ in range(300):
        if position.over:
            break
        seat = position.seat
        wish = guide.wish(position.view(seat))
        legal = [str(action) for action in position.legal_actions]
        assert wish in legal or wish == ""
        if seat == LEARNER:
            advised += 1
            assert wish, f"no advice among {legal[:8]}"
        other = rng.random() < (0.7 if seat == LEARNER else 0.1)
        position = position.apply(rng.choice(legal) if other or not wish else wish, seat)
    assert advised > 5


@pytest.mark.parametrize("game", GUIDED, ids=lambda game: game.name)
def test_nothing_is_wished_out_of_turn(game: Game) -> None:
    guide, position = start(game)
    assert guide.wish(position.view(None)) == ""
    assert [bool(guide.wish(position.view(seat))) for seat in range(position.players)] == [
        seat == LEARNER for seat in range(position.players)
    ]
