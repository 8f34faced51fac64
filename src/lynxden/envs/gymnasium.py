"""The games for Gymnasium: one player against bots, at one table or at thousands.

>>> import gymnasium
>>> import lynxden.envs.gymnasium
>>> env = gymnasium.make("lynxden/Linko-v0", opponents="greedy")
>>> many = gymnasium.make_vec("lynxden/Linko-v0", num_envs=4096, vectorization_mode="vector_entry_point")
"""

import sys
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lynxden.envs.extras import missing

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise missing("Gymnasium", "gymnasium", error) from error

from lynxden.batch import Batch, Challenge, Look, Redeal
from lynxden.bots import NO_LIMIT, check_bot, get_bot
from lynxden.envs.drawing import image, lines_of
from lynxden.envs.spaces import Observation, action_space, observation_space
from lynxden.envs.table import Table, check_mode
from lynxden.games.core import Options, View
from lynxden.games.errors import IllegalAction, OptionsError

SEAT = 0
"""Where the player sits; who starts differs from game to game."""


def seat_opponents(table: Table, opponents: str | Sequence[str]) -> list[str]:
    """A name for each other seat, from the player's left."""
    names = [opponents] * (table.players - 1) if isinstance(opponents, str) else list(opponents)
    if len(names) != table.players - 1:
        raise OptionsError(f"{table.players} players need {table.players - 1} opponents, not {len(names)}")
    return names


