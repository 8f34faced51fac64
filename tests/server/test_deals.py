"""The server's deals: every card comes from the system's own source of randomness."""

from __future__ import annotations

import random
import secrets
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import comb
from typing import Any

import pytest

from lynxden.games.core import Game
from lynxden.games.errors import LynxdenError
from lynxden.games.linko import LINKO
from lynxden.games.match import Match
from lynxden.games.registry import GAMES
from lynxden.records.record import Record
from lynxden.server.live.context import fresh_deal, shuffled
from lynxden.server.table import entries
from lynxden.server.table.plans import Plan, SeatPlan
from lynxden.server.table.state import TableState, first_state


def table(game: str, edition: str, players: int) -> TableState:
    plan = Plan(game, edition, (SeatPlan("open"),) * players)
    first = entries.Created(at=1, by="g", plan=plan, invite="", rules=GAMES[game].rules_version)
    state = first_state("t", first)
    assert not state.read_only
    return state


def editions() -> Iterator[tuple[str, str, int]]:
    for name, game in GAMES.items():
        for edition, options in game.editions.items():
            for players in options.player_counts:
                yield name, edition, players


def cards_of(deal: Any) -> Iterator[str]:
    """Every card of a recorded deal."""
    if isinstance(deal, str):
        yield from deal.split()  # the virtual row of the duel has piles
    else:
        for part in deal.values() if isinstance(deal, dict) else deal:
            yield from cards_of(part)


@pytest.mark.parametrize(("game", "edition", "players"), [*editions()])
def test_every_edition_is_dealt(game: str, edition: str, players: int) -> None:
    state = table(game, edition, players)
    state.match = replace(state.match, starter=players - 1)
    position = fresh_deal(state)
    assert (position.players, position.seat) == (players, players - 1)
    assert position.game.edition_of(position.options) == edition
    deal = Record.of(position, ("x",) * players, (), None).deal
    assert position.game.read_deal(position.options, players - 1, deal) == position
    assert fresh_deal(state) != position
    if game == "linko":
        assert Counter(cards_of(deal)) == Counter(LINKO.deck)


def test_the_seeds_of_generators_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "randbits", lambda bits: 7)
    state, found = table("linko", "classic", 4), set()
    for _ in range(20):
        random.seed(1)
        found.add(str(fresh_deal(state).view(0)))
    assert len(found) == 20


def test_a_deal_takes_as_much_randomness_as_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """There are 109! / (8!^13 · 5!) orders of the cards: more than 379 bits."""
    taken = 0
    source = random._urandom  # type: ignore[attr-defined]

    def counted(size: int) -> bytes:
        nonlocal taken
        taken += size
        return bytes(source(size))

    monkeypatch.setattr(random, "_urandom", counted)
    fresh_deal(table("linko", "classic", 4))
    assert taken * 8 > 379


def test_hands_are_as_chance_has_it() -> None:
    """How many jokers somebody is dealt, against the hypergeometric distribution."""
    state, deals = table("linko", "classic", 4), 1500
    seen: Counter[int] = Counter()
    for _ in range(deals):
        hands = Record.of(fresh_deal(state), ("x",) * 4, (), None).deal["hands"]
        seen.update(min(3, Counter(hand)["X"]) for hand in hands)
    chances = [comb(5, n) * comb(104, 13 - n) / comb(109, 13) for n in range(3)]
    chances.append(1 - sum(chances))
    off = sum((seen[n] - 4 * deals * p) ** 2 / (4 * deals * p) for n, p in enumerate(chances))
    assert off < 35, f"{seen}: this happens by chance once in ten million runs"


def test_every_order_is_as_likely_as_any_other() -> None:
    seen = Counter("".join(shuffled("abcd")) for _ in range(12_000))
    assert len(seen) == 24
    off = sum((count - 500) ** 2 / 500 for count in seen.values())
    assert off < 80, f"{seen}: this happens by chance once in ten million runs"


def test_every_card_comes_to_every_place() -> None:
    deck, deals = LINKO.deck, 3000
    tops: list[Counter[str]] = [Counter() for _ in deck]
    for _ in range(deals):
        for place, card in enumerate(shuffled(deck)):
            tops[place][card] += 1
    expected = {card: deals * count / len(deck) for card, count in Counter(deck).items()}
    for top in tops:
        off = sum((top[card] - wanted) ** 2 / wanted for card, wanted in expected.items())
        assert off < 70, f"{top}: this happens by chance once in ten million places"


def test_a_deal_costs_little() -> None:
    state, times = table("linko", "duel", 2), []
    for _ in range(200):
        began = time.perf_counter()
        fresh_deal(state)
        times.append(time.perf_counter() - began)
    assert sorted(times)[20] < 0.0003


def test_a_match_takes_a_deck() -> None:
    match = Match.of(LINKO, "basic", 3, starter=2)
    game: Game = LINKO
    assert match.deal(deck=game.deck) == game.new("basic", 3, deck=game.deck, starter=2)
    for wrong in ({}, {"seed": 1, "deck": game.deck}, {"deck": game.deck[1:]}):
        with pytest.raises(LynxdenError):
            match.deal(**wrong)
