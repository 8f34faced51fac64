"""Records: strict reading, precise faults, good prefixes. Whatever is wrong, there is never a traceback."""

import contextlib
import copy
import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lynxden.arena.simulation import Simulation, play_chunk
from lynxden.games.errors import MalformedAction
from lynxden.games.linko import LINKO, LinkoOptions
from lynxden.records import (
    Fault,
    Record,
    Recorder,
    RecordError,
    positions,
    read_record,
    read_records,
    steps,
    verify,
)
from tests.kit import EVERY

VARIANTS = [(game, edition) for game in EVERY for edition in EVERY[game].editions]


def make_record(game: str, edition: str, seed: int = 3) -> dict[str, Any]:
    """A whole recorded game with legal lists and actors."""
    found = EVERY[game]
    players = found.default_players(found.editions[edition])
    simulation = Simulation(game, edition, players, 1, seed, ("random",) * players, legal=True)
    (line,) = play_chunk(simulation, range(1), records=True)[1]
    record: dict[str, Any] = json.loads(line)
    return record


def refuse(record: Any) -> RecordError:
    """The error that a record gets; fails if it is accepted."""
    with pytest.raises(RecordError) as caught:
        verify(read_record(json.dumps(record)))
    assert str(caught.value)
    return caught.value


JUNK: list[Any] = [None, True, -1, 1.5, 10**30, "", "x", [], [[]], {}, {"a": 1}, ["x"], [None]]


@pytest.mark.parametrize(("game", "edition"), VARIANTS)
def test_every_key_is_needed_and_typed(game: str, edition: str) -> None:
    good = make_record(game, edition)
    assert verify(read_record(json.dumps(good))) == len(good["actions"])
    for key in ("format", "game", "edition", "seats", "starter", "deal", "actions", "result"):
        refuse({name: value for name, value in good.items() if name != key})
    for key in (
        "format",
        "game",
        "edition",
        "rules",
        "seats",
        "starter",
        "deal",
        "actions",
        "result",
        "legal",
        "actors",
    ):
        for junk in JUNK:
            refuse({**good, key: junk})
    for key in good["deal"]:
        refuse({**good, "deal": {name: value for name, value in good["deal"].items() if name != key}})
        for junk in JUNK:
            refuse({**good, "deal": {**good["deal"], key: junk}})
    for key in good["result"]:
        for junk in JUNK:
            refuse({**good, "result": {**good["result"], key: junk}})


@pytest.mark.parametrize(("game", "edition"), VARIANTS)
def test_a_changed_card_is_noticed(game: str, edition: str) -> None:
    """Any one card of the deal replaced by another kind is not the deck any more."""
    good = make_record(game, edition)
    kinds = sorted(set(EVERY[game].deck))
    rng = random.Random(1)

    def change(heap: Any, place: int) -> Any:
        broken = copy.deepcopy(good)
        target = broken["deal"]
        for step in heap:
            target = target[step]
        words = target[place].split(" ")
        which = rng.randrange(len(words))
        words[which] = rng.choice([kind for kind in kinds if kind != words[which]])
        target[place] = " ".join(words)
        return broken

    heaps: list[Any] = [("hands", seat) for seat in range(len(good["seats"]))]
    heaps += [(key,) for key in good["deal"] if key != "hands"]
    for heap in heaps:
        target = good["deal"]
        for step in heap:
            target = target[step]
        for place in range(0, len(target), 3):
            assert refuse(change(heap, place)).decision is None
            shorter = copy.deepcopy(good)
            inner = shorter["deal"]
            for step in heap:
                inner = inner[step]
            del inner[place]
            refuse(shorter)


@pytest.mark.parametrize(("game", "edition"), VARIANTS)
def test_a_wrong_action_is_named_and_the_prefix_kept(game: str, edition: str) -> None:
    good = make_record(game, edition)
    plain = {key: value for key, value in good.items() if key not in ("legal", "actors")}
    for index in range(0, len(good["actions"]), 9):
        legal = good["legal"][index]
        for wrong in (
            "",
            "nonsense",
            legal[0] + " ",
            legal[0].upper() + "?",
            " ".join(reversed(legal[0].split())),
        ):
            if wrong in legal:
                continue
            broken = {**plain, "actions": [*good["actions"][:index], wrong, *good["actions"][index + 1 :]]}
            error = refuse(broken)
            assert error.decision == index + 1
            assert error.prefix is not None
            assert list(error.prefix.actions) == good["actions"][:index]
            assert verify(error.prefix) == index
    refuse({**plain, "actions": good["actions"][:-1]})
    late = refuse({**plain, "actions": [*good["actions"], good["actions"][0]]})
    assert "after the end" in str(late)


