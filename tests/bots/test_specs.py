"""Bots are named by text, and a wrong text says what would be right."""

import pytest

from lynxden.bots import BotSpec, check_bot, get_bot
from lynxden.games.errors import OptionsError


@pytest.mark.parametrize(
    ("text", "name", "parameters"),
    [
        ("greedy", "greedy", ()),
        (" greedy ", "greedy", ()),
        ("search:ms=300", "search", (("ms", "300"),)),
        ("search:threads=2,sims=50", "search", (("sims", "50"), ("threads", "2"))),
        ("my-bot:file=a_b.c-1+2", "my-bot", (("file", "a_b.c-1+2"),)),
    ],
)
def test_names_are_read_and_written(text: str, name: str, parameters: tuple[tuple[str, str], ...]) -> None:
    spec = BotSpec.parse(text)
    assert (spec.name, spec.parameters) == (name, parameters)
    assert BotSpec.parse(str(spec)) == spec


def test_equal_bots_have_equal_texts() -> None:
    one, other = (BotSpec.parse(text) for text in ("search:ms=9,sims=5", "search:sims=5, ms=9"))
    assert one == other
    assert str(one) == str(other) == "search:ms=9,sims=5"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "names no bot"),
        ("Greedy", "names no bot"),
        ("1st", "names no bot"),
        (":ms=3", "names no bot"),
        ("a" * 201, "names no bot"),
        ("search:", "is no parameter"),
        ("search:ms", "is no parameter"),
        ("search:ms=", "is no parameter"),
        ("search:ms=3,,sims=2", "is no parameter"),
        ("search:ms=3,ms=4", "twice"),
    ],
)
def test_bad_names_are_refused(text: str, says: str) -> None:
    with pytest.raises(OptionsError, match=says):
        BotSpec.parse(text)


def test_lists_of_bots() -> None:
    assert [str(bot) for bot in BotSpec.parse_list("search:ms=9,sims=5,greedy, random")] == [
        "search:ms=9,sims=5", "greedy", "random",
    ]  # fmt: skip
    with pytest.raises(OptionsError, match="names no bot"):
        BotSpec.parse_list("greedy,sims=5")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "stockfish",
            "there is no bot 'stockfish'; bots: kitten, hunter, lynx, shadow, beginner, deep, greedy",
        ),
        ("greedy:ms=3", "bot 'greedy' has no parameter 'ms'; its parameters: none"),
        ("search:depth=3", "its parameters: ms, sims, threads"),
        ("search:ms=0", "ms is a whole number from 1 to 600000"),
        ("search:ms=1.5", "ms is a whole number"),
        ("search:sims=-1", "sims is a whole number"),
        ("search:threads=65", "threads is a whole number from 1 to 64"),
    ],
)
def test_bots_that_do_not_exist_are_refused(text: str, says: str) -> None:
    with pytest.raises(OptionsError, match=says):
        check_bot(text)
    with pytest.raises(OptionsError, match=says):
        get_bot(text)


def test_a_bot_is_made_once() -> None:
    assert get_bot("search:ms=9,sims=5") is get_bot("search:sims=5,ms=9")
