"""`lynxden play`: a person against bots in the terminal."""

import getpass
import secrets
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.markdown import Markdown

import lynxden
from lynxden.bots import NO_LIMIT, BotSpec, check_bot, get_bot
from lynxden.bots.registry import kind_of
from lynxden.cli.reduced import REDUCED, choose_options
from lynxden.cli.style import ask, console, show
from lynxden.games.core import Action, Position, View
from lynxden.games.errors import ActionError, OptionsError
from lynxden.games.jit import interpreted
from lynxden.games.registry import get_game
from lynxden.records import Recorder

HELP = """\
Type a move and press Enter. Any clear beginning of a legal move will do, capitals do not matter,
and the first word may be left out: '7 7 x' is 'play 7 7 X', 't' is 'take'.
  Enter, ?       this help and every legal move
  table, log     show the table again, or what happened so far
  rules          read the rules
  save FILE      save the game so far, or at its end
  quit           leave"""


class Quit(Exception):
    """The person wants to leave."""


def play(
    game: Annotated[str, typer.Argument(help="Which game: see `lynxden games`.")] = "linko",
    edition: Annotated[str | None, typer.Option(help="Which edition; by default the first.")] = None,
    players: Annotated[int | None, typer.Option(help="How many players; by default four.")] = None,
    bots: Annotated[
        str, typer.Option(help="Your opponents: one bot for all, or one each: a,b,c.")
    ] = "greedy",
    seat: Annotated[int, typer.Option(help="Your seat, counted from 1; seat 1 starts.")] = 1,
    seed: Annotated[int | None, typer.Option(help="Number of the deal; by default a new one.")] = None,
    name: Annotated[str | None, typer.Option(help="Your name at the table.")] = None,
    save: Annotated[Path | None, typer.Option(help="Save the game to this file when it ends.")] = None,
    reduced: Annotated[str | None, typer.Option(help=REDUCED)] = None,
) -> None:
    """Play against bots in the terminal."""
    found = get_game(game)
    options = choose_options(found, edition, reduced)
    seats = found.check_players(options, players, 0)
    if not 1 <= seat <= seats:
        raise OptionsError(f"there is no seat {seat}: seats are 1 to {seats}")
    opponents = _opponents(bots, seats - 1)
    with interpreted(all(kind_of(BotSpec.parse(bot)).quick for bot in opponents)):
        position = found.new(options, seats, seed=secrets.randbits(64) if seed is None else seed)
        Sitting(position, seat - 1, opponents, name or _own_name(), save).run()


def _own_name() -> str:
    try:
        return getpass.getuser().capitalize()
    except (OSError, KeyError):  # a system without users
        return "Guest"


def _opponents(bots: str, count: int) -> list[str]:
    names = [str(bot) for bot in BotSpec.parse_list(bots)]
    if len(names) == 1:
        names *= count
    if len(names) != count:
        raise OptionsError(f"{count} opponents need as many bots, or one for all, not {len(names)}")
    for name in names:
        check_bot(name)
    return names


