"""The page describes observations as the encoders write them."""

import re
from importlib import import_module

import numpy as np
import pytest

import lynxden
from tests.kit import random_game
from tests.test_docs import DOCS

PAGE = (DOCS / "environments.md").read_text(encoding="utf-8")


def section(game: str) -> str:
    title = lynxden.get_game(game).title
    found = re.search(rf"^### {title}$(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"the page has no section '{title}'"
    return found[1]


@pytest.mark.parametrize("game", ["linko", "blocco"])
def test_every_part_is_described_in_order(game: str) -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", section(game), re.MULTILINE)
    fields = lynxden.get_game(game).observation_fields
    assert [(name, int(length)) for name, length in rows] == list(fields.items())


@pytest.mark.parametrize("game", ["linko", "blocco"])
def test_every_place_of_a_block_is_described(game: str) -> None:
    encode = import_module(f"lynxden.games.{game}.encode")
    rows = re.findall(r"^\| (\d+)–(\d+) \|", section(game), re.MULTILINE)
    places = [place for first, last in rows for place in range(int(first), int(last) + 1)]
    assert places == list(range(8 * encode.PLAYER))
    assert f"five blocks of {8 * encode.PLAYER}," in section(game)


@pytest.mark.parametrize(("game", "edition"), [("linko", "basic"), ("blocco", "standard")])
def test_what_is_said_of_the_parts_is_true(game: str, edition: str) -> None:
    """Hands, phases, turns, counts and sizes, read from observations as the page says."""
    rules = lynxden.get_game(game)
    said = re.search(r"a one at the kind of decision: ([^|]+) \|", section(game))
    assert said
    assert said[1].split(", ") == list(rules.phases)
    block = 48 if game == "linko" else 32
    for position in random_game(rules, edition, 3, 1):
        for seat in range(3):
            row = position.view(seat).observation()
            parts, at = {}, 0
            for name, length in rules.observation_fields.items():
                parts[name] = row[at : at + length]
                at += length
            blocks = parts["players"].reshape(5, block)
            sitting, size = (32, 33) if game == "linko" else (24, 25)
            score = 36 if game == "linko" else 28
            assert rules.phases[int(parts["phase"].argmax())] == position.decision
            assert parts["turn"].argmax() == (position.active - seat) % 3
            assert parts["counts"][:2].tolist() == [3, position.deck_size]
            assert blocks[:, sitting].tolist() == [1, 1, 1, 0, 0]
            for place in range(3):
                other = (seat + place) % 3
                assert blocks[place, size] == position.hand_sizes[other]
                assert blocks[place, score] == position.scores[other]
            cards = parts["hand"] if game == "linko" else parts["hand"][1:]
            names = (
                [*map(str, range(1, 14)), "X"]
                if game == "linko"
                else ["1a", "1b", "2a", "2b", "3a", "3b", "4a"]
            )
            assert np.array_equal(cards[: len(names)], [position.hand(seat).count(card) for card in names])
