"""What somebody's games say about them: honest ratings, share of wins, ratings over time, best moments."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lynxden.games.core import Event
from lynxden.games.moments import Measure, Moment, moments
from lynxden.games.registry import GAMES
from lynxden.server.store import games
from lynxden.server.store.core import Store
from lynxden.server.table import entries
from lynxden.server.table.plans import Plan, SeatPlan
from lynxden.server.table.projections import Player, finished, just_ended
from lynxden.server.table.state import TableState, first_state
from tests.server.kit import free_data, run, serving
from tests.server.test_store import ANN, BEA, CYD, GAME
from tests.server.test_store import run as on
from tests.server.test_tables import finish, leave_all, seated

# --- Whose game it is -----------------------------------------------------------------------------------


def played(bots: int, every: int, seat: int = 0) -> TableState:
    """A game of three people to its end; a bot makes `bots` of `every` decisions of one of them."""
    plan = Plan("linko", "classic", (SeatPlan("open"),) * 3, rounds=1)
    state = first_state("t", entries.Created(1, by="g0", plan=plan, invite="i", rules=2))
    for number in range(3):
        state = state.after(entries.Sat(2, number, f"g{number}", f"P{number}"))
    start = state.playable.deal(seed=5)
    state = state.after(entries.Dealt(3, start.active, state.game.deal_of(start)))
    rng, count = random.Random(1), 0
    while not just_ended(state) or not state.ended:
        assert state.position is not None
        deciding = state.deciding
        assert deciding is not None
        by: Any = "player"
        if deciding == seat:
            by = "stand-in" if count % every < bots else "player"
            count += 1
        action = rng.choice([str(action) for action in state.position.legal_actions])
        state = state.after(entries.Acted(4, deciding, action, by))
    return state


@pytest.mark.parametrize(("bots", "every", "own"), [(0, 5, True), (1, 7, True), (1, 4, False), (1, 1, False)])
def test_a_game_is_yours_if_a_bot_made_less_than_a_fifth_of_your_decisions(
    bots: int, every: int, own: bool
) -> None:
    state = played(bots, every)
    assert state.own_decisions[0] + state.bot_decisions[0] >= 15
    assert [player.own for player in finished(state).players] == [own, True, True]
    assert finished(state).rated, "the others played all the same"


def test_counts_begin_anew_with_every_deal() -> None:
    state = played(1, 1)
    start = state.playable.deal(seed=6)
    again = state.after(entries.Dealt(9, start.active, state.game.deal_of(start)))
    assert again.own_decisions == again.bot_decisions == (0, 0, 0)
    assert state.bot_decisions[0] > 0


def test_only_those_who_played_are_rated_and_as_if_among_themselves(database_url: str) -> None:
    async def test(store: Store) -> None:
        three = (
            Player(0, "ann", "Ann", 7, True, own=False),
            Player(1, "bea", "Bea", 3, False),
            Player(2, "cyd", "Cyd", 1, False),
        )
        changes = await store.write(games.finish, replace(GAME, players=three))
        assert [change.guest for change in changes] == ["bea", "cyd"]
        assert changes[0].after.mu > 25 > changes[1].after.mu, "Bea beat Cyd, and lost to nobody"
        assert await store.read(games.ratings_of, "ann") == {}
        alone = tuple(replace(player, own=player.seat == 1) for player in three)
        assert await store.write(games.finish, replace(GAME, id="h", round=2, players=alone)) == []
        found = await store.read(games.get, "h")
        assert found is not None
        assert [player.own for player in found.players] == [False, True, False]

    on(database_url, test, ANN, BEA, CYD)


# --- Careers --------------------------------------------------------------------------------------------


def test_somebodys_games_by_game_edition_result_and_opponent(database_url: str) -> None:
    async def test(store: Store) -> None:
        ann, bea, cyd = (
            Player(0, "ann", "Ann", 7, True),
            Player(1, "bea", "Bea", 3, False),
            Player(2, "cyd", "Cyd", 1, False),
        )
        lost = (replace(ann, won=False), replace(bea, won=True))
        for number, (game, edition, players) in enumerate(
            [
                ("linko", "classic", (ann, bea)),
                ("linko", "duel", lost),
                ("blocco", "standard", (ann, bea, cyd)),
            ],
            1,
        ):
            ended = replace(GAME, id=f"g{number}", round=number, game=game, edition=edition, players=players)
            await store.write(games.finish, replace(ended, finished_at=number))
        hidden = replace(GAME, id="p", round=9, players=(ann, bea), private=True, finished_at=9)
        await store.write(games.finish, hidden)

        async def ids(viewer: str | None = None, **wanted: str) -> list[str]:
            found = await store.read(games.of_guest, "ann", viewer, 9, None, games.Wanted(**wanted))
            return [result.id for result in found]

        assert await ids() == ["g3", "g2", "g1"]
        assert await ids("bea") == ["p", "g3", "g2", "g1"]
        assert await ids(game="linko") == ["g2", "g1"]
        assert await ids(game="linko", edition="duel") == ["g2"]
        assert await ids(result="won") == ["g3", "g1"]
        assert await ids(result="lost") == ["g2"]
        assert await ids(opponent="cyd") == ["g3"]
        assert await ids(opponent="nobody") == []

        found = await store.read(games.career, "ann", None, 10, 10)
        assert [(s.game, s.edition, s.players, s.games, s.won) for s in found.shares] == [
            ("blocco", "standard", 3, 1, 1),
            ("linko", "classic", 2, 1, 1),
            ("linko", "duel", 2, 1, 0),
        ]
        assert [(point.game, point.at) for point in found.history] == [
            ("linko", 1),
            ("linko", 2),
            ("blocco", 3),
        ]
        assert all(point.before == 1000 for point in found.history), "each edition has a rating of its own"
        assert found.history[0].rating > 1000
        assert [(each.guest, each.name, each.games) for each in found.opponents] == [
            ("bea", "Bea", 3),
            ("cyd", "Cyd", 1),
        ]
        mine = await store.read(games.career, "ann", "ann", 1, 1)
        assert sum(share.games for share in mine.shares) == 4, "private games are one's own"
        assert [point.at for point in mine.history] == [9], "the newest"
        assert len(mine.opponents) == 1

    on(database_url, test, ANN, BEA, CYD)


def test_a_player_over_http(tmp_path: Path) -> None:
    async def story() -> None:
        async with serving(free_data(tmp_path)) as server:
            people, table = await seated(server, "Ann", "Ben", edition="classic")
            await finish(people, table)
            ann, ben = people
            (game,) = await ann.get(
                f"/api/players/{ben.id}/games?opponent={ann.id}&game=linko&edition=classic"
            )
            both = {player["guest"]: player for player in game["players"]}
            assert both[ann.id]["rating_before"] == both[ben.id]["rating_before"] == 1000
            assert both[ann.id]["own"]
            assert await ann.get(f"/api/players/{ben.id}/games?opponent={'x' * 12}") == []
            career = await ann.get(f"/api/players/{ben.id}/statistics")
            assert career["shares"][0]["players"] == 2
            assert career["history"][0]["rating"] == both[ben.id]["rating"]
            assert career["opponents"] == [{"id": ann.id, "name": "Ann", "games": 1}]
            assert (await ann.ask("GET", "/api/players/nobody/statistics")).status_code == 404
            assert (await ann.ask("GET", f"/api/players/{ben.id}/games?result=drawn")).status_code == 400
            best = await ann.get(f"/api/records/{game['id']}/moments")
            kinds = list(GAMES["linko"].moments)
            assert best
            assert [moment["kind"] for moment in best] == sorted(
                (moment["kind"] for moment in best), key=kinds.index
            )
            replay = await ann.get(f"/api/records/{game['id']}/replay")
            for moment in best:
                assert 0 < moment["step"] < len(replay["steps"])
                seats = [event["seat"] for event in replay["steps"][moment["step"]]["events"]]
                assert moment["seat"] in seats
            await leave_all(people)

    run(story())


# --- Best moments ---------------------------------------------------------------------------------------


def test_moments_by_hand() -> None:
    measures = {
        "end": Measure(("plays",), by="end", least=1),
        "one": Measure(("plays",), least=2),
        "turn": Measure(("snatches",), by="turn", least=3),
        "times": Measure(("snatches",), by="times"),
    }
    steps = [
        [Event("plays", 0, cards=("7", "7")), Event("snatches", 0, 1, ("5", "5"))],
        [Event("snatches", 0, 2, ("6", "6"))],
        [Event("turn", 1)],
        [Event("plays", 1, cards=("8", "8")), Event("snatches", 1, 0, ("7",)), Event("turn", 2)],
        [Event("plays", 2, cards=("9",)), Event("hand-empty", 2)],
    ]
    assert moments(measures, steps) == [
        Moment("end", 2, 5, 1, ("9",)),
        Moment("one", 0, 1, 2, ("7", "7")),
        Moment("turn", 0, 2, 4, ("5", "5", "6", "6")),
        Moment("times", 0, 2, 2, ("5", "5", "6", "6")),
    ]
    assert moments(measures, steps[:3]) == [
        Moment("one", 0, 1, 2, ("7", "7")),
        Moment("turn", 0, 2, 4, ("5", "5", "6", "6")),
        Moment("times", 0, 2, 2, ("5", "5", "6", "6")),
    ]
    assert moments(measures, []) == []


@pytest.mark.parametrize("game", GAMES)
def test_moments_name_events_of_the_game(game: str) -> None:
    found = GAMES[game]
    assert found.moments
    for measure in found.moments.values():
        assert set(measure.events) <= set(found.phrases)
