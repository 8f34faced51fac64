"""Every game ends: a hundred turns in a row without progress are the last."""

import json
import random
from dataclasses import replace

import pytest

from lynxden.games.core import Options
from lynxden.games.errors import OptionsError, SetupError
from lynxden.games.linko import LINKO, LinkoOptions, LinkoPosition, setup
from lynxden.games.linko import snapshot as snapshots
from lynxden.records import Record, RecordError, read_record, verify
from tests.referee.linko import Referee

VARIANTS = [(edition, players) for edition, o in LINKO.editions.items() for players in o.player_counts]
EXPERT = LINKO.editions["expert"]


def circling(options: Options | str = "expert", quiet: int = 0) -> LinkoPosition:
    """Two players who can snatch each other for ever: a 1 beats a 13, a 13 beats a 1, and both reclaim."""
    return setup(
        ["1 2 2 3 3", "13 4 4 5 5"],
        ["", "13"],
        "6 6 7 7 8 8",
        discards="",
        edition=options,
        quiet=quiet,
    )


def prolonged(position: LinkoPosition) -> str:
    """Keep the game as it is: lay a lone 1 or 13, leave what is snatched, reclaim, draw nothing."""
    legal = [str(action) for action in position.legal_actions]
    for wanted in ("leave", "reclaim", "pass", "play 1", "play 13"):
        if wanted in legal:
            return wanted
    return legal[0]


def test_turns_without_progress_are_counted_to_the_end() -> None:
    position = circling()
    turns, before = 0, position.active
    told = []
    while not position.over:
        position = position.apply(prolonged(position))
        told.append(snapshots.public(position.view(None)).turns_left)
        if position.active != before:
            turns, before = turns + 1, position.active
    assert turns == 99, "the hundredth turn ends the game, and nobody has the next"
    outcome = position.outcome
    assert outcome is not None
    assert outcome.reason == "no-progress"
    assert outcome.scores == position.scores
    assert [left for left, after in zip(told, [*told[1:], None], strict=True) if left != after] == [
        None, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
    ]  # fmt: skip
    assert told[-1] is None
    assert "No card was drawn or discarded for 100 turns. The game is over." in position.describe_events()


def test_progress_begins_the_count_anew() -> None:
    quiet = circling(quiet=99)
    assert snapshots.public(quiet.view(None)).turns_left == 1
    discarded = quiet.apply("play 1").apply("leave").apply("discard")
    assert not discarded.over
    drawn = discarded.apply("draw deck")
    assert not drawn.over
    assert drawn.active == 1
    assert snapshots.public(drawn.view(None)).turns_left is None
    taken = quiet.apply("play 1").apply("take").apply("draw 6")
    assert not taken.over
    ended = quiet.apply("play 1").apply("leave").apply("reclaim")
    assert ended.outcome is not None
    assert ended.outcome.reason == "no-progress"
    nothing = quiet.apply("play 2 2")
    assert nothing.outcome is not None, "a turn in which nothing was snatched is none with progress"


def test_the_last_card_comes_first() -> None:
    position = setup(["1", "13 4"], ["", "13"], "6 6 7", discards="", edition="expert", quiet=99).apply(
        "play 1"
    )
    assert position.outcome is not None
    assert position.outcome.reason == "hand-empty"


def test_set_up_positions_count_within_bounds() -> None:
    for wrong in (-1, 100):
        with pytest.raises(SetupError, match="without progress"):
            circling(quiet=wrong)


def test_the_first_version_of_the_rules_is_still_played() -> None:
    options = LINKO.choose_options("expert", rules=1)
    assert options == replace(EXPERT, endless=True)  # type: ignore[type-var]
    assert LINKO.edition_of(options) == LINKO.edition_of(EXPERT) == "expert"
    assert (LINKO.rules_of(options), LINKO.rules_of(EXPERT)) == (1, 2)
    position = circling(options)
    for _ in range(1000):
        position = position.apply(prolonged(position))
    assert not position.over
    assert snapshots.public(position.view(None)).turns_left is None
    with pytest.raises(OptionsError, match="version 3 of the rules of Linko is not known; known: 1, 2"):
        LINKO.choose_options("expert", rules=3)


def record_of(seed: int, rules: int, actions: int) -> Record:
    """A game that both players prolong."""
    options = LINKO.choose_options("expert", rules)
    position = LINKO.new(options, 2, seed=seed)
    start = position
    made: list[str] = []
    while not position.over and len(made) < actions:
        assert isinstance(position, LinkoPosition)
        made.append(prolonged(position))
        position = position.apply(made[-1])
    return Record.of(start, ("A", "B"), made, position.outcome)


def test_records_are_read_by_the_rules_they_name() -> None:
    new = record_of(0, 2, 5000)
    assert new.rules == 2
    assert new.result is not None
    old = record_of(0, 1, len(new.actions) + 50)
    assert (old.rules, old.result) == (1, None)
    assert old.actions[: len(new.actions)] == new.actions
    assert verify(new) == len(new.actions)
    assert verify(old) == len(new.actions) + 50
    line = old.to_dict()
    del line["rules"]  # as the first version wrote it
    assert read_record(json.dumps(line)) == old
    with pytest.raises(RecordError, match="after the end of the game"):
        verify(replace(old, rules=2))
    with pytest.raises(RecordError, match="not over"):
        verify(replace(new, rules=1))


@pytest.mark.parametrize(("edition", "players"), VARIANTS)
@pytest.mark.parametrize("rules", [1, 2])
def test_the_referee_agrees_on_games_that_are_prolonged(edition: str, players: int, rules: int) -> None:
    """Mostly prolonging, sometimes at random: stretches without progress of every length."""
    reasons = set()
    for seed in range(6):
        rng = random.Random(seed)
        position = LINKO.new(LINKO.choose_options(edition, rules), players, seed=seed)
        assert isinstance(position, LinkoPosition)
        referee = Referee(edition, 0, LINKO.deal_of(position), rules)
        for _ in range(3000):
            if position.over:
                break
            assert position.seat == referee.actor
            if rng.random() < 0.01 * seed:
                action = str(rng.choice(position.legal_actions))
            else:
                action = prolonged(position)
            position = position.apply(action)
            referee.apply(action)
        if position.outcome is None:
            assert rules == 1
            assert referee.result is None
        else:
            reasons.add(position.outcome.reason)
            assert referee.result is not None
            assert referee.result["reason"] == position.outcome.reason
            assert referee.result["scores"] == list(position.outcome.scores)
            assert referee.result["winners"] == list(position.outcome.winners)
    if rules == 1:
        assert "no-progress" not in reasons
    elif edition == "expert" and players == 2:
        assert "no-progress" in reasons


def test_options_round_trip() -> None:
    for options in (LinkoOptions(), LinkoOptions(endless=True), EXPERT):
        assert LINKO.options_of(options.flags) == options