@pytest.mark.parametrize(("game", "edition"), VARIANTS)
def test_lists_of_legal_actions_and_actors_are_checked(game: str, edition: str) -> None:
    good = make_record(game, edition)
    players = len(good["seats"])
    for index in range(0, len(good["actions"]), 11):
        for change in (
            lambda texts: texts[1:],
            lambda texts: [*texts, texts[0]],
            lambda texts: [*texts, "x"],
        ):
            legal = [list(texts) for texts in good["legal"]]
            legal[index] = change(legal[index])
            assert refuse({**good, "legal": legal}).decision == index + 1
        actors = list(good["actors"])
        actors[index] = (actors[index] + 1) % players
        assert refuse({**good, "actors": actors}).decision == index + 1
    shuffled = [list(reversed(texts)) for texts in good["legal"]]
    assert verify(read_record(json.dumps({**good, "legal": shuffled}))) == len(good["actions"])


@pytest.mark.parametrize(("game", "edition"), VARIANTS)
def test_results_are_checked(game: str, edition: str) -> None:
    good = make_record(game, edition)
    result = good["result"]
    players = len(good["seats"])
    losers = [seat for seat in range(players) if seat not in result["winners"]]
    wrong = [
        {"reason": "truncated"},
        {**result, "reason": "boredom"},
        {**result, "winners": []},
        {**result, "winners": [*result["winners"], result["winners"][0]]},
        {**result, "winners": losers or [0, 0]},
        {**result, "scores": result["scores"][:-1]},
        {**result, "scores": [float(score) + 0.5 for score in result["scores"]]},
    ]
    for seat in range(players):
        scores = list(result["scores"])
        scores[seat] += 1
        wrong.append({**result, "scores": scores})
    for other in wrong:
        refuse({**good, "result": other})
    unfinished = {
        **good,
        "actions": good["actions"][:4],
        "legal": good["legal"][:4],
        "actors": good["actors"][:4],
    }
    refuse(unfinished)
    assert verify(read_record(json.dumps({**unfinished, "result": {"reason": "truncated"}}))) == 4
    del unfinished["result"]
    assert verify(read_record(json.dumps(unfinished))) == 4


@pytest.mark.parametrize(("game", "edition"), VARIANTS)
def test_a_record_names_the_version_of_the_rules(game: str, edition: str) -> None:
    good = make_record(game, edition)
    version = EVERY[game].rules_version
    assert good["rules"] == version >= 1
    old = {key: value for key, value in good.items() if key != "rules"}  # written before there were versions
    record = read_record(json.dumps(old))
    assert record.rules == 1
    assert verify(record) == len(good["actions"])
    assert json.loads(record.to_json())["rules"] == 1


@pytest.mark.parametrize("wrong", [None, True, False, 0, -1, 1.0, 1.5, "1", "", [], [1], {}])
def test_what_is_no_version_is_refused_by_the_reader(wrong: Any) -> None:
    line = json.dumps({**GOOD["classic"], "rules": wrong})
    with pytest.raises(RecordError, match="'rules' must be a version, a whole number from 1 on, not"):
        read_record(line)


@pytest.mark.parametrize("version", [LINKO.rules_version + 1, 10**30])
def test_unknown_rules_are_read_but_not_replayed(version: int) -> None:
    record = read_record(json.dumps({**GOOD["classic"], "rules": version}))
    assert record.rules == version
    assert read_record(record.to_json()) == record
    complaint = f"version {version} of the rules of Linko is not known; known: 1, 2"
    for replayed in (verify, lambda record: list(steps(record)), lambda record: next(positions(record))):
        with pytest.raises(RecordError) as caught:
            replayed(record)
        assert str(caught.value) == complaint
        assert caught.value.decision is None


def test_records_are_made_in_one_place() -> None:
    """What a recorder writes, and what `Record.of` makes of the same game."""
    start = LINKO.new(seed=1)
    recorder = Recorder(start, ["a", "b", "c", "d"], id=1)
    while not recorder.position.over:
        recorder.apply(recorder.position.legal_actions[-1])
    record = recorder.record()
    outcome = recorder.position.outcome
    assert Record.of(start, ["a", "b", "c", "d"], record.actions, outcome, extra={"id": 1}) == record
    assert Record.of(start, record.seats, record.actions[:1], None).result is None
    assert Record.of(start, record.seats, record.actions[:1], None, truncated=True).result == {
        "reason": "truncated"
    }
    with pytest.raises(RecordError, match="house rules"):
        Record.of(LINKO.new(LinkoOptions(ones_snatch=True), 3, seed=1), ["a", "b", "c"], [], None)


def test_duel_groups_lie_where_the_rules_put_them() -> None:
    for seed in range(40):
        good = make_record("linko", "duel", seed)
        display = good["deal"]["display"]
        grouped = [slot for slot, cards in enumerate(display) if " " in cards]
        single = [slot for slot, cards in enumerate(display) if " " not in cards]
        if grouped and single:
            broken = copy.deepcopy(good)
            first, rest = display[grouped[0]].split(" ", 1)
            broken["deal"]["display"][grouped[0]] = first
            broken["deal"]["display"][single[-1]] += " " + rest
            assert "display slot" in str(refuse(broken))
            return
    pytest.fail("no duel with a group was dealt")


