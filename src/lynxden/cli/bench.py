"""`lynxden bench`: figures as lines of JSON."""

import json
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from lynxden import __version__
from lynxden.cli.style import errors
from lynxden.games.registry import GAMES, get_game


def bench(
    game: Annotated[str | None, typer.Argument(help="Which game; by default all of them.")] = None,
    seconds: Annotated[float, typer.Option(help="How long to measure each figure.", min=0.1, max=600)] = 3.0,
    cuda: Annotated[bool, typer.Option("--cuda", help="Measure on a CUDA device too.")] = False,
    only_cuda: Annotated[bool, typer.Option("--only-cuda", help="Measure on a CUDA device alone.")] = False,
) -> None:
    """Measure the speed, beside OpenSpiel if that is installed; one line of JSON per figure."""
    from lynxden.bench.device import cuda_figures
    from lynxden.bench.figures import cpu_figures

    about = {
        "version": __version__,
        "date": datetime.now(UTC).date().isoformat(),
        "hardware": hardware(),
    }
    for name in [get_game(game).name] if game else list(GAMES):
        with errors.status(f"measuring {name} …"):
            figures = [] if only_cuda else cpu_figures(name, seconds)
            for figure in figures:
                print_line({**figure.to_dict(), **about})
            if cuda or only_cuda:
                device = {**about, "hardware": cuda_hardware()}
                for figure in cuda_figures(name):
                    print_line({**figure.to_dict(), **device})


def print_line(figure: dict[str, object]) -> None:
    typer.echo(json.dumps(figure, ensure_ascii=False))


def hardware() -> str:
    """What this machine calls its processor."""
    cpuinfo = Path("/proc/cpuinfo")
    name = platform.processor() or platform.machine()
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    return f"{name}, Python {platform.python_version()}"


def cuda_hardware() -> str:
    from lynxden.batch.cuda import load_cuda

    name = load_cuda().get_current_device().name
    return name.decode() if isinstance(name, bytes) else str(name)
