"""What the network of Linko does."""

from __future__ import annotations

import numpy as np

from lynxden.games.linko import rules
from tools.strategy.habits import Habit, only
from tools.strategy.log import PLAYERS, Log, Numbers, bound_seat
from tools.strategy.plots import Series, lines, order
from tools.strategy.tables import (
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

FIELDS = ("hands", "tops", "active", "actor", "phase", "compared", "hand_size", "layer_count")

LEFT = (2, 4, 6, 8, 10)
"""Cards in the smallest of the other hands."""
HELD = (("no card of it in hand", 0, 0), ("one", 1, 1), ("two or more", 2, 15))
"""How many cards of the snatched value are in hand."""
VALUES = (("values 1 to 4", 1, 4), ("values 5 to 8", 5, 8), ("values 9 to 12", 9, 12))
SETS = (("a set of three", 3, 3), ("of four or five", 4, 5), ("of six or more", 6, 15))


class Decisions:
    """What each decision was about; one number a decision."""

    def __init__(self, log: Log) -> None:
        before, every = log.before, np.arange(len(log.action))
        self.actor = log.actor.astype(int)
        self.bound = self.actor == bound_seat(log.game)
        """Whether it is that of the player with a habit, if there is one."""
        sizes = before["hand_size"][:, :PLAYERS].astype(int)
        self.own = sizes[every, self.actor]
        self.fewest = sizes.min(axis=1)
        sizes[every, self.actor] = rules.CARDS
        self.others = sizes.min(axis=1)
        self.hand = before["hands"][every, self.actor]

        self.plays, self.takes = before["phase"] == rules.PLAY, before["phase"] == rules.TAKE
        self.reclaims, self.draws = before["phase"] == rules.RECLAIM, before["phase"] == rules.DRAW
        self.taken = log.action == rules.TAKE_IT
        self.victim = (before["active"].astype(int) + before["compared"]) % PLAYERS
        top = before["tops"][every, self.victim].astype(int)
        self.size, self.value = top >> 4 & 15, top & 15
        self.held = self.hand >> 4 * self.value & 15

        play = np.where(self.plays, log.action, 0)
        self.alone = play >= rules.LONE_JOKERS
        self.jokers = np.where(self.alone, play - rules.LONE_JOKERS + 1, play % rules.WIDTH)
        few = play % (rules.COPIES * rules.WIDTH) // rules.WIDTH + 1
        self.laid = np.where(self.alone, 0, few) + self.jokers
        self.laid_value = np.where(self.alone, rules.JOKER, play // (rules.COPIES * rules.WIDTH) + 1)
        self.had = self.hand >> 4 * self.laid_value & 15
        self.layer = before["layer_count"].astype(int)
        self.turn = self._turns(log)
        self.lost = self._lost(log)

    def _turns(self, log: Log) -> Numbers:
        """Which turn of its player a play is, counted from 0."""
        turns = np.zeros(len(log.action), int)
        done: dict[tuple[int, int], int] = {}
        for decision in np.flatnonzero(self.plays):
            who = int(log.game[decision]), int(self.actor[decision])
            turns[decision] = turn = done.get(who, 0)
            done[who] = turn + 1
        return turns

    def _lost(self, log: Log) -> Numbers:
        """Whether the layer of a play was snatched later."""
        lost = np.zeros(len(log.action), bool)
        lies: dict[tuple[int, int, int], int] = {}
        for decision in np.flatnonzero(self.plays | self.takes):
            game, layers = int(log.game[decision]), self.layer[decision]
            if self.plays[decision]:
                seat = int(self.actor[decision])
                lies[game, seat, int(layers[seat])] = int(decision)
            else:
                seat = int(self.victim[decision])
                lost[lies[game, seat, int(layers[seat]) - 1]] = True
        return lost


def within(numbers: Numbers, low: int, high: int) -> Numbers:
    return (numbers >= low) & (numbers <= high)


def tables(log: Log) -> dict[str, Table]:
    """All tables, by name."""
    d = Decisions(log)
    found = {"linko-taken-left": _taken_left(d), "linko-taken-size": _taken_size(d)}

    columns = names((1, 2, 3, 4, 5), 1)
    reclaimed = log.action == rules.RECLAIM_IT
    size = band(d.size[d.reclaims], (1, 2, 3, 4, 5))
    found["linko-reclaimed"] = Table(
        "cards in the layer", columns, [Row("reclaimed", means(size, 6, reclaimed[d.reclaims]), "%")]
    )
    found["linko-lost"] = _lost(d)
    found["linko-held"] = _held(d)

    edges = (0, 1, 2, 4, 6)
    turn = band(d.turn[d.plays], edges)
    whole = d.plays & ~d.alone
    found["linko-laid"] = Table(
        "turn",
        ("first", "second", "third", "fourth and fifth", "sixth and seventh", "later"),
        [
            Row("cards in a play", means(turn, 6, d.laid[d.plays]), ".1"),
            Row("mean value", means(turn, 6, d.laid_value[d.plays]), ".1"),
            Row("a single card", means(turn, 6, d.laid[d.plays] == 1), "%"),
            Row("with a joker", means(turn, 6, d.jokers[d.plays] > 0), "%"),
            Row(
                "all it has of the value",
                means(band(d.turn[whole], edges), 6, (d.laid - d.jokers >= d.had)[whole]),
                "%",
            ),
        ],
    )
    own = band(d.own[d.draws], (4, 8, 12, 15))
    found["linko-drawn"] = Table(
        "cards in hand",
        names((4, 8, 12, 15), 1),
        [Row("drawn from the display", means(own, 5, (log.action != rules.DRAW_DECK)[d.draws]), "%")],
    )
    found["linko-order"] = by_order(log)
    found["linko-dealt"] = _dealt(log, d)
    found["linko-end"] = _end(log)
    found["linko-winner"] = of_winners(
        log,
        [
            ("turns", by_seat(log, d.plays, d.actor)),
            ("layers snatched from others", by_seat(log, d.takes, d.actor)),
            ("of these, taken", by_seat(log, d.takes & d.taken, d.actor)),
            ("layers lost to others", by_seat(log, d.takes, d.victim)),
            ("cards lost with them", by_seat(log, d.takes, d.victim, d.size)),
            ("cards on the table at the end", log.final["table_size"][:, :PLAYERS]),
            ("cards in hand at the end", log.final["hand_size"][:, :PLAYERS]),
        ],
    )
    return found


def _taken_left(d: Decisions) -> Table:
    """How often a snatched layer is taken, by how near the end is."""
    rows = [Row("all", means(band(d.others[d.takes], LEFT), 6, d.taken[d.takes]), "%")]
    for name, low, high in HELD:
        here = d.takes & within(d.held, low, high)
        rows.append(Row(name, means(band(d.others[here], LEFT), 6, d.taken[here]), "%"))
    return Table("cards in the smallest other hand", names(LEFT, 1), rows)


def _taken_size(d: Decisions) -> Table:
    """How often a snatched layer that fits nothing is taken, by its size and value."""
    rows = []
    for name, low, high in VALUES:
        here = d.takes & (d.held == 0) & within(d.value, low, high)
        rows.append(Row(name, means(band(d.size[here], (1, 2, 3, 4)), 5, d.taken[here]), "%"))
    return Table("cards in the layer", names((1, 2, 3, 4), 1), rows)


def _lost(d: Decisions) -> Table:
    """How often a layer is snatched before the game is over."""
    edges = (1, 2, 3, 4, 5, 6)
    rows = [Row("all", means(band(d.laid[d.plays], edges), 7, d.lost[d.plays]), "%")]
    for name, low, high in VALUES:
        here = d.plays & within(d.laid_value, low, high)
        rows.append(Row(name, means(band(d.laid[here], edges), 7, d.lost[here]), "%"))
    return Table("cards in the layer", names(edges, 1), rows)


def _largest(d: Decisions) -> tuple[Numbers, Numbers]:
    """The size of the largest set in hand, jokers aside, and whether a set of that size is laid now.

    Where nothing else is in hand there is no choice, and both are 0.
    """
    largest = np.zeros(len(d.hand), int)
    for value in range(1, rules.VALUES + 1):
        largest = np.maximum(largest, d.hand >> 4 * value & 15)
    largest[~d.plays | d.alone | (d.own == d.had)] = 0
    return largest, (d.had == largest) & (largest > 0)


def _held(d: Decisions) -> Table:
    """How often the largest set in hand is laid now, by how near the end is."""
    largest, now = _largest(d)
    rows = []
    for name, low, high in SETS:
        here = within(largest, low, high)
        rows.append(Row(name, means(band(d.others[here], LEFT), 6, now[here]), "%"))
    return Table("cards in the smallest other hand", names(LEFT, 1), rows)


def _dealt(log: Log, d: Decisions) -> Table:
    """Wins by the jokers dealt: nothing comes to a hand before its first turn."""
    first = d.plays & (d.turn == 0)
    wins = log.wins[log.game[first], d.actor[first]]
    jokers = band(d.hand[first] >> 4 * rules.JOKER & 15, (0, 1, 2))
    return Table("jokers dealt", names((0, 1, 2), 0), [Row("wins", means(jokers, 4, wins), ".1%")])


def _end(log: Log) -> Table:
    hands = log.final["hand_size"][:, :PLAYERS]
    out = hands == 0
    rows = [
        Row("games that end because somebody goes out", [one(log.reasons == "hand-empty")], ".1%"),
        Row("whoever goes out wins", [one(log.wins[out])], ".1%"),
        Row("points of whoever goes out", [one(log.scores[out])], ".1"),
        Row("points of the winner", [one(log.scores.max(axis=1))], ".1"),
        Row("cards in the other hands", [one(hands[~out])], ".1"),
    ]
    return Table("the end", ("",), rows)


def pictures(log: Log) -> dict[str, str]:
    """All pictures, by name."""
    d = Decisions(log)
    taken = []
    for name, low, high in HELD:
        here = d.takes & within(d.held, low, high) & (d.others <= 13)
        taken.append(Series(name, means(d.others[here] - 1, 13, d.taken[here])))
    lost = []
    for name, low, high in VALUES:
        here = d.plays & within(d.laid_value, low, high)
        lost.append(Series(name, means(np.minimum(d.laid[here], 7) - 1, 7, d.lost[here])))
    largest, now = _largest(d)
    held = []
    for name, low, high in SETS:
        here = within(largest, low, high) & (d.others <= 13)
        held.append(Series(name, means(d.others[here] - 1, 13, now[here])))
    left = [str(cards) for cards in range(1, 14)]
    return {
        "strategy-linko-taking": lines(
            "How often a snatched layer is taken",
            "cards in the smallest other hand",
            left,
            taken,
        ),
        "strategy-linko-lost": lines(
            "How often a layer is snatched before the end",
            "cards in the layer",
            [*(str(cards) for cards in range(1, 7)), "7+"],
            lost,
        ),
        "strategy-linko-holding": lines(
            "How often the largest set in hand is laid now",
            "cards in the smallest other hand",
            left,
            held,
        ),
        "strategy-linko-order": order(log),
    }


def _takes_what_fits(records: Numbers, legal: Numbers) -> Numbers:
    every = np.arange(len(records))
    victim = (records["active"].astype(int) + records["compared"]) % PLAYERS
    value = records["tops"][every, victim].astype(int) & 15
    fits = (records["hands"][every, records["actor"]] >> 4 * value & 15) > 0
    allowed = np.zeros_like(legal)
    allowed[:, rules.TAKE_IT] = legal[:, rules.TAKE_IT] & fits
    allowed[:, rules.LEAVE_IT] = legal[:, rules.LEAVE_IT] & ~fits
    return allowed


def _lays_the_largest(records: Numbers, legal: Numbers) -> Numbers:  # noqa: ARG001
    """The largest set of number cards, with as many jokers as the network likes."""
    cards = np.zeros(legal.shape[1], int)
    cards[: rules.LONE_JOKERS] = np.tile(rules.PLAY_CARDS, rules.VALUES)
    sizes = legal * cards
    most = sizes.max(axis=1, keepdims=True)
    allowed: Numbers = (sizes == most) & (most > 0)
    return allowed


HABITS: dict[str, Habit] = {
    "takes every layer": only(rules.TAKE_IT),
    "takes none": only(rules.LEAVE_IT),
    "takes just what fits a card in hand": _takes_what_fits,
    "lays its largest set in each turn": _lays_the_largest,
    "draws only from the deck": only(rules.DRAW_DECK),
}
