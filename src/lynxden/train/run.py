"""A stage of training from start to end: self-play, learning, matches, lessons of the search, files."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch

from lynxden.bots.weights import Arrays, Weights, about_game, check_game, shrunk, write_weights
from lynxden.games.errors import OptionsError
from lynxden.games.registry import get_game
from lynxden.train import checkpoint, match
from lynxden.train.checkpoint import Progress
from lynxden.train.code import find_code, for_bots, refined, thinned, told_of_others
from lynxden.train.config import LEVELS, Config
from lynxden.train.forks import Forking
from lynxden.train.lanes import luck_of
from lynxden.train.network import Network, new_arrays
from lynxden.train.ppo import Learner, Nets, SelfPlay
from lynxden.train.report import write_report
from lynxden.train.teacher import Lessons, Teacher, train_towards

NETWORKS = ("policy", "critic", "reflex", "belief")
WEIGHTS = "weights.safetensors"
LOG = "log.jsonl"
DECISIONS = 256
"""Of each game, to see what is rare."""

Say = Callable[[str], Any]


def train(config: Config, out: Path, device: str, say: Say, start: Path | None = None) -> None:
    """Train until the time or the iterations are used up; goes on if `out` holds a checkpoint."""
    if device == "cuda" and not torch.cuda.is_available():
        raise OptionsError("no CUDA device was found; use --device cpu")
    out.mkdir(parents=True, exist_ok=True)
    Stage(config, out, device, say, start).run()


class Stage:
    def __init__(self, config: Config, out: Path, device: str, say: Say, start: Path | None) -> None:
        self.config, self.out, self.device, self.say = config, out, device, say
        if device == "cuda":
            torch.backends.cuda.matmul.allow_tf32 = True
        self.progress = Progress()
        arrays = self._arrays(start)
        arrays["critic"] = told_of_others(arrays["critic"], get_game(config.game))
        self.nets = Nets(*(Network(arrays[name], device) for name in NETWORKS))
        game = get_game(config.game)
        self.learner = Learner(self.nets, config, game.observation_size)
        self.play: SelfPlay | None = None
        self.forking = Forking(self.nets, config, device) if config.forks else None
        self.prior: Network | None = None
        """The policy where this stage began, if it began from another one's end."""
        if start is not None:
            self.prior = Network(checkpoint.beginning(start)[0].part("policy"), device)
        elif config.exploit:
            raise OptionsError("to exploit a network, give its checkpoint with --start")
        self._kept = Weights({}, {})
        if start is not None and config.only_belief:
            self._kept = checkpoint.weights_but_belief(start)
        self._past: list[Network] = []
        self.rows = checkpoint.read_log(out / LOG, self.progress)
        self._began = time.monotonic() - self.progress.seconds
        size = sum(value.numel() for value in self.nets.parameters)
        say(f"{game.title}: {size / 1e6:.2f} million parameters, on {device}")

    def _arrays(self, start: Path | None) -> dict[str, Arrays]:
        """The networks to begin with: where this stage stopped, from another one's end, or new."""
        config = self.config
        game = get_game(config.game)
        here = self.out / checkpoint.NAME
        if here.exists():
            weights, before, self.progress = checkpoint.load(here)
            check_game(weights, game, str(here))
            now = config.to_dict()
            changed = [key for key, value in before.to_dict().items() if now[key] != value]
            if changed:
                raise OptionsError(
                    f"{self.out} holds a run with other settings ({', '.join(changed)});"
                    " choose another folder, or start a new stage from its checkpoint with --start"
                )
        elif start is not None:
            weights, self.progress.earlier = checkpoint.beginning(start)
            check_game(weights, game, str(start))
        else:
            return _new_networks(config)
        found = {name: weights.part(name) for name in NETWORKS if name != "belief"}
        if weights.holds("belief"):
            found["belief"] = weights.part("belief")
        if "belief" not in found or len(found["belief"]["in.bias"]) != config.belief_width:
            found["belief"] = _new_networks(config)["belief"]
        if config.levels > LEVELS and not here.exists():
            for name, network in found.items():
                hidden = name in ("critic", "belief")
                found[name] = refined(network, find_code(config.game, hidden=hidden, levels=config.levels))
        return found

    @property
    def part(self) -> float:
        """How much of the stage is done, 0 to 1."""
        if self.config.iterations:
            return self.progress.iteration / self.config.iterations
        return self.progress.seconds / (60 * self.config.minutes)

    def run(self) -> None:
        config, progress = self.config, self.progress
        while self.part < min(1.0, config.teach_from):
            self._deal()
            self._practise()
        if progress.iteration % config.evaluate:
            self._compare()
        if config.teach_from < 1:
            self._study()
        self._finish()

    # --- Self-play --------------------------------------------------------------------------------------

    def _deal(self) -> None:
        """New games, and the past selves that play in them: once after each checkpoint."""
        config = self.config
        seed = int(np.random.SeedSequence([config.seed, self.progress.iteration]).generate_state(1)[0])
        if self.play is None:
            self.play = SelfPlay(config, self.device, seed)
        else:
            self.play.redeal(seed)
        self.learner.forget()
        if config.exploit:
            self._past = [self.prior] if self.prior else []
            return
        past = checkpoint.past_arrays(self.out, config, self.progress)
        self._past = [Network(arrays, self.device) for arrays in past]

    def _practise(self) -> None:
        """Iterations up to the next checkpoint."""
        config, progress = self.config, self.progress
        while self.part < min(1.0, config.teach_from):
            self._iterate()
            if progress.iteration % config.evaluate == 0 or progress.iteration == 1:
                self._compare()
            if progress.iteration % config.checkpoint == 0:
                break
        if progress.iteration % config.checkpoint == 0:
            self._save(past=True)

    def _iterate(self) -> None:
        config, progress = self.config, self.progress
        luck = luck_of(self.device, config.seed, progress.iteration, 1)
        part = self.part
        rate = config.rate + part * (config.last_rate - config.rate)
        entropy = config.entropy + part * (config.last_entropy - config.entropy)
        began = time.monotonic()
        assert self.play is not None
        past = self._past[progress.iteration % len(self._past)] if self._past else None
        self.play.play(self.nets.policy, past, luck, self.forking)
        self._wait()
        played = time.monotonic()
        row = {"decisions": float(config.lanes * config.steps)}
        if not config.only_belief:
            found, row = self.play.experience(self.nets.critic)
            forks, figures = self.forking.take() if self.forking else (None, {})
            row |= figures
            row |= self.learner.learn(found, rate, entropy, luck, forks)
        hands = self.play.hands(luck)
        if hands is not None:
            real, imagined = hands
            moved = self.play.moved(self.nets.belief, luck)
            row |= self.learner.learn_belief(real, imagined, moved, (1 - part) * config.belief_rate, luck)
        self._wait()
        now = time.monotonic()
        progress.iteration += 1
        progress.seconds = now - self._began
        progress.decisions += row["decisions"]
        row |= {"rate": rate, "played_s": played - began, "learned_s": now - played}
        self._note(row)

    def _compare(self) -> None:
        """Matches against fixed players and, in later stages, against where this stage began."""
        config = self.config
        if config.only_belief:  # the policy is what it was
            return
        row: dict[str, float] = {}
        rivals: list[tuple[str, match.Player]] = [("greedy", match.greedy), ("random", match.at_random)]
        if self.prior is not None:
            rivals.append(("start", match.network(self.prior)))
        elif self._past:
            rivals.append(("past", match.network(self._past[-1])))
        for name, rival in rivals:
            if name == "random" and self.progress.iteration > 1:
                continue
            row |= self._against(name, rival, config.match_games, 1)
        self._note(row)

    def _against(self, name: str, rival: match.Player, games: int, seed: int) -> dict[str, float]:
        """How the policy does against three of a rival: a part of a row of the log."""
        game = self.config.game
        edition = next(iter(get_game(game).editions))
        mine = match.network(self.nets.policy)
        share, error, margin = match.match(game, edition, 4, mine, rival, games, seed, self.device)
        return {f"{name}_wins": share, f"{name}_error": error, f"{name}_margin": margin}

    # --- Lessons of the search ------------------------------------------------------------------------------

    def _study(self) -> None:
        """Rounds of search and of training towards it; a round that does not help is taken back."""
        config, progress = self.config, self.progress
        self.play = None
        seed = int(np.random.SeedSequence([config.seed, progress.iteration, 2]).generate_state(1)[0])
        teacher = Teacher(self.nets, config, self.device, seed)
        first = Network(self.nets.policy.arrays(), self.device)
        while self.part < 1:
            prior = Network(self.nets.policy.arrays(), self.device)
            luck = luck_of(self.device, config.seed, progress.iteration, 2)
            lessons: list[Lessons] = []
            began = time.monotonic()
            while len(lessons) * config.positions < config.lessons and (self.part < 1 or not lessons):
                lessons.append(teacher.search(luck))
                self._wait()
                if not config.iterations:
                    progress.seconds = time.monotonic() - self._began
            searched = time.monotonic() - began
            row = train_towards(self.nets.policy, prior, lessons, config, luck)
            for name, rival in (("round", prior), ("first", first)):
                row |= self._against(name, match.network(rival), 2 * config.match_games, progress.iteration)
            if row["round_wins"] < 0.25 - row["round_error"]:
                self.nets.policy.load(prior.arrays())
                row["taken_back"] = 1.0
            progress.iteration += 1
            progress.seconds = time.monotonic() - self._began
            self._note(row | {"searched_s": searched})
            self._compare()
            self._save(past=False)

    # --- Files ------------------------------------------------------------------------------------------

    def _wait(self) -> None:
        if self.device == "cuda":
            torch.cuda.synchronize()

    def _note(self, row: dict[str, float]) -> None:
        """A row of the log, and a line for people."""
        progress = self.progress
        row = {
            "iteration": progress.iteration,
            "seconds": round(progress.seconds, 2),
            "total_decisions": progress.decisions,
            **row,
        }
        self.rows.append(row)
        with (self.out / LOG).open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        left = progress.seconds * (1 / max(self.part, 1e-6) - 1) if progress.seconds else 0.0
        figures = [
            f"{key} {value:.4g}"
            for key, value in row.items()
            if key not in ("iteration", "seconds", "decisions") and not isinstance(value, str)
        ]
        if progress.iteration % 10 < 1 or progress.iteration < 4 or "rate" not in row:
            clock = f"{progress.seconds:6.1f} s, {max(0.0, left):5.0f} s left"
            self.say(f"{progress.iteration:5d}  {clock}  {', '.join(figures)}")

    def _save(self, *, past: bool) -> None:
        if past:
            checkpoint.note_past(self.out, self.nets, self.config, self.progress)
        checkpoint.save(self.out, self.nets, self.config, self.progress)
        write_report(self.out / "report.html", self.config, self.progress, self.rows)

    def _finish(self) -> None:
        self._save(past=False)
        weights = exported(self.nets, self.config, self.progress, self._kept)
        if self.config.rare:
            weights = self._thinned(weights)
        write_weights(self.out / WEIGHTS, weights)
        self.say(f"done: {self.out / WEIGHTS}")

    def _thinned(self, weights: Weights) -> Weights:
        """The same without what games hardly ever come to; while only the belief learns, the policy stays."""
        arrays = dict(weights.arrays)
        self._deal()
        assert self.play is not None
        names = ("critic", "belief") if self.config.only_belief else NETWORKS
        codes = {name: weights.part(name) for name in names}
        reached = {name: np.zeros(len(code["places"]), np.float32) for name, code in codes.items()}
        luck = luck_of(self.device, self.config.seed, 3)
        rounds = -(-DECISIONS // self.config.steps)
        for _ in range(rounds):
            self.play.play(self.nets.policy, None, luck)
            for name, code in codes.items():
                reached[name] += self.play.reached(code) / rounds
        for name, code in codes.items():
            lighter = thinned(code, reached[name], self.config.rare)
            arrays |= {f"{name}.{key}": value for key, value in lighter.items()}
            self.say(f"{name}: {len(lighter['places'])} of {len(code['places'])} steps are kept")
        return Weights(arrays, weights.about)


def _new_networks(config: Config) -> dict[str, Arrays]:
    code, all_code = (find_code(config.game, hidden=hidden, levels=config.levels) for hidden in (False, True))
    seats = max(players for _, players in config.tables())
    actions = get_game(config.game).action_count
    return {
        "policy": new_arrays(code, config.width, config.blocks, actions, config.seed),
        "critic": new_arrays(all_code, config.width, config.critic_blocks, seats, config.seed + 1),
        "reflex": new_arrays(code, config.reflex_width, 1, actions, config.seed + 2),
        "belief": new_arrays(all_code, config.belief_width, 1, 1, config.seed + 3),
    }


def exported(nets: Nets, config: Config, progress: Progress, kept: Weights) -> Weights:
    """The weights that bots play with, in eight bits; `kept` are those that are as they were."""
    arrays: Arrays = {}
    for name, network in nets.by_name().items():
        plain = network.arrays()
        if name == "critic":
            plain = for_bots(plain, get_game(config.game))
        arrays |= {f"{name}.{key}": value for key, value in shrunk(plain).items()}
    about = about_game(get_game(config.game)) | {
        "minutes": f"{progress.all_seconds / 60:.1f}",
        "decisions": f"{progress.all_decisions:.0f}",
        "margin": str(config.margin),
        **kept.about,
        "date": datetime.now(UTC).date().isoformat(),
    }
    return Weights(arrays | kept.arrays, about)
