"""What the network of Blocco does."""

from __future__ import annotations

import numpy as np

from lynxden.games.blocco import rules
from tools.strategy.habits import Habit, only
from tools.strategy.log import PLAYERS, Log, Numbers, bound_seat
from tools.strategy.plots import bars, order
from tools.strategy.tables import (
    Cells,
    Row,
    Table,
    band,
    by_order,
    by_seat,
    means,
    names,
    of_winners,
    one,
)

FIELDS = (
    "hands",
    "rows",
    "tops",
    "active",
    "actor",
    "phase",
    "left",
    "deck_size",
    "empty",
    "top",
    "pile_size",
    "lay_count",
    "score_size",
)

TAKE, BLOCK, SCORE, FROM, GIVE = range(5)
"""Kinds of action, in the order of their numbers."""
NUMBERS = np.array((0, *rules.NUMBERS))
"""The number on each colour; colours are counted from 1."""
AFTER = (0, 1, 2, 3, 4, 5, 6, 7)
"""Cards in hand at the end of one's turn."""


def by_colour(heap: Numbers) -> Numbers:
    """How many cards of each colour a heap holds, along a new last axis."""
    shifts = 8 * np.arange(1, rules.COLOURS + 1)
    found: Numbers = heap[..., None] >> shifts & 127
    return found


class Decisions:
    """What each decision was about; one number a decision."""

    def __init__(self, log: Log) -> None:
        before, every = log.before, np.arange(len(log.action))
        action = log.action.astype(int)
        self.actor = log.actor.astype(int)
        self.bound = self.actor == bound_seat(log.game)
        """Whether it is that of the player with a habit, if there is one."""
        self.kind = np.searchsorted((rules.BLOCKS, rules.SCORE, rules.FROMS, rules.GIVES), action, "right")
        self.acts = before["phase"] == rules.ACT
        self.first = self.acts & (before["left"] == 2)
        """Whether it is the first action of a turn."""
        self.hands = (before["hands"][:, :PLAYERS] & 127).astype(int)
        self.own = self.hands[every, self.actor]
        others = self.hands.copy()
        others[every, self.actor] = -1
        self.most = others.max(axis=1)
        """The most cards in another hand."""
        self.deck = before["deck_size"].astype(int)
        self.empty = before["empty"].astype(int)
        self.pile = before["pile_size"][every, self.actor].astype(int)
        self.lays = before["lay_count"][every, self.actor].astype(int)
        self.number = NUMBERS[before["top"][every, self.actor]]
        """The number on top of the own pile; 0: there is no pile."""
        self.bonus = np.where(self.most > self.own, np.minimum(self.number, self.most), 0)
        """What scoring would bring besides the pile."""
        self.held = by_colour(before["hands"][every, self.actor])

        self.row_sizes = (before["rows"] & 127).astype(int)
        self.row = np.where(self.kind == TAKE, action, 0)
        self.row_size = self.row_sizes[every, self.row]
        lay = np.where(self.kind == BLOCK, action - rules.BLOCKS, 0)
        self.colour = rules.LAY_COLOUR[lay].astype(int)
        self.groups = rules.LAY_GROUPS[lay].astype(int)
        self.laid = rules.LAY_CARDS[lay].astype(int)
        self.gift = np.where(self.kind == GIVE, action - rules.GIVES + 1, 1)
        steps = np.where(self.kind == FROM, action - rules.FROMS, 0)
        self.giver = (self.actor + steps) % PLAYERS
        """Who is named, where several could give."""

    def stage(self) -> Numbers:
        """The beginning, the middle, or without a deck."""
        return np.where(self.deck == 0, 2, np.where(self.deck > 75, 0, 1))


def tables(log: Log) -> dict[str, Table]:
    """All tables, by name."""
    d = Decisions(log)
    takes, blocks, scores = d.kind == TAKE, d.kind == BLOCK, d.kind == SCORE
    given = by_colour(log.final["given"][:, :PLAYERS]).sum(axis=-1)
    return {
        "blocco-turns": _turns(d),
        "blocco-rows": _rows(log, d),
        "blocco-numbers": _numbers(log, d),
        "blocco-blocks": _blocks(d),
        "blocco-choice": _choice(log, d),
        "blocco-scored": _scored(d),
        "blocco-piles": _piles(d),
        "blocco-cost": _cost(log, d),
        "blocco-given": _given(d),
        "blocco-givers": _givers(log, d),
        "blocco-order": by_order(log),
        "blocco-end": _end(log, d),
        "blocco-left": _left(log),
        "blocco-winner": of_winners(
            log,
            [
                ("rows taken", by_seat(log, takes, d.actor)),
                ("cards taken with them", by_seat(log, takes, d.actor, d.row_size)),
                ("rows taken once the deck is used up", by_seat(log, takes & (d.deck == 0), d.actor)),
                ("times blocked", by_seat(log, blocks, d.actor)),
                ("cards laid", by_seat(log, blocks, d.actor, d.laid)),
                ("times scored", by_seat(log, scores, d.actor)),
                ("cards received as a bonus", by_seat(log, scores, d.actor, d.bonus)),
                ("cards in the score pile at the end", log.final["score_size"][:, :PLAYERS]),
                ("cards given away", given),
                ("cards in hand at the end", (log.final["hands"][:, :PLAYERS] & 127)),
                ("points", log.scores),
            ],
        ),
    }


