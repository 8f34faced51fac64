"""What a page is told is what its player may know, message by message, against the server's own log."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from lynxden.games.core import Position
from lynxden.server.table import views
from lynxden.server.table.state import TableState
from tests.web.conftest import People
from tests.web.kit import House, Message, Player, play_together

SECRET = {"hand", "hands", "deck", "legal", "revealed", "own", "given", "snatches"}
"""Fields that hold what not everybody may know."""
LONG = 8
"""Fewer cards, or all of two values, are equal by chance: there are only seven colours."""


def fields(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Everything in a message with the way to it."""
    yield path, value
    if isinstance(value, dict):
        for name, each in value.items():
            yield from fields(each, (*path, name))
    elif isinstance(value, list):
        for each in value:
            yield from fields(each, path)


def plain(value: object) -> Any:
    """As it would come over the socket."""
    return json.loads(bytes(views.raw(value)))


def is_cards(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value)


def check_fields(message: Message) -> None:
    """Nothing secret outside of a player's own part and of the end."""
    for path, _ in fields(message):
        if set(path) & SECRET:
            inside = path[:2] == ("game", "own") or path[:2] == ("game", "finished")
            assert inside, f"{'.'.join(path)} in {json.dumps(message)[:500]}"


def check_lists(message: Message, position: Position, viewer: int | None) -> None:
    """No list of cards outside of the own part is somebody's hand or the deck's beginning."""
    revealed = plain(position.game.snapshot.revealed(position))
    known = [set(cards) for cards in _known(position)]
    for path, value in fields(message):
        if not is_cards(value) or len(value) < LONG or len(set(value)) < 3:
            continue
        own = path[:2] == ("game", "own")
        for seat, hand in enumerate(revealed["hands"]):
            if own and seat == viewer:
                continue
            if set(hand) <= known[seat]:
                continue  # everybody saw these cards
            assert Counter(value) != Counter(hand), f"the hand of seat {seat} in {'.'.join(path)}"
        deck = revealed["deck"]
        assert len(deck) < LONG or value[:LONG] != deck[:LONG], f"the deck in {'.'.join(path)}"


def _known(position: Position) -> list[list[str]]:
    public = plain(position.game.snapshot.public(position.view(None)))
    return [[*player["known"], *player.get("doubtful", ())] for player in public["players"]]


def check_told(player: Player, house: House, table: str, viewer: int | None, guest: str) -> int:
    """Every message of a page against the truth; how many there were with cards."""
    states = house.states(table)
    cards = 0
    asked = [body for url, body in player.bodies if url.endswith(f"/api/tables/{table}") and "game" in body]
    for message in [*player.received, *asked]:
        check = message.get("table") == table or message.get("info", {}).get("id") == table
        if not message.get("game", {}).get("finished"):
            check_fields({key: value for key, value in message.items() if key != "tables"})
        if not check or message["type"] not in ("table", "happened"):
            assert not message.get("game"), f"cards in a message of type {message['type']}"
            continue
        number = message["number"] if message["type"] == "table" else message["what"]["number"]
        entry, state = states[number - 1]
        seat = viewer if _sits(state, guest) else None
        teller = views.Views(state, state.updated_at)
        if message["type"] == "happened":
            assert message == json.loads(teller.happened(entry, seat, guest)), f"event {number}"
        else:
            wanted = json.loads(teller.fresh(seat, guest))
            for told in ("missed", "chat"):
                wanted.pop(told, None)
            assert {key: value for key, value in message.items() if key in wanted} == wanted
            assert set(message) - set(wanted) <= {"missed", "chat"}
            begun = [(at, each) for at, each in enumerate(states[:number], 1) if at >= state.dealt > 0]
            missed = [views.happening(at, entry, after.position, seat) for at, (entry, after) in begun]
            expected = [plain(each) for each in missed]
            for what in message.get("missed", ()):
                assert what in expected, f"missed event {what['number']} is told otherwise"
        if state.position is not None and not state.position.over:
            check_lists(message, state.position, seat)
        if message.get("game"):
            cards += 1
            own = message["game"].get("own")
            assert (own is None) == (seat is None)
            assert own is None or own["seat"] == seat
    return cards


def _sits(state: TableState, guest: str) -> bool:
    return state.seat_of(guest) is not None


def check_answers(player: Player) -> int:
    """No answer over HTTP tells of cards; called while the game runs. How many there were."""
    player.read_answers()
    for url, body in player.bodies:
        if re.search(r"/api/tables/[\w-]+$", url) and "game" in body:
            check_fields(body)  # the same as over the socket, and compared with it
            continue
        for path, value in fields(body):
            assert not set(path) & SECRET, f"{'.'.join(path)} in {url}"
            assert not is_cards(value) or path in (("bots", "games"), ("phrases",)), (
                f"{'.'.join(path)} in {url}: {value}"
            )
    return len(player.bodies)


@pytest.mark.parametrize(
    ("game", "edition", "decisions"),
    [
        ("linko", "classic", 8),
        pytest.param("linko", "expert", 1000, marks=pytest.mark.slow),
        pytest.param("linko", "classic", 1000, marks=pytest.mark.slow),
        pytest.param("blocco", "standard", 12, marks=pytest.mark.slow),
    ],
)
def test_hidden_cards(
    people: People, house: House, tmp_path: Path, game: str, edition: str, decisions: int
) -> None:
    ann, ben, eve = people(), people(), people()
    ann.arrive("Ann")
    ben.arrive("Ben")
    link = ann.open_table(game, edition, ["open", "bot greedy"])
    ben.go(link)
    ben.press(ben.button("table.waiting.join"))
    ben.page.wait_for_function("() => document.querySelector('[data-place^=\"own:\"]')")
    table = ann.table
    eve.go(link)
    both = [ann, ben]
    assert not play_together(both, 8), "the game is over too soon"
    # Whoever comes again is told everything anew.
    ben.read_answers()
    ben.page.reload()
    ann.cut()
    expect(ann.page.get_by_text(ann.say("app.reconnecting"))).to_be_visible()
    ann.mend()
    expect(ann.page.get_by_text(ann.say("app.reconnecting"))).to_be_hidden()
    assert not play_together(both, 6), "the game is over too soon"
    # The record of a game that is being played is nobody's business.
    record = house.states(table)[-1][1].record_id
    ben.page.evaluate("(id) => fetch(`/api/records/${id}`).then((answer) => answer.text())", record)
    ben.page.evaluate("(id) => fetch(`/api/tables/${id}`).then((answer) => answer.text())", table)
    for player in (ann, ben, eve):
        assert check_answers(player) >= 2
    over = play_together(both, decisions)
    assert over or decisions < 1000
    guests = {seat.name: str(seat.guest) for seat in house.states(table)[-1][1].seats}
    least = 20 if over else 8
    assert check_told(ann, house, table, 0, guests["Ann"]) > least
    assert check_told(ben, house, table, 1, guests["Ben"]) > least
    assert check_told(eve, house, table, None, "nobody") > least
