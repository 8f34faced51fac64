"""N games in one array, stepped together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lynxden.batch.cpu import Cpu
from lynxden.games.core import Game, Options, Position, copy_of, whole_seed
from lynxden.games.errors import IllegalAction, OptionsError
from lynxden.games.jit import stream
from lynxden.games.registry import get_game

KERNEL_BOTS = {"random": 0, "greedy": 1}
"""Bots that can play inside a batch, as the kernels number them."""

CAP = 5_000
"""Decisions after which a game is stopped: some editions can in theory go on for ever."""


MOST_DECISIONS = 1_000_000
"""No cap is higher."""


@dataclass(frozen=True)
class Results:
    """How games ended; row i is game i."""

    scores: NDArray[np.int32]
    """Points by seat."""
    winners: NDArray[np.bool_]
    """Who won, by seat; nobody in a game that is not over."""
    reasons: list[str]
    """Why each game ended; "" where it is not over."""


@dataclass(frozen=True)
class Played:
    """Games between bots, with every decision. Row i is game i; what is past `decisions[i]` is not used."""

    decisions: NDArray[np.int32]
    actions: NDArray[np.int16]
    actors: NDArray[np.int8]


class Turn(NamedTuple):
    """What a learner gets back; row i is game i, arrays as the device has them."""

    observations: Any
    masks: Any
    ended: Any
    """Not 0 where the action ended the game, and a new one was dealt."""
    scores: Any
    """The points of the games that ended; other rows are old."""
    winners: Any
    """Who won the games that ended; other rows are old."""
    actors: Any
    """Who decides now."""


class Batch:
    """Many games of one kind.

    >>> batch = Batch("linko", 1024, edition="classic", players=4, seed=1)
    >>> while not batch.over:
    ...     batch.step(batch.random_actions())
    >>> batch.results().scores.mean(axis=0)

    `device` is "cpu" (on `threads` threads, by default one a core) or "cuda". The same seed gives the same
    games on both, bit for bit; `first` numbers the first game, so that a large batch can be played in parts.
    With `tables` the games differ: game i is of the edition and for the number of players that `tables[i]`
    says, and arrays by seat have as many columns as the largest table needs.
    Arrays that are handed out stay on the device and are written anew by the next call of the same method:
    copy what you want to keep.
    """

    def __init__(
        self,
        game: str,
        games: int,
        *,
        edition: str | Options | None = None,
        players: int | None = None,
        tables: Sequence[tuple[str | Options | None, int | None]] | None = None,
        seed: int = 0,
        first: int = 0,
        starters: Sequence[int] | NDArray[Any] | int = 0,
        device: str = "cpu",
        threads: int | None = None,
    ) -> None:
        self.game: Game = get_game(game)
        if games < 1:
            raise OptionsError(f"a batch needs at least one game, not {games}")
        who = np.asarray(starters, np.int64)
        if who.shape not in {(), (games,)}:
            raise OptionsError(f"starters must be one seat, or {games} of them, not {who.shape}")
        who = np.array(np.broadcast_to(who, games))  # a copy: for what is read-only all is compiled again
        if tables is None:
            tables = [(edition, players)] * games
        elif edition is not None or players is not None:
            raise OptionsError("a batch has an edition and a number of players, or tables, not both")
        elif len(tables) != games:
            raise OptionsError(f"{games} games need as many tables, not {len(tables)}")
        flags, seats = self._check_tables(tables, who)
        self.players = int(seats.max())
        """The seats of the largest table."""
        self.size = games
        self._seed = whole_seed(seed)
        self._first = first
        self._device = _device(self.game, device, threads)
        zeros = self._device.zeros
        self.records = zeros((games,), self.game.record_type)
        """The game records, in the form that the rules use."""
        self._options, self._seats = self._device.put(flags), self._device.put(seats)
        self._starters = self._device.put(who)
        self._streams = zeros((games,), np.uint64)
        self._faults = zeros((games,), np.int8)
        self._trust = zeros((0,), np.int8)
        self._buffers: dict[str, Any] = {}
        self.deal()

    def _check_tables(
        self, tables: Sequence[tuple[str | Options | None, int | None]], starters: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The options and the number of players of each game, as the rules read them."""
        found: dict[Any, tuple[int, int]] = {}
        for table, starter in set(zip(tables, starters.tolist(), strict=True)):
            options = self.game.choose_options(table[0])
            found[table] = options.flags, self.game.check_players(options, table[1], starter)
        both = np.array([found[table] for table in tables], np.int64)
        return np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])

    def _buffer(self, name: str, shape: tuple[int, ...], dtype: Any) -> Any:
        """An array that is made once and written anew by each call."""
        if name not in self._buffers:
            self._buffers[name] = self._device.zeros(shape, dtype)
        return self._buffers[name]

    def _masks(self) -> Any:
        """The same for the masks of all games."""
        if "masks" not in self._buffers:
            self._buffers["masks"] = self._device.masks(self.size, self.game.action_count)
        return self._buffers["masks"]

    def _deal(self, kernel: str, *more: Any) -> None:
        deal = (self._starters, self._seed, self._first, self._rounds, self._streams)
        self._device.run(kernel, self.records, self._options, self._seats, *deal, *more)

    def deal(self) -> None:
        """Deal every game anew, from the same seed."""
        self._rounds = self._device.zeros((self.size,), np.int64)
        self._deal("deal_lane")

    def reseed(self, seed: int) -> None:
        """Deal every game anew, from another seed."""
        self._seed = whole_seed(seed)
        self.deal()

    def deal_finished(self) -> None:
        """Deal the next game wherever one is over: lane by lane, the same on every device."""
        self._deal("deal_finished")

    @property
    def over(self) -> bool:
        """Whether all games are over."""
        return bool((self._device.get(self.actors()) < 0).all())

    def actors(self) -> Any:
        """Who decides in each game; -1 where it is over."""
        out = self._buffer("actors", (self.size,), np.int8)
        self._device.run("actor", self.records, out)
        return out

    def legal_masks(self) -> Any:
        """A row of ones and zeros a game: which action numbers are legal."""
        out = self._masks()
        self._device.write_masks(self.records, out)
        return out

    def observations(self) -> Any:
        """What the deciding seat may know of each game, as numbers (`games/<game>/encode.py`)."""
        out = self._buffer("observations", (self.size, self.game.observation_size // 8), np.int64)
        self._device.run("observation", self.records, out)
        return out.view(np.int8)

    def seen_from(self, seats: Any) -> Any:
        """The same for a seat of your choice in each game, whoever decides."""
        out = self._buffer("seen_from", (self.size, self.game.observation_size // 8), np.int64)
        self._device.run("seen_from", self.records, self._device.put(seats), out)
        return out.view(np.int8)

    def hidden(self) -> Any:
        """What the deciding seat does not know, as numbers: all hands, for the judge that a learner has."""
        out = self._buffer("hidden", (self.size, self.game.encode.HIDDEN_WORDS), np.int64)
        self._device.run("hidden", self.records, out)
        return out.view(np.int8)

    def greedy_actions(self) -> Any:
        """What the heuristic would do in each game that is not over."""
        out = self._buffer("greedy", (self.size,), np.int32)
        self._device.run("choose_greedy", self.records, out)
        return out

    def imagine(self, streams: Any) -> None:
        """Redeal what the deciding seat cannot see, in each game; `streams` are 64 random bits for each."""
        self._device.run("imagine", self.records, self._device.put(streams))

    def exchange(self, streams: Any) -> None:
        """Let two cards that the deciding seat cannot see change places, in each game; as above."""
        self._device.run("exchange", self.records, self._device.put(streams))

    def random_actions(self) -> Any:
        """A random legal action for each game that is not over."""
        out = self._buffer("random", (self.size,), np.int32)
        self._device.run("choose_random", self.records, self._streams, out)
        return out

    def random_step(self) -> Any:
        """Carry out a random legal action in each game that is not over, quicker than by choice and step.

        Returns how many such actions each lane has seen since the batch was made.
        """
        made = self._buffer("made", (self.size,), np.int64)
        self._device.run("random_step", self.records, self._streams, made)
        return made

    def step(self, actions: Any, *, check: bool = True) -> None:
        """Carry out one action in each game that is not over.

        An illegal action is refused: nothing happens in that game, and once all others are stepped the first
        such game is reported. `check=False` is quicker: it trusts that all actions are legal.
        """
        actions = self._actions(actions)
        self._device.run("step", self.records, actions, self._faults if check else self._trust)
        if check:
            self._report_faults(actions)

    def turn(self, actions: Any, *, check: bool = True) -> Turn:
        """What a learner does, in one pass: step, results and a new deal where a game ended, a new look.

        Illegal actions are treated as by `step`.
        """
        actions = self._actions(actions)
        observed = self._buffer("observations", (self.size, self.game.observation_size // 8), np.int64)
        masks = self._masks()
        ended = self._buffer("ended", (self.size,), np.int8)
        scores = self._buffer("scores", (self.size, self.players), np.int32)
        winners = self._buffer("winners", (self.size, self.players), np.bool_)
        actors = self._buffer("actors", (self.size,), np.int8)
        faults = self._faults if check else self._trust
        beside = self._device.masks_beside(masks)
        self._deal("turn", actions, faults, observed, beside, scores, winners, ended, actors)
        self._device.masks_after(self.records, masks)
        if check:
            self._report_faults(actions)
        return Turn(observed.view(np.int8), masks, ended, scores, winners, actors)

    def _actions(self, actions: Any) -> Any:
        actions = self._device.put(actions)
        if actions.shape != (self.size,):
            raise OptionsError(f"there must be {self.size} actions, one a game, not {actions.shape}")
        if actions.dtype.kind not in "iu":
            raise OptionsError(f"actions are whole numbers, not {actions.dtype}")
        return actions

    def _report_faults(self, actions: Any) -> None:
        faults = np.flatnonzero(self._device.get(self._faults))
        if faults.size:
            self._faults = self._device.zeros((self.size,), np.int8)
            first = int(faults[0])
            number = int(self._device.get(actions)[first])
            raise IllegalAction(
                f"action {number} is not legal in game {first}"
                + (f", nor are those of {faults.size - 1} other games" if faults.size > 1 else "")
            )

    def playout(self, cap: int = CAP) -> Any:
        """Random legal play to the end of every game, or `cap` decisions; how many each took."""
        _check_cap(cap)
        out = self._buffer("decisions", (self.size,), np.int32)
        self._device.run("playout", self.records, self._streams, cap, out)
        return out

    def play(self, bots: Sequence[str], cap: int = CAP, *, luck: int = 0) -> Played:
        """Bots play every game to its end or the cap; one bot a seat, by name.

        Another number for `luck` gives the bots other luck with the same cards.
        """
        _check_cap(cap)
        if len(bots) != self.players:
            raise OptionsError(f"{self.players} players need as many bots, not {len(bots)}")
        unknown = [bot for bot in bots if bot not in KERNEL_BOTS]
        if unknown:
            raise OptionsError(f"'{unknown[0]}' cannot play in a batch; these can: {', '.join(KERNEL_BOTS)}")
        if luck:
            streams = [stream(state, luck) for state in self._device.get(self._streams)]
            self._streams = self._device.put(np.array(streams, np.uint64))
        numbers = self._device.put(np.array([KERNEL_BOTS[bot] for bot in bots], np.int64))
        decisions = self._device.zeros((self.size,), np.int32)
        actions = self._device.zeros((self.size, cap), np.int16)
        actors = self._device.zeros((self.size, cap), np.int8)
        self._device.run("play", self.records, self._streams, numbers, cap, actions, actors, decisions)
        get = self._device.get
        return Played(get(decisions), get(actions), get(actors))

    def standing(self) -> tuple[Any, Any, Any]:
        """Scores, winners and the numbers of the reasons, as the device has them."""
        scores = self._buffer("scores", (self.size, self.players), np.int32)
        winners = self._buffer("winners", (self.size, self.players), np.bool_)
        reasons = self._buffer("reasons", (self.size,), np.int8)
        self._device.run("result", self.records, scores, winners, reasons)
        return scores, winners, reasons

    def results(self) -> Results:
        """Scores, winners and reasons."""
        scores, winners, reasons = (self._device.get(found).copy() for found in self.standing())
        names = self.game.reasons
        return Results(scores, winners, [names[code] for code in reasons])

    def record_bytes(self) -> Any:
        """The game records as rows of bytes, in the same memory: to copy games from one batch to another."""
        return self._device.raw(self.records)

    def position(self, index: int) -> Position:
        """One game as a position of its own."""
        if not 0 <= index < self.size:
            raise OptionsError(f"there is no game {index}: games are 0 to {self.size - 1}")
        return self.game.position_type(copy_of(self._device.get(self.records)[index : index + 1]))


def _check_cap(cap: int) -> None:
    if not 1 <= cap <= MOST_DECISIONS:
        raise OptionsError(f"a cap must be from 1 to {MOST_DECISIONS} decisions, not {cap}")


def _device(game: Game, device: str, threads: int | None) -> Any:
    if device == "cpu":
        return Cpu(game, threads)
    if device != "cuda":
        raise OptionsError(f"there is no device '{device}': use 'cpu' or 'cuda'")
    if threads is not None:
        raise OptionsError("threads are for device='cpu'")
    from lynxden.batch.cuda import Cuda

    return Cuda(game)