def _turns(d: Decisions) -> Table:
    """The two actions of a turn, by how far the game has come."""
    acts = np.flatnonzero(d.acts)
    opens = np.flatnonzero(d.first[acts])
    first, second = d.kind[acts[opens]], d.kind[acts[opens + 1]]
    stage = d.stage()[acts[opens]]
    known = {
        "take, take": (TAKE, TAKE),
        "take, block": (TAKE, BLOCK),
        "block, score": (BLOCK, SCORE),
        "score, take": (SCORE, TAKE),
        "score, block": (SCORE, BLOCK),
    }
    rows = []
    other = np.ones(len(opens), bool)
    for name, (one_kind, other_kind) in known.items():
        here = (first == one_kind) & (second == other_kind)
        other &= ~here
        rows.append(Row(name, means(stage, 3, here), "%"))
    rows.append(Row("anything else", means(stage, 3, other), "%"))
    return Table("cards in the deck", ("more than 75", "fewer", "none"), rows)


def _rows(log: Log, d: Decisions) -> Table:
    """How often a row is taken when somebody takes one, by its size; only while there is a deck."""
    takes = (d.kind == TAKE) & (d.deck > 0)
    sizes, chosen = d.row_sizes[takes], _chosen(d, takes)
    fits = (by_colour(log.before["rows"][takes]) * (d.held[takes] > 0)[:, None]).sum(axis=-1)
    edges = (1, 2, 3, 4)
    rows = [Row("all rows", means(band(sizes.ravel(), edges), 5, chosen.ravel()), "%")]
    for name, low, high in (("no card fits", 0, 0), ("one fits", 1, 1), ("two or more fit", 2, rules.CARDS)):
        here = (fits >= low) & (fits <= high)
        rows.append(Row(name, means(band(sizes[here], edges), 5, chosen[here]), "%"))
    return Table("cards in the row", names(edges, 1), rows)


def _numbers(log: Log, d: Decisions) -> Table:
    """How often a row of three cards is taken, by the numbers on them; only while there is a deck."""
    takes = (d.kind == TAKE) & (d.deck > 0)
    three, chosen = d.row_sizes[takes] == 3, _chosen(d, takes)
    cards = by_colour(log.before["rows"][takes])
    rows = []
    for name, count in (("none of it", 0), ("one", 1), ("two or three", 2)):
        cells = []
        for number in range(1, 5):
            there = np.minimum(2, cards[..., NUMBERS[1:] == number].sum(axis=-1))
            cells.append(one(chosen[three & (there == count)]))
        rows.append(Row(name, cells, "%"))
    return Table("a row of three, with this number", ("1", "2", "3", "4"), rows)


def _chosen(d: Decisions, takes: Numbers) -> Numbers:
    """Which of the rows is taken."""
    found: Numbers = np.arange(rules.PLACES)[None] == d.row[takes][:, None]
    return found


def _blocks(d: Decisions) -> Table:
    """What is laid, by the number on it."""
    blocks = d.kind == BLOCK
    number = NUMBERS[d.colour[blocks]] - 1
    share = np.eye(4)[number]
    whole = d.held[blocks, d.colour[blocks] - 1] // NUMBERS[d.colour[blocks]]
    shares: Cells = [one(share[:, place]) for place in range(4)]
    return Table(
        "number on the cards",
        ("1", "2", "3", "4"),
        [
            Row("of all blocks", shares, "%"),
            Row("cards in a block", means(number, 4, d.laid[blocks]), ".1"),
            Row("all groups it has", means(number, 4, d.groups[blocks] >= whole), "%"),
            Row("on a pile that is there already", means(number, 4, d.pile[blocks] > 0), "%"),
        ],
    )


