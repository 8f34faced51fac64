"""The games for OpenSpiel, as Python games: importing this module registers them.

>>> import pyspiel
>>> import lynxden.envs.openspiel
>>> game = pyspiel.load_game("python_lynxden_linko(edition=basic,players=3)")

Parameters: `edition`, `players` (0: as many as are usual), `reward` ("points", "win" or "margin"), `starter`,
`chance` ("sampled": one chance node deals the cards; "explicit": one node a card of the deck, with its
probabilities) and `seed` (of the sampled deals; below 0: always others).
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lynxden.envs.extras import missing

try:
    import pyspiel
except ImportError as error:
    raise missing("OpenSpiel", "openspiel", error) from error

from lynxden.envs.table import Table
from lynxden.games.core import Game, Position
from lynxden.games.errors import OptionsError
from lynxden.games.registry import get_game

RECENT = 32
"""The decisions before this one that the tensor of an information state has."""

PARAMETERS: dict[str, Any] = {
    "edition": "", "players": 0, "reward": "points", "starter": 0, "chance": "sampled", "seed": -1,
}  # fmt: skip


class Story:
    """How a game came to be: positions, each with the one before it. Never changed, so copies are shared."""

    __slots__ = ("before", "length", "position", "seen_by")

    def __init__(self, position: Position, before: Story | None = None, seen_by: int | None = None) -> None:
        self.position = position
        self.before = before
        self.seen_by = seen_by
        """If this position was imagined: by whom. What others saw before it is not known in this world."""
        self.length: int = 1 if before is None else before.length + 1

    def __deepcopy__(self, memo: dict[int, Any]) -> Story:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        chapters = []
        story: Story | None = self
        while story is not None:
            chapters.append((story.position, story.seen_by))
            story = story.before
        return _retold, (chapters[::-1],)

    def events_of(self, seat: int) -> list[str]:
        """All that a seat has seen, from the deal onwards."""
        lines: list[str] = []
        story: Story | None = self
        while story is not None:
            if story.seen_by is None:
                events = story.position.events(seat)
                if story.before is None:
                    lines.append(str(story.position.view(seat)))
                else:
                    phrases, names = (
                        story.position.game.phrases,
                        [f"p{n}" for n in range(story.position.players)],
                    )
                    lines.append(" ".join(event.text(phrases, names) for event in events))
            elif story.seen_by != seat:  # what is public, and where it led
                lines.append(str(story.position.view(seat)))
                lines += story.before.public_events() if story.before else []
                break
            story = story.before
        return lines[::-1]

    def public_events(self) -> list[str]:
        """What was public, from the last event to the first."""
        lines: list[str] = []
        story: Story | None = self
        while story is not None and story.before is not None:
            if story.seen_by is None:
                phrases, names = story.position.game.phrases, [f"p{n}" for n in range(story.position.players)]
                lines.append(" ".join(event.text(phrases, names) for event in story.position.events(None)))
            story = story.before
        return lines


def _retold(chapters: list[tuple[Position, int | None]]) -> Story:
    story: Story | None = None
    for position, seen_by in chapters:
        story = Story(position, story, seen_by)
    assert story is not None
    return story


class SpielGame(pyspiel.Game):
    """A game of Lynxden with an edition and a number of players."""

    def __init__(self, game: Game, params: dict[str, Any] | None = None) -> None:
        chosen = {**PARAMETERS, **(params or {})}
        self.table = Table(game.name, chosen["edition"] or None, chosen["players"] or None, chosen["reward"])
        self.starter = int(chosen["starter"])
        game.check_players(self.table.options, self.table.players, self.starter)
        if chosen["chance"] not in {"sampled", "explicit"}:
            raise OptionsError(f"chance is 'sampled' or 'explicit', not '{chosen['chance']}'")
        self.explicit = chosen["chance"] == "explicit"
        self.kinds = sorted(set(game.deck), key=lambda card: game.codes[card])
        """The cards, each kind once: the outcomes of explicit chance nodes."""
        seed = int(chosen["seed"])
        self.rng = np.random.default_rng(seed if seed >= 0 else None)
        low, high = self.table.reward_bounds
        info = pyspiel.GameInfo(
            num_distinct_actions=game.action_count,
            max_chance_outcomes=len(self.kinds) if self.explicit else 1,
            num_players=self.table.players,
            min_utility=low,
            max_utility=high,
            max_game_length=game.longest_game or 1_000_000,
        )
        super().__init__(game_type(game, explicit=self.explicit), info, params or {})

    def new_initial_state(self) -> SpielState:
        """Before the deal."""
        return SpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """One deal, or as many as there are cards if chance is explicit."""
        return len(self.table.game.deck) if self.explicit else 1

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """What players see, as a tensor and as text."""
        return Observer(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


class SpielState(pyspiel.State):
    """A position; before the deal, the cards that chance has laid out."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self._cards: tuple[int, ...] = ()
        self._story: Story | None = None

    @property
    def position(self) -> Position | None:
        """The game as it stands; None before the deal."""
        return None if self._story is None else self._story.position

    @property
    def story(self) -> Story | None:
        """All positions up to this one; None before the deal."""
        return self._story

    def current_player(self) -> int:
        """Whose decision it is: a seat, chance before the deal, or nobody at the end."""
        if self._story is None:
            return int(pyspiel.PlayerId.CHANCE)
        seat = self._story.position.seat
        return int(pyspiel.PlayerId.TERMINAL) if seat is None else seat

    def _legal_actions(self, player: int) -> list[int]:  # noqa: ARG002
        assert self._story is not None
        return self._story.position.legal_numbers

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The kinds of cards that may come next, if chance is explicit; else one outcome, which deals."""
        game: SpielGame = self.get_game()
        if not game.explicit:
            return [(0, 1.0)]
        left = Counter(game.table.game.deck)
        left.subtract(game.kinds[kind] for kind in self._cards)
        total = left.total()
        return [(kind, left[card] / total) for kind, card in enumerate(game.kinds) if left[card]]

    def _apply_action(self, action: int) -> None:
        game: SpielGame = self.get_game()
        rules, table = game.table.game, game.table
        if self._story is not None:
            before = self._story.position
            self._story = Story(before.apply(rules.action_of(before.kernel_form(), action)), self._story)
            return
        if game.explicit:
            self._cards = (*self._cards, action)
            if len(self._cards) < len(rules.deck):
                return
            cards = [game.kinds[kind] for kind in self._cards]
            deal = rules.new(table.options, table.players, deck=cards, starter=game.starter)
        else:
            seed = int(game.rng.integers(2**63))
            deal = rules.new(table.options, table.players, seed, starter=game.starter)
        self._story = Story(deal)

    def _action_to_string(self, player: int, action: int) -> str:
        game: SpielGame = self.get_game()
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {game.kinds[action]}" if game.explicit else "deal"
        rules = game.table.game
        fixed = rules.action_table[action]
        if fixed is None and self._story is not None:
            fixed = rules.action_of(self._story.position.kernel_form(), action)
        return str(fixed)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._story is not None and self._story.position.over

    def returns(self) -> list[float]:
        """What the game was worth to each player; zeros before its end."""
        game: SpielGame = self.get_game()
        outcome = None if self._story is None else self._story.position.outcome
        return [0.0] * game.table.players if outcome is None else game.table.rewards_of(outcome)

    def resample_from_infostate(self, player: int, sampler: Any) -> SpielState:
        """A state that a player cannot tell from this one, with the unseen cards dealt anew."""
        state: SpielState = self.clone()
        if self._story is not None:
            rng = np.random.default_rng(int(sampler() * 2**53))
            world = self._story.position.view(player).sample(rng)
            state._story = Story(world, self._story, player)
        return state

    def __str__(self) -> str:
        if self._story is None:
            game: SpielGame = self.get_game()
            return " ".join(["deal", *(game.kinds[kind] for kind in self._cards)])
        return str(self._story.position)


class Observer:
    """What a player sees: the observation of the game's encoder, and the same with what came before.

    As text: the view, or (perfect recall) all that the player has seen since the deal.
    """

    def __init__(self, game: SpielGame, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observations have no parameters, but {params} was passed")
        rules = game.table.game
        self._recall = kind.perfect_recall
        self._private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._public = kind.public_info
        self._actions = rules.action_count
        fields = dict(rules.observation_fields) if self._private and self._public else {}
        size = sum(fields.values())
        self._size = size
        recent = (RECENT, 2) if self._recall and self._public else (0, 2)
        self.tensor: NDArray[np.float32] | None = np.zeros(size + recent[0] * 2, np.float32)
        self.dict: dict[str, NDArray[np.float32]] = {}
        at = 0
        for name, length in fields.items():
            self.dict[name] = self.tensor[at : at + length]
            at += length
        if recent[0]:
            self.dict["recent"] = self.tensor[at:].reshape(recent)
        if not self.dict:
            self.tensor = None

    def set_from(self, state: SpielState, player: int) -> None:
        """Write what a player sees into `tensor`."""
        if self.tensor is None:
            return
        self.tensor.fill(0)
        story = state.story
        if story is None:
            return
        if self._size:
            self.tensor[: self._size] = story.position.view(player).observation()
        if "recent" in self.dict:
            made = [(who, number) for who, number in zip(*_decisions(state), strict=True)][-RECENT:]
            for row, (who, number) in zip(self.dict["recent"], reversed(made), strict=False):
                row[:] = 1 + (who - player) % story.position.players, 1 + number

    def string_from(self, state: SpielState, player: int) -> str:
        """What a player sees, as text."""
        story = state.story
        if story is None:
            return "before the deal"
        if not self._private:
            if not self._public:
                return ""
            events = story.public_events()[::-1] if self._recall else []
            return "\n".join([*events, str(story.position.view(None))])
        if self._recall:
            return "\n".join([f"p{player}", *story.events_of(player)])
        return str(story.position.view(player))


def _decisions(state: SpielState) -> tuple[list[int], list[int]]:
    """Who has decided, and what, from the first decision on."""
    moves = [move for move in state.full_history() if move.player >= 0]
    return [move.player for move in moves], [move.action for move in moves]


def game_type(game: Game, *, explicit: bool = False) -> Any:
    """What OpenSpiel has to know about a game."""
    counts = [count for options in game.editions.values() for count in options.player_counts]
    mode = pyspiel.GameType.ChanceMode
    return pyspiel.GameType(
        short_name=f"python_lynxden_{game.name}",
        long_name=f"Lynxden's {game.title}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=mode.EXPLICIT_STOCHASTIC if explicit else mode.SAMPLED_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=max(counts),
        min_num_players=min(counts),
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=dict(PARAMETERS),
    )


class LinkoGame(SpielGame):
    def __init__(self, params: dict[str, Any] | None = None) -> None:
        super().__init__(get_game("linko"), params)


class BloccoGame(SpielGame):
    def __init__(self, params: dict[str, Any] | None = None) -> None:
        super().__init__(get_game("blocco"), params)


pyspiel.register_game(game_type(get_game("linko")), LinkoGame)
pyspiel.register_game(game_type(get_game("blocco")), BloccoGame)
