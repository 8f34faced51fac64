"""Views as plain data: they say what the view says, leak nothing, and can be sent."""

import random
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from typing import Any

import msgspec
import numpy as np
import pytest

from lynxden.games.blocco.actions import From
from lynxden.games.blocco.actions import Take as TakeRow
from lynxden.games.blocco.position import BloccoPosition
from lynxden.games.core import Game, Position
from lynxden.games.errors import OptionsError
from lynxden.games.linko.actions import LEAVE, RECLAIM, Play, Snatch
from lynxden.games.linko.position import LinkoPosition
from lynxden.games.registry import GAMES
from tests.kit import EVERY, VARIANTS, random_game
from tests.tiny import TINY

LINKO = [variant for variant in VARIANTS if variant.values[0] is GAMES["linko"]]
BLOCCO = [variant for variant in VARIANTS if variant.values[0] is GAMES["blocco"]]
POSITIONS = 60
"""So many of each game are looked at, spread over its whole length."""


def some_positions(
    game: Game, edition: str, players: int, seed: int, most: int = POSITIONS
) -> list[Position]:
    """Positions of a random game: some from its whole course, and one of each kind of decision."""
    found = list(random_game(game, edition, players, seed))
    kinds = {position.decision: position for position in found}
    return [*found[:: 1 + len(found) // most], *kinds.values()]


def dataclasses_of(module: Any) -> list[type]:
    kinds = [kind for kind in vars(module).values() if isinstance(kind, type) and is_dataclass(kind)]
    return [kind for kind in kinds if kind.__module__ == module.__name__]


# --- The same as the view -------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_public_agrees_with_the_position(game: Game, edition: str, players: int) -> None:
    positions = [at for seed in range(5) for at in some_positions(game, edition, players, seed, most=20)]
    for position in positions:
        table: Any = position
        view: Any = position.view(None)
        public = game.snapshot.public(view)
        for name in ("seat", "active", "decision", "over", "deck_size"):
            assert getattr(public, name) == getattr(table, name) == getattr(view, name), name
        assert tuple(player.hand_size for player in public.players) == table.hand_sizes
        assert tuple(player.score for player in public.players) == table.scores
        for seat, player in enumerate(public.players):
            assert player.known == table.known(seat) == view.known(seat)
        if game.name in CHECKS:
            CHECKS[game.name](position, public)
    if game.name != "linko" or edition == "duel":  # the other editions of Linko lack some decisions
        assert {position.decision for position in positions} == set(game.phases)


def check_linko(position: Position, public: Any) -> None:
    assert isinstance(position, LinkoPosition)
    for name in ("display", "discards", "row", "victim", "owed"):
        assert getattr(public, name) == getattr(position, name), name
    for seat, player in enumerate(public.players):
        assert player.layers == tuple(layer.cards for layer in position.layers(seat))
    if position.decision in ("take or leave", "reclaim or discard"):
        assert position.victim is not None
        assert public.snatched == position.layers(position.victim)[-1].cards
    else:
        assert public.snatched == ()
    beaten = [action.value for action in position.legal_actions if isinstance(action, Snatch)]
    assert public.beaten == tuple(beaten)


def check_blocco(position: Position, public: Any) -> None:
    assert isinstance(position, BloccoPosition)
    for name in ("rows", "actions_left", "owed"):
        assert getattr(public, name) == getattr(position, name), name
    view = position.view(None)
    for seat, player in enumerate(public.players):
        laid = position.pile(seat)
        assert [(lay.colour, lay.groups, lay.cards) for lay in player.pile] == [
            (lay.colour, lay.groups, lay.cards) for lay in laid
        ]
        assert player.top == position.top(seat) == (laid[-1].colour if laid else None)
        assert player.score_size == position.score_sizes[seat]
        assert player.doubtful == view.doubtful(seat)
    if position.decision == "choose a giver":
        assert public.givers == tuple(a.seat for a in position.legal_actions if isinstance(a, From))
        assert len(public.givers) > 1
    else:
        assert public.givers == ((position.seat,) if position.decision == "give" else ())
    assert public.receiver == (position.active if public.owed else None)


CHECKS: dict[str, Callable[[Position, Any], None]] = {"linko": check_linko, "blocco": check_blocco}


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_private_agrees_with_the_view(game: Game, edition: str, players: int) -> None:
    for position in some_positions(game, edition, players, seed=2):
        for seat in range(players):
            view: Any = position.view(seat)
            private = game.snapshot.private(view)
            assert private.seat == seat
            assert private.hand == view.hand
            assert private.legal == tuple(str(action) for action in view.legal_actions)
            assert bool(private.legal) == (seat == position.seat)
            if game.name == "blocco":
                assert private.given == view.given


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_revealed_agrees_with_the_position(game: Game, edition: str, players: int) -> None:
    for position in some_positions(game, edition, players, seed=2, most=10):
        table: Any = position
        revealed = game.snapshot.revealed(position)
        assert revealed.hands == tuple(table.hand(seat) for seat in range(players))
        assert revealed.deck == table.deck
        if game.name == "blocco":
            assert revealed.given == tuple(table.given(seat) for seat in range(players))


@pytest.mark.parametrize("game", EVERY.values(), ids=EVERY)
def test_a_spectator_has_nothing_private(game: Game) -> None:
    with pytest.raises(OptionsError, match="spectator"):
        game.snapshot.private(game.new(seed=1).view(None))


# --- Nothing leaks --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_hidden_cards_make_no_difference(game: Game, edition: str, players: int) -> None:
    encode, snapshot = msgspec.json.encode, game.snapshot
    rng = np.random.default_rng(5)
    different = 0
    for position in some_positions(game, edition, players, seed=3):
        public = encode(snapshot.public(position.view(None)))
        sampled = position.view(None).sample(rng)
        assert encode(snapshot.public(sampled.view(None))) == public
        for seat in range(players):
            view = position.view(seat)
            assert encode(snapshot.public(view)) == public
            sampled = view.sample(rng)
            different += sampled != position
            assert encode(snapshot.public(sampled.view(None))) == public
            assert encode(snapshot.private(sampled.view(seat))) == encode(snapshot.private(view))
    assert different > 10


# --- What a play would snatch ---------------------------------------------------------------------------


def settle(position: Position, rng: random.Random | None) -> Iterator[Position]:
    """Every position up to the end of a turn; without chance, all layers are left and reclaimed."""
    while position.decision in ("snatch", "take or leave", "reclaim or discard", "draw"):
        yield position
        quiet = next((action for action in position.legal_actions if action in (LEAVE, RECLAIM)), None)
        chosen = quiet or position.legal_actions[0] if rng is None else rng.choice(position.legal_actions)
        position = position.apply(chosen)
    yield position


def victims(turn: list[Position]) -> list[int | None]:
    """Who was snatched from, one after the other."""
    return [event.other for position in turn for event in position.events() if event.kind == "snatches"]


@pytest.mark.parametrize(("game", "edition", "players"), LINKO)
def test_snatches_are_what_happens(game: Game, edition: str, players: int) -> None:
    rng = random.Random(7)
    seen = 0
    for seed in range(2):
        for position in some_positions(game, edition, players, seed, most=20):
            if position.seat is None:
                continue
            private = game.snapshot.private(position.view(position.seat))
            foretold = {snatches.action: snatches for snatches in private.snatches}
            assert len(foretold) == len(private.snatches)
            assert list(foretold) == [text for text in private.legal if text in foretold]
            if position.decision != "play":
                assert not foretold
                continue
            for action in position.legal_actions:
                assert isinstance(action, Play)
                found = foretold.get(str(action))
                seats = list(found.seats) if found else []
                values = list(found.values) if found else []
                assert found is None or seats or values
                after = position.apply(action)
                row = [choice.value for choice in after.legal_actions if isinstance(choice, Snatch)]
                assert values == row
                assert victims(list(settle(after, None))) == seats
                # However the snatches are settled, the same follow, unless the cards run out.
                turn = list(settle(after, rng))
                happened = victims(turn)
                exhausted = turn[-1].outcome is not None and turn[-1].outcome.reason == "cards-exhausted"
                assert happened == (seats[: len(happened)] if exhausted else seats)
                seen += bool(found)
    assert seen > 10


# --- The last action of Blocco --------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "edition", "players"), BLOCCO)
def test_the_last_action_is_announced(game: Game, edition: str, players: int) -> None:
    announced = 0
    for seed in range(12):
        for position in list(random_game(game, edition, players, seed))[-6:]:
            last = game.snapshot.public(position.view(None)).last_action
            announced += last
            assert not (last and position.over)
            for action in position.legal_actions:
                after = position.apply(action)
                while after.decision in ("choose a giver", "give"):
                    after = after.apply(after.legal_actions[0])
                # Otherwise the game ends only by taking the fifth row with the second action.
                assert after.over if last else isinstance(action, TakeRow) or not after.over
    assert announced


# --- The score ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_the_parts_of_a_score_add_up(game: Game, edition: str, players: int) -> None:
    for position in some_positions(game, edition, players, seed=4):
        parts = game.snapshot.breakdown(position)
        assert tuple(sum(part.points for part in mine) for mine in parts) == position.scores
        if position.outcome is not None:
            assert position.outcome.scores == position.scores
        for mine in parts:
            assert len({part.name for part in mine}) == len(mine)
            if game is not TINY:  # there, a card counts what it shows
                assert all(abs(part.points) in (0, part.cards) for part in mine)


# --- Sending --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", EVERY.values(), ids=EVERY)
def test_every_value_has_a_schema(game: Game) -> None:
    kinds = dataclasses_of(game.snapshot)
    assert {"Public", "Private", "Revealed", "Part"} <= {kind.__name__ for kind in kinds}
    for kind in kinds:
        properties = msgspec.json.schema(kind)["$defs"][kind.__name__]["properties"]
        assert list(properties) == list(kind.__annotations__)


@pytest.mark.parametrize(("game", "edition", "players"), VARIANTS)
def test_values_come_back_from_json(game: Game, edition: str, players: int) -> None:
    snapshot = game.snapshot
    for position in some_positions(game, edition, players, seed=6, most=20):
        values = [snapshot.public(position.view(None)), snapshot.revealed(position)]
        values += [snapshot.private(position.view(seat)) for seat in range(players)]
        values += [part for mine in snapshot.breakdown(position) for part in mine]
        for value in values:
            assert msgspec.json.decode(msgspec.json.encode(value), type=type(value)) == value