def test_a_deal_of_another_edition_is_refused() -> None:
    duel = make_record("linko", "duel")
    assert "virtual" in str(refuse({**duel, "edition": "classic"}))
    classic = make_record("linko", "classic")
    assert "2 players, not 4" in str(refuse({**classic, "edition": "duel"}))
    assert "no edition" in str(refuse({**duel, "edition": "blitz"}))
    assert "no game" in str(refuse({**duel, "game": "poker"}))


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"", "JSON"),
        (b"nonsense", "JSON"),
        (b"[1, 2]", "object"),
        (b"\xff\xfe", "UTF-8"),
        (b'{"a": 1, "a": 2}', "twice"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": 1', "JSON"),
        (b"[" * 100_000, "nested"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "too long"),
        (b'{"format": "lynxden/2"}', "lynxden/1"),
        (b" " * (5 * 2**20), "bytes"),
        (b'{"a": 1e999}', "too large"),
    ],
)
def test_what_is_no_record_is_refused(line: bytes, complaint: str) -> None:
    with pytest.raises(RecordError, match=complaint):
        read_record(line)


def test_a_file_is_read_past_its_faults() -> None:
    good = json.dumps(make_record("linko", "basic")).encode()
    found = list(read_records([good, b"\n", b"broken", good]))
    assert [number for number, _ in found] == [1, 2, 3]
    assert isinstance(found[0][1], Record)
    assert isinstance(found[1][1], Fault)
    assert str(found[1][1]).startswith("record 2, not JSON")


def test_positions_and_steps_replay_a_game() -> None:
    record = read_record(json.dumps(make_record("linko", "expert")))
    seen = list(positions(record))
    assert len(seen) == len(record.actions) + 1
    assert seen[-1].over
    for step in steps(record):
        assert step.before == seen[step.number - 1]
        assert step.after == seen[step.number]
        assert step.seat == step.before.seat


def test_further_keys_are_kept_but_mean_nothing() -> None:
    good = {**make_record("linko", "classic"), "id": [1, {"x": None}], "played_at": "today", "legal_": 3}
    record = read_record(json.dumps(good))
    assert verify(record) > 0
    assert record.extra["id"] == [1, {"x": None}]
    assert read_record(record.to_json()) == record


@pytest.mark.parametrize("text", ["\x1b[2J", "a\nb", "\ud800", "\u202eevil", "\x00"])
def test_control_characters_are_refused(text: str) -> None:
    good = make_record("linko", "classic")
    for key in ("game", "edition"):
        assert text not in str(refuse({**good, key: text}))
    for broken in (
        {**good, "seats": [text, *good["seats"][1:]]},
        {**good, "actions": [text, *good["actions"][1:]]},
        {**good, "legal": [[text], *good["legal"][1:]]},
        {**good, "deal": {**good["deal"], "deck": [text, *good["deal"]["deck"][1:]]}},
        {**good, "result": {**good["result"], "reason": text}},
    ):
        assert text not in str(refuse(broken))


def test_a_recording_starts_with_a_deal() -> None:
    position = LINKO.new(seed=1)
    names = ["a", "b", "c", "d"]
    with pytest.raises(RecordError, match="fresh deal"):
        Recorder(position.apply(position.legal_actions[0]), names)
    with pytest.raises(RecordError, match="'format' is no further key"):
        Recorder(position, names, format="x")


def test_house_rules_cannot_be_recorded() -> None:
    with pytest.raises(RecordError, match="house rules"):
        Recorder(LINKO.new(LinkoOptions(ones_snatch=True), 3, seed=1), ["a", "b", "c"])
    with pytest.raises(RecordError, match="names"):
        Recorder(LINKO.new(seed=1), ["a"])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
GOOD = {edition: make_record("linko", edition) for edition in ("classic", "duel")}


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_fuzzed_records_are_refused_or_right(data: st.DataObject) -> None:
    """Put anything anywhere in a record: it is refused with a RecordError, or it still verifies."""
    record = copy.deepcopy(GOOD[data.draw(st.sampled_from(sorted(GOOD)))])
    target: Any = record
    for _ in range(data.draw(st.integers(0, 3))):
        keys = list(target) if isinstance(target, dict) else list(range(len(target)))
        inner = [key for key in keys if isinstance(target[key], dict | list) and target[key]]
        if not inner:
            break
        target = target[data.draw(st.sampled_from(inner))]
    keys = list(target) if isinstance(target, dict) else list(range(len(target)))
    target[data.draw(st.sampled_from(keys))] = data.draw(JSON)
    with contextlib.suppress(RecordError):
        assert verify(read_record(json.dumps(record))) == len(record["actions"])


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200))
def test_fuzzed_lines_are_refused(line: bytes | str) -> None:
    with pytest.raises(RecordError):
        read_record(line)


@settings(max_examples=500, deadline=None)
@given(
    st.text(max_size=30)
    | st.from_regex(r"(play|draw|take|snatch|pass)( (1[0-4]|[0-9]|X|deck)){0,9}", fullmatch=True)
)
def test_fuzzed_actions_parse_or_are_malformed(text: str) -> None:
    with contextlib.suppress(MalformedAction):
        assert str(LINKO.parse(text)) == text
