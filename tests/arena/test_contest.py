"""What an arena plays: the same cards for everybody, every seat, and luck that belongs to the game alone."""

import json
import pickle
import re
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lynxden
from lynxden.arena.arena import ContestError, Crew, compete
from lynxden.arena.contest import Bout, Contest
from lynxden.arena.playing import BotError, play
from lynxden.arena.results import Results
from lynxden.arena.simulation import Simulation, run
from lynxden.arena.work import Failure, Part, luck_of, play_chunk
from lynxden.batch import Batch
from lynxden.bots import BotKind, Choice, Limit, registry
from lynxden.games.core import View
from lynxden.games.errors import OptionsError
from lynxden.records import read_record, verify


def parts(contest: Contest) -> list[Part]:
    found = [play_chunk(contest, chunk) for chunk in contest.chunks()]
    assert all(isinstance(part, Part) for part in found)
    return [part for part in found if isinstance(part, Part)]


@pytest.mark.parametrize(
    ("game", "edition", "players"),
    [("linko", "classic", 4), ("linko", "duel", 2), ("blocco", "standard", 3)],
)
@pytest.mark.usefixtures("known")
def test_every_seat_has_the_same_cards(game: str, edition: str, players: int) -> None:
    contest = Contest(game, edition, players, ("greedy", "random", "mixed"), 3, seed=5, records=True)
    records = [record for part in parts(contest) for record in part.records]
    assert len(records) == contest.games
    assert len({record["id"] for record in records}) == contest.games
    cards: dict[int, set[str]] = defaultdict(set)
    seats: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for record in records:
        verify(read_record(json.dumps(record)))
        deal = record["deal_number"]
        cards[deal].add(json.dumps([record["deal"], record["starter"]]))
        bots = record["bots"]
        alone = bots[record["rotation"]]
        (many,) = set(bots) - {alone}
        assert bots.count(many) == players - 1
        seats[alone, many].append((deal, bots.index(alone) if players > 2 else record["rotation"]))
    assert [len(cards[deal]) for deal in range(3)] == [1, 1, 1], "a deal is not the same for all"
    assert len(set().union(*cards.values())) == 3, "deals are the same"
    every_seat = sorted((deal, seat) for deal in range(3) for seat in range(players))
    pairs = 3 if players == 2 else 6
    assert len(seats) == pairs
    assert all(sorted(found) == every_seat for found in seats.values())


def test_deals_are_those_of_a_simulation() -> None:
    contest = Contest("linko", "basic", 3, ("greedy", "random"), 4, seed=9, records=True)
    arena = {r["deal_number"]: r["deal"] for part in parts(contest) for r in part.records}
    lines: list[str] = []
    run(Simulation("linko", "basic", 3, 4, 9, ("greedy", "random", "random")), write=lines.append)
    assert [json.loads(line)["deal"] for line in lines] == [arena[deal] for deal in range(4)]


def test_two_players_are_one_match_both_ways() -> None:
    two = Contest("linko", "duel", 2, ("greedy", "random"), 1)
    assert [bout.bots(2, seat) for bout in two.bouts for seat in (0, 1)] == [
        ("greedy", "random"),
        ("random", "greedy"),
    ]
    three = Contest("linko", "basic", 3, ("greedy", "random"), 1)
    assert three.bouts == (Bout("greedy", "random"), Bout("random", "greedy"))


@pytest.mark.usefixtures("known")
def test_one_way_round_has_the_games_of_both() -> None:
    both = Contest("linko", "classic", 3, ("greedy", "mixed"), 2, seed=3, records=True)
    one = replace(both, alone="mixed")
    assert one.bouts == (Bout("mixed", "greedy"),)
    games = [
        [
            record["actions"]
            for part in parts(contest)
            if contest.bouts[part.chunk.bout].alone == "mixed"
            for record in part.records
        ]
        for contest in (both, one)
    ]
    assert games[0] == games[1]
    assert len(games[1]) == 6


def test_chunks_are_all_games_once() -> None:
    contest = Contest("linko", "classic", 4, ("greedy", "random"), 120)
    games = [
        (chunk.bout, game)
        for chunk in contest.chunks()
        for game in range(chunk.first, chunk.first + chunk.games)
    ]
    assert sorted(games) == [(bout, game) for bout in (0, 1) for game in range(480)]


@pytest.mark.usefixtures("known")
def test_other_bots_change_nothing() -> None:
    """The games of a pair are the same whoever else takes part."""
    few = Contest("linko", "classic", 3, ("random", "mixed"), 2, seed=3)
    more = Contest("linko", "classic", 3, ("greedy", "random", "mixed"), 2, seed=3)
    found = []
    for contest in (few, more):
        results = Results(contest)
        for part in parts(contest):
            results.add(part)
        found.append(results.scores[contest.bouts.index(Bout("random", "mixed"))])
    assert np.array_equal(*found)


def test_luck_belongs_to_seed_deal_rotation_seat_and_decision() -> None:
    def drawn(seed: int, number: int, seat: int, decision: int) -> int:
        contest = Contest("linko", "classic", 4, ("greedy", "random"), 9, seed=seed)
        return int(luck_of(contest, number, seat, decision).integers(2**62))

    base = drawn(1, 5, 2, 7)
    assert base == drawn(1, 5, 2, 7)
    others = [drawn(2, 5, 2, 7), drawn(1, 4, 2, 7), drawn(1, 9, 2, 7), drawn(1, 5, 1, 7), drawn(1, 5, 2, 8)]
    assert len({base, *others}) == 6