class Sitting:
    """One game between a person and bots."""

    def __init__(self, position: Position, seat: int, bots: list[str], name: str, save: Path | None) -> None:
        self.game = position.game
        self.seat = seat
        self.names = [f"{bot.capitalize()} {number + 1}" for number, bot in enumerate(bots)]
        self.names.insert(seat, name)
        self.bots = [get_bot(bot) for bot in bots]
        self.bots.insert(seat, self.bots[0])  # never asked
        self.save = save
        self.recorder = Recorder(position, self.names, bots=[*bots[:seat], None, *bots[seat:]])
        self.rng = np.random.default_rng()
        self.log: list[str] = []

    @property
    def position(self) -> Position:
        return self.recorder.position

    def run(self) -> None:
        """Play to the end, or until the person leaves."""
        console.print(f"[title]{self.game.title}[/], {self.position.kind}. Type ? for help.")
        try:
            while self.position.seat is not None:
                if self.position.seat == self.seat:
                    action = self._ask()
                else:
                    view = self.position.view(self.position.seat)
                    action = self.bots[self.position.seat].choose(view, NO_LIMIT, self.rng).action
                self._apply(action)
            self._end()
        except (Quit, EOFError, KeyboardInterrupt):
            console.print("Bye! The game isn't finished.")
        self._save_at_end()

    def _apply(self, action: Action) -> None:
        self.recorder.apply(action)
        for text in self.position.describe_events(self.seat, self.names):
            self.log.append(text)
            console.print(f"  {text}", style="event", markup=False)

    def _ask(self) -> Action:
        """Ask until there is a legal move."""
        view = self.position.view(self.seat)
        console.print()
        show(view.picture(self.names))
        console.print()
        while True:
            console.print(f"[mark]▶ {view.decision}:[/] [quiet]{_hint(view)}[/]")
            words = " ".join(ask("[mark]› [/]").split())
            if not self._command(words, view):
                try:
                    return understand(words, view)
                except ActionError as error:
                    console.print(str(error), style="wrong", markup=False)

    def _command(self, words: str, view: View) -> bool:
        """Carry out what is no move; whether it was such a thing."""
        command, _, rest = words.partition(" ")
        match command.lower():
            case "" | "?" | "help" | "h":
                console.print(HELP, markup=False)
                console.print("Legal now: " + ", ".join(map(str, view.legal_actions)), markup=False)
            case "table":
                show(view.picture(self.names))
            case "log":
                console.print("\n".join(self.log[-40:]) or "Nothing has happened yet.", markup=False)
            case "rules":
                show_rules(self.game.name)
            case "save" if rest:
                if self._write(Path(rest)):
                    self.save = Path(rest)
            case "save":
                console.print("Where to? For example: save game.jsonl", style="wrong")
            case "quit" | "q" | "exit":
                raise Quit
            case _:
                return False
        return True

    def _end(self) -> None:
        outcome = self.position.outcome
        assert outcome is not None
        console.print()
        show(self.position.picture(self.names))
        console.print()
        width = max(map(len, self.names))
        for seat in sorted(range(len(self.names)), key=lambda seat: -outcome.scores[seat]):
            won = "  ★ wins" if seat in outcome.winners else ""
            line = f"{self.names[seat]:<{width}}  {outcome.scores[seat]:+4d}{won}"
            console.print(line, style="win" if won else "none", markup=False)
        if self.save is None and console.is_terminal:
            try:
                answer = ask("[quiet]Save the game? File name, or Enter for no: [/]").strip()
            except EOFError:
                answer = ""
            self.save = Path(answer) if answer else None

    def _save_at_end(self) -> None:
        if self.save is not None:
            self._write(self.save)

    def _write(self, file: Path) -> bool:
        """Save the game so far; whether that worked."""
        try:
            file.write_text(self.recorder.record().to_json() + "\n", encoding="utf-8")
        except (OSError, ValueError) as error:  # a full disk, a name that no file can have
            console.print(f"Cannot write {file}: {error}", style="wrong", markup=False)
            return False
        console.print(f"Saved to {file}.", markup=False)
        return True


def show_rules(game: str) -> None:
    """The rules page of a game: inside the package, or in the folder that the package is worked on in."""
    package = Path(lynxden.__file__).parent
    for folder in (package / "docs", package.parents[1] / "docs"):
        page = folder / "rules" / f"{game}.md"
        if page.is_file():
            console.print(Markdown(page.read_text(encoding="utf-8")))
            return
    console.print("The rules are not installed here.", style="wrong")


def _hint(view: View) -> str:
    """The legal moves, or a few of them, without a first word that all have in common."""
    texts = [str(action) for action in view.legal_actions]
    if len({text.partition(" ")[0] for text in texts}) == 1 and " " in texts[0]:
        texts = [text.partition(" ")[2] for text in texts]
    return ", ".join(texts) if len(texts) <= 12 else ", ".join(texts[:10]) + f", … ({len(texts)}, ? for all)"


def understand(words: str, view: View) -> Action:
    """The legal action that somebody means: the whole text, a clear beginning, or its end ('7 7 x')."""
    typed = words.lower()
    texts = {str(action).lower(): action for action in view.legal_actions}
    if typed in texts:
        return texts[typed]
    ends = [action for text, action in texts.items() if text.partition(" ")[2] == typed]
    begins = [action for text, action in texts.items() if text.startswith(typed)]
    for found in (ends, begins):
        if len(found) == 1:
            return found[0]
    if len(begins) > 1:
        raise ActionError(f"'{words}' could be {' or '.join(map(str, begins[:4]))}: say which")
    raise ActionError(f"'{words[:40]}' is not legal now; type ? for every legal move")