def _choice(log: Log, d: Decisions) -> Table:
    """Which colour is laid, where there is a choice, beside what chance would choose."""
    blocks = d.kind == BLOCK
    number, every = NUMBERS[1:], np.arange(int(blocks.sum()))
    before = {field: values[blocks] for field, values in log.before.items()}
    seat, colour = d.actor[blocks], d.colour[blocks] - 1
    own_top = np.eye(rules.COLOURS + 1, dtype=bool)[before["top"][every, seat]][:, 1:]
    free = (by_colour(before["tops"]) == 0) | own_top
    cards = d.held[blocks] // number * number * free
    can = cards > 0
    hands = by_colour(before["hands"][:, :PLAYERS])
    hands[every, seat] = 0
    wanted = np.asarray((hands >= number).any(axis=1))

    def row(name: str, fits: Numbers, among: Numbers = can) -> Row:
        chance = (fits & among).sum(axis=1) / np.maximum(1, among.sum(axis=1))
        here = (among.sum(axis=1) > 1) & among[every, colour]
        return Row(name, [one(fits[every, colour][here]), one(chance[here])], "%")

    largest = cards == cards.max(axis=1, keepdims=True)
    highest = np.equal(number, (can * number).max(axis=1, keepdims=True)) & can
    return Table(
        "with two or more colours to choose from",
        ("it lays", "chance would lay"),
        [
            row("the one with the most cards", largest),
            row("the one with the highest number", highest),
            row("one of which another player holds a group", wanted),
            row("among those with the most cards, such a one", wanted, largest),
        ],
    )


def _scored(d: Decisions) -> Table:
    """How often a pile is scored at an action, by what scoring would bring."""
    here = d.acts & (d.pile > 0)
    rows = []
    for name, chosen in (("while there is a deck", d.deck > 0), ("without one", d.deck == 0)):
        both = here & chosen
        rows.append(Row(name, means(d.bonus[both], 5, d.kind[both] == SCORE), "%"))
    return Table("bonus that it would bring", ("none", "1", "2", "3", "4"), rows)


def _piles(d: Decisions) -> Table:
    """The piles that are scored."""
    scores = d.kind == SCORE
    deck = np.where(d.deck[scores] > 0, 0, 1)
    return Table(
        "when a pile is scored",
        ("while there is a deck", "without one"),
        [
            Row("cards in it", means(deck, 2, d.pile[scores]), ".1"),
            Row("laid at one go", means(deck, 2, d.lays[scores] == 1), "%"),
            Row("cards as a bonus", means(deck, 2, d.bonus[scores]), ".1"),
            Row("no bonus at all", means(deck, 2, d.bonus[scores] == 0), "%"),
            Row("a 3 or 4 on top", means(deck, 2, d.number[scores] > 2), "%"),
            Row("cards in one's own hand", means(deck, 2, d.own[scores]), ".1"),
            Row("cards in the fullest other hand", means(deck, 2, d.most[scores]), ".1"),
        ],
    )


def _after(log: Log, d: Decisions) -> tuple[Numbers, Numbers]:
    """The cards in hand at the end of each turn, and how many of them were given away before the next."""
    starts = np.flatnonzero(d.first)
    turn = np.flatnonzero(log.game[starts[:-PLAYERS]] == log.game[starts[PLAYERS:]])
    seat = d.actor[starts[turn]]
    held = d.hands[starts[turn + 1], seat]
    return held, held - d.hands[starts[turn + PLAYERS], seat]


def _cost(log: Log, d: Decisions) -> Table:
    """What cards in hand cost in gifts until one's next turn."""
    held, gone = _after(log, d)
    where = band(held, AFTER)
    return Table(
        "cards in hand at the end of a turn",
        names(AFTER, 0),
        [
            Row("gives something away before the next", means(where, 9, gone > 0), "%"),
            Row("cards given away", means(where, 9, gone), ".1"),
        ],
    )


def _given(d: Decisions) -> Table:
    """What is given away, by the number on it, beside what was in hand."""
    gives = d.kind == GIVE
    held = d.held[gives]
    number = NUMBERS[d.gift[gives]] - 1
    loose = held[np.arange(len(held)), d.gift[gives] - 1] % NUMBERS[d.gift[gives]] > 0
    share = np.stack([held[:, NUMBERS[1:] == each].sum(axis=1) for each in (1, 2, 3, 4)], axis=1)
    share = share / share.sum(axis=1, keepdims=True)
    gifts = np.eye(4)[number]
    return Table(
        "number on the cards",
        ("1", "2", "3", "4"),
        [
            Row("of the cards in hand", [one(share[:, place]) for place in range(4)], "%"),
            Row("of the cards given", [one(gifts[:, place]) for place in range(4)], "%"),
            Row("from no whole group", means(number, 4, loose), "%"),
        ],
    )