class TableEnv(gymnasium.Env[Any, Any]):
    """A player against bots, by name; the start player is drawn anew for each game.

    Rewards come at the end: "points", "win" (1, or a part of it if several win) or "margin" (own points less
    those of the best other player). An illegal action loses: the game is over with the lowest reward, and
    `info` says so. With `illegal="raise"` it is refused with an error instead, and changes nothing.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        game: str = "linko",
        *,
        edition: str | Options | None = None,
        players: int | None = None,
        opponents: str | Sequence[str] = "random",
        reward: str = "points",
        illegal: str = "lose",
        render_mode: str | None = None,
    ) -> None:
        self.table = Table(game, edition, players, reward)
        named = self.table.game.edition_of(self.table.options)
        specs = [check_bot(name, game, named) for name in seat_opponents(self.table, opponents)]
        self._bots = [get_bot(spec) for spec in specs]
        if illegal not in {"lose", "raise"}:
            raise OptionsError(f"illegal is 'lose' or 'raise', not '{illegal}'")
        self._raises = illegal == "raise"
        check_mode(render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode
        self.observation_space = observation_space(self.table.game)
        self.action_space = action_space(self.table.game)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a game, and let the bots play until you are to decide."""
        super().reset(seed=seed, options=options)
        self._deal()
        while self._loop.over:  # bots might end a game before the player's first decision
            self._deal()
        self._lost = False
        self._show()
        return self._seen(), {}

    def _deal(self) -> None:
        starter = int(self.np_random.integers(self.table.players))
        self._loop = self.table.deal(int(self.np_random.integers(2**63)), starter)
        self._let_bots_play()

    def _let_bots_play(self) -> None:
        while (seat := self._loop.seat) not in {None, SEAT}:
            assert seat is not None
            position = self._loop.position()
            action = self._bots[seat - 1].choose(position.view(seat), NO_LIMIT, self.np_random).action
            number = self.table.game.number_of(position.kernel_form(), action)
            self._loop.step(number)

    def _seen(self) -> Observation:
        over = self._loop.over or self._lost
        mask = np.zeros(self.table.game.action_count, np.int8) if over else self._loop.mask()
        return {"observation": self._loop.observation(SEAT), "action_mask": mask}

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Your decision, and what the bots do until the next one; the reward comes at the end of the game."""
        if self._loop.over or self._lost:
            raise OptionsError("the game is over: call reset")
        try:
            self._loop.step(index(action))
        except IllegalAction as fault:
            if self._raises:
                raise
            self._lost = True
            return self._seen(), self.table.reward_bounds[0], True, False, {"illegal": str(fault)}
        self._let_bots_play()
        self._show()
        outcome = self._loop.position().outcome
        if outcome is None:
            return self._seen(), 0.0, False, False, {}
        reward = self.table.rewards_of(outcome)[SEAT]
        info = {"reason": outcome.reason, "won": SEAT in outcome.winners, "scores": np.array(outcome.scores)}
        return self._seen(), reward, True, False, info

    @property
    def view(self) -> View:
        """What the player sees."""
        return self._loop.position().view(SEAT)

    def _show(self) -> None:
        if self.render_mode == "human":
            sys.stdout.write(f"{self.view}\n\n")

    def render(self) -> Any:
        """The table as the player sees it: as text or as an image; "human" writes it after each step."""
        if self.render_mode is None:
            raise OptionsError(
                "this environment was made without a render_mode: 'ansi', 'rgb_array' or 'human'"
            )
        if self.render_mode == "rgb_array":
            return image(self.view.picture(), lines_of(self.table.players))
        return str(self.view) if self.render_mode == "ansi" else None


REDEALS = {
    AutoresetMode.DISABLED: Redeal.NEVER,
    AutoresetMode.NEXT_STEP: Redeal.NEXT_TURN,
    AutoresetMode.SAME_STEP: Redeal.AT_ONCE,
}


class ManyTablesEnv(VectorEnv[dict[str, Any], Any, NDArray[Any]]):
    """The same at many tables at once, in one batch.

    Opponents are "random" or "greedy", which play in compiled code. With `opponents=None` all seats are
    yours: `infos["seat"]` says whose decision it is, the reward is that of the seat that decided last, and
    `infos["rewards"]` has those of all seats. At table i seat i % players starts.

    Games are dealt anew at once where they end (`AutoresetMode.SAME_STEP`) unless another mode is chosen.
    With `copy=False` the arrays of observations are written anew by the next step. On device="cuda" they are
    device arrays, for PyTorch, CuPy or JAX; everything else is NumPy's.
    """

    def __init__(
        self,
        game: str = "linko",
        num_envs: int = 1,
        *,
        edition: str | Options | None = None,
        players: int | None = None,
        opponents: str | Sequence[str] | None = "random",
        reward: str = "points",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        copy: bool = True,
        device: str = "cpu",
        threads: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.table = Table(game, edition, players, reward)
        check_mode(render_mode, ["ansi"])
        self.render_mode = render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": ["ansi"], "autoreset_mode": self.autoreset_mode}
        self.num_envs = num_envs
        batch = Batch(
            game,
            num_envs,
            edition=self.table.options,
            players=self.table.players,
            starters=np.arange(num_envs) % self.table.players,
            device=device,
            threads=threads,
        )
        self._all_seats = opponents is None
        seats: list[str | None] = [None] * self.table.players
        if opponents is not None:
            seats = [None, *seat_opponents(self.table, opponents)]
        self._challenge = Challenge(batch, seats, REDEALS[self.autoreset_mode], fresh=copy)
        self._get = batch._device.get
        self.single_observation_space = observation_space(self.table.game)
        self.single_action_space = action_space(self.table.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._over = np.zeros(num_envs, np.bool_)
        self._ready = False

    @property
    def batch(self) -> Batch:
        """The games themselves."""
        return self._challenge.batch

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Deal all games; with `options={"reset_mask": …}`, a row of booleans, only some of them."""
        super().reset(seed=seed)
        chosen = (options or {}).get("reset_mask")
        if chosen is None:
            look = self._challenge.begin(int(self.np_random.integers(2**63)))
            self._over = np.zeros(self.num_envs, np.bool_)
        else:
            if not self._ready:
                raise OptionsError("reset all tables before you reset some of them")
            chosen = np.asarray(chosen)
            if chosen.shape != (self.num_envs,) or chosen.dtype != np.bool_:
                raise OptionsError(f"reset_mask has a boolean for each of {self.num_envs} tables")
            look = self._challenge.deal(chosen)
            self._over = self._over & ~chosen
        self._ready = True
        return self._seen(look), self._infos(look)

    def _seen(self, look: Look) -> dict[str, Any]:
        masks = look.masks.view(np.int8)
        return {"observation": look.observations, "action_mask": masks}

    def _infos(self, look: Look) -> dict[str, Any]:
        if not self._all_seats:
            return {}
        self._seats = self._get(look.seats).copy()
        return {"seat": self._seats}

    def step(
        self, actions: Any
    ) -> tuple[dict[str, Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """A decision at every table, and what the opponents do until the next one."""
        if not self._ready:
            raise OptionsError("call reset before step")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._over.any():
            first = int(np.flatnonzero(self._over)[0])
            raise OptionsError(f"the game at table {first} is over: reset it with reset_mask")
        answer = self._challenge.turn(actions)
        ended = self._get(answer.ended) != 0
        rewards = np.zeros(self.num_envs)
        decided = self._seats if self._all_seats else None
        infos = self._infos(answer.look)
        if ended.any():
            self._finish(answer, ended, decided, rewards, infos)
        if self.autoreset_mode is AutoresetMode.DISABLED:
            self._over = ended
        return self._seen(answer.look), rewards, ended, np.zeros(self.num_envs, np.bool_), infos

    def _finish(
        self, answer: Any, ended: NDArray[np.bool_], decided: Any, rewards: Any, infos: dict[str, Any]
    ) -> None:
        """Rewards and what is to be said of the games that ended."""
        lanes = np.flatnonzero(ended)
        scores, winners = self._get(answer.scores)[lanes], self._get(answer.winners)[lanes]
        worth = self.table.rewards(scores, winners)
        rewards[lanes] = worth[:, SEAT] if decided is None else worth[np.arange(len(lanes)), decided[lanes]]
        finals: dict[str, Any] = {}
        if decided is None:
            finals["won"] = _spread(winners[:, SEAT], lanes, self.num_envs)
        else:
            finals["rewards"] = _spread(worth, lanes, self.num_envs)
        finals["scores"] = _spread(scores, lanes, self.num_envs)
        which = ended.copy()
        finals |= {f"_{key}": which for key in finals}
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            infos.update(finals)
            return
        rows = self._get(answer.last)[lanes]
        masks = np.zeros((len(lanes), self.table.game.action_count), np.int8)
        last = np.empty(self.num_envs, object)
        last[lanes] = [
            {"observation": row, "action_mask": mask} for row, mask in zip(rows, masks, strict=True)
        ]
        infos.update(final_obs=last, _final_obs=which, final_info=finals, _final_info=which)

    def render(self) -> tuple[str, ...]:
        """The tables as the player who decides sees them."""
        if self.render_mode is None:
            raise OptionsError("this environment was made without a render_mode: 'ansi'")
        seats = self._seats.tolist() if self._all_seats else [SEAT] * self.num_envs
        return tuple(str(self.batch.position(lane).view(seat)) for lane, seat in enumerate(seats))


def _spread(rows: NDArray[Any], lanes: NDArray[np.int64], count: int) -> NDArray[Any]:
    """Rows of some lanes as rows of all, zeros elsewhere."""
    out = np.zeros((count, *rows.shape[1:]), rows.dtype)
    out[lanes] = rows
    return out


for _game, _id in (("linko", "lynxden/Linko-v0"), ("blocco", "lynxden/Blocco-v0")):
    if _id not in gymnasium.registry:
        gymnasium.register(
            _id,
            entry_point="lynxden.envs.gymnasium:TableEnv",
            vector_entry_point="lynxden.envs.gymnasium:ManyTablesEnv",
            kwargs={"game": _game},
        )