def test_luck_of_compiled_bots_differs_between_rotations() -> None:
    games = []
    for luck in (0, 1, 2, 1):
        batch = Batch("linko", 3, players=3, seed=4)
        start = batch.position(2)
        games.append((start, batch.play(["random"] * 3, luck=luck).actions[2].tolist()))
    assert len({start for start, _ in games}) == 1
    assert games[1] == games[3]
    assert len({tuple(actions) for _, actions in games}) == 3


def test_compiled_games_are_those_of_batches() -> None:
    contest = Contest("linko", "basic", 3, ("greedy", "random"), 5, seed=6)
    results = Results(contest)
    for part in parts(contest):
        results.add(part)
    for number, bout in enumerate(contest.bouts):
        for rotation in range(3):
            starters = [deal % 3 for deal in range(5)]
            batch = Batch("linko", 5, edition="basic", players=3, seed=6, starters=starters)
            batch.play(
                [bout.alone if seat == rotation else bout.many for seat in range(3)], luck=rotation + 1
            )
            found = batch.results()
            assert np.array_equal(results.scores[number, rotation::3], found.scores)
            assert np.array_equal(results.won[number, rotation::3], found.winners)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"bots": ("greedy",)}, "at least two bots"),
        ({"bots": ("greedy", "random", "greedy")}, "'greedy' is there twice"),
        ({"bots": ("greedy", "stockfish")}, "no bot 'stockfish'"),
        ({"deals": 0}, "at least one deal"),
        ({"players": 9}, "2 to 5 players, not 9"),
        ({"alone": "hunter"}, "--alone hunter is none of the bots: greedy, random"),
        ({"limit": 0.0}, "seconds above 0"),
        ({"limit": float("nan")}, "seconds above 0"),
    ],
)
def test_impossible_set_ups_are_refused(change: dict[str, object], complaint: str) -> None:
    base = {"game": "linko", "edition": "classic", "players": 4, "bots": ("greedy", "random"), "deals": 3}
    with pytest.raises(OptionsError, match=complaint):
        Contest(**{**base, **change})  # type: ignore[arg-type]


def test_no_workers_are_refused() -> None:
    with pytest.raises(OptionsError, match="at least one worker"):
        Crew(0)


@pytest.mark.parametrize(
    ("bot", "limit", "fault"),
    [
        ("raises", None, r"raised ZeroDivisionError: nothing to divide by"),
        ("cheats", None, r"chose what it may not: 'play 13 13 13 13 13 13 13' is not legal"),
        ("sleeps", 0.5, r"was stopped: it thought for longer than 0.5 seconds"),
        ("slow:ms=1000", 0.5, r"was stopped: it thought for longer than 0.5 seconds"),
    ],
)
@pytest.mark.usefixtures("known")
def test_a_bot_that_fails_is_named_with_its_game(
    bot: str, limit: float | None, fault: str, tmp_path: Path
) -> None:
    contest = Contest("linko", "classic", 4, ("random", bot), 3, limit=limit)
    where = rf"'{bot}' {fault}.*linko classic, random alone against {bot}, deal 0, seat \d, decision \d+\)"
    with pytest.raises(ContestError, match=where) as caught:
        compete(contest, out=tmp_path)
    assert str(caught.value.record) in str(caught.value)
    record = read_record(caught.value.record.read_text(encoding="utf-8"))
    verify(record)  # what was played up to there is legal
    assert record.result is None
    assert bot in record.extra["bots"]


def test_a_fault_travels_between_processes() -> None:
    error = BotError("greedy", 2, 7, "raised something", "{}")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), vars(copy)) == (str(error), vars(error))


def test_a_bot_that_keeps_to_what_it_is_told_is_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    class Obeys:
        def choose(self, view: View, limit: Limit, rng: np.random.Generator) -> Choice:
            assert limit.seconds is not None
            time.sleep(limit.seconds)
            return Choice(view.legal_actions[0])

    monkeypatch.setitem(registry._kinds, "obeys", BotKind("obeys", "Obeys", "For tests.", Obeys))
    start = lynxden.new("linko", players=2, seed=1)
    assert start.view(0).legal_actions, "compiled before the clock runs"
    took: list[float] = []
    play(
        start,
        ["obeys", "obeys"],
        1,
        lambda *_: np.random.default_rng(1),
        Limit(3.0),
        lambda _, seconds: took.append(seconds),
    )
    assert len(took) == 1
    assert 2.6 < took[0] <= 3.0


@pytest.mark.usefixtures("known")
def test_compiled_code_cannot_be_stopped_but_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the alarm does not ring, who took too long is found out afterwards."""
    monkeypatch.setattr("lynxden.arena.playing.signal.setitimer", lambda *_: None)
    contest = Contest("linko", "classic", 4, ("random", "slow:ms=1000"), 1, limit=0.5)
    failure = next(
        found
        for found in (play_chunk(contest, chunk) for chunk in contest.chunks())
        if isinstance(found, Failure)
    )
    assert re.search(r"'slow:ms=1000' thought for \d+(\.\d+)? seconds, longer than 0.5", failure.message)


@pytest.mark.usefixtures("known")
def test_the_cap_scores_a_game_as_it_stands() -> None:
    for bots in (("greedy", "random"), ("mixed", "random")):
        contest = Contest("linko", "classic", 4, bots, 1, cap=9)
        for part in parts(contest):
            for ending in part.endings:
                assert (ending.reason, ending.decisions) == ("truncated", 9)
                best = max(ending.scores)
                assert ending.winners == [seat for seat in range(4) if ending.scores[seat] == best]