def _givers(log: Log, d: Decisions) -> Table:
    """Whether it names the next to play of those who could give, by what they have scored."""
    named = d.kind == FROM
    in_turn = (d.actor[named][:, None] + np.arange(1, PLAYERS)) % PLAYERS
    every = np.arange(len(in_turn))
    can = np.take_along_axis(d.hands[named], in_turn, axis=1) == d.most[named][:, None]
    scored = np.take_along_axis(log.before["score_size"][named].astype(int), in_turn, axis=1)
    first = can.argmax(axis=1)
    others = np.where(can, scored, -1)
    others[every, first] = -1
    where = 1 - np.sign(scored[every, first] - others.max(axis=1))
    return Table(
        "the next of them to play has scored",
        ("more than the others", "as much as another", "less than another"),
        [
            Row("it names that player", means(where, 3, d.giver[named] == in_turn[every, first]), "%"),
            Row("chance would", means(where, 3, 1 / can.sum(axis=1)), "%"),
        ],
    )


def _end(log: Log, d: Decisions) -> Table:
    late = (d.kind == TAKE) & (d.deck == 0)
    offered = np.where(d.row_sizes > 0, d.row_sizes, rules.CARDS).min(axis=1)
    fifth = late & (d.empty == rules.LAST_EMPTY - 1)
    game, seat = log.game[fifth], d.actor[fifth]
    early = d.first[fifth]
    then = d.kind[np.flatnonzero(fifth)[early] + 1]
    return Table(
        "the end",
        ("",),
        [
            Row(
                "without a deck: the smallest row, or one of them, is taken",
                [one((d.row_size == offered)[late])],
                "%",
            ),
            Row("whoever takes the fifth row wins", [one(log.wins[game, seat])], ".1%"),
            Row("takes it with the first action of a turn", [one(early)], "%"),
            Row("and then a sixth", [one(then == TAKE)], "%"),
            Row("points of whoever takes the fifth row", [one(log.scores[game, seat])], ".1"),
            Row("points of all players", [one(log.scores)], ".1"),
        ],
    )


def _left(log: Log) -> Table:
    """Cards in hand at the end."""
    hands = band((log.final["hands"][:, :PLAYERS] & 127).ravel(), (0, 1, 2, 3))
    share = np.eye(5)[hands]
    return Table(
        "cards in hand at the end",
        names((0, 1, 2, 3), 0),
        [
            Row("of all players", [one(share[:, place]) for place in range(5)], "%"),
            Row("win", means(hands, 5, log.wins.ravel()), "%"),
        ],
    )


def pictures(log: Log) -> dict[str, str]:
    """All pictures, by name."""
    d = Decisions(log)
    here = d.acts & (d.pile > 0)
    scored = means(d.bonus[here], 5, d.kind[here] == SCORE)
    held, gone = _after(log, d)
    cost = means(np.minimum(held, 8), 9, gone > 0)
    return {
        "strategy-blocco-scoring": bars(
            "How often a pile is scored now",
            "cards that would come as a bonus",
            ("none", "1", "2", "3", "4"),
            scored,
        ),
        "strategy-blocco-giving": bars(
            "How often something is given away between turns",
            "cards in hand at the end of one's turn",
            (*(str(cards) for cards in range(8)), "8+"),
            cost,
        ),
        "strategy-blocco-order": order(log),
    }


def _waits_for_six(records: Numbers, legal: Numbers) -> Numbers:
    pile = records["pile_size"][np.arange(len(records)), records["actor"]]
    allowed = legal.copy()
    allowed[(pile < 6) & (records["deck_size"] > 0), rules.SCORE] = False
    return allowed


def _takes_the_largest(records: Numbers, legal: Numbers) -> Numbers:
    sizes = records["rows"] & 127
    allowed = legal.copy()
    allowed[:, : rules.BLOCKS] &= sizes == sizes.max(axis=1, keepdims=True)
    return allowed


def _collects(records: Numbers, legal: Numbers) -> Numbers:
    """Takes until there are eight cards in hand, as long as there is a deck."""
    hand = records["hands"][np.arange(len(records)), records["actor"]] & 127
    allowed = np.zeros_like(legal)
    now = (records["phase"] == rules.ACT) & (hand < 8) & (records["deck_size"] > 0)
    allowed[now, : rules.BLOCKS] = legal[now, : rules.BLOCKS]
    return allowed


def _gives_the_highest(records: Numbers, legal: Numbers) -> Numbers:  # noqa: ARG001
    number = legal[:, rules.GIVES :] * NUMBERS[1:]
    most = number.max(axis=1, keepdims=True)
    allowed = np.zeros_like(legal)
    allowed[:, rules.GIVES :] = (number == most) & (most > 0)
    return allowed


HABITS: dict[str, Habit] = {
    "scores whenever it can": only(rules.SCORE),
    "scores six cards or more, while there is a deck": _waits_for_six,
    "takes the largest row": _takes_the_largest,
    "takes until it has eight cards": _collects,
    "gives its highest numbers": _gives_the_highest,
}
